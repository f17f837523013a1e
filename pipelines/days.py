"""Which days a load has to build.

Lives here: the rule of ledger.md 10.1 as one pure function, and cutting days into windows.
Does not live here: reading manifests or the snapshot; the caller hands them in.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pipelines.building import Building
from pipelines.versions import Versions

ONE_DAY = timedelta(days=1)
# A wide window needs memory for its sort; a week keeps the largest build bounded.
MOST_DAYS_A_WINDOW = 7


@dataclass(frozen=True)
class Plan:
    """The days to build (sorted), whether that is every day from an empty warehouse, and why."""

    days: tuple[date, ...]
    is_full: bool
    causes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """True when the published snapshot already says everything."""
        return not self.causes


@dataclass(frozen=True)
class Base:
    """What the published snapshot was made from."""

    files: frozenset[str]
    versions: Versions


def with_neighbours(days: Collection[date]) -> set[date]:
    """The days and one day either side of each."""
    return {day + step * ONE_DAY for day in days for step in (-1, 0, 1)}


def plan_days(
    landed: Mapping[str, Collection[date]],
    base: Base | None,
    versions: Versions,
    left_over: Building | None,
    is_warehouse_current: bool,
    asked: Collection[date] = (),
) -> Plan:
    """The days to build, from the days of each landed file (by its hash) and what is already published.

    Days that were asked for are built too, as far as anything lies on them.
    """
    everything = tuple(sorted({day for days in landed.values() for day in days}))
    full_causes = _causes_for_all(landed, base, versions, left_over, is_warehouse_current)
    if full_causes:
        return Plan(everything, True, tuple(full_causes))
    published = base.files if base else frozenset[str]()
    arrived = sorted(set(landed) - published)
    causes = [f"new files: {len(arrived)}"] if arrived else []
    days = with_neighbours({day for name in arrived for day in landed[name]})
    if left_over:
        days |= set(left_over.days)
        causes.append("a former run did not finish")
    wanted = set(asked) & set(everything)
    if wanted:
        days |= wanted
        causes.append(f"asked for: {len(wanted)}")
    return Plan(tuple(sorted(days)), False, tuple(causes))


def _causes_for_all(
    landed: Mapping[str, Collection[date]],
    base: Base | None,
    versions: Versions,
    left_over: Building | None,
    is_warehouse_current: bool,
) -> list[str]:
    if not landed and base is None:
        return []
    if base is None:
        return ["nothing is published yet"]
    causes = [f"{name} changed" for name in versions.changed_since(base.versions)]
    if not is_warehouse_current:
        causes.append("the warehouse is missing or of another generation")
    if base.files - set(landed):
        causes.append("landed files are gone, or read by a new reader")
    if left_over and left_over.is_full:
        causes.append("a former full build did not finish")
    return causes


def windows(days: Sequence[date]) -> Iterator[tuple[date, date]]:
    """Half-open spans `[from, until)` of at most a week that cover exactly the sorted `days`."""
    start = 0
    for index, day in enumerate(days):
        is_last = index + 1 == len(days)
        if is_last or days[index + 1] != day + ONE_DAY or index + 1 - start == MOST_DAYS_A_WINDOW:
            yield days[start], day + ONE_DAY
            start = index + 1
