"""A fault planted anywhere is found by the check for it, which names exactly the offender."""

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.engines.base import Engine
from models.registry import checks, models
from tests.engines import opened
from tests.ledger_inputs import days_of
from tests.spec.chain import build, rows_of, written_checks
from tests.spec.dataset import input_tables

Found = list[dict[str, Any]]
WINDOW = dict(zip(("window_start", "window_end"), days_of(input_tables()), strict=True))
MEASURES = ("list", "contracted", "effective")


@pytest.fixture(scope="module")
def built() -> Generator[Engine]:
    with opened("duckdb") as engine:
        build(engine, input_tables())
        yield engine


@pytest.fixture(scope="module")
def lines(built: Engine) -> Found:
    return rows_of(built, "int_cost_lines").to_pylist()


def found(engine: Engine, check: str, table: str, select: str) -> Found:
    """What the check finds while `table` stands for the faulty select."""
    assert engine.fetch(checks()[check].sql, WINDOW).num_rows == 0
    with engine.shadow(table, select, {}):
        return engine.fetch(checks()[check].sql, WINDOW).to_pylist()


def places(rows: Found, *columns: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row[name] for name in columns) for row in rows), key=str)


def where(row: dict[str, Any], *columns: str) -> str:
    """The condition that meets one row."""
    cells = [(name, row[name]) for name in columns]
    return " and ".join(
        f"{name} = {cell}" if isinstance(cell, int) else f"{name} = '{cell}'" for name, cell in cells
    )


ATTEMPT = ("usage_date", "attempt_key")
LINE = (*ATTEMPT, "meter")


def without(table: str, condition: str) -> str:
    return f"select * from {table} where not ({condition})"


def changed(table: str, condition: str, column: str, value: str) -> str:
    return f"select * replace (case when {condition} then {value} else {column} end as {column}) from {table}"


@given(data=st.data())
def test_a_changed_quantity_names_its_attempt_and_meter(
    built: Engine, lines: Found, data: st.DataObject
) -> None:
    line = data.draw(st.sampled_from([line for line in lines if line["meter"] != "request"]))
    check = "check_quantities" if line["meter"] not in ("input_uncached", "output_text") else "check_totals"
    more = changed("int_cost_lines", where(line, *LINE), "quantity", "quantity + 1")
    for select in (more, without("int_cost_lines", where(line, *LINE))):
        offenders = found(built, check, "int_cost_lines", select)
        named = LINE if check == "check_quantities" else ATTEMPT
        assert places(offenders, *named) == places([line], *named)


@given(data=st.data())
def test_changed_money_names_its_line(built: Engine, lines: Found, data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(lines))
    column = f"{data.draw(st.sampled_from(MEASURES))}_cost_pico_usd"
    # One pico-USD more than was paid; something where nothing is known; nothing where something is.
    values = ["0", "1"] if line[column] is None else [f"{column} + 1", "null"]
    for value in values:
        select = changed("int_cost_lines", where(line, *LINE), column, value)
        assert places(found(built, "check_money", "int_cost_lines", select), *LINE) == places([line], *LINE)


def test_a_fee_per_call_without_a_line_names_its_attempt(built: Engine, lines: Found) -> None:
    fees = [line for line in lines if line["meter"] == "request" and (line["list_cost_pico_usd"] or 0) > 0]
    offenders = found(
        built, "check_money", "int_cost_lines", without("int_cost_lines", where(fees[0], *LINE))
    )
    assert {(row["attempt_key"], row["is_fee_left_out"]) for row in offenders} == {
        (fees[0]["attempt_key"], True)
    }


def test_an_attempt_without_a_line_and_a_line_without_an_attempt_are_named(
    built: Engine, lines: Found
) -> None:
    line, kind = lines[0], "check_attempt_places"
    same = where(line, *ATTEMPT)
    lost = found(built, kind, "int_cost_lines", without("int_cost_lines", same))
    assert places(lost, *ATTEMPT, "measure") == [(*places([line], *ATTEMPT)[0], "attempt without line")]
    stray = found(built, kind, "stg_attempts", without("stg_attempts", same))
    assert places(stray, *ATTEMPT, "measure") == [(*places([line], *ATTEMPT)[0], "line without attempt")]


