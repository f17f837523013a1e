"""Two ways to one number: records through `calc`, attempts through the flat rows; contracts by hand.

Whatever the shipped book says about a model, a tier, a band or an hour, both ways agree to the last pico-USD.
"""

from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pricing.calc import calculate
from pricing.periods import to_us
from pricing.price_book import PriceBook, load_price_book, make_book, shipped_rules
from pricing.yaml_source import parse_yaml
from tests.unit.pricing.books import HEAD, card, compiled, model, models

BOOK = load_price_book()
START = datetime(2026, 6, 1, tzinfo=UTC)
PROVIDERS = ("openai", "anthropic", "gcp.gemini", "deepseek", "mistral_ai", "x_ai", "groq", "aws.bedrock")
MODELS = [(provider, name) for provider, name in BOOK.models if provider in PROVIDERS]
counts = st.integers(0, 400_000)


def usage_of(provider: str, fresh: int, cached: int, output: int) -> dict[str, Any]:
    """Return one call in the provider's own fields."""
    if provider == "anthropic":
        return {"input_tokens": fresh, "cache_read_input_tokens": cached, "output_tokens": output}
    if provider == "aws.bedrock":
        return {"inputTokens": fresh, "cacheReadInputTokens": cached, "outputTokens": output}
    if provider == "gcp.gemini":
        counts = {"promptTokenCount": fresh + cached, "cachedContentTokenCount": cached}
        return {**counts, "candidatesTokenCount": output}
    if provider == "deepseek":
        counts = {"prompt_tokens": fresh + cached, "prompt_cache_hit_tokens": cached}
        return {**counts, "completion_tokens": output}
    details = {"prompt_tokens_details": {"cached_tokens": cached}}
    return {"prompt_tokens": fresh + cached, **details, "completion_tokens": output}


def by_flat_row(
    provider: str, name: str, when: datetime, quantities: dict[str, int], processing: str | None
) -> int | None:
    """Return pico-USD by joining the flat rows the way the SQL does; None where a used meter has no price."""
    row = card(1, when.date(), provider=provider, served_model=name, processing=processing)
    rows = compiled(BOOK, row).token_prices.to_pylist()
    whole_input = quantities["input_uncached"] + quantities["cache_read"]
    at = to_us(when)
    (found,) = [
        r
        for r in rows
        if r["valid_from_us"] <= at < r["valid_until_us"]
        and r["input_from_tokens"] <= whole_input < r["input_until_tokens"]
    ]
    total = 0
    if found["request_list_pico_usd"] is not None:
        total += found["request_list_pico_usd"]
    for meter, quantity in quantities.items():
        if quantity:
            price = found[f"{meter}_list_pico_usd"]
            if price is None:
                return None
            total += price * quantity
    return total


@settings(max_examples=250, deadline=None)
@given(
    st.sampled_from(MODELS),
    st.integers(0, 24 * 190),
    counts,
    counts,
    counts,
    st.sampled_from([None, "batch"]),
)
def test_a_record_costs_what_the_flat_rows_say(
    chosen: tuple[str, str], hour: int, fresh: int, cached: int, output: int, processing: str | None
) -> None:
    provider, name = chosen
    when = START + timedelta(hours=hour)
    record = {
        "provider": provider,
        "model": name,
        "date": when.isoformat(),
        "usage": usage_of(provider, fresh, cached, output),
        "context": {} if processing is None else {"processing": processing},
    }
    quantities = {"input_uncached": fresh, "cache_read": cached, "output_text": output}
    result = calculate(BOOK, record)
    assert result.pico_usd == by_flat_row(provider, name, when, quantities, processing)


CONTRACT = """
sources:
  contract: {url: "https://example.com/contract", checked: 2026-11-30}
contracts:
"""


def with_contract(amounts: dict[str, str], lines: list[str]) -> PriceBook:
    words = ", ".join(f"{word}: {amount}" for word, amount in amounts.items())
    body = models(model("m", f"{{valid_from: 2026-01-01, per_million_tokens: {{{words}}}}}"))
    prices = parse_yaml(HEAD.format(provider="openai") + body, "prices.yml")
    dates = "valid_from: 2026-01-01, known_from: 2026-01-01, source: contract"
    rows = [f"  - {{id: c{n}, provider: openai, {line}, {dates}}}" for n, line in enumerate(lines)]
    return make_book([prices, parse_yaml(CONTRACT + "\n".join(rows or ["  []"]), "c.yml")], shipped_rules())


amount = st.integers(0, 10**9).map(lambda millionths: format(Decimal(millionths) / 10**6, "f"))
percent = st.integers(0, 10_000).map(lambda hundredths: format(Decimal(hundredths) / 100, "f"))


@settings(max_examples=60, deadline=None)
@given(amount, amount, percent, percent, st.booleans())
def test_contracted_prices_are_those_of_decimal_arithmetic(
    fresh: str, output: str, wide: str, narrow: str, has_narrow: bool
) -> None:
    lines = [f"discount_percent: {wide}"]
    lines += [f"discount_percent: {narrow}, meters: [input]"] if has_narrow else []
    book = with_contract({"input": fresh, "output": output}, lines)
    (row,) = compiled(book, card(served_model="m")).token_prices.to_pylist()
    for column, listed, off in (
        ("input_uncached", fresh, narrow if has_narrow else wide),
        ("output_text", output, wide),
    ):
        pico = Decimal(listed) * 10**6
        right = (pico * (100 - Decimal(off)) / 100).quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
        assert row[f"{column}_list_pico_usd"] == pico
        assert row[f"{column}_contracted_pico_usd"] == right


@settings(max_examples=40, deadline=None)
@given(amount, percent)
def test_a_discount_is_never_above_list_and_none_is_list(listed: str, off: str) -> None:
    (discounted,) = compiled(
        with_contract({"input": listed}, [f"discount_percent: {off}"]), card(served_model="m")
    ).token_prices.to_pylist()
    assert 0 <= discounted["input_uncached_contracted_pico_usd"] <= discounted["input_uncached_list_pico_usd"]
    (plain,) = compiled(with_contract({"input": listed}, []), card(served_model="m")).token_prices.to_pylist()
    assert plain["input_uncached_contracted_pico_usd"] == plain["input_uncached_list_pico_usd"]


@pytest.mark.parametrize("day", [date(2026, 8, 16), date(2026, 8, 23), date(2026, 10, 20), date(2026, 12, 1)])
def test_a_day_compiled_alone_equals_the_same_day_among_others(day: date) -> None:
    cards = [card(key, day, provider=p, served_model=n) for key, (p, n) in enumerate(MODELS[:80])]
    others = [
        card(key, day + timedelta(days=1), provider=p, served_model=n)
        for key, (p, n) in enumerate(MODELS[:80])
    ]
    alone = compiled(BOOK, *cards).token_prices.to_pylist()
    among = compiled(BOOK, *others, *cards).token_prices.to_pylist()
    assert alone == [row for row in among if row["usage_date"] == day]
