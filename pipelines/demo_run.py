"""The demo's load: the nightly job run by the scheduler inside this process, for a range of days.

Lives here: starting that run and what it ended with. Does not live here: the job (definitions.py) and what is
printed (cli_demo.py). It is imported when the demo starts, because the scheduler takes two seconds to import.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import dagster as dg

from pipelines.alarms import describe_failure
from pipelines.assets import landing, publish
from pipelines.definitions import build_definitions
from pipelines.jobs import JOB
from pipelines.progress import Progress
from pipelines.settings import Settings


@dataclass(frozen=True)
class Loaded:
    """What a run did: what it says about its files and its snapshot, and how many checks passed."""

    files: Mapping[str, Any]
    snapshot: Mapping[str, Any]
    check_count: int


def run_nightly_job(settings: Settings, first: date, last: date, progress: Progress) -> Loaded:
    """Run the nightly job for the days `first` to `last`; RuntimeError says what stopped it."""
    tags = {
        "dagster/asset_partition_range_start": first.isoformat(),
        "dagster/asset_partition_range_end": last.isoformat(),
    }
    # The progress display says what the log would say.
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    job = build_definitions(settings, progress=progress, patience_seconds=0).resolve_job_def(JOB)
    with dg.DagsterInstance.ephemeral() as instance:
        run = job.execute_in_process(instance=instance, tags=tags, run_config=quiet, raise_on_error=False)
        if not run.success:
            raise RuntimeError(describe_failure(instance, run.run_id, None))
        evaluated = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
        names = (landing.NAME, publish.NAME)
        files, snapshot = (_told_of(instance, name) for name in names)
        return Loaded(files, snapshot, len(evaluated))


def _told_of(instance: dg.DagsterInstance, name: str) -> dict[str, Any]:
    entry = instance.get_latest_materialization_event(dg.AssetKey(name))
    told = entry.asset_materialization if entry else None
    return {key: value.value for key, value in told.metadata.items()} if told else {}
