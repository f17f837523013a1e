"""Quantities of what is charged beside tokens: seconds, calls, pages, with minimums and free allowances.

The rules are data (`tables/fees.yml`); a minimum holds for every unit by itself, an allowance for the sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import cast

from pricing.usage_paths import exact, find, number
from pricing.usage_schema import AllowanceText, FeeText


@dataclass(frozen=True)
class FeeQuantity:
    """How much of a meter a record used, in the meter's unit; `instead_of` is the meter it stands in for."""

    meter: str
    quantity: Fraction
    instead_of: str | None
    steps: str


def fee_quantities(fees: Sequence[FeeText], provider: str, record: Mapping[str, object]) -> list[FeeQuantity]:
    """Return the quantities that a record ({"usage": …, "context": …}) states; a stated 0 charges nothing."""
    found: list[FeeQuantity] = []
    for fee in fees:
        if fee.provider != provider:
            continue
        units = _units(fee, record)
        total = sum((_billed(fee, unit) for unit in units), Fraction(0)) - _less(fee, record)
        if units and total > 0:
            found.append(FeeQuantity(fee.meter, total, fee.instead_of, _steps(fee, units)))
    return found


def billed_after_free(used: Fraction, quantities: Sequence[Fraction], free: Fraction) -> list[Fraction]:
    """Return the billed part of each quantity in turn, when `used` of a free amount is gone before the first.

    The order decides who gets the free part: a late event that belongs earlier changes what later ones pay,
    and the sum stays the same.
    """
    billed: list[Fraction] = []
    for quantity in quantities:
        left = max(free - used, Fraction(0))
        billed.append(max(quantity - left, Fraction(0)))
        used += quantity
    return billed


def after_allowance(
    allowances: Sequence[AllowanceText],
    provider: str,
    model: str,
    record: Mapping[str, object],
    fee: FeeQuantity,
) -> tuple[Fraction, str]:
    """Return the billed quantity of a fee after its free allowance, and the step in words.

    An allowance whose state the record does not carry is not applied: what is left of it cannot be known.
    """
    for allowance in allowances:
        if allowance.provider != provider or fee.meter not in allowance.meters:
            continue
        if allowance.model_prefixes and not model.startswith(allowance.model_prefixes):
            continue
        state = _state(allowance, record)
        if state is None:
            return (
                fee.quantity,
                f"the free part of '{allowance.pool}' is not applied: its state is not stated",
            )
        used, free = state
        (billed,) = billed_after_free(used, [fee.quantity], free)
        return billed, f"{fee.quantity - billed} of {fee.quantity} free ({allowance.pool})"
    return fee.quantity, ""


def _state(allowance: AllowanceText, record: Mapping[str, object]) -> tuple[Fraction, Fraction] | None:
    free = exact(allowance.quantity, "quantity")
    if allowance.per is not None and "." in allowance.per:
        times = number(record, allowance.per)
        return None if times is None else (Fraction(0), free * times)
    if allowance.used is None:
        return Fraction(0), free
    used = number(record, allowance.used)
    return None if used is None else (used * exact(allowance.used_times, "used_times"), free)


def _units(fee: FeeText, record: Mapping[str, object]) -> list[Fraction]:
    """Return the quantity of every unit that a minimum applies to."""
    times = exact(fee.times, "times")
    if fee.each is not None:
        return [unit * times for unit in _each(fee, fee.each, record)]
    paths = fee.sum or fee.product
    values = [number(record, path) for path in paths]
    stated = [value for value in values if value is not None]
    if not stated or (fee.product and len(stated) < len(values)):
        return []
    result = Fraction(1)
    for value in stated:
        result *= value
    return [(result if fee.product else sum(stated, Fraction(0))) * times]


def _each(fee: FeeText, path: str, record: Mapping[str, object]) -> list[Fraction]:
    items = [
        item
        for found in find(record, path)
        for item in (cast(list[object], found) if isinstance(found, list) else [found])
    ]
    if fee.of is not None:
        return [exact(find(cast(Mapping[str, object], item), fee.of)[0], path) for item in items]
    if fee.repeat is not None:
        count = number(record, fee.repeat)
        return [exact(item, path) for item in items for _ in range(int(count or 0))]
    return [Fraction(1) for _ in items]


def _billed(fee: FeeText, unit: Fraction) -> Fraction:
    """Return a unit raised to its minimum and to whole increments."""
    billed = max(unit, exact(fee.minimum, "minimum"))
    if fee.increment is None:
        return billed
    increment = exact(fee.increment, "increment")
    return ceil(billed / increment) * increment


def _less(fee: FeeText, record: Mapping[str, object]) -> Fraction:
    if fee.less is None:
        return Fraction(0)
    result = exact(fee.less.times, "times")
    for path in fee.less.product:
        value = number(record, path)
        if value is None:
            return Fraction(0)
        result *= value
    return result


def _steps(fee: FeeText, units: Sequence[Fraction]) -> str:
    parts = [
        f"{len(units)} × {units[0]}"
        if len(set(units)) == 1 and len(units) > 1
        else " + ".join(map(str, units))
    ]
    if fee.minimum != "0":
        parts.append(f"each at least {fee.minimum}")
    if fee.increment is not None:
        parts.append(f"in steps of {fee.increment}")
    return ", ".join(parts)
