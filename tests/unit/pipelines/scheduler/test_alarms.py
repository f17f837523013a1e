"""Late loads: told once, again only after another load, and shown red on the snapshot."""

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from pipelines.alarms import FRESHNESS, describe_failure, last_load, late_load_sensor, look_for_late_load
from pipelines.settings import Settings
from tests.receivers import Receiver, receiving
from tests.scheduled import load, scheduled_home

HOUR = timedelta(hours=1)


@pytest.fixture
def instance() -> Generator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


@pytest.fixture
def receiver() -> Generator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def settings(tmp_path: Path, receiver: Receiver) -> Settings:
    return scheduled_home(tmp_path / "ledger", webhook=receiver.url, late_after_hours=26)


def test_a_late_load_is_told_once_until_another_load_ends_well(
    settings: Settings, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    assert load(settings, instance).success
    first = last_load(instance)
    assert first is not None
    cursor: str | None = None
    for hours, posts in ((25, 0), (27, 1), (28, 1), (50, 1)):
        result = look_for_late_load(instance, settings, cursor, first + hours * HOUR)
        cursor = result.cursor
        assert len(receiver.posts) == posts, hours
    assert receiver.posts[0]["event"] == "load_late"
    assert f"no load ended well since {first:%Y-%m-%d %H:%M} UTC" in receiver.posts[0]["text"]
    assert load(settings, instance).success
    second = last_load(instance)
    assert second is not None
    for hours, posts in ((25, 1), (27, 2), (29, 2)):
        cursor = look_for_late_load(instance, settings, cursor, second + hours * HOUR).cursor
        assert len(receiver.posts) == posts, hours


def test_a_home_that_never_loaded_is_late_after_the_same_time(
    settings: Settings, instance: dg.DagsterInstance, receiver: Receiver
) -> None:
    now = datetime(2026, 10, 19, tzinfo=UTC)
    first = look_for_late_load(instance, settings, None, now)
    assert receiver.posts == []
    second = look_for_late_load(instance, settings, first.cursor, now + 27 * HOUR)
    assert [told["event"] for told in receiver.posts] == ["load_late"]
    (event,) = second.asset_events
    assert isinstance(event, dg.AssetCheckEvaluation)
    assert (event.check_name, event.passed) == (FRESHNESS, False)
    assert look_for_late_load(instance, settings, second.cursor, now + 30 * HOUR).asset_events == []
    assert len(receiver.posts) == 1


def test_a_failed_load_does_not_count_as_a_load(settings: Settings, instance: dg.DagsterInstance) -> None:
    settings.mapping_file.write_text("rules: 3\n", encoding="utf-8")
    broken = load(settings, instance)
    assert not broken.success
    assert last_load(instance) is None
    told = describe_failure(instance, broken.run_id, None)
    assert told.startswith("step 'price_book': ")
    assert "mapping.yml" in told
    assert told.endswith("the last snapshot stays")


def test_a_run_that_left_no_events_says_what_is_known(instance: dg.DagsterInstance) -> None:
    assert describe_failure(instance, "none", "killed").startswith("killed\n")
    assert describe_failure(instance, "none", None).startswith("the run failed\n")


def test_the_sensor_looks_at_the_clock(settings: Settings) -> None:
    with dg.instance_for_test() as instance, dg.build_sensor_context(instance=instance) as context:
        result = late_load_sensor(settings)(context)
    assert isinstance(result, dg.SensorResult)
    assert str(result.skip_reason) == "the last load is recent enough" or result.cursor
