"""JSON files that are whole documents: a page of an admin API, a query result. One document, or one per line.

They are small, so all of it is read strictly: a key that stands twice refuses the file.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pipelines.errors import UserError
from pipelines.sources.base import Batch, Reject, RejectError, Row, Skip
from pipelines.sources.json_lines import load_object, pairs_once
from pipelines.sources.streams import SourceStream

MOST_BYTES = 256 << 20
# Place of a record in its file, and the record or why it is none.
Placed = tuple[str, Any]


def read_pages(
    stream: SourceStream,
    records: Callable[[list[dict[str, Any]]], Iterable[Placed]],
    parse: Callable[[Any], Row | Skip],
) -> Iterator[Batch]:
    """Yields one batch: `records` gives place and raw record of all pages, `parse` the row of one."""
    batch = Batch()
    pages = _pages(stream)
    try:
        placed = list(records(pages))
    except (RejectError, AttributeError, KeyError, TypeError) as error:
        raise UserError(
            f"'{stream.name}' is not laid out as its format is: {error}",
            where=str(stream.path),
            next_step="export it again",
        ) from None
    for place, record in placed:
        try:
            row = parse(record)
        except RejectError as error:
            batch.rejects.append(Reject(place, error.reason_code, error.detail, ""))
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            detail = f"{type(error).__name__}: {str(error)[:100]}"
            batch.rejects.append(Reject(place, "unexpected_shape", detail, ""))
        else:
            if isinstance(row, Skip):
                batch.skips.append((place, row.reason))
            else:
                batch.positions.append(place)
                batch.rows.append(row)
    batch.may_hold_nul = True
    yield batch


def _pages(stream: SourceStream) -> list[dict[str, Any]]:
    content = stream.content(MOST_BYTES).strip()
    try:
        return [_strict(content)]
    except (RejectError, ValueError) as error:
        lines = [line for line in content.split(b"\n") if line.strip()]
        try:
            return [_strict(line) for line in lines] if len(lines) > 1 else _refuse(stream, error)
        except (RejectError, ValueError):
            return _refuse(stream, error)


def _strict(document: bytes) -> dict[str, Any]:
    found = load_object(document)
    json.loads(document, object_pairs_hook=pairs_once)
    return found


def _refuse(stream: SourceStream, error: Exception) -> list[dict[str, Any]]:
    raise UserError(
        f"'{stream.name}' is not one JSON document: {str(error)[:100]}",
        where=str(stream.path),
        allowed="one JSON object, or one per line",
        next_step="export it again; nothing of it was landed",
    ) from None


def pages_results(pages: list[dict[str, Any]]) -> Iterator[Placed]:
    """Yields (bucket, result) of pages that hold buckets of results, as the admin APIs give them."""
    number = 0
    for page in pages:
        for bucket in page["data"]:
            for place, result in enumerate(bucket["results"]):
                yield f"{number}/{place}", (bucket, result)
            number += 1
