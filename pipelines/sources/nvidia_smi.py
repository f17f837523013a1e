"""Reader of `nvidia-smi --query-gpu=… --format=csv` output: one sample per row, units in header and values.

Times are those of the host without a zone: a source entry has to state it. Appending repeats the header.
"""

import re
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.errors import UserError
from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.gpu_metrics import MEBIBYTE, reading
from pipelines.sources.rows import SAMPLE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import zoned_us

SOURCE = "nvidia.smi"
VERSION = 1
TABLE = "raw_gpu_samples"
CONSTANTS: dict[str, Any] = {"mig_id": ""}
FIELDS = tuple(name for name in SAMPLE_FIELDS if name not in CONSTANTS)
COLUMNS = ("timestamp", "uuid")
READINGS = {
    "utilization.gpu [%]": ("util_ppm", 10_000),
    "memory.used [MiB]": ("memory_used_bytes", MEBIBYTE),
    "memory.total [MiB]": ("memory_total_bytes", MEBIBYTE),
    "power.draw [W]": ("power_milliwatts", 1_000),
}
NO_VALUE = re.compile(r"\[.*\]|N/A|")


def sniff(head: bytes) -> bool:
    """Whether the header has a time, a GPU and one of the readings."""
    header = set(header_of(head))
    return set(COLUMNS) <= header and bool(header & set(READINGS))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row.

    Raises:
        UserError: No zone is stated for the file.
    """
    if options.zone is None:
        raise UserError(
            f"the times of '{stream.name}' state no zone",
            where=str(stream.path),
            allowed="the zone of the host, such as Europe/Berlin",
            next_step="state `zone` for this file in sources.yml, or with the option of ingest",
        )
    zone = ZoneInfo(options.zone)
    return read_csv_rows(stream, COLUMNS, lambda values: _parse(values, zone), ("name", *READINGS))


def _parse(values: list[str], zone: ZoneInfo) -> Row | Skip:
    time, uuid, name, *texts = values
    if time == "timestamp":
        return Skip("repeated_header")
    if not uuid:
        raise RejectError("missing_field", "uuid: required and not there")
    at_us = zoned_us(time.replace("/", "-"), zone, "timestamp")
    readings = {
        column: None if NO_VALUE.fullmatch(text) else reading(text.split(" ")[0], factor, column)
        for (column, factor), text in zip(READINGS.values(), texts, strict=True)
    }
    return row_of(
        FIELDS,
        source_event_id=identity_of(uuid, at_us),
        sampled_at_us=at_us,
        gpu_uuid=uuid,
        gpu_model=name or None,
        **readings,
    )
