"""The files of one published table: new days written and verified, unchanged ones linked.

Lives here: one Parquet file a day (or one for a table without days) and the hard links to the last version.
Does not live here: when a version counts as published (publish.py).
"""

import filecmp
import os
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from models.engines.base import Engine, Params
from models.registry import Model
from pipelines.publish_versions import Published
from pipelines.verify import verify_file

SCHEMA_NAME = "schema.parquet"


@dataclass
class TableFiles:
    """One table of a draft: its entries for the manifest, and the files whose content is new."""

    name: str
    window_column: str | None
    files: list[dict[str, Any]] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)


def write_table(
    engine: Engine,
    model: Model,
    draft: Path,
    previous: Published | None,
    days: tuple[date, ...],
    is_full: bool,
) -> TableFiles:
    """Write the built `days` of a table (all its days when `is_full`) and link every other day's file."""
    table = TableFiles(model.name, model.window_column)
    folder = draft / "tables" / model.name
    folder.mkdir(parents=True)
    old = previous.path / "tables" / model.name if previous else None
    _write_schema(engine, model, folder, old, table)
    if model.window_column is None:
        _write_file(engine, model, folder / "all.parquet", None, old, table)
        return table
    wanted = _days_of(engine, model) if is_full else days
    for day in wanted:
        _write_file(engine, model, folder / f"{day.isoformat()}.parquet", day, old, table)
    if previous and not is_full:
        _link_other_days(previous, model, folder, {day.isoformat() for day in days}, table)
    table.files.sort(key=lambda entry: entry["path"])
    return table


def _write_schema(engine: Engine, model: Model, folder: Path, old: Path | None, table: TableFiles) -> None:
    path = folder / SCHEMA_NAME
    engine.write(f"select * from {model.name} where 1 = 0", path)
    if not _link_if_equal(path, old):
        table.written.append(path)


def _write_file(
    engine: Engine, model: Model, path: Path, day: date | None, old: Path | None, table: TableFiles
) -> None:
    params: Params = {} if day is None else {"day": day}
    select = f"select * from {model.name}" + ("" if day is None else f" where {model.window_column} = $day")
    # Rows in key order: equal content gives equal bytes, and readers skip row groups.
    row_count = engine.write(f"{select} order by {', '.join(model.key)}", path, params)
    verified = verify_file(engine, select, params, path)
    if day is not None and not row_count:
        path.unlink()
        return
    if not _link_if_equal(path, old):
        table.written.append(path)
    table.files.append(
        {
            "path": f"tables/{model.name}/{path.name}",
            "date": day.isoformat() if day else None,
            "rows": verified,
            "bytes": path.stat().st_size,
        }
    )


def _link_if_equal(path: Path, old: Path | None) -> bool:
    if old is None or not (old / path.name).exists() or not filecmp.cmp(path, old / path.name, shallow=False):
        return False
    path.unlink()
    os.link(old / path.name, path)
    return True


def _link_other_days(
    previous: Published, model: Model, folder: Path, built: set[str], table: TableFiles
) -> None:
    for entry in previous.manifest["tables"].get(model.name, {"files": []})["files"]:
        if entry["date"] in built:
            continue
        os.link(previous.path / entry["path"], folder / Path(entry["path"]).name)
        table.files.append(entry)


def _days_of(engine: Engine, model: Model) -> tuple[date, ...]:
    column = model.window_column
    found = engine.fetch(f"select distinct {column} as day from {model.name} order by 1")
    return tuple(row["day"] for row in found.to_pylist())
