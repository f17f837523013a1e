"""The read side of what is published: pointer, manifest and files."""

import json
from pathlib import Path
from typing import Any

import pytest

from models import snapshot as snapshot_module
from models.errors import UserError
from models.manifest import DamagedSnapshotError, NoSnapshotError, SnapshotError, SnapshotGoneError
from models.snapshot import Snapshot, open_snapshot, open_version
from tests.snapshots import Line, write_snapshot

FIRST = "000001-20261022T020000Z-0a1b2c3d"
SECOND = "000002-20261023T020000Z-4e5f6a7b"
COST = "select sum(effective_cost_usd) as cost from agg_daily_costs"


def cost(snapshot: Snapshot) -> str:
    with snapshot.connect() as reader:
        return str(reader.fetch(COST).to_pylist()[0]["cost"])


def test_pointer_names_the_version_and_manifest_comes_along(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path, [Line()])
    snapshot = open_snapshot(tmp_path)
    assert (snapshot.id, snapshot.path) == (FIRST, folder)
    assert snapshot.manifest["price_version"] == "d" * 64
    assert snapshot.tables == ("agg_daily_costs", "agg_daily_requests", "fct_file_accounts")


def test_files_of_a_table_start_with_the_empty_one(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line()])
    names = [path.name for path in open_snapshot(tmp_path).files("agg_daily_costs")]
    assert names == ["schema.parquet", "2026-10-20.parquet"]


def test_table_that_is_not_published_names_the_nearest(tmp_path: Path) -> None:
    write_snapshot(tmp_path)
    with pytest.raises(SnapshotError, match=r"'agg_daily_cost' is not .*published: agg_daily_costs,"):
        open_snapshot(tmp_path).files("agg_daily_cost")


def test_tables_without_rows_keep_their_columns(tmp_path: Path) -> None:
    write_snapshot(tmp_path)
    with open_snapshot(tmp_path).connect() as reader:
        rows = reader.fetch("select usage_date, effective_cost_usd from agg_daily_costs")
    assert rows.num_rows == 0
    assert [str(field.type) for field in rows.schema] == ["date32[day]", "decimal128(38, 12)"]


def test_money_arrives_exact_and_as_decimal(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line(cost="12345678901234.000000000001"), Line(cost="0.1", feature="x")])
    assert cost(open_snapshot(tmp_path)) == "12345678901234.100000000001"


def test_a_version_stays_readable_after_the_next_is_published(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [Line(cost="1")])
    held = open_snapshot(tmp_path)
    write_snapshot(tmp_path, [Line(cost="2")], snapshot_id=SECOND)
    assert cost(held) == "1.000000000000"
    assert cost(open_snapshot(tmp_path)) == "2.000000000000"
    assert open_version(tmp_path, FIRST).id == FIRST


def test_nothing_published_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(NoSnapshotError, match=r"holds no published snapshot .* run `inferledger run` first"):
        open_snapshot(tmp_path / "absent")
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(NoSnapshotError):
        open_snapshot(tmp_path / "file")


def test_every_error_is_one_that_a_user_can_fix() -> None:
    for kind in (NoSnapshotError, SnapshotGoneError, DamagedSnapshotError):
        assert issubclass(kind, UserError)


def test_pointer_to_a_missing_version_fails_after_one_more_look(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text(FIRST)
    with pytest.raises(SnapshotGoneError, match=rf"'{FIRST}' is a version that is not there"):
        open_snapshot(tmp_path)


def test_version_removed_between_pointer_and_manifest_is_looked_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_snapshot(tmp_path, [Line(cost="2")], snapshot_id=SECOND)
    answers = iter([FIRST, SECOND])
    monkeypatch.setattr(snapshot_module, "_pointed", lambda published: next(answers))
    assert open_snapshot(tmp_path).id == SECOND


@pytest.mark.parametrize("name", ["", "../outside", "a/b", ".hidden", "x" * 10 + "\n", "ä"])
def test_pointer_may_only_hold_a_plain_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(DamagedSnapshotError, match="is not the name of a version"):
        open_version(tmp_path, name)


def test_pointer_that_is_not_text_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DamagedSnapshotError, match="'CURRENT' is damaged"):
        open_snapshot(tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "it is not JSON"),
        (b"{", "it is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b"\xff", "it cannot be read"),
        (b"{}", "key 'snapshot_id' is missing"),
    ],
)
def test_damaged_manifest_says_where_and_what_next(tmp_path: Path, text: bytes, reason: str) -> None:
    folder = write_snapshot(tmp_path)
    (folder / "manifest.json").write_bytes(text)
    with pytest.raises(DamagedSnapshotError, match=reason) as caught:
        open_snapshot(tmp_path)
    assert str(folder / "manifest.json") in str(caught.value)
    assert "inferledger publish" in str(caught.value)


def test_manifest_of_another_version_is_damaged(tmp_path: Path) -> None:
    folder = write_snapshot(tmp_path)
    told = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(told | {"snapshot_id": SECOND}))
    with pytest.raises(DamagedSnapshotError, match=f"it describes '{SECOND}'"):
        open_snapshot(tmp_path)


@pytest.mark.parametrize("key", ["published_at", "price_version", "day_digests", "tables"])
def test_manifest_without_a_needed_key_is_damaged(tmp_path: Path, key: str) -> None:
    write_snapshot(tmp_path, **{key: None})
    with pytest.raises(DamagedSnapshotError, match=f"key '{key}' is missing or not a"):
        open_snapshot(tmp_path)


@pytest.mark.parametrize(
    "tables",
    [
        {"agg_daily_costs": {}},
        {"agg_daily_costs": []},
        {"agg_daily_costs": {"files": [{"path": 1, "bytes": 1}]}},
        {"agg_daily_costs": {"files": [{"path": "x"}]}},
        {'a"; drop table x': {"files": []}},
        {"Agg": {"files": []}},
    ],
)
def test_manifest_with_a_misshapen_table_is_damaged(tmp_path: Path, tables: dict[str, Any]) -> None:
    write_snapshot(tmp_path, tables=tables)
    with pytest.raises(DamagedSnapshotError, match="has not the right shape"):
        open_snapshot(tmp_path)


def test_manifest_cannot_reach_outside_its_version(tmp_path: Path) -> None:
    other = write_snapshot(tmp_path, [Line(cost="9")], snapshot_id=SECOND)
    foreign = f"../{other.name}/tables/agg_daily_costs/2026-10-20.parquet"
    entry = {"path": foreign, "bytes": 1, "rows": 1, "date": None}
    write_snapshot(tmp_path, tables={"agg_daily_costs": {"window_column": None, "files": [entry]}})
    with pytest.raises(DamagedSnapshotError, match="leaves the folder"):
        open_snapshot(tmp_path).connect()
