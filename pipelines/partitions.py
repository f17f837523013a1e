"""The days a scheduler knows, and which of them a run was started for.

Lives here: the one partitioning (UTC days) and reading a run's partitions. Does not live here: which days a
load builds in the end (days.py): late records rebuild days that nobody asked for.
"""

from collections.abc import Collection
from datetime import date

import dagster as dg


def daily(first_day: date) -> dg.DailyPartitionsDefinition:
    """UTC days from `first_day` to today: today's records are landed and shown while the day is open."""
    return dg.DailyPartitionsDefinition(
        start_date=first_day.isoformat(), timezone="UTC", fmt="%Y-%m-%d", end_offset=1
    )


def asked_days(run: dg.DagsterRun, days: dg.DailyPartitionsDefinition) -> frozenset[date]:
    """The days a run was started for; empty when it was started without any."""
    start, end = (
        run.tags.get(f"dagster/asset_partition_range_{name}", run.tags.get("dagster/partition"))
        for name in ("start", "end")
    )
    if start is None or end is None:
        return frozenset()
    keys = days.get_partition_keys_in_range(dg.PartitionKeyRange(start, end))
    return frozenset(date.fromisoformat(key) for key in keys)


def without(days: Collection[date], others: Collection[date]) -> list[date]:
    """The `days` that are not among the `others`, sorted."""
    return sorted(set(days) - set(others))
