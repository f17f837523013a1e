"""What an importer proposes: models with dated prices, as plain data, and their text as a price file.

Reading a catalogue is in one file per catalogue beside this one; comparing with the book is `comparison.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

Amounts: TypeAlias = dict[str, dict[str, str]]


@dataclass(frozen=True)
class ProposedBand:
    """Amounts above a whole input (tokens); `is_inclusive` for at least."""

    tokens: int
    is_inclusive: bool
    amounts: Amounts


@dataclass(frozen=True)
class ProposedPrice:
    """One dated price of a model in a tier; `valid_from` None where the catalogue states no start."""

    valid_from: date | None
    tier: str
    amounts: Amounts
    bands: tuple[ProposedBand, ...] = ()
    region: str = "global"


@dataclass(frozen=True)
class ProposedModel:
    """A model as a catalogue has it, under our name of its provider."""

    provider: str
    model: str
    prices: tuple[ProposedPrice, ...]
    names: tuple[str, ...] = ()


def price_file_text(provider: str, source: str, rows: Iterable[ProposedModel]) -> str:
    """Return the proposals of one provider as a price file; `source` is the YAML of its source."""
    lines = [f"provider: {provider}", "sources:", f"  catalogue: {source}"]
    lines += ["defaults: {valid_from: 2020-01-01, known_from: valid_from, source: catalogue}", "models:"]
    for row in sorted(rows, key=lambda row: row.model):
        lines.append(f"  - id: {_text(row.model)}")
        if row.names:
            lines.append(f"    aliases: [{', '.join(_text(name) for name in row.names)}]")
        lines.append("    prices:")
        lines += [line for price in row.prices for line in _price_lines(price)]
    return "\n".join(lines) + "\n"


def _price_lines(price: ProposedPrice) -> list[str]:
    parts = [] if price.valid_from is None else [f"valid_from: {price.valid_from}"]
    parts += [f"tier: {price.tier}"] if price.tier != "standard" else []
    parts += [f"region: {price.region}"] if price.region != "global" else []
    parts += _amount_parts(price.amounts)
    if not price.bands:
        return [f"      - {{{', '.join(parts)}}}"]
    lines = [f"      - {parts[0]}", *(f"        {part}" for part in parts[1:]), "        bands:"]
    for band in price.bands:
        word = "at_least" if band.is_inclusive else "above"
        inside = [f"{word}: {band.tokens}", *_amount_parts(band.amounts)]
        lines.append(f"          - {{{', '.join(inside)}}}")
    return lines


def _amount_parts(amounts: Amounts) -> list[str]:
    return [
        f"{quote}: {{{', '.join(f'{word}: {amount}' for word, amount in words.items())}}}"
        for quote, words in amounts.items()
        if words
    ]


def _text(name: str) -> str:
    """Return a name as a YAML scalar; quoted where plain YAML would read something else."""
    is_plain = name.replace("-", "").replace(".", "").replace("/", "").replace("_", "").isalnum()
    return name if is_plain and not name[0].isdigit() else f'"{name}"'
