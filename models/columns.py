"""Every column once: type, unit, meaning and allowed values, read from `columns.yml`.

What lives here: the reading of that file, and the Arrow schemas it gives. What does not: the meaning
itself (it is data), and which model carries which column (the engine describes the models).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

import pyarrow as pa
import yaml

from models.errors import UserError, nearest_first

_FIXED_TYPES: dict[str, pa.DataType] = {
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "VARCHAR": pa.string(),
    "DATE": pa.date32(),
    "BOOLEAN": pa.bool_(),
}
_DECIMAL = re.compile(r"DECIMAL\((\d+), ?(\d+)\)")
_COLUMN_KEYS = {"type", "type_in", "unit", "meaning", "allowed"}
_TABLE_KEYS = {"grain", "columns", "required"}


@dataclass(frozen=True)
class Column:
    """One column name, which means the same wherever it appears.

    Args:
        name: The name in every table.
        type: SQL type: BIGINT, INTEGER, VARCHAR, DATE, BOOLEAN or DECIMAL(p,s).
        unit: Unit of the value, or null where there is none.
        meaning: One sentence.
        allowed: The allowed values; empty when any value is.
        wider: Table name to SQL type, where a sum needs a wider one.
    """

    name: str
    type: str
    unit: str | None
    meaning: str
    allowed: tuple[str, ...]
    wider: Mapping[str, str]

    def type_in(self, table: str) -> str:
        """Return the SQL type of this column in one table."""
        return self.wider.get(table, self.type)


@dataclass(frozen=True)
class InputTable:
    """One table that the pipelines hand to the models: its grain, its columns, and those never null."""

    name: str
    grain: str
    columns: tuple[str, ...]
    required: tuple[str, ...]


@dataclass(frozen=True)
class Dictionary:
    """The content of one columns file: columns and input tables by name."""

    columns: dict[str, Column]
    tables: dict[str, InputTable]


@cache
def dictionary() -> Dictionary:
    """Read and check the `columns.yml` of this package."""
    text = (files("models") / "columns.yml").read_text(encoding="utf-8")
    return parse_dictionary(text, "models/columns.yml")


def columns() -> dict[str, Column]:
    """Return every known column by name."""
    return dictionary().columns


def input_tables() -> dict[str, InputTable]:
    """Return every input table (`raw_…`) by name."""
    return dictionary().tables


def table_schema(name: str) -> pa.Schema:
    """Return the Arrow schema of the input table `name`; every field may be null in Arrow's eyes."""
    known = columns()
    listed = [(column, known[column].type_in(name)) for column in _input_table(name).columns]
    return pa.schema([pa.field(column, arrow_type(kind)) for column, kind in listed])


def required_columns(name: str) -> tuple[str, ...]:
    """Return the columns of the input table `name` that are never null."""
    return _input_table(name).required


def arrow_type(sql_type: str) -> pa.DataType:
    """Return the Arrow type of one of our SQL types, or raise `UserError`."""
    fixed = _FIXED_TYPES.get(sql_type)
    if fixed is not None:
        return fixed
    decimal = _DECIMAL.fullmatch(sql_type)
    if decimal is None:
        allowed = nearest_first(sql_type, [*_FIXED_TYPES, "DECIMAL(p,s)"])
        raise UserError(f"'{sql_type}' is not a column type · allowed: {allowed} · change the type")
    return pa.decimal128(int(decimal[1]), int(decimal[2]))


def sql_type(arrow: pa.DataType) -> str:
    """Return the name in our SQL types of an Arrow type; an unknown one keeps Arrow's own name."""
    for name, fixed in _FIXED_TYPES.items():
        if arrow == fixed:
            return name
    if pa.types.is_decimal(arrow):
        return f"DECIMAL({arrow.precision},{arrow.scale})"
    return str(arrow)


def parse_dictionary(text: str, where: str) -> Dictionary:
    """Check the text of a columns file and return its content; `where` names the file in errors."""
    root = _mapping(yaml.safe_load(text), where, {"columns", "tables"})
    described = _mapping(root.get("columns"), f"{where}: columns")
    known = {name: _column(name, entry, where) for name, entry in described.items()}
    listed = _mapping(root.get("tables"), f"{where}: tables")
    return Dictionary(known, {name: _table(name, entry, where, known) for name, entry in listed.items()})


def _input_table(name: str) -> InputTable:
    tables = input_tables()
    if name not in tables:
        raise UserError(
            f"'{name}' is not an input table · models/columns.yml, key tables"
            f" · known: {nearest_first(name, tables)} · add it there or correct the name"
        )
    return tables[name]


def _column(name: str, entry: object, where: str) -> Column:
    place = f"{where}: columns.{name}"
    fields = _mapping(entry, place, _COLUMN_KEYS)
    meaning = fields.get("meaning")
    if not isinstance(meaning, str) or not meaning.strip():
        raise UserError(f"'{name}' has no meaning · {place} · write one sentence under `meaning`")
    wider = _mapping(fields.get("type_in") or {}, f"{place}.type_in")
    unit = fields.get("unit")
    return Column(
        name=name,
        type=_type(fields.get("type"), place),
        unit=None if unit is None else str(unit),
        meaning=meaning.strip(),
        allowed=_names(fields.get("allowed"), f"{place}.allowed"),
        wider={table: _type(kind, f"{place}.type_in") for table, kind in wider.items()},
    )


def _type(value: object, place: str) -> str:
    try:
        return sql_type(arrow_type(str(value)))
    except UserError as error:
        raise UserError(f"{error} · {place}") from error


def _table(name: str, entry: object, where: str, known: dict[str, Column]) -> InputTable:
    place = f"{where}: tables.{name}"
    fields = _mapping(entry, place, _TABLE_KEYS)
    names = _names(fields.get("columns"), f"{place}.columns")
    required = _names(fields.get("required"), f"{place}.required")
    for column in names:
        if column not in known:
            near = nearest_first(column, known)
            raise UserError(f"'{column}' is not described · {place} · known: {near} · add it under columns")
    for column in required:
        if column not in names:
            near = nearest_first(column, names)
            raise UserError(f"'{column}' is required but not a column · {place} · columns: {near} · fix it")
    return InputTable(name, str(fields.get("grain", "")), names, required)


def _mapping(value: object, place: str, keys: set[str] | None = None) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UserError(f"'{value}' is not a mapping · {place} · write `key: value` lines there")
    found = {str(key): item for key, item in cast(dict[object, object], value).items()}
    for key in found if keys else ():
        if key not in (keys or ()):
            allowed = nearest_first(key, keys or ())
            raise UserError(f"'{key}' is not a key · {place} · allowed: {allowed} · correct or remove it")
    return found


def _names(value: object, place: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UserError(f"'{value}' is not a list · {place} · write [a, b]")
    names = tuple(str(item) for item in cast(list[object], value))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"'{twice[0]}' is listed twice · {place} · remove one")
    return names
