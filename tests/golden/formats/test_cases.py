"""Awkward and broken records of every format, each with what it must become.

`cases/<source>.jsonl`: the first line names the source, a sound `base` record and the options of the file;
each further line changes the base (`changes`, or the whole line as `text`) and says what comes out:
`expect` some columns, `skip` or `reject` a reason. `is` says which kind of fixture it is: ordinary, awkward
or broken.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.landing import usage_profiles
from pipelines.secrets import Hasher
from pipelines.sources import READERS, readers
from pipelines.sources.base import ReadOptions
from pipelines.sources.frames import frame_of
from pipelines.sources.streams import open_stream

FOLDER = Path(__file__).parent / "cases"
SAMPLES = FOLDER.parent
# These have awkward and broken records of their own in tests/unit/pipelines/sources.
OWN_TESTS = {"litellm.spendlogs", "otel.genai", "azure.llm_trace"}


def load(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    first, *cases = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]
    return first, cases


def changed(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The base with changes laid over it, objects inside objects; "(absent)" takes a member out."""
    found = dict(base)
    for key, value in changes.items():
        if value == "(absent)":
            found.pop(key, None)
        elif isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = changed(found[key], value)
        else:
            found[key] = value
    return found


def line_of(first: dict[str, Any], case: dict[str, Any]) -> str:
    if "text" in case:
        return case["text"]
    record = changed(first["base"], case.get("changes", {}))
    return ",".join(str(value) for value in record.values()) if "header" in first else json.dumps(record)


def outcomes(first: dict[str, Any], lines: list[str], folder: Path) -> dict[str, Any]:
    """What each position became: the row, ("skip", reason) or ("reject", code)."""
    path = folder / first.get("file", "cases.jsonl")
    path.write_text(
        "".join(f"{line}\n" for line in [*([first["header"]] if "header" in first else []), *lines])
    )
    reader, options = readers()[first["source"]], ReadOptions(**first.get("options", {}))
    stream = open_stream(path)
    frame = frame_of(reader, stream.file_sha256, Hasher("x" * 32), usage_profiles(), options)
    found: dict[str, Any] = {}
    for batch in reader.read(stream, options):
        framed = frame(batch)
        found |= {position: ("skip", reason) for position, reason in framed.skips}
        found |= {reject.position: ("reject", reject.reason_code) for reject in framed.rejects}
        for row in framed.table.to_pylist():
            found[row["record_position"]] = row
    return found


ALL = [
    (path.stem, number)
    for path in sorted(FOLDER.glob("*.jsonl"))
    for number in range(len(load(path.stem)[1]))
]


@pytest.mark.parametrize(("name", "number"), ALL, ids=[f"{name}-{number}" for name, number in ALL])
def test_a_record_becomes_what_it_must(tmp_path: Path, name: str, number: int) -> None:
    first, cases = load(name)
    case = cases[number]
    found = outcomes(first, [line_of(first, case)], tmp_path)
    (became,) = found.values()
    if "expect" in case:
        assert isinstance(became, dict), became
        assert {column: became[column] for column in case["expect"]} == case["expect"]
    else:
        assert became == (("skip", case["skip"]) if "skip" in case else ("reject", case["reject"]))


@pytest.mark.parametrize("name", [path.stem for path in sorted(FOLDER.glob("*.jsonl"))])
def test_damaged_records_leave_their_neighbours_alone(tmp_path: Path, name: str) -> None:
    first, cases = load(name)
    alone = [next(iter(outcomes(first, [line_of(first, case)], tmp_path).values())) for case in cases]
    together = list(outcomes(first, [line_of(first, case) for case in cases], tmp_path).values())
    rejected = [found for found in alone if isinstance(found, tuple)]
    assert sorted(found for found in together if isinstance(found, tuple)) == sorted(rejected)
    assert len(together) == len(cases)


@pytest.mark.parametrize("name", sorted(set(READERS) - OWN_TESTS))
def test_every_reader_ships_awkward_and_broken_records(name: str) -> None:
    kinds = {case["is"] for _, cases in map(load, [name]) for case in cases}
    assert {"awkward", "broken"} <= kinds
