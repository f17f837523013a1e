"""Reads the installed package genai-prices (MIT) and proposes dated entries from its data.

What the package cannot say is left out: prices by time of day (it knows no weekdays and holidays) and prices
that depend on anything but the tier. A start without an end is the package's own rule, and ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from pricing.importers.proposals import Amounts, ProposedBand, ProposedModel, ProposedPrice

if TYPE_CHECKING:  # a tool of the development group, not of the product
    from genai_prices.types import MatchLogic, ModelInfo, ModelPrice, TieredPrices

PROVIDERS = {
    "anthropic": ("anthropic",),
    "aws": ("aws.bedrock",),
    "azure": ("azure.ai.openai",),
    "cohere": ("cohere",),
    "deepseek": ("deepseek",),
    "fireworks": ("fireworks",),
    "google": ("gcp.gemini", "gcp.vertex_ai"),
    "groq": ("groq",),
    "mistral": ("mistral_ai",),
    "moonshotai": ("moonshot_ai",),
    "openai": ("openai",),
    "openrouter": ("openrouter",),
    "together": ("together",),
    "x-ai": ("x_ai",),
}
UNITS = {
    "input_mtok": ("per_million_tokens", "input"),
    "cache_read_mtok": ("per_million_tokens", "cache_read"),
    "cache_write_mtok": ("per_million_tokens", "cache_write_5m"),
    "cache_write_1h_mtok": ("per_million_tokens", "cache_write_1h"),
    "output_mtok": ("per_million_tokens", "output"),
    "output_reasoning_mtok": ("per_million_tokens", "output_reasoning"),
    "input_audio_mtok": ("per_million_tokens", "input_audio"),
    "input_image_mtok": ("per_million_tokens", "input_image"),
    "input_video_mtok": ("per_million_tokens", "input_video"),
    "cache_audio_read_mtok": ("per_million_tokens", "cache_read_audio"),
    "cache_image_read_mtok": ("per_million_tokens", "cache_read_image"),
    "output_audio_mtok": ("per_million_tokens", "output_audio"),
    "output_image_mtok": ("per_million_tokens", "output_image"),
    "output_video_mtok": ("per_million_tokens", "output_video"),
    "web_searches_kcount": ("per_thousand_calls", "tool_call"),
    "storage_searches_kcount": ("per_thousand_calls", "file_search"),
    "input_mchars": ("per_million_characters", "character"),
    "audio_hours": ("per_hour", "audio_time"),
    "input_audio_hours": ("per_hour", "audio_time"),
    "input_document_kpages": ("per_thousand_pages", "page"),
    "input_annotated_document_kpages": ("per_thousand_pages", "annotated_page"),
}
TIERS: dict[tuple[tuple[str, str], ...], str] = {
    (("processing", "batch"),): "batch",
    (("service_tier", "flex"),): "flex",
    (("service_tier", "priority"),): "priority",
    (("speed", "fast"),): "fast",
}
INCLUSIVE = {"x_ai"}
WRITE_LIFETIME = {"openai": "cache_write_30m"}
MOST_DECIMALS = 6
Step: TypeAlias = tuple[Decimal, list[tuple[int, Decimal]]]


def read() -> list[ProposedModel]:
    """Return every model of the providers we know, in the package's order; needs genai-prices installed."""
    from genai_prices.data_snapshot import get_snapshot

    return [
        proposal
        for provider in get_snapshot().providers
        for ours in PROVIDERS.get(provider.id, ())
        for proposal in _models(ours, provider.models)
    ]


def _models(provider: str, rows: Iterable[ModelInfo]) -> Iterator[ProposedModel]:
    """Yield the models that have a price; a name that two models claim, or a bare prefix, is no name."""
    chosen = [row for row in rows if provider != "gcp.gemini" or row.id.startswith("gem")]
    ids = {row.id for row in chosen}
    claimed = [name for row in chosen for name in set(_names(row.match)) - {row.id}]
    for row in chosen:
        own = set(_names(row.match)) - ids
        names = sorted(n for n in own if claimed.count(n) == 1 and not n.endswith(("-", "/", ":", "@")))
        prices = tuple(_prices(provider, row))
        if prices:
            yield ProposedModel(provider, row.id, prices, tuple(names))


def _names(clause: MatchLogic) -> Iterator[str]:
    """Yield the names that a match clause gives whole; patterns and inner parts of names are not names."""
    parts: list[object] = list(getattr(clause, "or_", [clause]))
    for part in parts:
        for attribute in ("equals", "starts_with"):
            name = getattr(part, attribute, None)
            if isinstance(name, str):
                yield name


def _prices(provider: str, row: ModelInfo) -> Iterator[ProposedPrice]:
    dated: list[tuple[object, ModelPrice]] = [(None, row.prices)] if not isinstance(row.prices, list) else []
    if isinstance(row.prices, list):
        dated = [(conditional.constraint, conditional.prices) for conditional in row.prices]
    bases = [(_start(rule), prices) for rule, prices in dated if rule is None or _start(rule) is not None]
    for start, prices in bases:
        yield from _price(provider, start, "standard", _stated(prices))
    for variant in row.price_variants or []:
        tier = TIERS.get(tuple(sorted(variant.when.items())))
        own = _stated(variant.prices)
        if tier is not None and own:
            start = _start(variant.constraint)
            yield from _price(provider, start, tier, {**_base_at(bases, start), **own})


def _start(constraint: object) -> date | None:
    start = getattr(constraint, "start_date", None)
    return start if isinstance(start, date) else None


def _base_at(bases: list[tuple[date | None, ModelPrice]], start: date | None) -> dict[str, Step]:
    """Return the plain prices that a variant of this start completes, as the package resolves them."""
    reached = [row for since, row in bases if since is None or (start is not None and since <= start)]
    return _stated(reached[-1]) if reached else {}


def _stated(prices: ModelPrice) -> dict[str, Step]:
    """Return the prices that are stated, known to us and whole pico-USD; the book refuses fractions."""
    found: dict[str, Step] = {}
    for key in UNITS:
        value: Decimal | TieredPrices | None = getattr(prices, key, None)
        if value is None:
            continue
        tiers = [] if isinstance(value, Decimal) else [(tier.start, tier.price) for tier in value.tiers]
        base = value if isinstance(value, Decimal) else value.base
        if all(_decimals(amount) <= MOST_DECIMALS for amount in (base, *(price for _, price in tiers))):
            found[key] = (base, tiers)
    return found


def _price(provider: str, start: date | None, tier: str, stated: dict[str, Step]) -> Iterator[ProposedPrice]:
    """Yield the price as we write it, or nothing where nothing is left."""
    limits = sorted({limit for _, tiers in stated.values() for limit, _ in tiers})
    amounts: Amounts = {}
    bands: dict[int, Amounts] = {limit: {} for limit in limits}
    for key, (base, tiers) in stated.items():
        quote, word = UNITS[key]
        word = WRITE_LIFETIME.get(provider, word) if word == "cache_write_5m" else word
        amounts.setdefault(quote, {})[word] = _text(base)
        for limit in limits if quote == "per_million_tokens" else []:
            reached = [price for at, price in tiers if at <= limit]
            bands[limit].setdefault(quote, {})[word] = _text(reached[-1] if reached else base)
    inclusive = provider in INCLUSIVE
    made = tuple(ProposedBand(limit + inclusive, inclusive, band) for limit, band in bands.items())
    if amounts:
        yield ProposedPrice(start, tier, amounts, made)


def _decimals(amount: Decimal) -> int:
    return len(_text(amount).partition(".")[2])


def _text(amount: Decimal) -> str:
    return format(amount.normalize(), "f")
