"""A book of one model made of the prices that a usage record carries: the engine without our book.

Only the words of `price_words.yml` are understood; an unknown word is refused with the nearest known ones.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, cast

from pricing.entries import Adjustment, Band, Conditions, Entry, Facts, Place, Published
from pricing.errors import PriceBookError, nearest
from pricing.periods import ALWAYS
from pricing.price_book import BookModel, PriceBook
from pricing.rate_cards import region_class
from pricing.record_words import REGION, word
from pricing.rules import Rules
from pricing.units import units
from pricing.usage_paths import exact
from pricing.yaml_source import read_yaml

PLACE = Place("prices_in_force", 1)
FACTS = Facts(PLACE, ALWAYS, ALWAYS, "in_force", "", date.min)
_BAND = re.compile(r"(?P<word>.+)_(?P<kind>above|from)_(?P<thousands>\d+)k")


@dataclass
class _Prices:
    """Amounts by tier and band (None: no band), and factors, as they are read from a record."""

    amounts: dict[tuple[str, int | None], dict[str, Published]] = field(
        default_factory=dict[tuple[str, int | None], dict[str, Published]]
    )
    factors: list[Adjustment] = field(default_factory=list[Adjustment])
    rules: list[tuple[str, Fraction]] = field(default_factory=list[tuple[str, Fraction]])


@cache
def words() -> dict[str, Any]:
    """Return the table of words."""
    path = Path(__file__).parent / "price_words.yml"
    return cast(dict[str, Any], read_yaml(path, "pricing/price_words.yml").data)


def book_of_record(record: Mapping[str, object], rules: Rules) -> PriceBook:
    """Return the book of the one model of a record by its `prices_in_force`, always valid and known."""
    provider, model = rules.spellings.get(str(record.get("provider")), ""), str(record.get("model"))
    stated = cast(Mapping[str, str], record.get("prices_in_force") or {})
    region = _region(record, rules, provider)
    prices = _Prices()
    for key, amount in stated.items():
        _take(prices, provider, region, key, amount, stated)
    tiers = dict.fromkeys(tier for tier, _ in prices.amounts)
    # Without a factor for the region the amounts are what the record paid: they hold for its own region.
    is_regional = any(factor.region is not None for factor in prices.factors)
    own = "global" if region is None or is_regional else region
    entries = tuple(_entry(provider, model, Conditions(tier, own), prices) for tier in tiers)
    book_model = BookModel(provider, model, None, entries, tuple(prices.factors))
    return PriceBook(
        {(provider, model): book_model}, {}, tuple(prices.factors), _with_rules(rules, provider, prices)
    )


def _region(record: Mapping[str, object], rules: Rules, provider: str) -> str | None:
    if provider not in rules.providers:
        known = nearest(str(record.get("provider")), list(rules.spellings))
        raise PriceBookError(f"The provider '{record.get('provider')}' is not known. Nearest: {known}.")
    return region_class(rules.providers[provider], word(record, REGION))


def _take(
    prices: _Prices, provider: str, region: str | None, key: str, amount: str, stated: Mapping[str, str]
) -> None:
    table = words()
    if key in table["ignored"]:
        return
    if key in table["rules"]:
        rule = table["rules"][key]
        prices.rules.append((next(iter(rule)), exact(amount, key) * exact(rule["times"], key)))
    elif key in table["factors"]:
        prices.factors.append(_factor(provider, key, amount, table["factors"][key], region))
    elif key == "cache_storage_mtok_hour":
        _take_storage(prices, amount, stated)
    else:
        tier, from_tokens, name = _parsed(key)
        for meter in table["words"][name]["meters"]:
            place = prices.amounts.setdefault((tier, from_tokens), {})
            place[meter] = Published(amount, table["words"][name]["quote"])


def _take_storage(prices: _Prices, amount: str, stated: Mapping[str, str]) -> None:
    """A router that caches for a fixed time bills a write as input plus storage for these minutes."""
    storage = exact(amount, "cache_storage_mtok_hour") * exact(stated["cache_minutes"], "cache_minutes") / 60
    total = exact(stated["input"], "input") + storage
    place = prices.amounts.setdefault(("standard", None), {})
    place["cache_write_5m"] = Published(_decimal_text(total), "per_million_tokens")


def _decimal_text(value: Fraction) -> str:
    millionths = value * 10**12
    if millionths.denominator != 1:
        raise PriceBookError(f"The amount {value} has more than 12 decimals.")
    whole, rest = divmod(millionths.numerator, 10**12)
    return f"{whole}.{rest:012d}"


def _parsed(key: str) -> tuple[str, int | None, str]:
    """Return tier, first token of the band and plain word of a word."""
    match, name, from_tokens = _BAND.fullmatch(key), key, None
    if match is not None:
        name, from_tokens = match["word"], int(match["thousands"]) * 1000 + (match["kind"] == "above")
    tier = "standard"
    for candidate in ("priority", "batch", "flex"):
        if name.startswith(f"{candidate}_"):
            tier, name = candidate, name.removeprefix(f"{candidate}_")
    if name.endswith("_fast"):
        tier, name = "fast", name.removesuffix("_fast")
    known = cast(dict[str, object], words()["words"])
    if name not in known:
        raise PriceBookError(
            f"The price word '{key}' is not known · prices_in_force. Nearest: {nearest(name, list(known))}."
        )
    return tier, from_tokens, name


def _factor(provider: str, key: str, amount: str, row: Mapping[str, str], region: str | None) -> Adjustment:
    tokens = frozenset(meter.name for meter in units().meters.values() if meter.unit == "token")
    return Adjustment(
        facts=FACTS,
        provider=provider,
        adjustment_id=key,
        factor=amount,
        tier=row.get("tier"),
        region=None if "tier" in row else region,
        meters=tokens,
        of_meter=None,
        models=frozenset(),
        released=(None, None),
        order=10 if "tier" in row else 20,
        exclusive_group=None,
    )


def _entry(provider: str, model: str, case: Conditions, prices: _Prices) -> Entry:
    bands = sorted(
        (start, amounts)
        for (t, start), amounts in prices.amounts.items()
        if t == case.tier and start is not None
    )
    return Entry(
        facts=FACTS,
        provider=provider,
        model=model,
        entry_id=f"prices_in_force/{case.tier}",
        conditions=case,
        currency="USD",
        amounts=prices.amounts.get((case.tier, None), {}),
        bands=tuple(Band(start, amounts) for start, amounts in bands),
    )


def _with_rules(rules: Rules, provider: str, prices: _Prices) -> Rules:
    """Return the rules with the minimums and free quantities of the record in place of ours."""
    fees, allowances = rules.fees, rules.allowances
    for kind, value in prices.rules:
        text = str(value.numerator)
        if kind == "fee":
            fees = tuple(
                fee.model_copy(update={"minimum": text})
                if fee.provider == provider and fee.minimum != "0"
                else fee
                for fee in fees
            )
        else:
            allowances = tuple(
                row.model_copy(update={"quantity": text}) if row.provider == provider else row
                for row in allowances
            )
    return replace(rules, fees=fees, allowances=allowances)
