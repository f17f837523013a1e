"""Landing: every input file once, as immutable Parquet by day, committed by its manifest.

Lives here: the order of the steps for one file, and going on with the others when one is refused. Does not
live here: formats (`sources/`), parts on disk (parts.py), which files a name means (input_files.py).
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa

from models.columns import table_schema
from pipelines.errors import UserError
from pipelines.input_files import expand
from pipelines.manifests import (
    NO_VERSION,
    REJECTS,
    Manifest,
    manifest_file,
    read_manifest,
    write_manifest,
)
from pipelines.parts import UNFINISHED, PartWriter
from pipelines.progress import Progress, stay_quiet
from pipelines.secrets import Hasher, load_hasher
from pipelines.source_entries import (
    NOTHING_STATED,
    SOURCES_FILE,
    SourceEntry,
    Stated,
    load_source_entries,
    stated_for,
)
from pipelines.sources import choose_reader
from pipelines.sources.awaited import NO_READER_YET, awaited_format
from pipelines.sources.base import Reader, Reject
from pipelines.sources.frame import Framed
from pipelines.sources.frames import frame_of
from pipelines.sources.rules import UsageProfile
from pipelines.sources.streams import SourceStream, open_stream
from pricing.price_book import shipped_rules


@dataclass(frozen=True)
class FileAccount:
    """What became of one file.

    Args:
        path: The file.
        status: landed, already_landed, empty or refused.
        manifest: Its account; null when empty or refused.
        error: Why it was refused.
    """

    path: Path
    status: str
    manifest: Manifest | None = None
    error: UserError | None = None


@dataclass(frozen=True)
class LandingResult:
    """What became of every file, in the order they were read."""

    files: list[FileAccount] = field(default_factory=list)

    @property
    def days(self) -> list[date]:
        """The days that newly landed rows lie on, sorted."""
        new = [file.manifest for file in self.files if file.status == "landed" and file.manifest]
        return sorted({day for manifest in new for day in manifest.days})

    @property
    def errors(self) -> list[UserError]:
        """Why files were refused."""
        return [file.error for file in self.files if file.error]


@dataclass(frozen=True)
class Context:
    """What every file of a landing shares: where to, and what readers and frame need."""

    landed: Path
    hasher: Hasher
    profiles: dict[str, UsageProfile]
    entries: list[SourceEntry]
    clock: Callable[[], datetime]


def land_files(
    home: Path,
    paths: Iterable[Path | str],
    given: Stated = NOTHING_STATED,
    on_progress: Progress = stay_quiet,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> LandingResult:
    """Lands the files behind `paths`; one that is refused does not stop the others.

    The caller holds the writer's lock. `given` is stated with the command and stands above `sources.yml`.

    Raises:
        UserError: The home's secret or sources file cannot be used.
        OSError: The disk is full or fails; what was landed before stays, the rest can be landed again.
    """
    context = Context(
        home / "landed",
        load_hasher(home),
        usage_profiles(),
        load_source_entries(home / SOURCES_FILE),
        clock,
    )
    # Left behind by a run that was killed; never part of anything.
    shutil.rmtree(context.landed / UNFINISHED, ignore_errors=True)
    expanded = expand(paths)
    accounts = [FileAccount(path, "refused", error=error) for path, error in expanded.problems]
    for number, path in enumerate(expanded.files):
        on_progress(f"landing {path.name}", number, len(expanded.files))
        try:
            accounts.append(_land(path, context, given))
        except UserError as error:
            accounts.append(FileAccount(path, "refused", error=error))
    on_progress("landed", len(expanded.files), len(expanded.files))
    return LandingResult(accounts)


def usage_profiles() -> dict[str, UsageProfile]:
    """Returns the usage profiles of the price book by name: what is inside what."""
    return {
        name: UsageProfile(
            profile.text.is_cached_in_input,
            profile.text.is_cache_write_in_input,
            profile.text.is_reasoning_in_output,
            profile.text.is_exclusive_if_exceeding,
        )
        for name, profile in shipped_rules().profiles.items()
    }


def _land(path: Path, context: Context, given: Stated) -> FileAccount:
    stream = open_stream(path)
    path_of_manifest = manifest_file(context.landed, stream.file_sha256)
    known = read_manifest(path_of_manifest) if path_of_manifest.exists() else None
    if known is not None and not known.is_set_aside:
        return FileAccount(path, "already_landed", known)
    if not stream.head:
        return FileAccount(path, "empty")
    stated = stated_for(path, context.entries, given)
    reader = _reader_of(stream, stated)
    if isinstance(reader, str):
        return _set_aside(path, stream, reader, known, context)
    frame = frame_of(reader, stream.file_sha256, context.hasher, context.profiles, stated.options)
    counted = _Counted()
    with PartWriter(context.landed, stream.file_sha256) as parts:
        for batch in reader.read(stream, stated.options):
            framed = frame(batch)
            counted.add(framed)
            parts.add(reader.TABLE, framed.table)
            parts.add(REJECTS, _rejects(framed.rejects, stream, reader))
        written = parts.finish()
    manifest = Manifest(
        file_sha256=stream.file_sha256,
        file_name=path.name,
        byte_count=stream.bytes_read,
        source=reader.SOURCE,
        reader_version=reader.VERSION,
        landed_at=context.clock().astimezone(UTC).isoformat(timespec="seconds"),
        records=counted.parsed + counted.skips.total() + counted.rejects.total(),
        parsed=counted.parsed,
        skips=dict(sorted(counted.skips.items())),
        rejects=dict(sorted(counted.rejects.items())),
        days=_days(written),
        parts=tuple(written),
        stated=stated.as_json(),
    )
    write_manifest(context.landed, manifest)
    return FileAccount(path, "landed", manifest)


def _reader_of(stream: SourceStream, stated: Stated) -> Reader | str:
    """The reader of a file, or the name of its format when that is known and has none yet."""
    try:
        return choose_reader(stream, stated.reader)
    except UserError:
        awaited = awaited_format(stream.head) if stated.reader is None else None
        if awaited is None:
            raise
        return awaited


def _set_aside(
    path: Path, stream: SourceStream, source: str, known: Manifest | None, context: Context
) -> FileAccount:
    """Account for a whole file as one skipped record, until its format has a reader."""
    if known is not None:
        return FileAccount(path, "already_landed", known)
    for _ in stream.blocks():
        pass  # read to its end: a cut archive or a file still being written is refused like any other
    moment = context.clock().astimezone(UTC).isoformat(timespec="seconds")
    manifest = Manifest(
        file_sha256=stream.file_sha256,
        file_name=path.name,
        byte_count=stream.bytes_read,
        source=source,
        reader_version=NO_VERSION,
        landed_at=moment,
        records=1,
        parsed=0,
        skips={NO_READER_YET: 1},
        rejects={},
        days={},
        parts=(),
    )
    write_manifest(context.landed, manifest)
    return FileAccount(path, "landed", manifest)


class _Counted:
    """The account of a file while it is read."""

    def __init__(self) -> None:
        self.parsed = 0
        self.skips: Counter[str] = Counter()
        self.rejects: Counter[str] = Counter()

    def add(self, framed: Framed) -> None:
        self.parsed += framed.parsed
        self.skips.update(reason for _, reason in framed.skips)
        self.rejects.update(reject.reason_code for reject in framed.rejects)


def _days(written: dict[str, int]) -> dict[date, int]:
    days: Counter[date] = Counter()
    for part, rows in written.items():
        folder = part.split("/")[1]
        if folder.startswith("usage_date="):
            days[date.fromisoformat(folder.removeprefix("usage_date="))] += rows
    return dict(sorted(days.items()))


def _rejects(rejects: list[Reject], stream: SourceStream, reader: Reader) -> pa.Table:
    rows = [
        {
            "file_sha256": stream.file_sha256,
            "record_position": reject.position,
            "source": reader.SOURCE,
            "reason_code": reject.reason_code,
            "detail": reject.detail,
            "excerpt": reject.excerpt,
        }
        for reject in rejects
    ]
    return pa.Table.from_pylist(rows, schema=table_schema(REJECTS))
