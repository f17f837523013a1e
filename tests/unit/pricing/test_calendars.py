"""Hours of the week in a zone: windows, holidays, clock changes."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from pricing.calendars import WEEKDAYS, Calendar, Window
from pricing.periods import DAY_US, day_period
from pricing.price_book import shipped_rules
from tests.unit.pricing.books import at_us

WEEK = tuple(WEEKDAYS)
OFFICE = Calendar("office", "UTC", (Window(WEEK[:5], 9 * 60, 17 * 60),), frozenset({date(2026, 12, 25)}))
NIGHT = Calendar("night", "Europe/Berlin", (Window(WEEK, 0, 6 * 60),), frozenset())
EVENING = Calendar("evening", "America/New_York", (Window(("fri",), 18 * 60, 1440),), frozenset())
HOUR_US = 3_600_000_000


def hours(calendar: Calendar, day: date) -> float:
    return sum(p.end_us - p.start_us for p in calendar.open_periods(day)) / HOUR_US


@pytest.mark.parametrize(
    ("when", "is_open"),
    [
        ("2026-12-01T08:59:59Z", False),
        ("2026-12-01T09:00:00Z", True),
        ("2026-12-01T16:59:59.999999Z", True),
        ("2026-12-01T17:00:00Z", False),
        ("2026-12-05T10:00:00Z", False),
        ("2026-12-25T10:00:00Z", False),
        ("2026-12-24T10:00:00Z", True),
    ],
)
def test_a_window_is_half_open_on_its_weekdays_and_closed_on_holidays(when: str, is_open: bool) -> None:
    assert OFFICE.is_open(at_us(when)) is is_open


def test_a_zone_moves_the_window() -> None:
    assert NIGHT.is_open(at_us("2026-12-01T23:30:00Z"))
    assert not NIGHT.is_open(at_us("2026-12-01T22:30:00Z"))
    assert NIGHT.is_open(at_us("2026-07-01T22:30:00Z"))


@pytest.mark.parametrize(("evening", "length"), [("2026-03-28", 5), ("2026-10-24", 7), ("2026-12-01", 6)])
def test_the_night_of_a_clock_change_has_five_or_seven_hours(evening: str, length: int) -> None:
    start = at_us(f"{evening}T18:00:00Z")
    half_hours = [start + number * HOUR_US // 2 for number in range(36)]
    assert sum(NIGHT.is_open(instant) for instant in half_hours) == 2 * length


def test_a_window_that_ends_at_midnight_reaches_the_next_utc_day() -> None:
    assert EVENING.is_open(at_us("2026-12-04T23:00:00Z"))
    assert EVENING.is_open(at_us("2026-12-05T04:59:59Z"))
    assert not EVENING.is_open(at_us("2026-12-05T05:00:00Z"))


def test_open_periods_lie_inside_their_day_and_do_not_overlap() -> None:
    for offset in range(40):
        day = date(2026, 10, 1) + timedelta(days=offset)
        whole = day_period(day)
        periods = NIGHT.open_periods(day)
        assert all(whole.start_us <= p.start_us and p.end_us <= whole.end_us for p in periods)
        assert all(a.end_us < b.start_us for a, b in pairwise(periods))


def test_is_open_and_open_periods_agree_over_two_weeks() -> None:
    start = at_us("2026-10-20T00:00:00Z")
    for half_hour in range(14 * 48):
        instant = start + half_hour * HOUR_US // 2
        day = date(2026, 10, 20) + timedelta(days=(instant - start) // DAY_US)
        assert EVENING.is_open(instant) == any(p.contains(instant) for p in EVENING.open_periods(day))


@pytest.mark.parametrize(
    ("when", "is_open"),
    [
        ("2026-09-24T02:00:00Z", True),
        ("2026-09-25T02:00:00Z", False),
        ("2026-10-07T02:00:00Z", False),
        ("2026-10-08T02:00:00Z", True),
        ("2026-10-10T02:00:00Z", False),
    ],
)
def test_the_shipped_calendar_knows_the_holidays_of_its_country(when: str, is_open: bool) -> None:
    assert shipped_rules().calendars["deepseek_peak"].is_open(at_us(when)) is is_open


def test_before_the_weekend_rule_peak_was_every_day() -> None:
    daily = shipped_rules().calendars["deepseek_peak_daily"]
    assert daily.is_open(at_us("2026-08-22T02:00:00Z"))
    assert hours(daily, date(2026, 8, 22)) == 7
