"""How a file of OTLP/JSON export requests spells a call of the sample.

What lives here: spans with the attribute names of the GenAI conventions, today's and older ones.
What does not: which calls happen (story.py, background.py).
"""

from __future__ import annotations

from typing import Any

from calls import Call, hex_id

SERVED = {
    "gpt-5": "gpt-5-2025-08-07",
    "gpt-5-mini": "gpt-5-mini-2025-08-07",
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
    "claude-sonnet-4-5": "claude-sonnet-4-5-20250929",
    "claude-haiku-4-5": "claude-haiku-4-5-20251001",
}


def attribute(key: str, value: object) -> dict[str, Any]:
    """One OTLP/JSON attribute; 64-bit integers travel as text."""
    if isinstance(value, bool):
        return {"key": key, "value": {"boolValue": value}}
    if isinstance(value, float):
        return {"key": key, "value": {"doubleValue": value}}
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    if isinstance(value, list):
        return {"key": key, "value": {"arrayValue": {"values": [{"stringValue": item} for item in value]}}}
    return {"key": key, "value": {"stringValue": value}}


def usage_attributes(call: Call) -> dict[str, object]:
    """Token counts under the attribute names of the GenAI conventions; not stated means no attribute."""
    usage = call.usage
    if usage is None:
        return {}
    if not usage.is_split_stated:
        # Instrumentations of before the split wrote these names.
        return {"gen_ai.usage.prompt_tokens": usage.prompt, "gen_ai.usage.completion_tokens": usage.output}
    found: dict[str, object] = {
        "gen_ai.usage.input_tokens": usage.prompt,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.output_tokens": usage.output,
    }
    if usage.written:
        found["gen_ai.usage.cache_creation.input_tokens"] = usage.written
    if usage.reasoning is not None:
        found["gen_ai.usage.reasoning.output_tokens"] = usage.reasoning
    return found


def first_chunk_s(call: Call) -> float | None:
    """Seconds until the first chunk came; None where the call did not stream."""
    return None if call.first_token_ms is None else call.first_token_ms / 1_000


def span_attributes(call: Call) -> dict[str, object]:
    """Everything the span says about the call, by attribute name."""
    is_old = call.usage is not None and not call.usage.is_split_stated
    found: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.system" if is_old else "gen_ai.provider.name": call.provider,
        "gen_ai.request.model": call.model,
    }
    if call.error is None or call.usage is not None:
        found["gen_ai.response.model"] = SERVED.get(call.model, call.model)
        found["gen_ai.response.id"] = f"resp_{hex_id(call.name, 20)}"
    found |= usage_attributes(call)
    if call.finish_reason is not None:
        found["gen_ai.response.finish_reasons"] = [call.finish_reason]
    if call.error is not None:
        found["error.type"] = call.error[0]
    for key, value in (
        ("gen_ai.conversation.id", call.session),
        ("gen_ai.response.time_to_first_chunk", first_chunk_s(call)),
        ("app.feature", call.feature),
        ("app.team", call.team),
        ("app.request.id", call.request),
        ("app.usage.estimated", call.is_estimated or None),
    ):
        if value is not None:
            found[key] = value
    return found | call.extra


def span(call: Call) -> dict[str, Any]:
    """The call as one client span of OTLP/JSON."""
    trace = call.trace or call.name
    return {
        "traceId": hex_id(f"trace {trace}", 32),
        "spanId": hex_id(f"span {call.name}", 16),
        "parentSpanId": hex_id(f"parent {trace}", 16),
        "name": f"chat {call.model}",
        "kind": 3,
        "startTimeUnixNano": str(call.at_us * 1_000),
        "endTimeUnixNano": str((call.at_us + call.duration_ms * 1_000) * 1_000),
        "attributes": [attribute(key, value) for key, value in span_attributes(call).items()],
        "status": {} if call.error is None else {"code": 2},
    }


def other_span(
    name: str, trace: str, at_us: int, duration_ms: int, attributes: dict[str, object]
) -> dict[str, Any]:
    """A span that is no inference: a tool run, or the agent around it (which repeats its calls' counts)."""
    return {
        "traceId": hex_id(f"trace {trace}", 32),
        "spanId": hex_id(f"span {name}", 16),
        "name": attributes["gen_ai.operation.name"],
        "kind": 1,
        "startTimeUnixNano": str(at_us * 1_000),
        "endTimeUnixNano": str((at_us + duration_ms * 1_000) * 1_000),
        "attributes": [attribute(key, value) for key, value in attributes.items()],
        "status": {},
    }


def export_request(service: str, environment: str, spans: list[dict[str, Any]]) -> dict[str, Any]:
    """One OTLP export request: what the collector's file exporter writes as one line."""
    resource = [attribute("service.name", service), attribute("deployment.environment.name", environment)]
    scope = {"name": "opentelemetry.instrumentation.genai", "version": "1.3b0"}
    scopes = [{"scope": scope, "spans": spans}]
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": scopes}]}
