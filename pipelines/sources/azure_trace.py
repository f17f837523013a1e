"""Reader of the public Azure LLM inference traces: TIMESTAMP,ContextTokens,GeneratedTokens as CSV.

The times state no zone and the rows no id. So the file is refused until a source entry states the zone, and
a row is known by its content and its ordinal among equal rows, which splitting or joining files does not
change.
"""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from pipelines.errors import UserError
from pipelines.sources.base import Batch, ReadOptions, Row
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.ordinals import Ordinals
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import count_of_text, zoned_us

SOURCE = "azure.llm_trace"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS = {"usage_profile": SOURCE, "outcome": "success"}
FIELDS = ("source_event_id", "requested_model", "started_at_us", "reported_input", "reported_output")
HEADER = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")


def sniff(head: bytes) -> bool:
    """Whether the header is the one of these traces."""
    return header_of(head) == list(HEADER)


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row, every one taken as a success.

    Raises:
        UserError: No zone is stated for the file.
    """
    if options.zone is None:
        raise UserError(
            f"the times of '{stream.name}' state no zone",
            where=str(stream.path),
            allowed="a zone name such as UTC or Europe/Berlin",
            next_step="state `zone` for this file in sources.yml, or with the option of ingest",
        )
    zone = ZoneInfo(options.zone)
    equal_rows = Ordinals()

    def parse(values: list[str]) -> Row:
        stamp, context, generated = values
        started = zoned_us(stamp, zone, "TIMESTAMP")
        counts = (count_of_text(context, "ContextTokens"), count_of_text(generated, "GeneratedTokens"))
        return (
            f"{stamp}|{context}|{generated}|{equal_rows(stamp, context, generated)}",
            options.model,
            started,
            *counts,
        )

    return read_csv_rows(stream, HEADER, parse)
