"""The sample's native lines read a second time, the slow and plain way.

What lives here: which line is an attempt, a skip, a duplicate or a reject, and the counts of each attempt.
What does not: the readers (pipelines/sources), of which this file imports nothing; prices; sums.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOST_TOKENS = 1_000_000_000
EARLIEST_US = 1_577_836_800_000_000  # 2020-01-01: what is older is a clock that was never set
INFERENCE = {"chat", "text_completion", "generate_content", "embeddings"}
ERROR_CLASSES = {"429": "rate_limited", "408": "timeout", "400": "client"}


class RejectError(Exception):
    """A record that nobody can read, by its reason code."""


@dataclass
class Attempt:
    """One attempt as its record states it; None is 'not stated', times are microseconds UTC."""

    source: str
    event_id: str
    provider: str
    model: str
    used_at_us: int
    ended_at_us: int
    outcome: str
    error_class: str | None
    tags: dict[str, str | None]
    request: str | None
    input: int | None
    output: int | None
    cached: int | None = None
    written: int | None = None
    written_5m: int | None = None
    written_1h: int | None = None
    reasoning: int | None = None
    is_estimated: bool = False
    is_gateway_cache_hit: bool = False
    file: str = ""
    file_sha256: str = ""
    position: str = ""

    @property
    def day(self) -> str:
        """The UTC day that the attempt's money lies on."""
        return (EPOCH + timedelta(microseconds=self.used_at_us)).date().isoformat()


@dataclass
class FileAccount:
    """What became of the records of one file."""

    records: int = 0
    parsed: int = 0
    duplicates: int = 0
    skips: dict[str, int] = field(default_factory=dict)
    rejects: dict[str, int] = field(default_factory=dict)


