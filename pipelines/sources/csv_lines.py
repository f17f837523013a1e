"""Strict reading of CSV with a header: named columns in a stated order, every odd row a reject.

A row is counted from 0, the header left out. Which columns a format has, and what they mean, stands in its
reader.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from pipelines.errors import UserError, nearest_first
from pipelines.sources.base import Batch, Reject, RejectError, Row, Skip
from pipelines.sources.lines import TOO_LONG, split_lines
from pipelines.sources.streams import SourceStream

BATCH_ROWS = 8192
MOST_FIELD_CHARACTERS = 1 << 20


def read_csv_rows(
    stream: SourceStream,
    columns: Sequence[str],
    parse: Callable[[list[str]], Row | Skip],
    optional: Sequence[str] = (),
) -> Iterator[Batch]:
    """Yields batches of the rows; `parse` gets the values of `columns`, then of `optional` ('' where absent).

    Raises:
        UserError: A required column is not in the header.
    """
    csv.field_size_limit(MOST_FIELD_CHARACTERS)
    rows = csv.reader(_texts(stream), strict=True)
    header = [name.strip() for name in next(rows, [])]
    places = _places(stream, header, columns, optional)
    batch = Batch()
    for position, row in enumerate(_each(rows)):
        try:
            record = parse(_chosen(row, header, places))
        except RejectError as error:
            batch.rejects.append(Reject(str(position), error.reason_code, error.detail, ""))
        else:
            if isinstance(record, Skip):
                batch.skips.append((str(position), record.reason))
            else:
                batch.positions.append(position)
                batch.rows.append(record)
        if position % BATCH_ROWS == BATCH_ROWS - 1:
            yield batch
            batch = Batch()
    yield batch


def header_of(head: bytes) -> list[str]:
    """Returns the column names in the first line of a file's head; none where it is no text."""
    line = head.split(b"\n", 1)[0]
    try:
        return [name.strip() for name in next(csv.reader([line.decode()], strict=True), [])]
    except (UnicodeDecodeError, csv.Error):
        return []


def _texts(stream: SourceStream) -> Iterator[str]:
    # Bytes that are no UTF-8 become lone surrogates, found again per row: one bad row must not end the file.
    for line in chain.from_iterable(lines for _, lines, _ in split_lines(stream)):
        if line is TOO_LONG:
            yield "\x00"
        elif line.strip(b"\r"):
            yield line.decode("utf-8", "surrogateescape") + "\n"


def _each(rows: Iterator[list[str]]) -> Iterator[list[str] | RejectError]:
    """Yields every row, or why it is none."""
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield RejectError("broken_csv", str(error)[:80])


def _chosen(row: list[str] | RejectError, header: list[str], places: list[int | None]) -> list[str]:
    if isinstance(row, RejectError):
        raise row
    if len(row) != len(header):
        raise RejectError("wrong_column_count", f"{len(row)} values for {len(header)} columns")
    chosen = ["" if place is None else row[place].strip() for place in places]
    for text in chosen:
        if not text.isascii():
            _check_text(text)
        elif "\x00" in text:
            raise RejectError("nul_byte", "NUL in a value")
    return chosen


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RejectError("invalid_utf8", "bytes that are no UTF-8 in a value") from None


def _places(
    stream: SourceStream, header: list[str], columns: Sequence[str], optional: Sequence[str]
) -> list[int | None]:
    for name in columns:
        if header.count(name) != 1:
            problem = "is missing from" if name not in header else "stands twice in"
            raise UserError(
                f"column '{name}' {problem} '{stream.name}'",
                where=f"{stream.path}, line 1",
                allowed=f"found: {nearest_first(name, header) or 'no columns'}",
                next_step="export the file again with its original header",
            )
    found: list[int | None] = [header.index(name) for name in columns]
    return found + [header.index(name) if name in header else None for name in optional]
