"""Tables drawn as text, and their comparison: what spec tests are written in.

What lives here: text to Arrow with the types of `columns.yml`, Arrow to text, and equality as multisets with
equal types. What does not: any data of a test.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

import pyarrow as pa

from models.columns import arrow_type, columns, input_tables, table_schema

Cell = str | int | bool | date | Decimal | None


def drawn(text: str, table: str = "") -> pa.Table:
    """Return the Arrow table drawn in `text`, with the types that `columns.yml` gives each column in `table`.

    The first line names the columns, each further line is a row, cells are separated by `|`. `null` is null
    and '' is the empty text; a line of dashes is decoration.
    """
    names, rows = _cells(text)
    known = columns()
    kinds = [known[name].type_in(table) for name in names]
    arrays = [
        pa.array([_value(row[at], kind) for row in rows], arrow_type(kind)) for at, kind in enumerate(kinds)
    ]
    return pa.table(arrays, names=names)


def input_table(name: str, text: str, defaults: Mapping[str, Cell] | None = None) -> pa.Table:
    """Return the input table `name`: the drawn columns, the defaults, and null for every other column.

    A column that may not be null and is neither drawn nor given fails here, with its name.
    """
    given = drawn(text, name)
    filled = dict(defaults or {})
    arrays: list[pa.Array | pa.ChunkedArray] = []
    schema = table_schema(name)
    for field in schema:
        if field.name in given.column_names:
            arrays.append(given[field.name])
        else:
            arrays.append(pa.array([filled.get(field.name)] * given.num_rows, field.type))
    strange = {*given.column_names, *filled} - set(schema.names)
    assert not strange, f"{name} has no column {sorted(strange)}"
    table = pa.table(arrays, schema=schema)
    missing = [column for column in input_tables()[name].required if table[column].null_count]
    assert not missing, f"{name}: null in {missing}, which are required"
    return table


def text_of(table: pa.Table) -> str:
    """Draw a table as text, in its own row order; `drawn` reads it back."""
    lines = [table.column_names, *([_text(cell) for cell in row] for row in _rows(table))]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.column_names))]
    return "\n".join(
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def assert_same(got: pa.Table, expected: pa.Table) -> None:
    """Fail unless both tables have the same columns, types and rows, whatever the order of the rows."""
    kinds, wanted = _kinds(got), _kinds(expected)
    assert kinds == wanted, f"columns differ: got {kinds}, expected {wanted}"
    rows, wished = Counter(_rows(got)), Counter(_rows(expected))
    extra, missing = rows - wished, wished - rows
    difference = f"got, not expected:\n{_listed(got, extra)}\nexpected, not got:\n{_listed(got, missing)}"
    assert (extra, missing) == (Counter(), Counter()), f"rows differ\n{difference}"


def assert_rows(got: pa.Table, text: str, table: str = "") -> None:
    """Fail unless the drawn columns of `got` have exactly the drawn rows, in any order; others are free."""
    expected = drawn(text, table)
    assert_same(got.select(expected.column_names), expected)


def without_day(tables: Mapping[str, pa.Table], day: date) -> dict[str, pa.Table]:
    """Return the tables without the rows of one `usage_date`."""
    return {
        name: table.filter(pa.array([cell != day for cell in table["usage_date"].to_pylist()], pa.bool_()))
        if "usage_date" in table.column_names
        else table
        for name, table in tables.items()
    }


def _cells(text: str) -> tuple[list[str], list[list[str]]]:
    lines = [line.strip() for line in text.strip().splitlines()]
    split = [[cell.strip() for cell in line.split("|")] for line in lines if line.strip("-+| ")]
    for line in split:
        assert len(line) == len(split[0]), f"{len(line)} cells instead of {len(split[0])}: {line}"
    return split[0], split[1:]


def _value(cell: str, kind: str) -> Cell:
    if cell == "null":
        return None
    if kind in ("BIGINT", "INTEGER"):
        return int(cell)
    if kind == "BOOLEAN":
        return {"true": True, "false": False}[cell]
    if kind == "DATE":
        return date.fromisoformat(cell)
    if kind.startswith("DECIMAL"):
        return Decimal(cell)
    assert cell, "an empty cell says nothing: write null or ''"
    return "" if cell == "''" else cell


def _text(cell: Cell) -> str:
    if cell is None:
        return "null"
    if isinstance(cell, bool):
        return str(cell).lower()
    return f"{cell:f}" if isinstance(cell, Decimal) else str(cell) or "''"


def _rows(table: pa.Table) -> list[tuple[Cell, ...]]:
    # Row by row from the columns: with no column left, zip would forget how many rows there were.
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _kinds(table: pa.Table) -> list[tuple[str, str]]:
    return [(name, str(kind)) for name, kind in zip(table.schema.names, table.schema.types, strict=True)]


def _listed(like: pa.Table, rows: Iterable[tuple[Cell, ...]]) -> str:
    listed = sorted(rows, key=str)[:20]
    return "\n".join([" | ".join(like.column_names), *(" | ".join(map(_text, row)) for row in listed)])
