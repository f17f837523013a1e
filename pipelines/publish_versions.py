"""Versions on disk: naming the next one, trusting the last one, removing old ones and leftovers.

Lives here: the folder `published/` as the writer sees it.
Does not live here: reading tables out of a snapshot (models/snapshot.py).
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.days import Base
from pipelines.durable import sync_folder
from pipelines.versions import Versions

POINTER_NAME = "CURRENT"
MANIFEST_NAME = "manifest.json"
FILES_NAME = "landed.txt"
KEPT = 3
_DRAFT = ".draft-"
# What a plan and the next version read out of a manifest.
_TOLD = {"ledger_hash", "day_digests", "price_version", "mapping_version", "code_version"}


@dataclass(frozen=True)
class Published:
    """The current snapshot as the writer needs it: its folder, its manifest, and the landed files in it."""

    snapshot_id: str
    path: Path
    manifest: dict[str, Any]
    files: frozenset[str]

    @property
    def base(self) -> Base:
        """What the next plan starts from."""
        told = self.manifest
        versions = Versions(told["price_version"], told["mapping_version"], told["code_version"])
        return Base(self.files, versions)


def find_published(published: Path) -> Published | None:
    """The current snapshot, or None when there is none that is whole: then every day is built again."""
    try:
        snapshot_id = (published / POINTER_NAME).read_text(encoding="ascii").strip()
        path = published / "versions" / snapshot_id
        manifest: dict[str, Any] = json.loads((path / MANIFEST_NAME).read_text(encoding="utf-8"))
        files = frozenset((path / FILES_NAME).read_text(encoding="ascii").split())
        found = Published(snapshot_id, path, manifest, files)
        return found if _is_whole(found) else None
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_whole(found: Published) -> bool:
    told = found.manifest
    return (
        told.keys() >= _TOLD
        and told["landed"]["digest"] == digest_files(found.files)
        and all(
            _has_size(found.path / entry["path"], entry["bytes"])
            for table in told["tables"].values()
            for entry in table["files"]
        )
    )


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False


def digest_files(files: Iterable[str]) -> str:
    """Hex SHA-256 over the sorted hashes of landed files."""
    return hashlib.sha256("".join(f"{name}\n" for name in sorted(files)).encode()).hexdigest()


def next_snapshot_id(published: Path, moment: datetime, ledger_hash: str) -> str:
    """Number, UTC instant, first digits of the ledger hash; numbers keep order when a clock does not."""
    numbers = [int(path.name.split("-")[0]) for path in _versions(published)]
    return f"{max(numbers, default=0) + 1:06d}-{moment:%Y%m%dT%H%M%SZ}-{ledger_hash[:8]}"


def drafts_folder(published: Path) -> Path:
    """A new empty folder for the version being written; no reader looks at it."""
    draft = published / "versions" / f"{_DRAFT}{os.getpid()}"
    draft.mkdir(parents=True)
    return draft


def clear_leftovers(published: Path) -> None:
    """Remove drafts and half-written pointers that a crash left; only the holder of the lock may call it."""
    for draft in (published / "versions").glob(f"{_DRAFT}*"):
        shutil.rmtree(draft)
    for beside in published.glob(f".{POINTER_NAME}.*"):
        beside.unlink()


def prune(published: Path, current: str) -> list[str]:
    """Remove all versions but the newest three and the current one; returns the names removed."""
    old = [path for path in _versions(published)[:-KEPT] if path.name != current]
    for path in old:
        # Without its manifest a version is gone to every reader; nobody meets it half removed.
        (path / MANIFEST_NAME).unlink(missing_ok=True)
        shutil.rmtree(path)
    if old:
        sync_folder(published / "versions")
    return [path.name for path in old]


def _versions(published: Path) -> list[Path]:
    folder = published / "versions"
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name.split("-")[0].isdecimal())
