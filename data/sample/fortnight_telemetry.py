"""What the devices of the fortnight reported: Prometheus answers for pool-a, nvidia-smi for pool-b.

What lives here: counters derived from the calls in flight, with gaps and unreadable values.
What does not: the calls and the leases themselves (fortnight_pools.py).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from background import Dice
from calls import EPOCH, Call, at
from fortnight_pools import REPLICAS, Replica, days, held

STEP_US = 60_000_000
# Nobody scraped pool-a for half an hour: what its devices did then is unknown.
OUTAGE = (at("2026-10-21", "03:10:00"), at("2026-10-21", "03:40:00"))
# The host of pool-b keeps Indian time and says so nowhere in its file.
LOCAL_OFFSET_US = (5 * 60 + 30) * STEP_US
SMI_HEAD = (
    "timestamp, index, uuid, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], "
    "memory.total [MiB], power.draw [W], temperature.gpu\n"
)


class Flight:
    """How many calls a replica has in flight at an instant."""

    def __init__(self, calls: list[Call]) -> None:
        self._starts = sorted(call.at_us for call in calls)
        self._ends = sorted(call.at_us + call.duration_ms * 1_000 for call in calls)

    def at(self, instant_us: int) -> int:
        """Calls started and not yet ended at the instant."""
        return bisect_right(self._starts, instant_us) - bisect_right(self._ends, instant_us)


def flights(calls: list[Call]) -> dict[str, Flight]:
    """Calls in flight by replica."""
    return {
        one.name: Flight([call for call in calls if call.extra["model_id"] == one.name]) for one in REPLICAS
    }


def instants_of(replica: Replica, day: str, late_us: int) -> Iterator[int]:
    """Sample times of a held replica on a day, one a minute."""
    part = held(replica, day)
    if part is not None:
        yield from range(part[0] + late_us, part[1], STEP_US)


def prometheus_day(dice: Dice, day: str, by_replica: dict[str, Flight]) -> dict[str, Any] | None:
    """One answer of a range query for all DCGM series of pool-a on a day."""
    result: list[dict[str, Any]] = []
    for replica in REPLICAS:
        if replica.pool != "pool-a" or held(replica, day) is None:
            continue
        for number, device in enumerate(replica.device_ids()):
            result += series(dice, replica, number, device, day, by_replica[replica.name])
    return {"status": "success", "data": {"resultType": "matrix", "result": result}} if result else None


def series(
    dice: Dice, replica: Replica, number: int, device: str, day: str, flight: Flight
) -> list[dict[str, Any]]:
    """Utilisation, engine activity and power of one device over one day."""
    labels = {
        "UUID": device,
        "gpu": str(number),
        "modelName": replica.gpu,
        "Hostname": replica.host,
        "pod": replica.name,
        "namespace": "serving",
        "instance": f"{replica.host}:9400",
        "job": "dcgm",
    }
    values: dict[str, list[list[object]]] = {
        "DCGM_FI_DEV_GPU_UTIL": [],
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE": [],
        "DCGM_FI_DEV_POWER_USAGE": [],
    }
    for instant in instants_of(replica, day, 0):
        if OUTAGE[0] <= instant < OUTAGE[1]:
            continue
        running = flight.at(instant)
        used = min(100, dice.between(71, 88) + 3 * running) if running else 0
        # The exporter answers NaN when it asks in the wrong moment.
        texts = (
            "NaN" if dice.chance(1) else str(used),
            f"0.{used * 9:03}",
            f"{118 + used * 5}.{dice.between(0, 999):03}",
        )
        for name, text in zip(values, texts, strict=True):
            values[name].append([instant // 1_000_000, text])
    return [{"metric": {"__name__": name, **labels}, "values": found} for name, found in values.items()]


def smi_lines(dice: Dice, by_replica: dict[str, Flight]) -> Iterator[tuple[str, str]]:
    """Every line of nvidia-smi on pool-b's host: its local day, and the line in local time without a zone."""
    pool = [replica for replica in REPLICAS if replica.pool == "pool-b"]
    for day in days():
        for instant in instants_of(pool[0], day, 7_000_000):
            for index, replica in enumerate(pool):
                local = EPOCH + timedelta(microseconds=instant + LOCAL_OFFSET_US + index * 1_000)
                running = by_replica[replica.name].at(instant)
                used = min(100, dice.between(58, 84) + 4 * running) if running else 0
                power = "[N/A]" if dice.chance(2) else f"{82 + used * 2}.{dice.between(0, 99):02} W"
                stamp = local.strftime("%Y/%m/%d %H:%M:%S.") + f"{local.microsecond // 1_000:03}"
                yield (
                    local.date().isoformat(),
                    f"{stamp}, {index}, {replica.device_ids()[0]}, {replica.gpu}, {used} %, {used // 2} %, "
                    f"{39_400 + running * 60} MiB, 46068 MiB, {power}, {41 + used // 4}\n",
                )
