"""The thirty hard cases a reviewer of prices would try, and a test that counts them."""

import random
import re
import sys
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from pricing.calc import CalcResult, calculate, usd_text
from pricing.errors import PriceBookError
from pricing.fees import billed_after_free
from pricing.gpu_rates import gpu_rate_at
from pricing.periods import day_period
from pricing.price_book import PriceBook, load_price_book, make_book, shipped_rules
from pricing.rules import CurrencyRate
from pricing.yaml_source import parse_yaml
from tests.unit.pricing.books import HEAD, at_us, book_of, card, compiled, model, models, price_at, price_rows

NOVEMBER = "2026-11-10T00:00:00Z"


@cache
def our_book() -> PriceBook:
    return load_price_book()


def calc(provider: str, name: str, usage: dict[str, Any], when: str = NOVEMBER, **context: Any) -> CalcResult:
    known = context.pop("known", None)
    record = {"provider": provider, "model": name, "date": when, "usage": usage, "context": context}
    return calculate(our_book(), record, None if known is None else at_us(known))


def chat(prompt: int, output: int, cached: int = 0, **more: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": more,
    }


def quantities(result: CalcResult) -> dict[str, int]:
    return {line.meter: int(line.quantity) for line in result.lines}


@pytest.mark.parametrize(
    ("provider", "name", "prompt", "right"),
    [
        ("openai", "gpt-5.5", 272_000, "1.36"),
        ("openai", "gpt-5.5", 272_001, "2.72001"),
        ("xai", "grok-4.7", 199_999, "0.399998"),
        ("xai", "grok-4.7", 200_000, "0.8"),
    ],
)
def test_hard_case_01_thresholds_are_inclusive_or_not_by_provider(
    provider: str, name: str, prompt: int, right: str
) -> None:
    assert calc(provider, name, chat(prompt, 0)).usd == right


def test_hard_case_01_google_stays_low_at_200000_and_moves_at_200001() -> None:
    low, high = ({"promptTokenCount": tokens, "candidatesTokenCount": 0} for tokens in (200_000, 200_001))
    assert calc("google", "gemini-2.5-pro", low).usd == "0.25"
    assert calc("google", "gemini-2.5-pro", high).usd == "0.5000025"


def test_hard_case_02_a_threshold_reached_only_by_cached_tokens() -> None:
    usage = {"promptTokenCount": 250_000, "cachedContentTokenCount": 240_000, "candidatesTokenCount": 0}
    assert calc("google", "gemini-2.5-pro", usage).usd == usd_text(10_000 * 2_500_000 + 240_000 * 250_000)


def test_hard_case_03_two_lifetimes_in_one_request_and_a_total_without_a_split() -> None:
    split = {"ephemeral_5m_input_tokens": 148, "ephemeral_1h_input_tokens": 100}
    usage = {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 248}
    both = calc("anthropic", "claude-opus-5", {**usage, "cache_creation": split})
    assert quantities(both) == {"cache_write_5m": 148, "cache_write_1h": 100}
    assert both.usd == "0.001925"
    whole = calc("anthropic", "claude-opus-5", usage)
    assert quantities(whole) == {"cache_write_5m": 248}
    assert whole.notes == ["cache_write_lifetime_not_stated"]


def test_hard_case_03_a_partial_split_leaves_an_assumed_remainder() -> None:
    usage = {
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": 300,
        "cache_creation": {"ephemeral_1h_input_tokens": 100},
    }
    result = calc("anthropic", "claude-opus-5", usage)
    assert quantities(result) == {"cache_write_1h": 100, "cache_write_5m": 200}
    assert result.notes == ["cache_write_lifetime_not_stated"]


def test_hard_case_04_thinking_is_neither_counted_twice_nor_dropped() -> None:
    inside = calc("openai", "gpt-5", chat(0, 200, reasoning_tokens=120))
    on_top = calc(
        "google",
        "gemini-2.5-pro",
        {"promptTokenCount": 0, "candidatesTokenCount": 80, "thoughtsTokenCount": 120},
    )
    thinking = {"input_tokens": 0, "output_tokens": 200, "output_tokens_details": {"thinking_tokens": 120}}
    claude = calc("anthropic", "claude-sonnet-4-6", thinking)
    for result in (inside, on_top, claude):
        assert quantities(result) == {"output_text": 80, "output_reasoning": 120}


