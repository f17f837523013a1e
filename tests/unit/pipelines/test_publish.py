"""Publishing: what a version holds, what is linked, when nothing is published, what a crash leaves."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from models.engines.duckdb import DuckDBEngine
from models.snapshot import open_snapshot
from pipelines import publish
from pipelines.digests import hash_ledger
from pipelines.publish import Edition, Publication, publish_snapshot
from pipelines.publish_versions import find_published
from pipelines.verify import PublishError
from pipelines.warehouse import belongs_to
from tests.unit.pipelines.published import edition, fill, names_below, use_tiny_model

NOW = datetime(2026, 10, 22, 2, 0, tzinfo=UTC)
LINES = [(0, 2, 5), (0, 1, 7), (1, 3, None)]
Publish = Callable[[Edition], Publication]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[DuckDBEngine]:
    use_tiny_model(monkeypatch)
    engine = DuckDBEngine(None)
    fill(engine, LINES, ["1"])
    yield engine
    engine.close()


@pytest.fixture
def publish_next(engine: DuckDBEngine, tmp_path: Path) -> Publish:
    return lambda made: publish_snapshot(engine, tmp_path, find_published(tmp_path), made, now=NOW)


FIRST = edition(0, 1, is_full=True)


def test_the_first_version_holds_every_day_and_the_pointer_names_it(
    publish_next: Publish, tmp_path: Path
) -> None:
    made = publish_next(FIRST)
    assert made.is_new
    assert made.changed_days == ("2026-10-19", "2026-10-20")
    assert made.snapshot_id == f"000001-20261022T020000Z-{made.ledger_hash[:8]}"
    assert (tmp_path / "CURRENT").read_text(encoding="ascii") == made.snapshot_id
    assert names_below(tmp_path / "versions") == {
        f"{made.snapshot_id}/{name}"
        for name in (
            "landed.txt",
            "manifest.json",
            "tables/fct_cost_lines/2026-10-19.parquet",
            "tables/fct_cost_lines/2026-10-20.parquet",
            "tables/fct_cost_lines/schema.parquet",
            "tables/fct_rejects/all.parquet",
            "tables/fct_rejects/schema.parquet",
        )
    }


def test_the_manifest_says_what_it_was_made_from(publish_next: Publish, tmp_path: Path) -> None:
    made = publish_next(replace(FIRST, files=("bb", "aa")))
    manifest = open_snapshot(tmp_path).manifest
    assert manifest["snapshot_id"] == made.snapshot_id
    assert manifest["published_at"] == "2026-10-22T02:00:00.000000Z"
    assert manifest["ledger_hash"] == made.ledger_hash == hash_ledger(manifest["day_digests"])
    assert set(manifest["day_digests"]) == {"2026-10-19", "2026-10-20"}
    assert (manifest["price_version"], manifest["mapping_version"], manifest["code_version"]) == (
        "price",
        "mapping",
        "code",
    )
    assert manifest["landed"]["file_count"] == 2
    assert manifest["last_used_at_us"] == 3
    assert manifest["last_landed_at"] == "2026-10-22T02:00:00Z"
    assert manifest["counts"] == {"files": 1}
    lines = manifest["tables"]["fct_cost_lines"]
    assert lines["window_column"] == "usage_date"
    assert [(entry["date"], entry["rows"]) for entry in lines["files"]] == [
        ("2026-10-19", 2),
        ("2026-10-20", 1),
    ]
    assert manifest["tables"]["fct_rejects"]["window_column"] is None


def test_readers_get_the_rows_back(publish_next: Publish, tmp_path: Path) -> None:
    publish_next(FIRST)
    with open_snapshot(tmp_path).connect() as reader:
        rows = reader.fetch("select attempt_key, cast(list_cost_usd as varchar) as cost from fct_cost_lines")
        assert rows.to_pylist() == [
            {"attempt_key": 1, "cost": "0.000000000007"},
            {"attempt_key": 2, "cost": "0.000000000005"},
            {"attempt_key": 3, "cost": None},
        ]


def test_the_same_again_publishes_nothing(
    publish_next: Publish, engine: DuckDBEngine, tmp_path: Path
) -> None:
    first = publish_next(FIRST)
    before = names_below(tmp_path)
    for again in (edition(0, 1), edition(), FIRST):
        fill(engine, LINES[::-1], ["1"])
        made = publish_next(again)
        assert (made.is_new, made.snapshot_id, made.ledger_hash) == (
            False,
            first.snapshot_id,
            first.ledger_hash,
        )
        assert names_below(tmp_path) == before


def test_days_that_did_not_change_share_their_file(
    publish_next: Publish, engine: DuckDBEngine, tmp_path: Path
) -> None:
    first = publish_next(FIRST)
    fill(engine, [*LINES, (2, 4, 9)], ["1"])
    second = publish_next(edition(1, 2))
    assert second.changed_days == ("2026-10-21",)

    def inode(snapshot_id: str, name: str) -> int:
        return (tmp_path / "versions" / snapshot_id / "tables" / name).stat().st_ino

    for name in ("19", "20"):
        path = f"fct_cost_lines/2026-10-{name}.parquet"
        assert inode(first.snapshot_id, path) == inode(second.snapshot_id, path)
    shared = "fct_rejects/all.parquet"
    assert inode(first.snapshot_id, shared) == inode(second.snapshot_id, shared)
    with open_snapshot(tmp_path).connect() as reader:
        counted = reader.fetch("select count(*) as n from fct_cost_lines").to_pylist()
        assert counted == [{"n": 4}]


def test_a_day_that_becomes_empty_leaves_the_snapshot(
    publish_next: Publish, engine: DuckDBEngine, tmp_path: Path
) -> None:
    publish_next(FIRST)
    fill(engine, LINES[:2], ["1"])
    made = publish_next(edition(1))
    assert made.changed_days == ("2026-10-20",)
    assert set(open_snapshot(tmp_path).manifest["day_digests"]) == {"2026-10-19"}
    assert "2026-10-20.parquet" not in str(names_below(tmp_path / "versions" / made.snapshot_id))


def test_a_full_build_forgets_days_it_does_not_have(
    publish_next: Publish, engine: DuckDBEngine, tmp_path: Path
) -> None:
    publish_next(FIRST)
    fill(engine, LINES[2:], ["1"])
    publish_next(edition(1, is_full=True))
    snapshot = open_snapshot(tmp_path)
    assert set(snapshot.manifest["day_digests"]) == {"2026-10-20"}
    assert [path.name for path in snapshot.files("fct_cost_lines")] == [
        "schema.parquet",
        "2026-10-20.parquet",
    ]


@pytest.mark.parametrize(
    "made",
    [edition(files=("aa", "bb")), replace(edition(), versions=replace(FIRST.versions, price="other"))],
    ids=["a file of duplicates", "a price book without effect"],
)
def test_what_it_was_made_from_is_news_even_when_no_number_moved(
    publish_next: Publish, tmp_path: Path, made: Edition
) -> None:
    first = publish_next(FIRST)
    second = publish_next(made)
    assert second.is_new
    assert second.snapshot_id != first.snapshot_id
    assert second.ledger_hash == first.ledger_hash
    assert second.changed_days == ()
    found = find_published(tmp_path)
    assert found is not None
    assert found.base.files == frozenset(made.files)
    assert found.base.versions == made.versions


def test_three_versions_are_kept(publish_next: Publish, tmp_path: Path) -> None:
    for count in range(1, 6):
        publish_next(edition(0, 1, is_full=True, files=tuple("abcde"[:count])))
    numbers = sorted(path.name[:6] for path in (tmp_path / "versions").iterdir())
    assert numbers == ["000003", "000004", "000005"]


def test_the_leftovers_of_a_crash_are_removed(publish_next: Publish, tmp_path: Path) -> None:
    (tmp_path / "versions" / ".draft-1" / "tables").mkdir(parents=True)
    (tmp_path / ".CURRENT.1.tmp").write_text("half", encoding="ascii")
    made = publish_next(FIRST)
    assert {path.name for path in (tmp_path / "versions").iterdir()} == {made.snapshot_id}
    assert {path.name for path in tmp_path.iterdir()} == {"CURRENT", "versions"}


def test_a_version_that_never_got_its_pointer_does_not_block_the_next(
    publish_next: Publish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, content: bytes) -> None:
        raise OSError(f"no space for {path.name} ({len(content)} bytes)")

    with monkeypatch.context() as patched:
        patched.setattr(publish, "write_durably", fail)
        with pytest.raises(OSError, match="no space"):
            publish_next(FIRST)
    made = publish_next(FIRST)
    assert open_snapshot(tmp_path).id == made.snapshot_id


def test_a_file_that_reads_back_differently_stops_the_publication(
    publish_next: Publish, engine: DuckDBEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = publish_next(FIRST)
    fill(engine, [*LINES, (1, 4, 9)], ["1"])
    write = engine.write
    monkeypatch.setattr(
        engine, "write", lambda select, path, params=None: write(f"{select} limit 1", path, params)
    )
    with pytest.raises(PublishError, match=r"2026-10-20\.parquet.*row count is 1 in the file and 2"):
        publish_next(edition(1))
    assert open_snapshot(tmp_path).id == first.snapshot_id


def test_the_warehouse_is_marked_before_the_pointer_moves(
    publish_next: Publish, engine: DuckDBEngine
) -> None:
    first = publish_next(FIRST)
    assert belongs_to(engine, first.snapshot_id)
    second = publish_next(edition(files=("aa", "bb")))
    assert belongs_to(engine, second.snapshot_id)
    assert belongs_to(engine, first.snapshot_id)
    third = publish_next(edition(files=("aa", "bb", "cc")))
    assert belongs_to(engine, third.snapshot_id)
    assert not belongs_to(engine, first.snapshot_id)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: (path / "manifest.json").unlink(),
        lambda path: (path / "manifest.json").write_text("{", encoding="utf-8"),
        lambda path: (path / "manifest.json").write_text("{}", encoding="utf-8"),
        lambda path: (path / "manifest.json").write_text("[]", encoding="utf-8"),
        lambda path: (path / "manifest.json").write_text('{"landed": 3}', encoding="utf-8"),
        lambda path: (path / "landed.txt").write_text("zz\n", encoding="ascii"),
        lambda path: (path / "tables/fct_cost_lines/2026-10-19.parquet").unlink(),
        lambda path: os.truncate(path / "tables/fct_rejects/all.parquet", 10),
    ],
    ids=["no manifest", "broken", "empty", "list", "number", "other files", "file gone", "file cut"],
)
def test_a_damaged_snapshot_counts_as_none(
    publish_next: Publish, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    made = publish_next(FIRST)
    assert find_published(tmp_path) is not None
    damage(tmp_path / "versions" / made.snapshot_id)
    assert find_published(tmp_path) is None
    again = publish_next(FIRST)
    assert again.snapshot_id.startswith("000002-")
    assert open_snapshot(tmp_path).id == again.snapshot_id
