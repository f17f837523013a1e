"""Parts on disk: by day, bounded in memory, all of them or none."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines import parts
from pipelines.errors import UserError
from pipelines.parts import PartWriter

NAME = "f" * 64


def table(*rows: tuple[int, int]) -> pa.Table:
    """Rows of a day in November 2026 and a number."""
    days = pa.array([date(2026, 11, day) for day, _ in rows], pa.date32())
    return pa.table({"usage_date": days, "n": pa.array([number for _, number in rows], pa.int64())})


def numbers(landed: Path, day: int) -> list[Any]:
    path = landed / "raw_attempts" / f"usage_date=2026-11-{day}" / f"{NAME}.parquet"
    return pq.read_table(path, partitioning=None)["n"].to_pylist()


def test_rows_go_to_their_days_in_their_order(tmp_path: Path) -> None:
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_attempts", table((14, 1), (15, 2), (14, 3)))
        writer.add("raw_attempts", table((14, 4)))
        written = writer.finish()
    assert written == {
        f"raw_attempts/usage_date=2026-11-14/{NAME}.parquet": 3,
        f"raw_attempts/usage_date=2026-11-15/{NAME}.parquet": 1,
    }
    assert numbers(tmp_path, 14) == [1, 3, 4]
    assert numbers(tmp_path, 15) == [2]


def test_tables_without_a_day_are_one_part(tmp_path: Path) -> None:
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_rejects", pa.table({"x": ["a"]}))
        writer.add("raw_rejects", pa.table({"x": pa.array([], pa.string())}))
        written = writer.finish()
    assert written == {f"raw_rejects/{NAME}.parquet": 1}


def test_nothing_added_is_nothing_written(tmp_path: Path) -> None:
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_attempts", table())
        assert writer.finish() == {}
    assert not list(tmp_path.rglob("*.parquet"))


def test_parts_are_compressed_with_zstd(tmp_path: Path) -> None:
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_attempts", table((14, 1)))
        (part,) = writer.finish()
    assert pq.ParquetFile(tmp_path / part).metadata.row_group(0).column(0).compression == "ZSTD"


def test_what_is_held_in_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROWS_PER_GROUP", 10)
    monkeypatch.setattr(parts, "MOST_ROWS_HELD", 12)
    with PartWriter(tmp_path, NAME) as writer:
        for number in range(100):
            writer.add("raw_attempts", table((14 + number % 5, number)))
            assert sum(writer._rows.values()) <= 12
        writer.finish()
    assert sorted(n for day in range(14, 19) for n in numbers(tmp_path, day)) == list(range(100))
    assert numbers(tmp_path, 14) == list(range(0, 100, 5))


def test_an_error_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROWS_PER_GROUP", 1)

    def fail() -> None:
        with PartWriter(tmp_path, NAME) as writer:
            writer.add("raw_attempts", table((14, 1)))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert not list(tmp_path.rglob("*.parquet"))
    assert not list((tmp_path / "unfinished").iterdir())


def test_leaving_without_finish_leaves_nothing(tmp_path: Path) -> None:
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_attempts", table((14, 1)))
    assert not list(tmp_path.rglob("*.parquet"))


def test_too_many_days_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_DAYS", 3)
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_attempts", table((14, 1), (15, 1), (16, 1)))
        with pytest.raises(UserError, match=r"more than 3 days.*split"):
            writer.add("raw_attempts", table((17, 1)))


def test_a_part_left_by_a_killed_run_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "raw_attempts" / "usage_date=2026-11-14" / f"{NAME}.parquet"
    target.parent.mkdir(parents=True)
    target.write_bytes(b"half")
    with PartWriter(tmp_path, NAME) as writer:
        writer.add("raw_attempts", table((14, 1)))
        writer.finish()
    assert numbers(tmp_path, 14) == [1]
