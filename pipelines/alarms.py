"""Failed and late loads, as the scheduler sees them: one alarm for each.

Lives here: what a failed run says, when a load is late, and the two sensors and the freshness check that
follow. Does not live here: the posting (webhook.py).
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import dagster as dg

from pipelines.assets import publish
from pipelines.settings import Settings
from pipelines.webhook import make_alarm, post

FRESHNESS = "loaded_within_the_limit"
_MOST_STEPS = 5
_SECONDS_BETWEEN_LOOKS = 60


def failed_load_sensor(settings: Settings) -> dg.SensorDefinition:
    """Posts each failed run once, whichever job it was; a run that died counts when it is found dead."""

    @dg.run_failure_sensor(
        name="failed_load",
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=10,
        description="Posts a failed load to the webhook of the settings, once.",
    )
    def failed_load(context: dg.RunFailureSensorContext) -> None:
        text = describe_failure(context.instance, context.dagster_run.run_id, context.failure_event.message)
        post(settings, make_alarm(settings, "load_failed", text, context.dagster_run.run_id))

    return failed_load


def describe_failure(instance: dg.DagsterInstance, run_id: str, message: str | None) -> str:
    """What stopped a run, in words: broken checks with their rows, else the errors of its steps."""
    lines = [*_broken_checks(instance, run_id)] or [*_step_errors(instance, run_id)]
    snapshot = "nothing is published, the last snapshot stays"
    # The same cause may have failed several steps.
    told = [*dict.fromkeys(lines)] or [message or "the run failed"]
    return "\n".join(told if snapshot in told[-1] else [*told, snapshot])


def _broken_checks(instance: dg.DagsterInstance, run_id: str) -> Iterator[str]:
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION):
        event = entry.dagster_event
        found = event.asset_check_evaluation_data if event else None
        if found is None or found.passed or not found.blocking:
            continue
        rows = found.metadata.get("rows")
        yield f"'{found.check_name}' of {found.asset_key.to_user_string()} is broken: {found.description}"
        if rows is not None and rows.value:
            yield str(rows.value)


def _step_errors(instance: dg.DagsterInstance, run_id: str) -> Iterator[str]:
    entries = instance.all_logs(run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
    for entry in list(entries)[:_MOST_STEPS]:
        event = entry.dagster_event
        failure = event.step_failure_data if event else None
        if failure is None:
            continue
        told = failure.user_failure_data
        text = told.description if told else failure.error.message if failure.error else None
        yield f"step '{event.step_key if event else ''}': {text or 'no message'}"


def freshness_check(settings: Settings) -> dg.AssetChecksDefinition:
    """Says whether the last load that ended well is recent; evaluated in each run and by the sensor."""

    @dg.asset_check(
        name=FRESHNESS,
        asset=publish.NAME,
        description=f"A load ended well in the last {settings.nightly.late_after_hours} hours.",
    )
    def loaded_within_the_limit(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
        last = last_load(context.instance)
        return dg.AssetCheckResult(
            passed=last is not None and not _is_late(settings, last, datetime.now(UTC)),
            metadata={"last_load": last.isoformat() if last else "none"},
        )

    return loaded_within_the_limit


def last_load(instance: dg.DagsterInstance) -> datetime | None:
    """When the last load ended well: also one that found nothing to change."""
    entry = instance.get_latest_materialization_event(dg.AssetKey(publish.NAME))
    return datetime.fromtimestamp(entry.timestamp, UTC) if entry else None


def _is_late(settings: Settings, since: datetime, now: datetime) -> bool:
    return now - since > timedelta(hours=settings.nightly.late_after_hours)


def late_load_sensor(settings: Settings) -> dg.SensorDefinition:
    """Watches the clock: a load that did not come is posted once, and the freshness check turns red."""

    @dg.sensor(
        name="late_load",
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=_SECONDS_BETWEEN_LOOKS,
        description="Posts a load that is late to the webhook of the settings, once.",
    )
    def late_load(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        return look_for_late_load(context.instance, settings, context.cursor, datetime.now(UTC))

    return late_load


def look_for_late_load(
    instance: dg.DagsterInstance, settings: Settings, cursor: str | None, now: datetime
) -> dg.SensorResult:
    """Post when the load is late and not told yet. The cursor holds since when, and what was told."""
    known: dict[str, str | None] = (
        json.loads(cursor) if cursor else {"watching": now.isoformat(), "told": None}
    )
    last = last_load(instance)
    since = last or datetime.fromisoformat(str(known["watching"]))
    if not _is_late(settings, since, now):
        return dg.SensorResult(skip_reason="the last load is recent enough", cursor=json.dumps(known))
    if known["told"] == since.isoformat():
        return dg.SensorResult(skip_reason="late, and told already", cursor=json.dumps(known))
    hours = settings.nightly.late_after_hours
    text = f"no load ended well since {since:%Y-%m-%d %H:%M} UTC, which is more than {hours} hours ago"
    post(settings, make_alarm(settings, "load_late", text, "none"))
    broken = dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(publish.NAME),
        check_name=FRESHNESS,
        passed=False,
        metadata={"last_load": last.isoformat() if last else "none"},
        description=text,
    )
    told = json.dumps(known | {"told": since.isoformat()})
    return dg.SensorResult(skip_reason=text, cursor=told, asset_events=[broken])
