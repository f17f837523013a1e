"""Reader of aider's analytics lines: one JSON event per line, of which `message_send` is a model call.

No cache split and no id: an event is known by user, second and content. `cost` is aider's own estimate.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.ordinals import Ordinals
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, identity_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, epoch_us

SOURCE = "aider.analytics"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def sniff(head: bytes) -> bool:
    """Whether the first lines are events of aider."""
    return all(key in head for key in (b'"event"', b'"properties"', b'"user_id"', b'"time"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    ordinal = Ordinals()

    def parse(event: dict[str, Any], line: bytes) -> Row | Skip:
        del line
        if event.get("event") != "message_send":
            return Skip("not_a_message")
        about, at_us = child(event, "properties", "$"), epoch_us(event.get("time"), "$.time")
        model, user = about.get("main_model"), event.get("user_id")
        content = (user, model, *(about.get(name) for name in COUNTS), about.get("total_cost"))
        return attempt(
            source=SOURCE,
            source_event_id=identity_of(at_us, *content[:-1], ordinal(at_us, *content)),
            user=user,
            feature_tag=about.get("edit_format"),
            requested_model=model,
            served_model=model,
            operation="chat",
            outcome="success",
            logged_at_us=at_us,
            usage_profile=SOURCE,
            reported_input=about.get("prompt_tokens"),
            reported_output=about.get("completion_tokens"),
            reported_total=about.get("total_tokens"),
            reported_cost_usd=decimal_text(about.get("cost"), "$.properties.cost"),
        )

    return read_json_lines(stream, parse)
