"""Reader of the public BurstGPT traces, CSV: seconds since an unstated start, model family, token counts.

The start has to be stated. A row without response tokens is a call that failed, as its authors say. Columns
are read by name, for later editions insert some.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pipelines.errors import UserError
from pipelines.sources.base import Batch, ReadOptions, Row
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.ordinals import Ordinals
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, identity_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import count_of_text, decimal_text

SOURCE = "burstgpt.trace"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
COLUMNS = ("Timestamp", "Model", "Request tokens", "Response tokens", "Total tokens", "Log Type")
OPTIONAL = ("Session ID", "Elapsed time")
MICROSECONDS = 1_000_000


def sniff(head: bytes) -> bool:
    """Whether the header is that of these traces."""
    return set(COLUMNS) <= set(header_of(head))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row.

    Raises:
        UserError: No start is stated for the file.
    """
    if options.start_us is None:
        raise UserError(
            f"the times of '{stream.name}' count from a start that it does not state",
            where=str(stream.path),
            allowed="an instant such as 2026-11-14T00:00:00Z",
            next_step="state `start` for this file in sources.yml, or with the option of ingest",
        )
    start_us, ordinal = options.start_us, Ordinals()
    return read_csv_rows(stream, COLUMNS, lambda values: _parse(values, start_us, ordinal), OPTIONAL)


def _parse(values: list[str], start_us: int, ordinal: Ordinals) -> Row:
    time, model, asked, answered, total, kind, session, elapsed = values
    seconds = Decimal(decimal_text(time, "Timestamp") or "0")
    counts = [
        count_of_text(text, name) for text, name in zip((asked, answered, total), COLUMNS[2:5], strict=True)
    ]
    started = start_us + int(seconds * MICROSECONDS)
    took = Decimal(decimal_text(elapsed, "Elapsed time") or "0") if elapsed else None
    content = (model, asked, answered, kind, session)
    return attempt(
        source=SOURCE,
        source_event_id=identity_of(time, *content, ordinal(seconds, *content)),
        session_id=session or None,
        feature_tag=kind or None,
        requested_model=model or None,
        served_model=model if counts[1] else None,
        operation="chat",
        outcome="error" if counts[1] == 0 else "success",
        started_at_us=started,
        ended_at_us=None if took is None else started + int(took * MICROSECONDS),
        usage_profile=SOURCE,
        reported_input=counts[0],
        reported_output=counts[1],
        reported_total=counts[2],
    )
