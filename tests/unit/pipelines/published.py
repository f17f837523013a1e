"""A tiny cost model to publish: the ledger, one fact by day and one table without days."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from models.engines.duckdb import DuckDBEngine
from models.registry import Model
from pipelines import publish
from pipelines.publish import Edition
from pipelines.versions import Versions

MONDAY = date(2026, 10, 19)
VERSIONS = Versions("price", "mapping", "code")
# Day offset, attempt key, pico-USD or null.
Line = tuple[int, int, int | None]


def day(offset: int) -> date:
    return MONDAY + timedelta(days=offset)


def model(name: str, key: tuple[str, ...], window_column: str | None) -> Model:
    refresh = "window" if window_column else "full"
    return Model(name, "marts", "", "", key, refresh, window_column, "", "", ())


TABLES = {
    "int_cost_lines": model("int_cost_lines", ("usage_date", "attempt_key", "meter"), "usage_date"),
    "fct_cost_lines": model("fct_cost_lines", ("usage_date", "attempt_key", "meter"), "usage_date"),
    "fct_rejects": model("fct_rejects", ("file_sha256", "record_position"), None),
}


def use_tiny_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the publisher see the tiny cost model in place of the real one."""
    monkeypatch.setattr(publish, "models", lambda: TABLES)
    monkeypatch.setattr(publish, "published_tables", lambda: ("fct_cost_lines", "fct_rejects"))


def fill(engine: DuckDBEngine, lines: Sequence[Line], rejects: Sequence[str] = ()) -> None:
    """Put lines and the positions of rejects into the warehouse."""
    offsets, keys, costs = zip(*lines, strict=True) if lines else ((), (), ())
    table = pa.table(
        {
            "usage_date": pa.array([day(offset) for offset in offsets], pa.date32()),
            "attempt_key": pa.array(keys, pa.int64()),
            "meter": pa.array(["request"] * len(lines), pa.string()),
            "list_cost_pico_usd": pa.array(costs, pa.int64()),
        }
    )
    engine.load("int_cost_lines", table)
    money = (
        "cast(cast(list_cost_pico_usd as decimal(25,0)) * cast('0.000000000001' as decimal(12,12))"
        " as decimal(38,12))"
    )
    engine.build(
        "fct_cost_lines",
        f"select usage_date, attempt_key, meter, {money} as list_cost_usd from int_cost_lines",
        {},
    )
    engine.build("stg_attempts", "select usage_date, attempt_key as used_at_us from int_cost_lines", {})
    positions = pa.array(list(rejects), pa.string())
    engine.load(
        "fct_rejects",
        pa.table({"file_sha256": pa.array(["aa"] * len(rejects), pa.string()), "record_position": positions}),
    )


def edition(*offsets: int, is_full: bool = False, files: tuple[str, ...] = ("aa",)) -> Edition:
    """An edition that built the days at these offsets."""
    return Edition(
        days=tuple(day(offset) for offset in offsets),
        is_full=is_full,
        versions=VERSIONS,
        files=files,
        last_landed_at="2026-10-22T02:00:00Z",
        counts={"files": len(files)},
    )


def names_below(folder: Path) -> set[str]:
    """Every file below the folder, by its path inside."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
