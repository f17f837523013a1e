"""Loads through the scheduler inside the test process, without a daemon.

Lives here: a home with settings for the night, one run of the nightly job, what the run left in the event
log. Does not live here: any expectation.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg

from pipelines.definitions import build_definitions
from pipelines.jobs import JOB
from pipelines.settings import Nightly, Settings
from tests.nights import sample_home

FIRST_DAY = "2026-10-16"
RANGE = ("2026-10-19", "2026-10-21")


def scheduled_home(home: Path, files: Sequence[Path] = (), **choices: Any) -> Settings:
    """A home of the sample whose inbox is `files`; the scheduler knows days from 2026-10-16."""
    settings = with_inbox(sample_home(home), files)
    return replace(settings, nightly=Nightly.model_validate({"first_day": FIRST_DAY} | choices, strict=False))


def with_inbox(settings: Settings, files: Sequence[Path]) -> Settings:
    """The same home with other files waiting."""
    return replace(settings, inbox=tuple(str(path) for path in files))


def load(
    settings: Settings, instance: dg.DagsterInstance, first: str = RANGE[0], last: str | None = None
) -> dg.ExecuteInProcessResult:
    """One run of the nightly job for the days `first` to `last`."""
    tags = {
        "dagster/asset_partition_range_start": first,
        "dagster/asset_partition_range_end": last or first,
    }
    job = build_definitions(settings, patience_seconds=0).resolve_job_def(JOB)
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return job.execute_in_process(instance=instance, tags=tags, run_config=quiet, raise_on_error=False)


def recorded(instance: dg.DagsterInstance, table: str, run_id: str) -> dict[str | None, str]:
    """The days that a run recorded for a table, each with its cause."""
    found = instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=dg.AssetKey(table)), limit=1000
    ).records
    return {
        record.partition_key: str(record.asset_materialization.metadata["cause"].value)
        for record in found
        if record.run_id == run_id and record.asset_materialization
    }


def published_metadata(instance: dg.DagsterInstance) -> dict[str, Any]:
    """What the last run said about its snapshot."""
    event = instance.get_latest_materialization_event(dg.AssetKey("published_snapshot"))
    assert event is not None
    assert event.asset_materialization is not None
    return {key: value.value for key, value in event.asset_materialization.metadata.items()}
