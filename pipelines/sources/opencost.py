"""Reader of OpenCost allocations: the JSON answer, one record per allocation of a window.

A statement to compare with, never a part of the ledger. The cost of a GPU is `gpuCost` with its adjustment.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row
from pipelines.sources.json_pages import read_pages
from pipelines.sources.rows import DEVICE_COST_FIELDS, identity_of, row_of, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, iso_us

SOURCE = "opencost.allocation"
VERSION = 1
TABLE = "raw_device_costs"
CONSTANTS: dict[str, Any] = {}
FIELDS = DEVICE_COST_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the head is that of an allocation answer."""
    return b'"gpuHours"' in head and b'"totalCost"' in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per allocation; positions are "window/name", the name's slashes written as ~."""
    del options
    return read_pages(stream, _allocations, parse)


def _allocations(pages: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    windows = [window for page in pages for window in page["data"]]
    for number, window in enumerate(windows):
        yield from ((f"{number}/{name.replace('/', '~')}", allocation) for name, allocation in window.items())


def parse(found: dict[str, Any]) -> Row:
    """Returns one allocation under canonical names."""
    start, end = iso_us(found["start"], "$.start"), iso_us(found["end"], "$.end")
    about = child(found, "properties", "$")
    tags = tags_in(about.get("labels"), "$.properties.labels")
    return row_of(
        FIELDS,
        source_event_id=identity_of(about.get("cluster"), found["name"], start, end),
        period_start_us=start,
        period_end_us=end,
        allocation_name=found["name"],
        host=about.get("node"),
        namespace=about.get("namespace"),
        pod=about.get("pod"),
        feature_tag=tags.get("feature_tag"),
        stated_gpu_hours=decimal_text(found.get("gpuHours"), "$.gpuHours"),
        stated_gpu_cost_usd=_sum(found, "gpuCost", "gpuCostAdjustment"),
        stated_total_cost_usd=decimal_text(found.get("totalCost"), "$.totalCost"),
        is_idle=found["name"] == "__idle__",
    )


def _sum(found: dict[str, Any], *keys: str) -> str | None:
    stated = [decimal_text(found.get(key), f"$.{key}") for key in keys]
    amounts = [Decimal(text) for text in stated if text is not None]
    return decimal_text(str(sum(amounts)), "$.gpuCost") if amounts else None
