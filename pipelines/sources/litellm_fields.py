"""What the two logs of LiteLLM share: usage object, tags, outcome, and what the application states itself.

`prompt_tokens` includes what was read from and written to the provider's cache. Not here: the columns and
times of either log.
"""

from typing import Any

import orjson

from pipelines.sources.base import RejectError
from pipelines.sources.values import error_class_of, error_class_of_name, http_status_of, shown

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
NOTHING: dict[str, Any] = {}


def stated_by_application(logged: dict[str, Any]) -> tuple[Any, ...]:
    """What the application said itself: its request, the number of the try, why it ended, who counted."""
    if not logged:
        return (None, None, None, None)
    request = logged.get("request_id") or logged.get("idempotency_key")
    reason, is_estimated = logged.get("finish_reason"), bool(logged.get("usage_estimated"))
    return (request, logged.get("attempt"), reason, is_estimated)


def document(value: Any, path: str) -> dict[str, Any]:
    """A JSON column: an object, or the text of one, as some exports write it."""
    if type(value) is str:
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            raise RejectError("broken_json", f"{path}: a text that is not JSON") from None
    if value is None:
        return NOTHING
    if type(value) is not dict:
        raise RejectError("not_an_object", f"{path}: {shown(value)} is not an object")
    return value


def outcome_of(status: Any, error: dict[str, Any], logged: dict[str, Any]) -> tuple[Any, ...]:
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


def tags_of(
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


def split_of(metadata: dict[str, Any], usage: dict[str, Any]) -> tuple[Any, ...]:
    """The parts of input and output; a details block states the parts it leaves out as zero."""
    inputs, outputs = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    added = usage or metadata.get("additional_usage_values") or NOTHING
    cached, written = added.get("cache_read_input_tokens"), added.get("cache_creation_input_tokens")
    lives: dict[str, Any] = NOTHING
    if inputs:
        cached = inputs.get("cached_tokens", 0 if cached is None else cached)
        written = inputs.get("cache_creation_tokens", 0 if written is None else written)
        lives = inputs.get("cache_creation_token_details") or NOTHING
    inputs, outputs = inputs or NOTHING, outputs or NOTHING
    tools = usage.get("server_tool_use") or NOTHING
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
