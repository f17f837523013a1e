"""What the scheduler loads: assets, checks, job, schedule and sensors of one home.

Lives here: putting them together. Does not live here: any of them. The command line never imports this file,
because the scheduler takes two seconds to import.
"""

import warnings

import dagster as dg

from pipelines.alarms import failed_load_sensor, freshness_check, late_load_sensor
from pipelines.assets.landing import landing_asset
from pipelines.assets.price_book import price_book_asset
from pipelines.assets.publish import publish_asset
from pipelines.assets.sql_checks import sql_checks
from pipelines.assets.sql_models import sql_assets
from pipelines.jobs import GRACE_SECONDS, nightly_job, nightly_schedule
from pipelines.partitions import daily
from pipelines.progress import Progress, stay_quiet
from pipelines.resources import PATIENCE_SECONDS, night_resource
from pipelines.settings import Settings, find_home, load_settings


def build_definitions(
    settings: Settings,
    *,
    progress: Progress = stay_quiet,
    patience_seconds: float = PATIENCE_SECONDS,
    grace_seconds: float = GRACE_SECONDS,
) -> dg.Definitions:
    """Everything over one home.

    Args:
        settings: The home.
        progress: Told of every step.
        patience_seconds: How long a run waits for the writer's lock.
        grace_seconds: How long a started run may be without the lock before it counts as dead.
    """
    choices = settings.nightly
    days = daily(choices.first_day)
    with warnings.catch_warnings():
        # Policies for backfills are in beta; the version is pinned, and a warning per table hides others.
        warnings.simplefilter("ignore", dg.BetaWarning)
        assets = [
            landing_asset(choices.owner),
            price_book_asset(choices.owner),
            *sql_assets(choices.owner, days),
            publish_asset(choices.owner),
        ]
    return dg.Definitions(
        assets=assets,
        asset_checks=[*sql_checks(), freshness_check(settings)],
        jobs=[nightly_job()],
        schedules=[nightly_schedule(settings, grace_seconds)],
        sensors=[failed_load_sensor(settings), late_load_sensor(settings)],
        resources={
            "night": night_resource(settings, days, progress=progress, patience_seconds=patience_seconds)
        },
        # One process, so one holder of the lock, and no new interpreter for each step.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """The definitions of the home named by INFERLEDGER_HOME (else the one found as the command line does)."""
    return build_definitions(load_settings(find_home(None)))
