"""Public reports of wrong LLM cost, each with the right answer (numbers of the reports in the test names).

Prices are those of the case, in USD per million tokens: the engine is asked with a book made of them, or with
ours where the case is about dates. Each test stands for a kind of fault that has to be impossible.
"""

from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest

from pricing.calc import CalcResult, calculate
from pricing.errors import PriceBookError
from pricing.price_book import PriceBook, load_price_book, make_book, shipped_rules
from pricing.prices_in_force import book_of_record
from pricing.rules import CurrencyRate
from pricing.yaml_source import parse_yaml
from tests.unit.pricing.books import at_us, book_of, card, model, models, price_at, price_rows

SONNET = {"input": "3", "cache_read": "0.3", "cache_write_5m": "3.75", "cache_write_1h": "6", "output": "15"}
FABLE = {"input": "10", "cache_read": "1", "cache_write_5m": "12.50", "cache_write_1h": "20", "output": "50"}
OPUS = {"input": "5", "cache_read": "0.50", "cache_write_5m": "6.25", "cache_write_1h": "10", "output": "25"}


@cache
def our_book() -> PriceBook:
    return load_price_book()


def record(provider: str, name: str, usage: dict[str, Any], **more: Any) -> dict[str, Any]:
    plain = {
        "provider": provider,
        "model": name,
        "date": "2026-11-10T00:00:00Z",
        "usage": usage,
        "context": {},
    }
    return {**plain, **more}


def priced(
    provider: str, name: str, usage: dict[str, Any], prices: dict[str, str], **more: Any
) -> CalcResult:
    case = record(provider, name, usage, prices_in_force=prices, **more)
    return calculate(book_of_record(case, our_book().rules), case)


def usd(provider: str, name: str, usage: dict[str, Any], prices: dict[str, str], **more: Any) -> str | None:
    return priced(provider, name, usage, prices, **more).usd


def by_date(
    provider: str, name: str, when: str, usage: dict[str, Any], known: str | None = None
) -> str | None:
    case = record(provider, name, usage, date=when)
    return calculate(our_book(), case, None if known is None else at_us(known)).usd


def chat(
    prompt: int, output: int, cached: int = 0, reasoning: int = 0, total: int | None = None
) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
    return usage if total is None else {**usage, "total_tokens": total}


def claude(fresh: int, output: int, read: int = 0, write: int = 0, hour: int | None = None) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "input_tokens": fresh,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }
    if hour is None:
        return usage
    return {
        **usage,
        "cache_creation": {"ephemeral_5m_input_tokens": write - hour, "ephemeral_1h_input_tokens": hour},
    }


def quantity(result: CalcResult, meter: str) -> int:
    return sum(int(line.quantity) for line in result.lines if line.meter == meter)


# 1. Cache classes and double counting


def test_c01_cached_tokens_are_not_billed_twice() -> None:
    usage = {"promptTokenCount": 20_212, "cachedContentTokenCount": 16_298, "candidatesTokenCount": 931}
    prices = {"input": "0.50", "cached": "0.05", "output": "3.00"}
    assert usd("google", "gemini-3-flash-preview", usage, prices) == "0.0055649"


@pytest.mark.parametrize(("read_rate", "right"), [("0.625", "0.199894375"), ("0.25", "0.10316125")])
def test_c02_long_tier_with_cached_input_takes_one_rate_for_each_class(read_rate: str, right: str) -> None:
    usage = {"promptTokenCount": 262_960, "cachedContentTokenCount": 257_955, "candidatesTokenCount": 1_744}
    prices = {
        "input": "1.25",
        "output": "10",
        "cached": "0.125",
        "input_above_200k": "2.50",
        "cached_above_200k": read_rate,
        "output_above_200k": "15",
    }
    assert usd("google", "gemini-2.5-pro", usage, prices) == right


def test_c03_cached_input_is_not_ignored() -> None:
    usage = chat(538 + 2_208, 197, cached=2_208, reasoning=64)
    prices = {"input": "0.25", "cached_input": "0.025", "output": "2.00"}
    assert usd("openai", "gpt-5-mini", usage, prices) == "0.0005837"
    assert by_date("openai", "gpt-5-mini", "2025-09-01T00:00:00Z", usage) == "0.0005837"


