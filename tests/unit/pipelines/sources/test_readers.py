"""The table of readers: each is complete, finds its own files and no others, and strangers may add theirs."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models.columns import columns, input_tables
from pipelines import sources
from pipelines.errors import UserError
from pipelines.landing import usage_profiles
from pipelines.sources import READERS, choose_reader, readers
from pipelines.sources.rules import kind_of
from tests.unit.pipelines.sources.files import made_up_reader, stream_of

PSEUDO = {
    "user",
    "customer",
    "api_key",
    "stated_request_id",
    "created_at_us",
    "logged_at_us",
    "is_usage_estimated",
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_is_complete(name: str) -> None:
    reader = readers()[name]
    assert name == reader.SOURCE
    assert reader.VERSION >= 1
    assert reader.TABLE in input_tables()
    assert len(set(reader.FIELDS)) == len(reader.FIELDS)
    assert not set(reader.FIELDS) & set(reader.CONSTANTS)
    known = {*input_tables()[reader.TABLE].columns, *PSEUDO}
    assert {*reader.FIELDS, *reader.CONSTANTS} <= known
    assert reader.__doc__


@pytest.mark.parametrize("name", [name for name in READERS if readers()[name].TABLE == "raw_attempts"])
def test_every_reader_of_attempts_names_a_known_usage_profile(name: str) -> None:
    stated = readers()[name].CONSTANTS.get("usage_profile")
    assert stated in usage_profiles() or "usage_profile" in readers()[name].FIELDS


def test_kinds_of_fields_agree_with_the_dictionary() -> None:
    kinds = {"BIGINT": {"count", "integer", "time"}, "VARCHAR": {"text"}, "BOOLEAN": {"flag"}}
    for reader in readers().values():
        for field in reader.FIELDS:
            if field in columns():
                assert kind_of(field) in kinds[columns()[field].type], field


def test_a_reader_may_be_named(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, "nothing to recognise\n")
    assert choose_reader(stream, "otel.genai").SOURCE == "otel.genai"


def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'otel' is not a source · otel\.genai, "):
        choose_reader(stream_of(tmp_path, "x"), "otel")


def test_an_unknown_format_is_told_with_what_was_seen_and_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        choose_reader(stream_of(tmp_path, '{"who": "Jane"}\n', "mail.json"))
    message = str(caught.value)
    assert "'mail.json' is of no known format" in message
    assert 'starts with {"aaa": "aaaa"}' in message
    assert "Jane" not in message
    for name in READERS:
        assert name in message


def test_an_empty_file_is_told_as_empty(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no bytes"):
        choose_reader(stream_of(tmp_path, ""))


def test_installed_packages_may_add_readers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    added = made_up_reader("source_event_id", "started_at_us")
    points = [
        SimpleNamespace(name="made.up", load=lambda: added),
        SimpleNamespace(name="otel.genai", load=lambda: added),
    ]

    def entry_points(group: str) -> list[Any]:
        assert group == "inferledger.readers"
        return points

    monkeypatch.setattr(sources, "entry_points", entry_points)
    readers.cache_clear()
    try:
        assert choose_reader(stream_of(tmp_path, "made up of nothing\n")) is added
        assert readers()["otel.genai"] is not added  # ours cannot be replaced
    finally:
        readers.cache_clear()
