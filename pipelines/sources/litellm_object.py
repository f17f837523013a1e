"""Reader of LiteLLM's object-store log: one standard logging payload per JSON line or `.json` object.

Counts mean what they mean in the spend log; times are seconds since 1970. A retry has an id of its own and
the trace id of the first try, but so have unrelated calls of one trace, so the trace id makes no request.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.litellm_fields import (
    OPERATIONS,
    document,
    outcome_of,
    split_of,
    stated_by_application,
    tags_of,
)
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, epoch_us, required_text

SOURCE = "litellm.standard_logging"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
SPLIT = (
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
)
OUTCOME = ("outcome", "error_class", "http_status", "error_type")
LOGGED = ("stated_request_id", "stated_attempt_number", "finish_reason", "is_usage_estimated")
TAGS = ("feature_tag", "team_tag", "project_tag", "environment_tag")
ONCE = ((b'"response_cost"', 1), (b'"cached_tokens"', 1), (b'"reasoning_tokens"', 1), (b'"prompt_tokens"', 2))


def sniff(head: bytes) -> bool:
    """Whether the first line has the fields that only this payload has together."""
    return all(key in head for key in (b'"response_cost"', b'"startTime"', b'"call_type"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(payload: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one payload under canonical names."""
    check_keys_once(line, ONCE)
    metadata = document(payload.get("metadata"), "$.metadata")
    logged = child(metadata, "spend_logs_metadata", "$.metadata")
    usage = child(metadata, "usage_object", "$.metadata")
    event_id, status = required_text(payload, "id"), payload.get("status")
    return attempt(
        source=SOURCE,
        source_event_id=event_id,
        response_id=event_id if status == "success" and not payload.get("cache_hit") else None,
        trace_id=payload.get("trace_id"),
        session_id=payload.get("session_id"),
        customer=payload.get("end_user"),
        api_key=metadata.get("user_api_key_hash"),
        user=metadata.get("user_api_key_user_id"),
        route=payload.get("model_group"),
        provider=payload.get("custom_llm_provider"),
        requested_model=payload.get("model"),
        served_model=payload.get("model") if status == "success" else None,
        service_tier=usage.get("service_tier"),
        operation=OPERATIONS.get(payload.get("call_type") or "", payload.get("call_type")),
        is_stream=payload.get("stream"),
        is_gateway_cache_hit=bool(payload.get("cache_hit")),
        usage_profile="litellm.spendlogs",
        reported_input=payload.get("prompt_tokens"),
        reported_output=payload.get("completion_tokens"),
        reported_total=payload.get("total_tokens"),
        reported_cost_usd=decimal_text(payload.get("response_cost"), "$.response_cost"),
        **_times(payload),
        **_tags(payload, metadata, logged),
        **dict(zip(LOGGED, stated_by_application(logged), strict=True)),
        **dict(
            zip(OUTCOME, outcome_of(status, child(payload, "error_information", "$"), logged), strict=True)
        ),
        **dict(zip(SPLIT, split_of(metadata, usage), strict=True)),
    )


def _times(payload: dict[str, Any]) -> dict[str, int | None]:
    """Start, first token and end; for a call that does not stream, LiteLLM writes the end as first token."""
    first, ended = payload.get("completionStartTime"), payload.get("endTime")
    return {
        "started_at_us": epoch_us(payload.get("startTime"), "$.startTime"),
        "first_token_at_us": None if first in (None, ended) else epoch_us(first, "$.completionStartTime"),
        "ended_at_us": None if ended is None else epoch_us(ended, "$.endTime"),
    }


def _tags(payload: dict[str, Any], metadata: dict[str, Any], logged: dict[str, Any]) -> dict[str, Any]:
    tags, rest = tags_of(payload, metadata, logged)
    return dict(zip(TAGS, tags, strict=True)) | {"tags": rest}
