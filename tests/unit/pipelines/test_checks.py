"""Checks: which days they see, and what a broken one says."""

from collections.abc import Iterator
from datetime import date, timedelta

import pyarrow as pa
import pytest

from models.engines.duckdb import DuckDBEngine
from models.registry import Model
from pipelines.checks import NAMED_ROWS, CheckError, run_check, run_checks

MONDAY = date(2026, 10, 19)
SQL = """
select usage_date, amount from facts
where amount < 0 and usage_date >= $window_start and usage_date < $window_end
order by usage_date, amount
"""


def check(sql: str = SQL, window_column: str | None = "usage_date") -> Model:
    refresh = "window" if window_column else "full"
    return Model(
        "check_amounts", "checks", "No amount is negative.", "", (), refresh, window_column, sql, "", ()
    )


def days(*offsets: int) -> list[date]:
    return [MONDAY + timedelta(days=offset) for offset in offsets]


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(None)
    amounts = [(0, -1), (0, 5), (1, -2), (9, -3)] + [(20, -count) for count in range(1, 31)]
    engine.load(
        "facts",
        pa.table(
            {
                "usage_date": pa.array([days(offset)[0] for offset, _ in amounts], pa.date32()),
                "amount": pa.array([amount for _, amount in amounts], pa.int64()),
            }
        ),
    )
    yield engine
    engine.close()


def test_only_the_given_days_are_seen(engine: DuckDBEngine) -> None:
    assert run_check(engine, check(), days(2, 3)).is_passed
    result = run_check(engine, check(), days(0, 1, 9))
    assert result.offender_count == 3
    assert [row["amount"] for row in result.offenders] == [-1, -2, -3]


def test_no_day_is_no_offence(engine: DuckDBEngine) -> None:
    assert run_check(engine, check(), []).is_passed


def test_a_check_without_a_window_sees_everything(engine: DuckDBEngine) -> None:
    result = run_check(engine, check("select amount from facts where amount < -29", None), [])
    assert (result.offender_count, result.offenders) == (1, ({"amount": -30},))


def test_the_first_rows_are_named_and_all_are_counted(engine: DuckDBEngine) -> None:
    result = run_check(engine, check(), days(0, 20))
    assert result.offender_count == 31
    assert len(result.offenders) == NAMED_ROWS
    message = str(CheckError([result]))
    assert "'check_amounts' is broken by 31 rows · No amount is negative." in message
    assert "the first 20 rows:\n  usage_date=2026-10-19 amount=-1\n" in message
    assert "the last snapshot stays" in message


def test_the_error_names_failed_checks_only(engine: DuckDBEngine) -> None:
    results = run_checks(engine, [check(), check("select 1 as one where 1 = 0", None)], days(1))
    error = CheckError(results)
    assert [result.name for result in error.failed] == ["check_amounts"]
    assert str(error).count("is broken by") == 1
    assert "the rows:\n  usage_date=2026-10-20 amount=-2\n" in str(error)


def test_progress_counts_to_the_end(engine: DuckDBEngine) -> None:
    seen: list[tuple[int, int]] = []
    run_checks(engine, [check(), check()], days(1), lambda what, done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]
