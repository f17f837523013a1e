"""Many readers while versions are published and removed: each answer is of one version, none is an error."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from models.report_scope import Period, Scope
from models.reports import spend_by, spend_totals
from models.snapshot import SnapshotReader, read_snapshot
from tests.snapshots import DAY, Line, write_snapshot

READERS, VERSIONS, KEPT, FEATURES = 8, 12, 3, 5
SCOPE = Scope(Period.of_days(DAY, DAY))


def publish(published: Path, number: int) -> Path:
    """A version whose every line costs its number, so that a mixture of versions has a wrong sum."""
    lines = [Line(feature=f"f{place}", cost=str(number)) for place in range(FEATURES)]
    name = f"{number:06d}-20261022T020000Z-0a1b2c3d"
    folder = write_snapshot(published, lines, snapshot_id=name, point=False)
    beside = published / f".CURRENT.{number}"
    beside.write_text(name)
    beside.replace(published / "CURRENT")
    return folder


def whole_answer(reader: SnapshotReader) -> tuple[int, int]:
    """Number of the version that was read, and how many lines of it; fails on a mixture."""
    number = int(reader.snapshot.id[:6])
    rows = spend_by(reader, "feature", SCOPE).to_pylist()
    (total,) = spend_totals(reader, SCOPE).to_pylist()
    assert [row["effective_cost_usd"] for row in rows] == [number] * FEATURES
    assert total["effective_cost_usd"] == number * FEATURES
    return number, total["line_count"]


def test_readers_see_one_version_each_while_versions_come_and_go(tmp_path: Path) -> None:
    kept = [publish(tmp_path, 1)]
    done = Event()

    def read_until_done() -> list[tuple[int, int]]:
        seen = []
        while not done.is_set():
            seen.append(read_snapshot(tmp_path, whole_answer))
        return seen

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(read_until_done) for _ in range(READERS)]
        try:
            for number in range(2, VERSIONS + 1):
                kept.append(publish(tmp_path, number))
                for old in kept[:-KEPT]:
                    shutil.rmtree(old, ignore_errors=True)
        finally:
            done.set()
        answers = [reader.result() for reader in readers]
    assert all(line_count == FEATURES for answer in answers for _, line_count in answer)
    for answer in answers:
        numbers = [number for number, _ in answer]
        assert numbers == sorted(numbers)
    assert read_snapshot(tmp_path, whole_answer) == (VERSIONS, FEATURES)