def test_hard_case_05_one_generation_costs_the_same_on_both_xai_apis() -> None:
    on_chat = calc("xai", "grok-4.3", chat(1_000, 200, cached=400, reasoning_tokens=300))
    responses = {
        "input_tokens": 1_000,
        "input_tokens_details": {"cached_tokens": 400},
        "output_tokens": 500,
        "output_tokens_details": {"reasoning_tokens": 300},
    }
    assert on_chat.usd == calc("xai", "grok-4.3", responses).usd == "0.00208"


def test_hard_case_06_cached_audio_inside_prompt_audio_inside_the_prompt() -> None:
    usage = {
        "promptTokenCount": 14_152,
        "cachedContentTokenCount": 12_239,
        "candidatesTokenCount": 0,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 150}],
        "cacheTokensDetails": [{"modality": "AUDIO", "tokenCount": 129}],
    }
    result = calc("google", "gemini-2.5-flash", usage)
    assert quantities(result) == {
        "input_uncached": 1_892,
        "cache_read": 12_110,
        "cache_read_audio": 129,
        "input_audio": 21,
    }


@pytest.mark.parametrize(
    ("provider", "name", "usage", "right"),
    [
        # Anthropic: both discounts stack.
        (
            "anthropic",
            "claude-haiku-4-5",
            {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 1_000_000},
            "0.05",
        ),
        # OpenAI, an older model: cached input keeps its standard price in batch.
        ("openai", "o3", chat(1_000_000, 0, cached=1_000_000), "0.5"),
        # Gemini 2.5: cached input at the standard price.
        (
            "google",
            "gemini-2.5-flash",
            {"promptTokenCount": 1_000_000, "cachedContentTokenCount": 1_000_000, "candidatesTokenCount": 0},
            "0.03",
        ),
        # Groq: a cached token in batch costs the batch input price.
        ("groq", "openai/gpt-oss-120b", chat(1_000_000, 0, cached=1_000_000), "0.075"),
    ],
)
def test_hard_case_07_batch_with_cache_at_four_providers(
    provider: str, name: str, usage: dict[str, Any], right: str
) -> None:
    assert calc(provider, name, usage, processing="batch").usd == right


def test_hard_case_08_a_published_number_beats_half_of_another() -> None:
    result = calc(
        "openai", "gpt-5.4", chat(1_000_000, 0, cached=1_000_000), processing="batch", when=NOVEMBER
    )
    short = calc("openai", "gpt-5.4", chat(100_000, 0, cached=100_000), processing="batch")
    assert short.usd == "0.013"
    assert result.usd == "0.25"


def test_hard_case_09_the_tier_served_decides_and_fast_is_priority() -> None:
    usage = chat(1_000, 200)
    asked = calc("openai", "gpt-5", usage, service_tier_requested="priority", service_tier_served="default")
    served = calc("openai", "gpt-5", usage, service_tier_served="priority")
    renamed = calc("openai", "gpt-5", usage, service_tier_served="fast")
    assert asked.usd == "0.00325"
    assert served.usd == renamed.usd == "0.0065"


@pytest.mark.parametrize(
    ("when", "right"),
    [
        ("2026-08-16T15:59:59.999999Z", 435_000),
        ("2026-08-16T16:00:00Z", 660_000),
        ("2026-09-02T03:59:59Z", 1_320_000),
        ("2026-09-02T04:00:00Z", 660_000),
        ("2026-09-05T02:00:00Z", 660_000),
        ("2026-10-01T02:00:00Z", 660_000),
        ("2026-09-30T02:00:00Z", 1_320_000),
    ],
)
def test_hard_case_10_instants_within_a_day_weekends_and_holidays(when: str, right: int) -> None:
    assert (
        price_at(our_book(), when, "input_uncached", provider="deepseek", served_model="deepseek-v4-pro")
        == right
    )


def test_hard_case_11_announced_then_withdrawn() -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    asked = [
        calc("anthropic", "claude-sonnet-5", usage, "2026-09-15T00:00:00Z", known=known).usd
        for known in ("2026-08-15T00:00:00Z", "2026-10-01T00:00:00Z")
    ]
    assert asked == ["3", "2"]
    (entry,) = [
        e for e in our_book().entries if e.model == "claude-sonnet-5" and e.facts.status == "withdrawn"
    ]
    assert "anthropic" in entry.facts.source_url


def test_hard_case_12_an_introductory_price_that_ends_and_a_forecast_into_january() -> None:
    usage = {"promptTokenCount": 1_000_000, "candidatesTokenCount": 0}
    assert calc("google", "gemini-4-argon", usage, "2026-11-30T23:59:59Z").usd == "2"
    assert calc("google", "gemini-4-argon", usage, "2026-12-01T00:00:00Z").usd == "4"
    assert calc("google", "gemini-3.8-flash", usage, "2026-12-31T23:59:59Z").usd == "0.75"
    assert calc("google", "gemini-3.8-flash", usage, "2027-01-01T00:00:00Z").usd == "1.5"