def text_of(path: Path) -> str:
    """A file's text, unpacked where it is packed."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def count_of(value: object) -> int | None:
    """A token count as stated, None where it is not; anything that is no count is a reject."""
    if value is None:
        return None
    if isinstance(value, bool):
        raise RejectError("not_a_count")
    number = int(str(value))
    if number < 0:
        raise RejectError("negative_count")
    if number > MOST_TOKENS:
        raise RejectError("absurd_count")
    return number


def litellm_instant(text: str) -> int:
    """Microseconds UTC of a LiteLLM time, which is UTC and says no zone."""
    try:
        found = (datetime.fromisoformat(f"{text}+00:00") - EPOCH) // timedelta(microseconds=1)
    except ValueError:
        raise RejectError("not_a_time") from None
    if found < EARLIEST_US:
        raise RejectError("time_out_of_range")
    return found


def litellm_outcome(row: dict[str, Any], logged: dict[str, Any]) -> tuple[str, str | None]:
    """Outcome and error class of a spend-log row."""
    if row["status"] is None:
        return "unknown", None
    if row["status"] == "success":
        return (
            "refused" if logged.get("finish_reason") in ("refusal", "content_filter") else "success"
        ), None
    error = row["metadata"].get("error_information", {})
    code, name = error.get("error_code"), error.get("error_class", "")
    if code == "499" or name.startswith("Cancelled"):
        return "cancelled", None
    if name == "ContentPolicyViolationError":
        return "error", "content_filter"
    return "error", ERROR_CLASSES.get(code, "server")


def litellm_counts(row: dict[str, Any]) -> dict[str, int | None]:
    """Token counts of a spend-log row; a details block states its missing parts as zero."""
    found: dict[str, int | None] = {
        "input": count_of(row["prompt_tokens"]),
        "output": count_of(row["completion_tokens"]),
    }
    usage = row["metadata"].get("usage_object", {})
    details = usage.get("prompt_tokens_details")
    if details is not None:
        found["cached"] = count_of(details.get("cached_tokens", 0))
        found["written"] = count_of(details.get("cache_creation_tokens", 0))
        lifetimes = details.get("cache_creation_token_details", {})
        found["written_5m"] = count_of(lifetimes.get("ephemeral_5m_input_tokens"))
        found["written_1h"] = count_of(lifetimes.get("ephemeral_1h_input_tokens"))
    details = usage.get("completion_tokens_details")
    if details is not None:
        found["reasoning"] = count_of(details.get("reasoning_tokens", 0))
    parts = (found.get("cached") or 0) + (found.get("written") or 0)
    if parts > (found["input"] or 0) or (found.get("reasoning") or 0) > (found["output"] or 0):
        raise RejectError("negative_remainder")
    return found


def litellm_attempt(line: str) -> Attempt:
    """One line of a LiteLLM spend log."""
    try:
        row = json.loads(line)
    except ValueError:
        raise RejectError("broken_json") from None
    if not row["request_id"]:
        raise RejectError("missing_field")
    logged = row["metadata"].get("spend_logs_metadata", {})
    tags = dict(tag.split(":", 1) for tag in row["request_tags"])
    outcome, error_class = litellm_outcome(row, logged)
    return Attempt(
        source="litellm.spendlogs",
        event_id=row["request_id"],
        provider=row["custom_llm_provider"],
        model=row["model"],
        used_at_us=litellm_instant(row["startTime"]),
        ended_at_us=litellm_instant(row["endTime"]),
        outcome=outcome,
        error_class=error_class,
        tags={
            "feature": tags.get("feature"),
            "team": row["team_id"] or None,
            "environment": tags.get("env"),
            "route": row["model_group"],
        },
        request=logged.get("request_id"),
        is_estimated=logged.get("usage_estimated", False),
        is_gateway_cache_hit=row["cache_hit"] == "True",
        **litellm_counts(row),
    )


def attributes_of(holder: dict[str, Any]) -> dict[str, Any]:
    """Attributes of a span or a resource as plain values."""
    found: dict[str, Any] = {}
    for item in holder["attributes"]:
        ((kind, value),) = item["value"].items()
        found[item["key"]] = (
            [part["stringValue"] for part in value["values"]] if kind == "arrayValue" else value
        )
    return found


def span_outcome(said: dict[str, Any]) -> tuple[str, str | None]:
    """Outcome and error class of a span."""
    error = said.get("error.type")
    if error is None:
        refused = {"refusal", "content_filter"} & set(said.get("gen_ai.response.finish_reasons", ()))
        return ("refused" if refused else "success"), None
    if error in ("499", "cancelled", "CancelledError"):
        return "cancelled", None
    return "error", ERROR_CLASSES.get(error, "server")


def span_request(span: dict[str, Any], said: dict[str, Any]) -> str | None:
    """The request that a span states: by name, or by the parent that the resends share."""
    if said.get("app.request.id"):
        return said["app.request.id"]
    return f"{span['traceId']}:{span['parentSpanId']}" if "http.request.resend_count" in said else None


def whole_input(stated: int | None, cached: int | None, written: int | None) -> int | None:
    """The whole input of a span: cached tokens lie inside the stated count unless they exceed it."""
    parts = (cached or 0) + (written or 0)
    return stated + parts if stated is not None and parts > stated else stated


def span_attempt(span: dict[str, Any], resource: dict[str, Any]) -> Attempt | None:
    """One span; None where it is no inference."""
    said = attributes_of(span)
    if said.get("gen_ai.operation.name") not in INFERENCE:
        return None
    if not span.get("spanId"):
        raise RejectError("missing_field")
    outcome, error_class = span_outcome(said)
    cached = count_of(said.get("gen_ai.usage.cache_read.input_tokens"))
    written = count_of(said.get("gen_ai.usage.cache_creation.input_tokens"))
    stated_input = said.get("gen_ai.usage.input_tokens", said.get("gen_ai.usage.prompt_tokens"))
    stated_output = said.get("gen_ai.usage.output_tokens", said.get("gen_ai.usage.completion_tokens"))
    return Attempt(
        source="otel.genai",
        event_id=span["spanId"],
        provider=said.get("gen_ai.provider.name") or said["gen_ai.system"],
        model=said.get("gen_ai.response.model", said["gen_ai.request.model"]),
        used_at_us=int(span["startTimeUnixNano"]) // 1_000,
        ended_at_us=int(span["endTimeUnixNano"]) // 1_000,
        outcome=outcome,
        error_class=error_class,
        tags={
            "feature": said.get("app.feature"),
            "team": said.get("app.team"),
            "environment": resource.get("deployment.environment.name"),
            "route": resource.get("service.name"),
        },
        request=span_request(span, said),
        input=whole_input(count_of(stated_input), cached, written),
        output=count_of(stated_output),
        cached=cached,
        written=written,
        reasoning=count_of(said.get("gen_ai.usage.reasoning.output_tokens")),
        is_estimated=said.get("app.usage.estimated", False),
    )


def spans_of(line: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The spans of one export request, each with the attributes of its resource."""
    try:
        request = json.loads(line)
    except ValueError:
        raise RejectError("broken_json") from None
    return [
        (span, attributes_of(group["resource"]))
        for group in request["resourceSpans"]
        for scope in group["scopeSpans"]
        for span in scope["spans"]
    ]
