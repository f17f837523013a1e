"""OTLP/JSON with GenAI spans: the encoding, names old and new, and which spans are attempts."""

import json
from pathlib import Path
from typing import Any

import pytest

from models.keys import key63
from pipelines.sources import otel_genai
from pipelines.sources.base import RejectError
from pipelines.sources.otlp import attributes_of
from tests.unit.pipelines.sources.files import HASHER, read_all, reasons_of, rows_of, skips_of, stream_of

SAID: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.response.model": "gpt-5-2025-08-07",
    "gen_ai.response.id": "chatcmpl-1",
    "gen_ai.usage.input_tokens": 3000,
    "gen_ai.usage.cache_read.input_tokens": 2048,
    "gen_ai.usage.output_tokens": 300,
}
RESOURCE = {"service.name": "assistant-api", "deployment.environment.name": "prod"}


def encoded(value: Any) -> dict[str, Any]:
    kinds = {bool: "boolValue", float: "doubleValue", str: "stringValue"}
    if type(value) is int:
        return {"intValue": str(value)}
    if type(value) is list:
        return {"arrayValue": {"values": [encoded(item) for item in value]}}
    return {kinds[type(value)]: value}


def attributes(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": encoded(value)} for key, value in said.items()]


def span(said: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
        "parentSpanId": "eee19b7ec3c1b100",
        "name": "chat gpt-5",
        "startTimeUnixNano": "1794643740000000999",
        "endTimeUnixNano": "1794643742500000000",
        "attributes": attributes(said),
        "status": {},
    } | changes


def request(*spans: Any, resource: dict[str, Any] | None = None) -> str:
    attached = {"attributes": attributes(RESOURCE if resource is None else resource)}
    scopes = [{"scope": {"name": "x"}, "spans": list(spans)}]
    return json.dumps({"resourceSpans": [{"resource": attached, "scopeSpans": scopes}]}) + "\n"


def read(folder: Path, content: str) -> Any:
    return read_all(stream_of(folder, content), "otel.genai")


def one(folder: Path, said: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    framed = read(folder, request(span(SAID | (said or {}), **changes)))
    assert reasons_of(framed) == []
    return rows_of(framed)[0]


def refused(folder: Path, *lines: str) -> list[tuple[str, str]]:
    framed = read(folder, "".join(lines))
    return reasons_of(framed)


def test_a_plain_span(tmp_path: Path) -> None:
    row = one(tmp_path)
    assert row["source"] == row["usage_profile"] == "otel.genai"
    assert row["source_event_id"] == row["span_id"] == "eee19b7ec3c1b174"
    assert row["record_position"] == "0/0"
    assert (row["trace_id"], row["parent_span_id"]) == (
        "5b8efff798038103d269b633813fc60c",
        "eee19b7ec3c1b100",
    )
    assert (row["requested_model"], row["served_model"]) == ("gpt-5", "gpt-5-2025-08-07")
    assert (row["route"], row["environment_tag"]) == ("assistant-api", "prod")
    assert (row["started_at_us"], row["ended_at_us"]) == (1794643740000000, 1794643742500000)
    assert (row["reported_input"], row["reported_cached"], row["reported_output"]) == (3000, 2048, 300)
    assert (row["outcome"], row["operation"], row["response_id"]) == ("success", "chat", "chatcmpl-1")


def test_a_missing_attribute_is_not_stated(tmp_path: Path) -> None:
    row = one(tmp_path)
    assert row["reported_cache_write"] is None
    assert row["reported_reasoning"] is None
    assert row["reported_total"] is None


@pytest.mark.parametrize(
    ("older", "column"),
    [
        ("gen_ai.usage.prompt_tokens", "reported_input"),
        ("gen_ai.usage.completion_tokens", "reported_output"),
        ("gen_ai.usage.cache_read_input_tokens", "reported_cached"),
        ("gen_ai.usage.cache_creation_input_tokens", "reported_cache_write"),
        ("gen_ai.usage.reasoning_tokens", "reported_reasoning"),
    ],
)
def test_older_names_of_counts(tmp_path: Path, older: str, column: str) -> None:
    said = {"gen_ai.operation.name": "chat", "gen_ai.system": "anthropic", older: 77}
    (row,) = rows_of(read(tmp_path, request(span(said))))
    assert row[column] == 77
    assert row["provider"] == "anthropic"


def test_tags_people_and_conversation(tmp_path: Path) -> None:
    said = {
        "app.feature": "search",
        "app.team": "t",
        "app.project": "p",
        "app.customer": "ACME",
        "user.id": "jane",
        "gen_ai.conversation.id": "conv-1",
    }
    row = one(tmp_path, said)
    assert [row[f"{name}_tag"] for name in ("feature", "team", "project")] == ["search", "t", "p"]
    assert row["customer_hash"] == HASHER("customer", "ACME")
    assert row["user_hash"] == HASHER("user", "jane")
    assert row["session_id"] == "conv-1"


def test_an_older_name_of_the_environment(tmp_path: Path) -> None:
    (row,) = rows_of(read(tmp_path, request(span(SAID), resource={"deployment.environment": "dev"})))
    assert (row["environment_tag"], row["route"]) == ("dev", None)


@pytest.mark.parametrize("operation", ["chat", "text_completion", "generate_content", "embeddings"])
def test_model_calls_are_attempts(tmp_path: Path, operation: str) -> None:
    assert one(tmp_path, {"gen_ai.operation.name": operation})["operation"] == operation


@pytest.mark.parametrize("operation", ["execute_tool", "invoke_agent", "create_agent", "something_new", None])
def test_other_spans_are_skipped_even_with_counts(tmp_path: Path, operation: str | None) -> None:
    said = SAID | {"gen_ai.operation.name": operation} if operation else {"http.method": "GET"}
    framed = read(tmp_path, request(span(said)))
    assert skips_of(framed) == [("0/0", "not_an_inference_span")]
    assert rows_of(framed) == []


@pytest.mark.parametrize("kind", ["resourceLogs", "resourceMetrics"])
def test_logs_and_metrics_of_the_same_exporter_are_skipped(tmp_path: Path, kind: str) -> None:
    framed = read(tmp_path, request(span(SAID)) + json.dumps({kind: []}) + "\n")
    assert skips_of(framed) == [("1/0", "not_a_trace")]


@pytest.mark.parametrize(
    ("error", "status", "outcome", "error_class", "http_status"),
    [
        ("429", {"code": 2}, "error", "rate_limited", 429),
        ("500", {"code": 2}, "error", "server", 500),
        ("timeout", {"code": 2}, "error", "timeout", None),
        ("499", {"code": 2}, "cancelled", None, 499),
        ("cancelled", {}, "cancelled", None, None),
        ("CancelledError", {}, "cancelled", None, None),
        (None, {"code": 2}, "error", None, None),
        (None, {"code": "STATUS_CODE_ERROR"}, "error", None, None),
        (None, {"code": 1}, "success", None, None),
        (None, {}, "success", None, None),
    ],
)
def test_outcomes(
    tmp_path: Path,
    error: str | None,
    status: dict[str, Any],
    outcome: str,
    error_class: str | None,
    http_status: int | None,
) -> None:
    row = one(tmp_path, {"error.type": error} if error else {}, status=status)
    assert (row["outcome"], row["error_class"], row["http_status"]) == (outcome, error_class, http_status)
    assert row["error_type"] == error


@pytest.mark.parametrize("reason", ["refusal", "content_filter"])
def test_refusals(tmp_path: Path, reason: str) -> None:
    row = one(tmp_path, {"gen_ai.response.finish_reasons": [reason]})
    assert (row["outcome"], row["finish_reason"]) == ("refused", reason)


def test_the_first_finish_reason_is_kept(tmp_path: Path) -> None:
    assert one(tmp_path, {"gen_ai.response.finish_reasons": ["stop", "length"]})["finish_reason"] == "stop"


def test_a_request_by_name_or_by_the_parent_of_resends(tmp_path: Path) -> None:
    assert one(tmp_path)["stated_request_key"] is None
    named = one(tmp_path, {"app.request.id": "r-1"})
    assert named["stated_request_key"] == key63("request", "otel.genai", "r-1")
    assert named["stated_attempt_number"] is None
    resent = one(tmp_path, {"http.request.resend_count": 2})
    place = "5b8efff798038103d269b633813fc60c:eee19b7ec3c1b100"
    assert resent["stated_request_key"] == key63("request", "otel.genai", place)
    assert resent["stated_attempt_number"] == 3


def test_time_to_the_first_chunk(tmp_path: Path) -> None:
    row = one(tmp_path, {"gen_ai.response.time_to_first_chunk": 0.25})
    assert row["first_token_at_us"] == row["started_at_us"] + 250_000


def test_estimated_usage(tmp_path: Path) -> None:
    assert one(tmp_path, {"app.usage.estimated": True})["usage_basis"] == "estimated"
    assert one(tmp_path)["usage_basis"] == "stated"


def test_integers_may_be_numbers(tmp_path: Path) -> None:
    item = {"key": "gen_ai.usage.output_tokens", "value": {"intValue": 300}}
    sound = span({name: SAID[name] for name in SAID if name != item["key"]})
    sound["attributes"].append(item)
    assert rows_of(read(tmp_path, request(sound)))[0]["reported_output"] == 300


def test_counts_beyond_the_input_prove_exclusive_counting(tmp_path: Path) -> None:
    row = one(tmp_path, {"gen_ai.usage.input_tokens": 5})
    assert (row["reported_input"], row["reported_cached"]) == (5, 2048)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"spanId": None}, "missing_field"),
        ({"spanId": ""}, "missing_field"),
        ({"spanId": 5}, "missing_field"),
        ({"startTimeUnixNano": "soon"}, "not_a_time"),
        ({"startTimeUnixNano": 1.5}, "not_a_time"),
        ({"startTimeUnixNano": "0", "endTimeUnixNano": "0"}, "missing_time"),
        ({"endTimeUnixNano": "1794643739000000000"}, "start_after_end"),
        ({"attributes": [*attributes(SAID), attributes(SAID)[5]]}, "duplicate_key"),
    ],
)
def test_a_damaged_span_is_rejected_and_its_neighbours_are_read(
    tmp_path: Path, changes: dict[str, Any], code: str
) -> None:
    content = request(span(SAID), span(SAID, **changes), span(SAID))
    framed = read(tmp_path, content)
    assert reasons_of(framed) == [("0/1", code)]
    assert [row["record_position"] for row in rows_of(framed)] == ["0/0", "0/2"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"intValue": "-90"}, "negative_count"),
        ({"intValue": "9223372036854775794"}, "absurd_count"),
        ({"intValue": "12.5"}, "not_a_count"),
        ({"intValue": "1" * 30}, "not_a_count"),
        ({"intValue": True}, "not_a_count"),
        ({"doubleValue": 3000.0}, "not_a_count"),
        ({"stringValue": "3000"}, "not_a_count"),
        ({"boolValue": True}, "not_a_count"),
        ({"intValue": "1", "stringValue": "2"}, "not_an_attribute"),
        ({"newValue": "1"}, "not_an_attribute"),
    ],
)
def test_a_count_that_is_none(tmp_path: Path, value: dict[str, Any], code: str) -> None:
    damaged = span(SAID)
    for item in damaged["attributes"]:
        if item["key"] == "gen_ai.usage.output_tokens":
            item["value"] = value
    assert refused(tmp_path, request(damaged)) == [("0/0", code)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"resourceSpans": {}}', "not_a_list"),
        ('{"resourceSpans": [{"scopeSpans": 5}]}', "not_a_list"),
        ('{"resourceSpans": [5]}', "unexpected_shape"),
        ('{"resourceSpans": [', "broken_json"),
    ],
)
def test_a_line_of_another_shape_is_one_reject(tmp_path: Path, line: str, code: str) -> None:
    assert refused(tmp_path, request(span(SAID)), line + "\n") == [("1", code)]


