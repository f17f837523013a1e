"""Chunks of a stream: what counts is the last statement, a placeholder is none, text is not looked at."""

from typing import Any

import pytest

from pipelines.sources.base import RejectError
from pipelines.sources.provider_bodies import error_of
from pipelines.sources.stream_chunks import joined

START = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 27, "output_tokens": 4}}}


def test_bodies_stay_as_they_are() -> None:
    assert joined({"id": "x"}, "chat.completions") == {"id": "x"}
    assert joined(None, "messages") == {}
    assert joined([], "messages") == joined([], "responses") == joined([], "chat.completions") == {}


@pytest.mark.parametrize("body", ["text", 5, [1], [{"id": "x"}, None]])
def test_other_shapes_are_refused(body: Any) -> None:
    with pytest.raises(RejectError, match="not_an_object"):
        joined(body, "chat.completions")


def test_the_usage_of_the_last_chunk_and_the_last_reason_stand() -> None:
    chunks = [
        {"id": "c", "choices": [{"delta": {"content": "words"}}], "usage": None},
        {"id": "c", "choices": [{"finish_reason": "length"}]},
        {"id": "c", "choices": [], "usage": {"prompt_tokens": 5}},
    ]
    found = joined(chunks, "chat.completions")
    assert found["usage"] == {"prompt_tokens": 5}
    assert found["choices"] == [{"finish_reason": "length"}]


def test_a_message_adds_its_deltas() -> None:
    deltas = [
        {"type": "message_delta", "usage": {"output_tokens": 50}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 199}},
    ]
    found = joined([START, *deltas], "messages")
    assert found["usage"] == {"input_tokens": 27, "output_tokens": 199}
    assert found["stop_reason"] == "end_turn"


def test_the_placeholder_of_an_interrupted_message_is_no_output() -> None:
    assert joined([START], "messages")["usage"] == {"input_tokens": 27, "output_tokens": None}


def test_an_error_in_a_stream_is_kept_by_its_type() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "words"}}
    assert error_of(joined([START, error], "messages")) == "overloaded_error"


def test_the_last_response_event_is_the_body() -> None:
    events = [
        {"response": {"id": "r"}},
        {"type": "delta"},
        {"response": {"id": "r", "usage": {"input_tokens": 1}}},
    ]
    assert joined(events, "responses") == {"id": "r", "usage": {"input_tokens": 1}}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, None),
        ({"error": None}, None),
        ({"error": "words"}, None),
        ({"error": {"code": "rate_limit_exceeded", "type": "requests"}}, "rate_limit_exceeded"),
        ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, "RESOURCE_EXHAUSTED"),
        ({"error": {"type": "overloaded_error", "message": "words"}}, "overloaded_error"),
    ],
)
def test_errors_are_named_without_their_message(body: dict[str, Any], name: str | None) -> None:
    assert error_of(body) == name
