"""Pricing single records: what comes back when all is well, and what is said when it is not."""

from typing import Any

import pytest

from pricing.calc import CalcResult, calculate, check_layout, usd_text
from pricing.errors import PriceBookError
from pricing.price_book import load_price_book
from pricing.prices_in_force import book_of_record, words
from pricing.record_words import instant_of
from pricing.units import units
from tests.unit.pricing.books import at_us

BOOK = load_price_book()
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 100}


def record(**stated: Any) -> dict[str, Any]:
    plain = {
        "provider": "openai",
        "model": "gpt-5",
        "date": "2026-11-10T00:00:00Z",
        "usage": USAGE,
        "context": {},
    }
    return {**plain, **stated}


def priced(**stated: Any) -> CalcResult:
    return calculate(BOOK, record(**stated))


def in_force(prices: dict[str, str], **stated: Any) -> CalcResult:
    case = record(prices_in_force=prices, **stated)
    return calculate(book_of_record(case, BOOK.rules), case)


@pytest.mark.parametrize(
    ("pico", "text"),
    [
        (0, "0"),
        (1, "0.000000000001"),
        (10**12, "1"),
        (1_615_000_000, "0.001615"),
        (-5 * 10**11, "-0.5"),
        (123 * 10**12 + 10, "123.00000000001"),
    ],
)
def test_money_is_exact_decimal_text(pico: int, text: str) -> None:
    assert usd_text(pico) == text


def test_a_priced_record_has_lines_with_quantities_and_steps() -> None:
    result = priced()
    assert (result.usd, result.reason_code, result.provider, result.model) == (
        "0.00225",
        "",
        "openai",
        "gpt-5",
    )
    assert [(line.meter, line.quantity, line.pico_usd) for line in result.lines] == [
        ("input_uncached", 1_000, 1_250_000_000),
        ("output_text", 100, 1_000_000_000),
    ]
    assert result.lines[0].steps == "1.25 USD per million tokens"
    assert result.lines[0].place.startswith("pricing/tables/openai.yml line ")


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"provider": "nobody"}, "unknown_provider"),
        ({"model": "gpt-77"}, "unknown_model"),
        ({"usage": {**USAGE, "service_tier": "platinum"}}, "unknown_tier"),
        ({"context": {"data_residency": "mars"}}, "unknown_region"),
        ({"usage": {}}, "usage_missing"),
        ({"usage": {"tokens": 5}}, "usage_missing"),
        ({"provider": "deepseek", "model": "deepseek-flash", "date": "2026-09-01T00:00:00Z"}, "price_gap"),
    ],
)
def test_an_unpriced_record_says_why_and_is_never_zero(stated: dict[str, Any], reason: str) -> None:
    result = priced(**stated)
    assert result.usd is None
    assert result.pico_usd is None
    assert result.reason_code == reason


@pytest.mark.parametrize(
    ("context", "usd"),
    [
        ({"http_status": 200}, "0.00225"),
        ({"http_status": 429}, "0"),
        ({"gateway_cache_hit": True}, "0"),
        ({"finish_reason": "stop"}, "0.00225"),
        ({"finish_reason": "content_filter"}, "0.00225"),
    ],
)
def test_how_a_record_ended_decides_whether_it_costs(context: dict[str, Any], usd: str) -> None:
    assert priced(context=context).usd == usd


def test_a_failed_call_without_usage_costs_nothing_and_needs_none() -> None:
    result = priced(usage={}, context={"http_status": 500})
    assert (result.usd, result.reason_code) == ("0", "not_billable")


@pytest.mark.parametrize("key", ["provider", "model", "date", "usage"])
def test_a_record_without_a_key_is_refused_by_name(key: str) -> None:
    case = record()
    del case[key]
    with pytest.raises(PriceBookError, match=f"usage record has no '{key}'"):
        check_layout(case)
    with pytest.raises(PriceBookError, match=f"usage record has no '{key}'"):
        calculate(BOOK, case)


@pytest.mark.parametrize(
    ("date", "message"),
    [
        ("2026-11-10", "has no zone"),
        ("2026-11-10T00:00:00", "has no zone"),
        ("yesterday", "is no instant"),
        (5, "is missing"),
    ],
)
def test_a_date_is_an_instant_with_a_zone(date: object, message: str) -> None:
    with pytest.raises(PriceBookError, match=message):
        instant_of({"date": date})


