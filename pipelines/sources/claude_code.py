"""Reader of Claude Code session transcripts: JSON lines, of which those of the assistant carry usage.

One message is written several times while it streams and again by side chains and resumed sessions: message
id and request id are the record, the later line with the larger output wins. Input counts exclude the
cache. A transcript misses some calls of the tool itself, so its total is a lower bound.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.provider_bodies import anthropic_messages
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, iso_us, required_text

SOURCE = "claude_code.session"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS


def sniff(head: bytes) -> bool:
    """Whether the first lines are those of a session."""
    return b'"sessionId"' in head and any(key in head for key in (b'"uuid"', b'"leafUuid"', b'"requestId"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(entry: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one line of an assistant's message under canonical names."""
    del line
    # Older sessions state no type of the line.
    is_assistant = entry.get("type", "assistant") == "assistant"
    message = child(entry, "message", "$") if is_assistant else {}
    if not message.get("usage"):
        return Skip("not_an_assistant_message")
    if message.get("model") == "<synthetic>":
        return Skip("synthetic_message")
    written = iso_us(entry.get("timestamp"), "$.timestamp")
    return attempt(
        **anthropic_messages(message)
        | {
            "source": SOURCE,
            "source_event_id": required_text(message, "id"),
            # The stream's first lines carry a placeholder output; later lines of one message replace
            # earlier ones.
            "record_sequence": written,
            "session_id": entry.get("sessionId"),
            "provider": "anthropic",
            "operation": "chat",
            "outcome": "refused" if message.get("stop_reason") == "refusal" else "success",
            "logged_at_us": written,
            "reported_cost_usd": decimal_text(entry.get("costUSD"), "$.costUSD"),
        }
    )
