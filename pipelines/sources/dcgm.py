"""Reader of dcgm-exporter metrics as text: one scrape, or a dump of a time-series database (OpenMetrics).

A scrape states no time: a source entry has to, else its samples are rejects. Its readings of one GPU are
one sample. A dump has a time on every line and each line is a sample of one metric, so that a file of any
size fits.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Reject, RejectError, Row, Skip
from pipelines.sources.gpu_metrics import METRICS, device_of, reading
from pipelines.sources.lines import split_lines
from pipelines.sources.rows import SAMPLE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import decimal_text, epoch_us

SOURCE = "nvidia.dcgm"
VERSION = 1
TABLE = "raw_gpu_samples"
CONSTANTS: dict[str, Any] = {}
FIELDS = SAMPLE_FIELDS
LINE = re.compile(
    r"(?P<name>[A-Za-z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+(?P<time>\S+))?\s*"
)
LABEL = re.compile(r'([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
# Seconds since 1970 stay below this until the year 5138; the older text format counts milliseconds.
LEAST_MILLISECONDS = 10**11
Scrape = dict[tuple[str, str], dict[str, Any]]


def sniff(head: bytes) -> bool:
    """Whether the head is exposition text with a metric of DCGM."""
    return re.search(rb"(?m)^DCGM_FI_\w+\{", head) is not None


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields the samples; those of a scrape come last, put together by GPU."""
    del options
    scrape: Scrape = {}
    number = 0
    for _, lines, may_hold_nul in split_lines(stream):
        batch = Batch(may_hold_nul=may_hold_nul)
        for line in lines:
            if line.strip() and not line.startswith(b"#"):
                number += _take(batch, line, number, scrape)
        yield batch
    made = [row_of(FIELDS, **sample) for sample in scrape.values()]
    yield Batch(positions=list(range(number, number + len(made))), rows=made)


def _take(batch: Batch, line: bytes, number: int, scrape: Scrape) -> int:
    """Adds what a line holds; returns how many records of the file it is: none for a reading of a scrape."""
    try:
        found = _sample(line, scrape)
    except RejectError as error:
        batch.rejects.append(Reject(str(number), error.reason_code, error.detail, ""))
    else:
        if found is None:
            return 0
        if isinstance(found, Skip):
            batch.skips.append((str(number), found.reason))
        else:
            batch.positions.append(number)
            batch.rows.append(found)
    return 1


def _sample(line: bytes, scrape: Scrape) -> Row | Skip | None:
    match = LINE.fullmatch(line.decode("utf-8", "replace").rstrip("\r"))
    if match is None:
        raise RejectError("broken_line", "not `name{labels} value [time]`")
    if match["name"] not in METRICS:
        return Skip("other_metric") if match["time"] else None
    column, factor = METRICS[match["name"]]
    device = device_of(dict(LABEL.findall(match["labels"] or "")))
    value = reading(match["value"], factor, match["name"])
    if match["time"] is None:
        key = (device["gpu_uuid"], device["mig_id"])
        sample = scrape.setdefault(key, device | {"source_event_id": identity_of(*key, "scrape")})
        sample[column] = value
        return None
    at_us = _time(match["time"])
    name = identity_of(device["gpu_uuid"], device["mig_id"], at_us, column)
    return row_of(FIELDS, source_event_id=name, sampled_at_us=at_us, **device, **{column: value})


def _time(text: str) -> int:
    number = float(decimal_text(text, "time") or "0")
    return epoch_us(number / 1000 if number >= LEAST_MILLISECONDS else number, "time")
