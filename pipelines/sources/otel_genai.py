"""Reader of OTLP/JSON trace files with GenAI spans: one export request per line, one record per span.

Input counts include what was read from and written to the provider's cache; a missing attribute is "not
stated". Attribute names of older conventions are read too. Spans that are no model call (tools, agents,
which may repeat the counts of their children) are skipped.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import read_json_groups
from pipelines.sources.otlp import Span, attributes_of, is_trace, span_of, spans_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import error_class_of, error_class_of_name, http_status_of

SOURCE = "otel.genai"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS = {"usage_profile": SOURCE}
FIELDS = (
    "source_event_id",
    "response_id",
    "trace_id",
    "span_id",
    "parent_span_id",
    "session_id",
    "stated_request_id",
    "stated_attempt_number",
    "feature_tag",
    "team_tag",
    "project_tag",
    "environment_tag",
    "customer",
    "route",
    "user",
    "provider",
    "requested_model",
    "served_model",
    "service_tier",
    "operation",
    "outcome",
    "error_class",
    "http_status",
    "error_type",
    "finish_reason",
    "started_at_us",
    "first_token_at_us",
    "ended_at_us",
    "is_usage_estimated",
    "reported_input",
    "reported_cached",
    "reported_cache_write",
    "reported_output",
    "reported_reasoning",
)
INFERENCE = {"chat", "text_completion", "generate_content", "embeddings"}
REFUSALS = {"refusal", "content_filter"}
CANCELLED = {"499", "cancelled", "CancelledError"}
# Today's name of a count, then what older instrumentations call it.
COUNTS = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
    ("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens"),
    ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    ("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens"),
)


def sniff(head: bytes) -> bool:
    """Whether the head is an export request, and not one of OpenInference."""
    return b'"resourceSpans"' in head and b'"openinference.span.kind"' not in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per span; positions are "line/span"."""
    del options
    return read_json_groups(stream, parse)


def parse(request: dict[str, Any], line: bytes) -> Iterator[Row | Skip | RejectError]:
    """Yields the records of one export request."""
    if not is_trace(request):
        yield Skip("not_a_trace")
        return
    for raw in spans_of(request, line):
        if isinstance(raw, RejectError):
            yield raw
            continue
        try:
            yield _record(raw)
        except RejectError as error:
            yield error


def _record(raw: dict[str, Any]) -> Row | Skip:
    said = attributes_of(raw, "$.attributes")
    if said.get("gen_ai.operation.name") not in INFERENCE:
        return Skip("not_an_inference_span")
    return _row(span_of(raw, said))


def _row(span: Span) -> Row:
    said, resource = span.attributes, span.resource
    outcome, error_class, http_status = _outcome(span)
    reasons = said.get("gen_ai.response.finish_reasons") or [None]
    return (
        span.span_id,
        said.get("gen_ai.response.id"),
        span.trace_id,
        span.span_id,
        span.parent_span_id,
        said.get("gen_ai.conversation.id"),
        *_request(span),
        said.get("app.feature"),
        said.get("app.team"),
        said.get("app.project"),
        resource.get("deployment.environment.name") or resource.get("deployment.environment"),
        said.get("app.customer") or said.get("app.customer.id"),
        resource.get("service.name"),
        said.get("user.id") or said.get("enduser.id"),
        said.get("gen_ai.provider.name") or said.get("gen_ai.system"),
        said.get("gen_ai.request.model"),
        said.get("gen_ai.response.model"),
        said.get("openai.response.service_tier") or said.get("gen_ai.openai.response.service_tier"),
        said["gen_ai.operation.name"],
        outcome,
        error_class,
        http_status,
        said.get("error.type"),
        reasons[0],
        span.started_at_us,
        _first_token(span),
        span.ended_at_us,
        said.get("app.usage.estimated"),
        *(said.get(name, said.get(older)) for name, older in COUNTS),
    )


def _request(span: Span) -> tuple[str | None, int | None]:
    """The request a span belongs to, and the number of its try: by name, or by the parent of resends."""
    said = span.attributes
    resent = said.get("http.request.resend_count")
    number = resent + 1 if type(resent) is int else None
    if said.get("app.request.id"):
        return said["app.request.id"], number
    return (f"{span.trace_id}:{span.parent_span_id}" if resent is not None else None), number


def _outcome(span: Span) -> tuple[str, str | None, int | None]:
    said = span.attributes
    error = said.get("error.type")
    status = said.get("http.response.status_code", http_status_of(error))
    if error is None and not span.is_error:
        refused = REFUSALS.intersection(said.get("gen_ai.response.finish_reasons") or ())
        return ("refused" if refused else "success"), None, status
    if error in CANCELLED:
        return "cancelled", None, status
    return "error", error_class_of(status) or error_class_of_name(error), status


def _first_token(span: Span) -> int | None:
    waited = span.attributes.get("gen_ai.response.time_to_first_chunk")
    if waited is None or span.started_at_us is None:
        return None
    return span.started_at_us + round(waited * 1_000_000)
