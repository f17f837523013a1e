"""Reader of Vertex AI request-response logs: rows of the BigQuery table as JSON lines.

The log states when it was written and how long the call took. It holds a sample of the calls where its rate
is below one: then its sums are too small, which no row says.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.provider_bodies import anthropic_messages, error_of, gemini
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import decimal_text, iso_us, required_text, shown

SOURCE = "google.vertex.request_response_log"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the first line has the columns of the table."""
    return all(key in head for key in (b'"logging_time"', b'"full_response"', b'"api_method"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one call under canonical names."""
    del line
    body, asked, about = (_document(row, key) for key in ("full_response", "full_request", "metadata"))
    found = anthropic_messages(body) if "usage" in body else gemini(body)
    path = str(row.get("model") or "").split("/")
    named = dict(zip(path[::2], path[1::2], strict=False))
    logged, error = iso_us(row.get("logging_time"), "$.logging_time"), error_of(body)
    latency = decimal_text(about.get("request_latency"), "$.metadata.request_latency")
    took = None if latency is None else int(Decimal(latency) * 1000)
    return attempt(
        **found
        | tags_in(asked.get("labels"), "$.full_request.labels")
        | {
            "source": SOURCE,
            "source_event_id": found["response_id"] or required_text(row, "request_id"),
            "provider": "gcp.vertex_ai",
            "requested_model": named.get("models"),
            "region": named.get("locations"),
            "operation": "generate_content",
            "outcome": "error" if error else "success",
            "error_type": error,
            "started_at_us": None if took is None else logged - took,
            "ended_at_us": logged,
        }
    )


def _document(row: dict[str, Any], key: str) -> dict[str, Any]:
    """A JSON column, which the export may write as text."""
    value = row.get(key)
    try:
        value = orjson.loads(value) if type(value) is str else value
    except orjson.JSONDecodeError:
        raise RejectError("broken_json", f"$.{key}: a text that is not JSON") from None
    if value is None:
        return {}
    if type(value) is not dict:
        raise RejectError("not_an_object", f"$.{key}: {shown(value)} is not an object")
    return value
