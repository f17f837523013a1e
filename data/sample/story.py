"""The planted calls of the sample: every hard case at least once, each with a word on why it is there.

What lives here: chains of attempts, failures, odd usage, as calls.
What does not: lines that no reader can take (broken.py), the ordinary traffic (background.py).
"""

from __future__ import annotations

from dataclasses import replace

from calls import Call, Usage, at

FIRST, SECOND, THIRD = "2026-10-19", "2026-10-20", "2026-10-21"
TIMEOUT, SERVER, RATE = ("408", "Timeout"), ("500", "InternalServerError"), ("429", "RateLimitError")
CANCELLED, FILTERED = ("499", "CancelledError"), ("400", "ContentPolicyViolationError")

SUPPORT = Call("", 0, "claude-haiku-4-5", "anthropic", Usage(0, 0), feature="support-chat", team="service")
SEARCH = Call("", 0, "gpt-5-mini", "openai", Usage(0, 0), feature="search", team="discovery")
SUMMARY = Call("", 0, "gpt-4o-mini", "openai", Usage(0, 0), feature="summaries", team="discovery")
EXTRACT = Call("", 0, "mistral-large-4", "mistral_ai", Usage(0, 0), feature="extraction", team="discovery")
ASSIST = Call(
    "", 0, "gpt-5", "openai", Usage(0, 0), feature="assistant", team="service", environment="production"
)
REVIEW = replace(ASSIST, model="claude-sonnet-4-5", provider="anthropic", feature="code-review")
NOTHING = Usage(0, 0, is_split_stated=False)


def try_of(base: Call, request: str, attempt: int, at_us: int, usage: Usage | None, **facts: object) -> Call:
    """One attempt of a request whose id the application stated; a success unless told otherwise."""
    name = f"{request}-try-{attempt}"
    found = replace(
        base, name=name, request=request, attempt=attempt, at_us=at_us, usage=usage, trace=request
    )
    if "error" in facts:
        found = replace(found, status="failure")
    return replace(found, **facts)  # type: ignore[arg-type]


def gateway_chains() -> list[Call]:
    """Requests of more than one attempt that the gateway logged."""
    return [
        # A failure before midnight that costs nothing, answered after it.
        try_of(SUPPORT, "req-midnight", 1, at(FIRST, "23:58:40.250"), NOTHING, error=SERVER),
        try_of(SUPPORT, "req-midnight", 2, at(SECOND, "00:01:10.500"), Usage(2_210, 318, reasoning=0)),
        # The server broke off after 180 tokens: billed on the 19th, a retry because the 20th answered.
        try_of(
            SEARCH, "req-broken-off", 1, at(FIRST, "23:50:00"), Usage(2_900, 180, reasoning=64), error=SERVER
        ),
        try_of(SEARCH, "req-broken-off", 2, at(SECOND, "00:02:00"), Usage(2_900, 412, reasoning=128)),
        # Mistral's price doubles between the two attempts; the first one did cost.
        try_of(EXTRACT, "req-price", 1, at(FIRST, "23:59:59.999999"), Usage(5_120, 77), error=SERVER),
        try_of(EXTRACT, "req-price", 2, at(SECOND, "00:00:00"), Usage(5_120, 640)),
        # The caller asked again although the first answer was on its way: the second success is a retry.
        try_of(
            SUMMARY,
            "req-twice",
            1,
            at(SECOND, "10:00:00"),
            Usage(7_400, 520, reasoning=0),
            duration_ms=61_000,
        ),
        try_of(SUMMARY, "req-twice", 2, at(SECOND, "10:00:45"), Usage(7_400, 498, reasoning=0)),
        # Refused for its rate although the row carries tokens; then a timeout; then the answer.
        try_of(SEARCH, "req-three", 1, at(FIRST, "14:10:00"), Usage(550, 0, reasoning=0), error=RATE),
        try_of(SEARCH, "req-three", 2, at(FIRST, "14:10:02"), Usage(550, 0, reasoning=0), error=TIMEOUT),
        try_of(SEARCH, "req-three", 3, at(FIRST, "14:10:35"), Usage(550, 96, reasoning=0)),
        # Exactly one hour after the failure: still the same request. One hour and a microsecond: another.
        try_of(SUPPORT, "req-hour", 1, at(SECOND, "08:00:00"), NOTHING, error=SERVER),
        try_of(SUPPORT, "req-hour", 2, at(SECOND, "09:00:00"), Usage(1_480, 210, reasoning=0)),
        try_of(
            SUPPORT, "req-over-an-hour", 1, at(SECOND, "12:00:00"), Usage(900, 33, reasoning=0), error=SERVER
        ),
        try_of(SUPPORT, "req-over-an-hour", 2, at(SECOND, "13:00:00.000001"), Usage(900, 205, reasoning=0)),
        *unanswered_chains(),
    ]


