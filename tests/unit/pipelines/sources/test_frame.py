"""The frame: what a reader states becomes typed columns with keys, or a reject that says why."""

from datetime import date
from typing import Any

import pytest

from models.columns import required_columns, table_schema
from models.keys import key63
from pipelines.errors import UserError
from pipelines.sources.base import Batch, ReadOptions, Reject
from pipelines.sources.frame import keys_of
from pipelines.sources.frames import frame_of
from tests.unit.pipelines.sources.files import HASHER, PROFILES, framed_rows, made_up_reader

NOON = 1_794_657_600_000_000  # 2026-11-14T12:00:00Z
COUNTS = "reported_input reported_cached reported_cache_write reported_output reported_reasoning"
STATED_TIMES = [ReadOptions(zone="UTC"), ReadOptions(start_us=1)]


def one(reader_fields: str, *values: Any, **constants: Any) -> dict[str, Any]:
    """The one row of a record whose id is 'id' and which starts at noon, with further fields."""
    fields = tuple(reader_fields.split())
    reader = made_up_reader("source_event_id", "started_at_us", *fields, **constants)
    framed = framed_rows(reader, ("id", NOON, *values))
    assert framed.rejects == []
    (row,) = framed.table.to_pylist()
    return row


def refused(reader_fields: str, *values: Any, **constants: Any) -> Reject:
    """The one reject of such a record, which stands between two sound ones."""
    fields = tuple(reader_fields.split())
    reader = made_up_reader("source_event_id", "started_at_us", *fields, **constants)
    sound = ("id", NOON, *(None for _ in fields))
    framed = framed_rows(reader, sound, ("id", NOON, *values), sound)
    assert [row["record_position"] for row in framed.table.to_pylist()] == ["0", "2"]
    (reject,) = framed.rejects
    assert reject.position == "1"
    return reject


def test_a_row_has_exactly_the_columns_of_the_table() -> None:
    reader = made_up_reader("source_event_id", "started_at_us")
    framed = framed_rows(reader, ("id", NOON))
    assert framed.table.schema == table_schema("raw_attempts")
    (row,) = framed.table.to_pylist()
    assert [name for name in required_columns("raw_attempts") if row[name] is None] == []
    assert framed.parsed == 1


def test_no_records_give_an_empty_table_of_the_same_shape() -> None:
    framed = framed_rows(made_up_reader("source_event_id", "started_at_us", "user", "stated_request_id"))
    assert framed.table.schema == table_schema("raw_attempts")
    assert len(framed.table) == framed.parsed == 0


def test_what_is_not_stated_stays_null_and_what_is_zero_stays_zero() -> None:
    row = one("reported_input reported_output", 0, None)
    assert (row["reported_input"], row["reported_output"], row["reported_cached"]) == (0, None, None)
    assert (row["is_placeholder"], row["is_gateway_cache_hit"], row["has_output"]) == (False, False, False)


@pytest.mark.parametrize("stated", [None, False, True])
def test_a_flag_that_a_record_leaves_out_is_false(stated: bool | None) -> None:
    row = one("is_placeholder is_gateway_cache_hit", stated, stated)
    assert (row["is_placeholder"], row["is_gateway_cache_hit"]) == (bool(stated), bool(stated))


def test_keys_are_those_of_the_contract() -> None:
    row = one("stated_request_id user", "req-1", "jane")
    assert row["attempt_key"] == key63("attempt", "made.up", "id")
    assert row["stated_request_key"] == key63("request", "made.up", "req-1")
    assert row["user_hash"] == HASHER("user", "jane")
    assert one("stated_request_id user", None, None)["stated_request_key"] is None
    assert one("stated_request_id user", None, None)["user_hash"] is None


def test_keys_by_column_are_the_keys_one_by_one() -> None:
    ids = ["a", None, "größe", "", "x" * 1000, None]
    expected = [None if text is None else key63("attempt", "s", text) for text in ids]
    assert keys_of("attempt\x1fs\x1f", ids).to_pylist() == expected
    assert keys_of("attempt\x1fs\x1f", ["a"]).to_pylist() == [key63("attempt", "s", "a")]
    assert keys_of("attempt\x1fs\x1f", []).to_pylist() == []


@pytest.mark.parametrize(
    ("stated", "basis"),
    [
        ({"started_at_us": NOON, "ended_at_us": NOON + 9}, "start"),
        ({"first_token_at_us": NOON, "ended_at_us": NOON + 9}, "first_token"),
        ({"created_at_us": NOON, "ended_at_us": NOON + 9}, "created"),
        ({"ended_at_us": NOON, "logged_at_us": NOON + 9}, "end"),
        ({"logged_at_us": NOON}, "logged"),
    ],
)
def test_the_earliest_kind_of_time_decides_the_day(stated: dict[str, int], basis: str) -> None:
    names = ("started_at_us", "first_token_at_us", "created_at_us", "ended_at_us", "logged_at_us")
    reader = made_up_reader("source_event_id", *names)
    (row,) = framed_rows(reader, ("id", *(stated.get(name) for name in names))).table.to_pylist()
    assert (row["used_at_us"], row["used_at_basis"], row["time_basis"]) == (NOON, basis, "stated")
    assert row["usage_date"] == date(2026, 11, 14)


