"""Price usage records in the providers' own fields: exact USD, lines and entries, or why there is no price.

The order is that of "How a price is chosen": model, usage, billability, band, entry, factors, minimums, free
parts. `prices calc` prints what this returns; the SQL chain prices attempts through the same choosing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

from pricing.calc_lines import CalcLine, Calculation
from pricing.choosing import ModelPrices
from pricing.errors import PriceBookError
from pricing.fees import fee_quantities
from pricing.money import priced_flat_fee
from pricing.price_book import PriceBook
from pricing.rate_cards import Resolution, resolve
from pricing.record_words import card_of, instant_of, word
from pricing.units import PICO_PER_USD, round_half_even
from pricing.usage import Meters, find_profile, read_meters
from pricing.usage_paths import exact, number

KEYS = ("provider", "model", "date", "usage")


@dataclass
class CalcResult:
    """What a record costs in whole pico-USD; None when unpriced, with the reason.

    `reported_pico_usd` is what the provider says it charged: kept beside ours, never added to it.
    """

    pico_usd: int | None = 0
    lines: list[CalcLine] = field(default_factory=list[CalcLine])
    reason_code: str = ""
    unpriced: dict[str, str] = field(default_factory=dict[str, str])
    notes: list[str] = field(default_factory=list[str])
    provider: str = ""
    model: str = ""
    reported_pico_usd: int | None = None

    @property
    def usd(self) -> str | None:
        """Return the cost as exact decimal text, without an exponent and without trailing zeros."""
        return None if self.pico_usd is None else usd_text(self.pico_usd)


def usd_text(pico_usd: int) -> str:
    """Return whole pico-USD as exact decimal text of USD."""
    whole, rest = divmod(abs(pico_usd), PICO_PER_USD)
    digits = f"{rest:012d}".rstrip("0")
    return f"{'-' if pico_usd < 0 else ''}{whole}{'.' + digits if digits else ''}"


def calculate(book: PriceBook, record: Mapping[str, object], known_at_us: int | None = None) -> CalcResult:
    """Return what one record costs by the book, as known at an instant (microseconds UTC; None: today)."""
    check_layout(record)
    instant_us = instant_of(record)
    name = book.rules.spellings.get(str(record["provider"]))
    meters = _meters(book, name, record)
    provider = None if name is None else book.providers[name]
    card = card_of(record, provider, 0 if meters is None else meters.output_total)
    found = resolve(book, card, instant_us, (), known_at_us)
    result = CalcResult(provider=found.provider, model=found.shown_model)
    result.notes = [] if meters is None else meters.notes
    result.reported_pico_usd = _reported(book, found.provider, record)
    if _is_settled(book, found, result):
        return result
    assert found.model is not None
    fees = fee_quantities(book.rules.fees, found.provider, record)
    if meters is None and not fees:
        result.pico_usd, result.reason_code = None, "usage_missing"
        return result
    calculation = Calculation(book, found, ModelPrices(book, found.model, known_at_us), record, instant_us)
    tokens = meters or Meters()
    if word(record, ("context.is_aggregate",)) == "true":
        # A sum over requests has no whole input of a request: bands never apply to it.
        tokens.input_total = 0
        result.notes.append("aggregate_without_bands")
    result.lines, result.unpriced = calculation.lines(tokens, fees)
    result.pico_usd = None if result.unpriced else sum(line.pico_usd for line in result.lines)
    result.reason_code = "price_gap" if result.unpriced else ""
    return result


def check_layout(record: Mapping[str, object]) -> None:
    """Raise PriceBookError where a record lacks one of the keys that pricing needs."""
    missing = [key for key in KEYS if key not in record]
    if missing:
        raise PriceBookError(
            f"The usage record has no '{missing[0]}'. A record is a JSON object with provider, model, date, "
            f"usage, context and optionally prices_in_force."
        )


def _meters(book: PriceBook, provider: str | None, record: Mapping[str, object]) -> Meters | None:
    """Return the tokens of a record; None where no profile of the provider fits: then nothing is stated."""
    usage = cast(Mapping[str, object], record.get("usage") or {})
    if provider is None:
        return None
    profile = find_profile(book, provider, usage, word(record, ("context.api",)))
    return None if profile is None else read_meters(book, provider, profile, record)


def _is_settled(book: PriceBook, found: Resolution, result: CalcResult) -> bool:
    """Settle what needs no price per unit: not billable, a flat fee, a preferred charge, no model."""
    if not found.is_billable:
        result.reason_code = found.reason_code
    elif found.flat_fee is not None:
        fee = priced_flat_fee(found.flat_fee)["request"]
        place, steps = str(found.flat_fee.place), fee.steps
        result.lines.append(
            CalcLine("request", Fraction(1), fee.list_pico_usd, fee.entry.entry_id, place, steps)
        )
        result.pico_usd = fee.list_pico_usd
    elif result.reported_pico_usd is not None and _is_preferred(book, found.provider):
        result.pico_usd = result.reported_pico_usd
    elif found.model is None or found.reason_code:
        result.pico_usd, result.reason_code = None, found.reason_code
    else:
        return False
    return True


def _reported(book: PriceBook, provider: str, record: Mapping[str, object]) -> int | None:
    """Return the charge that the provider states with the usage, in whole pico-USD, or None."""
    for charge in book.rules.reported_charges:
        value = number(record, charge.path) if charge.provider == provider else None
        if value is not None:
            return round_half_even(value * exact(charge.usd, "usd") * PICO_PER_USD)
    return None


def _is_preferred(book: PriceBook, provider: str) -> bool:
    return any(charge.is_preferred for charge in book.rules.reported_charges if charge.provider == provider)
