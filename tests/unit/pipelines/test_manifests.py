"""Manifests: written whole, read back equal, and what they vouch for."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.manifests import (
    Manifest,
    file_accounts,
    manifest_file,
    raw_attempt_files,
    raw_files,
    raw_reject_files,
    read_manifest,
    read_manifests,
    write_manifest,
)

ONE = Manifest(
    file_sha256="1" * 64,
    file_name="a.jsonl",
    byte_count=100,
    source="made.up",
    reader_version=1,
    landed_at="2026-12-01T00:00:00+00:00",
    records=6,
    parsed=3,
    skips={"other": 1},
    rejects={"broken_json": 2},
    days={date(2026, 11, 14): 2, date(2026, 11, 15): 1},
    parts=(
        f"raw_attempts/usage_date=2026-11-14/{'1' * 64}.parquet",
        f"raw_attempts/usage_date=2026-11-15/{'1' * 64}.parquet",
        f"raw_rejects/{'1' * 64}.parquet",
    ),
    stated={"zone": "UTC"},
)
TWO = replace(
    ONE, file_sha256="0" * 64, file_name="b.jsonl", parsed=0, skips={}, rejects={}, days={}, parts=()
)


def test_a_manifest_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    write_manifest(tmp_path, ONE)
    assert read_manifest(manifest_file(tmp_path, ONE.file_sha256)) == ONE


def test_all_manifests_come_in_the_order_of_the_hashes(tmp_path: Path) -> None:
    write_manifest(tmp_path, ONE)
    write_manifest(tmp_path, TWO)
    assert read_manifests(tmp_path) == [TWO, ONE]
    assert read_manifests(tmp_path / "nothing") == []


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"days": 5}', '{"days": {"noon": 1}, "parts": []}']
)
def test_a_damaged_manifest_says_what_to_do(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"'x.json' is not a manifest.*land its file again"):
        read_manifest(path)


def test_only_parts_with_a_manifest_count(tmp_path: Path) -> None:
    stray = tmp_path / "raw_attempts" / "usage_date=2026-11-14" / "stray.parquet"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(b"x")
    assert raw_attempt_files(tmp_path) == []
    write_manifest(tmp_path, ONE)
    assert raw_attempt_files(tmp_path) == [tmp_path / part for part in ONE.parts[:2]]
    assert raw_reject_files(tmp_path) == [tmp_path / ONE.parts[2]]
    assert raw_files(tmp_path, "raw_gpu_samples") == []


def test_files_of_some_days(tmp_path: Path) -> None:
    write_manifest(tmp_path, ONE)
    assert raw_attempt_files(tmp_path, {date(2026, 11, 15)}) == [tmp_path / ONE.parts[1]]
    assert raw_attempt_files(tmp_path, {date(2026, 11, 16)}) == []


def test_accounts_name_every_kind_and_reason() -> None:
    rows = [
        (row["file_name"], row["record_kind"], row["reason_code"], row["record_count"])
        for row in file_accounts([ONE, TWO]).to_pylist()
    ]
    assert rows == [
        ("a.jsonl", "parsed", "", 3),
        ("a.jsonl", "skip", "other", 1),
        ("a.jsonl", "reject", "broken_json", 2),
        ("b.jsonl", "parsed", "", 0),
    ]
    assert len(file_accounts([])) == 0
