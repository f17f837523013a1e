"""Which published number prices a meter: exact case, factors for what is missing, windows."""

from fractions import Fraction

import pytest

from pricing.choosing import ModelPrices, Source
from pricing.entries import Conditions
from pricing.price_book import PriceBook
from tests.unit.pricing.books import at_us, book_of, model, models

NOW = at_us("2026-10-20T12:00:00Z")
BASE = "{valid_from: 2026-01-01, per_million_tokens: {input: 4, cache_read: 1, output: 10}}"
BATCH = "{valid_from: 2026-01-01, tier: batch, per_million_tokens: {input: 1.9}}"
EU = "{valid_from: 2026-01-01, region: eu, per_million_tokens: {input: 5}}"
HALF = "  - {id: half, tier: batch, factor: 0.5, meters: [input, output], valid_from: 2026-01-01}\n"
UPLIFT = (
    "  - {id: uplift, region: eu, factor: 1.1, meters: [input, output], order: 20, valid_from: 2026-01-01}\n"
)


def prices(book: PriceBook, name: str = "m", known: int | None = None) -> ModelPrices:
    return ModelPrices(book, book.models["openai", name], known)


def source(
    book: PriceBook, meter: str, tier: str = "standard", region: str = "global", when: int = NOW
) -> Source | None:
    return prices(book).source_at(Conditions(tier, region), meter, when)


def value(book: PriceBook, meter: str, tier: str = "standard", region: str = "global") -> Fraction | None:
    found = source(book, meter, tier, region)
    published = found and found.entry.published(found.meter, 0)
    return None if found is None or not published else Fraction(published.amount) * found.factor


def test_a_published_amount_beats_a_computed_one() -> None:
    book = book_of(models(model("m", BASE, BATCH), adjustments=HALF))
    assert value(book, "input_uncached", "batch") == Fraction("1.9")
    assert value(book, "output_text", "batch") == 5


def test_a_meter_without_amount_and_factor_has_no_price_in_the_tier() -> None:
    book = book_of(models(model("m", BASE, BATCH), adjustments=HALF))
    assert value(book, "cache_read", "batch") is None
    assert value(book, "cache_read") == 1


def test_a_tier_without_anything_is_not_priced_at_standard() -> None:
    assert source(book_of(models(model("m", BASE))), "input_uncached", "flex") is None


def test_two_missing_conditions_need_two_factors() -> None:
    both = book_of(models(model("m", BASE), adjustments=HALF + UPLIFT))
    assert value(both, "input_uncached", "batch", "eu") == Fraction("2.2")
    only = book_of(models(model("m", BASE), adjustments=HALF))
    assert value(only, "input_uncached", "batch", "eu") is None


def test_the_nearer_case_is_the_one_that_keeps_the_tier() -> None:
    book = book_of(models(model("m", BASE, BATCH, EU), adjustments=HALF + UPLIFT))
    assert value(book, "input_uncached", "batch", "eu") == Fraction("1.9") * Fraction("1.1")


def test_a_regional_amount_times_the_factor_of_the_tier() -> None:
    book = book_of(models(model("m", BASE, EU), adjustments=HALF))
    assert value(book, "input_uncached", "batch", "eu") == Fraction("2.5")


def test_an_exact_case_needs_no_factor() -> None:
    exact = "{valid_from: 2026-01-01, tier: batch, region: eu, per_million_tokens: {input: 3}}"
    book = book_of(models(model("m", BASE, exact), adjustments=HALF + UPLIFT))
    assert value(book, "input_uncached", "batch", "eu") == 3


def test_a_factor_that_names_the_model_beats_a_general_one() -> None:
    named = HALF.replace("id: half", "id: named, models: [m]").replace("0.5", "0.8")
    book = book_of(models(model("m", BASE), model("n", BASE), adjustments=HALF + named))
    assert value(book, "input_uncached", "batch") == Fraction("3.2")
    other = prices(book, "n").source_at(Conditions("batch"), "input_uncached", NOW)
    assert other is not None
    assert other.factor == Fraction("0.5")


def test_a_factor_may_take_the_amount_of_another_meter() -> None:
    reads = HALF.replace("id: half", "id: reads, of: input_uncached").replace(
        "[input, output]", "[cache_read]"
    )
    book = book_of(models(model("m", BASE), adjustments=HALF + reads))
    assert value(book, "cache_read", "batch") == 2


