"""The prices that the sample's expectation holds by hand agree with a public price package."""

import importlib.util
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest
from genai_prices import Usage, calc_price

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
MILLION = 1_000_000
# Sizes at which the amounts stay exact and no long-context tier applies.
COUNT = 1_000


def expected_prices() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sample_prices", SAMPLE / "expected_prices.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sample_prices"] = module
    spec.loader.exec_module(module)
    return module


PRICES = expected_prices()
DAYS = [date(2026, 10, day) for day in (16, 19, 20, 28, 29)]
USAGES = {
    "input_uncached": Usage(input_tokens=COUNT),
    "cache_read": Usage(input_tokens=COUNT, cache_read_tokens=COUNT),
    "cache_write_5m": Usage(input_tokens=COUNT, cache_write_tokens=COUNT),
    "output_text": Usage(output_tokens=COUNT),
}


@pytest.mark.parametrize("model", sorted(PRICES.PRICES))
@pytest.mark.parametrize("meter", sorted(USAGES))
@pytest.mark.parametrize("day", DAYS)
def test_a_price_typed_by_hand_is_the_published_one(model: str, meter: str, day: date) -> None:
    ours = PRICES.usd_per_token(model, meter, day)
    if ours is None:
        assert meter == "cache_write_5m"
        return
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    theirs = calc_price(USAGES[meter], model_ref=model, genai_request_timestamp=noon).total_price
    assert ours * COUNT == Fraction(Decimal(theirs))


@pytest.mark.parametrize("model", sorted(PRICES.PRICES))
def test_a_name_of_a_dated_model_has_the_same_price(model: str) -> None:
    dated = [name for name, known in PRICES.SAME_MODEL.items() if known == model]
    for name in dated:
        assert PRICES.known_model(name) == model
        noon = datetime(2026, 10, 20, 12, tzinfo=UTC)
        price = calc_price(USAGES["output_text"], model_ref=name, genai_request_timestamp=noon).total_price
        assert Fraction(Decimal(price)) == PRICES.usd_per_token(model, "output_text", noon.date()) * COUNT


def test_mistral_doubles_at_the_start_of_the_twentieth() -> None:
    before = PRICES.usd_per_token("mistral-large-4", "input_uncached", date(2026, 10, 19))
    after = PRICES.usd_per_token("mistral-large-4", "input_uncached", date(2026, 10, 20))
    assert (before * MILLION, after * MILLION) == (Fraction("0.68"), Fraction("1.36"))
