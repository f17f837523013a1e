"""Reader of Azure OpenAI diagnostic logs, category RequestResponse: one JSON object per line.

The stock record counts no tokens: the call keeps its place with its usage missing, and a billing export has
to price it.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import error_class_of, http_status_of, iso_us, required_text

SOURCE = "azure.diagnostic"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
CALLS = {
    "ChatCompletions_Create": "chat",
    "Responses_Create": "chat",
    "Completions_Create": "text_completion",
    "Embeddings_Create": "embeddings",
}


def sniff(head: bytes) -> bool:
    """Whether the first line is a resource log of a Cognitive Services account."""
    return all(key in head for key in (b'"operationName"', b'"resultSignature"', b'"correlationId"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(record: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one call under canonical names."""
    del line
    operation = CALLS.get(record.get("operationName") or "")
    if record.get("category") != "RequestResponse" or operation is None:
        return Skip("not_an_inference_call")
    about = _properties(record.get("properties"))
    started, took = iso_us(record.get("time"), "$.time"), record.get("durationMs")
    if took is not None and type(took) is not int:
        raise RejectError("not_a_count", "$.durationMs: not a whole number of milliseconds")
    status = http_status_of(record.get("resultSignature"))
    model = "-".join(part for part in (about.get("modelName"), about.get("modelVersion")) if part) or None
    is_error = status is not None and status >= 400
    return attempt(
        source=SOURCE,
        source_event_id=required_text(record, "correlationId"),
        provider="azure.ai.openai",
        requested_model=model,
        served_model=None if is_error else model,
        deployment=about.get("modelDeploymentName"),
        operation=operation,
        outcome="error" if is_error else "success",
        error_class=error_class_of(status),
        http_status=status,
        is_stream=about.get("streamType") == "Streaming",
        started_at_us=started,
        ended_at_us=None if took is None else started + took * 1000,
        usage_profile="openai.chat",
    )


def _properties(value: Any) -> dict[str, Any]:
    """The properties, an object or the text of one."""
    try:
        value = orjson.loads(value) if type(value) is str else value
    except orjson.JSONDecodeError:
        raise RejectError("broken_json", "$.properties: a text that is not JSON") from None
    return value if type(value) is dict else {}
