"""Files of formats without a reader: set aside by name, counted, and read when the reader comes."""

import gzip
from pathlib import Path

import pytest

from pipelines import landing, nightly
from pipelines.manifests import read_manifests
from pipelines.settings import Settings
from pipelines.sources import awaited, readers
from pipelines.sources.awaited import awaited_format
from pipelines.sources.streams import open_stream
from tests.nights import SAMPLE, ledger_hash, night, read, sample_home, spend_log, write_log

FORTNIGHT = SAMPLE / "fortnight" / "files"
# A format that only these tests know.
FUTURE = b"future format 1\nwhatever it holds\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return sample_home(tmp_path / "ledger")


@pytest.fixture
def awaiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of a format that is awaited."""
    monkeypatch.setattr(
        awaited,
        "AWAITED",
        {**awaited.AWAITED, "future.format": lambda head: head.startswith(b"future format")},
    )
    path = tmp_path / "future.txt"
    path.write_bytes(FUTURE)
    return path


def test_no_awaited_format_has_a_reader_already() -> None:
    assert not set(awaited.AWAITED) & set(readers())


def test_every_file_of_the_fortnight_is_read_or_awaited() -> None:
    for path in sorted(FORTNIGHT.iterdir()):
        head = open_stream(path).head
        found = [name for name, reader in readers().items() if reader.sniff(head)]
        assert bool(found) != (awaited_format(head) is not None), path.name


@pytest.mark.parametrize("content", [b"nobody knows", b"a,b\n1,2\n", b"rates: 1\n", b'{"object": "page"}'])
def test_other_files_are_refused_as_before(settings: Settings, tmp_path: Path, content: bytes) -> None:
    strange = tmp_path / "strange.txt"
    strange.write_bytes(content)
    assert awaited_format(content) is None
    (error,) = nightly.land(settings, [strange]).errors
    assert "'strange.txt' is of no known format" in str(error)


def test_a_reader_that_is_named_is_taken(settings: Settings, awaiting: Path) -> None:
    (account,) = landing.land_files(
        settings.home, [awaiting], landing.Stated(reader="litellm.spendlogs")
    ).files
    assert account.manifest is not None
    assert account.manifest.source == "litellm.spendlogs"
    assert not account.manifest.is_set_aside
    assert sum(account.manifest.rejects.values()) == 2


def test_it_lands_once_as_one_skipped_record_that_the_snapshot_shows(
    settings: Settings, tmp_path: Path, awaiting: Path
) -> None:
    log = write_log(tmp_path / "a.jsonl", spend_log("a", "2026-10-19T10:00:00"))
    (account,) = nightly.land(settings, [awaiting]).files
    told = account.manifest
    assert told is not None
    assert (account.status, told.source, told.records, told.parsed) == ("landed", "future.format", 1, 0)
    assert (dict(told.skips), dict(told.days), told.parts) == ({"no_reader_yet": 1}, {}, ())
    assert (told.is_set_aside, told.byte_count) == (True, len(FUTURE))
    assert nightly.land(settings, [awaiting]).files[0].status == "already_landed"
    night(settings, [log])
    shown = read(
        settings,
        "select record_kind, reason_code, record_count from fct_file_accounts"
        " where file_name = 'future.txt' and record_count > 0",
    )
    assert shown == [{"record_kind": "skip", "reason_code": "no_reader_yet", "record_count": 1}]
    assert nightly.prepare(settings).plan.is_empty


def test_a_reader_that_comes_later_reads_what_was_set_aside(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = write_log(tmp_path / "a.jsonl", spend_log("a", "2026-10-19T10:00:00"))
    late = write_log(tmp_path / "b.jsonl", spend_log("b", "2026-10-25T10:00:00"))
    whole = sample_home(tmp_path / "whole")
    night(whole, [log, late])
    known = landing._reader_of
    monkeypatch.setattr(
        landing,
        "_reader_of",
        lambda stream, stated: "future.format" if stream.name == "b.jsonl" else known(stream, stated),
    )
    night(settings, [log, late])
    assert [manifest.is_set_aside for manifest in read_manifests(settings.landed)].count(True) == 1
    monkeypatch.undo()
    assert ledger_hash(settings) != ledger_hash(whole)
    made = night(settings, [late])
    assert made is not None
    assert made.changed_days == ("2026-10-25",)
    assert ledger_hash(settings) == ledger_hash(whole)
    assert nightly.prepare(settings).plan.is_empty


def test_a_cut_archive_is_refused_like_any_other(settings: Settings, tmp_path: Path, awaiting: Path) -> None:
    cut = tmp_path / "future.gz"
    cut.write_bytes(gzip.compress(FUTURE * 5000)[:-20])
    (account,) = nightly.land(settings, [cut]).files
    assert awaiting.exists()
    assert account.status == "refused"
    assert read_manifests(settings.landed) == []
