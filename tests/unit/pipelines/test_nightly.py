"""The night's steps: what each leaves for the next, and what stops a publication."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from models.errors import ModelError
from models.snapshot import open_snapshot
from pipelines import build, nightly
from pipelines.building import read_building, write_building
from pipelines.checks import CheckError
from pipelines.errors import UserError
from pipelines.settings import Settings
from pipelines.warehouse import open_warehouse
from tests.nights import night, read, sample_home, spend_log, write_log

MONDAY, TUESDAY = date(2026, 10, 19), date(2026, 10, 20)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return sample_home(tmp_path / "ledger")


def log(settings: Settings, name: str, *starts: str) -> Path:
    lines = (spend_log(f"{name}-{number}", start) for number, start in enumerate(starts))
    return write_log(settings.home / "inbox" / f"{name}.jsonl", *lines)


def built(settings: Settings, files: Sequence[Path]) -> nightly.Night:
    nightly.land(settings, files)
    prepared = nightly.prepare(settings)
    nightly.build(prepared)
    return prepared


def damage(settings: Settings) -> None:
    """Let the warehouse hold a cost that no price explains."""
    with open_warehouse(settings) as engine:
        wrong = "select * replace (list_cost_pico_usd + 1 as list_cost_pico_usd) from int_cost_lines"
        engine.build("int_cost_lines", wrong, {})


def test_the_inbox_is_what_is_loaded_without_paths(settings: Settings) -> None:
    log(settings, "one", "2026-10-19T10:00:00")
    result = nightly.land(settings)
    assert [(file.path.name, file.status) for file in result.files] == [("one.jsonl", "landed")]
    assert result.days == [MONDAY]


def test_nothing_landed_is_nothing_to_do(settings: Settings) -> None:
    assert nightly.prepare(settings).plan.is_empty
    assert not settings.warehouse.exists()


def test_a_night_leaves_a_snapshot_and_nothing_under_construction(settings: Settings) -> None:
    made = night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    assert made is not None
    assert open_snapshot(settings.published).id == made.snapshot_id
    assert read_building(settings.building_file) is None
    assert nightly.prepare(settings).plan.is_empty


def test_a_late_file_builds_its_day_and_the_neighbours(settings: Settings) -> None:
    night(settings, [log(settings, "one", "2026-10-15T10:00:00", "2026-10-19T10:00:00")])
    nightly.land(settings, [log(settings, "late", "2026-10-19T11:00:00")])
    plan = nightly.prepare(settings).plan
    assert (plan.days, plan.is_full) == (tuple(date(2026, 10, day) for day in (18, 19, 20)), False)


def test_building_names_days_files_versions_and_base(settings: Settings) -> None:
    first = night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    prepared = built(settings, [log(settings, "two", "2026-10-20T10:00:00")])
    left = read_building(settings.building_file)
    assert left is not None
    assert first is not None
    assert left.is_built
    assert left.days == (MONDAY, TUESDAY, date(2026, 10, 21))
    assert left.base_snapshot_id == first.snapshot_id
    assert left.files == tuple(sorted(manifest.file_sha256 for manifest in prepared.manifests))
    assert left.versions == prepared.versions


def test_a_build_that_crashed_is_taken_up_by_the_next(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    nightly.land(settings, [log(settings, "two", "2026-10-20T10:00:00")])

    def fail(*given: object) -> int:
        raise ModelError("int_meters", "select 1", {}, f"injected after {len(given)}")

    with monkeypatch.context() as patched:
        patched.setattr(build, "build_model", fail)
        with pytest.raises(ModelError, match="injected"):
            nightly.build(nightly.prepare(settings))
    with pytest.raises(UserError, match="nothing is built"):
        nightly.publish(settings)
    plan = nightly.prepare(settings).plan
    assert plan.causes == ("new files: 1", "a former run did not finish")
    assert night(settings, []) is not None
    assert len(read(settings, "select 1 as one from stg_attempts")) == 2


@pytest.mark.parametrize("step", [nightly.check, nightly.publish])
def test_without_a_build_there_is_nothing_to_check_or_publish(settings: Settings, step: object) -> None:
    assert callable(step)
    with pytest.raises(UserError, match="next: inferledger build"):
        step(settings)


def test_a_broken_check_names_rows_and_keeps_the_last_snapshot(settings: Settings) -> None:
    first = night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    built(settings, [log(settings, "two", "2026-10-20T10:00:00")])
    damage(settings)
    with pytest.raises(CheckError) as caught:
        nightly.check(settings)
    assert {result.name for result in caught.value.failed} & {"check_money", "check_views", "check_totals"}
    assert "usage_date=2026-10-20" in str(caught.value)
    assert first is not None
    assert open_snapshot(settings.published).id == first.snapshot_id
    # The days stay under construction, so the next night builds them again and heals.
    healed = night(settings, [])
    assert healed is not None
    assert healed.is_new
    assert len(read(settings, "select 1 as one from stg_attempts")) == 2


def test_a_build_is_published_onto_the_snapshot_it_started_from_only(settings: Settings) -> None:
    night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    built(settings, [log(settings, "two", "2026-10-20T10:00:00")])
    left = read_building(settings.building_file)
    assert left is not None
    write_building(settings.building_file, replace(left, base_snapshot_id="000009-other"))
    with pytest.raises(UserError, match="started from snapshot '000009-other'"):
        nightly.publish(settings)


def test_a_file_that_lands_after_the_build_is_not_said_to_be_published(settings: Settings) -> None:
    built(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    nightly.land(settings, [log(settings, "two", "2026-10-20T10:00:00")])
    nightly.check(settings)
    nightly.publish(settings)
    assert open_snapshot(settings.published).manifest["landed"]["file_count"] == 1
    assert nightly.prepare(settings).plan.causes == ("new files: 1",)


@pytest.mark.parametrize("loss", ["deleted", "older"])
def test_a_lost_or_older_warehouse_is_built_anew(settings: Settings, loss: str) -> None:
    night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    older = settings.warehouse.read_bytes()
    for name, start in (("two", "2026-10-25T10:00:00"), ("three", "2026-10-30T10:00:00")):
        night(settings, [log(settings, name, start)])
    if loss == "deleted":
        settings.warehouse.unlink()
    else:
        settings.warehouse.write_bytes(older)
    plan = nightly.prepare(settings).plan
    assert plan.is_full
    assert plan.causes == ("the warehouse is missing or of another generation",)
    made = night(settings, [])
    assert made is not None
    assert not made.is_new
    assert nightly.prepare(settings).plan.is_empty


def test_a_changed_mapping_moves_money_and_loses_none(settings: Settings) -> None:
    night(settings, [log(settings, "one", "2026-10-19T10:00:00")])
    total = "select sum(list_cost_usd) as cost from fct_cost_lines"
    before = read(settings, total)
    settings.mapping_file.write_text(
        "rules: [{when: {feature_tag: search}, then: {feature: find}}]\n", encoding="utf-8"
    )
    assert nightly.prepare(settings).plan.causes == ("mapping changed",)
    assert night(settings, []) is not None
    assert read(settings, "select distinct feature from fct_cost_lines") == [{"feature": "find"}]
    assert read(settings, total) == before


def test_a_file_of_rejects_only_is_published_with_its_reasons(settings: Settings) -> None:
    first = write_log(settings.home / "broken.jsonl", spend_log("a", "2026-10-19T10:00:00", prompt=-5))
    made = night(settings, [first])
    assert made is not None
    assert made.changed_days == ()
    assert read(settings, "select reason_code from fct_rejects") == [{"reason_code": "negative_count"}]
    second = write_log(settings.home / "broken2.jsonl", spend_log("b", "2026-10-19T10:00:00", prompt=-6))
    assert night(settings, [second]) is not None
    assert len(read(settings, "select 1 as one from fct_rejects")) == 2


def test_counts_of_the_manifest_are_those_of_the_accounts(settings: Settings) -> None:
    lines = [spend_log("a", "2026-10-19T10:00:00"), spend_log("b", "2026-10-19T10:00:00", prompt=-5)]
    night(settings, [write_log(settings.home / "mixed.jsonl", *lines)])
    counts = open_snapshot(settings.published).manifest["counts"]
    assert counts == {"files": 1, "records": 2, "parsed": 1, "skips": 0, "rejects": 1}
