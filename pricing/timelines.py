"""From dated facts to what was in force when: the one rule by which a later fact ends an earlier one.

A *series* is the facts about the same thing under the same conditions. Among those known at an instant, each
is valid from its `valid` start to its stated end, or to the start of the next one. So a book grows by
appending, and what was known before stays what it was.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pricing.periods import FOREVER_US, Period


class DatedFact(Protocol):
    """Anything with two half-open periods; an open end of `valid` means until the next one."""

    @property
    def valid(self) -> Period:
        """When it is so."""
        ...

    @property
    def known(self) -> Period:
        """When the book held it to be so."""
        ...


T = TypeVar("T")
Fact = TypeVar("Fact", bound=DatedFact)


@dataclass(frozen=True)
class Span(Generic[T]):
    """One thing in force during one period."""

    period: Period
    item: T


def is_known(fact: DatedFact, known_at_us: int | None) -> bool:
    """Return whether the fact was known at an instant (microseconds UTC); None asks for today's knowledge."""
    if known_at_us is None:
        return fact.known.end_us == FOREVER_US
    return fact.known.contains(known_at_us)


def timeline(series: Iterable[Fact], known_at_us: int | None) -> list[Span[Fact]]:
    """Return the facts of one series known at an instant, each with the period in which it is in force."""
    known = sorted(
        (fact for fact in series if is_known(fact, known_at_us)), key=lambda fact: fact.valid.start_us
    )
    starts = [fact.valid.start_us for fact in known] + [FOREVER_US]
    return [
        Span(Period(fact.valid.start_us, min(fact.valid.end_us, next_start)), fact)
        for fact, next_start in zip(known, starts[1:], strict=True)
        if fact.valid.start_us < next_start
    ]


def collide(one: DatedFact, other: DatedFact) -> bool:
    """Return whether two facts of one series claim the same instant while both are known."""
    if not one.known.overlaps(other.known):
        return False
    first, second = sorted((one, other), key=lambda fact: fact.valid.start_us)
    if first.valid.start_us == second.valid.start_us:
        return True
    return first.valid.end_us != FOREVER_US and first.valid.overlaps(second.valid)


def span_at(spans: Sequence[Span[T]], instant_us: int) -> Span[T] | None:
    """Return the span in force at an instant (microseconds UTC), or None."""
    return next((span for span in spans if span.period.contains(instant_us)), None)


def at(spans: Sequence[Span[T]], instant_us: int) -> T | None:
    """Return what is in force at an instant (microseconds UTC), or None."""
    span = span_at(spans, instant_us)
    return None if span is None else span.item