def test_of_an_exclusive_group_only_the_first_factor_applies() -> None:
    one = HALF.replace("id: half", "id: half, exclusive_group: g, order: 1")
    two = UPLIFT.replace("id: uplift", "id: uplift, exclusive_group: g")
    book = book_of(models(model("m", BASE), adjustments=one + two))
    assert value(book, "input_uncached", "batch", "eu") == 2


def test_factors_apply_in_their_order() -> None:
    found = source(
        book_of(models(model("m", BASE), adjustments=UPLIFT + HALF)), "input_uncached", "batch", "eu"
    )
    assert found is not None
    assert [factor.adjustment_id for factor in found.factors] == ["half", "uplift"]


@pytest.mark.parametrize(
    ("released", "factor"), [("2026-03-04", None), ("2026-03-05", Fraction("1.1")), ("", None)]
)
def test_a_factor_may_depend_on_the_day_of_release(released: str, factor: Fraction | None) -> None:
    row = UPLIFT.replace("order: 20", "order: 20, released_from: 2026-03-05")
    found = source(
        book_of(models(model("m", BASE, released=released), adjustments=row)),
        "input_uncached",
        "standard",
        "eu",
    )
    assert (None if found is None else found.factor) == factor


def test_a_dated_factor_holds_in_its_period_only() -> None:
    row = HALF.replace("valid_from: 2026-01-01", "valid_from: 2026-10-20, valid_until: 2026-10-21")
    book = book_of(models(model("m", BASE), adjustments=row))
    assert source(book, "input_uncached", "batch", when=at_us("2026-10-19T23:59:59Z")) is None
    assert source(book, "input_uncached", "batch", when=NOW) is not None
    assert source(book, "input_uncached", "batch", when=at_us("2026-10-21T00:00:00Z")) is None


def test_an_hour_price_beats_the_all_day_price_inside_its_window_only() -> None:
    peak = "{valid_from: 2026-09-01, hours: deepseek_peak, per_million_tokens: {input: 8}}"
    book = book_of(models(model("m", BASE, peak)))
    inside = source(book, "input_uncached", when=at_us("2026-10-20T02:00:00Z"))
    outside = source(book, "input_uncached", when=at_us("2026-10-20T05:00:00Z"))
    assert inside is not None
    assert outside is not None
    assert (inside.entry.conditions.hours, outside.entry.conditions.hours) == ("deepseek_peak", None)
    assert source(book, "output_text", when=at_us("2026-10-20T02:00:00Z")) is not None


def test_a_later_entry_ends_only_the_meters_it_names() -> None:
    book = book_of(models(model("m", BASE, "{valid_from: 2026-05-01, per_million_tokens: {input: 3}}")))
    assert value(book, "input_uncached") == 3
    assert value(book, "cache_read") == 1


def test_an_entry_for_any_model_fills_only_what_the_model_lacks() -> None:
    anything = model('"*"', "{valid_from: 2026-01-01, per_thousand_calls: {tool_call: 10}}")
    own = "{valid_from: 2026-01-01, per_thousand_calls: {tool_call: 25}}"
    book = book_of(models(model("m", BASE, own), model("n", BASE), anything))
    costs = [prices(book, name).source_at(Conditions(), "tool_call", NOW) for name in ("m", "n")]
    amounts = [found.entry.amounts["tool_call"].amount for found in costs if found is not None]
    assert amounts == ["25", "10"]
    assert ("openai", "*") not in book.models


def test_the_edges_are_where_something_begins_or_ends() -> None:
    book = book_of(
        models(model("m", BASE, "{valid_from: 2026-05-01, per_million_tokens: {input: 3}}"), adjustments=HALF)
    )
    edges = prices(book).edges_us()
    assert {at_us("2026-01-01T00:00:00Z"), at_us("2026-05-01T00:00:00Z")} <= edges


def test_the_first_price_of_a_tier_or_region_is_an_entry_or_a_factor() -> None:
    found = prices(book_of(models(model("m", BASE, EU), adjustments=HALF)))
    assert [found.first_us(tier=tier) is None for tier in ("batch", "flex")] == [False, True]
    assert [found.first_us(region=region) is None for region in ("eu", "us")] == [False, True]
    assert found.first_us() == at_us("2026-01-01T00:00:00Z")
