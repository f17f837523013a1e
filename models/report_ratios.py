"""Ratios of money: the only place where money is divided, exactly, and under a name that says so.

What lives here: division and difference of Arrow columns with Decimal. What does not: which columns.
"""

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import cast

import pyarrow as pa

RATIO_TYPE = pa.decimal128(38, 12)
_SMALLEST = Decimal("1e-12")
# Twice the digits of a DECIMAL(38): no product or sum of two of them is rounded.
_DIGITS = 76


def ratio(numerator: Decimal, denominator: Decimal) -> Decimal | None:
    """Divide, rounded half-even to 12 decimals; null when the denominator is zero."""
    if denominator == 0:
        return None
    with localcontext(prec=_DIGITS):
        return (numerator / denominator).quantize(_SMALLEST, rounding=ROUND_HALF_EVEN)


def with_ratio(
    table: pa.Table, name: str, numerator: str, denominator: str, scale: Decimal = Decimal(1)
) -> pa.Table:
    """Append numerator × scale ÷ denominator; null where one is null or the denominator is zero."""
    return _with(table, name, numerator, denominator, lambda top, bottom: ratio(top * scale, bottom))


def with_difference(table: pa.Table, name: str, left: str, right: str) -> pa.Table:
    """Append left − right, in the unit of both; null where one is null."""
    return _with(table, name, left, right, lambda first, second: first - second)


def with_share(table: pa.Table, name: str, column: str) -> pa.Table:
    """Append each row's part (0 to 1) of the sum of a column's known values; null where it is null."""
    values = decimals(table, column)
    with localcontext(prec=_DIGITS):
        total = sum((value for value in values if value is not None), Decimal(0))
    shares = [None if value is None else ratio(value, total) for value in values]
    return table.append_column(name, pa.array(shares, RATIO_TYPE))


def decimals(table: pa.Table, column: str) -> list[Decimal | None]:
    """The values of a whole-number or decimal column as Decimal."""
    values = cast("list[Decimal | int | None]", table.column(column).to_pylist())
    return [None if value is None else Decimal(value) for value in values]


def _with(
    table: pa.Table,
    name: str,
    left: str,
    right: str,
    combine: Callable[[Decimal, Decimal], Decimal | None],
) -> pa.Table:
    pairs = zip(decimals(table, left), decimals(table, right), strict=True)
    with localcontext(prec=_DIGITS):
        values = [None if a is None or b is None else combine(a, b) for a, b in pairs]
    return table.append_column(name, pa.array(values, RATIO_TYPE))
