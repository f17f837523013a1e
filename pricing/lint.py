"""Lint price files: everything that would not load, and what loads but looks like a slip.

A finding names file, line and remedy. Loading stops at its first complaint; lint goes on to the next file and
then looks at the whole book. Nothing is changed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from pricing.entries import Conditions, Entry
from pricing.errors import PriceBookError
from pricing.overlays import is_overlay, read_overlay
from pricing.periods import FOREVER_US, day_period, instant_text
from pricing.price_book import PriceBook, load_price_book
from pricing.reading import read_price_file
from pricing.yaml_source import read_yaml

LARGEST_JUMP = 100


@dataclass(frozen=True, order=True)
class Finding:
    """One thing to mend: where it is, and what to do."""

    file: str
    line: int
    text: str


def lint(extra: Sequence[Path] = ()) -> list[Finding]:
    """Return the findings in the shipped book together with the files in `extra`, in order of place."""
    broken = [finding for path in extra for finding in _unreadable(path)]
    try:
        book = load_price_book([path for path in extra if not any(f.file == str(path) for f in broken)])
    except PriceBookError as error:
        return sorted([*broken, _finding(error)])
    return sorted([*broken, *slips(book)])


def slips(book: PriceBook) -> list[Finding]:
    """Return what loads and still looks wrong: gaps, jumps, contradictions, stale status."""
    found: list[Finding] = []
    for entry in book.entries:
        found.extend(_contradictions(entry))
        found.extend(_unfounded(entry))
    for series in _series(book.entries).values():
        found.extend(_gaps(series))
        found.extend(_jumps(series))
    for model in book.models.values():
        found.extend(_dear_batch(model.entries))
    return list(dict.fromkeys(found))


def _unreadable(path: Path) -> Iterator[Finding]:
    try:
        source = read_yaml(path, str(path))
        read_overlay(source) if is_overlay(source) else read_price_file(source)
    except PriceBookError as error:
        yield Finding(str(path), _finding(error).line, str(error))


def _finding(error: PriceBookError) -> Finding:
    """Return a complaint of loading as a finding; the place stands in its text as `<file> line <n>`."""
    before, _, after = str(error).partition(" line ")
    digits = after[: len(after) - len(after.lstrip("0123456789"))]
    file = before.rpartition(" ")[2].strip("'")
    return Finding(file, int(digits or 1), str(error))


def _at(entry: Entry, text: str) -> Finding:
    return Finding(
        entry.facts.place.file, entry.facts.place.line, f"{text} · {entry.entry_id}, {entry.facts.place}."
    )


def _contradictions(entry: Entry) -> Iterator[Finding]:
    """A read dearer than fresh input, a long context cheaper than a short one: a slip of a digit."""
    amounts = {meter: Fraction(published.amount) for meter, published in entry.amounts.items()}
    read, fresh = amounts.get("cache_read"), amounts.get("input_uncached")
    if read is not None and fresh is not None and read > fresh > 0:
        yield _at(entry, f"cache_read {read} is above input {fresh}: swap them or correct the amount")
    for band in entry.bands:
        for meter, published in band.amounts.items():
            if meter in amounts and Fraction(published.amount) < amounts[meter]:
                yield _at(
                    entry, f"the band from {band.from_tokens} tokens is cheaper than the base for {meter}"
                )


def _unfounded(entry: Entry) -> Iterator[Finding]:
    """A price that was checked before it came into force is an announcement until somebody looks again."""
    checked_us = day_period(entry.facts.checked).end_us
    if entry.facts.status == "in_force" and entry.valid.start_us >= checked_us:
        since = instant_text(entry.valid.start_us)
        yield _at(entry, f"in force from {since} but checked on {entry.facts.checked}: say status announced")
    if entry.valid.end_us <= entry.known.start_us and entry.valid.end_us != FOREVER_US:
        yield _at(entry, "known only after its validity ended: is known_from the day it was published?")


def _series(entries: Iterable[Entry]) -> dict[tuple[str, str, Conditions, str], list[Entry]]:
    series: dict[tuple[str, str, Conditions, str], list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.valid.start_us):
        if entry.known.end_us == FOREVER_US:
            for meter in entry.amounts:
                series[entry.provider, entry.model, entry.conditions, meter].append(entry)
    return series


def _gaps(series: list[Entry]) -> Iterator[Finding]:
    for one, following in pairwise(series):
        if one.valid.end_us < following.valid.start_us:
            gap = f"[{instant_text(one.valid.end_us)}, {instant_text(following.valid.start_us)})"
            yield _at(one, f"no price in {gap}: leave out valid_until, or add the price of the gap")


def _jumps(series: list[Entry]) -> Iterator[Finding]:
    """A hundredfold change is a slip of the unit; one amount in two currencies is a slip too."""
    for one, following in pairwise(series):
        for meter in one.amounts.keys() & following.amounts.keys():
            before, after = one.amounts[meter], following.amounts[meter]
            low, high = sorted((Fraction(before.amount), Fraction(after.amount)))
            if low and high / low >= LARGEST_JUMP:
                yield _at(following, f"{meter} goes from {before.amount} to {after.amount}: check the unit")
            if one.currency != following.currency and before.amount == after.amount:
                yield _at(
                    following,
                    f"{meter} is {after.amount} in {one.currency} and {following.currency}: check currency",
                )


def _dear_batch(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Batch and flex are discounts everywhere; above the standard price of the same time they are a slip."""
    plain = [entry for entry in entries if entry.conditions == Conditions()]
    for entry in entries:
        if entry.conditions.tier not in ("batch", "flex") or entry.conditions.region != "global":
            continue
        for meter, published in entry.amounts.items():
            standard = [e for e in plain if meter in e.amounts and e.valid.start_us <= entry.valid.start_us]
            newest = max(standard, key=lambda e: e.valid.start_us, default=None)
            if newest is not None and Fraction(published.amount) > Fraction(newest.amounts[meter].amount):
                yield _at(entry, f"{meter} costs more in {entry.conditions.tier} than at the standard price")
