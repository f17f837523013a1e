"""Which published number prices one meter of one model at one instant.

The order, the first that speaks wins: (1) an amount published for exactly this tier and region; then the
amount of a plainer case times the published factors for what it lacks: (2) the region dropped, (3) the tier
dropped, (4) both. Within a case an hour-of-week price beats the all-day one. A meter nothing speaks for has
no price: nothing is borrowed.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from pricing.entries import Adjustment, Conditions, Entry
from pricing.periods import Period
from pricing.price_book import BookModel, PriceBook
from pricing.timelines import Span, at, span_at, timeline
from pricing.units import units


@dataclass(frozen=True)
class Source:
    """The entry that prices a meter, the meter of it that is used, its period in force, the factors on it."""

    entry: Entry
    meter: str
    in_force: Period
    factors: tuple[Adjustment, ...] = ()

    @property
    def factor(self) -> Fraction:
        """Return the product of the factors, exactly."""
        result = Fraction(1)
        for adjustment in self.factors:
            result *= Fraction(adjustment.factor)
        return result


class ModelPrices:
    """The entries and factors of one model as known at an instant (microseconds UTC; None: today)."""

    def __init__(self, book: PriceBook, model: BookModel, known_at_us: int | None) -> None:
        self._book = book
        self._entries = _entry_timelines(model, known_at_us)
        self._factors = _factor_timelines(model, known_at_us)
        self.calendars = sorted({case.hours for case, _ in self._entries if case.hours is not None})

    def edges_us(self) -> set[int]:
        """Return every instant (microseconds UTC) at which an entry or a factor begins or ends."""
        spans = [*self._entries.values(), *self._factors.values()]
        return {
            edge for rows in spans for span in rows for edge in (span.period.start_us, span.period.end_us)
        }

    def has_tokens(self) -> bool:
        """Return whether the model has a price of tokens at any time."""
        return self.first_us() is not None

    def first_us(self, tier: str | None = None, region: str | None = None) -> int | None:
        """Return when tokens first had a price (microseconds UTC), or None for never.

        With a tier or region: when something about it was first published, a price or a factor. A fee per
        call says nothing of the kind: it holds for every tier of its provider.
        """
        entries = ((spans, case.tier, case.region, meter) for (case, meter), spans in self._entries.items())
        factors = (
            (spans, tier_, region_, meter) for (tier_, region_, meter, _), spans in self._factors.items()
        )
        asked = [*entries] if tier is None and region is None else [*entries, *factors]
        starts = [
            span.period.start_us
            for spans, of_tier, of_region, meter in asked
            if units().meters[meter].unit == "token"
            and tier in (None, of_tier)
            and region in (None, of_region)
            for span in spans
        ]
        return min(starts, default=None)

    def source_at(self, wanted: Conditions, meter: str, instant_us: int) -> Source | None:
        """Return what prices a meter for a tier and region at an instant, or None."""
        for case in _cases(wanted):
            factors = list(self._factors_at(wanted, case, meter, instant_us))
            if None in factors:
                continue
            found = _stacked([factor for factor in factors if factor is not None])
            base = next((factor.of_meter for factor in found if factor.of_meter is not None), meter)
            span = self._published_at(case, base, instant_us)
            if span is not None:
                return Source(span.item, base, span.period, found)
        return None

    def _published_at(self, case: Conditions, meter: str, instant_us: int) -> Span[Entry] | None:
        for hours in (*self.calendars, None):
            spans = self._entries.get((Conditions(case.tier, case.region, hours), meter), [])
            if spans and (hours is None or self._book.calendars[hours].is_open(instant_us)):
                span = span_at(spans, instant_us)
                if span is not None:
                    return span
        return None

    def _factors_at(
        self, wanted: Conditions, case: Conditions, meter: str, instant_us: int
    ) -> Iterator[Adjustment | None]:
        """Yield one factor per condition that the case lacks; None for one that is not published."""
        lacking = [(wanted.tier, None)] if case.tier != wanted.tier else []
        regional = [(None, wanted.region)] if case.region != wanted.region else []
        for tier, region in (*lacking, *regional):
            named, general = (
                self._factors.get((tier, region, meter, is_named), []) for is_named in (True, False)
            )
            yield at(named, instant_us) or at(general, instant_us)


@cache
def _cases(wanted: Conditions) -> list[Conditions]:
    """Return the cases to try, the most specific first; each plainer one needs factors for what it lacks."""
    tier, region = wanted.tier, wanted.region
    cases = [(tier, region), (tier, "global"), ("standard", region), ("standard", "global")]
    return [Conditions(*case) for case in dict.fromkeys(cases)]


def _stacked(factors: list[Adjustment]) -> tuple[Adjustment, ...]:
    """Return the factors in their order; of one exclusive group only the first."""
    taken: dict[str, Adjustment] = {}
    for factor in sorted(factors, key=lambda row: (row.order, row.adjustment_id)):
        taken.setdefault(factor.exclusive_group or factor.adjustment_id, factor)
    return tuple(taken.values())


def _entry_timelines(
    model: BookModel, known_at_us: int | None
) -> dict[tuple[Conditions, str], list[Span[Entry]]]:
    series: dict[tuple[Conditions, str], list[Entry]] = defaultdict(list)
    for entry in model.entries:
        for meter in entry.meters:
            series[entry.conditions, meter].append(entry)
    # A series of which nothing is known yet is not there: a later entry must not change an earlier answer.
    return {key: spans for key, rows in series.items() if (spans := timeline(rows, known_at_us))}


def _factor_timelines(
    model: BookModel, known_at_us: int | None
) -> dict[tuple[str | None, str | None, str, bool], list[Span[Adjustment]]]:
    series: dict[tuple[str | None, str | None, str, bool], list[Adjustment]] = defaultdict(list)
    for row in model.adjustments:
        for meter in row.meters:
            series[row.tier, row.region, meter, bool(row.models)].append(row)
    # A series of which nothing is known yet is not there: a later entry must not change an earlier answer.
    return {key: spans for key, rows in series.items() if (spans := timeline(rows, known_at_us))}
