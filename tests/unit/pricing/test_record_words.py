"""The words of a usage record that decide its price: tier, region, ending, instant."""

from typing import Any

import pytest

from pricing.price_book import load_price_book
from pricing.rate_cards import RateCard
from pricing.record_words import card_of, word
from pricing.rules import Provider

BOOK = load_price_book()


def card_for(
    provider: str = "openai", usage: dict[str, Any] | None = None, output: int = 0, **context: Any
) -> RateCard:
    record = {"provider": provider, "model": "m", "usage": usage or {}, "context": context}
    return card_of(record, BOOK.providers.get(provider), output)


@pytest.mark.parametrize(
    ("context", "outcome", "error_class"),
    [
        ({}, "success", None),
        ({"http_status": 200}, "success", None),
        ({"http_status": 499}, "cancelled", None),
        ({"http_status": 408}, "error", "timeout"),
        ({"http_status": 504}, "error", "timeout"),
        ({"http_status": 429}, "error", "rate_limited"),
        ({"http_status": 400}, "error", "client"),
        ({"http_status": 401}, "error", "client"),
        ({"http_status": 400, "finish_reason": "content_filter"}, "error", "content_filter"),
        ({"http_status": 500}, "error", "server"),
        ({"http_status": 529}, "error", "server"),
        ({"stop_reason": "refusal"}, "refused", None),
        ({"finish_reason": "content_filter"}, "refused", None),
        ({"finish_reason": "stop"}, "success", None),
        ({"finish_reason": None}, "unknown", None),
        ({"finish_reason": "error"}, "error", None),
        ({"outcome": "client disconnected mid stream"}, "cancelled", None),
    ],
)
def test_the_ending_is_read_from_status_and_reason(
    context: dict[str, Any], outcome: str, error_class: str | None
) -> None:
    card = card_for(**context)
    assert (card.outcome, card.error_class) == (outcome, error_class)


@pytest.mark.parametrize(
    ("output", "context", "has_output"),
    [
        (0, {}, False),
        (5, {}, True),
        (0, {"output_started": True}, True),
        (5, {"output_started": False}, False),
    ],
)
def test_output_is_counted_unless_it_is_stated(
    output: int, context: dict[str, Any], has_output: bool
) -> None:
    assert card_for(output=output, **context).has_output is has_output


@pytest.mark.parametrize(
    ("usage", "context", "tier"),
    [
        ({}, {}, None),
        ({"service_tier": "flex"}, {}, "flex"),
        ({"service_tier": "default"}, {"service_tier_requested": "priority"}, "default"),
        ({"service_tier": "default"}, {"service_tier_served": "priority"}, "priority"),
        ({}, {"service_tier": "batch"}, "batch"),
    ],
)
def test_the_served_tier_comes_before_the_requested_one(
    usage: dict[str, str], context: dict[str, str], tier: str | None
) -> None:
    assert card_for(usage=usage, **context).service_tier == tier


@pytest.mark.parametrize(
    ("provider", "usage", "context", "region"),
    [
        ("anthropic", {"inference_geo": "us"}, {}, "us"),
        ("anthropic", {}, {"inference_geo": "us"}, "us"),
        ("openai", {}, {"data_residency": "eu"}, "eu"),
        ("x_ai", {}, {"endpoint": "us regional"}, "us regional"),
        (
            "azure.ai.openai",
            {},
            {"deployment_type": "DataZoneStandard", "region": "eastus2"},
            "DataZoneStandard",
        ),
        ("gcp.vertex_ai", {}, {"region": "us-central1"}, "us-central1"),
        ("aws.bedrock", {}, {"region": "us-east-1"}, None),
        ("deepseek", {}, {"region": "anywhere"}, None),
    ],
)
def test_a_region_is_read_where_the_provider_prices_by_it(
    provider: str, usage: dict[str, str], context: dict[str, str], region: str | None
) -> None:
    assert card_for(provider, usage, **context).region == region


def test_speed_and_processing_are_read_from_usage_or_context() -> None:
    card = card_for("anthropic", {"speed": "fast"}, processing="batch")
    assert (card.speed, card.processing) == ("fast", "batch")


def test_a_channel_that_bills_the_request_takes_the_requested_tier() -> None:
    text = BOOK.providers["openai"].text.model_copy(update={"billed_tier": "requested"})
    record = {
        "provider": "openai",
        "model": "m",
        "usage": {"service_tier": "default"},
        "context": {"service_tier_requested": "priority"},
    }
    assert card_of(record, Provider("openai", text), 0).service_tier == "priority"
    assert card_of(record, BOOK.providers["openai"], 0).service_tier == "default"
    asked = {**record, "context": {}}
    assert card_of(asked, Provider("openai", text), 0).service_tier == "default"


def test_an_unknown_provider_still_gives_a_card() -> None:
    card = card_for("nobody", region="x", service_tier="y")
    assert (card.provider, card.region, card.service_tier) == ("nobody", None, "y")


def test_a_gateway_cache_hit_is_a_truth_value() -> None:
    assert card_for(gateway_cache_hit=True).is_gateway_cache_hit
    assert not card_for(gateway_cache_hit=False).is_gateway_cache_hit


def test_a_word_is_text_or_a_truth_value_and_nothing_else() -> None:
    record = {"context": {"a": 5, "b": "", "c": "x", "d": False}}
    assert word(record, ("context.a", "context.b", "context.c")) == "x"
    assert word(record, ("context.d",)) == "false"
    assert word(record, ("context.a", "context.missing")) is None
