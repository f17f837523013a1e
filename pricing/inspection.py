"""Look into a book: prices of a model at an instant, names with a word in them, where two books differ.

Nothing is changed; the command line shows what these return.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pricing.choosing import ModelPrices
from pricing.entries import Conditions, Entry
from pricing.errors import PriceBookError, nearest
from pricing.model_identity import find_model
from pricing.money import Priced, price_of
from pricing.overlays import contract_at
from pricing.periods import DAY_US
from pricing.price_book import PriceBook
from pricing.units import units

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class Shown:
    """One price of a model: its case, meter, first token of the band, and the price with its entry."""

    conditions: Conditions
    meter: str
    from_tokens: int
    price: Priced


@dataclass(frozen=True, order=True)
class EntryChange:
    """An entry that only one of two books has: `added` is in the second, `gone` in the first."""

    provider: str
    model: str
    entry_id: str
    kind: str
    place: str


def shown_prices(
    book: PriceBook, provider: str, name: str, instant_us: int, known_at_us: int | None = None
) -> list[Shown]:
    """Return every published price of a model in force at an instant (microseconds UTC), in a fixed order."""
    ours = book.rules.spellings.get(provider)
    if ours is None:
        known = nearest(provider, list(book.rules.spellings))
        raise PriceBookError(f"The provider '{provider}' is not known. Nearest: {known}.")
    found = find_model(book, ours, name, instant_us, known_at_us)
    if found.model is None:
        known = nearest(name, book.model_ids(ours))
        raise PriceBookError(f"The model '{name}' of '{ours}' is not in the book. Nearest: {known}.")
    prices = ModelPrices(book, found.model, known_at_us)
    cases = sorted({(e.conditions.tier, e.conditions.region) for e in found.model.entries})
    return [
        shown
        for tier, region in sorted(cases, key=lambda case: (case != ("standard", "global"), case))
        for shown in _case(book, prices, found.model.model, Conditions(tier, region), instant_us, known_at_us)
    ]


def _case(
    book: PriceBook,
    prices: ModelPrices,
    model: str,
    case: Conditions,
    instant_us: int,
    known_at_us: int | None,
) -> list[Shown]:
    day = EPOCH + timedelta(days=instant_us // DAY_US)
    rows: list[Shown] = []
    for meter in units().meters:
        source = prices.source_at(case, meter, instant_us)
        if source is None:
            continue
        scope = (source.entry.provider, model, meter, case.tier)
        contract = contract_at(book.contracts, scope, instant_us, known_at_us)
        for tokens in (0, *(band.from_tokens for band in source.entry.bands)):
            price = price_of(book, source, tokens, day, contract, meter)
            if price is not None:
                rows.append(Shown(case, meter, tokens, price))
    return rows


def search(book: PriceBook, text: str) -> list[tuple[str, str, str]]:
    """Return (provider, name, model) of every id and alias that contains the text, ids before aliases."""
    wanted = text.lower()
    ids = [(provider, model, model) for provider, model in book.models if wanted in model.lower()]
    aliases = [
        (provider, name, rows[-1].model)
        for (provider, name), rows in book.aliases.items()
        if wanted in name.lower()
    ]
    return [*sorted(ids), *sorted(aliases)]


def closest_models(book: PriceBook, name: str, count: int = 3) -> list[str]:
    """Return the model ids of the book that look most like a name, the nearest first."""
    shown = nearest(name, sorted({model for _, model in book.models}), count)
    return shown.split(" and ")[0].split(", ")[:count]


def changes(before: PriceBook, after: PriceBook) -> list[EntryChange]:
    """Return the entries that one book has and the other has not, by content, in a fixed order."""
    ours, theirs = ({entry.content: entry for entry in book.entries} for book in (before, after))
    gone = [_change(entry, "gone") for content, entry in ours.items() if content not in theirs]
    added = [_change(entry, "added") for content, entry in theirs.items() if content not in ours]
    return sorted([*gone, *added])


def affected_days(changed: Sequence[Entry], days: Sequence[date]) -> list[date]:
    """Return the days on which one of the entries is valid: those that a change of price must rebuild."""
    return [
        day
        for day in days
        if any(
            entry.valid.start_us < ((day - EPOCH).days + 1) * DAY_US
            and entry.valid.end_us > (day - EPOCH).days * DAY_US
            for entry in changed
        )
    ]


def _change(entry: Entry, kind: str) -> EntryChange:
    return EntryChange(entry.provider, entry.model, entry.entry_id, kind, str(entry.facts.place))
