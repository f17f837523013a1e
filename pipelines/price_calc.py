"""`inferledger prices calc`: usage records in the providers' own fields, one a line, priced exactly.

Lives here: reading the lines, choosing the book of each, and the layout as text or JSON lines. Does not live
here: any price or arithmetic (pricing/calc.py).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from pipelines.errors import UserError
from pipelines.shown import plain
from pricing.calc import CalcResult, calculate, usd_text
from pricing.calc_lines import CalcLine
from pricing.errors import PriceBookError
from pricing.price_book import PriceBook
from pricing.prices_in_force import book_of_record


@dataclass(frozen=True)
class Calculated:
    """One record of a file: its line, its id where it has one, and its cost or why it is refused."""

    line: int
    record_id: str
    result: CalcResult | None
    refusal: str = ""


def calculate_file(
    path: Path, book: PriceBook, *, known_at_us: int | None = None, by_date: bool = False
) -> list[Calculated]:
    """Price every record of a JSON lines file, as known at an instant (microseconds UTC; None: today).

    A record that brings `prices_in_force` is priced with those, unless `by_date`.
    """
    return [_calculated(number, record, book, known_at_us, by_date) for number, record in _records(path)]


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"cannot read '{path}'",
            where=str(error),
            allowed="a UTF-8 file of JSON objects, one a line",
            next_step="correct the path",
        ) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _object(line, f"{path} line {number}")


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line, parse_float=Decimal)
    except ValueError as error:
        raise UserError(
            f"'{plain(line[:40])}' is not JSON: {error}",
            where=where,
            allowed="one JSON object a line",
            next_step="correct the line",
        ) from error
    if not isinstance(record, dict):
        raise UserError(
            f"'{plain(line[:40])}' is not a usage record",
            where=where,
            allowed="a JSON object with provider, model, date, usage, context",
            next_step="correct the line",
        )
    return record


def _calculated(
    number: int, record: Mapping[str, Any], book: PriceBook, known_at_us: int | None, by_date: bool
) -> Calculated:
    record_id = str(record.get("id", f"line {number}"))
    is_own = "prices_in_force" in record and not by_date
    try:
        used = book_of_record(record, book.rules) if is_own else book
        return Calculated(number, record_id, calculate(used, record, None if is_own else known_at_us))
    except PriceBookError as error:
        return Calculated(number, record_id, None, str(error))


def calculated_text(rows: Sequence[Calculated]) -> str:
    """One block a record: exact USD, its lines with the entries used, or why there is none; then a sum."""
    blocks = [line for row in rows for line in _block(row)]
    return "\n".join([*blocks, summary(rows)])


def summary(rows: Sequence[Calculated]) -> str:
    """How many records have a price, what they cost together, and how many have none."""
    priced = [row.result.pico_usd for row in rows if row.result and row.result.pico_usd is not None]
    refused = sum(row.result is None for row in rows)
    unpriced = len(rows) - len(priced) - refused
    return (
        f"{len(rows)} records: {len(priced)} priced, together {usd_text(sum(priced))} USD; "
        f"{unpriced} unpriced, {refused} refused"
    )


def _block(row: Calculated) -> Iterator[str]:
    result = row.result
    if result is None:
        yield f"{plain(row.record_id)}: refused · {plain(row.refusal)}"
        return
    named = f"{plain(row.record_id)}: {plain(result.provider)} {plain(result.model)}"
    yield f"{named} · {_verdict(result)}"
    for line in result.lines:
        quantity = quantity_text(line.quantity)
        yield f"  {line.meter:18} {quantity:>14}  {usd_text(line.pico_usd)} USD · {_source(line)}"
    for meter, reason in result.unpriced.items():
        yield f"  {meter:18} unpriced · {reason}"
    if result.reported_pico_usd is not None:
        yield f"  the source says    {usd_text(result.reported_pico_usd)} USD"
    for note in result.notes:
        yield f"  note               {plain(note)}"


def _verdict(result: CalcResult) -> str:
    if result.pico_usd is None:
        return f"unpriced ({result.reason_code})"
    reason = f" ({result.reason_code})" if result.reason_code else ""
    return f"{result.usd} USD{reason}"


def _source(line: CalcLine) -> str:
    return " · ".join(part for part in (line.steps, line.entry_id, line.place) if part)


def quantity_text(quantity: Fraction) -> str:
    """A quantity as exact text: whole, decimal where it ends, else as a fraction."""
    denominator = quantity.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator != 1:
        return str(quantity)
    text = format(Decimal(quantity.numerator) / Decimal(quantity.denominator), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def calculated_json(rows: Sequence[Calculated]) -> str:
    """One JSON object a line and record; money and quantities as exact text, null where unpriced."""
    return "\n".join(json.dumps(_plain_row(row), ensure_ascii=False) for row in rows)


def _plain_row(row: Calculated) -> dict[str, Any]:
    result = row.result
    if result is None:
        return {"id": row.record_id, "line": row.line, "usd": None, "refusal": row.refusal}
    reported = result.reported_pico_usd
    return {
        "id": row.record_id,
        "line": row.line,
        "provider": result.provider,
        "model": result.model,
        "usd": result.usd,
        "reason_code": result.reason_code,
        "lines": [
            {
                "meter": line.meter,
                "quantity": quantity_text(line.quantity),
                "usd": usd_text(line.pico_usd),
                "entry": line.entry_id,
                "place": line.place,
                "steps": line.steps,
            }
            for line in result.lines
        ],
        "unpriced": result.unpriced,
        "reported_usd": None if reported is None else usd_text(reported),
        "notes": result.notes,
    }
