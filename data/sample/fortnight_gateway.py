"""What the fortnight's gateway logs on one day: six features, tiers, streams, failures, retries, fallbacks.

What lives here: habits of the features, how a failed call is tried again, the incident of the 22nd.
What does not: self-hosted models (fortnight_pools.py), the spelling of a row (litellm_native.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from background import Dice, provider_of, reasoning_of
from calls import Call, Usage, at, hex_id
from fortnight_shapes import (
    CHAT_INPUT,
    CHAT_OUTPUT,
    FAILED_PER_TEN_THOUSAND,
    SHORT_INPUT,
    SHORT_OUTPUT,
    client,
    drawn,
    instants,
)

INCIDENT_DAY, INCIDENT_FROM, INCIDENT_UNTIL = "2026-10-22", "13:00:00", "14:30:00"
OVERLOADED = ("529", "ServiceUnavailableError")
ERRORS = (
    ("429", "RateLimitError"),
    ("429", "RateLimitError"),
    ("500", "InternalServerError"),
    ("408", "Timeout"),
)
BLOCK_TOKENS = 256
NOTHING = Usage(0, 0, is_split_stated=False)
TRIAL_DAYS = ("2026-10-26", "2026-10-27")


@dataclass(frozen=True)
class Feature:
    """One feature's habits: calls of a weekday, models by tier, sizes, what its prompts share.

    `prefix` tokens open every prompt; `is_cached` says whether the application lets the provider cache them.
    """

    name: str
    team: str
    calls: int
    models: dict[str, str]
    sizes: tuple[tuple[int, ...], tuple[int, ...]]
    prefix: int = 0
    is_cached: bool = False
    is_stream: bool = False
    is_request_stated: bool = False
    has_prompt_hash: bool = False
    has_blocks: bool = False


def everywhere(model: str) -> dict[str, str]:
    """The same model for every tier."""
    return dict.fromkeys(("free", "pro", "enterprise"), model)


SHORT, CHAT = (SHORT_INPUT, SHORT_OUTPUT), (CHAT_INPUT, CHAT_OUTPUT)
BY_TIER = {"free": "gpt-4o-mini", "pro": "gpt-5-mini", "enterprise": "claude-haiku-4-5"}
FEATURES = (
    Feature("search", "discovery", 340, everywhere("gpt-5-mini"), SHORT, 1_152, True, is_request_stated=True),
    Feature("support-chat", "service", 420, BY_TIER, CHAT, 384, is_stream=True, has_prompt_hash=True),
    Feature("summaries", "discovery", 160, everywhere("gpt-4o-mini"), CHAT, is_request_stated=True),
    Feature(
        "extraction", "discovery", 200, everywhere("mistral-large-4"), CHAT, 640, True, is_request_stated=True
    ),
    # Seven blocks open every prompt and are paid in full each time: the prefix worth caching.
    Feature(
        "help-center",
        "service",
        280,
        everywhere("claude-sonnet-4-5"),
        SHORT,
        1_792,
        is_stream=True,
        has_blocks=True,
    ),
    # The decoy: as shared, but shorter than the 4,096 tokens that Haiku 4.5 caches at least.
    Feature(
        "triage",
        "service",
        220,
        everywhere("claude-haiku-4-5"),
        SHORT,
        1_536,
        has_blocks=True,
        has_prompt_hash=True,
    ),
)


def gateway_day(dice: Dice, day: str, is_weekend: bool) -> Iterator[Call]:
    """Every call that the gateway logs on a day, in no order."""
    for feature in FEATURES:
        for number, at_us in enumerate(instants(dice, at(day, "00:00:00"), feature.calls, is_weekend)):
            first = ordinary(dice, feature, f"{feature.name}-{day}-{number:04}", at_us)
            yield from attempts(dice, feature, first, day)
    if day in TRIAL_DAYS:
        yield from trial(dice, day)


def ordinary(dice: Dice, feature: Feature, name: str, at_us: int) -> Call:
    """One call as it goes when nothing goes wrong."""
    customer, tier = client(dice)
    model = feature.models[tier]
    prompt = feature.prefix + drawn(dice, feature.sizes[0])
    output = drawn(dice, feature.sizes[1])
    # A tenth of the calls come too long after the last one: the provider has forgotten the prefix.
    cached = feature.prefix if feature.is_cached and dice.chance(900) else 0
    usage = Usage(prompt, output, cached=cached, reasoning=reasoning_of(dice, model, output))
    logged: dict[str, object] = {}
    if feature.has_prompt_hash:
        logged["prompt_hash"] = hex_id(f"prompt {name}", 16)
    if feature.has_blocks:
        logged["prompt_blocks"] = blocks(feature, name, prompt)
    return Call(
        name=name,
        at_us=at_us,
        model=model,
        provider=provider_of(model),
        usage=usage,
        duration_ms=650 + output * dice.between(7, 16),
        first_token_ms=dice.between(180, 640) if feature.is_stream else None,
        feature=feature.name,
        team=feature.team,
        environment="staging" if dice.chance(60) else "prod",
        customer=customer,
        tags=(f"tier:{tier}",),
        logged=logged,
    )


def blocks(feature: Feature, name: str, prompt: int) -> dict[str, object]:
    """Chained hashes of a prompt's full blocks, as the application logs them: equal hash, equal start."""
    shared = feature.prefix // BLOCK_TOKENS
    names = [
        f"{feature.name} block {n}" if n < shared else f"{name} block {n}"
        for n in range(prompt // BLOCK_TOKENS)
    ]
    return {"block_tokens": BLOCK_TOKENS, "hashes": [hex_id(block, 12) for block in names]}


def is_incident(call: Call, day: str) -> bool:
    """Whether Anthropic was overloaded at that instant."""
    is_hour = day == INCIDENT_DAY and at(day, INCIDENT_FROM) <= call.at_us < at(day, INCIDENT_UNTIL)
    return is_hour and call.provider == "anthropic"


def attempts(dice: Dice, feature: Feature, call: Call, day: str) -> Iterator[Call]:
    """The call, with what failed before it."""
    if feature.name == "help-center" and is_incident(call, day) and dice.chance(700):
        yield from fallback(call)
    elif dice.between(1, 10_000) <= FAILED_PER_TEN_THOUSAND:
        yield from retried(dice, feature, call)
    elif feature.is_stream and dice.chance(12):
        yield left(dice, call)
    elif feature.is_stream and dice.chance(3):
        yield replace(call, usage=None)
    else:
        yield call


def fallback(call: Call) -> Iterator[Call]:
    """The gateway's own fallback: Claude is overloaded, gpt-5 answers; both rows state the request."""
    assert call.usage is not None
    failed = replace(
        call,
        name=f"{call.name}-a",
        request=call.name,
        attempt=1,
        usage=NOTHING,
        status="failure",
        error=OVERLOADED,
    )
    yield replace(failed, duration_ms=900, first_token_ms=None)
    yield replace(
        call,
        name=f"{call.name}-b",
        request=call.name,
        attempt=2,
        at_us=call.at_us + 1_000_000,
        model="gpt-5",
        provider="openai",
        usage=replace(call.usage, reasoning=call.usage.output // 4),
        route="claude-sonnet-4-5",
        metadata={"attempted_fallbacks": 1},
    )


def retried(dice: Dice, feature: Feature, call: Call) -> Iterator[Call]:
    """A failure and, mostly, another try: stated by a request id, or only told by caller and prompt hash."""
    assert call.usage is not None
    error = dice.pick_error(ERRORS)
    # Some servers break off after they began to write; the part written is charged.
    wrote = error[0] == "500" and dice.chance(400)
    usage = replace(call.usage, output=max(1, call.usage.output // 5), reasoning=None) if wrote else NOTHING
    tried = replace(call, usage=usage, status="failure", error=error, first_token_ms=None)
    is_again = dice.chance(880)
    pause_us = dice.between(1, 25) * 1_000_000 + tried.duration_ms * 1_000
    if not feature.is_request_stated:
        yield replace(tried, name=f"{call.name}-a")
        if is_again:
            yield replace(call, at_us=call.at_us + pause_us)
        return
    yield replace(tried, name=f"{call.name}-a", request=call.name, attempt=1)
    if is_again:
        yield replace(call, name=f"{call.name}-b", request=call.name, attempt=2, at_us=call.at_us + pause_us)


def left(dice: Dice, call: Call) -> Call:
    """The reader closed the window: the client counted what had come."""
    assert call.usage is not None
    usage = replace(call.usage, output=max(1, call.usage.output * dice.between(1, 8) // 10), reasoning=None)
    return replace(call, usage=usage, status="failure", error=("499", "CancelledError"), is_estimated=True)


def trial(dice: Dice, day: str) -> Iterator[Call]:
    """Two days of a model that no price book knows."""
    for number, at_us in enumerate(instants(dice, at(day, "00:00:00"), 24, False)):
        call = ordinary(dice, FEATURES[0], f"trial-{day}-{number:02}", at_us)
        yield replace(call, model="acme-reasoner-2", provider="acme")
