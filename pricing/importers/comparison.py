"""Compare what a catalogue proposes with the book on one day: what differs, what is missing.

Nothing is written. A difference is shown with both numbers; the user decides which file to edit.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from pricing.choosing import ModelPrices
from pricing.entries import Conditions, published_by_meter
from pricing.importers.proposals import ProposedModel, ProposedPrice
from pricing.model_identity import find_model
from pricing.periods import day_period
from pricing.price_book import PriceBook


@dataclass(frozen=True, order=True)
class Difference:
    """One number where book and catalogue part: kind is model, price or amount; None is "has none"."""

    kind: str
    provider: str
    model: str
    tier: str
    meter: str
    band: int
    ours: str | None
    theirs: str | None

    def text(self) -> str:
        """Return the difference as a line for people."""
        where = f"{self.provider} {self.model} {self.tier} {self.meter}".rstrip()
        above = f" above {self.band} tokens" if self.band else ""
        return f"{self.kind}: {where}{above}: book {self.ours or 'none'}, catalogue {self.theirs or 'none'}"


def compare(book: PriceBook, proposals: Iterable[ProposedModel], day: date) -> list[Difference]:
    """Return the differences between the book and the proposals in force on a UTC day, in a fixed order."""
    return sorted(difference for proposal in proposals for difference in _model(book, proposal, day))


def missing_models(book: PriceBook, proposals: Iterable[ProposedModel], day: date) -> list[ProposedModel]:
    """Return the proposed models that the book does not know under any name."""
    instant_us = day_period(day).start_us
    return [
        row for row in proposals if find_model(book, row.provider, row.model, instant_us, None).model is None
    ]


def _model(book: PriceBook, proposal: ProposedModel, day: date) -> Iterator[Difference]:
    instant_us = day_period(day).start_us
    found = find_model(book, proposal.provider, proposal.model, instant_us, None).model
    if found is None:
        yield Difference("model", proposal.provider, proposal.model, "", "", 0, None, "a model")
        return
    prices = ModelPrices(book, found, None)
    for price in _in_force(proposal.prices, day):
        case = Conditions(price.tier, price.region)
        for band, amounts in [(0, price.amounts), *((b.tokens, b.amounts) for b in price.bands)]:
            for meter, theirs in published_by_meter(amounts).items():
                ours = _ours(prices, case, meter, instant_us, band, theirs.quote)
                if ours is None or Decimal(ours) != Decimal(theirs.amount):
                    kind = "price" if ours is None else "amount"
                    place = (proposal.provider, proposal.model, price.tier, meter, band)
                    yield Difference(kind, *place, ours, theirs.amount)


def _in_force(prices: Sequence[ProposedPrice], day: date) -> list[ProposedPrice]:
    """Return per tier and region the last price that has begun; an own entry may come in several parts."""
    newest: dict[tuple[str, str], ProposedPrice] = {}
    for price in sorted(prices, key=lambda price: price.valid_from or date.min):
        if price.valid_from is None or price.valid_from <= day:
            newest[price.tier, price.region] = price
    return list(newest.values())


def _ours(
    prices: ModelPrices, case: Conditions, meter: str, instant_us: int, band: int, quote: str
) -> str | None:
    """Return our amount in the same unit, times the factors, as decimal text; None where we have none."""
    source = prices.source_at(case, meter, instant_us)
    published = source and source.entry.published(source.meter, band + 1 if band else 0)
    if source is None or not published or published.quote != quote:
        return None
    amount = Decimal(published.amount) * Decimal(source.factor.numerator) / Decimal(source.factor.denominator)
    return format(amount.normalize(), "f")
