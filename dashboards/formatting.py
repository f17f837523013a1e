"""Numbers, instants and names as text for people.

What lives here: rounding for display, which never hides that it rounded, and making foreign text harmless.
What does not: sums and ratios (`models/reports.py`), and anything that draws.
"""

import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

UNKNOWN = "unknown"
NOT_STATED = "(not stated)"
_LONGEST_NAME = 80
_DIGITS = 60


def exact(value: Decimal | int | None) -> str:
    """All digits of an amount, with separators and at least two decimals: '1,234.50000042'."""
    if value is None:
        return UNKNOWN
    whole, _, decimals = f"{Decimal(value):,f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def money(value: Decimal | int | None, decimals: int = 2) -> str:
    """An amount rounded half-even for reading; an amount too small to show says so: '<0.01'."""
    if value is None:
        return UNKNOWN
    smallest = Decimal(1).scaleb(-decimals)
    rounded = _rounded(Decimal(value), smallest)
    if rounded == 0 and value != 0:
        return f"<{smallest:f}" if value > 0 else f"-<{smallest:f}"
    return f"{abs(rounded) if rounded == 0 else rounded:,f}"


def decimals_for(values: Iterable[Decimal | int | None]) -> int:
    """Decimals that amounts are shown with: 2 for a largest of 100 and more, 4 from 0.01 on, else 6."""
    largest = max((abs(value) for value in values if value is not None), default=Decimal(0))
    if largest >= 100 or largest == 0:
        return 2
    return 4 if largest >= Decimal("0.01") else 6


def signed(text: str) -> str:
    """Put a plus sign before the text of a positive amount."""
    is_signed = text.startswith("-") or text == UNKNOWN or not text.strip("0.")
    return text if is_signed else f"+{text}"


def share(value: Decimal | None) -> str:
    """A share (0 to 1) in percent; only an exact 1 is shown as 100 %, only an exact 0 as 0 %."""
    if value is None:
        return UNKNOWN
    if 0 < value < Decimal("0.001"):
        return "<0.1 %"
    if Decimal("0.999") < value < 1:
        return ">99.9 %"
    return f"{_rounded(value * 100, Decimal('0.1')):f} %"


def change_share(value: Decimal | None) -> str:
    """A change relative to what it started from, in percent with its sign; unknown stays unknown."""
    if value is None:
        return UNKNOWN
    rounded = _rounded(value * 100, Decimal("0.1"))
    return f"{rounded:+,f} %" if rounded else "0.0 %"


def count(value: Decimal | int | None) -> str:
    """A whole number with separators."""
    return UNKNOWN if value is None else f"{int(value):,}"


def compact_count(value: Decimal | int | None) -> str:
    """A whole number in millions or billions for a card; smaller ones in full."""
    if value is None:
        return UNKNOWN
    for size, letter in ((10**9, "B"), (10**6, "M")):
        if abs(value) >= size:
            return f"{_rounded(Decimal(value) / size, Decimal('0.01')):,f} {letter}"
    return count(value)


def name(value: str | None) -> str:
    """A foreign name as one line of visible characters, cut at 80; safe where text is shown as text."""
    if value is None:
        return NOT_STATED
    shown = "".join("\ufffd" if unicodedata.category(letter)[0] == "C" else letter for letter in value)
    shown = " ".join(shown.split()) or "(empty)"
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def distinct_names(values: Iterable[str | None]) -> dict[str | None, str]:
    """The shown name of every value; names that look the same get a number."""
    shown: dict[str | None, str] = {}
    for value in values:
        if value not in shown:
            base, number = name(value), 1
            while (candidate := base if number == 1 else f"{base} ({number})") in shown.values():
                number += 1
            shown[value] = candidate
    return shown


def day(value: date) -> str:
    """A day: '21 Oct 2026'."""
    return f"{value.day} {value:%b %Y}"


def days(first: date, last: date) -> str:
    """The days from first to last, both included: '19 Oct 2026 – 21 Oct 2026'."""
    return day(first) if first == last else f"{day(first)} – {day(last)}"


def instant(value: datetime | None) -> str:
    """An instant in UTC to the minute: '21 Oct 2026 23:55 UTC'."""
    if value is None:
        return UNKNOWN
    moment = value.astimezone(UTC)
    return f"{day(moment.date())} {moment:%H:%M} UTC"


def age(span: timedelta) -> str:
    """A span in its largest unit, rounded down: '3 days', '1 hour', 'less than a minute'."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        number = int(span.total_seconds() // size)
        if number >= 1:
            return f"{number} {unit}" + ("" if number == 1 else "s")
    return "less than a minute"


def version(value: str | None) -> str:
    """The first twelve characters of a content hash."""
    return UNKNOWN if value is None else name(value)[:12]


def _rounded(value: Decimal, smallest: Decimal) -> Decimal:
    with localcontext(prec=_DIGITS):
        return value.quantize(smallest, rounding=ROUND_HALF_EVEN)
