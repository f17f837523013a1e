"""Reader of Portkey log exports: one JSON object per line, with no cache split. Numbers may be texts."""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import (
    child,
    count_of_text,
    decimal_text,
    error_class_of,
    http_status_of,
    iso_us,
    required_text,
    shown,
)

SOURCE = "portkey.log_export"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
PROVIDERS = {"azure-openai": "azure.ai.openai", "bedrock": "aws.bedrock", "google": "gcp.gemini"}


def sniff(head: bytes) -> bool:
    """Whether the first line has the columns of an export."""
    return all(key in head for key in (b'"ai_org"', b'"req_units"', b'"res_units"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one call under canonical names."""
    check_keys_once(line, ((b'"req_units"', 1), (b'"res_units"', 1), (b'"cost"', 1)))
    status = http_status_of(row.get("response_status_code"))
    started, took = iso_us(row.get("created_at"), "$.created_at"), _count(row, "response_time")
    is_error = row.get("is_success") is False or (status is not None and status >= 400)
    metadata, provider = child(row, "metadata", "$"), row.get("ai_org")
    is_usd = row.get("cost_currency") in (None, "USD")
    return attempt(
        source=SOURCE,
        source_event_id=required_text(row, "id"),
        trace_id=row.get("trace_id"),
        user=metadata.get("_user"),
        provider=PROVIDERS.get(provider or "", provider),
        requested_model=row.get("ai_model"),
        served_model=None if is_error else row.get("ai_model"),
        operation="chat",
        outcome="error" if is_error else "success",
        error_class=error_class_of(status) if is_error else None,
        http_status=status,
        started_at_us=started,
        ended_at_us=None if took is None else started + took * 1000,
        usage_profile=SOURCE,
        reported_input=_count(row, "req_units"),
        reported_output=_count(row, "res_units"),
        reported_total=_count(row, "total_units"),
        reported_cost_usd=decimal_text(row.get("cost"), "$.cost") if is_usd else None,
        **tags_in(metadata, "$.metadata"),
    )


def _count(row: dict[str, Any], key: str) -> int | None:
    value = row.get(key)
    if type(value) is str:
        return count_of_text(value, f"$.{key}")
    if value is not None and type(value) is not int:
        raise RejectError("not_a_count", f"$.{key}: {shown(value)} is not a whole number")
    return value
