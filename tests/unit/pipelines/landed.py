"""A home to land in, and the rows that landed."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipelines.landing import LandingResult, land_files
from pipelines.manifests import raw_attempt_files, raw_reject_files
from pipelines.secrets import create_secret
from pipelines.source_entries import NOTHING_STATED, Stated

SECRET = "a secret of thirty-two characters"


def home_in(folder: Path, name: str = "home") -> Path:
    home = folder / name
    home.mkdir()
    create_secret(home, SECRET)
    return home


def row(name: str, day: str = "2026-11-14", **changes: Any) -> dict[str, Any]:
    """A row of a LiteLLM spend log."""
    return {
        "request_id": name,
        "call_type": "acompletion",
        "spend": 0.001,
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "startTime": f"{day}T08:00:00.000000",
        "endTime": f"{day}T08:00:01.000000",
        "model": "gpt-5",
        "custom_llm_provider": "openai",
        "metadata": {},
        "request_tags": ["feature:search"],
        "status": "success",
    } | changes


def write(folder: Path, name: str, *records: dict[str, Any] | str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def land(home: Path, *paths: Path | str, given: Stated = NOTHING_STATED) -> LandingResult:
    return land_files(home, paths, given, clock=lambda: datetime(2026, 12, 1, 4, 30, tzinfo=UTC))


def statuses(result: LandingResult) -> dict[str, str]:
    return {file.path.name: file.status for file in result.files}


def rows_of(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [row for path in paths for row in pq.read_table(path, partitioning=None).to_pylist()]


def attempts(home: Path) -> list[dict[str, Any]]:
    return rows_of(raw_attempt_files(home / "landed"))


def rejects(home: Path) -> list[dict[str, Any]]:
    return rows_of(raw_reject_files(home / "landed"))


def names(home: Path) -> list[str]:
    return sorted(found["source_event_id"] for found in attempts(home))


def content_of(home: Path) -> dict[str, bytes]:
    """Every file below the landed folder, by path."""
    folder = home / "landed"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
