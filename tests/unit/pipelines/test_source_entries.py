"""sources.yml: what is stated for which file, and what is wrong with an entry."""

from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.source_entries import (
    NOTHING_STATED,
    SourceEntry,
    Stated,
    check_zone,
    load_source_entries,
    stated_for,
)
from pipelines.sources.base import ReadOptions


def load(folder: Path, text: str) -> list[SourceEntry]:
    path = folder / "sources.yml"
    path.write_text(text)
    return load_source_entries(path)


def test_no_file_and_empty_files_state_nothing(tmp_path: Path) -> None:
    assert load_source_entries(tmp_path / "sources.yml") == []
    for text in ("", "# only a comment\n", "sources: []\n", "{}"):
        assert load(tmp_path, text) == []


def test_an_entry_states_reader_and_options(tmp_path: Path) -> None:
    entries = load(
        tmp_path,
        """
        sources:
          - files: azure/*.csv
            reader: azure.llm_trace
            zone: Europe/Berlin
            start: 2026-11-14T08:00:00Z
            instant: 2026-11-14T10:00:00+02:00
            model: gpt-4
        """,
    )
    stated = stated_for(Path("/data/azure/x.csv"), entries, NOTHING_STATED)
    at = 1_794_643_200_000_000
    assert stated.reader == "azure.llm_trace"
    assert stated.options == ReadOptions("Europe/Berlin", at, at, "gpt-4")
    assert stated.as_json() == {"zone": "Europe/Berlin", "start_us": at, "instant_us": at, "model": "gpt-4"}


@pytest.mark.parametrize(
    ("pattern", "path", "is_meant"),
    [
        ("*.csv", "/data/x.csv", True),
        ("x.csv", "/data/x.csv", True),
        ("azure/*.csv", "/data/azure/x.csv", True),
        ("/data/*/x.csv", "/data/azure/x.csv", True),
        ("azure/*.csv", "/data/other/x.csv", False),
        ("*.csv", "/data/x.jsonl", False),
    ],
)
def test_patterns_are_of_the_name_or_the_path(pattern: str, path: str, is_meant: bool) -> None:
    stated = stated_for(Path(path), [SourceEntry(files=pattern, zone="UTC")], NOTHING_STATED)
    assert (stated.options.zone == "UTC") is is_meant


def test_the_first_entry_that_matches_decides() -> None:
    entries = [SourceEntry(files="a*", zone="UTC"), SourceEntry(files="*", zone="Asia/Tokyo", model="m")]
    assert stated_for(Path("a.csv"), entries, NOTHING_STATED).options == ReadOptions(zone="UTC")
    assert stated_for(Path("b.csv"), entries, NOTHING_STATED).options.zone == "Asia/Tokyo"


def test_the_command_stands_above_the_file() -> None:
    entry = SourceEntry(files="*", reader="one", zone="UTC", model="m")
    given = Stated("other", ReadOptions(zone="Asia/Tokyo", start_us=0))
    stated = stated_for(Path("a.csv"), [entry], given)
    assert stated == Stated("other", ReadOptions(zone="Asia/Tokyo", start_us=0, model="m"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sources: [{files: '*', zone: Europe/Berlen}]", "'Europe/Berlen' is not a zone.*Europe/Berlin"),
        ("sources: [{files: '*', zone: ../etc}]", "is not a zone"),
        (
            "sources: [{files: '*', zon: UTC}]",
            r"'zon' of source entry 0.*sources\[0\].zon.*files, reader",
        ),
        ("sources: [{zone: UTC}]", r"'files' of source entry 0"),
        ("sources: [{files: ''}]", r"'files' of source entry 0"),
        ("sources: [{files: a}, {files: b, start: noon}]", r"'start' of source entry 1"),
        ("sources: [{files: a, start: 2026-11-14T08:00:00}]", "states no zone; write it like"),
        ("sources: [7]", "of source entry 0"),
        ("sources: 7", "is not a list of sources"),
        ("source: []", "is not a list of sources"),
        ("[]", "is not a list of sources"),
        ("sources: [", "is not YAML"),
    ],
)
def test_a_wrong_entry_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    if text == "[]":
        text = "- 1"
    with pytest.raises(UserError, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Los_Angeles"])
def test_known_zones(name: str) -> None:
    check_zone(name)


@pytest.mark.parametrize("name", ["", "Mars/Base", "/etc/passwd", "a\x00b"])
def test_unknown_zones(name: str) -> None:
    with pytest.raises(ValueError, match="is not a zone"):
        check_zone(name)
