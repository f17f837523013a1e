"""Reader of SGLang's request metrics files: one JSON object per finished request.

The prompt count includes cached tokens. The file names no model: a source entry may. Served on own devices,
so tokens have no price of their own.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import epoch_us, required_text, shown

SOURCE = "sglang.request_metrics"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the first line has the fields that only this file has together."""
    return b'"request_received_ts"' in head and b'"request_finished_ts"' in head


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line; the model is the one stated for the file."""
    return read_json_lines(stream, partial(parse, options.model))


def parse(model: str | None, record: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one request under canonical names."""
    check_keys_once(line, ((b'"prompt_tokens"', 1), (b'"completion_tokens"', 1), (b'"cached_tokens"', 1)))
    started = epoch_us(record.get("request_received_ts"), "$.request_received_ts")
    waited, ended = record.get("first_token_latency"), record.get("request_finished_ts")
    if waited is not None and type(waited) not in (int, float):
        raise RejectError("not_a_time", f"$.first_token_latency: {shown(waited)} is no number of seconds")
    reason = record.get("finish_reason")
    kind = reason.get("type") if type(reason) is dict else reason
    return attempt(
        source=SOURCE,
        source_event_id=required_text(record, "id"),
        provider="self_hosted",
        requested_model=model,
        served_model=model,
        operation="chat",
        outcome="cancelled" if kind == "abort" else "success",
        finish_reason=kind,
        started_at_us=started,
        first_token_at_us=None if waited is None else started + round(waited * 1_000_000),
        ended_at_us=None if ended is None else epoch_us(ended, "$.request_finished_ts"),
        usage_profile=SOURCE,
        reported_input=record.get("prompt_tokens"),
        reported_cached=record.get("cached_tokens"),
        reported_cache_write=0,
        reported_output=record.get("completion_tokens"),
        reported_reasoning=record.get("reasoning_tokens"),
    )
