"""From the providers' own usage fields to exclusive meters: paths, profiles, splits, refusals."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pricing.errors import PriceBookError
from pricing.price_book import load_price_book
from pricing.usage import Meters, find_profile, read_meters
from pricing.usage_paths import exact, find, number

BOOK = load_price_book()
RECORD = {
    "usage": {
        "a": 3,
        "deep": {"b": "4.5"},
        "list": [{"kind": "x", "n": 1}, {"kind": "y", "n": 2}, {"kind": "x", "n": 5}],
        "one": {"kind": "x", "n": 7},
        "none": None,
    }
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("usage.a", 3),
        ("usage.deep.b", Fraction(9, 2)),
        ("usage.list[kind=x].n", 6),
        ("usage.list[kind=y].n", 2),
        ("usage.list[kind=z].n", None),
        ("usage.one[kind=x].n", 7),
        ("usage.one[kind=y].n", None),
        ("usage.none", None),
        ("usage.missing.deeper", None),
        ("usage.a.b", None),
        ("context.a", None),
    ],
)
def test_a_path_leads_to_an_exact_number_or_to_nothing(path: str, value: Fraction | int | None) -> None:
    assert number(RECORD, path) == value


def test_a_path_may_lead_to_several_things() -> None:
    assert find(RECORD, "usage.list[kind=x]") == [{"kind": "x", "n": 1}, {"kind": "x", "n": 5}]


def test_a_path_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(PriceBookError, match=r"path 'a\[b' cannot be read at 'a\[b'"):
        find(RECORD, "a[b")


@pytest.mark.parametrize("value", [1.5, True, False, [], {}, "many", "1,0"])
def test_only_whole_numbers_and_decimal_text_are_numbers(value: object) -> None:
    with pytest.raises(PriceBookError, match="is not"):
        exact(value, "usage.x")


def test_exact_numbers_keep_every_digit() -> None:
    assert exact("0.1", "x") == Fraction(1, 10)
    assert exact(Decimal("0.30"), "x") == Fraction(3, 10)
    assert exact(10**30, "x") == 10**30


def meters(provider: str, usage: dict[str, Any], api: str | None = None, **context: Any) -> Meters:
    profile = find_profile(BOOK, provider, usage, api)
    assert profile is not None
    return read_meters(BOOK, provider, profile, {"usage": usage, "context": context})


@pytest.mark.parametrize(
    ("provider", "usage", "profile"),
    [
        ("openai", {"prompt_tokens": 1}, "openai.chat"),
        ("openai", {"input_tokens": 1}, "openai.responses"),
        ("openai", {"input_tokens": 1, "input_token_details": {}}, "openai.realtime"),
        ("azure.ai.openai", {"prompt_tokens": 1}, "openai.chat"),
        ("anthropic", {"input_tokens": 1}, "anthropic.messages"),
        ("anthropic", {"message_start": {}}, "anthropic.interrupted_stream"),
        ("gcp.gemini", {"promptTokenCount": 1}, "gemini.generate_content"),
        ("gcp.vertex_ai", {"promptTokenCount": 1}, "gemini.generate_content"),
        ("gcp.vertex_ai", {"input_tokens": 1}, "anthropic.messages"),
        ("aws.bedrock", {"inputTokens": 1}, "bedrock.converse"),
        ("x_ai", {"prompt_tokens": 1}, "xai.chat"),
        ("x_ai", {"input_tokens": 1}, "xai.responses"),
        ("deepseek", {"prompt_tokens": 1}, "deepseek.chat"),
        ("moonshot_ai", {"prompt_tokens": 1}, "moonshot.chat"),
        ("cohere", {"meta": {}}, "cohere.billed_units"),
    ],
)
def test_the_shape_of_the_usage_shows_the_profile(provider: str, usage: dict[str, Any], profile: str) -> None:
    found = find_profile(BOOK, provider, usage, None)
    assert found is not None
    assert found.name == profile


def test_a_shape_that_nobody_knows_has_no_profile() -> None:
    assert find_profile(BOOK, "openai", {"tokens": 1}, None) is None
    assert find_profile(BOOK, "nobody", {"prompt_tokens": 1}, None) is None


def test_a_stated_api_narrows_the_choice() -> None:
    usage = {"input_tokens": 1, "prompt_tokens": 1}
    assert [
        getattr(find_profile(BOOK, "x_ai", usage, api), "name", "") for api in ("chat", "responses", "images")
    ] == [
        "xai.chat",
        "xai.responses",
        "xai.chat",
    ]


# One call in the fields of each API: 1,000 fresh, 400 read, 200 written, 250 answer and 50 thinking.
SAME = {
    "anthropic": {
        "input_tokens": 1_000,
        "cache_read_input_tokens": 400,
        "cache_creation_input_tokens": 200,
        "output_tokens": 300,
        "output_tokens_details": {"thinking_tokens": 50},
    },
    "openai": {
        "prompt_tokens": 1_600,
        "prompt_tokens_details": {"cached_tokens": 400, "cache_write_tokens": 200},
        "completion_tokens": 300,
        "completion_tokens_details": {"reasoning_tokens": 50},
        "total_tokens": 1_900,
    },
    "aws.bedrock": {
        "inputTokens": 1_000,
        "cacheReadInputTokens": 400,
        "cacheWriteInputTokens": 200,
        "outputTokens": 300,
        "totalTokens": 1_900,
    },
    "gcp.gemini": {
        "promptTokenCount": 1_600,
        "cachedContentTokenCount": 600,
        "candidatesTokenCount": 250,
        "thoughtsTokenCount": 50,
        "totalTokenCount": 1_900,
    },
    "x_ai": {
        "prompt_tokens": 1_600,
        "prompt_tokens_details": {"cached_tokens": 600},
        "completion_tokens": 250,
        "completion_tokens_details": {"reasoning_tokens": 50},
    },
}


@pytest.mark.parametrize("provider", SAME)
def test_one_call_has_the_same_whole_input_and_output_in_every_api(provider: str) -> None:
    found = meters(provider, SAME[provider])
    assert (found.input_total, found.output_total) == (1_600, 300)
    assert sum(found.quantities.values()) == 1_900
    assert found.quantities["input_uncached"] == 1_000


@pytest.mark.parametrize(
    ("provider", "default"), [("anthropic", "cache_write_5m"), ("openai", "cache_write_30m")]
)
def test_writes_without_a_lifetime_take_the_default_and_say_so(provider: str, default: str) -> None:
    found = meters(provider, SAME[provider])
    assert found.quantities[default] == 200
    assert found.notes == ["cache_write_lifetime_not_stated"]


def test_writes_at_a_provider_without_a_default_are_refused() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": {"cache_write_tokens": 5}}
    with pytest.raises(PriceBookError, match="5 cache writes of 'groq' state no lifetime"):
        meters("groq", usage)


def test_a_split_larger_than_its_total_is_refused() -> None:
    split = {"ephemeral_5m_input_tokens": 8, "ephemeral_1h_input_tokens": 4}
    usage = {
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": 10,
        "cache_creation": split,
    }
    with pytest.raises(PriceBookError, match=r"cache_write_5m 8, cache_write_1h 4 in 10 \(-2\)"):
        meters("anthropic", usage)


def test_a_split_without_a_total_is_taken_as_it_is() -> None:
    usage = {"input_tokens": 0, "output_tokens": 0, "cache_creation": {"ephemeral_1h_input_tokens": 4}}
    assert meters("anthropic", usage).quantities == {"cache_write_1h": 4}


def test_zero_counts_leave_no_meter() -> None:
    assert meters("openai", {"prompt_tokens": 0, "completion_tokens": 0}).quantities == {}


@pytest.mark.parametrize("count", [-1, "1.5"])
def test_a_count_is_a_whole_number_that_is_not_negative(count: object) -> None:
    with pytest.raises(PriceBookError, match="A count is a whole number"):
        meters("openai", {"prompt_tokens": count, "completion_tokens": 0})


@pytest.mark.parametrize(
    ("total", "reasoning", "output"),
    [
        (110, 4, {"output_text": 6, "output_reasoning": 4}),
        (114, 4, {"output_text": 10, "output_reasoning": 4}),
    ],
)
def test_the_stated_total_decides_whether_reasoning_is_inside(
    total: int, reasoning: int, output: dict[str, int]
) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": total,
    }
    found = meters("openai", usage)
    assert {k: v for k, v in found.quantities.items() if k.startswith("output")} == output


def test_the_stated_total_decides_whether_cached_tokens_are_inside() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 40},
        "total_tokens": 140,
    }
    assert meters("openai", usage).quantities == {"input_uncached": 100, "cache_read": 40}


def test_each_modality_keeps_its_own_cached_part() -> None:
    usage = {
        "input_tokens": 1_000,
        "output_tokens": 0,
        "input_token_details": {
            "audio_tokens": 250,
            "image_tokens": 150,
            "cached_tokens": 400,
            "cached_tokens_details": {"audio_tokens": 100, "image_tokens": 50},
        },
    }
    assert meters("openai", usage).quantities == {
        "input_uncached": 350,
        "cache_read": 250,
        "cache_read_audio": 100,
        "cache_read_image": 50,
        "input_audio": 150,
        "input_image": 100,
    }


def test_an_estimated_profile_says_so() -> None:
    found = meters(
        "anthropic", {"message_start": {"input_tokens": 5}}, output_tokens_estimated_from_received_text=7
    )
    assert found.quantities == {"input_uncached": 5, "output_text": 7}
    assert found.notes == ["estimated_usage"]


def test_every_profile_with_counts_belongs_to_known_providers_and_has_a_source() -> None:
    for profile in BOOK.profiles.values():
        assert set(profile.text.providers) <= set(BOOK.providers), profile.name
        assert bool(profile.text.counts) == bool(profile.text.has), profile.name
        assert profile.text.source.url.startswith("https://")
