"""What the fortnight's devices cost and did: leases times rates, samples, time with calls in flight.

What lives here: held time and its cost per pool and day, counted samples, busy time by the gateway's log.
What does not: how busy cost is shared among calls; nothing of the generator, nothing of our rooms.
Busy means here: the replica had a call in flight, start to end, in its lease; one device-second per device.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from expected_records import text_of

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FLOW = re.compile(r"(\w+): (?:\"([^\"]*)\"|([^,}]+))")


def instant_us(text: str) -> int:
    """Microseconds of a date or an RFC 3339 instant, UTC."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


def day_of(at_us: int) -> str:
    """The UTC day of an instant."""
    return (EPOCH + timedelta(microseconds=at_us)).date().isoformat()


def fleet(path: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Rates and leases of a fleet file whose entries are one flow mapping per line."""
    kinds: dict[str, list[dict[str, str]]] = {"rates": [], "leases": []}
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.rstrip(":") in kinds:
            kind = line.rstrip(":")
        elif line.startswith("  - {"):
            kinds[kind].append({key: quoted or plain for key, quoted, plain in FLOW.findall(line)})
    return kinds["rates"], kinds["leases"]


def cut(start_us: int, end_us: int, length_us: int) -> list[tuple[int, int]]:
    """A stretch of time cut at every multiple of a length."""
    found: list[tuple[int, int]] = []
    while start_us < end_us:
        until = min(end_us, (start_us // length_us + 1) * length_us)
        found.append((start_us, until))
        start_us = until
    return found


def rate_at(rates: list[dict[str, str]], name: str, at_us: int) -> Fraction:
    """USD per device-hour in force at an instant."""
    valid = [rate for rate in rates if rate["id"] == name and instant_us(rate["valid_from"]) <= at_us]
    return Fraction(max(valid, key=lambda rate: rate["valid_from"])["usd_per_gpu_hour"])


def unions(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same time without overlaps."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def flights(folder: Path) -> dict[str, list[tuple[int, int]]]:
    """Start and end of every call that names a replica, from the gateway's log."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for path in sorted(folder.glob("litellm-*")):
        for line in text_of(path).splitlines():
            if '"custom_llm_provider":"hosted_vllm"' in line:
                row = json.loads(line)
                found[row["model_id"]].append((instant_us(row["startTime"]), instant_us(row["endTime"])))
    return found


def samples(folder: Path) -> dict[str, dict[str, int]]:
    """Per device: utilisation samples, those without a value, those at zero."""
    found: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob("prometheus-*")):
        for series in json.loads(text_of(path))["data"]["result"]:
            if series["metric"]["__name__"] == "DCGM_FI_DEV_GPU_UTIL":
                note(found, series["metric"]["UUID"], [text for _, text in series["values"]])
    for path in sorted(folder.glob("nvidia-smi-*")):
        for row in csv.DictReader(text_of(path).splitlines(), skipinitialspace=True):
            note(found, row["uuid"], [row["utilization.gpu [%]"].removesuffix(" %")])
    return found


def note(found: dict[str, dict[str, int]], device: str, values: list[str]) -> None:
    """Count some utilisation samples of a device."""
    counts = found.setdefault(device, {"samples": 0, "unreadable": 0, "at_zero": 0})
    counts["samples"] += len(values)
    counts["unreadable"] += values.count("NaN")
    counts["at_zero"] += values.count("0")


def capacity(folder: Path) -> dict[str, Any]:
    """Held time, cost and busy time per pool and day; samples per device. Empty without a fleet file."""
    if not (folder / "fleet.yml").exists():
        return {}
    rates, leases = fleet(folder / "fleet.yml")
    busy = {name: unions(stretches) for name, stretches in flights(folder).items()}
    days: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for lease in leases:
        start, end = instant_us(lease["from"]), instant_us(lease["until"])
        for piece in cut(start, end, DAY_US):
            cells = days[lease["pool"]].setdefault(
                day_of(piece[0]), {"held_us": 0, "busy_us": 0, "cost": Fraction(0)}
            )
            cells["held_us"] += piece[1] - piece[0]
            cells["busy_us"] += overlap(busy.get(lease["replica"], []), piece)
            for hour in cut(*piece, HOUR_US):
                hours = Fraction(hour[1] - hour[0], HOUR_US)
                cells["cost"] += hours * rate_at(rates, lease["rate"], hour[0])
    return {
        "pools": {pool: by_day(cells) for pool, cells in sorted(days.items())},
        "devices": samples(folder),
    }


def overlap(stretches: list[tuple[int, int]], piece: tuple[int, int]) -> int:
    """Microseconds of some stretches that lie in a piece of time."""
    return sum(max(0, min(end, piece[1]) - max(start, piece[0])) for start, end in stretches)


def by_day(cells: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Cells in the order of days, cost as an exact decimal text."""
    return {
        day: {"held_us": found["held_us"], "busy_us": found["busy_us"], "cost_usd": plain(found["cost"])}
        for day, found in sorted(cells.items())
    }


def plain(amount: Fraction) -> str:
    """An exact decimal text with twelve decimals; an amount that needs more is an error."""
    pico = amount * 10**12
    if pico.denominator != 1:
        raise ValueError(f"{amount} USD has more than 12 decimals")
    sign = "-" if pico < 0 else ""
    whole, part = divmod(abs(int(pico)), 10**12)
    return f"{sign}{whole}.{part:012}"
