"""Where a ledger lives on disk, and the few choices its owner made.

Lives here: the folder layout of a home, reading and checking `inferledger.yml`, finding the home.
Does not live here: the mapping, the sources file and prices, which are data with readers of their own.
"""

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipelines.errors import UserError

SETTINGS_NAME = "inferledger.yml"
HOME_VARIABLE = "INFERLEDGER_HOME"
DEFAULT_HOME = "ledger"


class Nightly(BaseModel):
    """When the nightly load runs, and who hears of it when it does not.

    Args:
        cron: Five fields, UTC.
        is_running: Whether the schedule runs without being switched on.
        late_after_hours: How long after the last load that ended well the next one counts as late.
        first_day: First UTC day that the scheduler knows; earlier days are built too, but not shown by day.
        webhook: Address that a failed or late load is posted to.
        owner: Who owns the tables: team:name or an e-mail address.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    cron: str = Field(default="0 2 * * *", pattern=r"^[0-9*/,\-]+( [0-9A-Za-z*/,\-#]+){4}$")
    is_running: bool = True
    late_after_hours: int = Field(default=26, ge=1, le=24 * 366)
    first_day: date = date(2026, 1, 1)
    webhook: str | None = Field(default=None, pattern=r"^https?://[^\s/]+(/\S*)?$")
    owner: str = Field(default="team:inference-cost", pattern=r"^(team:[A-Za-z0-9_-]+|[^@\s]+@[^@\s]+)$")


class Quality(BaseModel):
    """What is expected of landed and built rows before anything is published.

    Args:
        expectations: Whether the expectations are looked at; they block the publication.
        volume_factor: How many times more or fewer records than usual a day may bring.
        unknown_model_share: Largest share of a day's attempts that no price entry may know, 0 to 1.
        clock_ahead_minutes: How far the clock of a source may be ahead of the one that lands.
        accepted_days: Days whose volume and unknown models a person has looked at and accepted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    expectations: bool = True
    volume_factor: float = Field(default=10, ge=1, le=1_000_000)
    unknown_model_share: float = Field(default=0.2, ge=0, le=1)
    clock_ahead_minutes: int = Field(default=60, ge=0, le=60 * 24 * 366)
    accepted_days: tuple[date, ...] = Field(default=(), strict=False)


class Choices(BaseModel):
    """What `inferledger.yml` may say."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    inbox: list[str] = Field(default_factory=lambda: ["inbox"])
    memory_limit: str | None = Field(
        default=None, pattern=r"^[1-9][0-9]*(\.[0-9]+)? ?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$"
    )
    threads: int | None = Field(default=None, ge=1, le=1024)
    nightly: Nightly = Field(default_factory=Nightly)
    quality: Quality = Field(default_factory=Quality)


# Settings that are groups of settings.
_GROUPS: Mapping[str, type[BaseModel]] = {"nightly": Nightly, "quality": Quality}


@dataclass(frozen=True)
class Settings:
    """One home: its folders, and the choices of its `inferledger.yml`."""

    home: Path
    inbox: tuple[str, ...] = ("inbox",)
    memory_limit: str | None = None
    threads: int | None = None
    nightly: Nightly = field(default_factory=Nightly)
    quality: Quality = field(default_factory=Quality)

    @property
    def settings_file(self) -> Path:
        """The file this object was read from."""
        return self.home / SETTINGS_NAME

    @property
    def mapping_file(self) -> Path:
        """Rules from tags to owners, written by the user."""
        return self.home / "mapping.yml"

    @property
    def sources_file(self) -> Path:
        """What a source does not state about itself (zone, start), written by the user."""
        return self.home / "sources.yml"

    @property
    def secret_file(self) -> Path:
        """The HMAC key of this installation, mode 600."""
        return self.home / "secret.key"

    @property
    def price_files(self) -> list[Path]:
        """The owner's own price entries, in name order."""
        return sorted((self.home / "prices").glob("*.yml"))

    @property
    def landed(self) -> Path:
        """Landed input: immutable Parquet by day, and the manifests that commit it."""
        return self.home / "landed"

    @property
    def warehouse(self) -> Path:
        """The database file; it can always be thrown away and built again."""
        return self.home / "warehouse.duckdb"

    @property
    def published(self) -> Path:
        """Published snapshots and the pointer to the current one."""
        return self.home / "published"

    @property
    def quality_folder(self) -> Path:
        """Results and pages of the expectations of the last load; each load writes them anew."""
        return self.home / "quality"

    @property
    def journal(self) -> Path:
        """What no rebuild can recover."""
        return self.home / "journal"

    @property
    def lock_file(self) -> Path:
        """Held by the one process that may write."""
        return self.home / "writer.lock"

    @property
    def building_file(self) -> Path:
        """Days under construction; it outlives a crash so that the next run finishes them."""
        return self.home / "building.json"


def find_home(stated: Path | None, environment: Mapping[str, str] = os.environ) -> Path:
    """The home folder: stated, else $INFERLEDGER_HOME, else here if here is one, else ./ledger."""
    if stated is not None:
        return stated
    if environment.get(HOME_VARIABLE):
        return Path(environment[HOME_VARIABLE])
    return Path() if Path(SETTINGS_NAME).is_file() else Path(DEFAULT_HOME)


def load_settings(home: Path) -> Settings:
    """Read the settings of the ledger in `home`; a missing or wrong file is a UserError."""
    path = home / SETTINGS_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(
            f"no ledger in '{home}' · {path} does not exist · "
            f"a home is named by --home or {HOME_VARIABLE} · next: inferledger init {home}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read '{path}' · {error} · allowed: UTF-8 text you may read") from error
    choices = parse_choices(text, path)
    return Settings(
        home=home.resolve(),
        inbox=tuple(choices.inbox),
        memory_limit=choices.memory_limit,
        threads=choices.threads,
        nightly=choices.nightly,
        quality=choices.quality,
    )


def parse_choices(text: str, path: Path) -> Choices:
    """The choices written in `text`, which came from `path`."""
    try:
        content: Any = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        where = str(error).replace("\n", " ")
        raise UserError(f"'{path}' is not YAML · {where} · next: mend the line named") from error
    if not isinstance(content, dict):
        raise UserError(f"'{path}' holds a {type(content).__name__} · allowed: lines of 'key: value'")
    try:
        return Choices.model_validate(content)
    except ValidationError as error:
        raise UserError(_explain_choice(error.errors()[0], path)) from error


def _explain_choice(problem: Mapping[str, Any], path: Path) -> str:
    location: Sequence[Any] = problem["loc"]
    group = _GROUPS.get(str(location[0])) if len(location) > 1 else None
    key = str(location[1] if group else location[0])
    if problem["type"] == "extra_forbidden":
        known = list((group or Choices).model_fields)
        nearest = difflib.get_close_matches(key, known, n=len(known), cutoff=0.0)
        return f"unknown setting '{key}' · {path} · allowed: {', '.join(nearest)} · next: correct the key"
    where = ".".join(str(part) for part in location)
    return (
        f"'{problem['input']}' is no {key} · {path}, key {where} · {problem['msg']} · next: correct the value"
    )
