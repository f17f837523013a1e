"""Generated attempts, prices and owners: small, crowded, and near every limit.

What lives here: Hypothesis strategies for the input tables. What does not: what must hold of them.
"""

from datetime import date, timedelta

import pyarrow as pa
from hypothesis import strategies as st

from models.registry import METERS
from tests.ledger_inputs import DAY_US, PROFILES, PROVIDERS, Book, Row, Span, at, attempt, inputs

FIRST = date(2026, 10, 18)
DAYS = [FIRST + timedelta(days=day) for day in range(4)]
END = DAYS[-1] + timedelta(days=1)
FIRST_US = at("2026-10-18 00:00")
MINUTE_US = 60_000_000
MODELS = ("gpt-5", "sonar", "frontier-9", None)
COUNTS = st.sampled_from([None, 0, 0, 1, 2, 3, 5, 8, 100])
COUNTED = (
    *("cached", "cache_write", "cache_write_5m", "cache_write_30m", "cache_write_1h", "cache_write_12h"),
    *("reasoning", "input_audio", "input_image", "output_audio", "output_image", "tool_calls"),
)


@st.composite
def instants(draw: st.DrawFn) -> int:
    """Microseconds UTC within the days, often at a limit: midnight, 60 minutes and 20 hours apart."""
    day = draw(st.integers(0, len(DAYS) - 1))
    minute = draw(st.sampled_from([0, 1, 30, 60, 61, 4 * 60, 8 * 60, 20 * 60, 23 * 60, 23 * 60 + 59]))
    beyond = draw(st.sampled_from([0, 0, 1]))
    return FIRST_US + day * DAY_US + minute * MINUTE_US + beyond


@st.composite
def rows(draw: st.DrawFn, place: int) -> Row:
    """One landed record; names and requests repeat, so records become versions and attempts of each other."""
    counts: Row = {
        f"reported_{name}": draw(COUNTS) for name in draw(st.sets(st.sampled_from(COUNTED), max_size=4))
    }
    whole = st.sampled_from([None, 0, 5, 100, 200])
    counts |= {"reported_input": draw(whole), "reported_output": draw(whole)}
    if draw(st.booleans()):
        counts["reported_total"] = draw(st.sampled_from([5, 100, 103, 105, 108, 110, 200, 205, 300]))
    return attempt(
        draw(st.sampled_from("abcdefghijkl")),
        draw(instants()),
        request=draw(st.sampled_from([None, "r", "s", "t"])),
        record_position=str(place),
        file_sha256=draw(st.sampled_from(["file-a", "file-b"])),
        record_sequence=draw(st.sampled_from([None, 1, 2])),
        is_placeholder=draw(st.booleans()),
        ended_at_us=draw(st.sampled_from([None, 7, 9])),
        provider=draw(st.sampled_from([None, *PROVIDERS])),
        served_model=draw(st.sampled_from(MODELS)),
        outcome=draw(st.sampled_from(["success", "success", "error", "cancelled", "refused", "unknown"])),
        is_gateway_cache_hit=draw(st.sampled_from([False, False, True])),
        usage_profile=draw(st.sampled_from(sorted(PROFILES))),
        usage_basis=draw(st.sampled_from(["stated", "stated", "stated", "estimated", "missing"])),
        feature_tag=draw(st.sampled_from([None, "search", "chat"])),
        **counts,
    )


@st.composite
def books(draw: st.DrawFn) -> Book:
    """Prices of two models, each with a change at some instant and a context band from 100 tokens."""
    price = st.sampled_from([None, (0, 0), (3, 2), (1_250_000, 1_000_000), (None, 7), (9, None)])

    def prices() -> dict[str, int | tuple[int | None, int | None]]:
        drawn = {meter: draw(price) for meter in METERS}
        return {meter: pair for meter, pair in drawn.items() if pair is not None}

    change = draw(instants())
    return {
        model: [Span(prices()), Span(prices(), from_tokens=100), Span(prices(), from_us=change)]
        for model in ("gpt-5", "sonar")
    }


@st.composite
def ledgers(draw: st.DrawFn) -> dict[str, pa.Table]:
    """Every input table, for up to 14 landed records."""
    count = draw(st.integers(1, 14))
    return inputs([draw(rows(place)) for place in range(count)], draw(books()))
