"""The default engine: one DuckDB connection, to a warehouse file or in memory.

What lives here: how DuckDB keeps the verbs of the port. What does not: any model or report query. Nothing
else opens a DuckDB connection or calls `execute`.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from models.columns import arrow_type, table_schema
from models.engines.base import (
    SHADOWED,
    WINDOW,
    Params,
    Value,
    bound,
    refuse_changed,
    refuse_inexact,
    without_parameters,
)
from models.errors import ModelError, UserError

_UNNAMED = "(query)"


class DuckDBEngine:
    """The port on DuckDB.

    Args:
        path: Warehouse file, or null for memory.
        memory_limit: DuckDB's limit as text, e.g. "2GB"; null for its default.
        threads: Number of threads; null for its default.
        read_only: Open the file for reading only.
        only_under: When given, files outside this folder cannot be opened from SQL, and settings are fixed.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        read_only: bool = False,
        only_under: Path | None = None,
    ) -> None:
        self._shadows: dict[str, list[str]] = {}
        self._made = 0
        self._connection = _connected(path, read_only)
        settings: list[tuple[str, str]] = [("TimeZone", "'UTC'"), ("autoinstall_known_extensions", "false")]
        if memory_limit is not None:
            settings.append(("memory_limit", _literal(memory_limit)))
        if threads is not None:
            settings.append(("threads", str(int(threads))))
        if only_under is not None:
            settings.append(("allowed_directories", f"[{_literal(str(only_under.resolve()))}]"))
            settings += [("enable_external_access", "false"), ("lock_configuration", "true")]
        for key, value in settings:
            self._connection.execute(f"set {key} = {value}")
        self._home = _quoted(str(self._rows("select current_database()")[0][0])) + ".main."

    def load(self, name: str, source: pa.Table | Sequence[Path]) -> None:
        """Make `name` an Arrow table's copy, or a view of Parquet files; no files: an empty input table."""
        if not isinstance(source, pa.Table) and source:
            listed = ", ".join(_literal(str(path)) for path in source)
            # Folders named usage_date=… repeat a column of the file: the file's typed one is the true one.
            body = f"select * from read_parquet([{listed}], hive_partitioning = false)"
            self._replace(name, "view", body, {})
            return
        table = source if isinstance(source, pa.Table) else table_schema(name).empty_table()
        self._connection.register("arriving_arrow", table)
        try:
            self._replace(name, "table", "select * from arriving_arrow", {})
        finally:
            self._connection.unregister("arriving_arrow")

    def build(self, name: str, select: str, params: Params) -> int:
        """Write the table anew from the select, all or nothing; returns its row count."""
        values = self._checked(name, select, params)
        self._replace(name, "table", select, values)
        return self._count(name)

    def replace_window(self, name: str, select: str, params: Params, column: str) -> int:
        """Delete the rows of the window, insert the select's, in one transaction; returns the new count."""
        described = self._described(name, select, params)
        window = bound(name, WINDOW, params)
        target, day = self._home + _quoted(name), _quoted(column)
        within = f"{day} >= $window_start and {day} < $window_end"
        # A projection and not a filter: a filter may be moved below a join, where it would see other rows.
        guarded = (
            f"select * replace (case when {within} then {day} else error('row outside the window: ' ||"
            f" coalesce(cast({day} as varchar), 'null')) end as {day}) from (\n{select}\n)"
        )
        values = {**bound(name, select, params), **window}
        with self._writing(name):
            self._ensure_table(name, select, described)
            self._run(name, f"delete from {target} where {within}", window)
            return int(str(self._run(name, f"insert into {target} by name\n{guarded}", values)[0][0]))

    @contextmanager
    def shadow(self, name: str, select: str, params: Params) -> Generator[None]:
        """Let `name` stand for the select inside the `with` block, as a temporary table under a view."""
        values = self._checked(name, select, params)
        self._made += 1
        table = f"shadow_{self._made}_{name}"
        self._run(name, f"create temp table {_quoted(table)} as\n{select}", values)
        stack = self._shadows.setdefault(name, [])
        stack.append(table)
        self._point(name)
        try:
            yield
        finally:
            stack.remove(table)
            self._point(name)
            self._run(name, f"drop table temp.main.{_quoted(table)}", {})

    def fetch(self, select: str, params: Params | None = None) -> pa.Table:
        """Return the rows of the select, in its order where it states one."""
        values = self._checked(_UNNAMED, select, params or {})
        try:
            return self._connection.sql(select, params=values).to_arrow_table()
        except duckdb.Error as error:
            raise ModelError(_UNNAMED, select, values, str(error)) from error

    def write(self, select: str, target: Path, params: Params | None = None) -> int:
        """Stream the select to one Parquet file: `target`, or one inside it if a folder; row count."""
        values = self._checked(_UNNAMED, select, params or {})
        file = target if target.suffix == ".parquet" else target / "part-0.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        options = "(format parquet, compression zstd)"
        return int(
            str(self._run(_UNNAMED, f"copy (\n{select}\n) to {_literal(str(file))} {options}", values)[0][0])
        )

    def describe(self, select: str, params: Params | None = None) -> pa.Schema:
        """Return the columns and types of the select without running it."""
        described = self._described(_UNNAMED, select, params or {})
        return pa.schema([pa.field(column, arrow_type(kind)) for column, kind in described])

    def close(self) -> None:
        """Close the connection; a warehouse file may then be opened by others."""
        self._connection.close()

    def _described(self, name: str, select: str, params: Params) -> list[tuple[str, str]]:
        values = bound(name, select, params)
        rows = self._run(name, f"describe\n{select}", values)
        described = [(str(row[0]), str(row[1])) for row in rows]
        refuse_inexact(name, select, values, described)
        return described

    def _checked(self, name: str, select: str, params: Params) -> dict[str, Value]:
        self._described(name, select, params)
        return bound(name, select, params)

    def _replace(self, name: str, kind: str, select: str, values: dict[str, Value]) -> None:
        target = self._home + _quoted(name)
        with self._writing(name):
            old = self._kind(name)
            # `create or replace` refuses to turn a view into a table and the other way round.
            if old is not None and old != kind:
                self._run(name, f"drop {old} {target}", {})
            self._run(name, f"create or replace {kind} {target} as\n{select}", values)

    def _ensure_table(self, name: str, select: str, described: list[tuple[str, str]]) -> None:
        target = self._home + _quoted(name)
        if self._kind(name) is None:
            listed = ", ".join(f"{_quoted(column)} {kind}" for column, kind in described)
            self._run(name, f"create table {target} ({listed})", {})
            return
        held = [(str(row[0]), str(row[1])) for row in self._rows(f"describe {target}")]
        refuse_changed(name, select, held, described)

    def _point(self, name: str) -> None:
        stack = self._shadows[name]
        if stack:
            body = f"select * from temp.main.{_quoted(stack[-1])}"
            self._run(name, f"create or replace temp view {_quoted(name)} as {body}", {})
        else:
            self._run(name, f"drop view temp.main.{_quoted(name)}", {})

    def _kind(self, name: str) -> str | None:
        rows = self._rows(
            "select table_type from information_schema.tables"
            f" where table_catalog = current_database() and table_name = {_literal(name)}"
        )
        return None if not rows else "view" if rows[0][0] == "VIEW" else "table"

    def _count(self, name: str) -> int:
        return int(str(self._rows(f"select count(*) from {self._home}{_quoted(name)}")[0][0]))

    def _rows(self, statement: str) -> list[tuple[object, ...]]:
        return self._connection.execute(statement).fetchall()

    def _run(self, name: str, statement: str, values: dict[str, Value]) -> list[tuple[object, ...]]:
        try:
            # Fetched at once: a result left open would hold the connection.
            return self._connection.execute(statement, values).fetchall()
        except duckdb.Error as error:
            raise ModelError(name, statement, values, str(error)) from error

    @contextmanager
    def _writing(self, name: str) -> Generator[None]:
        if self._shadows.get(name):
            raise ModelError(name, "", {}, SHADOWED)
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._run(name, "commit", {})


def _connected(path: Path | None, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(":memory:" if path is None else str(path), read_only=read_only)
    except duckdb.Error as error:
        step = "end the process that holds it; a damaged one may be removed, it is built from what has landed"
        raise UserError(f"'{path}' cannot be opened as a warehouse · {error} · {step}") from error


def table_names(select: str) -> set[str]:
    """Return the base tables that a select reads, by DuckDB's own parser; names of its CTEs are left out."""
    with duckdb.connect(":memory:") as connection:
        try:
            return set(connection.get_table_names(without_parameters(select)))
        except duckdb.Error as error:
            raise ModelError(_UNNAMED, select, {}, str(error)) from error


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