def test_c04_an_inclusive_prompt_is_not_added_to_its_cached_part() -> None:
    usage = chat(17_111, 0, cached=17_102)
    prices = {"input": "1.00", "cached": "0.10", "output": "5"}
    assert usd("openrouter", "anthropic/claude-haiku-4.5", usage, prices) == "0.0017192"


def test_c06_overlapping_buckets_give_86_fresh_tokens() -> None:
    result = priced(
        "openai",
        "gpt-5",
        chat(17_903, 0, cached=17_817),
        {"input": "1.25", "cached": "0.125", "output": "10"},
    )
    assert quantity(result, "input_uncached") == 86
    assert quantity(result, "input_uncached") + quantity(result, "cache_read") == 17_903


def test_c07_the_total_stays_117456() -> None:
    usage = chat(117_231, 225, cached=115_584, total=117_456)
    result = priced("openai", "gpt-5", usage, {"input": "1.25", "cached": "0.125", "output": "10"})
    assert quantity(result, "input_uncached") == 1_647
    assert sum(int(line.quantity) for line in result.lines) == 117_456


def test_c09_no_cache_class_is_lost_on_a_regional_profile() -> None:
    usage = {
        "inputTokens": 10,
        "cacheReadInputTokens": 66_360,
        "cacheWriteInputTokens": 32_435,
        "outputTokens": 5_120,
    }
    regional = {"input": "5.5", "cache_read": "0.55", "cache_write_5m": "6.875", "output": "27.5"}
    assert usd("aws-bedrock", "eu.anthropic.claude-opus-4-5", usage, regional) == "0.400343625"
    assert usd("aws-bedrock", "global.anthropic.claude-opus-4-5", usage, OPUS) == "0.36394875"
    name = "eu.anthropic.claude-opus-4-5-v1:0"
    assert by_date("aws-bedrock", name, "2026-11-10T00:00:00Z", usage) == "0.400343625"


def test_c11_self_hosted_cached_tokens_are_not_computed_again() -> None:
    result = priced(
        "openai",
        "m",
        chat(150_383, 304, cached=149_936, reasoning=15),
        {"input": "1", "cached": "0", "output": "1"},
    )
    assert quantity(result, "input_uncached") == 447
    assert 150_383 // 447 == 336


# 2. Cache-write lifetime


def test_c12_a_one_hour_write_has_its_own_price() -> None:
    usage = {
        "inputTokens": 9,
        "cacheWriteInputTokens": 9_634,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 9_634}],
        "outputTokens": 5,
    }
    assert usd("aws-bedrock", "claude-opus-4-8", usage, OPUS) == "0.09651"


def test_c13_a_write_of_37175_tokens_for_an_hour() -> None:
    assert usd("anthropic", "claude-fable-5", claude(0, 0, write=37_175, hour=37_175), FABLE) == "0.7435"
    assert (
        by_date(
            "anthropic", "claude-fable-5", "2026-09-01T00:00:00Z", claude(0, 0, write=37_175, hour=37_175)
        )
        == "0.7435"
    )


def test_c15_a_stated_hour_is_priced_and_a_missing_split_is_assumed_and_says_so() -> None:
    assert usd("anthropic", "claude-fable-5", claude(0, 0, write=100_000, hour=100_000), FABLE) == "2"
    result = priced("anthropic", "claude-fable-5", claude(0, 0, write=100_000), FABLE)
    assert result.usd == "1.25"
    assert result.notes == ["cache_write_lifetime_not_stated"]


def test_c17_batch_and_cache_stack() -> None:
    prices = {**SONNET, "batch_multiplier": "0.5"}
    context = {"processing": "batch"}
    assert (
        usd("anthropic", "claude-sonnet-4-5", claude(20_000, 0, read=80_000), prices, context=context)
        == "0.042"
    )


# 3. Long-context tier

LONG = {
    "input": "5",
    "cached": "0.5",
    "output": "30",
    "input_above_272k": "10",
    "cached_above_272k": "1",
    "output_above_272k": "45",
}


def test_c18_the_threshold_is_on_the_whole_context_and_the_whole_request_moves() -> None:
    assert usd("openai", "gpt-5.5", chat(278_476, 630, cached=7_936), LONG) == "2.741686"
    assert (
        by_date("openai", "gpt-5.5", "2026-11-10T00:00:00Z", chat(278_476, 630, cached=7_936)) == "2.741686"
    )


