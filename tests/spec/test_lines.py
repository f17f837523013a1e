"""The ledger's lines (ledger.md 3.3, 3.4, 4.4, 4.5): which there are, and how certain each is."""

import pytest

from models.engines.base import Engine
from tests.ledger_inputs import Book, Span, inputs
from tests.spec.chain import assert_shown, build, drawn_attempts, shown

BOOK: Book = {
    "gpt-5": [
        Span(
            {
                "input_uncached": 2,
                "cache_read": 1,
                "cache_write_5m": (3, 2),
                "cache_write_1h": 5,
                "output_text": 10,
                "output_reasoning": 10,
            }
        )
    ],
    "sonar": [Span({"input_uncached": 2, "output_text": 10, "request": 5_000})],
}


def assert_lines(engine: Engine, attempts: str, expected: str) -> None:
    build(engine, inputs(drawn_attempts(attempts), BOOK))
    assert_shown(shown(engine, "int_cost_lines"), expected)


@pytest.fixture
def engine() -> object:
    """On DuckDB alone: every line of the shared data set is compared on both engines elsewhere."""
    from tests.engines import opened

    with opened("duckdb") as fresh:
        yield fresh


def test_one_line_per_meter_with_its_certainty_and_its_reason(engine: Engine) -> None:
    assert_lines(
        engine,
        """
        name  | provider  | basis     | input | cached | write | write_1h | output | reasoning
        split | anthropic | stated    | 100   | 60     | 20    | 20       | 50     | 20
        whole | anthropic | stated    | 100   | null   | null  | null     | 50     | null
        life  | anthropic | stated    | 100   | 60     | 20    | 5        | 50     | 0
        guess | anthropic | estimated | 100   | null   | null  | null     | 50     | 0
        """,
        """
        attempt | meter            | quantity | certainty | reason                          | list | effective
        split   | input_uncached   | 20       | stated    | ''                              | 40   | 40
        split   | cache_read       | 60       | stated    | ''                              | 60   | 60
        split   | cache_write_1h   | 20       | stated    | ''                              | 100  | 100
        split   | output_text      | 30       | stated    | ''                              | 300  | 300
        split   | output_reasoning | 20       | stated    | ''                              | 200  | 200
        whole   | input_uncached   | 100      | assumed   | input_split_not_stated          | 200  | 200
        whole   | output_text      | 50       | assumed   | output_split_not_stated         | 500  | 500
        life    | input_uncached   | 20       | stated    | ''                              | 40   | 40
        life    | cache_read       | 60       | stated    | ''                              | 60   | 60
        life    | cache_write_5m   | 15       | assumed   | cache_write_lifetime_not_stated | 45   | 30
        life    | cache_write_1h   | 5        | stated    | ''                              | 25   | 25
        life    | output_text      | 50       | stated    | ''                              | 500  | 500
        guess   | input_uncached   | 100      | estimated | estimated_usage                 | 200  | 200
        guess   | output_text      | 50       | estimated | estimated_usage                 | 500  | 500
        """,
    )


def test_an_attempt_without_a_line_keeps_its_place(engine: Engine) -> None:
    assert_lines(
        engine,
        """
        name     | model  | basis   | outcome | input | cached | output | reasoning
        zero     | gpt-5  | stated  | success | 0     | 0      | 0      | 0
        missing  | gpt-5  | missing | success | null  | null   | null   | null
        negative | gpt-5  | stated  | success | 5     | 9      | 1      | 0
        failed   | gpt-5  | missing | error   | null  | null   | null   | null
        new_zero | gpt-99 | stated  | success | 0     | 0      | 0      | 0
        new_miss | gpt-99 | missing | success | null  | null   | null   | null
        """,
        # 0 where every count is stated as 0 or nothing is charged, unknown where the counts are.
        """
        attempt  | meter   | quantity | certainty | reason             | billable | list
        zero     | request | 1        | stated    | ''                 | true     | 0
        missing  | request | 1        | unknown   | usage_missing      | true     | null
        negative | request | 1        | unknown   | negative_remainder | true     | null
        failed   | request | 1        | stated    | not_billable       | false    | 0
        new_zero | request | 1        | stated    | ''                 | true     | 0
        new_miss | request | 1        | unknown   | usage_missing      | true     | null
        """,
    )


def test_an_unpriced_line_keeps_its_quantity_and_says_why(engine: Engine) -> None:
    assert_lines(
        engine,
        """
        name | model  | hit   | input | cached | output | reasoning | tool_calls
        new  | gpt-99 | false | 100   | 0      | 50     | 0         | null
        tool | gpt-5  | false | 100   | 0      | 50     | 0         | 3
        hit  | gpt-5  | true  | 100   | null   | 50     | 0         | 3
        """,
        """
        attempt | meter          | quantity | certainty | reason            | billable | list
        new     | input_uncached | 100      | unknown   | unknown_model     | true     | null
        new     | output_text    | 50       | unknown   | unknown_model     | true     | null
        tool    | input_uncached | 100      | stated    | ''                | true     | 200
        tool    | output_text    | 50       | stated    | ''                | true     | 500
        tool    | tool_call      | 3        | unknown   | meter_not_priced  | true     | null
        hit     | input_uncached | 100      | stated    | gateway_cache_hit | false    | 0
        hit     | output_text    | 50       | stated    | gateway_cache_hit | false    | 0
        hit     | tool_call      | 3        | stated    | gateway_cache_hit | false    | 0
        """,
    )


def test_a_fee_per_call_is_a_line_beside_the_others(engine: Engine) -> None:
    assert_lines(
        engine,
        """
        name  | model | input | cached | output | reasoning | basis
        used  | sonar | 100   | 0      | 50     | 0         | stated
        empty | sonar | 0     | 0      | 0      | 0         | stated
        blind | sonar | null  | null   | null   | null      | missing
        """,
        """
        attempt | meter          | quantity | certainty | reason        | list
        used    | input_uncached | 100      | stated    | ''            | 200
        used    | output_text    | 50       | stated    | ''            | 500
        used    | request        | 1        | stated    | ''            | 5000
        empty   | request        | 1        | stated    | ''            | 5000
        blind   | request        | 1        | unknown   | usage_missing | null
        """,
    )


def test_a_line_carries_its_owner_its_request_and_its_purpose(engine: Engine) -> None:
    assert_lines(
        engine,
        """
        name  | at               | request | outcome | feature | team | input | cached | output | reasoning
        first | 2026-10-18 23:50 | r       | error   | search  | web  | 10    | 0      | 1      | 0
        last  | 2026-10-19 00:10 | r       | success | null    | null | 10    | 0      | 0      | 0
        """,
        """
        attempt | usage_date | request_date | request | meter          | purpose | feature      | team
        first   | 2026-10-18 | 2026-10-18   | first   | input_uncached | retry   | search       | web
        first   | 2026-10-18 | 2026-10-18   | first   | output_text    | retry   | search       | web
        last    | 2026-10-19 | 2026-10-18   | first   | input_uncached | answer  | (unassigned) | (unassigned)
        """,
    )
