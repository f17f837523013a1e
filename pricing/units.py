"""Meters, units and the one place where an amount as written becomes whole pico-USD.

The table itself is `units.yml`. No float: amounts are decimal text, arithmetic is `Decimal` and `Fraction`.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, cast

from pricing.yaml_source import read_yaml

PICO_PER_USD = 10**12
_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Meter:
    """One exclusive bucket; `unit` is what its quantity counts."""

    name: str
    unit: str
    is_attempt: bool


@dataclass(frozen=True)
class Quote:
    """A way to write an amount: money per `count` of `unit`."""

    name: str
    unit: str
    count: int


@dataclass(frozen=True)
class Units:
    """The content of `units.yml`."""

    meters: dict[str, Meter]
    quotes: dict[str, Quote]
    words: dict[str, tuple[str, ...]]

    def meters_of(self, word: str) -> tuple[str, ...]:
        """Return the meters a word in a price file stands for; empty when it is unknown."""
        return self.words.get(word) or ((word,) if word in self.meters else ())


@cache
def units() -> Units:
    """Return the units table of the package."""
    data = cast(dict[str, dict[str, Any]], read_yaml(Path(__file__).parent / "units.yml", "units.yml").data)
    return Units(
        {
            name: Meter(name, row["unit"], row.get("is_attempt") == "true")
            for name, row in data["meters"].items()
        },
        {name: Quote(name, row["unit"], int(row["count"])) for name, row in data["quotes"].items()},
        {word: tuple(names) for word, names in data["words"].items()},
    )


def attempt_meters() -> tuple[str, ...]:
    """Return the meters that are columns of the flat price table, in their fixed order."""
    return tuple(meter.name for meter in units().meters.values() if meter.is_attempt)


def is_amount(text: str) -> bool:
    """Return whether the text is a plain non-negative decimal number: no sign, exponent or blank."""
    return _AMOUNT.fullmatch(text) is not None


@cache
def pico_per_unit(amount: str, quote: Quote) -> Fraction:
    """Return an amount (decimal text of a currency, per quote) as pico per single unit, exactly."""
    return Fraction(Decimal(amount)) * PICO_PER_USD / quote.count


def round_half_even(value: Fraction) -> int:
    """Return the value as a whole number, ties to the even neighbour."""
    return round(value)