@pytest.mark.parametrize("table", ["stg_attempts", "stg_duplicates"])
def test_a_record_lost_in_staging_names_its_file_and_day(built: Engine, table: str) -> None:
    record = rows_of(built, table).to_pylist()[0]
    place = ("file_sha256", "record_position", "usage_date")
    offenders = found(built, "check_records", table, without(table, where(record, *place)))
    assert places(offenders, "usage_date", "file_sha256") == places([record], "usage_date", "file_sha256")
    assert offenders[0]["expected"] == offenders[0]["found"] + 1


def test_two_records_under_one_key_are_both_named(built: Engine) -> None:
    one, other = rows_of(built, "raw_attempts").to_pylist()[:2]
    select = changed("raw_attempts", where(other, "record_position"), "attempt_key", str(one["attempt_key"]))
    offenders = found(built, "check_attempt_identity", "raw_attempts", select)
    named = ("source_event_id", "file_sha256", "record_position")
    assert places(offenders, *named) == places([one, other], *named)


def test_an_attempt_with_no_price_row_or_two_is_named(built: Engine) -> None:
    card = rows_of(built, "stg_token_prices").to_pylist()[0]
    same = where(card, "usage_date", "rate_card_key")
    attempts = [
        row
        for row in rows_of(built, "int_meters").to_pylist()
        if (row["usage_date"], row["rate_card_key"]) == (card["usage_date"], card["rate_card_key"])
    ]
    none = found(built, "check_price_rows", "stg_token_prices", without("stg_token_prices", same))
    assert places(none, *ATTEMPT, "found") == places(
        [row | {"found": 0} for row in attempts], *ATTEMPT, "found"
    )
    twice = f"select * from stg_token_prices union all select * from stg_token_prices where {same}"
    two = found(built, "check_price_rows", "stg_token_prices", twice)
    assert places(two, *ATTEMPT, "found") == places(
        [row | {"found": 2} for row in attempts], *ATTEMPT, "found"
    )


@pytest.mark.parametrize(
    ("check", "table", "day"),
    [
        ("check_views", "fct_cost_lines", "usage_date"),
        ("check_views", "agg_daily_costs", "usage_date"),
        ("check_request_views", "fct_requests", "request_date"),
        ("check_request_views", "agg_daily_requests", "request_date"),
    ],
)
@pytest.mark.parametrize("measure", MEASURES)
def test_a_published_sum_that_differs_names_its_table_and_cell(
    built: Engine, check: str, table: str, day: str, measure: str
) -> None:
    column = f"{measure}_cost_usd"
    row = next(row for row in rows_of(built, table).to_pylist() if row[column])
    same = where(row, *models()[table].key)
    dearer = changed(table, same, column, f"cast({column} + 0.000000000001 as decimal(38,12))")
    cell = (day, "feature", "model", "purpose") if check == "check_views" else (day,)
    for select in (dearer, without(table, same)):
        offenders = found(built, check, table, select)
        assert places(offenders, "view_name", *cell) == places(
            [row | {"view_name": table}], "view_name", *cell
        )


@pytest.mark.parametrize("table", sorted(models()))
def test_a_repeated_row_names_its_key(built: Engine, table: str) -> None:
    key = models()[table].key
    row = rows_of(built, table).to_pylist()[0]
    twice = f"select * from {table} union all select * from {table} where {where(row, *key)}"
    offenders = found(built, f"check_key_of_{table}", table, twice)
    assert places(offenders, *key) == places([row], *key)


def test_an_attempt_in_a_hole_of_the_price_book_names_its_day_and_model(built: Engine) -> None:
    cost = rows_of(built, "int_metered_costs").to_pylist()[0]
    select = changed("int_metered_costs", where(cost, *ATTEMPT), "reason_code", "'price_gap'")
    offenders = found(built, "check_price_gaps", "int_metered_costs", select)
    named = ("usage_date", "provider", "model")
    assert places(offenders, *named, "attempt_count") == [(*(cost[name] for name in named), 1)]


def test_a_fault_is_planted_for_every_check() -> None:
    planted = re.findall(r'"(check_\w+)"', Path(__file__).read_text(encoding="utf-8"))
    assert set(written_checks()) == set(planted)
