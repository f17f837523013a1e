"""Writing files so that a crash leaves the old content or the new one, never half of either.

Lives here: the order temp file -> fsync -> rename -> fsync of the folder, used wherever a file is a commit
(manifests, building.json, the pointer of what is published).
Does not live here: what the files mean.
"""

import json
import os
from pathlib import Path
from typing import Any


def sync_folder(folder: Path) -> None:
    """Make the names inside `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make the content of `path`, written by somebody else, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Sync every file and folder below `folder`, and `folder` itself, deepest first."""
    for parent, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync_file(Path(parent) / name)
        sync_folder(Path(parent))


def write_durably(path: Path, content: bytes) -> None:
    """Replace `path` by `content` (bytes) in one step; its folder must exist."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_json_durably(path: Path, content: Any) -> None:
    """Replace `path` by the JSON of `content`: sorted keys, two spaces, a final newline."""
    write_durably(path, (json.dumps(content, indent=2, sort_keys=True) + "\n").encode())
