"""One small data set for tests that need a row of everything: two days, and a day on either side.

What lives here: the data. It gives at least one row in every model, and every purpose, certainty and outcome,
a request over midnight, a price that changes at midnight, and duplicates within and across days. What does
not: expectations.
"""

import pyarrow as pa

from tests.ledger_inputs import Book, Row, Span, at, attempt, inputs

# Pico-USD per token; the context band of gpt-5 begins at a whole input of 200,000.
BOOK: Book = {
    "gpt-5": [
        Span(
            {
                "input_uncached": 1_250_000,
                "cache_read": 125_000,
                "cache_write_30m": 1_500_000,
                "output_text": 10_000_000,
                "output_reasoning": 10_000_000,
                "input_audio": 40_000_000,
                "output_audio": 80_000_000,
                "tool_call": 10_000_000_000,
            }
        ),
        Span(
            {"input_uncached": 2_500_000, "cache_read": 250_000, "output_text": 15_000_000},
            from_tokens=200_000,
        ),
    ],
    "claude-sonnet-4-5": [
        Span(
            {
                "input_uncached": (3_000_000, 2_700_000),
                "cache_read": (300_000, 270_000),
                "cache_write_5m": (3_750_000, 3_375_000),
                "cache_write_1h": (6_000_000, 5_400_000),
                "output_text": (15_000_000, 13_500_000),
                "output_reasoning": (15_000_000, 13_500_000),
            }
        )
    ],
    "mistral-large-4": [
        Span({"input_uncached": 680_000, "output_text": 2_000_000}),
        Span({"input_uncached": 1_360_000, "output_text": 4_000_000}, from_us=at("2026-10-20 00:00")),
    ],
    "sonar": [Span({"input_uncached": 1_000_000, "output_text": 1_000_000, "request": 5_000_000_000})],
}
PLAIN: Row = {"reported_cached": 0, "reported_output": 50, "reported_reasoning": 0}
CLAUDE: Row = {
    "provider": "anthropic",
    "served_model": "claude-sonnet-4-5",
    "usage_profile": "all_outside",
    "feature_tag": "assistant",
    "team_tag": "apps",
}


def input_tables() -> dict[str, pa.Table]:
    """Return every input table of the data set."""
    return inputs([*_day_before(), *_first_day(), *_second_day(), *_day_after()], BOOK)


def _day_before() -> list[Row]:
    return [
        attempt("early", at("2026-10-18 22:00"), reported_input=10, **PLAIN),
        # Failed before midnight, answered after it.
        attempt("night-1", at("2026-10-18 23:50"), outcome="error", error_class="timeout", request="night"),
    ]


def _first_day() -> list[Row]:
    return [
        attempt("night-2", at("2026-10-19 00:10"), reported_input=1_000, request="night", **PLAIN),
        attempt("cached", at("2026-10-19 08:00"), reported_input=3_000, reported_cached=2_048)
        | {"reported_output": 300, "reported_reasoning": 192, "feature_tag": "search", "team_tag": "web"},
        attempt("no-split", at("2026-10-19 08:01"), reported_input=50, reported_output=20),
        attempt("written", at("2026-10-19 08:02"), reported_input=3, reported_cached=9_000, **CLAUDE)
        | {"reported_cache_write": 3_304, "reported_cache_write_1h": 1_000}
        | {"reported_output": 550, "reported_reasoning": 0},
        attempt("long", at("2026-10-19 08:03"), reported_input=250_000, **PLAIN),
        attempt("estimated", at("2026-10-19 08:04"), usage_basis="estimated", outcome="cancelled")
        | {"reported_input": 27, "reported_cached": 0, "reported_output": 199, "reported_reasoning": 0},
        attempt("missing", at("2026-10-19 08:05"), usage_basis="missing", outcome="unknown"),
        attempt("refused", at("2026-10-19 08:06"), outcome="refused", reported_input=400, **PLAIN),
        attempt("stranger", at("2026-10-19 08:07"), served_model="frontier-9", reported_input=70, **PLAIN),
        attempt("negative", at("2026-10-19 08:08"), reported_input=5, reported_cached=9, reported_output=1),
        attempt("cheap", at("2026-10-19 23:59:59"), served_model="mistral-large-4", reported_input=1_000)
        | {"provider": "mistral_ai", "reported_cached": 0, "reported_output": 100, "reported_reasoning": 0},
        # The placeholder of a stream, and the record that took its place, in another file.
        attempt("twice", at("2026-10-19 09:00"), reported_input=0, reported_output=1, is_placeholder=True),
        attempt("twice", at("2026-10-19 09:00"), reported_input=80, file_sha256="file-b", **PLAIN),
        # A version on the next day replaces this one.
        attempt("moved", at("2026-10-19 23:58"), reported_input=80, record_sequence=1, **PLAIN),
    ]


def _second_day() -> list[Row]:
    return [
        attempt("moved", at("2026-10-20 00:02"), reported_input=90, record_sequence=2)
        | {"file_sha256": "file-b", "reported_cached": 0, "reported_output": 60, "reported_reasoning": 0},
        attempt("dear", at("2026-10-20 00:00"), served_model="mistral-large-4", reported_input=1_000)
        | {"provider": "mistral_ai", "reported_cached": 0, "reported_output": 100, "reported_reasoning": 0},
        # 55021 + 923 + 785 = 56729: the reasoning lies outside the output, whatever the profile says.
        attempt("thought", at("2026-10-20 07:00"), reported_input=55_021, reported_cached=0)
        | {"reported_output": 923, "reported_reasoning": 785, "reported_total": 56_729},
        attempt("spoken", at("2026-10-20 08:00"), reported_input=49, reported_input_audio=34)
        | {"reported_cached": 0, "reported_output": 47, "reported_reasoning": 0, "reported_output_audio": 34}
        | {"reported_tool_calls": 5},
        attempt("hit", at("2026-10-20 08:01"), is_gateway_cache_hit=True, reported_input=700, **PLAIN),
        attempt("nothing", at("2026-10-20 08:02"), reported_input=0, reported_output=0),
        attempt("fee", at("2026-10-20 08:03"), served_model="sonar", reported_input=100, **PLAIN),
        attempt("no-price", at("2026-10-20 08:04"), served_model="sonar", reported_input=100, **PLAIN)
        | {"reported_tool_calls": 1},
        # Left by the caller, after one failure.
        attempt("left-1", at("2026-10-20 09:00"), outcome="error", error_class="server", request="left")
        | {"reported_input": 500, "reported_cached": 0, "reported_output": 20, "reported_reasoning": 0},
        attempt(
            "left-2", at("2026-10-20 09:01"), outcome="cancelled", request="left", reported_input=500, **PLAIN
        ),
        # Never answered.
        attempt("lost-1", at("2026-10-20 10:00"), outcome="error", error_class="server", request="lost")
        | {"ended_at_us": at("2026-10-20 10:00:30")},
        attempt(
            "late-1", at("2026-10-20 23:30"), outcome="cancelled", request="late", reported_input=900, **PLAIN
        ),
    ]


def _day_after() -> list[Row]:
    return [
        attempt("late-2", at("2026-10-21 00:15"), request="late", reported_input=900, **PLAIN),
        attempt("last", at("2026-10-21 12:00"), reported_input=10, **PLAIN),
    ]
