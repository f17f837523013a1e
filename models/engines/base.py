"""The port: what the rest of the project may ask of an engine, and nothing else.

What lives here: the protocol and the rules that both engines share (which parameters a select names,
which column types may leave, what may be written over). What does not: any SQL dialect.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from models.errors import ModelError, nearest_first

Value = str | int | bool | date | None
Params = Mapping[str, Value]

_TOKENS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\$(\w+)")
WINDOW = "$window_start $window_end"
SHADOWED = "a table cannot be written while it is shadowed · leave the `with` block first"
_EXACT_TYPES = re.compile(r"BIGINT|INTEGER|VARCHAR|DATE|BOOLEAN|DECIMAL\(\d+,\d+\)")


class Engine(Protocol):
    """Tables by plain name, changed and read by select statements; Arrow in, Arrow out.

    Every select may name parameters (`$window_start`); of `params` those it names are bound. A failure is
    raised as `ModelError`. A select with a column of an inexact type (DOUBLE, HUGEINT …) is refused.
    """

    def load(self, name: str, source: pa.Table | Sequence[Path]) -> None:
        """Make `name` stand for an Arrow table, or for Parquet files that stay where they are.

        An empty list of files gives the empty input table of that name in `columns.yml`.
        """
        ...

    def build(self, name: str, select: str, params: Params) -> int:
        """Write the table anew from the select, all or nothing; returns its row count."""
        ...

    def replace_window(self, name: str, select: str, params: Params, column: str) -> int:
        """Replace the rows whose `column` lies in [window_start, window_end); returns the count of new rows.

        Creates the table when it does not exist. A selected row outside the window is an error, and then
        nothing has changed.
        """
        ...

    def shadow(self, name: str, select: str, params: Params) -> AbstractContextManager[None]:
        """Let `name` stand for the select inside the `with` block; blocks nest."""
        ...

    def fetch(self, select: str, params: Params | None = None) -> pa.Table:
        """Return the rows of the select, in its order where it states one."""
        ...

    def write(self, select: str, target: Path, params: Params | None = None) -> int:
        """Stream the select to Parquet: one file when `target` ends in .parquet, else a folder; row count."""
        ...

    def describe(self, select: str, params: Params | None = None) -> pa.Schema:
        """Return the columns and types of the select without running it.

        The seventh verb: schema tests ask it of every model, and a window's table is created from it.
        """
        ...

    def close(self) -> None:
        """Give back what the engine holds; it is of no use afterwards."""
        ...


def named_parameters(select: str) -> set[str]:
    """Return the names of the parameters in a select, leaving out text literals and comments."""
    return {match[1] for match in _TOKENS.finditer(select) if match[1]}


def without_parameters(select: str) -> str:
    """Return the select with every parameter replaced by NULL, for readers that accept none."""
    return _TOKENS.sub(lambda match: "NULL" if match[1] else match[0], select)


def bound(name: str, select: str, params: Params | None) -> dict[str, Value]:
    """Return those of `params` that the select names; a missing one raises `ModelError`."""
    given = dict(params or {})
    wanted = named_parameters(select)
    for parameter in sorted(wanted - given.keys()):
        known = nearest_first(parameter, given) or "none"
        raise ModelError(name, select, given, f"parameter '${parameter}' has no value · given: {known}")
    return {parameter: given[parameter] for parameter in sorted(wanted)}


def refuse_inexact(name: str, select: str, params: Params, types: Iterable[tuple[str, str]]) -> None:
    """Raise `ModelError` when a column (name, SQL type) has a type that would lose digits on its way out."""
    for column, kind in types:
        if not _EXACT_TYPES.fullmatch(kind):
            raise ModelError(
                name, select, params, f"column '{column}' is {kind} · cast it to BIGINT or DECIMAL(p,s)"
            )


def refuse_changed(
    name: str, select: str, held: Sequence[tuple[str, str]], described: Sequence[tuple[str, str]]
) -> None:
    """Raise `ModelError` when a select's columns (name, type) are not those that the table holds."""
    if list(held) != list(described):
        changed = sorted(f"{column} {kind}" for column, kind in {*held} ^ {*described})
        reason = f"the table has other columns: {', '.join(changed) or 'another order'}"
        raise ModelError(name, select, {}, f"{reason} · remove the warehouse and build every day again")
