"""From one YAML file to typed facts; every complaint names the file, the line and the key."""

from dataclasses import dataclass
from typing import cast

from pricing.entries import (
    Adjustment,
    Alias,
    Band,
    Conditions,
    Entry,
    Facts,
    Place,
    periods_of,
    published_by_meter,
)
from pricing.errors import PriceBookError, nearest
from pricing.schema import AdjustmentText, BandText, Dated, EntryText, ModelText, PriceFile, SourceText
from pricing.units import units
from pricing.validated import validated
from pricing.yaml_source import Plain, YamlSource


@dataclass(frozen=True)
class ModelFacts:
    """One model as one file states it."""

    model: str
    place: Place
    text: ModelText
    entries: tuple[Entry, ...]
    aliases: tuple[Alias, ...]


@dataclass(frozen=True)
class FileFacts:
    """Everything one price file states."""

    provider: str
    models: tuple[ModelFacts, ...]
    adjustments: tuple[Adjustment, ...]


def read_price_file(source: YamlSource) -> FileFacts:
    """Return what a price file states, with entries, aliases and adjustments as facts."""
    text = validated(PriceFile, source, _with_defaults(source.data))
    models = tuple(_model(text, model, source, index) for index, model in enumerate(text.models))
    adjustments = tuple(
        _adjustment(text, row, region, source, index)
        for index, row in enumerate(text.adjustments)
        for region in row.region or (None,)
    )
    return FileFacts(text.provider, models, adjustments)


def _with_defaults(data: Plain) -> Plain:
    """Put the file's `defaults` into each dated fact; `known_from: valid_from`: public from its first day."""
    if not isinstance(data, dict) or not isinstance(data.get("defaults"), dict):
        return data
    defaults = cast(dict[str, Plain], data["defaults"])
    models = [
        {**model, **{key: _filled(model[key], defaults) for key in ("prices", "aliases") if key in model}}
        if isinstance(model, dict)
        else model
        for model in cast(list[Plain], data.get("models") or [])
    ]
    return {**data, "models": models, "adjustments": _filled(data.get("adjustments"), defaults)}


def _filled(rows: Plain, defaults: dict[str, Plain]) -> Plain:
    if not isinstance(rows, list):
        return rows or []
    named: list[Plain] = [{"name": row} if isinstance(row, str) else row for row in rows]
    return [_filled_fact(row, defaults) if isinstance(row, dict) else row for row in named]


def _filled_fact(row: dict[str, Plain], defaults: dict[str, Plain]) -> Plain:
    result = {**defaults, **row}
    if result.get("known_from") == "valid_from":
        result["known_from"] = result.get("valid_from")
    return result


def _facts(file: PriceFile, text: Dated, source: YamlSource, path: tuple[str | int, ...]) -> Facts:
    place = Place(source.name, source.line(path))
    found = file.sources.get(text.source)
    if found is None:
        known = nearest(text.source, list(file.sources))
        raise PriceBookError(
            f"The source '{text.source}' is not declared · {place}. Sources of the file: {known}."
        )
    valid, known_period = periods_of(text)
    return Facts(place, valid, known_period, text.status, _url(found), found.checked)


def _url(source: SourceText) -> str:
    return source.url


def _model(file: PriceFile, text: ModelText, source: YamlSource, index: int) -> ModelFacts:
    path: tuple[str | int, ...] = ("models", index)
    entries = tuple(
        entry
        for number, row in enumerate(text.prices)
        for entry in _entries(file, text.id, row, _facts(file, row, source, (*path, "prices", number)))
    )
    aliases = tuple(
        Alias(_facts(file, row, source, (*path, "aliases", number)), row.name, text.id)
        for number, row in enumerate(text.aliases)
    )
    return ModelFacts(text.id, Place(source.name, source.line(path)), text, entries, aliases)


def _entries(file: PriceFile, model: str, row: EntryText, facts: Facts) -> list[Entry]:
    """Return one entry per combination of conditions that the row names."""
    bands = tuple(
        Band(band.from_tokens(), published_by_meter(band.amounts))
        for band in sorted(row.bands, key=BandText.from_tokens)
    )
    _check_bands(row, bands, facts.place)
    return [
        Entry(
            facts=facts,
            provider=file.provider,
            model=model,
            entry_id=row.id or _entry_id(model, tier, region, row),
            conditions=Conditions(tier, region, row.hours),
            currency=row.currency,
            amounts=published_by_meter(row.amounts),
            bands=bands,
            is_high_rate_confirmed=row.confirmed_high_rate,
        )
        for tier in row.tier
        for region in row.region
    ]


def _entry_id(model: str, tier: str, region: str, row: EntryText) -> str:
    parts = [model, row.valid_from.strftime("%Y-%m-%dT%H:%MZ"), tier, region, row.hours or ""]
    return "/".join(part for part in parts if part not in ("", "standard", "global"))


def _check_bands(row: EntryText, bands: tuple[Band, ...], place: Place) -> None:
    """A band restates every token price of its base: what it left out would silently stay as it is."""
    tokens = {meter for meter in published_by_meter(row.amounts) if units().meters[meter].unit == "token"}
    for band in bands:
        stray, missing = set(band.amounts) - tokens, tokens - set(band.amounts)
        if stray:
            raise PriceBookError(
                f"The band from {band.from_tokens} tokens prices '{min(stray)}', which has no base price · "
                f"{place}. Add the base amount to the entry, or take it out of the band."
            )
        if missing:
            raise PriceBookError(
                f"The band from {band.from_tokens} tokens leaves out '{min(missing)}' · {place}. "
                f"Write its amount in the band, also where it does not change."
            )
    if len({band.from_tokens for band in bands}) != len(bands):
        raise PriceBookError(f"Two bands begin at the same number of tokens · {place}. Keep one of them.")


def _adjustment(
    file: PriceFile, row: AdjustmentText, region: str | None, source: YamlSource, index: int
) -> Adjustment:
    return Adjustment(
        facts=_facts(file, row, source, ("adjustments", index)),
        provider=file.provider,
        adjustment_id=row.id,
        factor=row.factor,
        tier=row.tier,
        region=region,
        meters=frozenset(meter for word in row.meters for meter in units().meters_of(word)),
        of_meter=row.of,
        models=frozenset(row.models),
        released=(row.released_from, row.released_until),
        order=row.order,
        exclusive_group=row.exclusive_group,
    )
