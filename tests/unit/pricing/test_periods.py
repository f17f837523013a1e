"""Periods: their ends, their text, days."""

from datetime import UTC, date, datetime

import pytest

from pricing.periods import BEGINNING_US, DAY_US, FOREVER_US, Period, day_period, instant_text, to_us


def test_the_start_lies_inside_and_the_end_does_not() -> None:
    period = Period(10, 20)
    assert period.contains(10)
    assert period.contains(19)
    assert not period.contains(20)
    assert not period.contains(9)


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5)])
def test_an_empty_or_backward_period_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="must end after it starts"):
        Period(start, end)


def test_neighbours_do_not_overlap() -> None:
    assert not Period(0, 5).overlaps(Period(5, 9))
    assert Period(0, 5).intersection(Period(5, 9)) is None


def test_a_day_is_86400_seconds_of_microseconds() -> None:
    day = day_period(date(1970, 1, 2))
    assert day == Period(DAY_US, 2 * DAY_US)


def test_days_follow_each_other_without_a_hole() -> None:
    assert day_period(date(2026, 2, 28)).end_us == day_period(date(2026, 3, 1)).start_us


def test_instants_are_exact_to_the_microsecond() -> None:
    instant = datetime(2026, 8, 16, 15, 59, 59, 999_999, tzinfo=UTC)
    assert to_us(instant) + 1 == to_us(datetime(2026, 8, 16, 16, tzinfo=UTC))


def test_a_period_shows_its_ends_as_rfc_3339_text() -> None:
    assert str(day_period(date(2026, 8, 16))) == "[2026-08-16T00:00:00Z, 2026-08-17T00:00:00Z)"


def test_open_ends_have_words() -> None:
    assert instant_text(FOREVER_US) == "forever"
    assert instant_text(BEGINNING_US) == "beginning"


def test_cutting_ignores_boundaries_on_the_edges_and_outside() -> None:
    assert Period(0, 10).cut([0, 10, 99, -4]) == (Period(0, 10),)
    assert Period(0, 10).cut([7, 3, 7]) == (Period(0, 3), Period(3, 7), Period(7, 10))
