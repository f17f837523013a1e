"""The algebra of half-open periods holds its laws, checked against sets of single instants."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pricing.periods import Period, gaps, intersection, subtract, union

INSTANTS = range(-5, 30)


@st.composite
def period(draw: st.DrawFn) -> Period:
    start = draw(st.integers(0, 20))
    return Period(start, start + draw(st.integers(1, 8)))


periods = st.lists(period(), max_size=6)


def instants(rows: object) -> set[int]:
    return {instant for instant in INSTANTS for row in rows if row.contains(instant)}  # type: ignore[attr-defined]


def is_span_set(rows: tuple[Period, ...]) -> bool:
    return all(a.end_us < b.start_us for a, b in pairwise(rows))


@given(periods)
def test_a_union_has_the_same_instants_and_is_sorted_and_disjoint(rows: list[Period]) -> None:
    assert instants(union(rows)) == instants(rows)
    assert is_span_set(union(rows))


@given(periods)
def test_a_union_of_a_union_changes_nothing(rows: list[Period]) -> None:
    assert union(union(rows)) == union(rows)


@given(periods, st.randoms(use_true_random=False))
def test_a_union_does_not_depend_on_order(rows: list[Period], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert union(shuffled) == union(rows)


@given(periods, periods)
def test_intersection_is_the_common_instants(left: list[Period], right: list[Period]) -> None:
    assert instants(intersection(left, right)) == instants(left) & instants(right)
    assert is_span_set(intersection(left, right))
    assert intersection(left, right) == intersection(right, left)


@given(periods, periods)
def test_subtraction_leaves_what_the_other_does_not_have(left: list[Period], right: list[Period]) -> None:
    assert instants(subtract(left, right)) == instants(left) - instants(right)
    assert is_span_set(subtract(left, right))


@given(periods, periods)
def test_what_is_common_and_what_is_left_make_the_whole(left: list[Period], right: list[Period]) -> None:
    assert union([*intersection(left, right), *subtract(left, right)]) == union(left)


@given(period(), periods)
def test_gaps_and_cover_partition_the_period(within: Period, rows: list[Period]) -> None:
    missing = gaps(within, rows)
    assert instants(missing) == instants([within]) - instants(rows)
    assert union([*missing, *intersection([within], rows)]) == (within,)


@given(period(), st.lists(st.integers(-3, 30), max_size=8))
def test_cutting_neither_loses_nor_doubles_an_instant(whole: Period, boundaries: list[int]) -> None:
    pieces = whole.cut(boundaries)
    assert sum(piece.end_us - piece.start_us for piece in pieces) == whole.end_us - whole.start_us
    assert union(pieces) == (whole,)
    assert all(not piece.cut(boundaries)[1:] for piece in pieces)


@given(period(), period())
def test_two_periods_overlap_exactly_when_they_share_an_instant(one: Period, other: Period) -> None:
    assert one.overlaps(other) == bool(instants([one]) & instants([other]))
    assert one.overlaps(other) == other.overlaps(one)
    assert (one.intersection(other) is not None) == one.overlaps(other)
