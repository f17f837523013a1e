"""`inferledger prices show, search, diff`: what a book says, and where two books part.

Lives here: which providers a name belongs to, instants from text, and the layout. Does not live here:
choosing a price and comparing entries (pricing/inspection.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines.errors import UserError
from pricing.calc import usd_text
from pricing.entries import Entry
from pricing.errors import nearest
from pricing.inspection import EntryChange, Shown, changes, closest_models, shown_prices
from pricing.model_identity import find_model
from pricing.periods import instant_text, to_us
from pricing.price_book import PriceBook, load_price_book
from pricing.timelines import is_known

SHIPPED = "shipped"


def instant_us(text: str | None, option: str) -> int | None:
    """Microseconds UTC of a day (its beginning) or an instant with its zone; None for None."""
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is not None and len(text) == len("2026-10-20"):
        instant = instant.replace(tzinfo=UTC)
    if instant is None or instant.tzinfo is None:
        raise UserError(
            f"'{text}' is no instant",
            where=f"option {option}",
            allowed="a UTC day 2026-10-20, or an instant with its zone 2026-10-20T16:00:00Z",
            next_step="correct it",
        )
    return to_us(instant.astimezone(UTC))


def named(book: PriceBook, text: str, at_us: int, known_at_us: int | None) -> list[tuple[str, str]]:
    """The providers that know a model by this name at an instant, with the name: MODEL or PROVIDER/MODEL."""
    head, _, tail = text.partition("/")
    if tail and head in book.rules.spellings:
        return [(book.rules.spellings[head], tail)]
    found = [
        (provider, text)
        for provider in book.providers
        if find_model(book, provider, text, at_us, known_at_us).model is not None
    ]
    if not found:
        raise UserError(
            f"'{text}' is not in the price book",
            where=f"at {instant_text(at_us)}",
            allowed=f"nearest: {', '.join(closest_models(book, text))}",
            next_step=f"inferledger prices search {text.split('-')[0]}",
        )
    return found


def show_text(book: PriceBook, text: str, at_us: int, known_at_us: int | None) -> str:
    """Every published price of a model in force at an instant, with its entry, place, source and steps."""
    lines: list[str] = []
    for provider, name in named(book, text, at_us, known_at_us):
        known = "" if known_at_us is None else f", as known on {instant_text(known_at_us)}"
        lines.append(f"{provider} {name} at {instant_text(at_us)}{known}")
        rows = shown_prices(book, provider, name, at_us, known_at_us)
        lines += [line for row in rows for line in _shown(row)] or ["  no price in force"]
    return "\n".join(lines)


def _shown(row: Shown) -> Iterator[str]:
    entry, case = row.price.entry, row.conditions
    band = f" from {row.from_tokens:,} input tokens" if row.from_tokens else ""
    end = instant_text(entry.valid.end_us)
    until = "the next entry" if end == "forever" else end
    contracted = (
        ""
        if row.price.contracted_pico_usd == row.price.list_pico_usd
        else f" · contracted {usd_text(row.price.contracted_pico_usd)} USD per unit"
    )
    yield f"  {case.tier} {case.region} {row.meter}{band}: {row.price.steps}{contracted}"
    yield (
        f"    valid {instant_text(entry.valid.start_us)} to {until}"
        f" · known from {instant_text(entry.known.start_us)} · {entry.facts.status} · {entry.facts.place} · "
        f"{entry.facts.source_url} (checked {entry.facts.checked})"
    )


def show_rows(book: PriceBook, text: str, at_us: int, known_at_us: int | None) -> list[dict[str, Any]]:
    """The same as plain rows; amounts as exact text, USD per unit (token, call …)."""
    return [
        {
            "provider": provider,
            "model": row.price.entry.model,
            "tier": row.conditions.tier,
            "region": row.conditions.region,
            "meter": row.meter,
            "from_tokens": row.from_tokens,
            "list_usd_per_unit": usd_text(row.price.list_pico_usd),
            "contracted_usd_per_unit": usd_text(row.price.contracted_pico_usd),
            "steps": row.price.steps,
            "entry": row.price.entry.entry_id,
            "place": str(row.price.entry.facts.place),
            "source_url": row.price.entry.facts.source_url,
            "checked": row.price.entry.facts.checked.isoformat(),
        }
        for provider, name in named(book, text, at_us, known_at_us)
        for row in shown_prices(book, provider, name, at_us, known_at_us)
    ]


def side(text: str, own: Sequence[Path]) -> PriceBook:
    """One side of a comparison: a price file or a folder of them beside the shipped tables, or `shipped`.

    A day or an instant means the book of this ledger (shipped tables and `own` files) as known then.
    """
    path = Path(text)
    if text == SHIPPED:
        return load_price_book()
    if path.exists():
        return load_price_book(sorted(path.glob("*.yml")) if path.is_dir() else [path])
    if text[:1].isdigit():
        return known_book(load_price_book(own), instant_us(text, "A or B") or 0)
    raise UserError(
        f"'{text}' is no side of a comparison",
        where="prices diff A B",
        allowed=f"{nearest(text, [SHIPPED])}, a price file or folder, a day as known then (2026-10-20)",
        next_step="correct the path",
    )


def known_book(book: PriceBook, known_at_us: int) -> PriceBook:
    """The book without the entries that were not known at an instant (microseconds UTC)."""
    kept = {
        key: replace(model, entries=tuple(entry for entry in model.entries if is_known(entry, known_at_us)))
        for key, model in book.models.items()
    }
    return replace(book, models=kept)


def diff_text(before: PriceBook, after: PriceBook) -> str:
    """One line an entry that only one book has, with its amounts and validity; then how many."""
    found = changes(before, after)
    lines = [f"{_mark(row)} {_told(row, before if row.kind == 'gone' else after)}" for row in found]
    gone = sum(row.kind == "gone" for row in found)
    return "\n".join([*lines, f"{gone} entries gone, {len(found) - gone} added"])


def _mark(row: EntryChange) -> str:
    return "-" if row.kind == "gone" else "+"


def _told(row: EntryChange, book: PriceBook) -> str:
    entry = _entry(row, book)
    until = instant_text(entry.valid.end_us)
    amounts = ", ".join(f"{meter} {published.amount}" for meter, published in entry.amounts.items())
    case = f"{entry.conditions.tier} {entry.conditions.region}"
    return (
        f"{row.provider} {row.model} {case} · from {instant_text(entry.valid.start_us)}"
        f"{'' if until == 'forever' else ' to ' + until} · {amounts} {entry.currency} · {row.place}"
    )


def _entry(row: EntryChange, book: PriceBook) -> Entry:
    entries = book.models[row.provider, row.model].entries
    return next(e for e in entries if (e.entry_id, str(e.facts.place)) == (row.entry_id, row.place))
