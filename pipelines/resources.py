"""The writer: the one resource of a run, which holds the writer's lock from its first step to its last.

Lives here: taking the lock, with patience, and the steps of the load behind it. Does not live here: the steps
(night_steps.py). There is no I/O manager: the tables stay in the warehouse file.
"""

import time
from collections.abc import Generator
from contextlib import ExitStack

import dagster as dg

from pipelines.errors import UserError
from pipelines.night_steps import NightSteps
from pipelines.partitions import asked_days
from pipelines.progress import Progress, stay_quiet
from pipelines.settings import Settings
from pipelines.writer_lock import hold_writer_lock

# A load by hand may be under way when the schedule ticks.
PATIENCE_SECONDS = 900


def night_resource(
    settings: Settings,
    days: dg.DailyPartitionsDefinition,
    *,
    progress: Progress = stay_quiet,
    patience_seconds: float = PATIENCE_SECONDS,
) -> dg.ResourceDefinition:
    """The resource `night`: a NightSteps, made once per run while the writer's lock is held."""

    @dg.resource
    def night(context: dg.InitResourceContext) -> Generator[NightSteps]:
        asked = asked_days(context.run, days) if context.run else frozenset()
        with ExitStack() as stack:
            _take_lock(stack, settings, patience_seconds)
            yield NightSteps(settings, asked, progress)

    return night


def _take_lock(stack: ExitStack, settings: Settings, patience_seconds: float) -> None:
    deadline = time.monotonic() + patience_seconds
    while True:
        try:
            stack.enter_context(hold_writer_lock(settings.lock_file))
            return
        except UserError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)
