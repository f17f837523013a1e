"""The Azure traces: no id, no zone, known by content."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import UserError
from pipelines.sources import azure_trace
from pipelines.sources.base import ReadOptions
from pipelines.sources.streams import open_stream
from tests.unit.pipelines.sources.files import read_all, reasons_of, rows_of, stream_of

HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
UTC = ReadOptions(zone="UTC")


def read(folder: Path, body: str, options: ReadOptions = UTC) -> Any:
    return read_all(stream_of(folder, HEADER + body, "trace.csv"), "azure.llm_trace", options)


def ids(folder: Path, body: str) -> list[str]:
    return [row["source_event_id"] for row in rows_of(read(folder, body))]


def test_a_plain_row(tmp_path: Path) -> None:
    (row,) = rows_of(read(tmp_path, "2023-11-16 18:15:46.6805900,374,44\r\n"))
    assert row["started_at_us"] == row["used_at_us"] == 1700158546680590
    assert (row["reported_input"], row["reported_output"]) == (374, 44)
    assert (row["outcome"], row["time_basis"], row["usage_basis"]) == ("success", "assumed", "stated")
    assert row["source_event_id"] == "2023-11-16 18:15:46.6805900|374|44|0"


def test_without_a_zone_the_file_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'trace.csv' state no zone.*sources\.yml"):
        read(tmp_path, "2023-11-16 18:15:46.6805900,374,44\r\n", ReadOptions())


def test_the_zone_moves_the_instant(tmp_path: Path) -> None:
    body = "2023-11-16 18:15:46.6805900,374,44\r\n"
    (row,) = rows_of(read(tmp_path, body, ReadOptions(zone="America/Los_Angeles", model="gpt-4")))
    assert row["started_at_us"] == 1700158546680590 + 8 * 3_600_000_000
    assert row["requested_model"] == "gpt-4"


def test_equal_rows_are_counted_apart(tmp_path: Path) -> None:
    body = "2023-11-16 18:15:46,5,6\r\n" * 3 + "2023-11-16 18:15:46,5,7\r\n"
    assert [name.rpartition("|")[2] for name in ids(tmp_path, body)] == ["0", "1", "2", "0"]


def test_split_and_merged_files_give_the_same_ids(tmp_path: Path) -> None:
    rows = [f"2023-11-16 18:15:{second:02},{second % 3},6\r\n" for second in range(30) for _ in range(2)]
    whole = ids(tmp_path, "".join(rows))
    parts = ids(tmp_path, "".join(rows[:20])) + ids(tmp_path, "".join(rows[20:]))
    assert Counter(whole) == Counter(parts)
    assert len(set(whole)) == 60


def test_rows_out_of_order_never_become_one(tmp_path: Path) -> None:
    rows = ["2023-11-16 18:15:40,5,6\r\n", "2023-11-16 18:15:41,5,6\r\n"] * 3
    assert len(set(ids(tmp_path, "".join(rows)))) == 6


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("2023-11-16 18:15:46,-374,44", "negative_count"),
        ("2023-11-16 18:15:46,374.0,44", "not_a_count"),
        ("2023-11-16 18:15:46,2000000000,44", "absurd_count"),
        ("noon,374,44", "not_a_time"),
        ("1970-01-01 00:00:00,374,44", "time_out_of_range"),
        ("2023-11-16 18:15:46,374", "wrong_column_count"),
        ("2023-11-16 18:15:46,3 7 4,44", "not_a_count"),
    ],
)
def test_a_damaged_row_is_rejected_alone(tmp_path: Path, row: str, code: str) -> None:
    sound = "2023-11-16 18:15:46,1,1\r\n"
    framed = read(tmp_path, f"{sound}{row}\r\n{sound}")
    assert reasons_of(framed) == [("1", code)]
    assert [found["record_position"] for found in rows_of(framed)] == ["0", "2"]


def test_a_row_without_counts_keeps_its_place(tmp_path: Path) -> None:
    (row,) = rows_of(read(tmp_path, "2023-11-16 18:15:46,,\r\n"))
    assert row["usage_basis"] == "missing"


def test_a_wall_time_that_happened_twice_is_a_reject(tmp_path: Path) -> None:
    framed = read(tmp_path, "2026-10-25 02:30:00,1,1\r\n", ReadOptions(zone="Europe/Berlin"))
    assert reasons_of(framed) == [("0", "ambiguous_time")]


def test_sniffing() -> None:
    assert azure_trace.sniff(HEADER.encode())
    for head in (b"", b"TIMESTAMP,ContextTokens\n", b"Timestamp,Model,Request tokens\n", b"\xff\xfe"):
        assert not azure_trace.sniff(head)


@pytest.mark.realdata
def test_the_conversation_trace_of_2023() -> None:
    folder = Path(os.environ["INFERLEDGER_REAL_DATA"]) / "azure-llm-2023-conv"
    path = folder / "AzureLLMInferenceTrace_conv.csv"
    framed = read_all(open_stream(path), "azure.llm_trace", UTC)
    rows = rows_of(framed)
    assert reasons_of(framed) == []
    assert len(rows) == len({row["attempt_key"] for row in rows}) == 19_366
    assert sum(row["reported_input"] for row in rows) == 22_361_870
    assert sum(row["reported_output"] for row in rows) == 4_088_665
