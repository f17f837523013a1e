"""Laws of landing: order, the spreading of lines over files, and repetition do not change what lands."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from models.keys import key63
from pipelines.sources.base import ReadOptions, RejectError
from pipelines.sources.frame import keys_of
from pipelines.sources.frames import frame_of
from pipelines.sources.rules import MOST_COUNT
from pipelines.sources.values import decimal_text, excerpt_of, iso_us, us_of
from tests.unit.pipelines.landed import attempts, home_in, land, row, write
from tests.unit.pipelines.sources.files import HASHER, PROFILES, framed_rows, made_up_reader

NOON = 1_794_657_600_000_000
counts = st.one_of(st.none(), st.integers(0, 50), st.integers(-5, MOST_COUNT + 5), st.booleans())
rows = st.lists(
    st.builds(
        row,
        st.integers(0, 30).map(lambda number: f"r{number}"),
        st.integers(10, 14).map(lambda day: f"2026-11-{day}"),
        prompt_tokens=st.integers(0, 1000),
    ),
    min_size=1,
    max_size=40,
)


def content(found: list[dict[str, Any]]) -> Counter[str]:
    """Landed rows as a bag, without the names of files and places."""
    places = ("file_sha256", "record_position")
    return Counter(
        json.dumps({k: v for k, v in each.items() if k not in places}, default=str, sort_keys=True)
        for each in found
    )


@given(rows, st.randoms(use_true_random=False), st.integers(1, 5))
@settings(max_examples=15)
def test_order_split_and_repetition_do_not_change_what_lands(
    lines: list[dict[str, Any]], dice: Any, parts: int
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        whole, spread = home_in(folder, "whole"), home_in(folder, "spread")
        land(whole, write(folder, "whole.jsonl", *lines))
        shuffled = list(lines)
        dice.shuffle(shuffled)
        files = [write(folder, f"part{n}.jsonl", *shuffled[n::parts]) for n in range(parts)]
        for _ in range(3):
            dice.shuffle(files)
            land(spread, *(path for path in files if path.stat().st_size))
        one, other = content(attempts(whole)), content(attempts(spread))
    assert set(one) == set(other)
    # Equal files are one file, so equal lines may fall together, but never more lines than there were.
    assert all(other[line] <= one[line] for line in one)


@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), max_size=30), st.text(max_size=5))
def test_keys_by_column_are_keys_one_by_one(ids: list[str | None], source: str) -> None:
    expected = [None if text is None else key63("attempt", source, text) for text in ids]
    assert keys_of(f"attempt\x1f{source}\x1f", ids).to_pylist() == expected


@given(st.lists(st.tuples(counts, counts, counts, counts, counts), max_size=30))
def test_every_record_is_a_sound_row_or_a_reject(records: list[tuple[Any, ...]]) -> None:
    reader = made_up_reader(
        "source_event_id",
        "started_at_us",
        "reported_input",
        "reported_cached",
        "reported_cache_write",
        "reported_output",
        "reported_reasoning",
    )
    framed = framed_rows(reader, *((f"r{n}", NOON, *record) for n, record in enumerate(records)))
    kept = framed.table.to_pylist()
    places = [int(found["record_position"]) for found in kept] + [
        int(each.position) for each in framed.rejects
    ]
    assert sorted(places) == list(range(len(records)))
    for found in kept:
        stated = records[int(found["record_position"])]
        assert (found["reported_input"], found["reported_cached"], found["reported_cache_write"]) == stated[
            :3
        ]
        if found["reported_input"] is not None:
            parts = (found["reported_cached"] or 0) + (found["reported_cache_write"] or 0)
            assert 0 <= parts <= found["reported_input"] <= MOST_COUNT
        if found["reported_output"] is not None:
            assert 0 <= (found["reported_reasoning"] or 0) <= found["reported_output"]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 10))
def test_batches_do_not_matter(numbers: list[int], size: int) -> None:
    reader = made_up_reader("source_event_id", "started_at_us", "feature_tag", "customer")
    made = [(f"r{n}", NOON + n, f"f{value}", f"c{value}") for n, value in enumerate(numbers)]
    whole = framed_rows(reader, *made).table
    frame = frame_of(reader, "f" * 64, HASHER, PROFILES, ReadOptions())
    assert frame is not None
    parts = [framed_rows(reader, *made[at : at + size]).table for at in range(0, len(made), size)]
    keys = [key for part in parts for key in part["owner_key"].to_pylist()]
    assert keys == whole["owner_key"].to_pylist()
    assert len(set(keys)) == len(set(numbers))


@given(st.datetimes(min_value=datetime(1990, 1, 1)))
def test_instants_round_trip(moment: Any) -> None:
    assert iso_us(moment.isoformat(), "t") == us_of(moment)
    assert iso_us(f"{moment.isoformat()}+00:00", "t") == us_of(moment)


@given(st.decimals(0, 10**9, places=12))
def test_amounts_keep_every_digit(amount: Any) -> None:
    written = decimal_text(format(amount, "f"), "spend")
    assert written is not None
    assert type(amount)(written) == amount


@given(st.binary(max_size=300), st.text(alphabet="abcdefghijklmnop ", min_size=12, max_size=30))
def test_no_excerpt_holds_a_text_value(noise: bytes, words: str) -> None:
    line = b'{"n": 1, "said": ' + json.dumps(words).encode() + b"}" + noise
    found = excerpt_of(line)
    assert len(found) <= 200
    assert words.strip() not in found or not words.strip()


@given(st.text())
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    try:
        found: object = iso_us(text, "t")
    except RejectError as error:
        found = error.reason_code
    assert found == "not_a_time" or isinstance(found, int)
