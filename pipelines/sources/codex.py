"""Reader of Codex CLI rollout files: JSON lines, of which token counts are usage events.

Each event repeats the totals of the session; its own usage is `last_token_usage`. An event that repeats the
total of the one before is no new call. There is no response id: session and ordinal are the record. Input
includes the cache, output includes reasoning.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, iso_us

SOURCE = "codex.session"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the first lines are those of a rollout file."""
    return b'"session_meta"' in head or (b'"turn_context"' in head and b'"payload"' in head)


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, _Session(stream.file_sha256))


class _Session:
    """What a token count needs of the lines before it: session, model, ordinal, the last total."""

    def __init__(self, file_sha256: str) -> None:
        # A file without its first line is still known by its content.
        self._session = file_sha256
        self._model: str | None = None
        self._ordinal = 0
        self._total: Any = None

    def __call__(self, entry: dict[str, Any], line: bytes) -> Row | Skip:
        del line
        payload = child(entry, "payload", "$")
        if entry.get("type") == "session_meta":
            self._session = payload.get("id") or self._session
        elif entry.get("type") == "turn_context":
            self._model = payload.get("model") or self._model
        usage = child(child(payload, "info", "$.payload"), "last_token_usage", "$.payload.info")
        if payload.get("type") != "token_count" or not usage:
            return Skip("not_a_usage_event")
        total = child(payload["info"], "total_token_usage", "$.payload.info")
        if total and total == self._total:
            return Skip("repeated_usage_event")
        self._total = total
        self._ordinal += 1
        return self._row(entry, usage)

    def _row(self, entry: dict[str, Any], usage: dict[str, Any]) -> Row:
        return attempt(
            source=SOURCE,
            source_event_id=f"{self._session}#{self._ordinal}",
            session_id=self._session,
            provider="openai",
            requested_model=self._model,
            served_model=self._model,
            operation="chat",
            outcome="success",
            logged_at_us=iso_us(entry.get("timestamp"), "$.timestamp"),
            usage_profile="openai.responses",
            reported_input=usage.get("input_tokens"),
            reported_cached=usage.get("cached_input_tokens", 0),
            reported_cache_write=0,
            reported_output=usage.get("output_tokens"),
            reported_reasoning=usage.get("reasoning_output_tokens", 0),
            reported_total=usage.get("total_tokens"),
        )