@pytest.mark.parametrize(
    ("at_us", "day"),
    [
        (1_794_614_400_000_000, date(2026, 11, 14)),
        (1_794_614_399_999_999, date(2026, 11, 13)),
        (1_577_836_800_000_000, date(2020, 1, 1)),
        (4_102_444_799_999_999, date(2099, 12, 31)),
    ],
)
def test_days_are_those_of_utc(at_us: int, day: date) -> None:
    reader = made_up_reader("source_event_id", "started_at_us")
    assert framed_rows(reader, ("id", at_us)).table["usage_date"].to_pylist() == [day]


@pytest.mark.parametrize("options", STATED_TIMES)
def test_a_stated_time_makes_times_assumed(options: ReadOptions) -> None:
    reader = made_up_reader("source_event_id", "started_at_us")
    (row,) = framed_rows(reader, ("id", NOON), options=options).table.to_pylist()
    assert row["time_basis"] == "assumed"


def test_a_stated_instant_serves_records_without_any_time() -> None:
    reader = made_up_reader("source_event_id", "started_at_us")
    framed = framed_rows(reader, ("a", None), ("b", NOON + 5), options=ReadOptions(instant_us=NOON))
    assert framed.table["used_at_us"].to_pylist() == [NOON, NOON + 5]
    assert framed.table["used_at_basis"].to_pylist() == ["logged", "start"]
    assert framed.table["time_basis"].to_pylist() == ["assumed", "stated"]


def test_no_time_at_all_is_a_reject() -> None:
    framed = framed_rows(made_up_reader("source_event_id", "ended_at_us"), ("a", None), ("b", NOON))
    assert [(reject.position, reject.reason_code) for reject in framed.rejects] == [("0", "missing_time")]
    assert framed.table["source_event_id"].to_pylist() == ["b"]


@pytest.mark.parametrize(
    ("values", "basis"),
    [
        ((5, 5, None, None), "stated"),
        ((5, None, None, None), "stated"),
        ((0, 0, None, None), "stated"),
        ((None, None, 7, None), "stated"),
        ((5, 5, None, True), "estimated"),
        ((None, None, None, None), "missing"),
        ((None, None, None, True), "missing"),
    ],
)
def test_usage_is_stated_estimated_or_missing(values: tuple[Any, ...], basis: str) -> None:
    row = one("reported_input reported_output reported_total is_usage_estimated", *values)
    assert row["usage_basis"] == basis


@pytest.mark.parametrize(("output", "has_output"), [(None, False), (0, False), (1, True)])
def test_output_begins_above_zero(output: int | None, has_output: bool) -> None:
    assert one("reported_output", output)["has_output"] is has_output


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("reported_input", -1, "negative_count"),
        ("reported_input", 10**9 + 1, "absurd_count"),
        ("reported_input", 10**30, "absurd_count"),
        ("reported_input", True, "not_a_count"),
        ("reported_input", 3.0, "not_a_count"),
        ("reported_input", 1e30, "not_a_count"),
        ("reported_input", "12", "not_a_count"),
        ("reported_input", [1], "not_a_count"),
        ("reported_tool_calls", -2, "negative_count"),
        ("http_status", "200", "not_a_count"),
        ("stated_attempt_number", "first", "not_a_count"),
        ("record_sequence", 1.5, "not_a_count"),
        ("record_sequence", 2**63, "absurd_count"),
        ("ended_at_us", 0, "time_out_of_range"),
        ("ended_at_us", 1_577_836_799_999_999, "time_out_of_range"),
        ("ended_at_us", 4_102_444_800_000_000, "time_out_of_range"),
        ("ended_at_us", 10**40, "time_out_of_range"),
        ("ended_at_us", "now", "not_a_time"),
        ("ended_at_us", NOON - 1, "start_after_end"),
        ("is_stream", 1, "not_a_flag"),
        ("is_gateway_cache_hit", "True", "not_a_flag"),
        ("response_id", 5, "not_a_text"),
        ("feature_tag", {"a": 1}, "not_a_text"),
        ("response_id", "x" * 1025, "text_too_long"),
    ],
)
def test_a_wrong_value_rejects_its_record_alone(field: str, value: Any, code: str) -> None:
    reject = refused(field, value)
    assert reject.reason_code == code
    assert field in reject.detail


@pytest.mark.parametrize("value", [0, 1, 10**9, None])
def test_counts_up_to_a_thousand_million_are_sound(value: int | None) -> None:
    assert one("reported_input", value)["reported_input"] == value


def test_sequences_may_be_times() -> None:
    assert one("record_sequence", NOON)["record_sequence"] == NOON


@pytest.mark.parametrize("name", [None, ""])
def test_a_record_without_id_is_a_reject(name: str | None) -> None:
    framed = framed_rows(made_up_reader("source_event_id", "started_at_us"), (name, NOON), ("b", NOON))
    assert [reject.reason_code for reject in framed.rejects] == ["missing_field"]
    assert len(framed.table) == 1


