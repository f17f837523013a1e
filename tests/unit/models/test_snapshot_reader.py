"""Reading a version: what happens when its files go, and how little the connection can do."""

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from models.errors import ModelError
from models.manifest import DamagedSnapshotError, SnapshotGoneError
from models.snapshot import Snapshot, open_snapshot, read_snapshot
from tests.snapshots import Line, write_snapshot

FIRST = "000001-20261022T020000Z-0a1b2c3d"
SECOND = "000002-20261023T020000Z-4e5f6a7b"
COST = "select sum(effective_cost_usd) as cost from agg_daily_costs"


def cost(snapshot: Snapshot) -> str:
    with snapshot.connect() as reader:
        return str(reader.fetch(COST).to_pylist()[0]["cost"])


def test_missing_and_short_files_are_named(tmp_path: Path) -> None:
    path = write_snapshot(tmp_path, [Line()]) / "tables" / "agg_daily_costs" / "2026-10-20.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedSnapshotError, match=r"2026-10-20.parquet' has \d+ bytes, not \d+"):
        open_snapshot(tmp_path).connect()
    path.unlink()
    with pytest.raises(DamagedSnapshotError, match=r"2026-10-20.parquet' is missing"):
        open_snapshot(tmp_path).connect()


def test_file_of_the_right_size_with_wrong_bytes_is_an_error(tmp_path: Path) -> None:
    path = write_snapshot(tmp_path, [Line()]) / "tables" / "agg_daily_costs" / "schema.parquet"
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(ModelError, match="agg_daily_costs"):
        open_snapshot(tmp_path).connect()


def test_version_removed_while_it_is_read_is_gone_not_broken(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path, [Line()])
    with open_snapshot(tmp_path).connect() as reader:
        shutil.rmtree(folder)
        with pytest.raises(SnapshotGoneError):
            reader.fetch(COST)


def test_version_half_removed_is_gone_only_when_another_is_current(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path, [Line()])
    held = open_snapshot(tmp_path)
    (folder / "tables" / "agg_daily_costs" / "2026-10-20.parquet").unlink()
    with pytest.raises(DamagedSnapshotError):
        held.connect()
    write_snapshot(tmp_path, [Line()], snapshot_id=SECOND)
    with pytest.raises(SnapshotGoneError):
        held.connect()
    assert held.is_gone()
    assert not open_snapshot(tmp_path).is_gone()


def test_version_removed_while_connecting_is_gone(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path, [Line()])
    held = open_snapshot(tmp_path)
    shutil.rmtree(folder)
    with pytest.raises(SnapshotGoneError):
        held.connect()


def test_read_snapshot_starts_over_when_its_version_goes(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path, [Line(cost="1")])
    seen: list[str] = []

    def read(reader: Any) -> str:
        seen.append(reader.snapshot.id)
        if len(seen) == 1:
            shutil.rmtree(folder)
            write_snapshot(tmp_path, [Line(cost="2")], snapshot_id=SECOND)
        return str(reader.fetch(COST).to_pylist()[0]["cost"])

    assert read_snapshot(tmp_path, read) == "2.000000000000"
    assert seen == [FIRST, SECOND]


def test_read_snapshot_gives_up_when_every_version_goes(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line()])
    seen: list[str] = []

    def read(reader: Any) -> None:
        seen.append(reader.snapshot.id)
        raise SnapshotGoneError("gone")

    with pytest.raises(SnapshotGoneError, match=FIRST):
        read_snapshot(tmp_path, read)
    assert len(seen) == 10


def test_read_snapshot_closes_what_it_opened(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line()])
    kept = read_snapshot(tmp_path, lambda reader: reader)
    with pytest.raises(Exception, match=r"[Cc]losed"):
        kept.fetch(COST)


@pytest.mark.parametrize(
    "select",
    [
        "select * from read_parquet('{outside}')",
        "select * from read_text('{outside}')",
        "select * from glob('/*')",
    ],
)
def test_connection_reads_nothing_outside_its_version(tmp_path: Path, select: str) -> None:
    write_snapshot(tmp_path / "published", [Line()])
    outside = tmp_path / "outside.parquet"
    shutil.copy(next((tmp_path / "published").rglob("2026-10-20.parquet")), outside)
    with open_snapshot(tmp_path / "published").connect() as reader, pytest.raises(ModelError):
        reader.fetch(select.format(outside=outside))


@pytest.mark.parametrize(
    "statement",
    [
        "set threads = 8",
        "set enable_external_access = true",
        "attach 'other.duckdb'",
        "install httpfs",
        "copy agg_daily_costs to '{folder}/stolen.parquet'",
        "drop view agg_daily_costs",
    ],
)
def test_connection_runs_nothing_but_a_select(tmp_path: Path, statement: str) -> None:
    folder = write_snapshot(tmp_path, [Line()])
    with open_snapshot(tmp_path).connect() as reader:
        with pytest.raises(ModelError):
            reader.fetch(statement.format(folder=folder))
        assert reader.fetch(COST).num_rows == 1
    assert not (folder / "stolen.parquet").exists()


def test_values_are_bound_and_never_become_sql(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line(feature="x' or 'a'='a")])
    select = "select feature from agg_daily_costs where feature = $feature"
    with open_snapshot(tmp_path).connect() as reader:
        assert reader.fetch(select, {"feature": "' or 1=1 --"}).num_rows == 0
        assert reader.fetch(select, {"feature": "x' or 'a'='a"}).num_rows == 1


def test_folder_names_with_quotes_and_days_are_read(tmp_path: Path) -> None:
    published = tmp_path / "it's" / "usage_date=1999-01-01"
    write_snapshot(published, [Line(cost="3")])
    with open_snapshot(published).connect() as reader:
        days = reader.fetch("select usage_date from agg_daily_costs").to_pylist()
    assert str(days[0]["usage_date"]) == "2026-10-20"


def test_relative_folder_is_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_snapshot(tmp_path / "published", [Line(cost="3")])
    monkeypatch.chdir(tmp_path)
    held = open_snapshot(Path("published"))
    monkeypatch.chdir("/")
    assert cost(held) == "3.000000000000"


def test_threads_share_one_reader(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line(cost="1", feature=str(number)) for number in range(50)])
    answers: list[str] = []

    def work(reader: Any) -> Callable[[], None]:
        return lambda: answers.extend(str(reader.fetch(COST).to_pylist()[0]["cost"]) for _ in range(5))

    with open_snapshot(tmp_path).connect() as reader:
        threads = [Thread(target=work(reader)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == ["50.000000000000"] * 40
