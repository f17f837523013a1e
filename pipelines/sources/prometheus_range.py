"""Reader of Prometheus range queries over GPU metrics: the JSON result, one record per value of a series.

A value of NaN is a sample without a reading. A query that failed is no file to land.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.gpu_metrics import METRICS, device_of, reading
from pipelines.sources.json_pages import read_pages
from pipelines.sources.rows import SAMPLE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import epoch_us

SOURCE = "prometheus.range"
VERSION = 1
TABLE = "raw_gpu_samples"
CONSTANTS: dict[str, Any] = {}
FIELDS = SAMPLE_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the head is that of a query result."""
    return b'"resultType"' in head and b'"result"' in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per value; positions are "series/value"."""
    del options
    return read_pages(stream, _values, parse)


def _values(pages: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    number = 0
    for page in pages:
        if page.get("status") != "success":
            raise RejectError("failed_query", "$.status is not success")
        for series in page["data"]["result"]:
            held = series["values"] if "values" in series else [series["value"]]
            yield from ((f"{number}/{place}", (series["metric"], pair)) for place, pair in enumerate(held))
            number += 1


def parse(found: tuple[dict[str, Any], Any]) -> Row | Skip:
    """Returns one value under canonical names."""
    labels, (seconds, text) = found
    name = labels.get("__name__")
    if name not in METRICS:
        return Skip("other_metric")
    column, factor = METRICS[name]
    device, at_us = device_of(labels), epoch_us(seconds, "value time")
    return row_of(
        FIELDS,
        source_event_id=identity_of(device["gpu_uuid"], device["mig_id"], at_us, column),
        sampled_at_us=at_us,
        **device,
        **{column: reading(text, factor, name)},
    )
