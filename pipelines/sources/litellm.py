"""Reader of LiteLLM spend logs: one row of the table `LiteLLM_SpendLogs` per JSON line.

`prompt_tokens` includes what was read from and written to the provider's cache. The column `cache_hit`
speaks of the gateway's own cache only. Times are UTC by the definition of the table.
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import check_keys_once, has_keys_of, read_json_lines
from pipelines.sources.litellm_fields import (
    OPERATIONS,
    document,
    outcome_of,
    split_of,
    stated_by_application,
    tags_of,
)
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, iso_us, required_text

SOURCE = "litellm.spendlogs"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS = {"usage_profile": SOURCE}
FIELDS = (
    "source_event_id",
    "response_id",
    "session_id",
    "customer",
    "api_key",
    "route",
    "user",
    "provider",
    "stated_request_id",
    "stated_attempt_number",
    "finish_reason",
    "is_usage_estimated",
    "feature_tag",
    "team_tag",
    "project_tag",
    "environment_tag",
    "requested_model",
    "served_model",
    "service_tier",
    "operation",
    "outcome",
    "error_class",
    "http_status",
    "error_type",
    "is_gateway_cache_hit",
    "started_at_us",
    "first_token_at_us",
    "ended_at_us",
    "reported_input",
    "reported_output",
    "reported_total",
    "reported_cached",
    "reported_cache_write",
    "reported_cache_write_5m",
    "reported_cache_write_1h",
    "reported_input_audio",
    "reported_input_image",
    "reported_reasoning",
    "reported_output_audio",
    "reported_output_image",
    "reported_tool_calls",
    "reported_cost_usd",
    "tags",
)
# Columns of the table, in the order in which `parse` takes them.
COLUMNS = (
    "request_id",
    "call_type",
    "status",
    "model",
    "startTime",
    "completionStartTime",
    "endTime",
    "cache_hit",
    "session_id",
    "end_user",
    "api_key",
    "model_group",
    "user",
    "custom_llm_provider",
    "spend",
    "metadata",
)
_PICK = itemgetter(*COLUMNS)
# Keys that bear money or identity, and how often each stands in a row that repeats nothing.
ONCE = (
    (b'"spend"', 1),
    (b'"startTime"', 1),
    (b'"model"', 1),
    (b'"cached_tokens"', 1),
    (b'"cache_creation_tokens"', 1),
    (b'"reasoning_tokens"', 1),
)
COUNTED = ((b'"prompt_tokens"', 1), (b'"completion_tokens"', 1), (b'"total_tokens"', 1))
# With a usage object the counts stand there once more.
COUNTED_TWICE = tuple((key, 2) for key, _ in COUNTED)


def sniff(head: bytes) -> bool:
    """Whether the head has the columns that only this table has together."""
    return all(key in head for key in (b'"request_id"', b'"startTime"', b'"spend"', b'"call_type"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one row of the table under canonical names."""
    event_id, call_type, status, model, started, first, ended, hit, *people, spend, held = _columns(row)
    metadata = document(held, "$.metadata")
    logged = child(metadata, "spend_logs_metadata", "$.metadata")
    usage = child(metadata, "usage_object", "$.metadata")
    error = child(metadata, "error_information", "$.metadata")
    _check_once(line, held, row, metadata, logged, usage, error)
    if type(event_id) is not str or not event_id:
        required_text(row, "request_id")
    is_served, is_hit = status != "failure", hit == "True"
    tags, rest = tags_of(row, metadata, logged)
    return (
        event_id,
        event_id if is_served and not is_hit else None,
        *people,
        *stated_by_application(logged),
        *tags,
        model or None,
        model or None if is_served else None,
        usage.get("service_tier"),
        OPERATIONS.get(call_type, call_type),
        *outcome_of(status, error, logged),
        is_hit,
        iso_us(started, "$.startTime"),
        # For a call that does not stream, LiteLLM writes the end here.
        None if first is None or first == ended else iso_us(first, "$.completionStartTime"),
        None if ended is None else iso_us(ended, "$.endTime"),
        row.get("prompt_tokens"),
        row.get("completion_tokens"),
        row.get("total_tokens"),
        *split_of(metadata, usage),
        decimal_text(spend, "$.spend"),
        rest,
    )


def _columns(row: dict[str, Any]) -> tuple[Any, ...]:
    """The values of COLUMNS, null for a column that an older version of the table lacks."""
    try:
        return _PICK(row)
    except KeyError:
        return tuple(map(row.get, COLUMNS))


def _check_once(line: bytes, held: Any, row: dict[str, Any], *parts: dict[str, Any]) -> None:
    """Refuses a line that repeats a key; some keys stand in the metadata too."""
    metadata, logged, usage, _ = parts
    if type(held) is str:
        check_keys_once(line, ((b'"request_id"', 1), (b'"status"', 1), *COUNTED, *ONCE))
        check_keys_once(held.encode(), COUNTED + ONCE)
        return
    details = (usage.get("prompt_tokens_details"), usage.get("completion_tokens_details"))
    if has_keys_of(line, row, *parts, *details, metadata.get("additional_usage_values")):
        return
    times = (b'"request_id"', 1 + ("request_id" in logged)), (b'"status"', 1 + ("status" in metadata))
    check_keys_once(line, times)
    check_keys_once(line, COUNTED_TWICE if usage else COUNTED)
    check_keys_once(line, ONCE)
