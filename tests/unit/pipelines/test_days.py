"""Days to rebuild: the rule of ledger.md 10.1, and cutting days into windows."""

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pipelines.building import Building
from pipelines.days import Base, Plan, plan_days, windows, with_neighbours
from pipelines.versions import Versions

VERSIONS = Versions("price", "mapping", "code")
MONDAY = date(2026, 10, 19)


def day(offset: int) -> date:
    return MONDAY + timedelta(days=offset)


def days(*offsets: int) -> tuple[date, ...]:
    return tuple(day(offset) for offset in offsets)


LANDED = {"a": days(0), "b": days(5, 6)}


def plan(
    landed: dict[str, tuple[date, ...]] | None = None,
    files: set[str] | None = None,
    versions: Versions = VERSIONS,
    left_over: Building | None = None,
    is_warehouse_current: bool = True,
) -> Plan:
    base = None if files is None else Base(frozenset(files), VERSIONS)
    return plan_days(LANDED if landed is None else landed, base, versions, left_over, is_warehouse_current)


def left(offsets: tuple[int, ...], is_full: bool = False) -> Building:
    return Building(days(*offsets), is_full, ("a",), VERSIONS, None, "new files")


def test_nothing_landed_and_nothing_published_is_nothing_to_do() -> None:
    assert plan({}).is_empty


def test_the_first_build_takes_every_day() -> None:
    assert plan() == Plan(days(0, 5, 6), True, ("nothing is published yet",))


def test_everything_published_is_nothing_to_do() -> None:
    assert plan(files={"a", "b"}) == Plan((), False, ())
    assert plan(files={"a", "b"}).is_empty


def test_a_new_file_takes_its_days_and_their_neighbours() -> None:
    assert plan(files={"a"}) == Plan(days(4, 5, 6, 7), False, ("new files: 1",))


def test_a_file_without_a_day_still_has_to_be_published() -> None:
    found = plan(LANDED | {"c": ()}, files={"a", "b"})
    assert found == Plan((), False, ("new files: 1",))
    assert not found.is_empty


def test_a_crash_adds_the_days_it_left() -> None:
    found = plan(files={"a", "b"}, left_over=left((2,)))
    assert found == Plan(days(2), False, ("a former run did not finish",))
    assert plan(files={"a"}, left_over=left((2,))).days == days(2, 4, 5, 6, 7)


def test_a_full_build_that_crashed_is_full_again() -> None:
    found = plan(files={"a", "b"}, left_over=left((0,), is_full=True))
    assert found == Plan(days(0, 5, 6), True, ("a former full build did not finish",))


def test_each_version_that_changes_takes_every_day() -> None:
    for name, words in (("price", "price book"), ("mapping", "mapping"), ("code", "code")):
        found = plan(files={"a", "b"}, versions=replace(VERSIONS, **{name: "other"}))
        assert found == Plan(days(0, 5, 6), True, (f"{words} changed",))


def test_a_lost_warehouse_takes_every_day() -> None:
    found = plan(files={"a", "b"}, is_warehouse_current=False)
    assert (found.days, found.is_full) == (days(0, 5, 6), True)
    assert found.causes == ("the warehouse is missing or of another generation",)


def test_a_landed_file_that_is_gone_takes_every_day() -> None:
    assert plan({"a": days(0)}, files={"a", "b"}) == Plan(
        days(0), True, ("landed files are gone, or read by a new reader",)
    )


def test_neighbours_cross_months_and_years() -> None:
    assert with_neighbours([date(2027, 1, 1)]) == {date(2026, 12, 31), date(2027, 1, 1), date(2027, 1, 2)}


def test_windows_follow_gaps_and_stop_after_a_week() -> None:
    assert list(windows(days(0, 1, 3))) == [(day(0), day(2)), (day(3), day(4))]
    assert list(windows(days(*range(9)))) == [(day(0), day(7)), (day(7), day(9))]
    assert list(windows(())) == []


@given(st.sets(st.integers(min_value=0, max_value=60)))
def test_windows_cover_exactly_the_days_in_order(offsets: set[int]) -> None:
    wanted = days(*sorted(offsets))
    covered: list[date] = []
    for start, end in windows(wanted):
        assert timedelta(0) < end - start <= timedelta(days=7)
        covered += [start + timedelta(days=step) for step in range((end - start).days)]
    assert tuple(covered) == wanted
