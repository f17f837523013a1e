"""Reader of Helicone request exports: one JSON object per line.

The prompt count normally excludes the cache; the total shows it where an older row does not. A cache
reference that is not all zeros is a hit of Helicone's own cache.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import decimal_text, error_class_of, iso_us, required_text

SOURCE = "helicone.requests"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
NO_REFERENCE = {None, "", "00000000-0000-0000-0000-000000000000"}
PROVIDERS = {
    "azure": "azure.ai.openai",
    "aws": "aws.bedrock",
    "google": "gcp.gemini",
    "mistral": "mistral_ai",
}
COUNTS = ("prompt_tokens", "prompt_cache_read_tokens", "completion_tokens", "total_tokens")


def sniff(head: bytes) -> bool:
    """Whether the first line has the fields of an exported request."""
    return all(
        key in head for key in (b'"request_created_at"', b'"response_status"', b'"cache_reference_id"')
    )


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one request under canonical names."""
    check_keys_once(line, [(f'"{name}"'.encode(), 1) for name in COUNTS])
    status, ended = row.get("response_status"), row.get("response_created_at")
    started, waited = (
        iso_us(row.get("request_created_at"), "$.request_created_at"),
        row.get("time_to_first_token"),
    )
    provider = (row.get("provider") or "").lower()
    is_error = type(status) is int and status >= 400
    return attempt(
        source=SOURCE,
        source_event_id=required_text(row, "request_id"),
        user=row.get("request_user_id"),
        provider=PROVIDERS.get(provider, provider),
        requested_model=row.get("request_model") or row.get("model"),
        served_model=row.get("response_model"),
        operation="chat",
        outcome="cancelled" if status in (-3, 499) else "error" if is_error else "success",
        error_class=error_class_of(status) if is_error and status != 499 else None,
        http_status=status if type(status) is not int or status > 0 else None,
        is_gateway_cache_hit=row.get("cache_reference_id") not in NO_REFERENCE,
        started_at_us=started,
        first_token_at_us=None if not waited else started + waited * 1000,
        ended_at_us=None if ended is None else iso_us(ended, "$.response_created_at"),
        usage_profile=SOURCE,
        reported_input=row.get("prompt_tokens"),
        reported_cached=row.get("prompt_cache_read_tokens"),
        reported_cache_write=row.get("prompt_cache_write_tokens"),
        reported_output=row.get("completion_tokens"),
        reported_total=row.get("total_tokens"),
        reported_input_audio=row.get("prompt_audio_tokens"),
        reported_output_audio=row.get("completion_audio_tokens"),
        reported_cost_usd=decimal_text(row.get("cost"), "$.cost"),
        **tags_in(row.get("properties") or row.get("request_properties"), "$.properties"),
    )
