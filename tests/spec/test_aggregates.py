"""What is published: daily costs, requests and their daily sums, with money in USD."""

from collections.abc import Generator

import pyarrow as pa
import pytest

from models.engines.base import Engine
from tests.engines import opened
from tests.ledger_inputs import Book, Span, inputs
from tests.spec.chain import assert_shown, build, drawn_attempts, shown

BOOK: Book = {
    "big": [Span({"input_uncached": (1_250_000, 1_000_000), "output_text": (10_000_000, 8_000_000)})],
    "mini": [Span({"input_uncached": 250_000, "output_text": 2_000_000})],
}
# One request answered at the second try, after midnight and by another model; one never answered; one of a
# single attempt.
ATTEMPTS = """
    name | at               | request | outcome   | model | feature | input | output | ended
    a1   | 2026-10-18 23:50 | a       | cancelled | big   | find    | 100   | 7      | null
    a2   | 2026-10-19 00:10 | a       | success   | mini  | find    | 100   | 50     | 9
    b1   | 2026-10-19 08:00 | b       | error     | big   | chat    | 10    | 5      | 5
    b2   | 2026-10-19 08:01 | b       | error     | new   | chat    | 10    | 5      | 7
    c1   | 2026-10-19 09:00 | null    | success   | mini  | find    | 300   | 0      | null
    """


@pytest.fixture(scope="module")
def built() -> Generator[Engine]:
    with opened("duckdb") as engine:
        build(engine, inputs(drawn_attempts(ATTEMPTS, reported_cached=0, reported_reasoning=0), BOOK))
        yield engine


def with_short_meters(got: pa.Table) -> pa.Table:
    meters = [name.partition("_")[0] for name in got["meter"].to_pylist()]
    return got.set_column(got.column_names.index("meter"), "meter", pa.array(meters, pa.string()))


def test_daily_costs_add_up_lines_and_count_the_unknown(built: Engine) -> None:
    # 2026-10-19, mini, input, answers: 100 + 300 tokens x 0.25 USD per million = 0.0001.
    assert_shown(
        with_short_meters(shown(built, "agg_daily_costs")),
        """
        usage_date | feature | model | meter  | purpose | lines | unpriced | quantity | list      | effective
        2026-10-18 | find    | big   | input  | retry   | 1     | 0        | 100      | 0.000125  | 0.0001
        2026-10-18 | find    | big   | output | retry   | 1     | 0        | 7        | 0.00007   | 0.000056
        2026-10-19 | find    | mini  | input  | answer  | 2     | 0        | 400      | 0.0001    | 0.0001
        2026-10-19 | find    | mini  | output | answer  | 1     | 0        | 50       | 0.0001    | 0.0001
        2026-10-19 | chat    | big   | input  | failure | 1     | 0        | 10       | 0.0000125 | 0.00001
        2026-10-19 | chat    | big   | output | failure | 1     | 0        | 5        | 0.00005   | 0.00004
        2026-10-19 | chat    | new   | input  | failure | 1     | 1        | 10       | null      | null
        2026-10-19 | chat    | new   | output | failure | 1     | 1        | 5        | null      | null
        """,
    )


def test_a_request_carries_the_money_of_all_its_attempts_and_the_name_of_its_answer(built: Engine) -> None:
    # a: 0.000195 on the first day + 0.000025 + 0.0001 after midnight; b: what is known of it.
    assert_shown(
        shown(built, "fct_requests"),
        """
        request_date | request | feature | model | attempts | answered | answer | unpriced | list      | ended
        2026-10-18   | a1      | find    | mini  | 2        | true     | a2     | 0        | 0.00032   | 9
        2026-10-19   | b1      | chat    | new   | 2        | false    | null   | 1        | 0.0000625 | 7
        2026-10-19   | c1      | find    | mini  | 1        | true     | c1     | 0        | 0.000075  | null
        """,
    )


def test_daily_requests_count_each_request_once_on_its_first_day(built: Engine) -> None:
    assert_shown(
        shown(built, "agg_daily_requests"),
        """
        request_date | feature | model | requests | answered | attempts | retries | unpriced | effective
        2026-10-18   | find    | mini  | 1        | 1        | 2        | 1       | 0        | 0.000281
        2026-10-19   | chat    | new   | 1        | 0        | 2        | 0       | 1        | 0.00005
        2026-10-19   | find    | mini  | 1        | 1        | 1        | 0       | 0        | 0.000075
        """,
    )


def test_published_lines_are_the_ledgers_lines_in_usd(built: Engine) -> None:
    got = with_short_meters(shown(built, "fct_cost_lines"))
    assert got.num_rows == 9
    assert_shown(
        got.filter([name == "a1" for name in got["attempt"].to_pylist()]),
        """
        attempt | meter  | quantity | list     | contracted | effective
        a1      | input  | 100      | 0.000125 | 0.0001     | 0.0001
        a1      | output | 7        | 0.00007  | 0.000056   | 0.000056
        """,
    )
