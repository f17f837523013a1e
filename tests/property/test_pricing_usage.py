"""Laws of reading usage and fees: nothing is lost, doubled or clipped, whatever the counts."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.errors import PriceBookError
from pricing.fees import billed_after_free, fee_quantities
from pricing.price_book import load_price_book
from pricing.usage import Meters, find_profile, read_meters
from pricing.usage_schema import FeeText

BOOK = load_price_book()
tokens = st.integers(0, 10**9)
SOURCE = {"url": "https://example.com", "checked": "2026-11-30"}


def meters(provider: str, usage: dict[str, Any]) -> Meters:
    profile = find_profile(BOOK, provider, usage, None)
    assert profile is not None
    return read_meters(BOOK, provider, profile, {"usage": usage, "context": {}})


def anthropic(
    fresh: int, cached: int, write_5m: int, write_1h: int, answer: int, thinking: int
) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": write_5m + write_1h,
        "cache_creation": {"ephemeral_5m_input_tokens": write_5m, "ephemeral_1h_input_tokens": write_1h},
        "output_tokens": answer + thinking,
        "output_tokens_details": {"thinking_tokens": thinking},
    }


def converse(
    fresh: int, cached: int, write_5m: int, write_1h: int, answer: int, thinking: int
) -> dict[str, Any]:
    return {
        "inputTokens": fresh,
        "cacheReadInputTokens": cached,
        "cacheWriteInputTokens": write_5m + write_1h,
        "cacheDetails": [{"ttl": "5m", "inputTokens": write_5m}, {"ttl": "1h", "inputTokens": write_1h}],
        "outputTokens": answer + thinking,
    }


@given(tokens, tokens, tokens, tokens, tokens, tokens)
def test_two_ways_to_write_one_call_have_the_same_input(
    fresh: int, cached: int, write_5m: int, write_1h: int, answer: int, thinking: int
) -> None:
    parts = (fresh, cached, write_5m, write_1h, answer, thinking)
    one, other = meters("anthropic", anthropic(*parts)), meters("aws.bedrock", converse(*parts))
    assert one.input_total == other.input_total == fresh + cached + write_5m + write_1h
    assert one.output_total == other.output_total == answer + thinking
    for meter, quantity in (("input_uncached", fresh), ("cache_read", cached), ("cache_write_1h", write_1h)):
        assert one.quantities.get(meter, 0) == other.quantities.get(meter, 0) == quantity


@given(tokens, tokens, tokens, tokens)
def test_inclusive_and_exclusive_counts_of_one_call_agree(
    fresh: int, cached: int, answer: int, thinking: int
) -> None:
    chat = {
        "prompt_tokens": fresh + cached,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens": answer + thinking,
        "completion_tokens_details": {"reasoning_tokens": thinking},
        "total_tokens": fresh + cached + answer + thinking,
    }
    gemini = {
        "promptTokenCount": fresh + cached,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": answer,
        "thoughtsTokenCount": thinking,
        "totalTokenCount": fresh + cached + answer + thinking,
    }
    assert meters("openai", chat).quantities == meters("gcp.gemini", gemini).quantities


@given(st.lists(tokens, min_size=7, max_size=7))
def test_the_meters_add_up_to_the_whole_and_none_is_negative(counts: list[int]) -> None:
    text, audio, image, cached_text, cached_audio, cached_image, output = counts
    whole = sum(counts) - output
    usage = {
        "input_tokens": whole,
        "output_tokens": output,
        "input_token_details": {
            "audio_tokens": audio + cached_audio,
            "image_tokens": image + cached_image,
            "cached_tokens": cached_text + cached_audio + cached_image,
            "cached_tokens_details": {"audio_tokens": cached_audio, "image_tokens": cached_image},
        },
    }
    found = meters("openai", usage)
    assert sum(found.quantities.values()) == whole + output
    assert all(quantity > 0 for quantity in found.quantities.values())
    assert found.quantities.get("input_uncached", 0) == text


@given(tokens, st.integers(1, 10**9))
def test_a_part_larger_than_its_whole_is_always_refused(whole: int, excess: int) -> None:
    usage = {
        "prompt_tokens": whole,
        "prompt_tokens_details": {"cached_tokens": whole + excess},
        "completion_tokens": 0,
    }
    with pytest.raises(PriceBookError, match=rf"{whole + excess} in {whole} \(-{excess}\)"):
        meters("openai", usage)


@given(st.lists(st.integers(1, 10**4), max_size=8), st.integers(0, 600), st.integers(1, 120))
def test_minimums_and_increments_only_ever_raise_and_never_by_more_than_they_may(
    seconds: list[int], minimum: int, increment: int
) -> None:
    rule = FeeText.model_validate(
        {
            "provider": "p",
            "meter": "session_time",
            "each": "usage.parts",
            "of": "s",
            "minimum": str(minimum),
            "increment": str(increment),
            "source": SOURCE,
        }
    )
    found = fee_quantities([rule], "p", {"usage": {"parts": [{"s": value} for value in seconds]}})
    billed = found[0].quantity if found else Fraction(0)
    raised = [max(value, minimum) for value in seconds]
    assert sum(raised) <= billed < sum(raised) + increment * len(seconds) + 1
    assert billed % increment == 0


quantities = st.lists(st.integers(0, 1_000).map(Fraction), max_size=10)


@given(quantities, st.integers(0, 3_000).map(Fraction), st.integers(0, 3_000).map(Fraction))
def test_a_free_part_is_given_once_whatever_the_order(
    rows: list[Fraction], free: Fraction, used: Fraction
) -> None:
    billed = billed_after_free(used, rows, free)
    assert sum(billed) == max(sum(rows) - max(free - used, Fraction(0)), Fraction(0))
    assert sum(billed_after_free(used, list(reversed(rows)), free)) == sum(billed)
    assert all(0 <= paid <= row for paid, row in zip(billed, rows, strict=True))


@given(quantities, st.integers(0, 3_000).map(Fraction), st.integers(0, 10))
def test_a_free_part_may_be_settled_in_two_sittings(rows: list[Fraction], free: Fraction, cut: int) -> None:
    first, second = rows[:cut], rows[cut:]
    together = billed_after_free(Fraction(0), rows, free)
    apart = [
        *billed_after_free(Fraction(0), first, free),
        *billed_after_free(sum(first, Fraction(0)), second, free),
    ]
    assert apart == together
