"""Reader of OpenAI batch output files: one JSON object per line, the answer to one line of the batch.

Priced as batch, whatever tier the body names. A line that failed states no time: a source entry has to
state the instant, else it is a reject.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.provider_bodies import error_of, openai_chat, openai_responses
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, epoch_us, error_class_of, error_class_of_name, required_text

SOURCE = "openai.batch"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
# Tags that an application puts into the only text it may choose: `feature=classify;row=1`.
TAG = re.compile(r"([a-z]+)=([^;,&\s]+)")


def sniff(head: bytes) -> bool:
    """Whether the first line has the members of a batch answer."""
    return all(key in head for key in (b'"custom_id"', b'"response"', b'"error"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(answer: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one answer under canonical names."""
    del line
    response = child(answer, "response", "$")
    body = child(response, "body", "$.response")
    found = openai_responses(body) if body.get("object") == "response" else openai_chat(body)
    created = body.get("created", body.get("created_at"))
    status = response.get("status_code")
    error = child(answer, "error", "$").get("code") or error_of(body)
    is_error = error is not None or (type(status) is int and status >= 400)
    known = error_class_of(status) if type(status) is int else None
    return attempt(
        **found
        | tags_in(dict(TAG.findall(str(answer.get("custom_id") or ""))), "$.custom_id")
        | {
            "source": SOURCE,
            "source_event_id": found["response_id"] or required_text(answer, "id"),
            "provider": "openai",
            "operation": "chat",
            "processing": "batch",
            "service_tier": "batch" if body else None,
            "outcome": "error" if is_error else "success",
            "error_class": (known or error_class_of_name(error)) if is_error else None,
            "error_type": error,
            "http_status": status,
            "created_at_us": None if created is None else epoch_us(created, "$.response.body.created"),
        }
    )
