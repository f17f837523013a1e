"""Whole JSON documents: one, or one per line; strict, and refused as a whole where they are none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import UserError
from pipelines.sources import json_pages
from pipelines.sources.base import Batch, RejectError, Row, Skip
from pipelines.sources.json_pages import pages_results, read_pages
from tests.unit.pipelines.sources.files import stream_of


def items(pages: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    for number, page in enumerate(pages):
        yield from ((f"{number}/{place}", item) for place, item in enumerate(page["data"]))


def parse(item: Any) -> Row | Skip:
    if item == "skip":
        return Skip("other")
    if item == "bad":
        raise RejectError("bad", "x")
    return (item["n"],)


def read(folder: Path, content: str) -> Batch:
    (batch,) = read_pages(stream_of(folder, content, "page.json"), items, parse)
    return batch


def test_a_document_over_many_lines(tmp_path: Path) -> None:
    batch = read(tmp_path, json.dumps({"data": [{"n": 1}, "skip", "bad", {"n": 2}, 7]}, indent=2))
    assert (batch.positions, batch.rows) == (["0/0", "0/3"], [(1,), (2,)])
    assert batch.skips == [("0/1", "other")]
    codes = [(reject.position, reject.reason_code) for reject in batch.rejects]
    assert codes == [("0/2", "bad"), ("0/4", "unexpected_shape")]


def test_a_page_per_line(tmp_path: Path) -> None:
    batch = read(tmp_path, '{"data": [{"n": 1}]}\n\n{"data": [{"n": 2}]}\n')
    assert batch.positions == ["0/0", "1/0"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "3",
        "{",
        '{"data": []',
        '{"data": [NaN]}',
        '{"data": [], "data": []}',
        '{"data": [{"n": 1, "n": 2}]}',
        '{"data": []}\n{"data": [',
        '{"data": ' + "[" * 70 + "]" * 70 + "}",
    ],
)
def test_what_is_no_document_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(UserError, match=r"'page.json' is not one JSON document.*nothing of it was landed"):
        read(tmp_path, content)


@pytest.mark.parametrize("content", ["{}", '{"data": 5}', '{"date": []}'])
def test_another_layout_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(UserError, match=r"'page.json' is not laid out as its format is"):
        read(tmp_path, content)


def test_a_document_above_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pages, "MOST_BYTES", 10)
    with pytest.raises(UserError, match="one document of more than"):
        read(tmp_path, '{"data": [1, 2, 3]}')


def test_buckets_are_numbered_over_pages() -> None:
    pages = [{"data": [{"results": ["a", "b"]}, {"results": []}]}, {"data": [{"results": ["c"]}]}]
    assert [(place, result) for place, (_, result) in pages_results(pages)] == [
        ("0/0", "a"),
        ("0/1", "b"),
        ("2/0", "c"),
    ]
