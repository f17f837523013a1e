"""The boundaries of a load: rows of the built days, results as a table, blocking, mending, switching off."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.columns import table_schema
from models.registry import models
from pipelines import nightly
from pipelines.manifests import Manifest, raw_attempt_files
from pipelines.night_steps import NightSteps
from pipelines.quality.boundaries import usual_records
from pipelines.quality.run import ExpectationError
from pipelines.settings import Quality, Settings
from pipelines.warehouse import open_warehouse
from tests.nights import read, sample_home, spend_log, write_log

MONDAY = date(2026, 10, 26)


def landed(days: Mapping[date, int]) -> Manifest:
    return Manifest(
        "a" * 64, "a", 1, "s", 1, "2026-11-01T00:00:00+00:00", sum(days.values()), sum(days.values()), {}, {},
        days, (),
    )  # fmt: skip


def weeks(*counts: int, ahead: int = 1) -> list[Manifest]:
    """MONDAY's count, then those of the weeks before, and a newer day."""
    days = {MONDAY - timedelta(weeks=week): count for week, count in enumerate(counts)}
    return [landed(days), landed({MONDAY + timedelta(days=ahead): 1})]


@pytest.mark.parametrize(
    ("manifests", "usual"),
    [
        (weeks(5, 2000), {"2026-10-26": 2000}),
        (weeks(5, 2000, 1000, 9000), {"2026-10-26": 2000}),
        # Only four weeks count; a small past says nothing; the newest day may still be arriving.
        (weeks(5, 2000, 2000, 2000, 2000, 90000), {"2026-10-26": 2000}),
        (weeks(5, 999), {}),
        (weeks(5), {}),
        (weeks(5, 2000, ahead=0), {}),
        ([], {}),
        # Two files of one day add up.
        ([*weeks(5, 600), landed({MONDAY - timedelta(weeks=1): 600})], {"2026-10-26": 1200}),
    ],
)
def test_usual_records(manifests: list[Manifest], usual: dict[str, int]) -> None:
    assert usual_records(manifests, [MONDAY]) == usual


def test_a_missing_day_is_compared_too() -> None:
    manifests = [landed({MONDAY - timedelta(weeks=1): 2000, MONDAY + timedelta(days=1): 1})]
    assert usual_records(manifests, [MONDAY]) == {"2026-10-26": 2000}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    home = sample_home(tmp_path / "home")
    log = write_log(tmp_path / "log.jsonl", spend_log("one", "2026-10-19T10:00:00"))
    nightly.land(home, [log])
    return replace(home, inbox=(), quality=Quality())


def damage(settings: Settings, column: str, value: object) -> tuple[Path, bytes]:
    """Change one column of the landed file behind our backs; the file and its former content."""
    (path,) = raw_attempt_files(settings.landed)
    before = path.read_bytes()
    table = pq.read_table(path, partitioning=None)
    at = table.schema.get_field_index(column)
    pq.write_table(table.set_column(at, column, pa.array([value], table.schema.field(at).type)), path)
    return path, before


def results(settings: Settings) -> list[dict[str, object]]:
    return read(settings, "select * from fct_expectations order by boundary, expectation_name")


def test_a_load_publishes_what_it_expected(settings: Settings) -> None:
    night = nightly.prepare(settings)
    at_landing = nightly.expect_at_landing(night)
    nightly.build(night)
    nightly.check(settings)
    before = nightly.expect_before_publishing(settings)
    nightly.publish(settings)
    rows = results(settings)
    assert [row["boundary"] for row in rows] == ["landing"] * len(at_landing) + ["publishing"] * len(before)
    assert all(row["is_met"] and row["offending_row_count"] == 0 for row in rows)
    found = {(row["table_name"], row["checked_row_count"]) for row in rows}
    assert {("raw_attempts", 1), ("fct_cost_lines", 2), ("stg_attempts", 1)} <= found
    # The day that landed and one either side.
    assert {row["first_date"] for row in rows} == {min(night.plan.days)}
    for boundary in ("landing", "publishing"):
        assert (settings.quality_folder / "data_docs" / boundary / "index.html").is_file()


@pytest.mark.parametrize(
    ("column", "value", "name"),
    [
        ("outcome", "perhaps", "raw_attempts_outcome_set"),
        ("owner_key", None, "raw_attempts_owner_key_not_null"),
        ("attempt_key", -1, "raw_attempts_attempt_key_range"),
        ("first_token_at_us", 1, "raw_attempts_token_clock"),
        ("used_at_us", 2**62, "raw_attempts_future_clock"),
    ],
)
def test_what_landed_wrongly_is_not_built(settings: Settings, column: str, value: object, name: str) -> None:
    path, before = damage(settings, column, value)
    night = nightly.prepare(settings)
    with pytest.raises(ExpectationError, match=rf"'{name}' of raw_attempts is not met by 1 rows") as raised:
        nightly.expect_at_landing(night)
    assert f"file_sha256={path.stem} record_position=" in str(raised.value)
    path.write_bytes(before)
    assert all(outcome.is_met for outcome in nightly.expect_at_landing(night))


def test_what_was_built_wrongly_is_not_published(settings: Settings) -> None:
    night = nightly.prepare(settings)
    nightly.build(night)
    with open_warehouse(settings) as engine:
        engine.build("fct_rejects", "select 1 as file_sha256", {})
        engine.build("fct_requests", "select * replace (-1 as attempt_count) from fct_requests", {})
    with pytest.raises(ExpectationError) as raised:
        nightly.expect_before_publishing(settings)
    names = {outcome.expectation.name for outcome in raised.value.unmet}
    assert names == {"fct_rejects_types", "fct_requests_types", "fct_requests_attempt_count_range"}
    assert "column_name=file_sha256 expected=VARCHAR found=INTEGER" in str(raised.value)
    nightly.build(night)
    assert all(outcome.is_met for outcome in nightly.expect_before_publishing(settings))


def test_the_steps_of_a_scheduler_stop_at_landing_and_go_on_when_mended(settings: Settings) -> None:
    path, before = damage(settings, "outcome", "perhaps")
    steps = NightSteps(settings)
    steps.land()
    for name in ("stg_attempts", "stg_rejects"):
        with pytest.raises(ExpectationError, match="outcome=perhaps"):
            steps.build(name)
    assert steps.publish() is None
    path.write_bytes(before)
    again = NightSteps(settings)
    for name in models():
        again.build(name)
    publication = again.publish()
    assert publication is not None
    assert publication.is_new
    assert results(settings)


def test_switched_off_nothing_is_looked_at_and_the_table_is_empty(settings: Settings) -> None:
    off = replace(settings, quality=Quality(expectations=False))
    damage(off, "tags", "{}")
    night = nightly.prepare(off)
    assert nightly.expect_at_landing(night) == []
    nightly.build(night)
    nightly.check(off)
    assert nightly.expect_before_publishing(off) == []
    nightly.publish(off)
    assert results(off) == []
    assert not off.quality_folder.exists() or not any(off.quality_folder.iterdir())


def test_results_of_an_earlier_load_are_not_published_when_switched_off(settings: Settings) -> None:
    night = nightly.prepare(settings)
    nightly.expect_at_landing(night)
    nightly.build(night)
    off = replace(settings, quality=Quality(expectations=False))
    nightly.expect_before_publishing(off)
    with open_warehouse(off) as engine:
        assert engine.fetch("select * from fct_expectations").num_rows == 0
        assert engine.fetch("select * from raw_expectations").schema == table_schema("raw_expectations")
