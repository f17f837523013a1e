"""From a card to what it is priced as: provider, tier, region, and whether it costs anything."""

from dataclasses import replace
from typing import Any

import pytest

from pricing.price_book import load_price_book
from pricing.rate_cards import RateCard, Resolution, region_class, resolve, served_tier
from tests.unit.pricing.books import at_us

NOW = at_us("2026-11-10T00:00:00Z")
BOOK = load_price_book()
PLAIN = RateCard(
    source="litellm.spendlogs",
    provider="openai",
    requested_model="gpt-5",
    served_model=None,
    deployment=None,
    service_tier=None,
    processing=None,
    region=None,
    speed=None,
    outcome="success",
    error_class=None,
    has_output=True,
    is_gateway_cache_hit=False,
)


def resolved(**stated: Any) -> Resolution:
    return resolve(BOOK, replace(PLAIN, **stated), NOW)


@pytest.mark.parametrize(
    ("provider", "words", "tier"),
    [
        ("openai", (None, None, None), "standard"),
        ("openai", ("default", None, None), "standard"),
        ("openai", ("Priority", None, None), "priority"),
        ("openai", ("fast", None, None), "priority"),
        ("openai", ("flex", "sync", None), "flex"),
        ("openai", (None, "batch", None), "batch"),
        ("anthropic", ("batch", "batch", None), "batch"),
        ("anthropic", ("standard", None, "fast"), "fast"),
        ("anthropic", ("standard", None, "standard"), "standard"),
        ("gcp.vertex_ai", ("ON_DEMAND_PRIORITY", None, None), "priority"),
        ("openai", ("platinum", None, None), None),
        ("openai", ("auto", None, None), None),
        ("openai", (None, "nightly", None), None),
        ("anthropic", (None, None, "ludicrous"), None),
        ("openai", ("flex", "batch", None), None),
        ("anthropic", ("standard", "batch", "fast"), None),
    ],
)
def test_the_words_of_a_provider_give_one_tier_or_none(
    provider: str, words: tuple[str | None, str | None, str | None], tier: str | None
) -> None:
    assert served_tier(BOOK.providers[provider], *words) == tier


@pytest.mark.parametrize(
    ("provider", "region", "expected"),
    [
        ("openai", None, "global"),
        ("openai", "EU", "eu"),
        ("openai", "mars", None),
        ("anthropic", "us", "us"),
        ("azure.ai.openai", "DataZoneStandard", "data_zone"),
        ("azure.ai.openai", "eastus2", None),
        ("gcp.vertex_ai", "us-central1", "regional"),
        ("gcp.vertex_ai", "global", "global"),
        ("deepseek", "anywhere", "global"),
    ],
)
def test_regions_are_read_only_where_prices_depend_on_them(
    provider: str, region: str | None, expected: str | None
) -> None:
    assert region_class(BOOK.providers[provider], region) == expected


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("azure", "azure.ai.openai"),
        ("vertex_ai", "gcp.vertex_ai"),
        ("gemini", "gcp.gemini"),
        ("bedrock", "aws.bedrock"),
        ("mistral", "mistral_ai"),
        ("xai", "x_ai"),
        ("moonshotai", "moonshot_ai"),
        ("fireworks_ai", "fireworks"),
    ],
)
def test_other_spellings_lead_to_the_opentelemetry_name(spelling: str, name: str) -> None:
    assert resolved(provider=spelling).provider == name


# provider, outcome, error class, has output -> billable
BILLING = [
    ("openai", "success", None, True, True),
    ("openai", "success", None, False, True),
    ("openai", "error", "rate_limited", False, False),
    ("openai", "error", "server", False, False),
    ("openai", "error", "server", True, True),
    ("openai", "cancelled", None, True, True),
    ("openai", "cancelled", None, False, False),
    ("openai", "error", "rate_limited", True, False),
    ("openai", "unknown", None, False, True),
    ("anthropic", "refused", None, False, False),
    ("anthropic", "refused", None, True, True),
    ("anthropic", "cancelled", None, False, True),
    ("anthropic", "error", None, False, False),
    ("azure", "error", "content_filter", False, True),
    ("azure", "error", "timeout", False, True),
    ("azure", "error", "rate_limited", False, False),
    ("azure", "error", "client", False, False),
    ("google", "error", "client", False, False),
    ("google", "error", "server", True, False),
    ("vertex_ai", "error", "rate_limited", False, False),
    ("vertex_ai", "error", None, True, False),
    ("openrouter", "unknown", None, False, False),
    ("openrouter", "unknown", None, True, True),
    ("openrouter", "cancelled", None, False, False),
    ("xai", "refused", None, True, True),
]


@pytest.mark.parametrize(("provider", "outcome", "error_class", "has_output", "is_billable"), BILLING)
def test_what_an_ending_costs_by_provider(
    provider: str, outcome: str, error_class: str | None, has_output: bool, is_billable: bool
) -> None:
    found = resolved(provider=provider, outcome=outcome, error_class=error_class, has_output=has_output)
    assert found.is_billable is is_billable
    assert (found.reason_code == "not_billable") is not is_billable


def test_a_flat_fee_is_part_of_the_resolution() -> None:
    found = resolved(provider="xai", outcome="refused", has_output=False)
    assert found.flat_fee is not None
    assert found.flat_fee.text.flat_fee_usd == "0.05"
    assert found.is_billable


def test_a_gateway_cache_hit_comes_before_every_rule() -> None:
    found = resolved(provider="xai", outcome="refused", has_output=False, is_gateway_cache_hit=True)
    assert (found.is_billable, found.reason_code, found.flat_fee) == (False, "gateway_cache_hit", None)


def test_an_attempt_that_costs_nothing_still_shows_its_model() -> None:
    found = resolved(requested_model="gpt-5-2025-08-07", outcome="error", has_output=False)
    assert found.shown_model == "gpt-5"


def test_served_comes_before_requested_even_when_it_is_unknown() -> None:
    assert resolved(served_model="gpt-5-mini").shown_model == "gpt-5-mini"
    unknown = resolved(served_model="nothing")
    assert (unknown.reason_code, unknown.shown_model) == ("unknown_model", "nothing")


def test_every_billing_rule_has_evidence_and_a_source() -> None:
    assert {rule.text.evidence for rule in BOOK.billing_rules} <= {"documented", "secondary", "undocumented"}
    assert all(rule.text.source.url.startswith("https://") for rule in BOOK.billing_rules)
    assert BOOK.billing_rules[-1].text.provider is None


def test_tier_words_lead_to_known_tiers_only() -> None:
    tiers = {tier for provider in BOOK.providers.values() for tier in provider.text.tiers.values()}
    assert tiers == {"standard", "batch", "flex", "priority", "fast"}
