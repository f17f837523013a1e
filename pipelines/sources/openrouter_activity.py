"""Reader of OpenRouter's daily activity export, CSV: provider aggregates by day, model and endpoint."""

from collections.abc import Iterator
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, Row
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.rows import AGGREGATE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import DAY_US, count_of_text, decimal_text, iso_us

SOURCE = "openrouter.activity"
VERSION = 1
TABLE = "raw_usage_aggregates"
CONSTANTS: dict[str, Any] = {"provider": "openrouter", "usage_profile": "openrouter.generation"}
FIELDS = tuple(name for name in AGGREGATE_FIELDS if name not in CONSTANTS)
COLUMNS = ("date", "model_permaslug", "endpoint_id", "requests", "prompt_tokens", "completion_tokens")
OPTIONAL = ("reasoning_tokens", "usage", "provider_name")


def sniff(head: bytes) -> bool:
    """Whether the header has the columns of the export."""
    return set(COLUMNS) <= set(header_of(head))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row."""
    del options
    return read_csv_rows(stream, COLUMNS, parse, OPTIONAL)


def parse(values: list[str]) -> Row:
    """Returns one row under canonical names."""
    day, model, endpoint, requests, prompt, completion, reasoning, cost, upstream = values
    start = iso_us(day, "date")
    return row_of(
        FIELDS,
        source_event_id=identity_of(day, model, endpoint),
        period_start_us=start,
        period_end_us=start + DAY_US,
        served_model=model,
        stated_request_count=count_of_text(requests, "requests"),
        reported_input=count_of_text(prompt, "prompt_tokens"),
        reported_output=count_of_text(completion, "completion_tokens"),
        reported_reasoning=count_of_text(reasoning, "reasoning_tokens"),
        reported_cost_usd=decimal_text(cost, "usage") if cost else None,
        tags=orjson.dumps({"upstream_provider": upstream}).decode() if upstream else None,
    )
