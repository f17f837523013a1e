"""Reader of OTLP/JSON trace files with OpenInference spans: one record per span.

Only the kinds LLM and EMBEDDING are model calls. The prompt count includes what was read from and written
to the cache.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import read_json_groups
from pipelines.sources.otlp import Span, attributes_of, is_trace, span_of, spans_of
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import decimal_text, error_class_of_name

SOURCE = "openinference"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
CALLS = {"LLM": "chat", "EMBEDDING": "embeddings"}
# The format's own provider words that differ from OpenTelemetry's.
PROVIDERS = {"azure": "azure.ai.openai", "aws": "aws.bedrock", "mistralai": "mistral_ai", "xai": "x_ai"}
COUNT = "llm.token_count."


def sniff(head: bytes) -> bool:
    """Whether the first line is an export request with spans of OpenInference."""
    return b'"resourceSpans"' in head and b'"openinference.span.kind"' in head


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
            said = attributes_of(raw, "$.attributes")
            is_call = said.get("openinference.span.kind") in CALLS
            yield _row(span_of(raw, said)) if is_call else Skip("not_an_inference_span")
        except RejectError as error:
            yield error


def _row(span: Span) -> Row:
    said, resource = span.attributes, span.resource
    model, error = said.get("llm.model_name") or said.get("embedding.model_name"), said.get("exception.type")
    provider = said.get("llm.provider") or said.get("llm.system")
    if provider == "google":
        provider = "gcp.vertex_ai" if said.get("llm.system") == "vertexai" else "gcp.gemini"
    return attempt(
        source=SOURCE,
        source_event_id=span.span_id,
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        session_id=said.get("session.id"),
        user=said.get("user.id"),
        route=resource.get("service.name"),
        provider=PROVIDERS.get(provider or "", provider),
        requested_model=model,
        served_model=None if span.is_error else model,
        operation=CALLS[said["openinference.span.kind"]],
        outcome="error" if span.is_error else "success",
        error_type=error if span.is_error else None,
        error_class=error_class_of_name(error) if span.is_error else None,
        started_at_us=span.started_at_us,
        ended_at_us=span.ended_at_us,
        usage_profile="otel.genai",
        reported_input=said.get(f"{COUNT}prompt"),
        reported_cached=said.get(f"{COUNT}prompt_details.cache_read"),
        reported_cache_write=said.get(f"{COUNT}prompt_details.cache_write"),
        reported_input_audio=said.get(f"{COUNT}prompt_details.audio"),
        reported_output=said.get(f"{COUNT}completion"),
        reported_reasoning=said.get(f"{COUNT}completion_details.reasoning"),
        reported_output_audio=said.get(f"{COUNT}completion_details.audio"),
        reported_total=said.get(f"{COUNT}total"),
        reported_cost_usd=decimal_text(said.get("llm.cost.total"), "$.llm.cost.total"),
        **{"environment_tag": resource.get("deployment.environment.name")} | _tags(said.get("metadata")),
    )


def _tags(metadata: Any) -> dict[str, str]:
    """Tags in the metadata, a JSON text; the text of a Python dict, which some write, says nothing."""
    try:
        found = orjson.loads(metadata) if type(metadata) is str else None
    except orjson.JSONDecodeError:
        found = None
    return tags_in(found, "$.metadata") if type(found) is dict else {}
