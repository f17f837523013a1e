"""Which of several dated facts is in force: later ends earlier, knowledge decides which are there at all."""

from dataclasses import dataclass

import pytest

from pricing.periods import FOREVER_US, Period
from pricing.timelines import Span, at, collide, is_known, timeline


@dataclass(frozen=True)
class Fact:
    name: str
    valid: Period
    known: Period


def fact(name: str, start: int, end: int = FOREVER_US, known: int = 0, until: int = FOREVER_US) -> Fact:
    return Fact(name, Period(start, end), Period(known, until))


def spans(*facts: Fact, known_at: int | None = None) -> list[tuple[str, int, int]]:
    return [(s.item.name, s.period.start_us, s.period.end_us) for s in timeline(facts, known_at)]


def test_an_open_end_lasts_until_the_next_one() -> None:
    assert spans(fact("a", 0), fact("b", 10)) == [("a", 0, 10), ("b", 10, FOREVER_US)]


def test_a_stated_end_leaves_a_gap() -> None:
    assert spans(fact("a", 0, 5), fact("b", 10)) == [("a", 0, 5), ("b", 10, FOREVER_US)]


def test_the_order_of_writing_does_not_matter() -> None:
    facts = [fact("c", 20), fact("a", 0), fact("b", 10, 15)]
    assert spans(*facts) == spans(*reversed(facts))


def test_what_is_not_yet_known_does_not_end_anything() -> None:
    old, new = fact("a", 0), fact("b", 10, known=100)
    assert spans(old, new, known_at=50) == [("a", 0, FOREVER_US)]
    assert spans(old, new, known_at=100) == [("a", 0, 10), ("b", 10, FOREVER_US)]


def test_a_withdrawn_fact_is_gone_for_today_and_there_for_then() -> None:
    kept, withdrawn = fact("a", 0), fact("b", 10, known=1, until=5)
    assert spans(kept, withdrawn, known_at=4) == [("a", 0, 10), ("b", 10, FOREVER_US)]
    assert spans(kept, withdrawn, known_at=5) == [("a", 0, FOREVER_US)]
    assert spans(kept, withdrawn) == [("a", 0, FOREVER_US)]


def test_no_fact_gives_no_span() -> None:
    assert spans() == []
    assert at([], 3) is None


def test_at_finds_what_holds_at_an_instant() -> None:
    rows = [Span(Period(0, 10), "a"), Span(Period(10, 20), "b")]
    assert [at(rows, instant) for instant in (-1, 0, 9, 10, 20)] == [None, "a", "a", "b", None]


def test_knowledge_of_today_is_what_has_no_end() -> None:
    assert is_known(fact("a", 0), None)
    assert not is_known(fact("a", 0, until=9), None)
    assert is_known(fact("a", 0, known=3, until=9), 3)
    assert not is_known(fact("a", 0, known=3, until=9), 9)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (fact("a", 0), fact("b", 10), False),
        (fact("a", 0), fact("b", 0), True),
        (fact("a", 0, 11), fact("b", 10), True),
        (fact("a", 0, 10), fact("b", 10), False),
        (fact("a", 0, until=5), fact("b", 0, known=5), False),
        (fact("a", 0, 30), fact("b", 10, 20), True),
    ],
)
def test_two_facts_collide_when_both_state_the_same_instant(one: Fact, other: Fact, expected: bool) -> None:
    assert collide(one, other) is expected
    assert collide(other, one) is expected
