"""The read side of what is published: one version, resolved once, read through a locked connection.

What lives here: following the pointer, checking the manifest, and an in-memory engine whose views reach
the Parquet files of that version and nothing else. What does not: writing versions, and any report.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import pyarrow as pa

from models.engines.base import Params
from models.engines.duckdb import DuckDBEngine
from models.errors import ModelError, nearest_first
from models.manifest import (
    MANIFEST,
    NoSnapshotError,
    SnapshotError,
    SnapshotGoneError,
    checked_manifest,
    damaged,
    gone,
)

POINTER = "CURRENT"
EMPTY_FILE = "schema.parquet"
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MEMORY_LIMIT = "1GB"
_THREADS = 2
_MOST_VERSIONS = 10

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


@dataclass(frozen=True)
class Snapshot:
    """One published version; every read of it sees the same numbers.

    Args:
        id: Name of the version.
        manifest: What the publisher wrote about it.
        path: Folder of the version.
    """

    id: str
    manifest: Mapping[str, Any]
    path: Path

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the published tables, in alphabetical order."""
        return tuple(sorted(self.manifest["tables"]))

    def files(self, table: str) -> list[Path]:
        """Return the Parquet files of a table; the first has no rows and states the columns."""
        if table not in self.manifest["tables"]:
            raise SnapshotError(
                f"'{table}' is not a table of snapshot {self.id} · {self.path} · "
                f"published: {nearest_first(table, self.tables)} · choose one of these"
            )
        listed = [self._inside(entry) for entry in self.manifest["tables"][table]["files"]]
        empty = self.path / "tables" / table / EMPTY_FILE
        return [empty, *(path for path in listed if path != empty)]

    def connect(self) -> "SnapshotReader":
        """Open a locked-down connection with one view per table; the caller closes it."""
        return SnapshotReader(self)

    def is_gone(self) -> bool:
        """Whether a later publication has removed this version, or is removing it."""
        if not (self.path / MANIFEST).is_file():
            return True
        pointer = self.path.parent.parent / POINTER
        superseded = not pointer.is_file() or pointer.read_text(encoding="utf-8").strip() != self.id
        # A folder is not removed at once: its files may go before its manifest does.
        return superseded and not all(path.is_file() for table in self.tables for path in self.files(table))

    def _inside(self, entry: Mapping[str, Any]) -> Path:
        path = self.path / str(entry["path"])
        # A manifest is data: a path that climbs out of the version would widen what the connection reads.
        if not path.resolve().is_relative_to(self.path.resolve()):
            raise damaged(self.path, f"path '{entry['path']}' leaves the folder")
        return path


class SnapshotReader:
    """The engine over one version: it can read that version, and reach nothing else.

    Threads may share it: they take turns at the one connection.

    Args:
        snapshot: The version to read.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        _require_files(snapshot)
        self.engine = DuckDBEngine(
            None, memory_limit=_MEMORY_LIMIT, threads=_THREADS, only_under=snapshot.path
        )
        self._turn = Lock()
        try:
            for table in snapshot.tables:
                self._translated(self.engine.load, table, snapshot.files(table))
        except Exception:
            self.close()
            raise

    def fetch(self, select: str, params: Params | None = None) -> pa.Table:
        """Return the rows of the select; `SnapshotGoneError` when the version was removed meanwhile."""
        with self._turn:
            return self._translated(self.engine.fetch, select, params)

    def close(self) -> None:
        """Give the connection back; the reader is of no use afterwards."""
        self.engine.close()

    def __enter__(self) -> "SnapshotReader":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _translated(
        self, verb: Callable[Arguments, Answer], *given: Arguments.args, **named: Arguments.kwargs
    ) -> Answer:
        try:
            return verb(*given, **named)
        except ModelError as error:
            if self.snapshot.is_gone():
                raise gone(self.snapshot.path) from error
            raise


def open_snapshot(published: Path) -> Snapshot:
    """Resolve the pointer of a published folder once, and return the version it names.

    Raises `NoSnapshotError`, `SnapshotGoneError` or `DamagedSnapshotError`, all `UserError`.
    """
    first = _pointed(published)
    try:
        return open_version(published, first)
    except SnapshotGoneError:
        # Between reading the pointer and the manifest, publications may have passed this version by.
        second = _pointed(published)
        if second == first:
            raise
        return open_version(published, second)


def open_version(published: Path, snapshot_id: str) -> Snapshot:
    """Return one version by its id, whether or not it is the current one."""
    path = published.resolve() / "versions" / snapshot_id
    if not _SAFE_ID.fullmatch(snapshot_id):
        raise damaged(published / POINTER, f"'{snapshot_id[:80]}' is not the name of a version")
    try:
        text = (path / MANIFEST).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise gone(path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise damaged(path / MANIFEST, f"it cannot be read ({error})") from error
    return Snapshot(snapshot_id, checked_manifest(text, path), path)


def read_snapshot(published: Path, read: Callable[[SnapshotReader], Answer]) -> Answer:
    """Open the current version and return `read` of it, anew whenever it is removed meanwhile.

    Gives up with `SnapshotGoneError` when the version it points at is missing, or after ten versions.
    """
    for _ in range(_MOST_VERSIONS):
        snapshot = open_snapshot(published)
        try:
            with snapshot.connect() as reader:
                return read(reader)
        except SnapshotGoneError:
            # Publications overtook this read; the next version is whole.
            continue
    raise gone(published / "versions" / _pointed(published))


def _pointed(published: Path) -> str:
    pointer = published / POINTER
    try:
        return pointer.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise NoSnapshotError(
            f"'{published}' holds no published snapshot · {pointer} is missing · "
            "a folder that a load has published · run `inferledger run` first"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise damaged(pointer, f"it cannot be read ({error})") from error


def _require_files(snapshot: Snapshot) -> None:
    for table in snapshot.tables:
        stated = {entry["path"]: entry["bytes"] for entry in snapshot.manifest["tables"][table]["files"]}
        for path in snapshot.files(table):
            name = path.relative_to(snapshot.path).as_posix()
            size = path.stat().st_size if path.is_file() else None
            if size is None and snapshot.is_gone():
                raise gone(snapshot.path)
            if size is None or size != stated.get(name, size):
                found = "is missing" if size is None else f"has {size} bytes, not {stated[name]}"
                raise damaged(snapshot.path / MANIFEST, f"file '{name}' {found}")
