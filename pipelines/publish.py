"""What is published: a version folder written beside, verified, renamed, and then pointed at.

Lives here: the order of those steps, the manifest of a version, and the decision that nothing changed.
Does not live here: the files of a table (publish_tables.py), old versions (publish_versions.py), and reading
a snapshot (models/snapshot.py).
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from models.engines.base import Engine
from models.registry import models, published_tables
from pipelines.digests import LEDGER_TABLE, digest_day, hash_ledger
from pipelines.durable import sync_file, sync_folder, write_durably, write_json_durably
from pipelines.progress import Progress, stay_quiet
from pipelines.publish_tables import TableFiles, write_table
from pipelines.publish_versions import (
    FILES_NAME,
    MANIFEST_NAME,
    POINTER_NAME,
    Published,
    clear_leftovers,
    digest_files,
    drafts_folder,
    next_snapshot_id,
    prune,
)
from pipelines.versions import Versions
from pipelines.warehouse import mark_warehouse


@dataclass(frozen=True)
class Edition:
    """What a snapshot is made from: the days built, whether all of them, the landed files, the versions."""

    days: tuple[date, ...]
    is_full: bool
    versions: Versions
    files: tuple[str, ...]
    last_landed_at: str | None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Publication:
    """The snapshot that is current after publishing, and whether this call made it."""

    snapshot_id: str
    ledger_hash: str
    is_new: bool
    changed_days: tuple[str, ...]


def publish_snapshot(
    engine: Engine,
    published: Path,
    previous: Published | None,
    edition: Edition,
    *,
    now: datetime | None = None,
    progress: Progress = stay_quiet,
) -> Publication:
    """Write, verify and point at a new snapshot; when nothing differs from `previous` keep that one."""
    clear_leftovers(published)
    draft = drafts_folder(published)
    tables = _write_tables(engine, draft, previous, edition, progress)
    digests = _day_digests(engine, previous, edition)
    manifest = _manifest(engine, edition, tables, digests)
    if previous and not _differs(manifest, tables, previous):
        shutil.rmtree(draft)
        mark_warehouse(engine, previous.snapshot_id, None)
        return Publication(previous.snapshot_id, previous.manifest["ledger_hash"], False, ())
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    snapshot_id = next_snapshot_id(published, moment, manifest["ledger_hash"])
    manifest |= {"snapshot_id": snapshot_id, "published_at": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    _seal(draft, manifest, edition.files, tables)
    mark_warehouse(engine, snapshot_id, previous.snapshot_id if previous else None)
    draft.rename(published / "versions" / snapshot_id)
    sync_folder(published / "versions")
    write_durably(published / POINTER_NAME, snapshot_id.encode("ascii"))
    prune(published, snapshot_id)
    return Publication(snapshot_id, manifest["ledger_hash"], True, _changed_days(digests, previous))


def _write_tables(
    engine: Engine, draft: Path, previous: Published | None, edition: Edition, progress: Progress
) -> list[TableFiles]:
    names = published_tables()
    written: list[TableFiles] = []
    for index, name in enumerate(names):
        progress(f"publishing {name}", index, len(names))
        written.append(write_table(engine, models()[name], draft, previous, edition.days, edition.is_full))
    progress("published tables", len(names), len(names))
    return written


def _day_digests(engine: Engine, previous: Published | None, edition: Edition) -> dict[str, str]:
    kept = {} if edition.is_full or previous is None else dict(previous.manifest["day_digests"])
    for day in edition.days:
        digest = digest_day(engine, models()[LEDGER_TABLE], day)
        kept.pop(day.isoformat(), None)
        if digest:
            kept[day.isoformat()] = digest
    return dict(sorted(kept.items()))


def _manifest(
    engine: Engine, edition: Edition, tables: list[TableFiles], digests: dict[str, str]
) -> dict[str, Any]:
    latest = engine.fetch("select max(used_at_us) as last_used_at_us from stg_attempts").to_pylist()[0]
    return {
        "ledger_hash": hash_ledger(digests),
        "day_digests": digests,
        "price_version": edition.versions.price,
        "mapping_version": edition.versions.mapping,
        "code_version": edition.versions.code,
        "landed": {"file_count": len(edition.files), "digest": digest_files(edition.files)},
        "last_used_at_us": latest["last_used_at_us"],
        "last_landed_at": edition.last_landed_at,
        "counts": dict(edition.counts),
        "tables": {
            table.name: {"window_column": table.window_column, "files": table.files} for table in tables
        },
    }


def _differs(manifest: Mapping[str, Any], tables: list[TableFiles], previous: Published) -> bool:
    if any(table.written for table in tables):
        return True
    return any(previous.manifest.get(key) != value for key, value in manifest.items())


def _seal(draft: Path, manifest: Mapping[str, Any], files: tuple[str, ...], tables: list[TableFiles]) -> None:
    for table in tables:
        for path in table.written:
            sync_file(path)
        sync_folder(draft / "tables" / table.name)
    sync_folder(draft / "tables")
    write_durably(draft / FILES_NAME, "".join(f"{name}\n" for name in sorted(files)).encode("ascii"))
    write_json_durably(draft / MANIFEST_NAME, manifest)


def _changed_days(digests: Mapping[str, str], previous: Published | None) -> tuple[str, ...]:
    before: Mapping[str, str] = previous.manifest["day_digests"] if previous else {}
    return tuple(sorted(day for day in {*before, *digests} if before.get(day) != digests.get(day)))
