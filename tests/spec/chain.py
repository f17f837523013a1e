"""Running the cost model on input tables in spec and property tests, and comparing it with the oracle.

What lives here: loading, building and fetching, and the rows of the oracle as Arrow. What does not: any data.
"""

from collections.abc import Mapping
from datetime import date
from functools import cache

import pyarrow as pa

from models.engines.base import Engine
from models.registry import checks, models
from tests.engines import build_models, load_inputs
from tests.ledger_inputs import days_of
from tests.oracle import ledger
from tests.tables import assert_same


def build(engine: Engine, tables: Mapping[str, pa.Table]) -> tuple[date, date]:
    """Load the input tables and build every model for all days of the attempts; returns the window."""
    load_inputs(engine, tables)
    start, end = days_of(tables)
    build_models(engine, start, end)
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
