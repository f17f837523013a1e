"""Units: what a word stands for, and amounts as exact pico-USD."""

from fractions import Fraction

import pytest

from pricing.hashes import content_hash, content_key
from pricing.units import Quote, attempt_meters, is_amount, pico_per_unit, round_half_even, units

TOKENS = Quote("per_million_tokens", "token", 1_000_000)
HOURS = Quote("per_hour", "second", 3_600)


def test_every_quote_counts_a_unit_that_a_meter_has() -> None:
    used = {meter.unit for meter in units().meters.values()}
    assert {quote.unit for quote in units().quotes.values()} <= used


def test_every_unit_of_a_meter_can_be_quoted() -> None:
    quoted = {quote.unit for quote in units().quotes.values()}
    assert {meter.unit for meter in units().meters.values()} <= quoted


def test_words_stand_for_meters_that_exist() -> None:
    for meters in units().words.values():
        assert set(meters) <= set(units().meters)
    assert units().meters_of("output") == ("output_text", "output_reasoning")
    assert units().meters_of("input_audio") == ("input_audio",)
    assert units().meters_of("nothing") == ()


def test_a_word_is_never_the_name_of_a_meter() -> None:
    assert not set(units().words) & set(units().meters)


def test_attempt_meters_are_tokens_and_calls() -> None:
    assert {units().meters[meter].unit for meter in attempt_meters()} == {"token", "call"}


@pytest.mark.parametrize("text", ["0", "3", "0.125", "10.00", "000.5"])
def test_a_plain_decimal_is_an_amount(text: str) -> None:
    assert is_amount(text)


@pytest.mark.parametrize("text", ["", "-1", "+1", "1e3", "1,000", ".5", "5.", " 1", "NaN", "1_000", "٣"])
def test_everything_else_is_none(text: str) -> None:
    assert not is_amount(text)


@pytest.mark.parametrize(
    ("amount", "pico"),
    [("1.25", 1_250_000), ("0.003625", 3_625), ("0.000001", 1), ("0", 0), ("30", 30_000_000)],
)
def test_usd_per_million_tokens_is_pico_usd_per_token(amount: str, pico: int) -> None:
    assert pico_per_unit(amount, TOKENS) == pico


def test_an_hourly_amount_stays_an_exact_fraction_of_a_second() -> None:
    assert pico_per_unit("0.111", HOURS) == Fraction(92_500_000, 3)


@pytest.mark.parametrize(("value", "whole"), [("1/2", 0), ("3/2", 2), ("5/2", 2), ("7/3", 2), ("-1/2", 0)])
def test_ties_go_to_the_even_neighbour(value: str, whole: int) -> None:
    assert round_half_even(Fraction(value)) == whole


def test_a_content_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert content_hash({"a": 1, "b": [2]}) == content_hash({"b": [2], "a": 1})
    assert content_hash({"a": 1}) != content_hash({"a": "1"})
    assert len(content_hash("x")) == 64


def test_a_content_key_is_63_bits_of_the_hash() -> None:
    key = content_key(["x"])
    assert 0 <= key < 2**63
    assert key == int(content_hash(["x"])[:16], 16) // 2
