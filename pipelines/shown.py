"""Values as text for people, for spreadsheets and for programs.

Lives here: exact decimals, money rounded only for the eye, safe cells, text that cannot move the cursor.
Does not live here: which values are shown.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

# A spreadsheet runs a cell that begins with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
UNKNOWN = "unknown"


def exact(value: Any) -> Any:
    """The value for JSON: money as plain text with all digits, counts as numbers, days in ISO form."""
    if isinstance(value, Decimal):
        return int(value) if value.as_tuple().exponent == 0 else f"{value:f}"
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value


def as_json(content: Any) -> str:
    """JSON of nested dicts and lists whose leaves are values of a report; two spaces, as written order."""
    return json.dumps(_exact_inside(content), indent=2, ensure_ascii=False, allow_nan=False)


def _exact_inside(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _exact_inside(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_exact_inside(value) for value in content]
    return exact(content)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV with a header; unknown is an empty cell, and no text cell can act as a formula."""
    return "".join(_csv_line(row) for row in [header, *([_cell(value) for value in row] for row in rows)])


def _csv_line(cells: Sequence[str]) -> str:
    stream = io.StringIO()
    # A lone CR is quoted only by a writer that ends its lines with one.
    csv.writer(stream, lineterminator="\r\n").writerow(cells)
    return stream.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA_STARTS) else value
    return str(exact(value))


def money(value: Decimal | None) -> str:
    """USD for the eye: six decimals, so that a cent of a small feature does not vanish; null is unknown."""
    if value is None:
        return UNKNOWN
    return f"{value.quantize(Decimal('0.000001'), ROUND_HALF_EVEN):,f}"


def percent(value: Decimal | None) -> str:
    """A share (0 to 1) as a percentage with one decimal; null is a dash."""
    if value is None:
        return "–"
    return f"{(value * 100).quantize(Decimal('0.1'), ROUND_HALF_EVEN):f} %"


def count(value: int | Decimal | None) -> str:
    """A whole number with thousands; null is unknown."""
    return UNKNOWN if value is None else f"{int(value):,}"


def plain(value: Any) -> str:
    """Text of a log for a terminal: control characters replaced, null as '(not stated)'."""
    if value is None:
        return "(not stated)"
    return "".join(character if character.isprintable() else "�" for character in str(value))
