"""From the chosen number to whole pico-USD, and the words that say how; rows that belong together."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from pricing.choosing import ModelPrices, Source
from pricing.entries import Conditions
from pricing.money import exact_pico_usd, price_of, priced_flat_fee
from pricing.periods import Period
from pricing.price_book import PriceBook, shipped_rules
from pricing.price_rows import LARGEST_BIGINT, PriceRow, merged
from pricing.rules import CurrencyRate
from pricing.units import attempt_meters
from tests.unit.pricing.books import DAY, at_us, book_of, model, models

NOW = at_us("2026-10-20T12:00:00Z")
BASE = "{valid_from: 2026-01-01, per_million_tokens: {input: 0.000003, output: 8}}"
FACTOR = "  - {{id: f, tier: batch, factor: {}, meters: [input, output], valid_from: 2026-01-01}}\n"


def source(book: PriceBook, meter: str = "input_uncached", tier: str = "standard") -> Source:
    found = ModelPrices(book, book.models["openai", "m"], None).source_at(Conditions(tier), meter, NOW)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("factor", "whole", "exact"),
    [("0.5", 2, "3/2"), ("1.5", 4, "9/2"), ("1.1", 3, "33/10"), ("1", 3, "3"), ("2", 6, "6")],
)
def test_a_product_that_is_not_whole_is_rounded_half_even_and_says_so(
    factor: str, whole: int, exact: str
) -> None:
    book = book_of(models(model("m", BASE), adjustments=FACTOR.format(factor)))
    chosen = source(book, tier="batch")
    price = price_of(book, chosen, 0, DAY)
    assert price is not None
    assert price.list_pico_usd == price.contracted_pico_usd == whole
    converted = exact_pico_usd(book, chosen, price.published, DAY)
    assert converted is not None
    assert converted[0] == Fraction(exact)
    is_rounded = Fraction(exact).denominator != 1
    assert price.steps.endswith(f"rounded half-even to {whole} pico-USD") == is_rounded
    assert f"× {factor} (f)" in price.steps


def test_a_price_knows_its_entry_its_amount_and_the_period_it_is_in_force() -> None:
    book = book_of(models(model("m", BASE, "{valid_from: 2026-11-01, per_million_tokens: {input: 1}}")))
    price = price_of(book, source(book), 0, DAY)
    assert price is not None
    assert (price.published.amount, price.published.quote) == ("0.000003", "per_million_tokens")
    assert price.in_force == Period(at_us("2026-01-01T00:00:00Z"), at_us("2026-11-01T00:00:00Z"))
    assert price.entry.entry_id == "m/2026-01-01T00:00Z"


def test_a_currency_without_a_rate_on_the_day_has_no_price() -> None:
    book = book_of(models(model("m", BASE)))
    chosen = source(book)
    abroad = replace(chosen, entry=replace(chosen.entry, currency="CNY"))
    assert price_of(book, abroad, 0, DAY) is None
    rates = (CurrencyRate("CNY", date(2026, 10, 20), "0.5", "https://example.com"),)
    rich = replace(book, rules=replace(shipped_rules(), rates=rates))
    assert price_of(rich, abroad, 0, date(2026, 10, 19)) is None
    price = price_of(rich, abroad, 0, DAY)
    assert price is not None
    assert price.list_pico_usd == 2
    assert "× 0.5 USD per CNY of 2026-10-20" in price.steps


def test_a_flat_fee_prices_the_request_and_nothing_else() -> None:
    (rule,) = [rule for rule in shipped_rules().billing_rules if rule.text.flat_fee_usd is not None]
    prices = priced_flat_fee(rule)
    assert set(prices) == set(attempt_meters())
    assert {meter: price.list_pico_usd for meter, price in prices.items() if price.list_pico_usd} == {
        "request": 50_000_000_000
    }
    assert prices["request"].entry.facts.place == rule.place
    assert prices["request"].steps == "flat fee of 0.05 USD per request"


def row(start: int, end: int, book: PriceBook, tokens: tuple[int, int] = (0, LARGEST_BIGINT)) -> PriceRow:
    price = price_of(book, source(book), 0, DAY)
    assert price is not None
    return PriceRow(Period(start, end), *tokens, {"input_uncached": price})


def test_neighbours_with_equal_prices_are_joined() -> None:
    book = book_of(models(model("m", BASE)))
    rows = merged([row(0, 5, book), row(5, 9, book), row(9, 12, book)])
    assert [(r.period.start_us, r.period.end_us) for r in rows] == [(0, 12)]


def test_a_gap_another_band_or_another_price_keeps_them_apart() -> None:
    book, other = book_of(models(model("m", BASE))), book_of(models(model("m", BASE)))
    assert len(merged([row(0, 5, book), row(6, 9, book)])) == 2
    assert len(merged([row(0, 5, book, (0, 10)), row(5, 9, book, (10, 20))])) == 2
    assert len(merged([row(0, 5, book), row(5, 9, other)])) == 2
    assert merged([]) == []


def test_the_key_of_a_row_is_that_of_its_prices_and_entries() -> None:
    book, again = book_of(models(model("m", BASE))), book_of(models(model("m", BASE)))
    assert row(0, 5, book).key() == row(7, 9, again).key()
    assert PriceRow(Period(0, 1), 0, 1, {}).key() != row(0, 1, book).key()
