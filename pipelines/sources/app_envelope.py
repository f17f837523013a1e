"""Reader of the app envelope, our own plain way in: one JSON object per line around a provider's body.

`ts_start`, `ts_end` (RFC 3339), `request_id`, `provider`, `api`, `http_status`, `feature`, `environment`,
`body`: the body as received, or the list of a stream's chunks. The source of a record is its API; a body
without id is known by the request id of the envelope.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.errors import nearest_first
from pipelines.sources.base import Batch, ReadOptions, RejectError, Row, Skip
from pipelines.sources.json_lines import read_json_lines
from pipelines.sources.provider_bodies import APIS, OPERATIONS, REFUSALS, error_of
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.stream_chunks import joined
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import error_class_of, error_class_of_name, iso_us, required_text, shown

SOURCE = "app.envelope"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
CANCELLED = {499, "cancelled"}


def sniff(head: bytes) -> bool:
    """Whether the first line has the members that make an envelope."""
    return all(key in head for key in (b'"ts_start"', b'"api"', b'"body"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per line."""
    del options
    return read_json_lines(stream, parse)


def parse(envelope: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one call under canonical names."""
    del line
    api = required_text(envelope, "api")
    if api not in APIS:
        raise RejectError("unknown_api", f"$.api: {shown(api)} is none of {nearest_first(api, APIS)}")
    source, read_body = APIS[api]
    body = joined(envelope.get("body"), api)
    found = read_body(body)
    event_id = found["response_id"] or required_text(envelope, "request_id")
    ended = envelope.get("ts_end")
    return attempt(
        **found
        | _outcome(envelope, body, found)
        | {
            "source": source,
            "source_event_id": event_id,
            "stated_request_id": envelope.get("parent_request_id"),
            "stated_attempt_number": envelope.get("attempt"),
            "session_id": envelope.get("session_id"),
            "trace_id": envelope.get("trace_id"),
            "feature_tag": envelope.get("feature"),
            "team_tag": envelope.get("team"),
            "project_tag": envelope.get("project"),
            "environment_tag": envelope.get("environment"),
            "customer": envelope.get("customer"),
            "user": envelope.get("user"),
            "provider": envelope.get("provider"),
            "requested_model": envelope.get("model"),
            "operation": OPERATIONS.get(api, "chat"),
            "is_stream": type(envelope.get("body")) is list,
            "started_at_us": iso_us(envelope.get("ts_start"), "$.ts_start"),
            "ended_at_us": None if ended is None else iso_us(ended, "$.ts_end"),
        }
    )


def _outcome(
    envelope: Mapping[str, Any], body: Mapping[str, Any], found: Mapping[str, Any]
) -> dict[str, Any]:
    status, error = envelope.get("http_status"), error_of(body)
    stated = {"http_status": status, "error_type": error}
    if status in CANCELLED or envelope.get("outcome") == "cancelled":
        return stated | {"outcome": "cancelled"}
    if error is not None or (type(status) is int and status >= 400):
        known = error_class_of(status) if type(status) is int else None
        return stated | {"outcome": "error", "error_class": known or error_class_of_name(error)}
    return stated | {"outcome": "refused" if found["finish_reason"] in REFUSALS else "success"}
