"""The shipped book: the dated events it must know, what entries carry, how fast it compiles."""

import time
from collections import Counter
from datetime import date

import pyarrow as pa
import pytest

from pricing.compile import compile_token_prices
from pricing.periods import FOREVER_US
from pricing.price_book import load_price_book
from tests.unit.pricing.books import CARD_SCHEMA, at_us, card, price_at

BOOK = load_price_book()

# provider, model, last instant before, first instant after, meter, price before and after (USD per million)
EVENTS = [
    ("openai", "o3", "2025-06-09T23:59:59Z", "2025-06-10T00:00:00Z", "input_uncached", "10", "2"),
    ("openai", "gpt-5.6-luna", "2026-07-29T23:59:59Z", "2026-07-30T00:00:00Z", "output_text", "6", "1.2"),
    ("openai", "gpt-5.6-terra", "2026-07-29T23:59:59Z", "2026-07-30T00:00:00Z", "input_uncached", "2.5", "2"),
    ("openai", "gpt-5.6-sol", "2026-08-20T23:59:59Z", "2026-08-21T00:00:00Z", "output_text", "30", "20"),
    (
        "mistral",
        "mistral-medium-latest",
        "2026-06-15T23:59:59Z",
        "2026-06-16T00:00:00Z",
        "output_text",
        "2",
        "7.5",
    ),
    (
        "mistral",
        "mistral-small-latest",
        "2026-03-15T23:59:59Z",
        "2026-03-16T00:00:00Z",
        "input_uncached",
        "0.1",
        "0.15",
    ),
    (
        "deepseek",
        "deepseek-v4-pro",
        "2026-08-16T15:59:59Z",
        "2026-08-16T16:00:00Z",
        "input_uncached",
        "0.435",
        "0.66",
    ),
    (
        "deepseek",
        "deepseek-v4-pro",
        "2026-08-22T02:00:00Z",
        "2026-08-23T02:00:00Z",
        "input_uncached",
        "1.32",
        "0.66",
    ),
    (
        "deepseek",
        "deepseek-v4-flash",
        "2026-09-09T12:00:00Z",
        "2026-09-10T12:00:00Z",
        "output_text",
        "0.66",
        "0.6",
    ),
    (
        "mistral",
        "mistral-large-4",
        "2026-10-19T23:59:59Z",
        "2026-10-20T00:00:00Z",
        "input_uncached",
        "0.68",
        "1.36",
    ),
    (
        "mistral",
        "mistral-large-4",
        "2026-10-28T23:59:59Z",
        "2026-10-29T00:00:00Z",
        "input_uncached",
        "1.36",
        "0.7",
    ),
    ("google", "gemini-4-argon", "2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", "output_text", "10", "20"),
    (
        "google",
        "gemini-3.8-flash",
        "2026-12-31T23:59:59Z",
        "2027-01-01T00:00:00Z",
        "input_uncached",
        "0.75",
        "1.5",
    ),
    ("google", "gemini-3.6-flash", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "output_text", None, None),
    (
        "bedrock",
        "us.openai.gpt-5.6-sol",
        "2026-08-20T23:59:59Z",
        "2026-08-21T00:00:00Z",
        "input_uncached",
        "5.5",
        "4.4",
    ),
]


def per_million(usd: str) -> int:
    whole, _, rest = usd.partition(".")
    return int(whole) * 10**6 + int(rest.ljust(6, "0") or 0)


@pytest.mark.parametrize(("provider", "name", "before", "after", "meter", "old", "new"), EVENTS)
def test_a_dated_event_changes_the_price_at_its_instant(
    provider: str, name: str, before: str, after: str, meter: str, old: str | None, new: str | None
) -> None:
    prices = [price_at(BOOK, when, meter, provider=provider, served_model=name) for when in (before, after)]
    if old is None or new is None:
        first, second = prices
        assert first is not None
        assert second == 2 * first
    else:
        assert prices == [per_million(old), per_million(new)]


@pytest.mark.parametrize(
    ("day", "tokens", "usd"),
    [("2026-04-29", 200_001, 6), ("2026-04-30", 200_001, 3), ("2026-04-29", 200_000, 3)],
)
def test_the_long_context_price_of_sonnet_4_5_ends_with_its_beta(day: str, tokens: int, usd: int) -> None:
    asked = {"provider": "anthropic", "served_model": "claude-sonnet-4-5"}
    assert price_at(BOOK, f"{day}T12:00:00Z", "input_uncached", tokens, **asked) == usd * 10**6


