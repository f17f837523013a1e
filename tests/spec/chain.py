"""Running the cost model on input tables in spec and property tests, and comparing it with the oracle.

What lives here: loading, building and fetching, and the rows of the oracle as Arrow. What does not: any data.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from typing import Any

import pyarrow as pa

from models.columns import table_schema
from models.engines.base import Engine
from models.registry import checks, models
from tests.engines import build_models, load_inputs
from tests.ledger_inputs import Row, at, attempt, days_of
from tests.oracle import ledger
from tests.tables import Cell, assert_same, drawn, text_of


def build(
    engine: Engine, tables: Mapping[str, pa.Table], names: Iterable[str] | None = None
) -> tuple[date, date]:
    """Load the inputs, build these models, or all, for the days of the attempts; returns the window."""
    load_inputs(engine, tables)
    start, end = days_of(tables)
    build_models(engine, start, end, names)
    return start, end


def rows_of(engine: Engine, name: str) -> pa.Table:
    """Return the whole table of a model."""
    return engine.fetch(f"select * from {name}")


def offenders(engine: Engine, start: date, end: date) -> dict[str, pa.Table]:
    """Return what each check finds in the days [start, end), without the checks that find nothing."""
    window = {"window_start": start, "window_end": end}
    found = {name: engine.fetch(check.sql, window) for name, check in checks().items()}
    return {name: table for name, table in found.items() if table.num_rows}


def assert_equals_oracle(engine: Engine, tables: Mapping[str, pa.Table]) -> None:
    """Fail unless every model holds exactly the rows that the oracle derives from the input tables."""
    expected = ledger({name: table.to_pylist() for name, table in tables.items()})
    assert set(expected) == set(models())
    for name in models():
        got = rows_of(engine, name)
        schema = pa.schema(list(zip(got.schema.names, got.schema.types, strict=True)))
        strange = {column for row in expected[name] for column in row} ^ set(schema.names)
        assert not expected[name] or not strange, f"{name}: columns on one side only: {strange}"
        try:
            assert_same(got, pa.Table.from_pylist(expected[name], schema=schema))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@cache
def written_checks() -> tuple[str, ...]:
    """Return the names of the checks that are files, leaving out those made from keys."""
    return tuple(name for name in checks() if not name.startswith("check_key_of_"))


SHORT = {
    "file": "file_sha256",
    "line": "record_position",
    "sequence": "record_sequence",
    "placeholder": "is_placeholder",
    "ended": "ended_at_us",
    "model": "served_model",
    "profile": "usage_profile",
    "basis": "usage_basis",
    "hit": "is_gateway_cache_hit",
    "feature": "feature_tag",
    "team": "team_tag",
}


def _full(name: str) -> str:
    for counted in (f"reported_{name}", f"reported_cache_{name}"):
        if counted in table_schema("raw_attempts").names:
            return counted
    return SHORT.get(name, name)


def drawn_attempts(text: str, **same: Cell) -> list[Row]:
    """Return rows of raw_attempts drawn as text, one per line.

    The columns `name`, `at` (an instant) and `request` (a stated request id) are shorthand, and so are those
    of SHORT and counts without their `reported_` or `reported_cache_`. `same` gives all rows the same cell.
    """
    header, *lines = _drawn_cells(text)
    columns = {_full(name): [line[place] for line in lines] for place, name in enumerate(header)}
    typed: dict[str, list[Any]] = {
        name: drawn("\n".join([name, *cells]))[name].to_pylist()
        for name, cells in columns.items()
        if name not in ("name", "at", "request")
    }
    requests = [None if cell == "null" else cell for cell in columns.get("request", ["null"] * len(lines))]
    instants = columns.get("at", ["2026-10-19 08:00"] * len(lines))
    return [
        attempt(columns["name"][row], at(instants[row]), request=requests[row])
        | same
        | {name: cells[row] for name, cells in typed.items()}
        for row in range(len(lines))
    ]


def shown(engine: Engine, name: str) -> pa.Table:
    """Return the table of a model as it is drawn: attempts by name, columns by their short names."""
    events = engine.fetch("select attempt_key, source_event_id from stg_attempts")
    names = dict(zip(*(column.to_pylist() for column in events.columns), strict=True))
    got = rows_of(engine, name)
    for column in {"attempt_key", "request_key", "answer_attempt_key"} & set(got.column_names):
        named = [names.get(key) for key in got[column].to_pylist()]
        got = got.set_column(got.column_names.index(column), column, pa.array(named, pa.string()))
    # A key that repeats a name, as in stg_attempts, is left out.
    brief = {_brief(column): column for column in reversed(got.column_names)}
    return got.select(list(brief.values())).rename_columns(list(brief))


BRIEF = {
    "attempt_count": "attempts",
    "request_count": "requests",
    "answered_count": "answered",
    "line_count": "lines",
    "last_ended_at_us": "ended",
    "unpriced_line_count": "unpriced",
    "unpriced_attempt_count": "unpriced",
    "retry_attempt_count": "retries",
    "answer_attempt_key": "answer",
    "attempt_key": "attempt",
    "request_key": "request",
    "reason_code": "reason",
    "quantity": "quantity",
    "input_total_tokens": "input",
    "output_total_tokens": "output",
    "input_uncached_quantity": "uncached",
    "output_text_quantity": "text",
    "output_reasoning_quantity": "reasoning",
    "assumed_cache_write_meter": "assumed_meter",
    "is_usage_missing": "missing",
    "is_usage_estimated": "estimated",
    "input_uncached_list_cost_pico_usd": "uncached_list",
    "output_text_list_cost_pico_usd": "text_list",
    "output_reasoning_list_cost_pico_usd": "reasoning_list",
    "duplicate_of_file_sha256": "of_file",
    "duplicate_of_record_position": "of_line",
    "file_sha256": "file",
    "record_position": "line",
    "source_event_id": "attempt",
    "served_model": "served",
    "is_gateway_cache_hit": "hit",
    "reported_input_tokens": "input",
    "reported_output_tokens": "output",
}


def _brief(column: str) -> str:
    if column in BRIEF:
        return BRIEF[column]
    ends = ("_cost_pico_usd", "_cost_usd", "_quantity", "_count", "_key", "_us")
    end = next((end for end in ends if column.endswith(end)), "")
    return column.removesuffix(end).removeprefix("is_")


def assert_shown(got: pa.Table, text: str) -> None:
    """Fail unless the columns drawn in `text` hold exactly the rows drawn there, in any order."""
    header, *wanted = _drawn_cells(text)
    _, *rows = [[_without_zeros(cell) for cell in line] for line in _drawn_cells(text_of(got.select(header)))]
    assert sorted(rows) == sorted(wanted), f"got:\n{text_of(got.select(header))}"


def _without_zeros(cell: str) -> str:
    return cell.rstrip("0").rstrip(".") if re.fullmatch(r"-?\d+\.\d+", cell) else cell


def _drawn_cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines() if line.strip()]
