"""The nightly job and its schedule.

Lives here: what runs at night, for which day, and letting go of runs whose process is dead. Does not live
here: telling people (alarms.py).
"""

import fcntl
import os
import time
from datetime import timedelta
from pathlib import Path

import dagster as dg

from pipelines.settings import Settings

JOB = "nightly_load"
SCHEDULE = "nightly_schedule"
# A run that has just been started has not taken the lock yet.
GRACE_SECONDS = 60.0
_DEAD = "the run is dead: no process holds the writer's lock; the next load finishes its days"


def nightly_job():  # its type has no public name
    """Everything from landing to publishing; its days are those of the tables."""
    return dg.define_asset_job(
        JOB,
        selection=dg.AssetSelection.all(),
        description="Land, build the days that changed, check, publish.",
    )


def nightly_schedule(settings: Settings, grace_seconds: float = GRACE_SECONDS) -> dg.ScheduleDefinition:
    """Runs the job for the UTC day before the tick; late days of others are rebuilt in the same run."""
    status = dg.DefaultScheduleStatus
    choices = settings.nightly

    @dg.schedule(
        name=SCHEDULE,
        job_name=JOB,
        cron_schedule=choices.cron,
        execution_timezone="UTC",
        default_status=status.RUNNING if choices.is_running else status.STOPPED,
        description="One load a night; a load that was killed is finished by the next.",
    )
    def schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
        release_dead_runs(context.instance, settings.lock_file, grace_seconds)
        tick = context.scheduled_execution_time
        day = max((tick - timedelta(days=1)).date(), choices.first_day)
        return dg.RunRequest(run_key=tick.isoformat(), partition_key=day.isoformat())

    return schedule


def release_dead_runs(instance: dg.DagsterInstance, lock_file: Path, grace_seconds: float) -> list[str]:
    """Report as failed the runs that count as running while no process holds the writer's lock; their ids.

    A killed daemon takes its runs with it and nobody says so; without this they would hold the only place in
    the queue for ever. The operating system frees the lock of a dead process, so the lock tells the truth.
    """
    started = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
    records = instance.get_run_records(dg.RunsFilter(statuses=started))
    released: list[str] = []
    for record in records:
        is_settled = time.time() - record.update_timestamp.timestamp() > grace_seconds
        if is_settled and not _is_held(lock_file):
            reason = (
                "its process is gone: no process holds the writer's lock; the next load finishes its days"
            )
            instance.report_run_failed(record.dagster_run, reason)
            released.append(record.dagster_run.run_id)
    return released


def _is_held(lock_file: Path) -> bool:
    try:
        descriptor = os.open(lock_file, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
