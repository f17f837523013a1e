"""The definitions: one asset per SQL file with its facts, checks that block, and the order of the night."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from models.columns import columns
from models.dictionary import schemas, written_checks
from models.registry import MADE_FROM, models
from pipelines.assets.sql_checks import tables_of
from pipelines.assets.sql_models import upstream
from pipelines.assets.steps import POOL
from pipelines.definitions import build_definitions
from pipelines.jobs import JOB, SCHEDULE, nightly_schedule
from pipelines.partitions import asked_days, daily
from pipelines.settings import Nightly, Settings

OTHERS = {"landed_files", "price_book", "published_snapshot"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dg.Definitions:
    nightly = Nightly(owner="team:platform", cron="30 3 * * *")
    return build_definitions(Settings(tmp_path_factory.mktemp("home"), nightly=nightly))


@pytest.fixture(scope="module")
def specs(built: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in built.resolve_all_asset_specs()}


def above(specs: dict[str, dg.AssetSpec], name: str) -> set[str]:
    direct = {dep.asset_key.to_user_string() for dep in specs[name].deps}
    return direct.union(*(above(specs, other) for other in direct)) if direct else direct


def test_there_is_one_asset_per_sql_file(specs: dict[str, dg.AssetSpec]) -> None:
    assert set(specs) == set(models()) | OTHERS


def test_an_asset_says_what_its_file_says(specs: dict[str, dg.AssetSpec]) -> None:
    for model in models().values():
        spec = specs[model.name]
        assert spec.group_name == model.layer
        assert model.purpose in str(spec.description)
        assert model.path in str(spec.description)
        assert spec.metadata["grain"] == model.grain
        assert list(spec.owners) == ["team:platform"]
        listed = [
            (column.name, column.description) for column in spec.metadata["dagster/column_schema"].columns
        ]
        assert listed == [(name, columns()[name].meaning) for name, _ in schemas()[model.name]]


def test_tables_with_days_are_partitioned_by_them_and_backfilled_in_one_run(built: dg.Definitions) -> None:
    graph = built.resolve_asset_graph()
    for node in (graph.get(key) for key in graph.get_all_asset_keys()):
        name = node.key.to_user_string()
        has_days = name in models() and models()[name].window_column is not None
        assert (node.partitions_def is not None) == has_days, name
        assert node.backfill_policy == dg.BackfillPolicy.single_run(), name
        assert node.pools == {POOL}, name


def test_every_step_is_tried_again_with_longer_pauses(built: dg.Definitions) -> None:
    for node in built.resolve_job_def(JOB).nodes:
        policy = node.definition.retry_policy
        if node.name.endswith("loaded_within_the_limit"):
            continue
        assert policy is not None, node.name
        assert (policy.max_retries, policy.backoff) == (3, dg.Backoff.EXPONENTIAL), node.name


def test_landing_is_first_and_publishing_last(specs: dict[str, dg.AssetSpec]) -> None:
    assert above(specs, "landed_files") == set()
    for name in set(specs) - {"landed_files"}:
        assert "landed_files" in above(specs, name), name
    assert above(specs, "published_snapshot") == set(specs) - {"published_snapshot"}


def test_what_python_makes_between_two_models_is_a_dependency() -> None:
    for made, source in MADE_FROM.items():
        for model in models().values():
            if made in model.reads:
                assert {source, "price_book"} <= set(upstream(model)), model.name
    assert upstream(models()["stg_providers"]) == ["price_book"]
    assert upstream(models()["stg_duplicates"]) == ["landed_files", "price_book"]


def test_every_check_blocks_and_stands_above_the_snapshot(built: dg.Definitions) -> None:
    graph = built.resolve_asset_graph()
    found = {key.name: graph.get(key) for key in graph.asset_check_keys if key.name.startswith("check_")}
    assert set(found) == {check.name for check in written_checks()}
    assert "check_price_gaps" in found
    assert all(check.blocking for check in found.values())
    keys = [key for key in graph.asset_check_keys if key.name == "key_is_unique_and_not_null"]
    assert {key.asset_key.to_user_string() for key in keys} == set(models())
    assert all(graph.get(key).blocking for key in keys)


def test_a_check_hangs_on_the_last_table_it_reads() -> None:
    order = list(models())
    for check in written_checks():
        tables = tables_of(check)
        assert tables, check.name
        assert tables == sorted(tables, key=order.index)
        assert set(check.reads) & set(models()) <= set(tables)


def test_the_schedule_is_that_of_the_settings_and_runs_by_itself(built: dg.Definitions) -> None:
    schedule = built.resolve_schedule_def(SCHEDULE)
    assert schedule.cron_schedule == "30 3 * * *"
    assert schedule.execution_timezone == "UTC"
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING
    assert nightly_schedule(Settings(Path())).cron_schedule == "0 2 * * *"
    stopped = Settings(Path(), nightly=Nightly(is_running=False))
    assert nightly_schedule(stopped).default_status == dg.DefaultScheduleStatus.STOPPED
    assert all(sensor.default_status == dg.DefaultSensorStatus.RUNNING for sensor in built.sensors or ())


@pytest.mark.parametrize(
    ("tick", "day"),
    [(datetime(2026, 10, 20, 2, tzinfo=UTC), "2026-10-19"), (datetime(2025, 1, 1, tzinfo=UTC), "2026-01-01")],
)
def test_a_tick_asks_for_the_day_before_it(tmp_path: Path, tick: datetime, day: str) -> None:
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(instance=instance, scheduled_execution_time=tick)
        request = nightly_schedule(Settings(tmp_path))(context)
    assert isinstance(request, dg.RunRequest)
    assert (request.partition_key, request.run_key) == (day, tick.isoformat())


def test_the_days_of_a_run_are_read_from_its_partitions() -> None:
    days = daily(datetime(2026, 10, 1).date())
    start, end = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"

    def asked(**tags: str) -> list[str]:
        run = dg.DagsterRun(job_name="x", tags=tags)
        return sorted(day.isoformat() for day in asked_days(run, days))

    assert asked() == []
    assert asked(**{"dagster/partition": "2026-10-02"}) == ["2026-10-02"]
    assert asked(**{start: "2026-10-30", end: "2026-11-01"}) == ["2026-10-30", "2026-10-31", "2026-11-01"]


def test_today_is_a_day_the_scheduler_knows() -> None:
    assert daily(datetime(2026, 10, 1).date()).has_partition_key(datetime.now(UTC).date().isoformat())


def test_the_command_line_does_not_bring_the_scheduler() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import sys, pipelines.cli; print('dagster' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "False"
