"""A load in single steps: equal to the whole one, resumable, and never published in part."""

from datetime import date
from pathlib import Path

import pytest

from models.registry import checks, models
from pipelines.building import read_building
from pipelines.checks import CheckError
from pipelines.errors import UserError
from pipelines.night_steps import NightSteps
from pipelines.publish import Publication
from pipelines.settings import Settings
from pipelines.warehouse import open_warehouse
from tests.nights import ledger_hash, night, sample_home, spend_log, write_log

MONDAY = date(2026, 10, 19)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = sample_home(tmp_path / "ledger")
    log(made, "one", "2026-10-19T10:00:00", "2026-10-20T23:59:59")
    return made


def log(settings: Settings, name: str, *starts: str) -> Path:
    lines = (spend_log(f"{name}-{number}", start) for number, start in enumerate(starts))
    return write_log(settings.home / "inbox" / f"{name}.jsonl", *lines)


def whole(steps: NightSteps) -> Publication | None:
    steps.land()
    for name in models():
        steps.build(name)
    for name in checks():
        result = steps.check(name)
        assert result is None or result.is_passed, result
    return steps.publish()


def test_step_by_step_gives_the_ledger_of_the_whole_load(settings: Settings, tmp_path: Path) -> None:
    made = whole(NightSteps(settings))
    other = sample_home(tmp_path / "other")
    night(other, [settings.home / "inbox"])
    assert made is not None
    assert made.is_new
    assert made.ledger_hash == ledger_hash(other)
    assert read_building(settings.building_file) is None


def test_a_second_pass_has_nothing_to_do_unless_days_are_asked_for(settings: Settings) -> None:
    first = whole(NightSteps(settings))
    assert whole(NightSteps(settings)) is None
    again = whole(NightSteps(settings, [MONDAY]))
    assert first is not None
    assert again is not None
    assert (again.is_new, again.ledger_hash) == (False, first.ledger_hash)


def test_nothing_landed_is_nothing_to_build_whatever_is_asked_for(tmp_path: Path) -> None:
    empty = sample_home(tmp_path / "empty")
    steps = NightSteps(empty, [MONDAY])
    assert steps.land().files == []
    assert steps.build("stg_attempts") is None
    assert steps.check("check_money") is None
    assert steps.publish() is None
    assert not empty.warehouse.exists()


def test_a_part_of_the_tables_is_never_published(settings: Settings) -> None:
    steps = NightSteps(settings)
    steps.land()
    steps.build("stg_duplicates")
    with pytest.raises(UserError, match=r"'stg_\w+' and \d+ more tables are not built yet"):
        steps.publish()
    assert not (settings.published / "CURRENT").exists()


def test_a_load_goes_on_in_another_process_where_it_stopped(settings: Settings) -> None:
    first = NightSteps(settings)
    first.land()
    for name in list(models())[:10]:
        first.build(name)
    second = NightSteps(settings)
    for name in list(models())[10:]:
        assert second.build(name) is not None
    made = second.publish()
    assert made is not None
    assert made.is_new
    assert NightSteps(settings).night.plan.is_empty


def test_a_load_that_lands_again_starts_anew(settings: Settings) -> None:
    first = NightSteps(settings)
    first.land()
    for name in models():
        first.build(name)
    second = NightSteps(settings)
    second.land()
    second.build("stg_duplicates")
    left = read_building(settings.building_file)
    assert left is not None
    assert left.tables == ("stg_duplicates",)


def test_new_files_between_two_processes_start_the_tables_anew(settings: Settings) -> None:
    first = NightSteps(settings)
    first.land()
    for name in list(models())[:10]:
        first.build(name)
    other = NightSteps(settings)
    log(settings, "two", "2026-10-25T10:00:00")
    other.land()
    second = NightSteps(settings)
    second.build("stg_duplicates")
    left = read_building(settings.building_file)
    assert left is not None
    assert left.tables == ("stg_duplicates",)
    assert len(left.files) == 2


def test_publishing_alone_runs_the_checks_that_were_left_out(settings: Settings) -> None:
    steps = NightSteps(settings)
    steps.land()
    for name in models():
        steps.build(name)
    with open_warehouse(settings) as engine:
        wrong = "select * replace (list_cost_pico_usd + 1 as list_cost_pico_usd) from int_cost_lines"
        engine.build("int_cost_lines", wrong, {})
    with pytest.raises(CheckError, match="'check_money' is broken by"):
        NightSteps(settings).publish()
    assert not (settings.published / "CURRENT").exists()


def test_every_step_is_told(settings: Settings) -> None:
    told: list[tuple[str, int, int]] = []
    whole(NightSteps(settings, progress=lambda *step: told.append(step)))
    names = [what for what, _, _ in told]
    assert "building int_cost_lines" in names
    assert "checking check_money" in names
    assert "published tables" in names
    assert all(0 <= done <= total for _, done, total in told)
