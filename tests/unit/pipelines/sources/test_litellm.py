"""LiteLLM spend logs: what each column and each part of the metadata becomes."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.sources import litellm
from tests.unit.pipelines.sources.files import HASHER, lines_of, read_all, reasons_of, rows_of, stream_of

ROW = {
    "request_id": "chatcmpl-1",
    "call_type": "acompletion",
    "api_key": "0f3a",
    "spend": 0.0051575,
    "total_tokens": 3300,
    "prompt_tokens": 3000,
    "completion_tokens": 300,
    "startTime": "2026-11-14T08:00:00.120000",
    "endTime": "2026-11-14T08:00:02.620000",
    "completionStartTime": None,
    "model": "gpt-5",
    "model_group": "chat-default",
    "custom_llm_provider": "openai",
    "user": "u-17",
    "metadata": {},
    "cache_hit": "None",
    "request_tags": [],
    "team_id": "",
    "end_user": "",
    "session_id": None,
    "status": "success",
}
USAGE = {"prompt_tokens": 3000, "completion_tokens": 300, "total_tokens": 3300}


def read(folder: Path, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    framed = read_all(stream_of(folder, lines_of(*rows)), "litellm.spendlogs")
    assert reasons_of(framed) == []
    return rows_of(framed)


def one(folder: Path, **changes: Any) -> dict[str, Any]:
    return read(folder, ROW | changes)[0]


def refused(folder: Path, **changes: Any) -> str:
    framed = read_all(stream_of(folder, lines_of(ROW, ROW | changes, ROW)), "litellm.spendlogs")
    assert len(rows_of(framed)) == 2
    ((place, code),) = reasons_of(framed)
    assert place == "1"
    return code


def metadata(**parts: Any) -> dict[str, Any]:
    return {"metadata": parts}


def usage(**parts: Any) -> dict[str, Any]:
    return metadata(usage_object=USAGE | parts)


def test_a_plain_row(tmp_path: Path) -> None:
    row = one(tmp_path)
    assert row["source"] == row["usage_profile"] == "litellm.spendlogs"
    assert row["source_event_id"] == row["response_id"] == "chatcmpl-1"
    assert (row["provider"], row["requested_model"], row["served_model"]) == ("openai", "gpt-5", "gpt-5")
    assert (row["route"], row["operation"], row["outcome"]) == ("chat-default", "chat", "success")
    assert (row["started_at_us"], row["ended_at_us"]) == (1794643200120000, 1794643202620000)
    assert (row["reported_input"], row["reported_output"], row["reported_total"]) == (3000, 300, 3300)
    assert row["reported_cost_usd"] == "0.0051575"
    assert row["time_basis"] == "stated"
    assert row["user_hash"] == HASHER("user", "u-17")
    assert row["api_key_hash"] == HASHER("api_key", "0f3a")
    assert row["customer_hash"] is None


def test_a_row_without_usage_object_states_no_split(tmp_path: Path) -> None:
    row = one(tmp_path)
    assert [row[f"reported_{name}"] for name in ("cached", "cache_write", "reasoning")] == [None] * 3


def test_a_details_block_states_what_it_leaves_out_as_zero(tmp_path: Path) -> None:
    row = one(
        tmp_path,
        **usage(prompt_tokens_details={"cached_tokens": 2048}, completion_tokens_details={"audio_tokens": 0}),
    )
    assert (row["reported_cached"], row["reported_cache_write"], row["reported_reasoning"]) == (2048, 0, 0)
    assert row["reported_cache_write_5m"] is None


def test_a_null_details_block_states_nothing(tmp_path: Path) -> None:
    row = one(tmp_path, **usage(prompt_tokens_details=None, completion_tokens_details=None))
    assert [row[f"reported_{name}"] for name in ("cached", "cache_write", "reasoning")] == [None] * 3


def test_cache_writes_and_their_lifetimes(tmp_path: Path) -> None:
    lives = {"ephemeral_5m_input_tokens": 304, "ephemeral_1h_input_tokens": 1000}
    details = {"cached_tokens": 500, "cache_creation_tokens": 1304, "cache_creation_token_details": lives}
    row = one(tmp_path, **usage(prompt_tokens_details=details))
    assert (row["reported_cached"], row["reported_cache_write"]) == (500, 1304)
    assert (row["reported_cache_write_5m"], row["reported_cache_write_1h"]) == (304, 1000)


@pytest.mark.parametrize("place", ["usage_object", "additional_usage_values"])
def test_cache_counts_beside_the_details(tmp_path: Path, place: str) -> None:
    counts = {"cache_read_input_tokens": 500, "cache_creation_input_tokens": 70}
    row = one(tmp_path, **metadata(**{place: counts}))
    assert (row["reported_cached"], row["reported_cache_write"]) == (500, 70)


def test_media_and_tools(tmp_path: Path) -> None:
    row = one(
        tmp_path,
        **usage(
            prompt_tokens_details={"audio_tokens": 11, "image_tokens": 12},
            completion_tokens_details={"audio_tokens": 13, "image_tokens": 14},
            server_tool_use={"web_search_requests": 2},
            service_tier="flex",
        ),
    )
    names = ("input_audio", "input_image", "output_audio", "output_image", "tool_calls")
    assert [row[f"reported_{name}"] for name in names] == [11, 12, 13, 14, 2]
    assert row["service_tier"] == "flex"


def test_metadata_and_tags_may_be_json_texts(tmp_path: Path) -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 9}}
    row = one(
        tmp_path,
        metadata=json.dumps({"usage_object": USAGE | details, "spend_logs_metadata": None}),
        request_tags='["feature:search"]',
    )
    assert row["reported_cached"] == 9
    assert row["feature_tag"] == "search"


def test_tags_name_the_owner_and_the_rest_is_kept(tmp_path: Path) -> None:
    tags = ["feature:search", "env:prod", "project:p", "team:t", "tier:gold", "plain", "feature:second"]
    row = one(tmp_path, request_tags=tags, team_id="other")
    found = [row[f"{name}_tag"] for name in ("feature", "team", "project", "environment")]
    assert found == ["search", "t", "p", "prod"]
    assert json.loads(row["tags"]) == {"plain": "", "tier": "gold"}


@pytest.mark.parametrize(
    ("changes", "team"),
    [
        ({"team_id": "t-1", "metadata": {"user_api_key_team_alias": "Search"}}, "t-1"),
        ({"metadata": {"user_api_key_team_alias": "Search"}}, "Search"),
        ({}, None),
    ],
)
def test_the_team_of_the_key_serves_where_no_tag_does(
    tmp_path: Path, changes: dict[str, Any], team: str | None
) -> None:
    assert one(tmp_path, **changes)["team_tag"] == team


def test_the_application_states_feature_request_and_attempt(tmp_path: Path) -> None:
    logged = {"feature": "chat", "environment": "dev", "request_id": "r-1", "attempt": 2}
    row = one(tmp_path, **metadata(spend_logs_metadata=logged))
    assert (row["feature_tag"], row["environment_tag"]) == ("chat", "dev")
    assert row["stated_attempt_number"] == 2
    keyed = one(tmp_path, **metadata(spend_logs_metadata={"idempotency_key": "r-1"}))
    assert row["stated_request_key"] == keyed["stated_request_key"] is not None


def test_a_hit_of_the_gateways_cache(tmp_path: Path) -> None:
    row = one(tmp_path, request_id="chatcmpl-1_cache_hit17946", cache_hit="True", spend=0)
    assert row["is_gateway_cache_hit"] is True
    assert row["response_id"] is None
    assert row["source_event_id"] == "chatcmpl-1_cache_hit17946"
    assert row["reported_cost_usd"] == "0"


@pytest.mark.parametrize("text", ["None", "False", "", None])
def test_other_words_are_no_hit(tmp_path: Path, text: str | None) -> None:
    assert one(tmp_path, cache_hit=text)["is_gateway_cache_hit"] is False


@pytest.mark.parametrize(
    ("code", "name", "outcome", "error_class"),
    [
        ("429", "RateLimitError", "error", "rate_limited"),
        ("408", "Timeout", "error", "timeout"),
        ("400", "BadRequestError", "error", "client"),
        ("503", "ServiceUnavailableError", "error", "server"),
        ("400", "ContentPolicyViolationError", "error", "content_filter"),
        ("499", "ClientDisconnect", "cancelled", None),
        ("", "CancelledError", "cancelled", None),
        ("", "RateLimitError", "error", "rate_limited"),
        ("", "SomethingNew", "error", None),
    ],
)
def test_failures(tmp_path: Path, code: str, name: str, outcome: str, error_class: str | None) -> None:
    error = {"error_code": code, "error_class": name}
    row = one(tmp_path, status="failure", **metadata(error_information=error))
    assert (row["outcome"], row["error_class"], row["error_type"]) == (outcome, error_class, name)
    assert row["http_status"] == (int(code) if code else None)
    assert row["served_model"] is None
    assert row["response_id"] is None


def test_a_failure_without_information(tmp_path: Path) -> None:
    row = one(tmp_path, status="failure")
    assert (row["outcome"], row["error_class"], row["error_type"]) == ("error", None, None)


@pytest.mark.parametrize("reason", ["refusal", "content_filter"])
def test_refusals(tmp_path: Path, reason: str) -> None:
    row = one(tmp_path, **metadata(spend_logs_metadata={"finish_reason": reason}))
    assert (row["outcome"], row["finish_reason"]) == ("refused", reason)


def test_a_status_not_stated_is_unknown(tmp_path: Path) -> None:
    row = one(tmp_path, status=None, **metadata(spend_logs_metadata={"finish_reason": "refusal"}))
    assert row["outcome"] == "unknown"


def test_usage_missing_and_estimated(tmp_path: Path) -> None:
    nothing = {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None}
    assert one(tmp_path, **nothing)["usage_basis"] == "missing"
    estimated = metadata(spend_logs_metadata={"usage_estimated": True})
    assert one(tmp_path, **estimated)["usage_basis"] == "estimated"


def test_the_first_token_of_a_stream(tmp_path: Path) -> None:
    first = "2026-11-14T08:00:00.500000"
    assert one(tmp_path, completionStartTime=first)["first_token_at_us"] == 1794643200500000
    assert one(tmp_path, completionStartTime=ROW["endTime"])["first_token_at_us"] is None


@pytest.mark.parametrize(
    ("call_type", "operation"),
    [
        ("aembedding", "embeddings"),
        ("atext_completion", "text_completion"),
        ("aspeech", "aspeech"),
        (None, None),
    ],
)
def test_operations(tmp_path: Path, call_type: str | None, operation: str | None) -> None:
    assert one(tmp_path, call_type=call_type)["operation"] == operation


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"request_id": None}, "missing_field"),
        ({"request_id": 7}, "not_a_text"),
        ({"startTime": None}, "not_a_time"),
        ({"startTime": 1794643200}, "not_a_time"),
        ({"endTime": "later"}, "not_a_time"),
        ({"endTime": "2026-11-14T07:00:00"}, "start_after_end"),
        ({"startTime": "1970-01-01T00:00:00"}, "time_out_of_range"),
        ({"prompt_tokens": -5}, "negative_count"),
        ({"prompt_tokens": True}, "not_a_count"),
        ({"prompt_tokens": "3000"}, "not_a_count"),
        ({"completion_tokens": 300.0}, "not_a_count"),
        ({"completion_tokens": 10**12}, "absurd_count"),
        ({"spend": "a lot"}, "not_an_amount"),
        ({"status": "maybe"}, "unknown_status"),
        ({"metadata": 5}, "not_an_object"),
        ({"metadata": "{not json"}, "broken_json"),
        ({"metadata": {"usage_object": [1]}}, "not_an_object"),
        ({"metadata": {"usage_object": {"prompt_tokens_details": 7}}}, "unexpected_shape"),
        ({"request_tags": [5]}, "unexpected_shape"),
        ({"request_tags": "{not json"}, "broken_json"),
        ({"model": 5}, "not_a_text"),
        ({"model_group": {"a": 1}}, "not_a_text"),
    ],
)
def test_a_damaged_row_is_rejected_alone(tmp_path: Path, changes: dict[str, Any], code: str) -> None:
    assert refused(tmp_path, **changes) == code


def test_parts_above_the_prompt_are_rejected(tmp_path: Path) -> None:
    assert refused(tmp_path, **usage(prompt_tokens_details={"cached_tokens": 3001})) == "negative_remainder"


@pytest.mark.parametrize(
    "key", ["request_id", "spend", "startTime", "prompt_tokens", "completion_tokens", "status", "model"]
)
@pytest.mark.parametrize("changes", [{}, usage(prompt_tokens_details={"cached_tokens": 9})])
def test_a_money_bearing_key_twice_is_rejected(tmp_path: Path, key: str, changes: dict[str, Any]) -> None:
    line = json.dumps(ROW | changes)
    doubled = f'{line[:-1]}, "{key}": {json.dumps(ROW[key])}}}'
    framed = read_all(stream_of(tmp_path, f"{line}\n{doubled}\n{line}\n"), "litellm.spendlogs")
    assert reasons_of(framed) == [("1", "duplicate_key")]


def test_a_count_twice_in_the_usage_object_is_rejected(tmp_path: Path) -> None:
    line = json.dumps(ROW | usage(prompt_tokens_details={"cached_tokens": 9}))
    doubled = line.replace('"cached_tokens": 9', '"cached_tokens": 9, "cached_tokens": 10')
    assert reasons_of(read_all(stream_of(tmp_path, doubled), "litellm.spendlogs")) == [("0", "duplicate_key")]


def test_a_count_twice_in_metadata_kept_as_text_is_rejected(tmp_path: Path) -> None:
    text = json.dumps({"usage_object": USAGE}).replace(
        '"prompt_tokens"', '"prompt_tokens": 1, "prompt_tokens"'
    )
    assert refused(tmp_path, metadata=text) == "duplicate_key"


def test_a_key_twice_beside_metadata_kept_as_text_is_rejected(tmp_path: Path) -> None:
    line = json.dumps(ROW | {"metadata": json.dumps({"usage_object": USAGE, "status": None})})
    doubled = f'{line[:-1]}, "prompt_tokens": 1}}'
    assert reasons_of(read_all(stream_of(tmp_path, doubled), "litellm.spendlogs")) == [("0", "duplicate_key")]


def test_keys_that_metadata_repeats_are_no_duplicates(tmp_path: Path) -> None:
    logged = {"request_id": "r-1"}
    row = one(tmp_path, **metadata(status=None, model="x", usage_object=USAGE, spend_logs_metadata=logged))
    assert row["outcome"] == "success"


def test_stored_prompts_and_answers_are_never_kept(tmp_path: Path) -> None:
    answer = {"usage": {"prompt_tokens": 1, "completion_tokens": 2}, "text": "SECRET"}
    row = one(tmp_path, messages=[{"role": "user", "content": "SECRET"}], response=answer)
    assert "SECRET" not in str(row)
    assert row["reported_input"] == 3000


@pytest.mark.parametrize("name", ["jane@example.org", "0f3a", "ACME"])
def test_names_of_people_and_keys_are_never_kept(tmp_path: Path, name: str) -> None:
    row = one(tmp_path, user="jane@example.org", api_key="0f3a", end_user="ACME")
    assert name not in str(row)


def test_sniffing() -> None:
    assert litellm.sniff(lines_of(ROW).encode())
    for other in (b"", b"{}", b'{"resourceSpans": []}', b"TIMESTAMP,ContextTokens\n", b"\xff\xfe"):
        assert not litellm.sniff(other)


@pytest.mark.parametrize("space", [" ", "  ", "\t", " \t "])
def test_white_space_before_a_colon_hides_no_repeated_key(tmp_path: Path, space: str) -> None:
    line = json.dumps(ROW | usage(prompt_tokens_details={"cached_tokens": 9}))
    doubled = f'{line[:-1]}, "prompt_tokens"{space}: 1}}'
    assert reasons_of(read_all(stream_of(tmp_path, f"{line}\n{doubled}\n"), "litellm.spendlogs")) == [
        ("1", "duplicate_key")
    ]