def test_hard_case_13_a_re_pointed_alias_changes_the_entry_and_not_the_volume() -> None:
    book = our_book()
    before, after = (
        compiled(book, card(day=day, provider="mistral", served_model="mistral-medium-latest"))
        for day in (date(2026, 6, 15), date(2026, 6, 16))
    )
    shown = [result.token_prices.column("model").to_pylist() for result in (before, after)]
    assert shown == [["mistral-medium-3-1"], ["mistral-medium-3-5"]]
    entries = [set(result.price_items.column("price_entry").to_pylist()) for result in (before, after)]
    assert not entries[0] & entries[1]


@pytest.mark.parametrize(
    ("when", "right"),
    [
        ("2026-10-19T12:00:00Z", "0.68"),
        ("2026-10-20T00:00:00Z", "1.36"),
        ("2026-10-28T23:59:59Z", "1.36"),
        ("2026-10-29T00:00:00Z", "0.7"),
    ],
)
def test_hard_case_14_three_prices_in_ten_days_up_and_down(when: str, right: str) -> None:
    assert calc("mistral", "mistral-large-4", chat(1_000_000, 0), when).usd == right


def test_hard_case_15_a_unit_change_from_per_container_to_per_minute() -> None:
    container = {"memory": "1g", "minutes": "3"}
    assert calc("openai", "gpt-5", {}, "2026-03-30T23:59:59Z", container=container).usd == "0.03"
    assert calc("openai", "gpt-5", {}, "2026-03-31T00:00:00Z", container=container).usd == "0.0075"


def test_hard_case_16_a_late_event_moves_the_free_part_and_not_the_sum() -> None:
    free = Fraction(5_000)
    early, late = Fraction(3_000), Fraction(4_000)
    in_order = billed_after_free(Fraction(0), [early, late], free)
    reordered = billed_after_free(Fraction(0), [late, early], free)
    assert in_order == [0, 2_000]
    assert reordered == [0, 2_000]
    three = [Fraction(n) for n in (2_000, 3_500, 1_000)]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        billed = billed_after_free(Fraction(0), [three[index] for index in order], free)
        assert sum(billed) == 1_500


def test_hard_case_16_the_pool_is_shared_by_the_models_of_a_family() -> None:
    usage = {"promptTokenCount": 0, "candidatesTokenCount": 0, "webSearchQueries": 3}
    state = {"month_to_date_search_queries_all_gemini_3_models": 4_999}
    for name in ("gemini-3.1-pro-preview", "gemini-3-flash-preview"):
        result = calc("google", name, usage, **state)
        assert quantities(result) == {"tool_call": 2}
        assert "1 of 3 free" in result.lines[0].steps


@pytest.mark.parametrize(
    ("name", "hours", "when", "right"),
    [
        ("gemini-2.5-pro", "1", NOVEMBER, "0.45"),
        ("gemini-2.5-pro", "0.25", NOVEMBER, "0.1125"),
        ("gemini-2.5-flash", "1", NOVEMBER, "0.1"),
        ("gemini-3.8-flash", "1", "2026-12-31T23:59:59Z", "0.05"),
        ("gemini-3.8-flash", "1", "2027-01-01T00:00:00Z", "0.1"),
        ("gemini-4-argon", "1", NOVEMBER, None),
    ],
)
def test_hard_case_17_cache_storage_needs_no_request_and_ends_when_the_cache_is_deleted(
    name: str, hours: str, when: str, right: str | None
) -> None:
    for provider in ("google", "vertex_ai"):
        stored = calc(provider, name, {}, when, cached_content_tokens=100_000, cache_hours=hours)
        assert stored.usd == right


def test_hard_case_18_a_refusal_with_tokens_and_no_charge() -> None:
    usage = {"input_tokens": 535, "output_tokens": 0}
    free = calc("anthropic", "claude-fable-5", usage, stop_reason="refusal", output_started=False)
    assert (free.usd, free.reason_code) == ("0", "not_billable")
    mid_stream = calc(
        "anthropic",
        "claude-fable-5",
        {"input_tokens": 1_000, "output_tokens": 37},
        stop_reason="refusal",
        output_started=True,
    )
    assert mid_stream.usd == "0.01185"


