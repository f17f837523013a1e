"""From the chunks of a stream to the one body they stand for: usage, model and reason of the end.

Text in the chunks is not looked at. A stream that was cut before its usage came leaves usage missing, never
zero.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.sources.base import RejectError
from pipelines.sources.values import shown

Body = dict[str, Any]


def joined(body: Any, api: str) -> Body:
    """Returns a body as it is, nothing as an empty one, and a list of chunks as the body they make up."""
    if body is None:
        return {}
    if type(body) is dict:
        return body
    if type(body) is not list or not all(type(chunk) is dict for chunk in body):
        raise RejectError("not_an_object", f"$.body: {shown(body)} is neither a body nor a list of chunks")
    if api == "messages":
        return _anthropic(body)
    if api == "responses":
        return _responses(body)
    return _last_stated(body)


def _last_stated(chunks: Sequence[Body]) -> Body:
    """Chat and Gemini chunks: a later statement replaces an earlier one (Gemini's counts grow)."""
    found: Body = {}
    for chunk in chunks:
        found |= {key: value for key, value in chunk.items() if value not in (None, [])}
    reasons = [
        choice for chunk in chunks for choice in chunk.get("choices") or () if choice.get("finish_reason")
    ]
    return found | ({"choices": reasons[-1:]} if reasons else {})


def _responses(events: Sequence[Body]) -> Body:
    """Events of the Responses API: the last one that carries the response."""
    carried = [event["response"] for event in events if type(event.get("response")) is dict]
    return carried[-1] if carried else {}


def _anthropic(events: Sequence[Body]) -> Body:
    """Events of a message: the start states the input, each delta the output so far.

    The output count of the start is a placeholder, so without a delta the output is not stated.
    """
    message: Body = {}
    usage: Body = {}
    has_delta = False
    for event in events:
        if event.get("type") == "message_start":
            message = dict(_object(event, "message"))
            usage = dict(_object(message, "usage"))
        elif event.get("type") == "message_delta":
            has_delta = True
            usage |= {key: value for key, value in _object(event, "usage").items() if value is not None}
            message |= {"stop_reason": _object(event, "delta").get("stop_reason")}
        elif event.get("type") == "error":
            message |= {"error": event.get("error")}
    if usage and not has_delta:
        usage["output_tokens"] = None
    return message | ({"usage": usage} if usage else {})


def _object(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = holder.get(key)
    return found if type(found) is dict else {}
