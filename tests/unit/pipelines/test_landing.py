"""Landing: each file once, by day, committed by its manifest, whatever the others do."""

import gzip
import os
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from models.columns import table_schema
from pipelines import landing
from pipelines.errors import UserError
from pipelines.landing import land_files, usage_profiles
from pipelines.manifests import file_accounts, raw_attempt_files, read_manifests
from pipelines.source_entries import Stated
from pipelines.sources.base import ReadOptions
from tests.unit.pipelines.landed import (
    attempts,
    content_of,
    home_in,
    land,
    names,
    rejects,
    row,
    statuses,
    write,
)

AZURE = ("TIMESTAMP,ContextTokens,GeneratedTokens", "2023-11-16 18:15:46.68,3,4")


def test_rows_land_by_day_with_the_columns_of_the_table(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"), row("y", "2026-11-15"), row("z"))
    result = land(home, path)
    assert result.days == [date(2026, 11, 14), date(2026, 11, 15)]
    files = raw_attempt_files(home / "landed")
    assert [path.parent.name for path in files] == ["usage_date=2026-11-14", "usage_date=2026-11-15"]
    assert [len(pq.read_table(path, partitioning=None)) for path in files] == [2, 1]
    assert pq.read_schema(files[0]).equals(table_schema("raw_attempts"))
    assert [found["record_position"] for found in attempts(home)] == ["0", "2", "1"]


def test_the_account_of_a_file_adds_up(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"), "{broken", row("y", prompt_tokens=-1), "", row("z"))
    (file,) = land(home, path).files
    manifest = file.manifest
    assert manifest is not None
    assert (manifest.records, manifest.parsed) == (4, 2)
    assert manifest.rejects == {"broken_json": 1, "negative_count": 1}
    assert manifest.skips == {}
    assert manifest.byte_count == path.stat().st_size
    assert manifest.landed_at == "2026-12-01T04:30:00+00:00"
    assert manifest.days == {date(2026, 11, 14): 2}
    assert read_manifests(home / "landed") == [manifest]
    accounts = {
        (a["record_kind"], a["reason_code"]): a["record_count"] for a in file_accounts([manifest]).to_pylist()
    }
    assert accounts == {("parsed", ""): 2, ("reject", "broken_json"): 1, ("reject", "negative_count"): 1}


def test_rejects_land_with_place_and_reason(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    land(home, write(tmp_path, "a.jsonl", row("x"), row("y", prompt_tokens=-1)))
    (found,) = rejects(home)
    assert (found["record_position"], found["reason_code"]) == ("1", "negative_count")
    assert found["source"] == "litellm.spendlogs"
    assert found["detail"] == "reported_input: -1"


def test_a_file_without_rejects_leaves_no_reject_file(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    land(home, write(tmp_path, "a.jsonl", row("x")))
    assert rejects(home) == []
    assert not (home / "landed" / "raw_rejects").exists()


def test_the_same_bytes_again_change_nothing(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"))
    land(home, path)
    before = content_of(home)
    copy = write(tmp_path / "other", "copy.jsonl", row("x"))
    result = land(home, path, copy)
    assert statuses(result) == {"a.jsonl": "already_landed", "copy.jsonl": "already_landed"}
    assert result.days == []
    assert result.files[0].manifest is not None
    assert content_of(home) == before


def test_ten_landings_of_one_file_are_one(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"), row("y"))
    for _ in range(10):
        land(home, path)
    assert names(home) == ["x", "y"]


def test_compressed_content_is_another_file_of_the_same_rows(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"))
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    land(home, path, packed)
    keys = [found["attempt_key"] for found in attempts(home)]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    inbox = tmp_path / "inbox"
    write(inbox, "a.jsonl", row("x"))
    write(inbox, "b.txt", "nothing that anybody knows")
    (inbox / "c.jsonl.gz").write_bytes(gzip.compress(os.urandom(5000))[:-20])
    write(inbox, "d.jsonl", row("y"))
    result = land(home, inbox, tmp_path / "gone.jsonl")
    assert statuses(result) == {
        "a.jsonl": "landed",
        "b.txt": "refused",
        "c.jsonl.gz": "refused",
        "d.jsonl": "landed",
        "gone.jsonl": "refused",
    }
    assert len(result.errors) == 3
    assert names(home) == ["x", "y"]


def test_a_refused_file_leaves_nothing(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    packed = tmp_path / "a.jsonl.gz"
    whole = gzip.compress(write(tmp_path, "a.jsonl", *(row(str(n)) for n in range(2000))).read_bytes())
    packed.write_bytes(whole[:-100])
    assert statuses(land(home, packed)) == {"a.jsonl.gz": "refused"}
    assert content_of(home) == {}
    packed.write_bytes(whole)
    land(home, packed)
    assert len(names(home)) == 2000


def test_an_empty_file_is_neither_landed_nor_an_error(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    result = land(home, write(tmp_path, "a.jsonl"))
    assert statuses(result) == {"a.jsonl": "empty"}
    assert result.errors == []
    assert content_of(home) == {}


def test_a_file_of_rejects_only_lands_with_its_account(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    result = land(home, write(tmp_path, "a.jsonl", row("x", status="maybe")))
    assert statuses(result) == {"a.jsonl": "landed"}
    assert result.days == []
    assert attempts(home) == []
    assert [found["reason_code"] for found in rejects(home)] == ["unknown_status"]


def test_parts_without_a_manifest_are_no_input_and_are_replaced(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"))
    land(home, path)
    (part,) = raw_attempt_files(home / "landed")
    (manifest,) = (home / "landed" / "manifests").iterdir()
    sound = part.read_bytes()
    manifest.unlink()
    part.write_bytes(b"half a file")
    assert attempts(home) == []
    assert statuses(land(home, path)) == {"a.jsonl": "landed"}
    assert part.read_bytes() == sound


def test_leftovers_of_a_killed_run_are_cleared(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    left = home / "landed" / "unfinished" / "0000" / "raw_attempts"
    left.mkdir(parents=True)
    (left / "x.parquet").write_bytes(b"half")
    land(home, write(tmp_path, "a.jsonl", row("x")))
    assert not (home / "landed" / "unfinished" / "0000").exists()


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", *(row(f"r{n}", f"2026-11-{n % 9 + 10}") for n in range(500)), "{broken")
    one, other = home_in(tmp_path, "one"), home_in(tmp_path, "other")
    land(one, path)
    land(other, write(tmp_path, "b.jsonl", row("first")), path)
    first, second = content_of(one), content_of(other)
    assert {name: second[name] for name in first} == first


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "a.jsonl", row("x"))
    choose = landing.choose_reader

    def grow(*args: object) -> object:
        with path.open("a") as file:
            file.write("\n")
        return choose(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(landing, "choose_reader", grow)
    (file,) = land(home, path).files
    assert file.status == "refused"
    assert "changed while it was read" in str(file.error)
    assert content_of(home) == {}


def test_what_the_command_states_reaches_the_reader_and_the_manifest(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = write(tmp_path, "t.csv", *AZURE)
    assert "state no zone" in str(land(home, path).errors[0])
    result = land(home, path, given=Stated(options=ReadOptions(zone="UTC")))
    assert result.files[0].manifest is not None
    assert result.files[0].manifest.stated == {"zone": "UTC"}
    assert [found["time_basis"] for found in attempts(home)] == ["assumed"]


def test_sources_yml_states_it_for_good(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    (home / "sources.yml").write_text("sources: [{files: '*.csv', zone: UTC, model: gpt-4}]")
    land(
        home,
        write(tmp_path, "t.csv", *AZURE),
    )
    assert [found["requested_model"] for found in attempts(home)] == ["gpt-4"]


def test_a_reader_may_be_stated(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    result = land(home, write(tmp_path, "a.jsonl", row("x")), given=Stated("otel.genai"))
    assert result.files[0].manifest is not None
    assert result.files[0].manifest.skips == {"not_a_trace": 1}


def test_progress_is_told_file_by_file(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    told: list[tuple[str, int, int]] = []
    paths = [write(tmp_path, name, row(name)) for name in ("a.jsonl", "b.jsonl")]
    land_files(home, paths, on_progress=lambda *step: told.append(step))
    assert told == [("landing a.jsonl", 0, 2), ("landing b.jsonl", 1, 2), ("landed", 2, 2)]


def test_a_home_without_secret_lands_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="inferledger init"):
        land_files(tmp_path, [write(tmp_path, "a.jsonl", row("x"))])
    assert not (tmp_path / "landed").exists()


def test_profiles_are_those_of_the_price_book() -> None:
    assert usage_profiles()["litellm.spendlogs"].is_cached_in_input
    assert usage_profiles()["otel.genai"].is_exclusive_if_exceeding


def test_more_than_a_hundred_records_of_one_flush_all_land(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    land(home, write(tmp_path, "a.jsonl", *(row(f"r{n:03}", api_key=f"key {n}") for n in range(250))))
    assert len({found["api_key_hash"] for found in attempts(home)}) == len(names(home)) == 250
