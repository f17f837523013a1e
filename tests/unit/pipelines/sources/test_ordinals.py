"""Rows without an id: equal ones are told apart, in order or not."""

import pytest

from pipelines.errors import UserError
from pipelines.sources.base import ReadOptions
from pipelines.sources.ordinals import Ordinals
from tests.unit.pipelines.sources.files import read_all, rows_of, stream_of


def test_equal_rows_of_one_instant_are_numbered() -> None:
    ordinal = Ordinals()
    assert [ordinal(1, "a"), ordinal(1, "b"), ordinal(1, "a"), ordinal(2, "a")] == ["0", "0", "1", "0"]


def test_rows_behind_the_latest_instant_have_ordinals_of_their_own() -> None:
    ordinal = Ordinals()
    assert [ordinal(2, "a"), ordinal(1, "a"), ordinal(1, "a"), ordinal(2, "a")] == [
        "0",
        "late1",
        "late2",
        "1",
    ]


def test_only_the_latest_instant_is_remembered() -> None:
    ordinal = Ordinals()
    for at in range(10_000):
        ordinal(at, "a")
    assert len(ordinal._seen) == 1


@pytest.mark.parametrize(
    ("source", "content", "name"),
    [
        (
            "burstgpt.trace",
            "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,4,1,5,API log\n",
            "a.csv",
        ),
        (
            "mooncake.trace",
            '{"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": []}\n',
            "a.jsonl",
        ),
    ],
)
def test_relative_times_need_a_stated_start(tmp_path: object, source: str, content: str, name: str) -> None:
    stream = stream_of(tmp_path, content, name)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"count from a start that it does not state.*sources\.yml"):
        read_all(stream, source)
    twice = stream_of(tmp_path, content + content.splitlines()[-1] + "\n", name)  # type: ignore[arg-type]
    rows = rows_of(read_all(twice, source, ReadOptions(start_us=1_794_643_200_000_000)))
    assert len({row["attempt_key"] for row in rows}) == 2
    assert {row["time_basis"] for row in rows} == {"assumed"}
