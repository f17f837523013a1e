"""Reader of the public Mooncake traces: JSON lines of relative milliseconds, lengths and block hashes.

The start has to be stated. Block hashes are not kept here: attempts have no room for them.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.errors import UserError
from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.ordinals import Ordinals
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, identity_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import shown

SOURCE = "mooncake.trace"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the first line has the members of these traces."""
    return all(key in head for key in (b'"timestamp"', b'"input_length"', b'"hash_ids"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line.

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
    start_us, model, ordinal = options.start_us, options.model, Ordinals()

    def parse(record: dict[str, Any], line: bytes) -> Row | Skip:
        del line
        at_ms, blocks = record.get("timestamp"), record.get("hash_ids") or ()
        if type(at_ms) is not int or at_ms < 0:
            raise RejectError("not_a_time", f"$.timestamp: {shown(at_ms)} is no number of milliseconds")
        content = (record.get("input_length"), record.get("output_length"), *blocks)
        name = identity_of(at_ms, *content[:2], *blocks[-1:], ordinal(at_ms, *content))
        return attempt(
            source=SOURCE,
            source_event_id=name,
            requested_model=model,
            served_model=model,
            operation="chat",
            outcome="success",
            started_at_us=start_us + at_ms * 1000,
            usage_profile=SOURCE,
            reported_input=record.get("input_length"),
            reported_output=record.get("output_length"),
        )

    return read_json_lines(stream, parse)
