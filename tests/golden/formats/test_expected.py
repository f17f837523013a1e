"""Every record of the format samples, through landing and SQL, against the values worked out by hand."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines import nightly
from pipelines.home import create_home
from pipelines.landing import land_files, usage_profiles
from pipelines.secrets import load_hasher
from pipelines.settings import load_settings
from pipelines.source_entries import NOTHING_STATED, load_source_entries, stated_for
from pipelines.sources import choose_reader
from pipelines.sources.frames import frame_of
from pipelines.sources.streams import open_stream
from pipelines.warehouse import open_warehouse
from tests.golden.formats.canonical import duplicate_places, requests
from tests.golden.formats.canonical_records import canonical, comparable

HERE = Path(__file__).parent
EXPECTED = [json.loads(line) for line in (HERE / "expected.jsonl").read_text().splitlines()]
FILES = sorted({line["file"] for line in EXPECTED if (HERE / line["file"]).exists()})
LINES = [line for line in EXPECTED if line["file"] in FILES]
# What the samples do not say: the instant of a batch line that failed and of a scrape, the zone of a host.
SOURCES = (
    "{files: openai_batch_output.jsonl, instant: 2026-11-14T08:30:00Z}",
    "{files: dcgm_exporter.prom, instant: 2026-11-14T08:30:00Z}",
    "{files: nvidia_smi.csv, zone: Europe/Berlin}",
)


def place_of(line: dict[str, Any]) -> tuple[str, str]:
    return line["file"], str(line["rec"])


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [line for line in LINES if line["kind"] == kind]


def name_of(line: dict[str, Any]) -> str:
    return f"{line['file']}-{line['rec']}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    create_home(home)
    (home / "sources.yml").write_text(f"sources: [{', '.join(SOURCES)}]\n")
    result = land_files(home, [HERE / name for name in FILES])
    assert [str(error) for error in result.errors] == []
    return home


@pytest.fixture(scope="module")
def built(home: Path) -> dict[tuple[str, str], dict[str, Any]]:
    settings = load_settings(home)
    nightly.build(nightly.prepare(settings))
    nightly.check(settings)
    with open_warehouse(settings) as engine:
        return dict(requests(engine))


@pytest.fixture(scope="module")
def duplicates(home: Path, built: object) -> dict[tuple[str, str], str]:
    """By file and position: the position of the record that took its place."""
    del built  # only has to be done
    with open_warehouse(load_settings(home)) as engine:
        return dict(duplicate_places(engine))


@pytest.fixture(scope="module")
def read(home: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What each record is when the file is read, before anything is built."""
    return {place: found for name in FILES for place, found in records_of(home, HERE / name)}


def records_of(home: Path, path: Path) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    stream = open_stream(path)
    stated = stated_for(path, load_source_entries(home / "sources.yml"), NOTHING_STATED)
    reader = choose_reader(stream, stated.reader)
    frame = frame_of(reader, stream.file_sha256, load_hasher(home), usage_profiles(), stated.options)
    for batch in reader.read(stream, stated.options):
        framed = frame(batch)
        for position, reason in framed.skips:
            yield (path.name, position), {"kind": "skip", "reason": reason}
        for reject in framed.rejects:
            yield (path.name, reject.position), {"kind": "quarantine", "reason": reject.reason_code}
        for row in framed.table.to_pylist():
            is_given = (
                row.get("time_basis") == "assumed"
                and reader.TABLE == "raw_gpu_samples"
                and path.suffix == ".prom"
            )
            found = {"kind": "request"} if reader.TABLE == "raw_attempts" else canonical(row)
            yield (path.name, row["record_position"]), found | ({"ts": None} if is_given else {})


@pytest.mark.parametrize("line", of_kind("request"), ids=name_of)
def test_attempt_has_the_expected_values(
    built: dict[tuple[str, str], dict[str, Any]], line: dict[str, Any]
) -> None:
    found = built[place_of(line)]
    stated = {name: value for name, value in line.items() if name not in ("file", "rec", "note")}
    assert {name: found[name] for name in stated} == stated


@pytest.mark.parametrize("line", of_kind("skip"), ids=name_of)
def test_other_record_is_skipped_with_its_reason(
    read: dict[tuple[str, str], dict[str, Any]], line: dict[str, Any]
) -> None:
    assert read[place_of(line)] == {"kind": "skip", "reason": line["reason"]}


@pytest.mark.parametrize("line", of_kind("duplicate_of"), ids=name_of)
def test_another_version_of_an_attempt_is_a_duplicate_of_it(
    duplicates: dict[tuple[str, str], str], line: dict[str, Any]
) -> None:
    assert duplicates[place_of(line)] == str(line["of"])


OTHERS = [line for kind in ("usage_bucket", "cost_line", "gpu_sample", "gpu_cost") for line in of_kind(kind)]


@pytest.mark.parametrize("line", OTHERS, ids=name_of)
def test_other_record_has_the_expected_values(
    read: dict[tuple[str, str], dict[str, Any]], line: dict[str, Any]
) -> None:
    found = read[place_of(line)]
    stated = {name: value for name, value in line.items() if name not in ("file", "rec", "note")}
    assert comparable({name: found[name] for name in stated}) == comparable(stated)


def test_no_file_holds_a_record_that_nobody_expects(read: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert sorted(read) == sorted(place_of(line) for line in LINES)


def test_every_sample_is_here() -> None:
    assert len(LINES) == len(EXPECTED) == 76