def test_an_instant_in_another_zone_is_the_same_instant() -> None:
    assert instant_of({"date": "2026-08-17T00:00:00+08:00"}) == at_us("2026-08-16T16:00:00Z")


def test_the_book_is_asked_as_it_was_known() -> None:
    case = record(
        provider="anthropic",
        model="claude-sonnet-5",
        usage={"input_tokens": 10**6, "output_tokens": 0},
        date="2026-09-15T00:00:00Z",
    )
    assert calculate(BOOK, case, at_us("2026-08-15T00:00:00Z")).usd == "3"
    assert calculate(BOOK, case).usd == "2"


def test_a_served_model_in_the_context_is_priced() -> None:
    assert priced(context={"served_model": "gpt-5-mini"}).model == "gpt-5-mini"


def test_a_preferred_charge_of_the_provider_is_taken_and_kept() -> None:
    result = priced(provider="xai", model="grok-4.3", usage={"cost_in_usd_ticks": 37_756_000})
    assert result.usd == "0.0037756"
    assert result.reported_pico_usd == result.pico_usd


def test_an_unpriced_meter_leaves_the_other_lines_visible() -> None:
    result = in_force({"input": "1.25"})
    assert result.usd is None
    assert [line.meter for line in result.lines] == ["input_uncached"]
    assert result.unpriced == {"output_text": "no price for 100 token"}


@pytest.mark.parametrize(
    ("prices", "context", "usd"),
    [
        ({"input": "1", "output": "2"}, {}, "0.0012"),
        ({"input": "1", "output": "2", "batch_multiplier": "0.5"}, {"processing": "batch"}, "0.0006"),
        ({"input": "1", "output": "2", "batch_multiplier": "0.5"}, {}, "0.0012"),
        ({"batch_input": "3", "batch_output": "4"}, {"processing": "batch"}, "0.0034"),
        ({"priority_input": "3", "priority_output": "4"}, {"service_tier_served": "priority"}, "0.0034"),
        ({"input": "1", "output": "2", "residency_multiplier": "1.1"}, {"data_residency": "eu"}, "0.00132"),
        ({"input": "1", "output": "2", "input_above_1k": "9", "output_above_1k": "9"}, {}, "0.0012"),
        ({"input": "1", "output": "2", "input_from_1k": "9", "output_from_1k": "9"}, {}, "0.0099"),
        ({"input": "1", "output": "2", "backend_usd": "0.02"}, {}, "0.0212"),
    ],
)
def test_the_words_of_prices_in_force(prices: dict[str, str], context: dict[str, str], usd: str) -> None:
    assert in_force(prices, context=context).usd == usd


def test_an_unknown_price_word_names_the_nearest() -> None:
    with pytest.raises(PriceBookError, match=r"price word 'inptu' is not known .* Nearest: input"):
        in_force({"inptu": "1"})


def test_a_record_of_an_unknown_provider_has_no_book() -> None:
    with pytest.raises(PriceBookError, match=r"provider 'opnai' is not known\. Nearest: "):
        in_force({"input": "1"}, provider="opnai")


def test_minimums_and_free_parts_of_the_record_replace_ours() -> None:
    usage = {"requests": 2, "audio_seconds_each": 4}
    prices = {"audio_hour": "3600", "minimum_seconds": "20"}
    assert in_force(prices, provider="groq", model="whisper-large-v3", usage=usage).usd == "40"


def test_every_price_word_leads_to_meters_and_quotes_that_exist() -> None:
    for name, row in words()["words"].items():
        quote = units().quotes[row["quote"]]
        for meter in row["meters"]:
            assert units().meters[meter].unit == quote.unit, name


def test_a_write_of_a_router_is_input_plus_storage_for_its_minutes() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cache_write_tokens": 100},
    }
    prices = {"input": "1.25", "cache_storage_mtok_hour": "4.5", "cache_minutes": "5"}
    result = in_force(prices, provider="openrouter", model="m", usage=usage)
    assert result.usd == "0.0001625"
    with pytest.raises(PriceBookError, match="more than 12 decimals"):
        in_force({**prices, "cache_minutes": "1.0000000001"}, provider="openrouter", model="m", usage=usage)
