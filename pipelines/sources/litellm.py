"""Reader of LiteLLM spend logs: one row of the table `LiteLLM_SpendLogs` per JSON line.

`prompt_tokens` includes what was read from and written to the provider's cache. The column `cache_hit`
speaks of the gateway's own cache only. Times are UTC by the definition of the table.
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import check_keys_once, has_keys_of, read_json_lines
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import (
    child,
    decimal_text,
    error_class_of,
    error_class_of_name,
    http_status_of,
    iso_us,
    required_text,
    shown,
)

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
OPERATIONS = {
    "completion": "chat",
    "acompletion": "chat",
    "responses": "chat",
    "aresponses": "chat",
    "anthropic_messages": "chat",
    "text_completion": "text_completion",
    "atext_completion": "text_completion",
    "embedding": "embeddings",
    "aembedding": "embeddings",
    "generate_content": "generate_content",
    "agenerate_content": "generate_content",
}
TAG_NAMES = {"feature": 0, "team": 1, "project": 2, "env": 3, "environment": 3}
REFUSALS = ("refusal", "content_filter")
MOST_TAGS_CHARACTERS = 4096
_NOTHING: dict[str, Any] = {}


def sniff(head: bytes) -> bool:
    """Whether the first line has the columns that only this table has together."""
    line = head.split(b"\n", 1)[0]
    return all(key in line for key in (b'"request_id"', b'"startTime"', b'"spend"', b'"call_type"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one row of the table under canonical names."""
    event_id, call_type, status, model, started, first, ended, hit, *people, spend, held = _columns(row)
    metadata = _document(held, "$.metadata")
    logged = child(metadata, "spend_logs_metadata", "$.metadata")
    usage = child(metadata, "usage_object", "$.metadata")
    error = child(metadata, "error_information", "$.metadata")
    _check_once(line, held, row, metadata, logged, usage, error)
    if type(event_id) is not str or not event_id:
        required_text(row, "request_id")
    is_served, is_hit = status != "failure", hit == "True"
    tags, rest = _tags(row, metadata, logged)
    return (
        event_id,
        event_id if is_served and not is_hit else None,
        *people,
        *_logged(logged),
        *tags,
        model or None,
        model or None if is_served else None,
        usage.get("service_tier"),
        OPERATIONS.get(call_type, call_type),
        *_outcome(status, error, logged),
        is_hit,
        iso_us(started, "$.startTime"),
        # For a call that does not stream, LiteLLM writes the end here.
        None if first is None or first == ended else iso_us(first, "$.completionStartTime"),
        None if ended is None else iso_us(ended, "$.endTime"),
        row.get("prompt_tokens"),
        row.get("completion_tokens"),
        row.get("total_tokens"),
        *_split(metadata, usage),
        decimal_text(spend, "$.spend"),
        rest,
    )


def _columns(row: dict[str, Any]) -> tuple[Any, ...]:
    """The values of COLUMNS, null for a column that an older version of the table lacks."""
    try:
        return _PICK(row)
    except KeyError:
        return tuple(map(row.get, COLUMNS))


def _logged(logged: dict[str, Any]) -> tuple[Any, ...]:
    """What the application said itself: its request, the number of the try, why it ended, who counted."""
    if not logged:
        return (None, None, None, None)
    request = logged.get("request_id") or logged.get("idempotency_key")
    reason, is_estimated = logged.get("finish_reason"), bool(logged.get("usage_estimated"))
    return (request, logged.get("attempt"), reason, is_estimated)


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


def _document(value: Any, path: str) -> dict[str, Any]:
    """A JSON column: an object, or the text of one, as some exports write it."""
    if type(value) is str:
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            raise RejectError("broken_json", f"{path}: a text that is not JSON") from None
    if value is None:
        return _NOTHING
    if type(value) is not dict:
        raise RejectError("not_an_object", f"{path}: {shown(value)} is not an object")
    return value


def _outcome(status: Any, error: dict[str, Any], logged: dict[str, Any]) -> tuple[Any, ...]:
    """Outcome, error class, HTTP status and the error's name."""
    if status == "success":
        refused = logged and logged.get("finish_reason") in REFUSALS
        return ("refused" if refused else "success", None, None, None)
    if status not in ("failure", None):
        raise RejectError("unknown_status", f"$.status: {shown(status)} is neither success nor failure")
    if status is None:
        return ("unknown", None, None, None)
    name, code = str(error.get("error_class") or ""), str(error.get("error_code") or "")
    http_status = http_status_of(code)
    if code == "499" or name.startswith("Cancelled"):
        return ("cancelled", None, http_status, name or None)
    if name == "ContentPolicyViolationError":
        return ("error", "content_filter", http_status, name)
    return ("error", error_class_of(http_status) or error_class_of_name(name), http_status, name or None)


def _tags(
    row: dict[str, Any], metadata: dict[str, Any], logged: dict[str, Any]
) -> tuple[list[str | None], str | None]:
    """Feature, team, project and environment, and the tags that are none of these as JSON text."""
    stated = row.get("request_tags")
    if type(stated) is str:
        try:
            stated = orjson.loads(stated)
        except orjson.JSONDecodeError:
            raise RejectError("broken_json", "$.request_tags: a text that is not JSON") from None
    found: list[str | None] = [None, None, None, None]
    rest: dict[str, str] = {}
    for tag in stated or ():
        name, _, value = tag.partition(":")
        place = TAG_NAMES.get(name)
        if place is None:
            rest[name] = value
        else:
            found[place] = found[place] or value
    if logged:
        for name, place in TAG_NAMES.items():
            found[place] = found[place] or logged.get(name)
    found[1] = found[1] or row.get("team_id") or metadata.get("user_api_key_team_alias")
    text = orjson.dumps(rest, option=orjson.OPT_SORT_KEYS).decode() if rest else None
    return found, text if text is None or len(text) <= MOST_TAGS_CHARACTERS else None


def _split(metadata: dict[str, Any], usage: dict[str, Any]) -> tuple[Any, ...]:
    """The parts of input and output; a details block states the parts it leaves out as zero."""
    inputs, outputs = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    added = usage or metadata.get("additional_usage_values") or _NOTHING
    cached, written = added.get("cache_read_input_tokens"), added.get("cache_creation_input_tokens")
    lives: dict[str, Any] = _NOTHING
    if inputs:
        cached = inputs.get("cached_tokens", 0 if cached is None else cached)
        written = inputs.get("cache_creation_tokens", 0 if written is None else written)
        lives = inputs.get("cache_creation_token_details") or _NOTHING
    inputs, outputs = inputs or _NOTHING, outputs or _NOTHING
    tools = usage.get("server_tool_use") or _NOTHING
    return (
        cached,
        written,
        lives.get("ephemeral_5m_input_tokens"),
        lives.get("ephemeral_1h_input_tokens"),
        inputs.get("audio_tokens"),
        inputs.get("image_tokens"),
        outputs.get("reasoning_tokens", 0 if outputs else None),
        outputs.get("audio_tokens"),
        outputs.get("image_tokens"),
        tools.get("web_search_requests"),
    )