def test_hard_case_18_a_refusal_without_tokens_and_a_flat_charge() -> None:
    result = calc("xai", "grok-4.7", {}, finish_reason="content_filter")
    assert result.usd == "0.05"
    assert result.lines[0].place.startswith("pricing/tables/billability.yml line")


def test_hard_case_18_the_flat_charge_is_in_the_flat_table_as_well() -> None:
    refused = card(provider="xai", served_model="grok-4.7", outcome="refused", has_output=False)
    (row,) = price_rows(our_book(), refused)
    assert row["request_list_pico_usd"] == 50_000_000_000
    assert row["input_uncached_list_pico_usd"] == 0
    assert (row["is_billable"], row["reason_code"]) == (True, "")


def test_hard_case_19_two_models_in_one_response_are_two_attempts_at_their_own_prices() -> None:
    iterations = [
        ("claude-opus-5", {"input_tokens": 1_000, "output_tokens": 0}),
        ("claude-haiku-4-5", {"input_tokens": 1_000, "output_tokens": 100}),
    ]
    parts = [calc("anthropic", name, usage).pico_usd for name, usage in iterations]
    assert usd_text(sum(part or 0 for part in parts)) == "0.0065"


def test_hard_case_20_a_cut_stream_is_an_estimate_and_says_so() -> None:
    usage = {"message_start": {"input_tokens": 27, "output_tokens": 4}}
    result = calc("anthropic", "claude-haiku-4-5", usage, output_tokens_estimated_from_received_text=199)
    assert result.usd == "0.001022"
    assert result.notes == ["estimated_usage"]
    measured = calc("anthropic", "claude-haiku-4-5", {"input_tokens": 27, "output_tokens": 199})
    assert measured.notes == []


def test_hard_case_21_the_sum_by_attempt_is_the_sum_by_request() -> None:
    attempts = [
        calc("openai", "gpt-5", {}, http_status=429),
        calc("openai", "gpt-5", {}, http_status=500),
        calc("openai", "gpt-5", chat(1_000, 0)),
        calc("openai", "gpt-5", chat(1_000, 100)),
    ]
    assert [attempt.usd for attempt in attempts] == ["0", "0", "0.00125", "0.00225"]
    assert sum(attempt.pico_usd or 0 for attempt in attempts) == 3_500_000_000


def test_hard_case_22_a_router_cost_is_kept_beside_the_computed_one() -> None:
    usage = {**chat(2_038_030, 13_034), "cost": "1.6", "cost_details": {"upstream_inference_cost": "1.5"}}
    result = calc("openrouter", "moonshotai/kimi-k2.7-code", usage, "2026-08-20T00:00:00Z")
    assert result.usd == "1.5741415"
    assert result.reported_pico_usd == 1_600_000_000_000


def test_hard_case_23_busy_and_idle_add_up_to_the_instance_bill() -> None:
    usage = {"instance_hours": "2", "gpus": 8, "busy_gpu_hours": "9.6"}
    idle = calc("aws-ec2", "p5.48xlarge", usage)
    all_idle = calc("aws-ec2", "p5.48xlarge", {**usage, "busy_gpu_hours": "0"})
    series = ("aws.ec2", "H100", "p5.48xlarge", "us-east-1", "on_demand")
    rate = gpu_rate_at(our_book().gpu_rates, series, at_us(NOVEMBER))
    assert rate is not None
    pico, microseconds = rate.pico_usd_per_microseconds()
    busy = Fraction(pico, microseconds) * Fraction("9.6") * 3_600_000_000
    assert all_idle.usd == "110.08"
    assert idle.usd == "44.032"
    assert busy + (idle.pico_usd or 0) == all_idle.pico_usd


def test_hard_case_24_unknown_models_are_unpriced_and_unknown_units_do_not_load() -> None:
    unknown = calc("openai", "gpt-99", chat(1, 1))
    assert (unknown.usd, unknown.reason_code) == (None, "unknown_model")
    with pytest.raises(PriceBookError, match="'inptu' is not a meter; allowed, nearest first: input"):
        book_of(models(model("m", "{valid_from: 2026-01-01, per_million_tokens: {inptu: 1}}")))


def test_hard_case_24_conflicting_rows_do_not_load() -> None:
    same = "{valid_from: 2026-01-01, per_million_tokens: {input: 1}}"
    with pytest.raises(PriceBookError, match="valid at once"):
        book_of(models(model("m", same, same)))


