"""Why a day is built: new records on it or beside it, the rules, a former run, or a person."""

from datetime import date
from pathlib import Path

import pytest

from pipelines import nightly
from pipelines.building import read_building
from pipelines.causes import day_causes
from pipelines.settings import Settings
from tests.nights import night, sample_home, spend_log, write_log

DAYS = {day: date(2026, 10, day) for day in range(15, 29)}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = sample_home(tmp_path / "ledger")
    night(made, [log(made, "first", 20), log(made, "other", 26)])
    return made


def log(settings: Settings, name: str, *days: int) -> Path:
    lines = (spend_log(f"{name}-{day}", f"2026-10-{day}T10:00:00") for day in days)
    return write_log(settings.home / f"{name}.jsonl", *lines)


def causes(settings: Settings, *asked: int) -> dict[int, str]:
    days = [DAYS[day] for day in asked]
    return {day.day: cause for day, cause in day_causes(nightly.prepare(settings, days), days).items()}


def test_late_records_name_their_file_and_reach_one_day_either_side(settings: Settings) -> None:
    nightly.land(settings, [log(settings, "late", 20)])
    assert causes(settings) == {
        19: "beside 2026-10-20, which has new records",
        20: "new records in late.jsonl",
        21: "beside 2026-10-20, which has new records",
    }


def test_a_day_between_two_names_both_and_many_files_are_counted(settings: Settings) -> None:
    nightly.land(settings, [log(settings, f"late-{number}", 20) for number in range(5)])
    nightly.land(settings, [log(settings, "later", 22)])
    found = causes(settings)
    assert found[20] == "new records in late-0.jsonl, late-1.jsonl, late-2.jsonl and 2 more files"
    assert found[21] == "beside 2026-10-20 and 2026-10-22, which has new records"


def test_a_day_that_is_asked_for_says_so_and_empty_days_are_left_out(settings: Settings) -> None:
    assert causes(settings, 20, 24) == {20: "asked for"}
    nightly.land(settings, [log(settings, "late", 20)])
    assert causes(settings, 20, 26)[20] == "new records in late.jsonl; asked for"
    assert causes(settings, 20, 26)[26] == "asked for"


def test_what_a_former_run_left_is_finished(settings: Settings) -> None:
    nightly.land(settings, [log(settings, "late", 20)])
    nightly.begin(nightly.prepare(settings, [DAYS[26]]))
    left = read_building(settings.building_file)
    assert left is not None
    assert causes(settings)[26] == "a former run did not finish"


def test_a_changed_mapping_is_the_cause_of_every_day(settings: Settings) -> None:
    settings.mapping_file.write_text("defaults: {feature: x}\n", encoding="utf-8")
    assert causes(settings, 20) == {20: "mapping changed", 26: "mapping changed"}


def test_nothing_new_has_no_cause(settings: Settings) -> None:
    assert causes(settings) == {}
