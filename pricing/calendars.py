"""Hour-of-week windows: which instants of a UTC day belong to a named calendar."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from pricing.periods import DAY_US, Period, day_period, intersection, to_us, union

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Window:
    """Some weekdays, between two minutes of the day (1440 is its end), in the calendar's zone."""

    weekdays: tuple[str, ...]
    start_minute: int
    end_minute: int


@dataclass(frozen=True)
class Calendar:
    """A zone, its windows, and the local dates on which all of them are closed."""

    name: str
    zone: str
    windows: tuple[Window, ...]
    closed_on: frozenset[date]

    @lru_cache(maxsize=4096)  # noqa: B019 - calendars are few, frozen and live as long as the book
    def open_periods(self, day: date) -> tuple[Period, ...]:
        """Return the instants of a UTC day that lie in a window, as sorted disjoint periods."""
        local_days = [day + timedelta(days=offset) for offset in (-1, 0, 1)]
        found = [
            self._period(local, window)
            for local in local_days
            if local not in self.closed_on
            for window in self.windows
            if WEEKDAYS[local.weekday()] in window.weekdays
        ]
        return intersection(union(period for period in found if period), (day_period(day),))

    def is_open(self, instant_us: int) -> bool:
        """Return whether an instant (microseconds UTC) lies in a window."""
        day = date(1970, 1, 1) + timedelta(days=instant_us // DAY_US)
        return any(period.contains(instant_us) for period in self.open_periods(day))

    def _period(self, local: date, window: Window) -> Period | None:
        """Return the window of a local date; None where a clock change swallows it."""
        start, end = (self._instant_us(local, minute) for minute in (window.start_minute, window.end_minute))
        return Period(start, end) if start < end else None

    def _instant_us(self, local: date, minute: int) -> int:
        day, minute_of_day = local + timedelta(days=minute // 1440), minute % 1440
        moment = datetime.combine(
            day, time(minute_of_day // 60, minute_of_day % 60), tzinfo=ZoneInfo(self.zone)
        )
        return to_us(moment)
