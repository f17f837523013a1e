"""The book beside genai-prices: every disagreement is listed with its reason, and each one still exists."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from pricing.importers.comparison import Difference, compare, missing_models
from pricing.importers.genai_prices import PROVIDERS, read
from pricing.importers.proposals import ProposedModel
from pricing.price_book import PriceBook, load_price_book

DAY = date(2026, 12, 1)
LISTED: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "pricing_disagreements.yml").read_text()
)["disagreements"]


@cache
def book() -> PriceBook:
    return load_price_book()


@cache
def proposals() -> tuple[ProposedModel, ...]:
    return tuple(read())


@cache
def differences() -> tuple[Difference, ...]:
    return tuple(compare(book(), proposals(), DAY))


def is_of(row: dict[str, Any], difference: Difference) -> bool:
    names = row.get("models", [])
    is_named = difference.model in names or ("prefix" in row and difference.model.startswith(row["prefix"]))
    return (row["provider"], row["kind"]) == (difference.provider, difference.kind) and is_named


def test_every_disagreement_is_listed() -> None:
    loose = [d.text() for d in differences() if not any(is_of(row, d) for row in LISTED)]
    assert loose == []


@pytest.mark.parametrize(
    ("row", "model"), [(row, model) for row in LISTED for model in row.get("models", [row.get("prefix")])]
)
def test_every_listed_disagreement_still_exists(row: dict[str, Any], model: str) -> None:
    found = [d for d in differences() if is_of(row, d)]
    assert any(d.model == model or ("prefix" in row and d.model.startswith(model)) for d in found)


@pytest.mark.parametrize("row", LISTED)
def test_every_listed_disagreement_has_a_reason(row: dict[str, Any]) -> None:
    assert len(row["reason"].split()) >= 6


def test_the_second_opinion_covers_the_first_party_catalogues() -> None:
    providers = {row.provider for row in proposals()}
    assert {name for names in PROVIDERS.values() for name in names} == providers
    assert len(proposals()) > 1_400


def test_a_price_edited_in_the_book_is_noticed() -> None:
    changed = [row for row in proposals() if row.model == "gpt-5" and row.provider == "openai"]
    assert compare(book(), changed, DAY) == []
    cheaper = [
        ProposedModel(
            row.provider,
            row.model,
            tuple(type(p)(p.valid_from, p.tier, halved(p.amounts)) for p in row.prices[:1]),
        )
        for row in changed
    ]
    texts = [d.text() for d in compare(book(), cheaper, DAY)]
    assert "amount: openai gpt-5 standard input_uncached: book 1.25, catalogue 0.5" in texts


def halved(amounts: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {
        quote: dict.fromkeys(words, "0.5")
        for quote, words in amounts.items()
        if quote == "per_million_tokens"
    }


def test_missing_models_are_those_that_no_name_leads_to() -> None:
    missing = {(row.provider, row.model) for row in missing_models(book(), proposals(), DAY)}
    assert ("deepseek", "deepseek-chat") in missing
    assert ("openai", "gpt-5") not in missing
    assert missing == {(d.provider, d.model) for d in differences() if d.kind == "model"}
