"""One made-up call of the sample, before it is spelled in any format.

What lives here: the facts of a call, its times and its ids.
What does not: how a format writes it (*_native.py), which calls happen (story.py, background.py).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Usage:
    """Token counts of one call; `prompt` holds everything read, cached and written."""

    prompt: int
    output: int
    cached: int = 0
    written: int = 0
    written_5m: int | None = None
    written_1h: int | None = None
    reasoning: int | None = None
    is_split_stated: bool = True


@dataclass(frozen=True)
class Call:
    """One attempt as the application saw it; times in microseconds UTC."""

    name: str
    at_us: int
    model: str
    provider: str
    usage: Usage | None
    duration_ms: int = 1_800
    first_token_ms: int | None = None
    feature: str | None = None
    team: str | None = None
    environment: str | None = "prod"
    status: str | None = "success"
    error: tuple[str, str] | None = None
    finish_reason: str | None = None
    request: str | None = None
    attempt: int | None = None
    session: str | None = None
    customer: str = ""
    route: str | None = None
    is_estimated: bool = False
    is_gateway_cache_hit: bool = False
    trace: str | None = None
    tags: tuple[str, ...] = ()
    logged: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def at(day: str, clock: str) -> int:
    """Microseconds UTC of a day `YYYY-MM-DD` and a clock `HH:MM:SS[.ffffff]`."""
    moment = datetime.fromisoformat(f"{day}T{clock}+00:00")
    return (moment - EPOCH) // timedelta(microseconds=1)


def hex_id(name: str, digits: int) -> str:
    """A stable made-up id of so many hex digits."""
    return hashlib.sha256(name.encode()).hexdigest()[:digits]


def dump(record: object) -> str:
    """One line of JSON without blanks."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)
