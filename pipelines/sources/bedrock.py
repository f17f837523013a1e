"""Reader of Amazon Bedrock model-invocation logs: one JSON object per line.

Input counts exclude what was read from and written to the cache. The log states no lifetime of a write
outside of the body. `modelId` may be an inference profile that only its owner can map to a model.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, error_class_of_name, iso_us, required_text

SOURCE = "aws.bedrock.invocation_log"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
COUNTS = ("inputTokenCount", "cacheReadInputTokenCount", "cacheWriteInputTokenCount", "outputTokenCount")
REFUSALS = {"refusal", "content_filtered", "guardrail_intervened"}


def sniff(head: bytes) -> bool:
    """Whether the first line is a model-invocation log record."""
    return b'"ModelInvocationLog"' in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(record: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one invocation under canonical names."""
    if record.get("schemaType") != "ModelInvocationLog":
        return Skip("not_an_invocation")
    check_keys_once(line, [(f'"{name}"'.encode(), 1) for name in COUNTS])
    asked, answered = child(record, "input", "$"), child(record, "output", "$")
    body = answered.get("outputBodyJson")
    reason = body.get("stopReason") if type(body) is dict else None
    error = record.get("errorCode")
    is_stated = asked.get("inputTokenCount") is not None
    return attempt(
        source=SOURCE,
        source_event_id=required_text(record, "requestId"),
        response_id=record.get("requestId"),
        provider="aws.bedrock",
        requested_model=record.get("modelId"),
        served_model=None if error else record.get("modelId"),
        region=record.get("inferenceRegion") or record.get("region"),
        operation="embeddings" if "embed" in str(record.get("modelId")) else "chat",
        user=child(record, "identity", "$").get("arn"),
        outcome="error" if error else "refused" if reason in REFUSALS else "success",
        error_type=error,
        error_class=error_class_of_name(error),
        finish_reason=reason,
        started_at_us=iso_us(record.get("timestamp"), "$.timestamp"),
        usage_profile="bedrock.converse",
        reported_input=asked.get("inputTokenCount"),
        reported_cached=asked.get("cacheReadInputTokenCount", 0 if is_stated else None),
        reported_cache_write=asked.get("cacheWriteInputTokenCount", 0 if is_stated else None),
        # A call that failed before it was answered has no output object: that is no output.
        reported_output=answered.get("outputTokenCount", 0 if error and is_stated else None),
        **tags_in(record.get("requestMetadata"), "$.requestMetadata"),
    )
