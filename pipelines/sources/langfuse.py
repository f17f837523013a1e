"""Reader of Langfuse's blob-storage export of observations, as JSON lines.

Only generations and embeddings are model calls: spans, events and agents may repeat what their children
used. Every key of `usage_details` is a bucket of its own; some writers store a total that includes its
parts, which the stated total shows. Times are UTC by the definition of the export.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import (
    count_of_text,
    decimal_text,
    error_class_of,
    error_class_of_name,
    http_status_of,
    iso_us,
    required_text,
    shown,
)

SOURCE = "langfuse.observations"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
CALLS = {"GENERATION": "chat", "EMBEDDING": "embeddings"}
# Bucket names that writers use for one count; the first found counts.
BUCKETS: dict[str, tuple[str, ...]] = {
    "reported_input": ("input",),
    "reported_output": ("output",),
    "reported_cached": ("input_cached_tokens", "cache_read_input_tokens", "input_cache_read"),
    "reported_cache_write": ("input_cache_creation", "cache_creation_input_tokens", "input_cache_write"),
    "reported_cache_write_5m": ("input_cache_creation_5m",),
    "reported_cache_write_1h": ("input_cache_creation_1h",),
    "reported_input_audio": ("input_audio_tokens", "input_audio"),
    "reported_output_audio": ("output_audio_tokens", "output_audio"),
    "reported_reasoning": ("output_reasoning_tokens", "output_reasoning"),
    "reported_total": ("total",),
}
HTTP_STATUS = re.compile(r"\b[45]\d\d\b")
PROVIDERS = (
    ("claude", "anthropic"),
    ("gpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
)


def sniff(head: bytes) -> bool:
    """Whether the first line has the fields that only an exported observation has together."""
    return all(key in head for key in (b'"usage_details"', b'"provided_model_name"', b'"trace_id"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per observation."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one observation under canonical names."""
    check_keys_once(line, ((b'"usage_details"', 1), (b'"total_cost"', 1), (b'"start_time"', 1)))
    operation = CALLS.get(row.get("type") or "")
    if operation is None:
        return Skip("not_a_generation")
    model, is_error = row.get("provided_model_name"), row.get("level") == "ERROR"
    first, ended = row.get("completion_start_time"), row.get("end_time")
    return attempt(
        source=SOURCE,
        source_event_id=required_text(row, "id"),
        trace_id=row.get("trace_id"),
        span_id=row.get("id"),
        parent_span_id=row.get("parent_observation_id"),
        provider=provider_of(model),
        requested_model=model,
        served_model=None if is_error else model,
        operation=operation,
        outcome="error" if is_error else "success",
        started_at_us=iso_us(row.get("start_time"), "$.start_time"),
        first_token_at_us=None if first is None else iso_us(first, "$.completion_start_time"),
        ended_at_us=None if ended is None else iso_us(ended, "$.end_time"),
        record_sequence=_sequence(row.get("updated_at")),
        usage_profile=SOURCE,
        reported_cost_usd=decimal_text(row.get("total_cost"), "$.total_cost"),
        **_error(row.get("status_message")) if is_error else {},
        **{"environment_tag": row.get("environment")} | tags_in(_document(row.get("metadata")), "$.metadata"),
        **_usage(_document(row.get("usage_details"))),
    )


def provider_of(model: str | None) -> str | None:
    """Returns the provider whose models are named like this; the export states none."""
    return next((provider for start, provider in PROVIDERS if model and model.startswith(start)), None)


def _document(value: Any) -> Any:
    """A map, which CSV exports and some writers keep as JSON text."""
    if type(value) is not str:
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        raise RejectError("broken_json", "a map kept as text is not JSON") from None


def _usage(stated: Mapping[str, Any] | None) -> dict[str, Any]:
    """Counts by canonical name; a cache bucket left out of a stated usage is zero."""
    if not stated:
        return {}
    if type(stated) is not dict:
        raise RejectError("not_an_object", f"$.usage_details: {shown(stated)} is not a map of counts")
    found = {name: _bucket(stated, keys) for name, keys in BUCKETS.items()}
    for name in ("reported_cached", "reported_cache_write"):
        found[name] = found[name] or 0
    return found


def _bucket(stated: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The count under the first of the keys that is there; digits in quotes are a count too."""
    for key in keys:
        if key in stated:
            value = stated[key]
            return count_of_text(value, f"$.usage_details.{key}") if type(value) is str else value
    return None


def _error(message: Any) -> dict[str, Any]:
    """What the status message says of an error: status and class. The message itself may quote a prompt."""
    words = message if type(message) is str else ""
    found = HTTP_STATUS.search(words)
    status = http_status_of(found.group()) if found else None
    return {"http_status": status, "error_class": error_class_of(status) or error_class_of_name(words)}


def _sequence(updated: Any) -> int | None:
    """The version of an observation: when it was last updated, microseconds."""
    return None if updated is None else iso_us(updated, "$.updated_at")