def unanswered_chains() -> list[Call]:
    """Requests that the gateway logged and nobody got an answer to."""
    estimated = Usage(3_300, 140, reasoning=0)
    return [
        # The first attempt breaks off billed, the caller leaves during the second: both abandoned.
        try_of(SUPPORT, "req-left", 1, at(SECOND, "23:59:30"), Usage(3_300, 61, reasoning=0), error=SERVER),
        try_of(
            SUPPORT,
            "req-left",
            2,
            at(THIRD, "00:00:20"),
            estimated,
            error=CANCELLED,
            is_estimated=True,
            first_token_ms=300,
        ),
        # Three errors and no answer; one of them had begun to write.
        try_of(EXTRACT, "req-never", 1, at(THIRD, "06:30:00"), NOTHING, error=SERVER),
        try_of(EXTRACT, "req-never", 2, at(THIRD, "06:30:05"), Usage(4_096, 25), error=SERVER),
        try_of(EXTRACT, "req-never", 3, at(THIRD, "06:31:00"), None, error=TIMEOUT),
        # Left before a single token: nothing to bill.
        try_of(
            SEARCH, "req-left-early", 1, at(FIRST, "17:00:00"), Usage(950, 0, reasoning=0), error=CANCELLED
        ),
    ]


def gateway_oddities() -> list[Call]:
    """Single calls that the gateway logged, each odd in one way."""
    old = Usage(1_650, 240, is_split_stated=False)
    # The gateway calls every server that speaks OpenAI's language "openai"; once it knew better.
    acme = replace(SUMMARY, model="acme-reasoner-2", extra={"api_base": "https://api.acme.example/v1"})
    return [
        # Refused in the middle (billed) and before a token (not billed).
        replace(
            SUPPORT,
            name="msg-refused-mid",
            at_us=at(FIRST, "11:05:00"),
            usage=Usage(880, 47, reasoning=0),
            finish_reason="refusal",
        ),
        replace(
            SUPPORT,
            name="msg-refused-pre",
            at_us=at(THIRD, "11:06:00"),
            usage=Usage(880, 0, reasoning=0),
            finish_reason="refusal",
        ),
        replace(
            SEARCH,
            name="chatcmpl-filtered",
            at_us=at(SECOND, "15:00:00"),
            usage=NOTHING,
            status="failure",
            error=FILTERED,
        ),
        # An outcome that the gateway did not write down.
        replace(
            SEARCH,
            name="chatcmpl-outcome-unknown",
            at_us=at(SECOND, "16:20:00"),
            usage=Usage(1_024, 300, reasoning=192),
            status=None,
        ),
        # A success whose usage never arrived.
        replace(
            SUPPORT, name="msg-usage-missing", at_us=at(FIRST, "18:45:00"), usage=None, first_token_ms=410
        ),
        # Rows of before the split was kept.
        replace(SUMMARY, name="chatcmpl-old-1", at_us=at(FIRST, "03:00:00"), usage=old),
        replace(
            SUMMARY, name="chatcmpl-old-2", at_us=at(SECOND, "03:00:00"), usage=replace(old, prompt=2_222)
        ),
        replace(SUMMARY, name="chatcmpl-old-3", at_us=at(THIRD, "03:00:00"), usage=replace(old, output=19)),
        # Answers out of the gateway's own cache.
        replace(
            SEARCH,
            name="chatcmpl-again_cache_hit1792400000.5",
            at_us=at(FIRST, "12:34:56"),
            usage=Usage(1_800, 210, reasoning=64),
            is_gateway_cache_hit=True,
        ),
        replace(
            SEARCH,
            name="chatcmpl-again_cache_hit1792500000.7",
            at_us=at(SECOND, "12:34:56"),
            usage=Usage(1_800, 210, reasoning=64),
            is_gateway_cache_hit=True,
        ),
        # A model of no price book, on every day.
        replace(acme, name="acme-1", at_us=at(FIRST, "21:00:00"), usage=Usage(4_000, 900, reasoning=400)),
        replace(acme, name="acme-2", at_us=at(SECOND, "21:00:00"), usage=Usage(4_100, 950, reasoning=410)),
        replace(
            acme,
            name="acme-3",
            provider="acme",
            at_us=at(THIRD, "21:00:00"),
            usage=Usage(4_200, 990, cached=1_024, reasoning=420),
        ),
        *gateway_strays(),
    ]


def gateway_strays() -> list[Call]:
    """Calls that the mapping file has to place, or cannot."""
    untagged = replace(SUMMARY, feature=None, team=None, environment=None)
    return [
        replace(
            untagged,
            name="chatcmpl-untagged",
            at_us=at(SECOND, "05:05:05"),
            usage=Usage(6_000, 1_000, reasoning=0),
        ),
        # No tag, but a route that the mapping file knows.
        replace(
            untagged,
            name="chatcmpl-by-route",
            at_us=at(THIRD, "05:05:05"),
            usage=Usage(310, 44, reasoning=0),
            route="nightly-digest",
        ),
        # A feature tag in its old spelling.
        replace(
            SEARCH,
            name="chatcmpl-old-tag",
            at_us=at(FIRST, "05:05:05"),
            usage=Usage(700, 90, reasoning=0),
            feature="srch",
        ),
        # A write whose lifetime is only half stated: 512 of 2,048 remain.
        replace(
            SUPPORT,
            name="msg-half-split",
            at_us=at(SECOND, "07:07:07"),
            usage=Usage(2_500, 130, written=2_048, written_5m=1_024, written_1h=512, reasoning=0),
        ),
        # A stated zero is not an unknown: no token, no cost.
        replace(
            SUPPORT, name="msg-nothing", at_us=at(THIRD, "07:07:07"), usage=Usage(0, 0, is_split_stated=False)
        ),
    ]