@pytest.mark.parametrize(("day", "right"), [("2026-08-03", "3.9"), ("2026-08-21", "3")])
def test_c19_the_long_tier_moves_with_the_price_cut(day: str, right: str) -> None:
    assert by_date("openai", "gpt-5.6-sol", f"{day}T00:00:00Z", chat(300_000, 20_000)) == right


@pytest.mark.parametrize(("prompt", "right"), [(272_000, "1.39"), (272_001, "2.76501")])
def test_c20_exactly_the_threshold_stays_on_base(prompt: int, right: str) -> None:
    assert usd("openai", "gpt-5.5", chat(prompt, 1_000), LONG) == right
    assert by_date("openai", "gpt-5.5", "2026-11-10T00:00:00Z", chat(prompt, 1_000)) == right


def test_c21_an_aggregated_row_never_takes_the_long_tier() -> None:
    usage = chat(400_000, 0)
    assert usd("openai", "gpt-5.5", usage, LONG) == "4"
    result = priced("openai", "gpt-5.5", usage, LONG, context={"is_aggregate": True})
    assert result.usd == "2"
    assert "aggregate_without_bands" in result.notes


def test_the_marginal_split_is_a_trap() -> None:
    marginal = 272_000 * 5 + 1 * 10
    assert usd("openai", "gpt-5.5", chat(272_001, 0), LONG) != f"{marginal / 1_000_000}"


# 4. Reasoning tokens


def test_c23_reasoning_inside_the_output_is_not_priced_twice() -> None:
    usage = chat(16_845_360, 63_820, cached=16_358_912, reasoning=24_882, total=16_909_180)
    prices = {"input": "2.50", "cached": "0.25", "output": "15"}
    assert usd("openai", "gpt-5.4", usage, prices) == "6.263148"


def test_c25_the_reported_total_decides_for_the_subset() -> None:
    usage = chat(2_008, 266, reasoning=261, total=2_274)
    assert usd("openai", "gpt-5", usage, {"input": "1.25", "output": "10"}) == "0.00517"


def test_c25_the_reported_total_decides_for_the_sum_as_well() -> None:
    usage = chat(2_008, 266, reasoning=261, total=2_535)
    result = priced("openai", "gpt-5", usage, {"input": "1.25", "output": "10"})
    assert quantity(result, "output_text") == 266
    assert quantity(result, "output_reasoning") == 261


def test_c26_gemini_thoughts_come_on_top() -> None:
    usage = {
        "promptTokenCount": 55_021,
        "candidatesTokenCount": 923,
        "thoughtsTokenCount": 785,
        "totalTokenCount": 56_729,
    }
    assert usd("google", "gemini-2.5-pro", usage, {"input": "1.25", "output": "10"}) == "0.08585625"
    assert by_date("google", "gemini-2.5-pro", "2026-05-01T00:00:00Z", usage) == "0.08585625"


def test_a_total_that_fits_no_reading_is_refused_with_both_numbers() -> None:
    with pytest.raises(PriceBookError, match=r"total of 9999, its parts give 2274"):
        priced("openai", "gpt-5", chat(2_008, 266, reasoning=261, total=9_999), {"input": "1", "output": "1"})


# 5. Tier, speed, region, schedule


def test_c28_flex_is_half_of_standard() -> None:
    prices = {"flex_input": "0.025", "flex_output": "0.20", "input": "0.05", "output": "0.40"}
    usage = chat(1_000, 1_000)
    assert usd("openai", "gpt-5-nano", usage, prices, context={"service_tier_served": "flex"}) == "0.000225"
    assert usd("openai", "gpt-5-nano", usage, prices) == "0.00045"
    case = record("openai", "gpt-5-nano", {**usage, "service_tier": "flex"})
    assert calculate(our_book(), case).usd == "0.000225"


def test_c31_a_geographic_profile_costs_ten_percent_more() -> None:
    usage = {"inputTokens": 100_000, "outputTokens": 10_000}
    when = "2026-11-10T00:00:00Z"
    assert by_date("bedrock", "us.anthropic.claude-sonnet-4-6-v1:0", when, usage) == "0.495"
    assert by_date("bedrock", "global.anthropic.claude-sonnet-4-6-v1:0", when, usage) == "0.45"


