"""Numbers out of usage records by path: `a.b`, `list[key=value].b`, roots `usage.` and `context.`.

Numbers are exact: whole numbers and decimal text; a float or a truth value is no number here.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import cast

from pricing.errors import PriceBookError

_STEP = re.compile(r"(?P<key>[^\[\]]+)(?:\[(?P<name>[^=]+)=(?P<value>[^\]]+)\])?")


def find(record: Mapping[str, object], path: str) -> list[object]:
    """Return everything a path leads to; a step with a condition may lead to several things."""
    found: list[object] = [record]
    for step in path.split("."):
        match = _STEP.fullmatch(step)
        if match is None:
            raise PriceBookError(
                f"The path '{path}' cannot be read at '{step}'. Write a.b or list[key=value].b."
            )
        found = [child for value in found for child in _children(value, match)]
    return found


def number(record: Mapping[str, object], path: str) -> Fraction | None:
    """Return the sum of the numbers at a path, exactly; None when there is none."""
    values = [exact(value, path) for value in find(record, path) if value is not None]
    return sum(values, Fraction(0)) if values else None


def exact(value: object, path: str) -> Fraction:
    """Return a whole number or decimal text as an exact fraction; refuse everything else."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise PriceBookError(f"The value '{value}' at {path} is not a whole number or decimal text.")
    try:
        return Fraction(Decimal(value))
    except InvalidOperation as error:
        raise PriceBookError(f"The value '{value}' at {path} is not a number.") from error


def _children(value: object, match: re.Match[str]) -> list[object]:
    if not isinstance(value, Mapping):
        return []
    child = cast(Mapping[str, object], value).get(match["key"])
    if child is None:
        return []
    if match["name"] is None:
        return [child]
    items = cast(list[object], child) if isinstance(child, list) else [child]
    return [
        item
        for item in items
        if isinstance(item, Mapping) and cast(Mapping[str, object], item).get(match["name"]) == match["value"]
    ]
