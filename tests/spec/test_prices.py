"""The price join (ledger.md 4): one row of prices per attempt, by card, instant and whole input."""

from models.engines.base import Engine
from tests.ledger_inputs import Book, Span, at, inputs
from tests.spec.chain import assert_shown, build, drawn_attempts, shown

MODELS = (
    *("stg_duplicates", "stg_attempts", "stg_usage_profiles", "stg_providers", "stg_rate_cards"),
    *("stg_token_prices", "stg_price_items", "int_readings", "int_meters", "int_metered_costs"),
    "dim_price_items",
)


def assert_costs(engine: Engine, attempts: str, book: Book, expected: str) -> None:
    build(engine, inputs(drawn_attempts(attempts), book), MODELS)
    assert_shown(shown(engine, "int_metered_costs"), expected)


def test_each_meter_costs_its_quantity_times_its_price(engine: Engine) -> None:
    prices = {
        "input_uncached": (1_250_000, 1_000_000),
        "cache_read": (125_000, 100_000),
        "output_text": (10_000_000, 8_000_000),
    }
    assert_costs(
        engine,
        """
        name | input | cached | output | reasoning
        one  | 3000  | 2048   | 300    | 192
        """,
        {"gpt-5": [Span(prices)]},
        # 952 x 1,250,000 and 952 x 1,000,000; 2048 x 125,000; 108 x 10,000,000; reasoning has no price here.
        """
        attempt | uncached_list | input_uncached_contracted | cache_read_list | text_list  | reasoning_list
        one     | 1190000000    | 952000000                 | 256000000       | 1080000000 | null
        """,
    )


def test_a_price_holds_from_its_first_instant_to_before_its_last(engine: Engine) -> None:
    book = {
        "gpt-5": [
            Span({"input_uncached": 1}),
            Span({"input_uncached": 2}, from_us=at("2026-10-19 12:00")),
            Span({"input_uncached": 3}, from_us=at("2026-10-20 00:00")),
        ]
    }
    assert_costs(
        engine,
        """
        name     | at                         | input
        before   | 2026-10-19 11:59:59.999999 | 10
        from     | 2026-10-19 12:00:00        | 10
        until    | 2026-10-19 23:59:59.999999 | 10
        midnight | 2026-10-20 00:00:00        | 10
        """,
        book,
        """
        attempt  | uncached_list
        before   | 10
        from     | 20
        until    | 20
        midnight | 30
        """,
    )


def test_the_whole_input_chooses_the_band_for_all_tokens(engine: Engine) -> None:
    book = {
        "gpt-5": [
            Span({"input_uncached": 1, "cache_read": 1, "output_text": 1}),
            Span({"input_uncached": 10, "cache_read": 10, "output_text": 10}, from_tokens=200_001),
        ]
    }
    assert_costs(
        engine,
        """
        name     | profile     | input  | cached | output | basis
        at       | all_inside  | 200000 | 199000 | 5      | stated
        above    | all_inside  | 200001 | 199000 | 5      | stated
        together | all_outside | 1001   | 199000 | 5      | stated
        missing  | all_inside  | null   | null   | null   | missing
        """,
        book,
        # together: 1001 + 199000 = 200001 tokens of input, only some of them uncached. Without
        # counts the whole input is 0.
        """
        attempt  | uncached_list | cache_read_list | text_list | usage_unknown
        at       | 1000          | 199000          | 5         | false
        above    | 10010         | 1990000         | 50        | false
        together | 10010         | 1990000         | 50        | false
        missing  | null          | null            | null      | true
        """,
    )


def test_what_is_not_billable_costs_0_and_what_has_no_price_is_unknown(engine: Engine) -> None:
    attempts = """
        name   | model  | outcome | input | cached | output | hit
        failed | gpt-5  | error   | 10    | 0      | 0      | false
        began  | gpt-5  | error   | 10    | 0      | 5      | false
        hit    | gpt-5  | success | 10    | 0      | 5      | true
        new    | gpt-99 | success | 10    | 0      | 5      | false
        unsaid | null   | success | 10    | 0      | 5      | false
        """
    assert_costs(
        engine,
        attempts,
        {"gpt-5": [Span({"input_uncached": 3, "output_text": 4})]},
        """
        attempt | model     | billable | reason            | uncached_list | text_list
        failed  | gpt-5     | false    | not_billable      | 0             | 0
        began   | gpt-5     | true     | ''                | 30            | 20
        hit     | gpt-5     | false    | gateway_cache_hit | 0             | 0
        new     | gpt-99    | true     | unknown_model     | null          | null
        unsaid  | (unknown) | true     | unknown_model     | null          | null
        """,
    )
    assert_shown(
        shown(engine, "stg_rate_cards"),
        """
        served | outcome | hit   | attempts | input | output
        gpt-5  | error   | false | 1        | 10    | 0
        gpt-5  | error   | false | 1        | 10    | 5
        gpt-5  | success | true  | 1        | 10    | 5
        gpt-99 | success | false | 1        | 10    | 5
        null   | success | false | 1        | 10    | 5
        """,
    )


def test_a_price_says_where_it_came_from_once_over_all_days(engine: Engine) -> None:
    book = {"gpt-5": [Span({"input_uncached": 3, "output_text": 4})]}
    attempts = drawn_attempts(
        """
        name | at         | input
        one  | 2026-10-19 | 10
        two  | 2026-10-20 | 10
        """
    )
    build(engine, inputs(attempts, book), MODELS)

    assert_shown(
        shown(engine, "dim_price_items"),
        """
        meter          | entry_file | entry_line | checked_date
        input_uncached | test.yml   | 1          | 2026-10-20
        output_text    | test.yml   | 1          | 2026-10-20
        """,
    )


def test_an_attempt_whose_card_was_never_compiled_keeps_its_place(engine: Engine) -> None:
    tables = inputs(drawn_attempts("name | input\none | 10"), {})
    build(engine, tables | {"raw_token_prices": tables["raw_token_prices"].slice(0, 0)}, MODELS)

    assert_shown(
        shown(engine, "int_metered_costs"),
        """
        attempt | provider  | model     | price | billable | reason       | uncached_list
        one     | (unknown) | (unknown) | null  | true     | no_price_row | null
        """,
    )