@pytest.mark.parametrize(
    ("name", "when", "right"),
    [
        ("gpt-5.6-luna", "2026-07-29T23:59:59Z", "0.16"),
        ("gpt-5.6-luna", "2026-07-30T00:00:00Z", "0.032"),
        ("gpt-5.6-terra", "2026-07-29T23:59:59Z", "0.4"),
        ("gpt-5.6-terra", "2026-07-30T00:00:00Z", "0.32"),
        ("gpt-5.6-sol", "2026-08-20T23:59:59Z", "0.8"),
        ("gpt-5.6-sol", "2026-08-21T00:00:00Z", "0.6"),
    ],
)
def test_c33_a_cut_holds_from_its_day_and_never_before(name: str, when: str, right: str) -> None:
    assert by_date("openai", name, when, chat(100_000, 10_000)) == right


def test_c34_a_withdrawn_increase_is_forecast_only_as_it_was_known() -> None:
    usage, september = claude(100_000, 10_000), "2026-09-15T00:00:00Z"
    assert by_date("anthropic", "claude-sonnet-5", september, usage, known="2026-08-15T00:00:00Z") == "0.45"
    assert by_date("anthropic", "claude-sonnet-5", september, usage, known="2026-10-01T00:00:00Z") == "0.3"
    assert by_date("anthropic", "claude-sonnet-5", september, usage) == "0.3"
    assert (
        by_date("anthropic", "claude-sonnet-5", "2026-08-15T00:00:00Z", usage, known="2026-08-15T00:00:00Z")
        == "0.3"
    )


@pytest.mark.parametrize(
    ("when", "right"),
    [
        ("2026-09-01T02:00:00Z", "0.0572"),
        ("2026-09-01T12:00:00Z", "0.0286"),
        ("2026-08-29T02:00:00Z", "0.0286"),
        ("2026-09-01T03:59:59Z", "0.0572"),
        ("2026-09-01T04:00:00Z", "0.0286"),
        ("2026-09-01T00:59:59Z", "0.0286"),
        ("2026-09-01T01:00:00Z", "0.0572"),
    ],
)
def test_c35_peak_hours_of_the_week(when: str, right: str) -> None:
    usage = {"prompt_tokens": 100_000, "completion_tokens": 10_000}
    assert by_date("deepseek", "deepseek-v4-flash", when, usage) == right


def test_c35_peak_is_35_of_168_hours() -> None:
    calendar = our_book().calendars["deepseek_peak"]
    hours = [at_us("2026-08-31T00:30:00Z") + hour * 3_600_000_000 for hour in range(168)]
    assert sum(calendar.is_open(hour) for hour in hours) == 35


# 6. Model identity


def test_c37_the_served_model_is_priced() -> None:
    book = book_of(
        models(
            model(
                "minimax-m2.5", "{valid_from: 2026-01-01, per_million_tokens: {input: 0.30, output: 1.20}}"
            ),
            model(
                "gpt-oss-120b", "{valid_from: 2026-01-01, per_million_tokens: {input: 0.15, output: 0.60}}"
            ),
        ),
        provider="groq",
    )
    context = {"served_model": "gpt-oss-120b"}
    case = record("groq", "minimax-m2.5", chat(100_000, 10_000), context=context)
    assert calculate(book, case).usd == "0.021"
    assert calculate(book, {**case, "context": {}}).usd == "0.042"


@pytest.mark.parametrize(
    ("known", "asked"),
    [("glm-4", "glm-4.7"), ("claude-opus-4", "claude-opus-4.7"), ("claude-opus-4", "claude-haiku-4.5")],
)
def test_c38_a_shared_prefix_never_matches(known: str, asked: str) -> None:
    book = book_of(
        models(model(known, "{valid_from: 2026-01-01, per_million_tokens: {input: 5, output: 25}}"))
    )
    result = calculate(book, record("openai", asked, chat(100, 10)))
    assert (result.usd, result.reason_code) == (None, "unknown_model")


@pytest.mark.parametrize("stamp", ["-2026-02-28", "-20260228", "@20260228"])
def test_c38_a_date_stamp_is_the_one_remainder_that_matches(stamp: str) -> None:
    book = book_of(models(model("m", "{valid_from: 2026-01-01, per_million_tokens: {input: 5, output: 25}}")))
    assert calculate(book, record("openai", f"m{stamp}", chat(1_000_000, 0))).usd == "5"