def test_nul_in_a_kept_text_is_a_reject() -> None:
    reader = made_up_reader("source_event_id", "started_at_us", "response_id")
    batch = Batch([0, 1], [("a", NOON, "x\x00y"), ("b", NOON, "x")], may_hold_nul=True)
    framed = frame_of(reader, "f" * 64, HASHER, PROFILES, ReadOptions())(batch)
    assert [(reject.position, reject.reason_code) for reject in framed.rejects] == [("0", "nul_in_text")]
    assert framed.table["source_event_id"].to_pylist() == ["b"]


@pytest.mark.parametrize("field", ["feature_tag", "requested_model", "error_type", "finish_reason"])
def test_a_long_tag_is_cut_and_costs_nothing(field: str) -> None:
    assert one(field, "x" * 5000)[field] == "x" * 256


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ((100, 101, None, 5, None), ("100", "101")),
        ((100, 60, 41, 5, None), ("100", "101")),
        ((100, None, None, 5, 6), ("5", "6")),
    ],
)
def test_parts_above_their_total_are_a_reject_naming_both(
    values: tuple[Any, ...], numbers: tuple[str, str]
) -> None:
    reject = refused(COUNTS, *values)
    assert reject.reason_code == "negative_remainder"
    assert all(number in reject.detail for number in numbers)


def test_lifetimes_above_the_written_total_are_a_reject() -> None:
    names = "reported_input reported_cache_write reported_cache_write_5m reported_cache_write_1h"
    reject = refused(names, 1000, 300, 200, 101)
    assert reject.reason_code == "negative_remainder"
    assert "300" in reject.detail
    assert "301" in reject.detail
    assert one(names, 1000, 300, 200, 100)["reported_cache_write"] == 300


@pytest.mark.parametrize("name", ["reported_input_audio", "reported_input_image"])
def test_media_are_parts_of_the_input(name: str) -> None:
    assert refused(f"reported_input {name}", 10, 11).reason_code == "negative_remainder"


@pytest.mark.parametrize("name", ["reported_output_audio", "reported_output_image"])
def test_media_are_parts_of_the_output(name: str) -> None:
    assert refused(f"reported_output {name}", 10, 11).reason_code == "negative_remainder"


def test_counts_that_lie_outside_may_exceed() -> None:
    row = one(COUNTS, 5, 128_955, 1_253, 77, 600, usage_profile="outside")
    assert row["reported_cached"] == 128_955


def test_exceeding_counts_prove_an_exclusive_source_where_the_profile_says_so() -> None:
    assert one("reported_input reported_cached", 5, 10, usage_profile="otel.genai")["reported_cached"] == 10
    names = "reported_input reported_cached reported_cache_write"
    assert one(names, 5, 0, 10, usage_profile="otel.genai")["reported_cache_write"] == 10
    assert refused("reported_output reported_reasoning", 5, 6, usage_profile="otel.genai")


def test_a_total_that_adds_the_parts_explains_them() -> None:
    names = "reported_input reported_cached reported_output reported_reasoning reported_total"
    assert one(names, 5, 1000, 20, 7, 1025)["reported_cached"] == 1000
    assert one(names, 50, 10, 3, 7, 60)["reported_reasoning"] == 7
    assert refused(names, 5, 1000, 20, 7, 25).reason_code == "negative_remainder"


def test_an_unknown_profile_is_told_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"'insidee' is not a usage profile .* inside, .*usage_profiles.yml"):
        one("reported_input", 5, usage_profile="insidee")


def test_one_record_with_two_rows_counts_once() -> None:
    reader = made_up_reader("source_event_id", "started_at_us")
    frame = frame_of(reader, "f" * 64, HASHER, PROFILES, ReadOptions())
    framed = frame(Batch([7, 7, 8], [("a", NOON), ("b", NOON), ("c", NOON)]))
    assert framed.parsed == 2
    assert framed.table["record_position"].to_pylist() == ["7", "7", "8"]


def test_columns_are_taken_as_they_are() -> None:
    reader = made_up_reader("source_event_id", "started_at_us", "reported_input")
    frame = frame_of(reader, "f" * 64, HASHER, PROFILES, ReadOptions())
    columns = {"source_event_id": ["a", "b"], "started_at_us": [NOON, NOON], "reported_input": [1, -1]}
    framed = frame(Batch([0, 1], columns=columns))
    assert framed.table["reported_input"].to_pylist() == [1]
    assert [reject.position for reject in framed.rejects] == ["1"]


def test_the_excerpt_of_a_record_is_its_numbers() -> None:
    reject = refused("reported_input user feature_tag response_id", -5, "jane", "SECRET", "SECRET")
    assert reject.excerpt == f"started_at_us={NOON} reported_input=-5"


def test_skips_and_rejects_of_the_reader_pass_through() -> None:
    reader = made_up_reader("source_event_id", "started_at_us")
    told = Reject("4", "broken_json", "x", "")
    frame = frame_of(reader, "f" * 64, HASHER, PROFILES, ReadOptions())
    framed = frame(Batch([3], [("a", NOON)], [("5", "other")], [told]))
    assert (framed.parsed, framed.skips, framed.rejects) == (1, [("5", "other")], [told])
