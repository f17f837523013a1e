"""What a user states about files that do not say it themselves: `sources.yml`, and options of a landing.

Lives here: the shape of an entry, its checks, and which entry belongs to a file. Does not live here: what a
reader does with a stated zone, start or instant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from pipelines.errors import UserError, nearest_first
from pipelines.sources.base import ReadOptions
from pipelines.sources.values import us_of

SOURCES_FILE = "sources.yml"


class SourceEntry(BaseModel):
    """One entry of `sources.yml`: the files it speaks of, and what holds for them.

    Args:
        files: Pattern of the path or of the name, such as `azure/*.csv`.
        reader: Name of the source; left out, the file is recognised.
        zone: IANA zone of times that state none.
        start: Instant that relative times count from.
        instant: Instant for records without a time.
        model: Model of a source that names none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: str = Field(min_length=1)
    reader: str | None = None
    zone: str | None = None
    start: datetime | None = None
    instant: datetime | None = None
    model: str | None = None

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, name: str | None) -> str | None:
        if name is not None:
            check_zone(name)
        return name

    @field_validator("start", "instant")
    @classmethod
    def _instant_has_zone(cls, moment: datetime | None) -> datetime | None:
        if moment is not None and moment.tzinfo is None:
            raise ValueError(f"'{moment}' states no zone; write it like 2026-11-14T08:00:00Z")
        return moment


@dataclass(frozen=True)
class Stated:
    """What holds for one file: the reader's name (null: recognise it) and its options."""

    reader: str | None = None
    options: ReadOptions = field(default_factory=ReadOptions)

    def as_json(self) -> dict[str, Any]:
        """Returns what was stated, for the manifest."""
        names = ("zone", "start_us", "instant_us", "model")
        found = {name: getattr(self.options, name) for name in names}
        return {name: value for name, value in found.items() if value is not None}


NOTHING_STATED = Stated()


def check_zone(name: str) -> None:
    """Raises ValueError when no such zone is known."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        near = nearest_first(name, available_timezones()).split(", ")[:3]
        raise ValueError(f"'{name}' is not a zone; nearest: {', '.join(near)}") from None


def load_source_entries(path: Path) -> list[SourceEntry]:
    """Returns the entries of a sources file; none where there is no file.

    Raises:
        UserError: The file is no such file; the message names entry and key.
    """
    if not path.exists():
        return []
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"'{path.name}' is not YAML: {str(error)[:200]}", where=str(path)) from None
    listed = content.get("sources", []) if isinstance(content, dict) and set(content) <= {"sources"} else None
    if not isinstance(listed, list):
        raise UserError(
            f"'{path.name}' is not a list of sources", where=str(path), allowed="sources: [{files: ...}, ...]"
        )
    return [_entry(path, number, entry) for number, entry in enumerate(listed)]


def _entry(path: Path, number: int, entry: Any) -> SourceEntry:
    try:
        return SourceEntry.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "(whole entry)"
        raise UserError(
            f"'{key}' of source entry {number}: {first['msg']}",
            where=f"{path}, sources[{number}].{key}",
            allowed=", ".join(SourceEntry.model_fields),
        ) from None


def stated_for(path: Path, entries: Sequence[SourceEntry], given: Stated) -> Stated:
    """Returns what holds for a file: options given with the command, else its first matching entry."""
    entry = next((entry for entry in entries if _speaks_of(entry, path)), None)
    if entry is None:
        return given
    mine = given.options
    options = replace(
        mine,
        zone=mine.zone or entry.zone,
        start_us=_us(entry.start) if mine.start_us is None else mine.start_us,
        instant_us=_us(entry.instant) if mine.instant_us is None else mine.instant_us,
        model=mine.model or entry.model,
    )
    return Stated(given.reader or entry.reader, options)


def _speaks_of(entry: SourceEntry, path: Path) -> bool:
    text = path.as_posix()
    return fnmatch(path.name, entry.files) or fnmatch(text, entry.files) or fnmatch(text, f"*/{entry.files}")


def _us(moment: datetime | None) -> int | None:
    return None if moment is None else us_of(moment)
