"""The data dictionary: one page with every table and every column, made from what the machine reads anyway.

What lives here: the text of `docs/data-dictionary.md`, and `python -m models.dictionary`, which writes it.
What does not: any meaning (it is in `columns.yml` and in the headers of the SQL files).
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from models.columns import Column, columns, input_tables, sql_type, table_schema
from models.engines.duckdb import DuckDBEngine
from models.errors import UserError, nearest_first
from models.registry import MADE_FROM, checks, models, published_tables
from models.sql_files import Model

PAGE = Path("docs/data-dictionary.md")
_TITLES = {
    "staging": "Staging: typed, in UTC, each attempt once",
    "attributed": "Attributed: meters, prices and purposes, up to the ledger",
    "marts": "Marts: what is published",
}


def page() -> str:
    """Return the whole page as Markdown; the same text for the same SQL and columns file."""
    return "\n".join(_lines()) + "\n"


def schemas() -> dict[str, list[tuple[str, str]]]:
    """Return the columns (name, SQL type) of every model, in build order, then of every written check.

    Nothing is read but the SQL: the models are built on empty tables and described.
    """
    engine = DuckDBEngine(None)
    window: dict[str, str] = {"window_start": "2000-01-01", "window_end": "2000-01-02"}
    found: dict[str, list[tuple[str, str]]] = {}
    try:
        for name in input_tables():
            engine.load(name, [])
        for model in models().values():
            engine.build(model.name, model.sql, window)
            found[model.name] = _columns_of(engine.describe(f"select * from {model.name}"))
        for check in written_checks():
            found[check.name] = _columns_of(engine.describe(check.sql, window))
    finally:
        engine.close()
    return found


def written_checks() -> list[Model]:
    """Return the checks that have a file of their own, by name; the others are made from keys."""
    return [check for check in checks().values() if check.layer == "checks" and "/checks/" in check.path]


def undescribed(table: str, described: list[tuple[str, str]], known: Mapping[str, Column]) -> list[str]:
    """Return one sentence per column of a table that `columns.yml` lacks, or gives another type."""
    said: list[str] = []
    for name, kind in described:
        if name not in known:
            said.append(
                f"'{name}' of {table} is not in columns.yml · nearest: {nearest_first(name, known, 3)}"
            )
        elif known[name].type_in(table) != kind:
            said.append(f"'{name}' of {table} is {kind}, columns.yml says {known[name].type_in(table)}")
    return said


def _lines() -> Iterator[str]:
    yield "# Data dictionary"
    yield ""
    yield (
        "Made from `models/columns.yml` and the headers of the SQL files by `python -m models.dictionary`;"
        " a test compares this page with them, so change those."
    )
    yield (
        "`null` means not stated, `0` means stated as zero. All instants are microseconds UTC, all periods"
        " are half-open. Money inside is whole pico-USD (1e-12 USD), published money is USD with 12 decimals."
    )
    yield ""
    yield "## Input: what readers and Python steps hand over"
    for name, table in input_tables().items():
        made_from = f" Made by Python from `{MADE_FROM[name]}`." if name in MADE_FROM else ""
        yield from _table(
            name, f"Grain: {table.grain}.{made_from}", _columns_of(table_schema(name)), table.required
        )
    described = schemas()
    for layer, title in _TITLES.items():
        yield ""
        yield f"## {title}"
        for model in models().values():
            if model.layer == layer:
                yield from _table(model.name, _facts(model), described[model.name], model.key)
    yield ""
    yield "## Checks: queries that return offenders; any row stops the publication"
    for check in written_checks():
        text = f"{check.purpose} Grain: {check.grain}."
        yield from _table(check.name, text, described[check.name], ())
    yield ""
    yield "Beside these, one check per model: its key is unique and never null."


def _facts(model: Model) -> str:
    key, reads = (", ".join(f"`{name}`" for name in names) for names in (model.key, model.reads))
    refresh = model.refresh + (f" on `{model.window_column}`" if model.window_column else "")
    text = f"{model.purpose} Grain: {model.grain}. Key: {key}. Refresh: {refresh}. Reads: {reads}."
    return f"{text} Published." if model.name in published_tables() else text


def _columns_of(schema: pa.Schema) -> list[tuple[str, str]]:
    return list(zip(schema.names, map(sql_type, schema.types), strict=True))


def _table(
    name: str, text: str, described: list[tuple[str, str]], never_null: tuple[str, ...]
) -> Iterator[str]:
    said = undescribed(name, described, columns())
    if said:
        raise UserError(f"{said[0]} · models/columns.yml · describe it there or change the SQL")
    yield from ("", f"### {name}", "", text, "", "| column | type | unit | meaning |", "|---|---|---|---|")
    for column, kind in described:
        known = columns()[column]
        meaning = known.meaning.replace("|", "\\|")
        if known.allowed:
            meaning += f" ({', '.join(f'`{value}`' for value in known.allowed)})"
        mark = " not null" if column in never_null else ""
        yield f"| `{column}` | {kind}{mark} | {known.unit or ''} | {meaning} |"


def main() -> None:
    """Write the page, or with `--check` fail when the written one is another."""
    parser = argparse.ArgumentParser(prog="python -m models.dictionary", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the page lies")
    options = parser.parse_args()
    text = page()
    if options.check:
        if not options.page.is_file() or options.page.read_text(encoding="utf-8") != text:
            raise SystemExit(f"'{options.page}' is stale · run: python -m models.dictionary")
        return
    options.page.parent.mkdir(parents=True, exist_ok=True)
    options.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