def test_a_span_that_is_no_object(tmp_path: Path) -> None:
    assert refused(tmp_path, request(5, span(SAID))) == [("0/0", "not_an_object")]


def test_a_time_twice_in_one_span_is_rejected(tmp_path: Path) -> None:
    key = '"startTimeUnixNano"'
    line = request(span(SAID)).replace(key, f'{key}: "1794643730000000000", {key}')
    assert refused(tmp_path, line) == [("0", "duplicate_key")]


def test_attributes_without_value_and_nested_ones() -> None:
    held = [{"key": "a", "value": {}}, {"key": "b"}, {"key": "c", "value": {"arrayValue": {}}}]
    assert attributes_of({"attributes": held}, "$") == {"a": None, "b": None, "c": []}
    assert attributes_of({}, "$") == attributes_of({"attributes": None}, "$") == {}


def test_an_attribute_of_no_money_may_stand_twice() -> None:
    held = [{"key": "a", "value": {"intValue": "1"}}, {"key": "a", "value": {"intValue": "2"}}]
    assert attributes_of({"attributes": held}, "$") == {"a": 2}
    with pytest.raises(RejectError, match="duplicate_key"):
        attributes_of({"attributes": [{**item, "key": "gen_ai.usage.x"} for item in held]}, "$")


def test_prompts_in_attributes_are_never_kept(tmp_path: Path) -> None:
    row = one(tmp_path, {"gen_ai.input.messages": "SECRET", "gen_ai.prompt.0.content": "SECRET"})
    assert "SECRET" not in str(row)


def test_sniffing() -> None:
    assert otel_genai.sniff(request(span(SAID)).encode())
    other = request(span({"openinference.span.kind": "LLM"}))
    for head in (other.encode(), b"", b"{}", b'{"request_id": 1}'):
        assert not otel_genai.sniff(head)
