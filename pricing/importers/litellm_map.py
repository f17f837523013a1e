"""Reads a LiteLLM price map file (JSON) that the user supplies, and proposes entries from it.

The map has no dates: what it says is proposed as of the day it was read. Its numbers are binary floats
written as decimal text; they are read as text, so nothing is rounded on the way.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import cast

from pricing.errors import PriceBookError
from pricing.importers.proposals import Amounts, ProposedBand, ProposedModel, ProposedPrice
from pricing.price_book import PriceBook

WORDS = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "cache_read_input_token_cost": "cache_read",
    "cache_creation_input_token_cost": "cache_write",
    "cache_creation_input_token_cost_above_1hr": "cache_write_1h",
    "input_cost_per_audio_token": "input_audio",
    "output_cost_per_audio_token": "output_audio",
}
TIERS = {"": "standard", "_batches": "batch", "_flex": "flex", "_priority": "priority"}
_KEY = re.compile(r"(?P<base>.+?)(?:_above_(?P<thousands>\d+)k_tokens)?(?P<tier>_batches|_flex|_priority)?")
MOST_DECIMALS = 6


def read(path: Path, book: PriceBook, as_of: date) -> list[ProposedModel]:
    """Return the models of a map file whose provider we know, as of the day it was read."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (OSError, ValueError) as error:
        raise PriceBookError(
            f"'{path}' is not a LiteLLM price map: {error}. Give the JSON file itself."
        ) from error
    if not isinstance(rows, dict):
        raise PriceBookError(f"'{path}' is not a LiteLLM price map: it must be one JSON object of models.")
    return [
        model
        for name, row in cast(dict[str, object], rows).items()
        for model in _model(book, name, row, as_of)
    ]


def _model(book: PriceBook, name: str, row: object, as_of: date) -> Iterator[ProposedModel]:
    if not isinstance(row, Mapping):
        return
    stated = cast(Mapping[str, object], row)
    provider = book.rules.spellings.get(str(stated.get("litellm_provider")))
    if provider is None:
        return
    prices = list(_prices(book, provider, stated, as_of))
    if prices:
        prefixes = book.providers[provider].text.model_prefixes
        plain = next((name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix)), name)
        yield ProposedModel(provider, plain, tuple(prices))


def _prices(
    book: PriceBook, provider: str, row: Mapping[str, object], as_of: date
) -> Iterator[ProposedPrice]:
    amounts: dict[tuple[str, int], dict[str, str]] = {}
    for key, value in row.items():
        match = _KEY.fullmatch(key)
        word = None if match is None else WORDS.get(match["base"])
        if match is None or word is None or not isinstance(value, int | Decimal) or isinstance(value, bool):
            continue
        if word == "cache_write":
            word = book.providers[provider].text.default_cache_write_meter or "cache_write_5m"
        per_million = Decimal(value) * 1_000_000
        text = format(per_million.normalize(), "f")
        if len(text.partition(".")[2]) <= MOST_DECIMALS:
            place = (TIERS[match["tier"] or ""], int(match["thousands"] or 0) * 1000)
            amounts.setdefault(place, {})[word] = text
    for tier in dict.fromkeys(tier for tier, _ in amounts):
        base = amounts.get((tier, 0))
        if base:
            yield _price(
                as_of, tier, base, {t: row for (name, t), row in amounts.items() if name == tier and t}
            )


def _price(
    as_of: date, tier: str, base: dict[str, str], bands: Mapping[int, dict[str, str]]
) -> ProposedPrice:
    """Return the price; what a band does not state keeps the base amount, as the map's own rule has it."""
    made = tuple(
        ProposedBand(
            tokens, False, {"per_million_tokens": {word: row.get(word, base[word]) for word in base}}
        )
        for tokens, row in sorted(bands.items())
    )
    amounts: Amounts = {"per_million_tokens": base}
    return ProposedPrice(as_of, tier, amounts, made)
