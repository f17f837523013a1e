"""The warehouse file: opened by the one writer, thrown away when every day is built again.

Lives here: opening it with the settings of a home, and the mark that says which snapshot it belongs to.
Does not live here: its tables (the models make them) and the lock of the writer.
"""

from collections.abc import Generator
from contextlib import contextmanager

from models.engines.base import Engine
from models.engines.duckdb import DuckDBEngine
from pipelines.settings import Settings

MARK = "warehouse_mark"


@contextmanager
def open_warehouse(settings: Settings) -> Generator[DuckDBEngine]:
    """Open the warehouse of a home for writing, for the length of the block."""
    engine = DuckDBEngine(settings.warehouse, memory_limit=settings.memory_limit, threads=settings.threads)
    try:
        yield engine
    finally:
        engine.close()


def discard_warehouse(settings: Settings) -> None:
    """Delete the warehouse and its log; landed data gives it back."""
    for path in (settings.warehouse, settings.warehouse.with_name(f"{settings.warehouse.name}.wal")):
        path.unlink(missing_ok=True)


def belongs_to(engine: Engine, snapshot_id: str) -> bool:
    """True when the tables led to snapshot `snapshot_id`, or were about to replace it."""
    select = "select count(*) as table_count from information_schema.tables where table_name = $name"
    found = engine.fetch(select, {"name": MARK})
    if not found["table_count"][0].as_py():
        return False
    marks = engine.fetch(f"select snapshot_id, previous_snapshot_id from {MARK}").to_pylist()
    return any(snapshot_id in mark.values() for mark in marks)


def mark_warehouse(engine: Engine, snapshot_id: str, previous_snapshot_id: str | None) -> None:
    """Say that the tables are those of `snapshot_id`; written before the pointer moves.

    The previous id stays valid, because a crash between the mark and the pointer leaves that one published
    and the days between the two in building.json.
    """
    engine.build(
        MARK,
        "select cast($snapshot_id as varchar) as snapshot_id,"
        " cast($previous as varchar) as previous_snapshot_id",
        {"snapshot_id": snapshot_id, "previous": previous_snapshot_id},
    )
