"""Strict CSV: columns by name, every row a record, a skip or a reject."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import UserError
from pipelines.sources import csv_lines
from pipelines.sources import lines as line_limits
from pipelines.sources.base import Batch, RejectError, Skip
from pipelines.sources.csv_lines import header_of, read_csv_rows
from tests.unit.pipelines.sources.files import stream_of


def parse(values: list[str]) -> Any:
    if values[0] == "bad":
        raise RejectError("not_a_count", "a: 'bad'")
    return Skip("other") if values[0] == "skip" else tuple(values)


def read(folder: Path, content: bytes | str, optional: tuple[str, ...] = ()) -> Batch:
    whole = Batch()
    for batch in read_csv_rows(stream_of(folder, content, "file.csv"), ("a", "b"), parse, optional):
        whole.positions += batch.positions
        whole.rows += batch.rows
        whole.skips += batch.skips
        whole.rejects += batch.rejects
    return whole


def reasons(batch: Batch) -> list[tuple[str, str]]:
    return [(reject.position, reject.reason_code) for reject in batch.rejects]


def test_columns_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    assert read(tmp_path, "b,x,a\n2,9,1\n4,9,3\n").rows == [("1", "2"), ("3", "4")]


def test_line_ends_quotes_and_blanks(tmp_path: Path) -> None:
    content = '\ufeffa, b\r\n"1,5", 2\r\n\r\n"x ""y""",z'
    assert read(tmp_path, content.encode()).rows == [("1,5", "2"), ('x "y"', "z")]


def test_a_quoted_value_may_hold_a_line_feed(tmp_path: Path) -> None:
    assert read(tmp_path, 'a,b\n"1\n2",3\n4,5\n').rows == [("1\n2", "3"), ("4", "5")]


def test_optional_columns_are_empty_where_absent(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b,c\n1,2,3\n", ("c", "d")).rows == [("1", "2", "3", "")]


def test_odd_rows_are_rejects_and_the_rest_is_read(tmp_path: Path) -> None:
    content = b'a,b\n1,2\n3\n4,5,6\nbad,1\nskip,1\n\xff,1\n7\x00,8\n"9"x,1\n10,11\n'
    batch = read(tmp_path, content)
    assert batch.rows == [("1", "2"), ("10", "11")]
    assert batch.positions == [0, 8]
    assert batch.skips == [("4", "other")]
    assert reasons(batch) == [
        ("1", "wrong_column_count"),
        ("2", "wrong_column_count"),
        ("3", "not_a_count"),
        ("5", "invalid_utf8"),
        ("6", "nul_byte"),
        ("7", "broken_csv"),
    ]


def test_other_languages_are_welcome(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b\ngröße,値\n").rows == [("größe", "値")]


def test_an_open_quote_at_the_end_is_a_reject(tmp_path: Path) -> None:
    batch = read(tmp_path, 'a,b\n1,2\n"3,4\n')
    assert batch.rows == [("1", "2")]
    assert reasons(batch) == [("1", "broken_csv")]


def test_a_field_above_the_limit_is_a_reject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_lines, "MOST_FIELD_CHARACTERS", 100)
    batch = read(tmp_path, f"a,b\n{'x' * 200},1\n3,4\n")
    assert batch.rows == [("3", "4")]
    assert reasons(batch) == [("0", "broken_csv")]


def test_a_line_above_the_limit_is_a_reject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_limits, "MOST_LINE_BYTES", 50)
    batch = read(tmp_path, f"a,b\n{'x' * 100},1\n3,4\n")
    assert batch.rows == [("3", "4")]
    assert len(batch.rejects) == 1


def test_places_go_on_over_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_lines, "BATCH_ROWS", 3)
    batch = read(tmp_path, "a,b\n" + "".join(f"{n},0\n" for n in range(10)))
    assert batch.positions == list(range(10))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("a,c", "column 'b' is missing from 'file.csv'.*found: .*c.*original header"),
        ("a,b,b", "column 'b' stands twice"),
        ("", "column 'a' is missing"),
    ],
)
def test_a_wrong_header_refuses_the_file(tmp_path: Path, header: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, f"{header}\n1,2\n")


def test_the_header_of_a_head() -> None:
    assert header_of(b"a, b,c\r\n1,2") == ["a", "b", "c"]
    assert header_of(b"\xff\xfe") == header_of(b"") == header_of(b'"open') == []
