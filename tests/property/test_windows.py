"""What a day holds never depends on which days are built together, in which order, or how often."""

from collections.abc import Iterable
from datetime import date, timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from models.engines.base import Engine
from models.registry import models
from tests.engines import build_models, load_inputs, opened
from tests.ledger_inputs import at, attempt, inputs, table
from tests.property.ledgers import DAYS, END, FIRST, ledgers
from tests.spec.chain import rows_of
from tests.tables import assert_rows, assert_same

REACH = timedelta(days=2)
Windows = list[tuple[date, date]]


def build_in_windows(engine: Engine, windows: Windows) -> None:
    """Each model for all windows before the next model, as a night does it."""
    for name in models():
        for start, end in windows:
            build_models(engine, start, end, [name])


def assert_all_same(got: Engine, expected: Engine, names: Iterable[str]) -> None:
    for name in names:
        try:
            assert_same(rows_of(got, name), rows_of(expected, name))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@given(tables=ledgers(), days=st.permutations(DAYS))
def test_one_wide_window_is_many_narrow_ones_in_any_order(
    tables: dict[str, pa.Table], days: list[date]
) -> None:
    with opened("duckdb") as wide, opened("duckdb") as narrow:
        load_inputs(wide, tables)
        load_inputs(narrow, tables)
        build_models(wide, FIRST, END)
        build_in_windows(narrow, [(day, day + timedelta(days=1)) for day in days])
        assert_all_same(narrow, wide, models())


@given(tables=ledgers(), cut=st.integers(1, len(DAYS) - 1))
def test_a_rerun_changes_nothing(tables: dict[str, pa.Table], cut: int) -> None:
    with opened("duckdb") as once, opened("duckdb") as again:
        load_inputs(once, tables)
        load_inputs(again, tables)
        build_models(once, FIRST, END)
        build_models(again, FIRST, END)
        build_in_windows(again, [(DAYS[cut], END), (FIRST, DAYS[cut])])
        assert_all_same(again, once, models())


@given(tables=ledgers(), data=st.data())
def test_a_landing_reaches_two_days_either_side(tables: dict[str, pa.Table], data: st.DataObject) -> None:
    """One for versions of a record that moved over midnight, one more for the request of the old version."""
    records = tables["raw_attempts"].to_pylist()
    late = data.draw(st.sampled_from(records))
    before = tables | {"raw_attempts": table("raw_attempts", [row for row in records if row is not late])}
    with opened("duckdb") as anew, opened("duckdb") as rebuilt:
        load_inputs(anew, tables)
        build_models(anew, FIRST, END)
        load_inputs(rebuilt, before)
        build_models(rebuilt, FIRST, END)
        load_inputs(rebuilt, tables)
        first, last = late["usage_date"] - REACH, late["usage_date"] + REACH
        build_models(rebuilt, max(FIRST, first), min(END, last + timedelta(days=1)))
        assert_all_same(rebuilt, anew, models())


def test_a_version_that_moves_over_midnight_reaches_the_request_of_the_day_before() -> None:
    """It lands on the 20th, its old version leaves the 19th, the request of the 18th loses its answer."""
    old = [
        attempt("first", at("2026-10-18 23:30"), request="r", outcome="error"),
        attempt("second", at("2026-10-19 00:10"), request="r", record_sequence=1),
    ]
    late = attempt("second", at("2026-10-20 08:00"), record_sequence=2, record_position="late")
    with opened("duckdb") as engine:
        load_inputs(engine, inputs([*old, late], {}) | {"raw_attempts": table("raw_attempts", old)})
        build_models(engine, FIRST, END)
        before = rows_of(engine, "int_requests")
        assert_rows(before, "usage_date | purpose\n2026-10-18 | retry\n2026-10-19 | answer")
        load_inputs(engine, inputs([*old, late], {}))
        build_models(engine, date(2026, 10, 20) - REACH, END)
        after = rows_of(engine, "int_requests")
        assert_rows(after, "usage_date | purpose\n2026-10-18 | failure\n2026-10-20 | answer")
