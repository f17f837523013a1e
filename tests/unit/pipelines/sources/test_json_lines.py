"""Strict JSON lines: every line is a record, a skip or a reject with its reason, whatever stands in it."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import UserError
from pipelines.sources import lines as line_limits
from pipelines.sources.base import Batch, RejectError, Skip
from pipelines.sources.json_lines import (
    check_keys_once,
    explain_broken,
    load_object,
    read_json_groups,
    read_json_lines,
)
from pipelines.sources.lines import split_lines
from tests.unit.pipelines.sources.files import stream_of


def parse(record: dict[str, Any], line: bytes) -> Any:
    check_keys_once(line, [(b'"n":', 1)])
    return Skip("other") if record.get("skip") else (record["n"],)


def read(folder: Path, content: bytes) -> Batch:
    whole = Batch()
    for batch in read_json_lines(stream_of(folder, content), parse):
        whole.positions += batch.positions
        whole.rows += batch.rows
        whole.skips += batch.skips
        whole.rejects += batch.rejects
        whole.may_hold_nul |= batch.may_hold_nul
    return whole


def reason(folder: Path, line: bytes) -> str:
    """The reason of a damaged line that stands between two sound ones."""
    batch = read(folder, b'{"n": 1}\n' + line + b'\n{"n": 2}\n')
    assert batch.rows == [(1,), (2,)]
    assert batch.positions == [0, 2]
    (reject,) = batch.rejects
    assert reject.position == "1"
    return reject.reason_code


def test_lines_end_at_line_feeds_with_or_without_carriage_return(tmp_path: Path) -> None:
    for content in (b'{"n": 1}\n{"n": 2}\n', b'{"n": 1}\r\n{"n": 2}\r\n', b'{"n": 1}\n{"n": 2}'):
        assert read(tmp_path, content).rows == [(1,), (2,)]


def test_blank_lines_are_no_records_but_count_as_places(tmp_path: Path) -> None:
    batch = read(tmp_path, b'\n{"n": 1}\n  \r\n\n{"n": 2}\n\n')
    assert batch.positions == [1, 4]
    assert batch.rejects == []


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c"])
def test_other_line_ends_do_not_split(tmp_path: Path, text: str) -> None:
    escaped = text if ord(text) > 127 else f"\\u{ord(text):04x}"
    batch = read(tmp_path, f'{{"n": 1, "x": "a{escaped}b"}}\n{{"n": 2}}\n'.encode())
    assert batch.rows == [(1,), (2,)]


def test_skips_keep_place_and_reason(tmp_path: Path) -> None:
    assert read(tmp_path, b'{"n": 1}\n{"skip": true}\n').skips == [("1", "other")]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"n": 3', "broken_json"),
        (b'{"n": 3}}', "broken_json"),
        (b'{"n": 3} {"n": 4}', "broken_json"),
        (b"plain text", "broken_json"),
        (b'{"n": 3,}', "broken_json"),
        (b"{'n': 3}", "broken_json"),
        (b'{"n": 03}', "broken_json"),
        (b'{"n": 3, "x": "\x01"}', "broken_json"),
        (b'{"n": NaN}', "not_a_finite_number"),
        (b'{"n": -Infinity}', "not_a_finite_number"),
        (b'{"n": 1e999}', "not_a_finite_number"),
        (b'{"n": 3, "x": "\xff"}', "invalid_utf8"),
        (b'{"n": 3, "x": "\xc0\xaf"}', "invalid_utf8"),
        (b'{"n": 3, "x": "\\ud800"}', "lone_surrogate"),
        (b'{"n": 3, "x": "\\ud800\\u0041"}', "lone_surrogate"),
        (b'{"n": 3\x00}', "nul_byte"),
        (b"\x00\x00\x00\x00", "nul_byte"),
        (b'\xef\xbb\xbf{"n": 3}', "byte_order_mark"),
        (b"[" * 2000, "too_deep"),
        (b'{"n": 3, "x": ' + b"[" * 70 + b"]" * 70 + b"}", "too_deep"),
        (b'{"n": 3, "x": ' + b'{"a":' * 70 + b"1" + b"}" * 70 + b"}", "too_deep"),
        (b"[1]", "not_an_object"),
        (b"3", "not_an_object"),
        (b"null", "not_an_object"),
        (b'"text"', "not_an_object"),
        (b'{"n": 3, "n": 4}', "duplicate_key"),
        (b'{"n": 3, "x": {"n": 4, "n": 5}}', "duplicate_key"),
        (b'{"m": 3}', "unexpected_shape"),
    ],
)
def test_a_damaged_line_is_rejected_alone_with_its_reason(tmp_path: Path, line: bytes, code: str) -> None:
    assert reason(tmp_path, line) == code


def test_a_key_repeated_in_two_objects_is_no_duplicate(tmp_path: Path) -> None:
    assert read(tmp_path, b'{"n": 1, "x": {"n": 2}}\n').rows == [(1,)]


def test_the_key_named_in_a_duplicate_is_not_somebodys_words(tmp_path: Path) -> None:
    (reject,) = read(tmp_path, b'{"n": 1, "x": {"n": 2}, "my secret": 1, "my secret": 2}\n').rejects
    assert "secret" not in reject.detail + reject.excerpt


def test_brackets_in_texts_do_not_count_as_depth(tmp_path: Path) -> None:
    text = b"[{" * 200 + b"}"
    assert read(tmp_path, b'{"n": 1, "x": "' + text + b'"}\n').rows == [(1,)]


def test_many_shallow_objects_are_not_deep() -> None:
    line = b'{"x": [' + b",".join([b'{"a": [1]}'] * 500) + b"]}"
    assert len(load_object(line)["x"]) == 500


def test_depth_of_exactly_64_is_allowed() -> None:
    assert load_object(b'{"x": ' + b"[" * 63 + b"]" * 63 + b"}")
    with pytest.raises(RejectError, match="too_deep"):
        load_object(b'{"x": ' + b"[" * 64 + b"]" * 64 + b"}")


def test_a_line_above_the_limit_is_rejected_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_limits, "MOST_LINE_BYTES", 1000)
    long = b'{"n": 3, "x": "' + b"y" * 2000 + b'"}'
    assert reason(tmp_path, long) == "line_too_long"


@pytest.mark.parametrize("is_last", [False, True])
def test_a_line_of_many_blocks_is_rejected_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_last: bool
) -> None:
    monkeypatch.setattr(line_limits, "MOST_LINE_BYTES", 1 << 20)
    monkeypatch.setattr(line_limits, "BATCH_BYTES", 1 << 20)
    huge = b'{"x": "' + b"y" * (9 << 20) + b'"}'
    batch = read(tmp_path, b'{"n": 1}\n' + huge + (b"" if is_last else b'\n{"n": 2}\n'))
    assert batch.rows == ([(1,)] if is_last else [(1,), (2,)])
    assert [(reject.position, reject.reason_code) for reject in batch.rejects] == [("1", "line_too_long")]


def test_places_go_on_over_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_limits, "BATCH_BYTES", 1000)
    count = 150_000
    batch = read(tmp_path, b"".join(b'{"n": %d}\n' % number for number in range(count)))
    assert batch.positions == list(range(count))
    assert batch.rows == [(number,) for number in range(count)]


def test_escaped_nul_is_announced(tmp_path: Path) -> None:
    assert read(tmp_path, b'{"n": 1, "x": "\\u0000"}\n').may_hold_nul
    assert not read(tmp_path, b'{"n": 1}\n').may_hold_nul


def test_blocks_may_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.sources.streams.BLOCK_BYTES", 7)
    monkeypatch.setattr(line_limits, "BATCH_BYTES", 10)
    assert read(tmp_path, b'{"n": 1}\r\n{"n": 22}\r\n{"n": 333}').rows == [(1,), (22,), (333,)]


def test_split_gives_every_byte_back(tmp_path: Path) -> None:
    content = b"a\n\nb\r\nc"
    (found,) = split_lines(stream_of(tmp_path, content))
    assert found == (0, [b"a", b"", b"b\r", b"c"], False)


def group(record: dict[str, Any], line: bytes) -> list[Any]:
    del line
    return [
        Skip("other") if part == "skip" else RejectError("bad", "x") if part == "bad" else (part,)
        for part in record["parts"]
    ]


def read_groups(folder: Path, content: bytes) -> Batch:
    (batch,) = read_json_groups(stream_of(folder, content), group)
    return batch


def test_records_of_a_line_have_places_of_their_own(tmp_path: Path) -> None:
    batch = read_groups(tmp_path, b'{"parts": [7, "skip", "bad", 8]}\n{"parts": []}\n{"parts": [9]}\n')
    assert list(zip(batch.positions, batch.rows, strict=True)) == [
        ("0/0", (7,)),
        ("0/3", (8,)),
        ("2/0", (9,)),
    ]
    assert batch.skips == [("0/1", "other")]
    assert [(reject.position, reject.reason_code) for reject in batch.rejects] == [("0/2", "bad")]


def test_a_broken_line_of_many_records_is_one_reject(tmp_path: Path) -> None:
    batch = read_groups(tmp_path, b'{"parts": [7, 8\n{"part": [7]}\n')
    found = [(reject.position, reject.reason_code) for reject in batch.rejects]
    assert found == [("0", "broken_json"), ("1", "unexpected_shape")]
    assert batch.rows == []


def test_explaining_a_sound_line_does_not_pretend() -> None:
    assert explain_broken(b'{"n": 1}') == ("broken_json", "read at the second attempt only")


@pytest.mark.parametrize(
    "content",
    ['[{"n": 1}, {"n": 2}]', '[\n  {"n": 1},\n  {"n": 2}\n]\n', ' \n[{"n": 1}\n,{"n": 2}]'],
)
def test_a_list_of_records_is_one_document(tmp_path: Path, content: str) -> None:
    batch = read(tmp_path, content.encode())
    assert batch.rows == [(1,), (2,)]
    assert batch.positions == [0, 1]


def test_one_record_over_many_lines(tmp_path: Path) -> None:
    assert read(tmp_path, b'{\n  "n": 7,\n  "x": {"y": 1}\n}\n').rows == [(7,)]


def test_odd_records_of_a_list_are_rejected_alone(tmp_path: Path) -> None:
    batch = read(tmp_path, b'[{"n": 1}, 5, {"m": 2}, {"n": 3}]')
    assert batch.rows == [(1,), (3,)]
    assert [(r.position, r.reason_code) for r in batch.rejects] == [
        ("1", "not_an_object"),
        ("2", "unexpected_shape"),
    ]


@pytest.mark.parametrize("content", ["[", '[{"n": 1},', '{\n"n": 1', '{\n"n": NaN}', '[{"n": 1, "n": 2}]'])
def test_a_damaged_document_is_refused_as_a_whole(tmp_path: Path, content: str) -> None:
    with pytest.raises(UserError, match=r"is not one JSON document.*nothing of it was landed"):
        read(tmp_path, content.encode())