def test_hard_case_25_a_price_in_yuan_takes_the_rate_of_its_day() -> None:
    body = models(model("m", "{valid_from: 2026-01-01, currency: CNY, per_million_tokens: {input: 3}}"))
    rates = tuple(
        CurrencyRate("CNY", day, usd, "https://example.com/rates")
        for day, usd in ((date(2026, 10, 19), "0.1401"), (date(2026, 10, 21), "0.1407"))
    )
    source = parse_yaml(HEAD.format(provider="openai") + body, "prices.yml")
    book = make_book([source], replace(shipped_rules(), rates=rates))
    daily = [
        price_at(book, f"2026-10-{day}T12:00:00Z", "input_uncached", served_model="m") for day in (19, 20, 21)
    ]
    assert daily == [420_300, 420_300, 422_100]
    items = compiled(book, card(served_model="m")).price_items.to_pylist()
    assert items[0]["steps"] == "3 CNY per million tokens; × 0.1401 USD per CNY of 2026-10-19"


def test_hard_case_26_a_closed_month_stays_as_it_was_known() -> None:
    first = "{valid_from: 2026-09-01, known_from: 2026-09-01, per_million_tokens: {input: 2}}"
    wrong = first.replace("}}", "}, known_until: 2026-10-15, status: corrected}")
    right = "{valid_from: 2026-09-01, known_from: 2026-10-15, per_million_tokens: {input: 3}}"
    before, after = book_of(models(model("m", first))), book_of(models(model("m", wrong, right)))
    when, closed = "2026-09-20T00:00:00Z", "2026-10-01T00:00:00Z"
    assert price_at(before, when, "input_uncached", known=closed, served_model="m") == 2_000_000
    assert price_at(after, when, "input_uncached", known=closed, served_model="m") == 2_000_000
    assert price_at(after, when, "input_uncached", served_model="m") == 3_000_000


def test_hard_case_27_a_minimum_per_request_holds_for_each_of_many_short_clips() -> None:
    result = calc("groq", "whisper-large-v3", {"requests": 9, "audio_seconds_each": 4})
    assert result.usd == "0.002775"
    assert quantities(result) == {"audio_time": 90}
    assert calc("groq", "whisper-large-v3", {"requests": 1, "audio_seconds_each": 36}).usd == "0.00111"


def test_hard_case_28_a_regional_id_and_the_global_id_of_one_model() -> None:
    usage = {"inputTokens": 1_000_000, "outputTokens": 0}
    ids = ("global", "eu", "us", "apac")
    suffix = "anthropic.claude-haiku-4-5-20251001-v1:0"
    costs = {scope: calc("aws-bedrock", f"{scope}.{suffix}", usage).usd for scope in ids}
    assert costs == {"global": "1", "eu": "1.1", "us": "1.1", "apac": "1.1"}


@pytest.mark.parametrize(
    ("usage", "message"),
    [
        (chat(100, 10, cached=150), r"cached|cache_read 150 in 100 \(-50\)"),
        (chat(100, 10, reasoning_tokens=11), r"output_reasoning 11 in 10 \(-1\)"),
        ({**chat(100, 10), "total_tokens": 120}, r"total of 120, its parts give 110"),
        ({"prompt_tokens": -1, "completion_tokens": 0}, r"input is -1"),
    ],
)
def test_hard_case_29_a_part_larger_than_its_whole_is_refused_with_both_numbers(
    usage: dict[str, Any], message: str
) -> None:
    with pytest.raises(PriceBookError, match=message):
        calc("openai", "gpt-5", usage)


def test_hard_case_30_sub_micro_dollar_amounts_survive_a_million_additions() -> None:
    result = calc("openai", "text-embedding-3-small", {"prompt_tokens": 8, "total_tokens": 8})
    assert result.usd == "0.00000016"
    assert usd_text((result.pico_usd or 0) * 1_000_000) == "0.16"
    shuffled = [result.pico_usd or 0, 1, 10**15] * 10
    random.Random(30).shuffle(shuffled)
    assert sum(shuffled) == 10 * (160_000 + 1 + 10**15)


def test_hard_case_30_no_float_is_a_number_here() -> None:
    with pytest.raises(
        PriceBookError, match=r"'0\.1' at usage\.prompt_tokens is not a whole number or decimal text"
    ):
        calc("openai", "gpt-5", {"prompt_tokens": 0.1, "completion_tokens": 0})


def test_all_thirty_cases_have_a_test() -> None:
    names = [name for name in dir(sys.modules[__name__]) if name.startswith("test_hard_case_")]
    numbers = {int(match[1]) for name in names if (match := re.match(r"test_hard_case_(\d\d)_", name))}
    assert numbers == set(range(1, 31))
    assert day_period(date(2026, 12, 1)).start_us == at_us("2026-12-01T00:00:00Z")
