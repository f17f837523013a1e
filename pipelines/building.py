"""The days under construction, written down before the first table is touched.

Lives here: `building.json`, which survives a crash and tells the next run what it has to finish, and which
tells `check` and `publish` what was built from which files and versions.
Does not live here: choosing the days (days.py).
"""

import json
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from pipelines.durable import sync_folder, write_json_durably
from pipelines.errors import UserError
from pipelines.versions import Versions


@dataclass(frozen=True)
class Building:
    """What is being built: days, whether all of them, on which snapshot, from which files and versions.

    `tables` are those already complete, so that a scheduler may go on where a step failed.
    """

    days: tuple[date, ...]
    is_full: bool
    files: tuple[str, ...]
    versions: Versions
    base_snapshot_id: str | None
    cause: str
    is_built: bool = False
    tables: tuple[str, ...] = ()

    def with_table(self, name: str) -> "Building":
        """The same construction with the table `name` complete."""
        return replace(self, tables=tuple(sorted({*self.tables, name})))

    def is_of(self, other: "Building") -> bool:
        """True when both build the same days from the same files and versions on the same snapshot."""
        names = ("days", "is_full", "files", "versions", "base_snapshot_id")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def finished(self) -> "Building":
        """The same construction with its tables complete."""
        return replace(self, is_built=True)


def read_building(path: Path) -> Building | None:
    """The construction a former run left in `path`; None when it left none."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return _building_of(content)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"'{path}' is damaged · {type(error).__name__}: {error} · it is written by inferledger only · "
            f"next: delete {path} and the warehouse file beside it; the next run builds every day again"
        ) from error


def _building_of(content: dict[str, Any]) -> Building:
    return Building(
        days=tuple(date.fromisoformat(day) for day in content["days"]),
        is_full=content["is_full"],
        files=tuple(content["files"]),
        versions=Versions(**content["versions"]),
        base_snapshot_id=content["base_snapshot_id"],
        cause=content["cause"],
        is_built=content["is_built"],
        tables=tuple(content.get("tables", ())),
    )


def write_building(path: Path, building: Building) -> None:
    """Write `building` durably to `path`."""
    content = asdict(building) | {"days": [day.isoformat() for day in building.days]}
    write_json_durably(path, content)


def clear_building(path: Path) -> None:
    """Say that nothing is under construction any more."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)
