"""What must hold between the facts of a book before any price is taken from it.

Overlaps, colliding aliases, references that lead nowhere, amounts that are not whole pico-USD or not
plausible.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from pricing.calendars import WEEKDAYS, Calendar
from pricing.entries import Adjustment, Alias, Entry, Published
from pricing.errors import PriceBookError, nearest
from pricing.periods import instant_text
from pricing.timelines import collide
from pricing.units import pico_per_unit, units

if TYPE_CHECKING:
    from pricing.price_book import PriceBook

HIGHEST_USD_PER_MILLION = 1000


def check_book(book: PriceBook) -> None:
    """Raise PriceBookError at the first thing in the book that cannot stand."""
    for entry in book.entries:
        _check_references(book, entry)
        for amounts in (entry.amounts, *(band.amounts for band in entry.bands)):
            for meter, published in amounts.items():
                _check_amount(entry, meter, published)
    for model in book.models.values():
        _check_overlaps(book, model.entries)
    _check_adjustments(book)
    _check_aliases(book)


def _check_references(book: PriceBook, entry: Entry) -> None:
    if entry.provider not in book.providers:
        known = nearest(entry.provider, list(book.providers))
        raise PriceBookError(
            f"The provider '{entry.provider}' is not known · {entry.facts.place}. Nearest: {known}. "
            f"Use one of them, or add it to pricing/tables/providers.yml."
        )
    if entry.conditions.hours is not None and entry.conditions.hours not in book.calendars:
        known = nearest(entry.conditions.hours, list(book.calendars))
        raise PriceBookError(
            f"The calendar '{entry.conditions.hours}' is not declared · {entry.facts.place}. Known: {known}."
        )
    if entry.currency != "USD" and all(rate.currency != entry.currency for rate in book.rates):
        raise PriceBookError(
            f"There is no rate for the currency '{entry.currency}' · {entry.facts.place}. "
            f"Add a dated rate to pricing/tables/rates.yml."
        )


def _check_amount(entry: Entry, meter: str, published: Published) -> None:
    quote = units().quotes[published.quote]
    decimals = len(published.amount.partition(".")[2].rstrip("0"))
    if decimals > 12:
        raise PriceBookError(
            f"The amount '{published.amount}' of {meter} has more than 12 decimals · {entry.facts.place}."
        )
    pico = pico_per_unit(published.amount, quote)
    if quote.unit != "token":
        return
    if entry.currency == "USD" and pico.denominator != 1:
        raise PriceBookError(
            f"The amount '{published.amount}' of {meter} is not a whole number of pico-USD per token · "
            f"{entry.facts.place}. Write at most six decimals per million tokens."
        )
    if pico > Fraction(HIGHEST_USD_PER_MILLION * 10**6) and not entry.is_high_rate_confirmed:
        raise PriceBookError(
            f"The amount '{published.amount}' of {meter} is above 1,000 {entry.currency} per million tokens "
            f"· {entry.facts.place}. Correct the unit, or confirm it with 'confirmed_high_rate: true'."
        )


def _check_overlaps(book: PriceBook, entries: tuple[Entry, ...]) -> None:
    """Entries of one tier, region and meter must not claim one instant with equal right."""
    groups: dict[tuple[str, str, bool, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        for meter in entry.meters:
            conditions = entry.conditions
            groups[conditions.tier, conditions.region, conditions.hours is not None, meter].append(entry)
    for (_, _, has_hours, meter), group in groups.items():
        for one, other in combinations(group, 2):
            if _same_hours(book, one, other, has_hours) and collide(one, other):
                raise PriceBookError(_overlap_text(one, other, meter))


def _same_hours(book: PriceBook, one: Entry, other: Entry, has_hours: bool) -> bool:
    if not has_hours or one.conditions.hours == other.conditions.hours:
        return True
    calendars = [book.calendars[entry.conditions.hours or ""] for entry in (one, other)]
    if not _meet(*calendars):
        return False
    if one.valid.overlaps(other.valid) and one.known.overlaps(other.known):
        raise PriceBookError(_overlap_text(one, other, "all meters, in different calendars whose hours meet"))
    return False


def _meet(one: Calendar, other: Calendar) -> bool:
    """Return whether two calendars share an hour of the week; calendars of different zones are taken to."""
    if one.zone != other.zone:
        return True
    return any(
        day in a.weekdays
        and day in b.weekdays
        and a.start_minute < b.end_minute
        and b.start_minute < a.end_minute
        for a in one.windows
        for b in other.windows
        for day in WEEKDAYS
    )


def _overlap_text(one: Entry, other: Entry, meter: str) -> str:
    first, second = sorted((one, other), key=lambda entry: (entry.valid.start_us, entry.facts.place.line))
    if first.valid.start_us == second.valid.start_us:
        advice = (
            f"give {second.facts.place} another valid_from, or mark one of them corrected with known_until"
        )
    else:
        advice = (
            f"set valid_until of {first.facts.place} to {instant_text(second.valid.start_us)} or leave it out"
        )
    return (
        f"Two prices of '{first.model}' for {meter} are valid at once: {first.valid} · {first.facts.place} "
        f"and {second.valid} · {second.facts.place}, known in {first.known} and {second.known}. "
        f"Next step: {advice}."
    )


def _check_adjustments(book: PriceBook) -> None:
    for one, other in combinations(book.adjustments, 2):
        if _rival(one, other) and collide(one, other):
            raise PriceBookError(
                f"Two factors apply at once: '{one.adjustment_id}' {one.valid} · {one.facts.place} and "
                f"'{other.adjustment_id}' {other.valid} · {other.facts.place}. End one with valid_until."
            )
    for row in book.adjustments:
        unknown = sorted(model for model in row.models if (row.provider, model) not in book.models)
        if unknown:
            known = nearest(unknown[0], book.model_ids(row.provider))
            raise PriceBookError(
                f"The factor names the model '{unknown[0]}', which is not in the book · "
                f"{row.facts.place}. Nearest: {known}."
            )


def _rival(one: Adjustment, other: Adjustment) -> bool:
    if (one.provider, one.tier, one.region) != (other.provider, other.tier, other.region):
        return False
    if not one.meters & other.meters or bool(one.models) != bool(other.models):
        return False
    if one.models:
        return bool(one.models & other.models)
    (a_start, a_end), (b_start, b_end) = one.released, other.released
    return not ((a_end and b_start and a_end <= b_start) or (b_end and a_start and b_end <= a_start))


def _check_aliases(book: PriceBook) -> None:
    for (provider, name), rows in book.aliases.items():
        if (provider, name) in book.models:
            raise PriceBookError(
                f"The name '{name}' is a model id of its own and an alias of '{rows[0].model}' · "
                f"{rows[0].facts.place}. Take the alias out."
            )
        for one, other in combinations(rows, 2):
            if collide(one, other):
                raise PriceBookError(_alias_text(one, other))


def _alias_text(one: Alias, other: Alias) -> str:
    return (
        f"The alias '{one.name}' stands for '{one.model}' {one.valid} · {one.facts.place} and for "
        f"'{other.model}' {other.valid} · {other.facts.place} at once. End one of them with valid_until."
    )
