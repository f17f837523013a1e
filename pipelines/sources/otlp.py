"""Spans out of OTLP/JSON: one export request per line, attributes as lists of key and value.

What belongs here: the encoding, which every trace reader shares. Not here: what an attribute means.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pipelines.sources.base import RejectError
from pipelines.sources.json_lines import check_keys_once
from pipelines.sources.values import shown

ERROR_STATUS = (2, "STATUS_CODE_ERROR")
VALUE_KINDS = (
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "arrayValue",
    "kvlistValue",
    "bytesValue",
)
# A key that bears money may stand once in the attributes of a span; of others the last one holds.
ONCE_PREFIXES = ("gen_ai.usage.", "llm.token_count.", "llm.cost.")


class Span(NamedTuple):
    """One span: ids as stated, times in microseconds UTC (null where 0 or absent), plain attributes."""

    trace_id: str | None
    span_id: str
    parent_span_id: str | None
    started_at_us: int | None
    ended_at_us: int | None
    is_error: bool
    attributes: dict[str, Any]
    resource: dict[str, Any]


def is_trace(request: Mapping[str, Any]) -> bool:
    """Whether the line holds spans: logs and metrics of the same exporter do not."""
    return "resourceSpans" in request


def spans_of(request: Mapping[str, Any], line: bytes) -> Iterator[dict[str, Any] | RejectError]:
    """Yields the raw spans of one export request in their order, the attributes of their resource added."""
    found: list[dict[str, Any] | RejectError] = []
    for group in _list(request, "resourceSpans"):
        resource = attributes_of(group.get("resource") or {}, "$.resource")
        for scope in _list(group, "scopeSpans"):
            for span in _list(scope, "spans"):
                is_object = type(span) is dict
                found.append({**span, "resource": resource} if is_object else _no_object(span))
    check_keys_once(line, [(b'"startTimeUnixNano"', len(found)), (b'"spanId"', line.count(b'"traceId"'))])
    yield from found


def span_of(raw: Mapping[str, Any], attributes: dict[str, Any]) -> Span:
    """Returns a span whose attributes are read already.

    Raises:
        RejectError: The span has no id, or a time that is no count of nanoseconds.
    """
    span_id = raw.get("spanId")
    if type(span_id) is not str or not span_id:
        raise RejectError("missing_field", "$.spanId: required and not there")
    status = raw.get("status") or {}
    return Span(
        raw.get("traceId") or None,
        span_id,
        raw.get("parentSpanId") or None,
        _nanoseconds(raw.get("startTimeUnixNano"), "$.startTimeUnixNano"),
        _nanoseconds(raw.get("endTimeUnixNano"), "$.endTimeUnixNano"),
        status.get("code") in ERROR_STATUS,
        attributes,
        raw["resource"],
    )


def attributes_of(holder: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Returns the attributes as plain values by key."""
    found: dict[str, Any] = {}
    for item in holder.get("attributes") or ():
        key, value = item["key"], item.get("value") or {}
        if key in found and key.startswith(ONCE_PREFIXES):
            raise RejectError("duplicate_key", f"{path}: attribute {shown(key)} stands twice")
        found[key] = _value(value, f"{path}.{key[:80]}")
    return found


def _value(value: Mapping[str, Any], path: str) -> Any:
    kind = next(iter(value), None)
    if kind is None:
        return None
    if len(value) != 1 or kind not in VALUE_KINDS:
        raise RejectError("not_an_attribute", f"{path}: {len(value)} values, the first {shown(kind)}")
    held = value[kind]
    if kind == "intValue":
        return _integer(held, path)
    if kind == "arrayValue":
        return [_value(item, path) for item in held.get("values") or ()]
    return held


def _integer(held: Any, path: str) -> int:
    """A 64-bit integer, which travels as text; numbers are accepted."""
    if type(held) is int:
        return held
    digits = held.removeprefix("-") if type(held) is str else ""
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 19:
        raise RejectError("not_a_count", f"{path}: {shown(held)} is not a 64-bit integer")
    return int(held)


def _nanoseconds(held: Any, path: str) -> int | None:
    if held is None:
        return None
    digits = str(held) if type(held) is int else held
    if type(digits) is not str or not digits.isdecimal() or len(digits) > 20:
        raise RejectError("not_a_time", f"{path}: {shown(held)} is not a count of nanoseconds")
    return int(digits) // 1000 or None


def _list(holder: Mapping[str, Any], key: str) -> list[Any]:
    value = holder.get(key)
    if value is None:
        return []
    if type(value) is not list:
        raise RejectError("not_a_list", f"$.{key}: {shown(value)} is not a list")
    return value


def _no_object(span: Any) -> RejectError:
    return RejectError("not_an_object", f"$.spans: {shown(span)} is not a span")
