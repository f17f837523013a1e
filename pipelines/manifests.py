"""The manifest of a landed file: its account, its parts, and by being there the commit of the landing.

Lives here: writing one, reading all, and the lists of Parquet files that they vouch for. A part without a
manifest is no input. Does not live here: how parts are made (landing.py).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from models.columns import table_schema
from pipelines.durable import write_json_durably
from pipelines.errors import UserError

MANIFESTS = "manifests"
REJECTS = "raw_rejects"
# The reader version of a file that no reader has read.
NO_VERSION = 0
_UNREAD = "-unread"


@dataclass(frozen=True)
class Manifest:
    """The account of one landed file.

    Args:
        file_sha256: Content hash of the file's bytes.
        file_name: Its name, without folder.
        byte_count: Its size, bytes.
        source: The reader that read it.
        reader_version: That reader's version.
        landed_at: When, ISO 8601 in UTC.
        records: How many records it holds: parsed + skips + rejects.
        parsed: Records that became rows.
        skips: Records left out, by reason.
        rejects: Records refused, by reason.
        days: Rows by UTC day.
        parts: Parquet files, relative to the landed folder: table/usage_date=day/hash.parquet.
        stated: What a source entry stated for the file.
    """

    file_sha256: str
    file_name: str
    byte_count: int
    source: str
    reader_version: int
    landed_at: str
    records: int
    parsed: int
    skips: Mapping[str, int]
    rejects: Mapping[str, int]
    days: Mapping[date, int]
    parts: tuple[str, ...]
    stated: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_set_aside(self) -> bool:
        """True when the file's format had no reader when it landed."""
        return self.reader_version == NO_VERSION

    @property
    def identity(self) -> str:
        """What a snapshot remembers of the file: its hash; another name while it is set aside unread."""
        return self.file_sha256 + _UNREAD * self.is_set_aside


def manifest_file(landed: Path, file_sha256: str) -> Path:
    """Returns the place of the manifest of a file."""
    return landed / MANIFESTS / f"{file_sha256}.json"


def write_manifest(landed: Path, manifest: Manifest) -> None:
    """Commits a landing: before this call none of its parts counts, after it all do."""
    content = asdict(manifest) | {"days": {day.isoformat(): rows for day, rows in manifest.days.items()}}
    (landed / MANIFESTS).mkdir(parents=True, exist_ok=True)
    write_json_durably(manifest_file(landed, manifest.file_sha256), content)


def read_manifest(path: Path) -> Manifest:
    """Returns the manifest written at `path`.

    Raises:
        UserError: It is none; written by somebody else or damaged.
    """
    try:
        content = orjson.loads(path.read_bytes())
        content["days"] = {date.fromisoformat(day): rows for day, rows in content["days"].items()}
        content["parts"] = tuple(content["parts"])
        return Manifest(**content)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"'{path.name}' is not a manifest: {str(error)[:100]}",
            where=str(path),
            next_step="remove it and land its file again",
        ) from error


def read_manifests(landed: Path) -> list[Manifest]:
    """Returns every manifest below the landed folder, in the order of the content hashes."""
    return [read_manifest(path) for path in sorted((landed / MANIFESTS).glob("*.json"))]


def raw_files(landed: Path, table: str, days: Collection[date] | None = None) -> list[Path]:
    """Returns the Parquet files of an input table that a manifest vouches for, of all days or of these."""
    found: list[Path] = []
    for manifest in read_manifests(landed):
        for part in manifest.parts:
            name, _, rest = part.partition("/")
            if name == table and (days is None or _day_of(rest) in days):
                found.append(landed / part)
    return sorted(found)


def raw_attempt_files(landed: Path, days: Collection[date] | None = None) -> list[Path]:
    """Returns the committed files of `raw_attempts`, of all days or of these."""
    return raw_files(landed, "raw_attempts", days)


def raw_reject_files(landed: Path) -> list[Path]:
    """Returns the committed files of `raw_rejects`."""
    return raw_files(landed, REJECTS)


def _day_of(rest: str) -> date | None:
    day = rest.partition("/")[0]
    return date.fromisoformat(day.removeprefix("usage_date=")) if day.startswith("usage_date=") else None


def file_accounts(manifests: Iterable[Manifest]) -> pa.Table:
    """Returns `raw_file_accounts`: a row per file, kind of record and reason; parsed is always there."""
    rows: list[dict[str, Any]] = []
    for manifest in manifests:
        counts = [("parsed", "", manifest.parsed)]
        counts += [("skip", reason, count) for reason, count in sorted(manifest.skips.items())]
        counts += [("reject", reason, count) for reason, count in sorted(manifest.rejects.items())]
        names = {
            "file_sha256": manifest.file_sha256,
            "file_name": manifest.file_name,
            "source": manifest.source,
        }
        rows += [
            names | {"record_kind": kind, "reason_code": reason, "record_count": count}
            for kind, reason, count in counts
        ]
    return pa.Table.from_pylist(rows, schema=table_schema("raw_file_accounts"))
