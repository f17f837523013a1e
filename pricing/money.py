"""From the chosen number to whole pico-USD per unit: quote, factors, currency, and the words that say so."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction

from pricing.choosing import Source
from pricing.entries import PLAIN, Entry, Facts, Published
from pricing.overlays import Contract
from pricing.periods import FOREVER_US, Period, to_us
from pricing.price_book import PriceBook
from pricing.rules import BillingRule, CurrencyRate
from pricing.units import attempt_meters, pico_per_unit, round_half_even, units

BOOK_START = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Priced:
    """Whole pico-USD per unit of a meter, list and contracted, with the entry and the steps that made it."""

    list_pico_usd: int
    contracted_pico_usd: int
    entry: Entry
    published: Published
    in_force: Period
    steps: str


def price_of(
    book: PriceBook,
    source: Source,
    input_tokens: int,
    day: date,
    contract: Contract | None = None,
    meter: str = "",
) -> Priced | None:
    """Return the price per unit for a request with this whole input (tokens) on a UTC day.

    None where the currency has no rate published by the end of that day: such a price is unknown. A contract
    is laid over the list price of the meter, and rounded once.
    """
    published = source.entry.published(source.meter, input_tokens)
    converted = published and exact_pico_usd(book, source, published, day)
    if published is None or converted is None:
        return None
    exact, steps = converted
    whole = round_half_even(exact)
    if whole != exact:
        steps.append(f"rounded half-even to {whole} pico-USD")
    contracted = whole if contract is None else _contracted(contract, meter, exact, steps)
    return Priced(whole, contracted, source.entry, published, source.in_force, "; ".join(steps))


def _contracted(contract: Contract, meter: str, list_price: Fraction, steps: list[str]) -> int:
    """Return the contracted pico-USD per unit, rounded once, half-even; the steps say how it was made."""
    own, discount = contract.own_prices.get(meter), contract.text.discount_percent
    if own is not None:
        exact = pico_per_unit(own.amount, units().quotes[own.quote])
        word = f"own price {own.amount} USD per million tokens"
    else:
        exact = list_price * (100 - Fraction(discount or "0")) / 100
        word = f"{discount} % off"
    whole = round_half_even(exact)
    rounded = "" if whole == exact else ", rounded half-even"
    steps.append(f"contract {contract.text.id} ({contract.facts.place}): {word} = {whole} pico-USD{rounded}")
    return whole


def priced_flat_fee(rule: BillingRule) -> dict[str, Priced]:
    """Return the prices of an attempt that costs a flat fee: the fee for the request, 0 for all it used."""
    fee = rule.text.flat_fee_usd or "0"
    quotes = {"token": "per_million_tokens", "call": "per_call"}
    amounts = {
        meter: Published(fee if meter == "request" else "0", quotes[units().meters[meter].unit])
        for meter in attempt_meters()
    }
    start_us = to_us(BOOK_START)
    facts = Facts(
        rule.place,
        Period(start_us, FOREVER_US),
        Period(start_us, FOREVER_US),
        "in_force",
        rule.text.source.url,
        rule.text.source.checked,
    )
    provider = rule.text.provider or ""
    entry = Entry(facts, provider, "*", f"flat fee of {provider}", PLAIN, "USD", amounts)
    prices = {meter: pico_per_unit(row.amount, units().quotes[row.quote]) for meter, row in amounts.items()}
    return {
        meter: Priced(
            int(pico), int(pico), entry, amounts[meter], entry.valid, f"flat fee of {fee} USD per request"
        )
        for meter, pico in prices.items()
    }


def exact_pico_usd(
    book: PriceBook, source: Source, published: Published, day: date
) -> tuple[Fraction, list[str]] | None:
    """Return pico-USD per unit before rounding and the steps in words; None without a currency rate."""
    quote = units().quotes[published.quote]
    exact = pico_per_unit(published.amount, quote)
    steps = [f"{published.amount} {source.entry.currency} {quote.name.replace('_', ' ')}"]
    for adjustment in source.factors:
        exact *= Fraction(adjustment.factor)
        steps.append(f"× {adjustment.factor} ({adjustment.adjustment_id})")
    if source.entry.currency != "USD":
        rate = rate_on(book, source.entry.currency, day)
        if rate is None:
            return None
        exact *= Fraction(rate.usd)
        steps.append(f"× {rate.usd} USD per {rate.currency} of {rate.published}")
    return exact, steps


def rate_on(book: PriceBook, currency: str, day: date) -> CurrencyRate | None:
    """Return the last rate published at or before the end of a UTC day, or None."""
    rates = [rate for rate in book.rates if rate.currency == currency and rate.published <= day]
    return max(rates, key=lambda rate: rate.published, default=None)
