"""The lines of one usage record: each quantity with its price, in exact money.

Which quantities there are is read in `usage.py` and `fees.py`; which price holds is chosen in `choosing.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from pricing.choosing import ModelPrices
from pricing.fees import FeeQuantity, after_allowance
from pricing.money import exact_pico_usd
from pricing.periods import DAY_US
from pricing.price_book import PriceBook
from pricing.rate_cards import Resolution
from pricing.units import round_half_even, units
from pricing.usage import Meters

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True)
class CalcLine:
    """One meter of a record: quantity in its unit, whole pico-USD, and where the price comes from."""

    meter: str
    quantity: Fraction
    pico_usd: int
    entry_id: str
    place: str
    steps: str


@dataclass(frozen=True)
class Calculation:
    """One record on its way to money: priced as what, with what, at which instant (microseconds UTC)."""

    book: PriceBook
    found: Resolution
    prices: ModelPrices
    record: Mapping[str, object]
    instant_us: int

    def lines(self, meters: Meters, fees: list[FeeQuantity]) -> tuple[list[CalcLine], dict[str, str]]:
        """Return the priced lines, and the meters without a price."""
        lines: list[CalcLine] = []
        unpriced: dict[str, str] = {}
        for meter, (quantity, steps) in self._quantities(meters, fees).items():
            line = self._line(meter, quantity, steps, meters.input_total)
            if line is None:
                unpriced[meter] = f"no price for {quantity} {units().meters[meter].unit}"
            else:
                lines.append(line)
        return lines, unpriced

    def _quantities(self, meters: Meters, fees: list[FeeQuantity]) -> dict[str, tuple[Fraction, str]]:
        """Return quantity and steps per meter: tokens, fees after their free part, and the request itself."""
        wanted = {meter: (Fraction(tokens), "") for meter, tokens in meters.quantities.items()}
        for fee in fees:
            if self._is_replaced(fee, fees):
                continue
            allowances, model = self.book.rules.allowances, self.found.shown_model
            quantity, free = after_allowance(allowances, self.found.provider, model, self.record, fee)
            before = wanted.get(fee.meter, (Fraction(0), ""))[0]
            wanted[fee.meter] = (before + quantity, "; ".join(step for step in (fee.steps, free) if step))
        if self._has_price("request"):
            wanted.setdefault("request", (Fraction(1), ""))
        return wanted

    def _is_replaced(self, fee: FeeQuantity, fees: list[FeeQuantity]) -> bool:
        """Return whether another fee for the same thing is the one that has a price now."""
        if fee.instead_of is not None:
            return self._has_price(fee.instead_of)
        others = [other.meter for other in fees if other.instead_of == fee.meter]
        return not self._has_price(fee.meter) and any(self._has_price(other) for other in others)

    def _has_price(self, meter: str) -> bool:
        return self.prices.source_at(self.found.conditions, meter, self.instant_us) is not None

    def _line(self, meter: str, quantity: Fraction, steps: str, input_tokens: int) -> CalcLine | None:
        """Return the line of a meter; a token price is rounded to whole pico-USD before it is multiplied."""
        source = self.prices.source_at(self.found.conditions, meter, self.instant_us)
        published = source and source.entry.published(source.meter, input_tokens)
        day = EPOCH + timedelta(days=self.instant_us // DAY_US)
        converted = source and published and exact_pico_usd(self.book, source, published, day)
        if source is None or not converted:
            return None
        price, price_steps = converted
        if units().meters[meter].is_attempt:
            price = Fraction(round_half_even(price))
        text = "; ".join([step for step in (steps, *price_steps) if step])
        pico_usd = round_half_even(quantity * price)
        entry = source.entry
        return CalcLine(meter, quantity, pico_usd, entry.entry_id, str(entry.facts.place), text)