def test_c39_an_alias_is_priced_by_what_it_stood_for_at_that_time() -> None:
    usage = chat(1_000, 100)
    before = by_date("mistral", "mistral-medium-latest", "2026-06-15T23:59:59Z", usage)
    after = by_date("mistral", "mistral-medium-latest", "2026-06-16T00:00:00Z", usage)
    assert (before, after) == ("0.0006", "0.00225")


# 8. Units, fees, media, money


def test_c50_a_price_in_another_currency_is_not_read_as_usd() -> None:
    body = models(
        model("m", "{valid_from: 2026-01-01, currency: CNY, per_million_tokens: {input: 3, output: 12}}")
    )
    head = 'provider: deepseek\nsources: {page: {url: "https://example.com", checked: 2026-11-30}}\n'
    text = f"{head}defaults: {{known_from: valid_from, source: page}}\n{body}"
    rates = (CurrencyRate("CNY", date(2026, 10, 1), "0.14", "https://example.com/rates"),)
    book = make_book([parse_yaml(text, "prices.yml")], replace(shipped_rules(), rates=rates))
    assert (
        price_at(book, "2026-10-20T00:00:00Z", "input_uncached", provider="deepseek", served_model="m")
        == 420_000
    )
    before = price_rows(book, card(day=date(2026, 9, 30), provider="deepseek", served_model="m"))
    assert before[0]["reason_code"] == "price_gap"


def test_c50_a_rate_above_1000_usd_per_million_tokens_is_refused() -> None:
    with pytest.raises(PriceBookError, match="above 1,000 USD per million tokens"):
        book_of(
            models(model("m", "{valid_from: 2026-01-01, per_million_tokens: {input: 3000000, output: 12}}"))
        )


def test_c51_audio_has_its_own_rate() -> None:
    usage = {
        "prompt_tokens": 15,
        "completion_tokens": 47,
        "completion_tokens_details": {"audio_tokens": 34, "reasoning_tokens": 0},
        "total_tokens": 62,
    }
    prices = {"input": "0.60", "output": "2.40", "audio_out": "20"}
    assert usd("openai", "gpt-audio-mini", usage, prices) == "0.0007202"


def test_c54_one_charge_has_one_meter() -> None:
    usage = {"input_tokens": 3, "output_tokens": 1_290, "output_tokens_details": {"image_tokens": 1_290}}
    prices = {"text_input": "0.5", "text_output": "30", "image_output": "30"}
    assert usd("openai", "gpt-image-1", usage, prices) == "0.0387015"


@pytest.mark.parametrize(("calls", "right"), [(0, "0"), (5, "0.05")])
def test_c56_a_declared_tool_costs_nothing_until_it_is_called(calls: int, right: str) -> None:
    usage = {"input_tokens": 0, "output_tokens": 0, "server_tool_use": {"web_search_requests": calls}}
    prices = {**OPUS, "web_search_per_1k": "10"}
    assert usd("anthropic", "claude-opus-5", usage, prices) == right


def test_c58_money_prints_exactly_and_ten_times_ten_cents_is_one_dollar() -> None:
    assert usd("openai", "m", chat(1_615, 0), {"input": "1", "output": "1"}) == "0.001615"
    parts = [
        priced("openai", "m", chat(100_000, 0), {"input": "1", "output": "1"}).pico_usd for _ in range(10)
    ]
    assert sum(part or 0 for part in parts) == 10**12


def test_c58_eight_tokens_are_not_rounded_away() -> None:
    assert (
        usd("openai", "text-embedding-3-small", {"prompt_tokens": 8, "total_tokens": 8}, {"input": "0.02"})
        == "0.00000016"
    )


def test_c59_what_the_provider_charged_is_kept_beside_what_it_is_worth() -> None:
    usage = {**chat(1_000_000, 0), "cost": "0"}
    result = priced("openrouter", "m", usage, {"input": "92", "output": "1"})
    assert result.usd == "92"
    assert result.reported_pico_usd == 0


def test_c60_an_unknown_price_is_null_with_the_tokens_it_waits_for() -> None:
    result = priced("openai", "m", chat(1_000, 500), {"input": "1"})
    assert result.usd is None
    assert result.reason_code == "price_gap"
    assert result.unpriced == {"output_text": "no price for 500 token"}
    assert quantity(result, "input_uncached") == 1_000
