"""Single values: instants, amounts, counts, and what an excerpt may show."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pipelines.sources.base import RejectError
from pipelines.sources.values import (
    child,
    count_of_text,
    decimal_text,
    epoch_us,
    error_class_of,
    error_class_of_name,
    excerpt_of,
    http_status_of,
    iso_us,
    required_text,
    shown,
    text_of,
    zoned_us,
)

BERLIN = ZoneInfo("Europe/Berlin")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def us(text: str) -> int:
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def code_of(caught: pytest.ExceptionInfo[RejectError]) -> str:
    return caught.value.reason_code


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-11-14T08:00:00.120000", "2026-11-14T08:00:00.120000+00:00"),
        ("2026-11-14 08:00:00.120000", "2026-11-14T08:00:00.120000+00:00"),
        ("2026-11-14T08:00:00Z", "2026-11-14T08:00:00+00:00"),
        ("2026-11-14T08:00:00+05:30", "2026-11-14T02:30:00+00:00"),
        ("2026-11-14T00:30:00-08:00", "2026-11-14T08:30:00+00:00"),
        ("2026-08-05T21:30:00-07:00", "2026-08-06T04:30:00+00:00"),
        ("2026-12-31T23:59:59.999999", "2026-12-31T23:59:59.999999+00:00"),
        ("2023-11-16 18:15:46.6805900", "2023-11-16T18:15:46.680590+00:00"),
    ],
)
def test_instants_with_and_without_offset(text: str, same: str) -> None:
    assert iso_us(text, "$.t") == us(same)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-45T25:61:00", "2026-02-30", 1794643200, None, True]
)
def test_what_is_no_instant_is_refused(text: Any) -> None:
    with pytest.raises(RejectError) as caught:
        iso_us(text, "$.t")
    assert code_of(caught) == "not_a_time"
    assert caught.value.detail.startswith("$.t: ")


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-11-14 09:00:00", "2026-11-14T08:00:00+00:00"),  # winter
        ("2026-07-14 09:00:00", "2026-07-14T07:00:00+00:00"),  # summer
        ("2026-11-14 09:00:00+00:00", "2026-11-14T09:00:00+00:00"),  # a stated offset stands above the zone
    ],
)
def test_wall_time_in_a_stated_zone(text: str, utc: str) -> None:
    assert zoned_us(text, BERLIN, "t") == us(utc)


@pytest.mark.parametrize("text", ["2026-10-25 02:30:00", "2026-03-29 02:30:00"])
def test_wall_time_that_happened_twice_or_never_is_refused(text: str) -> None:
    with pytest.raises(RejectError) as caught:
        zoned_us(text, BERLIN, "t")
    assert code_of(caught) == "ambiguous_time"


def test_wall_time_without_any_zone_is_refused() -> None:
    with pytest.raises(RejectError) as caught:
        zoned_us("2026-11-14 09:00:00", None, "t")
    assert code_of(caught) == "time_without_zone"


def test_wall_time_that_is_none_is_refused() -> None:
    with pytest.raises(RejectError) as caught:
        zoned_us("noon", BERLIN, "t")
    assert code_of(caught) == "not_a_time"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1794643380, 1794643380000000),
        (1794643380.25, 1794643380250000),
        (1794643380.123457, 1794643380123457),
    ],
)
def test_epoch_seconds(seconds: float, expected: int) -> None:
    assert epoch_us(seconds, "t") == expected


@pytest.mark.parametrize("seconds", ["1794643380", True, None, [1]])
def test_epoch_seconds_are_numbers(seconds: Any) -> None:
    with pytest.raises(RejectError) as caught:
        epoch_us(seconds, "t")
    assert code_of(caught) == "not_a_time"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (0, "0"),
        (0.0, "0"),
        (3, "3"),
        (0.0051575, "0.0051575"),
        (0.0219336, "0.0219336"),
        (1e-05, "0.00001"),
        (2.5e-07, "0.00000025"),
        (-0.0, "0"),
        (12.0, "12"),
        (100, "100"),
        ("0.10", "0.1"),
        ("1e-3", "0.001"),
        ("120", "120"),
        (0.00022500000000000002, "0.00022500000000000002"),
        (1e16, "10000000000000000"),
    ],
)
def test_amounts_become_plain_decimal_text(value: Any, text: str | None) -> None:
    assert decimal_text(value, "$.spend") == text


@pytest.mark.parametrize("value", [True, "abc", "1e999", "nan", "inf", "", [], {}, "0x10", "1_000"])
def test_what_is_no_amount_is_refused(value: Any) -> None:
    with pytest.raises(RejectError) as caught:
        decimal_text(value, "$.spend")
    assert code_of(caught) == "not_an_amount"


@pytest.mark.parametrize(("text", "count"), [("", None), ("0", 0), ("12", 12), ("-3", -3), ("007", 7)])
def test_counts_in_plain_digits(text: str, count: int | None) -> None:
    assert count_of_text(text, "n") == count


@pytest.mark.parametrize("text", ["1.0", "1e3", " 1", "١٢", "true", "0x1", "1,000", "9" * 30])
def test_other_spellings_of_counts_are_refused(text: str) -> None:
    with pytest.raises(RejectError) as caught:
        count_of_text(text, "n")
    assert code_of(caught) == "not_a_count"


def test_parts_of_objects() -> None:
    assert child({"a": {"b": 1}}, "a", "$") == {"b": 1}
    assert child({}, "a", "$") == child({"a": None}, "a", "$") == {}
    with pytest.raises(RejectError, match=r"not_an_object: \$\.a: 3 is not an object"):
        child({"a": 3}, "a", "$")


def test_texts_and_required_texts() -> None:
    assert text_of("x", "$.a") == "x"
    assert text_of("", "$.a") is None
    assert required_text({"a": "x"}, "a") == "x"
    for wrong in (5, True, ["x"]):
        with pytest.raises(RejectError, match="not_a_text"):
            text_of(wrong, "$.a")
        with pytest.raises(RejectError, match="not_a_text"):
            required_text({"a": wrong}, "a")
    for record in ({}, {"a": None}, {"a": ""}):
        with pytest.raises(RejectError, match=r"missing_field: \$\.a"):
            required_text(record, "a")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (429, "rate_limited"),
        (408, "timeout"),
        (504, "timeout"),
        (400, "client"),
        (500, "server"),
        (529, "server"),
    ],
)
def test_error_class_of_a_status(status: int, expected: str) -> None:
    assert error_class_of(status) == expected


@pytest.mark.parametrize("status", [None, 200, 302])
def test_no_error_class_below_400(status: int | None) -> None:
    assert error_class_of(status) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RateLimitError", "rate_limited"),
        ("ThrottlingException", "rate_limited"),
        ("rate_limit_exceeded", "rate_limited"),
        ("APITimeoutError", "timeout"),
        ("InternalServerError", "server"),
        ("overloaded_error", "server"),
        ("content_filter", "content_filter"),
        ("invalid_request_error", "client"),
        ("SomethingNew", None),
        (None, None),
        (5, None),
    ],
)
def test_error_class_of_a_name(name: object, expected: str | None) -> None:
    assert error_class_of_name(name) == expected


@pytest.mark.parametrize(
    ("code", "status"), [(429, 429), ("429", 429), ("42", None), ("999", None), (None, None)]
)
def test_http_status_of_a_code(code: object, status: int | None) -> None:
    assert http_status_of(code) == status


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (12, "12"),
        (10**60, "1" + "0" * 39),
        ("gpt-5", "'gpt-5'"),
        ("2026-13-45T25:61:00", "'2026-13-45T25:61:00'"),
        ("my secret prompt", "a text of 16 characters"),
        ("x" * 41, "a text of 41 characters"),
        ({"secret": 1}, "an object"),
        (["secret"], "a list"),
    ],
)
def test_messages_show_numbers_and_plain_words_only(value: object, text: str) -> None:
    assert shown(value) == text


def test_an_excerpt_shows_keys_and_numbers_but_no_text() -> None:
    line = b'{"request_id": "abc-123", "spend": 0.25, "user": "jane@example.org", "stream": true, "x": nul'
    assert excerpt_of(line) == '{"request_id": "...", "spend": 0.25, "user": "...", "stream": true, "x": ?'


@pytest.mark.parametrize(
    "line",
    [
        b'{"prompt_tokens": 5, "messages": [{"role": "user", "content": 4111111111111111',
        b'{"prompt_tokens": 5, "response": 4111111111111111}',
        b'SECRET words" and more SECRET: 4',
        b'{"a": "SECRET',
        b'{"a": "x\\"SECRET", "b": SECRET',
        b"SECRET",
        b'{"SECRET words": 5}',
        '{"a": "größe SECRET"'.encode(),
    ],
)
def test_an_excerpt_never_quotes_words_of_people(line: bytes) -> None:
    found = excerpt_of(line)
    assert "SECRET" not in found
    assert "4111111111111111" not in found


def test_an_excerpt_is_short() -> None:
    assert len(excerpt_of(b'{"a": 1, ' * 10_000)) == 200
