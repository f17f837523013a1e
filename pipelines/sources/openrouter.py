"""Reader of OpenRouter generation records: one JSON object per line, bare or inside `data`.

Billed are the native counts of the upstream provider, never the normalised ones beside them. Cached tokens
are inside the prompt, reasoning is inside the completion.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, iso_us, required_text

SOURCE = "openrouter.generation"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
COUNTS = ("native_tokens_prompt", "native_tokens_completion", "native_tokens_cached", "total_cost")


def sniff(head: bytes) -> bool:
    """Whether the first line has the counts that only this record has."""
    return b'"native_tokens_prompt"' in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(record: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one generation under canonical names."""
    check_keys_once(line, [(f'"{name}"'.encode(), 1) for name in COUNTS])
    data = child(record, "data", "$") or record
    reason = data.get("finish_reason")
    kept = {"upstream_provider": data.get("provider_name"), "is_byok": data.get("is_byok") or None}
    kept = {name: value for name, value in kept.items() if value is not None}
    return attempt(
        source=SOURCE,
        source_event_id=required_text(data, "id"),
        response_id=data.get("upstream_id"),
        provider="openrouter",
        served_model=data.get("model"),
        service_tier=data.get("service_tier"),
        operation="chat",
        outcome="cancelled" if data.get("cancelled") else "error" if reason == "error" else "success",
        finish_reason=reason,
        is_stream=data.get("streamed"),
        is_gateway_cache_hit=data.get("response_cache_source_id") is not None,
        created_at_us=iso_us(data.get("created_at"), "$.created_at"),
        usage_profile=SOURCE,
        reported_input=data.get("native_tokens_prompt"),
        reported_cached=data.get("native_tokens_cached"),
        reported_output=data.get("native_tokens_completion"),
        reported_reasoning=data.get("native_tokens_reasoning"),
        reported_cost_usd=decimal_text(data.get("total_cost"), "$.total_cost"),
        tags=orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode() if kept else None,
    )
