"""The manifest of a published version, and the errors of reading one.

What lives here: what a manifest must say before it is believed. What does not: opening files
(`snapshot.py`) and writing manifests.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from models.errors import UserError

MANIFEST = "manifest.json"
_SAFE_TABLE = re.compile(r"[a-z][a-z0-9_]*")
_REQUIRED: Mapping[str, type] = {
    "snapshot_id": str,
    "published_at": str,
    "price_version": str,
    "day_digests": dict,
    "tables": dict,
}


class SnapshotError(UserError):
    """A published folder that cannot be read; the message says what to do next."""


class NoSnapshotError(SnapshotError):
    """Nothing has been published in this folder yet."""


class SnapshotGoneError(SnapshotError):
    """The version was there and is no more: a later publication removed it."""


class DamagedSnapshotError(SnapshotError):
    """A version whose manifest or files are not what was published."""


def checked_manifest(text: str, path: Path) -> Mapping[str, Any]:
    """Parse the manifest of the version in `path`; `DamagedSnapshotError` says what is wrong with it."""
    where = path / MANIFEST
    try:
        loaded: object = json.loads(text)
    except ValueError as error:
        raise damaged(where, f"it is not JSON ({error})") from error
    if not isinstance(loaded, dict):
        raise damaged(where, "it is not a JSON object")
    manifest = cast("dict[str, Any]", loaded)
    for key, kind in _REQUIRED.items():
        if not isinstance(manifest.get(key), kind):
            raise damaged(where, f"key '{key}' is missing or not a {kind.__name__}")
    if manifest["snapshot_id"] != path.name:
        raise damaged(where, f"it describes '{manifest['snapshot_id']}'")
    for table, entry in manifest["tables"].items():
        if not _SAFE_TABLE.fullmatch(table) or not _is_table_entry(entry):
            raise damaged(where, f"the entry of table '{table[:80]}' has not the right shape")
    return manifest


def _is_table_entry(entry: Any) -> bool:
    try:
        return all(
            isinstance(file["path"], str) and isinstance(file["bytes"], int) for file in entry["files"]
        )
    except (KeyError, TypeError):
        return False


def gone(path: Path) -> SnapshotGoneError:
    """The error for a version folder that is not there."""
    return SnapshotGoneError(
        f"'{path.name}' is a version that is not there · {path} · "
        f"versions whose folder has a {MANIFEST} · open the snapshot again, or run `inferledger publish`"
    )


def damaged(where: Path, reason: str) -> DamagedSnapshotError:
    """The error for a file or folder of a version that is not what was published."""
    return DamagedSnapshotError(
        f"'{where.name}' is damaged: {reason} · {where} · "
        "what the last publication wrote · run `inferledger publish` again"
    )
