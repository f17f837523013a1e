"""The facts of a loaded book as plain frozen objects, one per thing that is written in a price file.

They know their file and line, their two periods and their content hash; what they mean together is not here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from pricing.hashes import content_hash
from pricing.periods import FOREVER_US, Period, instant_text, to_us
from pricing.schema import Dated
from pricing.units import units


@dataclass(frozen=True)
class Place:
    """File and 1-based line of something written by a person."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file} line {self.line}"


@dataclass(frozen=True)
class Facts:
    """What every dated fact carries: both periods, status, source and place."""

    place: Place
    valid: Period
    known: Period
    status: str
    source_url: str
    checked: date


@dataclass(frozen=True)
class Published:
    """An amount as written: decimal text of a currency per quote (`per_million_tokens` …)."""

    amount: str
    quote: str


def published_by_meter(written: Mapping[str, Mapping[str, str]]) -> dict[str, Published]:
    """Return one amount per meter of {quote: {word: amount}}; a meter's own name beats a word for several."""
    words = [(word, amount, quote) for quote, row in written.items() for word, amount in row.items()]
    words.sort(key=lambda item: item[0] in units().meters)
    return {
        meter: Published(amount, quote) for word, amount, quote in words for meter in units().meters_of(word)
    }


@dataclass(frozen=True)
class Conditions:
    """What must hold for a price; the defaults are what a plain request has."""

    tier: str = "standard"
    region: str = "global"
    hours: str | None = None


PLAIN = Conditions()


@dataclass(frozen=True)
class Band:
    """The amounts of requests whose whole input reaches `from_tokens`."""

    from_tokens: int
    amounts: dict[str, Published]


@dataclass(frozen=True, eq=False)
class Entry:
    """One published price of one model under one set of conditions."""

    facts: Facts
    provider: str
    model: str
    entry_id: str
    conditions: Conditions
    currency: str
    amounts: dict[str, Published]
    bands: tuple[Band, ...] = ()
    is_high_rate_confirmed: bool = False

    @property
    def valid(self) -> Period:
        """Return the validity as written; an open end means until the next entry of the series."""
        return self.facts.valid

    @property
    def known(self) -> Period:
        """Return the period in which the book held this to be true."""
        return self.facts.known

    @cached_property
    def meters(self) -> frozenset[str]:
        """Return every meter that the entry or one of its bands prices."""
        return frozenset(self.amounts).union(*(band.amounts for band in self.bands))

    def published(self, meter: str, input_tokens: int) -> Published | None:
        """Return the amount of a meter for a request with this whole input (tokens)."""
        amounts = self.amounts
        for band in self.bands:
            if input_tokens >= band.from_tokens:
                amounts = {**self.amounts, **band.amounts}
        return amounts.get(meter)

    @cached_property
    def content(self) -> str:
        """Return the content hash.

        Ends, status and the day of the last check are left out: closing or re-checking an entry does not make
        it another price, and must not restate days that it priced.
        """
        return content_hash(
            {
                "provider": self.provider,
                "model": self.model,
                "conditions": [self.conditions.tier, self.conditions.region, self.conditions.hours],
                "valid_from": instant_text(self.valid.start_us),
                "known_from": instant_text(self.known.start_us),
                "currency": self.currency,
                "amounts": {meter: [p.amount, p.quote] for meter, p in self.amounts.items()},
                "bands": [
                    [b.from_tokens, {m: [p.amount, p.quote] for m, p in b.amounts.items()}]
                    for b in self.bands
                ],
                "source": self.facts.source_url,
            }
        )


@dataclass(frozen=True, eq=False)
class Adjustment:
    """A published factor on some meters for one tier or one region."""

    facts: Facts
    provider: str
    adjustment_id: str
    factor: str
    tier: str | None
    region: str | None
    meters: frozenset[str]
    of_meter: str | None
    models: frozenset[str]
    released: tuple[date | None, date | None]
    order: int
    exclusive_group: str | None

    @property
    def valid(self) -> Period:
        """Return the validity as written."""
        return self.facts.valid

    @property
    def known(self) -> Period:
        """Return the period in which the book held this to be true."""
        return self.facts.known

    def applies_to(self, model: str, released: date | None) -> bool:
        """Return whether the factor covers a model, by its id and the day it was released."""
        if self.models:
            return model in self.models
        start, end = self.released
        if start is None and end is None:
            return True
        if released is None:
            return False
        return (start is None or released >= start) and (end is None or released < end)


@dataclass(frozen=True, eq=False)
class Alias:
    """Another name for a model during a period."""

    facts: Facts
    name: str
    model: str

    @property
    def valid(self) -> Period:
        """Return the validity as written."""
        return self.facts.valid

    @property
    def known(self) -> Period:
        """Return the period in which the book held this to be true."""
        return self.facts.known


def periods_of(text: Dated) -> tuple[Period, Period]:
    """Return the validity and the knowledge of a dated fact as periods of microseconds UTC."""
    valid_end = FOREVER_US if text.valid_until is None else to_us(text.valid_until)
    known_end = FOREVER_US if text.known_until is None else to_us(text.known_until)
    return Period(to_us(text.valid_from), valid_end), Period(to_us(text.known_from), known_end)
