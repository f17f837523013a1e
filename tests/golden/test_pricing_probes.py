"""Simple questions with one right answer, asked by date: same usage, same day, no hint but the record.

Six public calculators were asked these; none had all of them right. Ours has to.
"""

from functools import cache
from typing import Any

import pytest

from pricing.calc import calculate
from pricing.price_book import PriceBook, load_price_book
from tests.unit.pricing.books import at_us

FLAT = {"prompt_tokens": 100_000, "completion_tokens": 10_000}
CLAUDE = {"input_tokens": 100_000, "output_tokens": 10_000}
CONVERSE = {"inputTokens": 100_000, "outputTokens": 10_000}
HOUR_WRITE = {"input_tokens": 0, "output_tokens": 0, "cache_creation": {"ephemeral_1h_input_tokens": 37_175}}
CACHED_BATCH = {
    "input_tokens": 20_000,
    "output_tokens": 0,
    "cache_read_input_tokens": 80_000,
    "service_tier": "batch",
}
PROBES: list[tuple[str, str, str, str, dict[str, Any], str]] = [
    (
        "gemini-3-flash cached",
        "google",
        "gemini-3-flash-preview",
        "2026-03-14T12:00:00Z",
        {"promptTokenCount": 20_212, "cachedContentTokenCount": 16_298, "candidatesTokenCount": 931},
        "0.0055649",
    ),
    (
        "gpt-5-mini cached and reasoning",
        "openai",
        "gpt-5-mini",
        "2025-08-20T12:00:00Z",
        {
            "prompt_tokens": 2_746,
            "prompt_tokens_details": {"cached_tokens": 2_208},
            "completion_tokens": 197,
            "completion_tokens_details": {"reasoning_tokens": 64},
        },
        "0.0005837",
    ),
    ("fable-5 hour write", "anthropic", "claude-fable-5", "2026-09-01T12:00:00Z", HOUR_WRITE, "0.7435"),
    (
        "opus-4-8 hour write",
        "bedrock",
        "global.anthropic.claude-opus-4-8-v1:0",
        "2026-09-01T12:00:00Z",
        {
            "inputTokens": 9,
            "cacheWriteInputTokens": 9_634,
            "cacheDetails": [{"ttl": "1h", "inputTokens": 9_634}],
            "outputTokens": 5,
        },
        "0.09651",
    ),
    (
        "gpt-5.5 long context",
        "openai",
        "gpt-5.5",
        "2026-09-01T12:00:00Z",
        {
            "prompt_tokens": 278_476,
            "prompt_tokens_details": {"cached_tokens": 7_936},
            "completion_tokens": 630,
        },
        "2.741686",
    ),
    (
        "sol 300K before the cut",
        "openai",
        "gpt-5.6-sol",
        "2026-08-03T12:00:00Z",
        {"prompt_tokens": 300_000, "completion_tokens": 20_000},
        "3.9",
    ),
    (
        "sol 300K after the cut",
        "openai",
        "gpt-5.6-sol",
        "2026-09-03T12:00:00Z",
        {"prompt_tokens": 300_000, "completion_tokens": 20_000},
        "3",
    ),
    ("luna before the cut", "openai", "gpt-5.6-luna", "2026-07-15T12:00:00Z", FLAT, "0.16"),
    ("luna after the cut", "openai", "gpt-5.6-luna", "2026-08-15T12:00:00Z", FLAT, "0.032"),
    ("sonnet-5 in August", "anthropic", "claude-sonnet-5", "2026-08-31T12:00:00Z", CLAUDE, "0.3"),
    ("sonnet-5 in September", "anthropic", "claude-sonnet-5", "2026-09-02T12:00:00Z", CLAUDE, "0.3"),
    ("deepseek flash at peak", "deepseek", "deepseek-v4-flash", "2026-08-25T02:00:00Z", FLAT, "0.0572"),
    ("deepseek flash at noon", "deepseek", "deepseek-v4-flash", "2026-08-25T12:00:00Z", FLAT, "0.0286"),
    ("deepseek flash on Saturday", "deepseek", "deepseek-v4-flash", "2026-08-29T02:00:00Z", FLAT, "0.0286"),
    (
        "sonnet-4-5 batch in summer",
        "anthropic",
        "claude-sonnet-4-5",
        "2026-08-01T12:00:00Z",
        CACHED_BATCH,
        "0.042",
    ),
    (
        "sonnet-4-5 batch in winter",
        "anthropic",
        "claude-sonnet-4-5",
        "2026-11-10T12:00:00Z",
        CACHED_BATCH,
        "0.042",
    ),
    (
        "bedrock us. sonnet-5",
        "bedrock",
        "us.anthropic.claude-sonnet-5-v1:0",
        "2026-07-28T12:00:00Z",
        CONVERSE,
        "0.33",
    ),
    (
        "bedrock global. sonnet-5",
        "bedrock",
        "global.anthropic.claude-sonnet-5-v1:0",
        "2026-07-28T12:00:00Z",
        CONVERSE,
        "0.3",
    ),
    (
        "bedrock eu. opus-4-5",
        "bedrock",
        "eu.anthropic.claude-opus-4-5-v1:0",
        "2026-01-19T12:00:00Z",
        {
            "inputTokens": 10,
            "cacheReadInputTokens": 66_360,
            "cacheWriteInputTokens": 32_435,
            "outputTokens": 5_120,
        },
        "0.400343625",
    ),
]


@cache
def book() -> PriceBook:
    return load_price_book()


def test_there_are_nineteen_probes() -> None:
    assert len(PROBES) == 19
    assert len({probe[0] for probe in PROBES}) == 19


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe[0])
def test_a_simple_question_has_the_right_answer(
    probe: tuple[str, str, str, str, dict[str, Any], str],
) -> None:
    _, provider, model, when, usage, usd = probe
    record = {"provider": provider, "model": model, "date": when, "usage": usage, "context": {}}
    result = calculate(book(), record)
    assert result.usd == usd, (result.reason_code, result.unpriced, result.lines)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe[0])
def test_the_answer_is_the_same_asked_a_year_later(
    probe: tuple[str, str, str, str, dict[str, Any], str],
) -> None:
    _, provider, model, when, usage, usd = probe
    record = {"provider": provider, "model": model, "date": when, "usage": usage, "context": {}}
    assert calculate(book(), record, at_us("2027-12-01T00:00:00Z")).usd == usd
