"""Laws of ledger.md 10.1 over whole loads: order of landing, reruns, days that become empty."""

import random
from pathlib import Path

import pytest

from models.snapshot import open_snapshot
from pipelines.settings import Settings
from tests.nights import FILES, ledger_hash, night, read, sample_home, spend_log, write_log


@pytest.fixture(scope="module")
def clean_hash(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = sample_home(tmp_path_factory.mktemp("clean"))
    night(settings, FILES)
    return ledger_hash(settings)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return sample_home(tmp_path / "ledger")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_landing_does_not_matter(settings: Settings, clean_hash: str, seed: int) -> None:
    chance = random.Random(seed)
    files = list(FILES)
    chance.shuffle(files)
    nights = 0
    while files:
        count = chance.randint(1, 4)
        night(settings, files[:count])
        files, nights = files[count:], nights + 1
    assert nights >= 2
    assert ledger_hash(settings) == clean_hash


def test_a_rerun_changes_nothing(settings: Settings, clean_hash: str) -> None:
    first = night(settings, FILES)
    assert first is not None
    before = sorted((path, path.stat().st_mtime_ns) for path in settings.published.rglob("*"))
    assert night(settings, FILES) is None
    assert sorted((path, path.stat().st_mtime_ns) for path in settings.published.rglob("*")) == before
    assert ledger_hash(settings) == clean_hash


def test_building_every_day_again_changes_nothing(settings: Settings, clean_hash: str) -> None:
    first = night(settings, FILES)
    settings.warehouse.unlink()
    again = night(settings, [])
    assert first is not None
    assert again is not None
    assert (again.is_new, again.snapshot_id) == (False, first.snapshot_id)
    assert again.ledger_hash == clean_hash


def test_renamed_and_copied_files_change_nothing(settings: Settings, clean_hash: str, tmp_path: Path) -> None:
    for index, path in enumerate(FILES):
        (tmp_path / f"copy-{index}.jsonl").write_bytes(path.read_bytes())
    night(settings, [tmp_path / f"copy-{index}.jsonl" for index in range(len(FILES))])
    night(settings, FILES)
    assert ledger_hash(settings) == clean_hash


def test_files_split_and_merged_give_the_same_ledger(
    settings: Settings, clean_hash: str, tmp_path: Path
) -> None:
    merged = tmp_path / "merged.jsonl"
    for kind in ("litellm", "otlp"):
        lines = b"".join(path.read_bytes() for path in FILES if path.name.startswith(kind)).splitlines(True)
        half = len(lines) // 2
        for part in (lines[half:], lines[:half]):
            target = merged.with_name(f"{kind}-{len(part)}-{part is lines}.jsonl")
            target.write_bytes(b"".join(part))
            night(settings, [target])
    assert ledger_hash(settings) == clean_hash


def test_a_day_that_becomes_empty_becomes_empty(settings: Settings, tmp_path: Path) -> None:
    # A first version of the call of Monday, and the finished one, which says that it started on Tuesday.
    first = spend_log("moves", "2026-10-19T23:59:59.000000", completion=1)
    final = spend_log("moves", "2026-10-20T00:00:01.000000", seconds=30)
    other = spend_log("stays", "2026-10-21T10:00:00.000000")
    night(settings, [write_log(tmp_path / "a.jsonl", first, other)])
    assert set(open_snapshot(settings.published).manifest["day_digests"]) == {"2026-10-19", "2026-10-21"}
    made = night(settings, [write_log(tmp_path / "b.jsonl", final)])
    assert made is not None
    assert made.changed_days == ("2026-10-19", "2026-10-20")
    assert set(open_snapshot(settings.published).manifest["day_digests"]) == {"2026-10-20", "2026-10-21"}
    days = read(settings, "select distinct usage_date as day from agg_daily_costs order by day")
    assert [row["day"].isoformat() for row in days] == ["2026-10-20", "2026-10-21"]


def test_a_late_first_attempt_takes_its_request_to_the_day_before(settings: Settings, tmp_path: Path) -> None:
    def tried(number: int, start: str, status: str) -> str:
        return spend_log(f"try-{number}", start, request="r", attempt=number, status=status)

    second = write_log(tmp_path / "second.jsonl", tried(2, "2026-10-20T00:00:30", "success"))
    first = write_log(tmp_path / "first.jsonl", tried(1, "2026-10-19T23:59:30", "failure"))
    night(settings, [second])
    asked = "select request_date, attempt_count, is_answered from fct_requests"
    assert [(row["request_date"].day, row["attempt_count"]) for row in read(settings, asked)] == [(20, 1)]
    night(settings, [first])
    assert [(row["request_date"].day, row["attempt_count"]) for row in read(settings, asked)] == [(19, 2)]
    whole = sample_home(tmp_path / "whole")
    night(whole, [first, second])
    assert ledger_hash(settings) == ledger_hash(whole)
