"""Importers propose and never write: a LiteLLM map, the installed package, the text of a price file."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pricing.errors import PriceBookError
from pricing.importers import genai_prices, litellm_map
from pricing.importers.comparison import compare
from pricing.importers.proposals import ProposedBand, ProposedModel, ProposedPrice, price_file_text
from pricing.price_book import load_price_book, make_book, shipped_rules
from pricing.yaml_source import parse_yaml
from tests.unit.pricing.books import at_us, price_at

DAY = date(2026, 12, 1)
BOOK = load_price_book()
SOURCE = '{url: "https://example.com/map", checked: 2026-12-01}'
MAP = {
    "sample_spec": {"input_cost_per_token": 0},
    "gpt-5": {
        "litellm_provider": "openai",
        "input_cost_per_token": 1.25e-06,
        "output_cost_per_token": 1e-05,
        "cache_read_input_token_cost": 1.25e-07,
        "input_cost_per_token_flex": 6.25e-07,
        "output_cost_per_token_flex": 5e-06,
        "max_tokens": 128000,
        "supports_vision": True,
    },
    "gemini/gemini-2.5-pro": {
        "litellm_provider": "gemini",
        "input_cost_per_token": 1.25e-06,
        "output_cost_per_token": 1e-05,
        "input_cost_per_token_above_200k_tokens": 2.5e-06,
        "output_cost_per_token_above_200k_tokens": 1.5e-05,
    },
    "claude-opus-5": {
        "litellm_provider": "anthropic",
        "input_cost_per_token": 6e-06,
        "output_cost_per_token": 2.5e-05,
        "cache_creation_input_token_cost": 6.25e-06,
        "cache_creation_input_token_cost_above_1hr": 1e-05,
    },
    "brand-new-model": {
        "litellm_provider": "openai",
        "input_cost_per_token": 3e-06,
        "output_cost_per_token": 9e-06,
    },
    "elsewhere": {"litellm_provider": "nobody_knows", "input_cost_per_token": 1e-06},
    "odd": {"litellm_provider": "openai", "input_cost_per_token": 1.23456789e-10},
}


def written(tmp_path: Path, content: Any = None) -> Path:
    path = tmp_path / "model_prices.json"
    path.write_text(json.dumps(MAP if content is None else content))
    return path


def proposed(tmp_path: Path) -> dict[str, ProposedModel]:
    return {row.model: row for row in litellm_map.read(written(tmp_path), BOOK, DAY)}


def test_a_map_gives_models_of_known_providers_without_the_gateways_prefix(tmp_path: Path) -> None:
    assert set(proposed(tmp_path)) == {"gpt-5", "gemini-2.5-pro", "claude-opus-5", "brand-new-model"}


def test_amounts_are_exact_per_million_text(tmp_path: Path) -> None:
    (standard, flex) = proposed(tmp_path)["gpt-5"].prices
    assert standard.amounts == {
        "per_million_tokens": {"input": "1.25", "output": "10", "cache_read": "0.125"}
    }
    assert (flex.tier, flex.amounts) == ("flex", {"per_million_tokens": {"input": "0.625", "output": "5"}})
    assert standard.valid_from == DAY


def test_a_suffix_with_a_number_is_a_band(tmp_path: Path) -> None:
    (price,) = proposed(tmp_path)["gemini-2.5-pro"].prices
    assert price.bands == (
        ProposedBand(200_000, False, {"per_million_tokens": {"input": "2.5", "output": "15"}}),
    )


def test_a_cache_write_takes_the_lifetime_of_the_provider(tmp_path: Path) -> None:
    (price,) = proposed(tmp_path)["claude-opus-5"].prices
    assert price.amounts["per_million_tokens"]["cache_write_5m"] == "6.25"
    assert price.amounts["per_million_tokens"]["cache_write_1h"] == "10"


def test_the_comparison_shows_both_numbers(tmp_path: Path) -> None:
    lines = [row.text() for row in compare(BOOK, proposed(tmp_path).values(), DAY)]
    assert "amount: anthropic claude-opus-5 standard input_uncached: book 5, catalogue 6" in lines
    assert "model: openai brand-new-model: book none, catalogue a model" in lines
    assert not any("gpt-5 " in line for line in lines)


@pytest.mark.parametrize("content", [[1, 2], "text"])
def test_another_file_is_a_clear_error(content: Any, tmp_path: Path) -> None:
    with pytest.raises(PriceBookError, match="it must be one JSON object"):
        litellm_map.read(written(tmp_path, content), BOOK, DAY)


def test_a_broken_or_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("{")
    for each in (path, tmp_path / "none.json"):
        with pytest.raises(PriceBookError, match="is not a LiteLLM price map"):
            litellm_map.read(each, BOOK, DAY)


def test_a_proposal_is_a_file_that_loads_and_says_the_same(tmp_path: Path) -> None:
    rows = [row for row in proposed(tmp_path).values() if row.provider == "openai"]
    text = price_file_text("openai", SOURCE, rows)
    book = make_book([parse_yaml(text, "proposed.yml")], shipped_rules())
    assert compare(book, rows, DAY) == []
    when = "2026-12-01T00:00:00Z"
    assert price_at(book, when, "input_uncached", served_model="brand-new-model") == 3_000_000
    assert price_at(book, "2026-11-30T23:59:59Z", "input_uncached", served_model="brand-new-model") is None


def test_a_proposed_band_keeps_its_comparison() -> None:
    price = ProposedPrice(
        DAY,
        "standard",
        {"per_million_tokens": {"input": "1"}},
        (ProposedBand(200_000, True, {"per_million_tokens": {"input": "2"}}),),
    )
    text = price_file_text("x_ai", SOURCE, [ProposedModel("x_ai", "9lives", (price,), ("nine: lives",))])
    assert '- id: "9lives"' in text
    assert "at_least: 200000" in text
    book = make_book([parse_yaml(text, "proposed.yml")], shipped_rules())
    asked = {"provider": "xai", "served_model": "nine: lives"}
    when = "2026-12-01T00:00:00Z"
    costs = [price_at(book, when, "input_uncached", tokens, **asked) for tokens in (199_999, 200_000)]
    assert costs == [1_000_000, 2_000_000]


def test_the_installed_package_is_read_whole() -> None:
    rows = {(row.provider, row.model): row for row in genai_prices.read()}
    luna = rows["openai", "gpt-5.6-luna"]
    starts = [price.valid_from for price in luna.prices if price.tier == "standard"]
    assert starts == [None, date(2026, 7, 30)]
    assert {price.tier for price in luna.prices} == {"standard", "batch", "flex", "priority"}
    assert all(band.tokens == 272_000 for price in luna.prices for band in price.bands)


def test_an_inclusive_limit_is_written_as_at_least() -> None:
    (grok,) = [row for row in genai_prices.read() if row.model == "grok-4.7"]
    assert [(band.tokens, band.is_inclusive) for band in grok.prices[0].bands] == [(200_000, True)]


def test_prices_by_time_of_day_are_left_out() -> None:
    (flash,) = [
        row for row in genai_prices.read() if row.model == "deepseek-v4-flash" and row.provider == "deepseek"
    ]
    assert [price.amounts["per_million_tokens"]["input"] for price in flash.prices] == [
        "0.14",
        "0.22",
        "0.15",
    ]


def test_the_package_has_no_name_twice() -> None:
    rows = genai_prices.read()
    for provider in {row.provider for row in rows}:
        names = [name for row in rows if row.provider == provider for name in (row.model, *row.names)]
        assert len(names) == len(set(names)), provider
    assert at_us("2026-12-01T00:00:00Z") > 0
