"""Half-open periods `[start_us, end_us)` of UTC microseconds and their algebra.

Both time axes of a price (valid, known), hour-of-week windows and days are periods; nothing here knows about
prices. A tuple of periods that is sorted, disjoint and not touching is called a *span set*; `union` makes
one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

FOREVER_US = 2**63 - 1
BEGINNING_US = -(2**63)
DAY_US = 86_400_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, order=True)
class Period:
    """The instants from `start_us` up to, not including, `end_us` (microseconds UTC)."""

    start_us: int
    end_us: int

    def __post_init__(self) -> None:
        if self.start_us >= self.end_us:
            raise ValueError(f"A period must end after it starts: {self}.")

    def __str__(self) -> str:
        return f"[{instant_text(self.start_us)}, {instant_text(self.end_us)})"

    def contains(self, instant_us: int) -> bool:
        """Return whether the instant (microseconds UTC) lies inside."""
        return self.start_us <= instant_us < self.end_us

    def overlaps(self, other: "Period") -> bool:
        """Return whether at least one instant lies in both."""
        return self.start_us < other.end_us and other.start_us < self.end_us

    def intersection(self, other: "Period") -> "Period | None":
        """Return the instants that lie in both, or None."""
        if not self.overlaps(other):
            return None
        return Period(max(self.start_us, other.start_us), min(self.end_us, other.end_us))

    def cut(self, boundaries_us: Iterable[int]) -> tuple["Period", ...]:
        """Return the period cut at each boundary (microseconds UTC) that lies strictly inside, in order."""
        inside = sorted({b for b in boundaries_us if self.start_us < b < self.end_us})
        edges = [self.start_us, *inside, self.end_us]
        return tuple(Period(a, b) for a, b in pairwise(edges))


ALWAYS = Period(BEGINNING_US, FOREVER_US)


def union(periods: Iterable[Period]) -> tuple[Period, ...]:
    """Return the span set of the instants that lie in at least one period."""
    merged: list[Period] = []
    for period in sorted(periods):
        if merged and period.start_us <= merged[-1].end_us:
            merged[-1] = Period(merged[-1].start_us, max(merged[-1].end_us, period.end_us))
        else:
            merged.append(period)
    return tuple(merged)


def intersection(left: Iterable[Period], right: Iterable[Period]) -> tuple[Period, ...]:
    """Return the span set of the instants that lie in both collections."""
    ours, theirs = union(left), union(right)
    common = (a.intersection(b) for a in ours for b in theirs)
    return union(period for period in common if period is not None)


def subtract(left: Iterable[Period], right: Iterable[Period]) -> tuple[Period, ...]:
    """Return the span set of the instants of `left` that lie in none of `right`."""
    remaining = union(left)
    for hole in union(right):
        remaining = tuple(piece for period in remaining for piece in _without(period, hole))
    return remaining


def gaps(within: Period, periods: Iterable[Period]) -> tuple[Period, ...]:
    """Return the span set of the instants of `within` that no period covers."""
    return subtract((within,), periods)


def day_period(day: date) -> Period:
    """Return the UTC day as a period of 86,400,000,000 microseconds."""
    start_us = (day - _EPOCH.date()).days * DAY_US
    return Period(start_us, start_us + DAY_US)


def to_us(instant: datetime) -> int:
    """Return an aware instant as microseconds UTC, exactly."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def instant_text(instant_us: int) -> str:
    """Return microseconds UTC as RFC 3339 text, or `beginning` / `forever` for the open ends."""
    if instant_us == FOREVER_US:
        return "forever"
    if instant_us == BEGINNING_US:
        return "beginning"
    instant = _EPOCH + timedelta(microseconds=instant_us)
    return instant.isoformat().replace("+00:00", "Z")


def _without(period: Period, hole: Period) -> list[Period]:
    common = period.intersection(hole)
    if common is None:
        return [period]
    edges = [(period.start_us, common.start_us), (common.end_us, period.end_us)]
    return [Period(start, end) for start, end in edges if start < end]