def test_fast_mode_leaves_opus_4_8_and_stays_elsewhere() -> None:
    asked = {"provider": "anthropic", "speed": "fast"}
    for when, opus_4_8 in (("2026-11-29T23:59:59Z", 10_000_000), ("2026-11-30T00:00:00Z", None)):
        assert price_at(BOOK, when, "input_uncached", served_model="claude-opus-4-8", **asked) == opus_4_8
        assert price_at(BOOK, when, "input_uncached", served_model="claude-opus-5", **asked) == 10_000_000


def test_the_residency_factor_holds_for_models_released_from_march_2026_on() -> None:
    prices = [
        price_at(BOOK, "2026-11-10T00:00:00Z", "input_uncached", served_model=name, region="eu")
        for name in ("gpt-5", "gpt-5.4", "gpt-5.5")
    ]
    assert prices == [1_250_000, 2_750_000, 5_500_000]


@pytest.mark.parametrize(
    ("provider", "least"),
    [
        ("openai", 80),
        ("anthropic", 25),
        ("gcp.gemini", 40),
        ("gcp.vertex_ai", 60),
        ("azure.ai.openai", 35),
        ("aws.bedrock", 110),
        ("deepseek", 3),
        ("x_ai", 20),
        ("mistral_ai", 40),
        ("groq", 30),
        ("cohere", 9),
        ("together", 90),
        ("fireworks", 45),
        ("openrouter", 700),
    ],
)
def test_the_catalogue_of_a_provider_is_there(provider: str, least: int) -> None:
    assert len(BOOK.model_ids(provider)) >= least


def test_every_entry_has_a_source_a_day_and_a_place() -> None:
    for entry in BOOK.entries:
        assert entry.facts.source_url.startswith("https://")
        assert date(2026, 5, 1) <= entry.facts.checked <= date(2026, 12, 1)
        assert entry.facts.place.file.startswith("pricing/tables/")
        assert entry.facts.place.line > 1


def test_no_two_entries_have_one_identity() -> None:
    counted = Counter(entry.content for entry in BOOK.entries)
    assert [content for content, count in counted.items() if count > 1] == []


def test_statuses_say_what_is_to_come_and_what_never_came() -> None:
    now = at_us("2026-12-02T00:00:00Z")
    for entry in BOOK.entries:
        if entry.facts.status == "in_force":
            assert entry.valid.start_us < now
        if entry.facts.status in ("withdrawn", "corrected"):
            assert entry.known.end_us != FOREVER_US
    assert {"in_force", "announced", "withdrawn"} <= {entry.facts.status for entry in BOOK.entries}


@pytest.mark.parametrize(
    ("name", "usd_per_million"),
    [
        ("gemini-2.5-flash", "0.3"),
        ("claude-opus-5", "5.5"),
        ("claude-3-haiku", None),
        ("gemini-3.1-pro-preview", None),
    ],
)
def test_a_regional_vertex_endpoint_costs_more_where_the_source_says_so(
    name: str, usd_per_million: str | None
) -> None:
    asked = {"provider": "vertex_ai", "served_model": name, "region": "us-central1"}
    price = price_at(BOOK, "2026-11-10T00:00:00Z", "input_uncached", **asked)
    assert price == (None if usd_per_million is None else per_million(usd_per_million))


def test_the_azure_meters_differ_by_class_of_deployment() -> None:
    asked = {"provider": "azure", "served_model": "gpt-5.4"}
    prices = [
        price_at(BOOK, "2026-11-10T00:00:00Z", "output_text", region=region, **asked)
        for region in ("Global", "DataZoneStandard", "data_zone_apac")
    ]
    assert prices == [15_000_000, 16_500_000, 18_000_000]


def test_the_book_compiles_a_day_of_all_its_models_in_under_five_seconds() -> None:
    cards = [
        card(key, provider=provider, served_model=name) for key, (provider, name) in enumerate(BOOK.models)
    ]
    table = pa.Table.from_pylist(cards, schema=CARD_SCHEMA)
    started = time.perf_counter()
    result = compile_token_prices(BOOK, table)
    assert time.perf_counter() - started < 5
    assert result.token_prices.num_rows >= len(cards)
    priced = sum(key is not None for key in result.token_prices.column("price_key").to_pylist())
    assert priced > 0.95 * len(cards)
