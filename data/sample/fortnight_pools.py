"""Two pools of own GPUs in the fortnight: who held which device when, and the calls they served.

What lives here: pools, replicas, leases, rates (the fleet file), calls with the times of a busy engine.
What does not: what the devices' counters said meanwhile (fortnight_telemetry.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from background import Dice
from calls import EPOCH, Call, Usage, at, hex_id
from fortnight_shapes import CHAT_INPUT, CHAT_OUTPUT, SHORT_INPUT, client, drawn, instants

DAY_US = 86_400_000_000
FIRST_DAY, LAST_DAY = "2026-10-16", "2026-10-29"


@dataclass(frozen=True)
class Replica:
    """One engine: its devices, its pool, and whether it runs in working hours only."""

    name: str
    pool: str
    deployment: str
    gpu: str
    host: str
    devices: int
    rate: str
    is_daytime_only: bool = False

    def device_ids(self) -> list[str]:
        """The UUIDs of its devices as NVIDIA prints them."""
        found = [hex_id(f"{self.name} device {number}", 32) for number in range(self.devices)]
        return [f"GPU-{t[:8]}-{t[8:12]}-{t[12:16]}-{t[16:20]}-{t[20:]}" for t in found]


REPLICAS = (
    Replica(
        "pool-a-0",
        "pool-a",
        "llama-3.3-70b-instruct",
        "NVIDIA H100 80GB HBM3",
        "node-a0",
        2,
        "h100-on-demand",
    ),
    Replica(
        "pool-a-1",
        "pool-a",
        "llama-3.3-70b-instruct",
        "NVIDIA H100 80GB HBM3",
        "node-a1",
        2,
        "h100-on-demand",
        True,
    ),
    Replica("pool-b-0", "pool-b", "qwen3-8b-instruct", "NVIDIA L40S", "node-b0", 1, "l40s-on-demand"),
    Replica("pool-b-1", "pool-b", "qwen3-8b-instruct", "NVIDIA L40S", "node-b0", 1, "l40s-reserved"),
)
DAY_SHIFT = ("06:00:00", "20:00:00")
FLEET_HEAD = """\
# The devices of the fortnight: rates with their first day, and who held which device when (UTC).
rates:
  - {id: h100-on-demand, valid_from: 2026-09-25, usd_per_gpu_hour: "3.49", source: "RunPod secure"}
  - {id: h100-on-demand, valid_from: 2026-10-19, usd_per_gpu_hour: "3.99", source: "RunPod secure"}
  - {id: l40s-on-demand, valid_from: 2026-08-19, usd_per_gpu_hour: "1.00", source: "Crusoe, gpuhunt"}
  - {id: l40s-reserved, valid_from: 2026-08-19, usd_per_gpu_hour: "0.65", source: "made up"}
leases:
"""


def days() -> list[str]:
    """The fourteen days in order."""
    first = at(FIRST_DAY, "00:00:00") // DAY_US
    return [(EPOCH.fromtimestamp((first + n) * 86_400, EPOCH.tzinfo)).date().isoformat() for n in range(14)]


def is_weekend(day: str) -> bool:
    """Whether a day is a Saturday or Sunday."""
    # 1970-01-01 was a Thursday.
    return (at(day, "00:00:00") // DAY_US + 3) % 7 >= 5


def held(replica: Replica, day: str) -> tuple[int, int] | None:
    """The part of a day for which the replica's devices are held; None where they are not."""
    if not replica.is_daytime_only:
        return at(day, "00:00:00"), at(day, "00:00:00") + DAY_US
    return None if is_weekend(day) else (at(day, DAY_SHIFT[0]), at(day, DAY_SHIFT[1]))


def takes(replica: Replica, day: str, at_us: int) -> bool:
    """Whether a replica takes new calls: one that will be given back drains for ten minutes before."""
    part = held(replica, day)
    if part is None:
        return False
    drain_us = 600_000_000 if replica.is_daytime_only else 0
    return part[0] <= at_us < part[1] - drain_us


def fleet_file() -> str:
    """The fleet file: one lease per device and stretch of time."""
    rows: list[str] = []
    for replica in REPLICAS:
        stretches = [held(replica, day) for day in days()] if replica.is_daytime_only else [whole()]
        for stretch in stretches:
            if stretch is None:
                continue
            start, end = (
                EPOCH.fromtimestamp(us // 1_000_000, EPOCH.tzinfo).strftime("%Y-%m-%dT%H:%M:%SZ")
                for us in stretch
            )
            rows += [
                f"  - {{device: {device}, pool: {replica.pool}, replica: {replica.name}, "
                f"deployment: {replica.deployment}, rate: {replica.rate}, from: {start}, until: {end}}}\n"
                for device in replica.device_ids()
            ]
    return FLEET_HEAD + "".join(rows)


def whole() -> tuple[int, int]:
    """The fortnight, half-open."""
    return at(FIRST_DAY, "00:00:00"), at(LAST_DAY, "00:00:00") + DAY_US


@dataclass(frozen=True)
class Load:
    """What one feature asks of one pool; times of the engine in milliseconds."""

    feature: str
    team: str
    pool: str
    deployment: str
    calls: int
    input: tuple[int, ...]
    output: tuple[int, ...]
    output_factor: int
    input_tokens_per_ms: int
    token_ms: int
    token_ms_per_other: int


LOADS = (
    Load(
        "drafts", "discovery", "pool-a", "llama-3.3-70b-instruct", 420, CHAT_INPUT, CHAT_OUTPUT, 12, 8, 27, 1
    ),
    Load("moderation", "service", "pool-b", "qwen3-8b-instruct", 600, SHORT_INPUT, CHAT_OUTPUT, 3, 6, 21, 1),
)


def served_day(dice: Dice, day: str) -> Iterator[Call]:
    """The calls that own engines served on a day, each with its replica; the gateway logged them."""
    for load in LOADS:
        running: dict[str, list[int]] = {}
        for number, at_us in enumerate(instants(dice, at(day, "00:00:00"), load.calls, is_weekend(day))):
            yield served(dice, load, day, number, at_us, running)


def served(dice: Dice, load: Load, day: str, number: int, at_us: int, running: dict[str, list[int]]) -> Call:
    """One call on the replica with the fewest calls in flight; each of them slows every token a little."""
    held_now = [one for one in REPLICAS if one.pool == load.pool and takes(one, day, at_us)]
    for ends in running.values():
        ends[:] = [end for end in ends if end > at_us]
    replica = min(held_now, key=lambda one: len(running.get(one.name, ())))
    others = len(running.get(replica.name, ()))
    usage = Usage(drawn(dice, load.input), drawn(dice, load.output) * load.output_factor, reasoning=0)
    first_ms = 45 + usage.prompt // load.input_tokens_per_ms + others * 12
    duration_ms = first_ms + usage.output * (load.token_ms + others * load.token_ms_per_other)
    running.setdefault(replica.name, []).append(at_us + duration_ms * 1_000)
    customer, tier = client(dice)
    call = Call(
        name=f"{load.feature}-{day}-{number:04}",
        at_us=at_us,
        model=load.deployment,
        provider="hosted_vllm",
        usage=usage,
        duration_ms=duration_ms,
        first_token_ms=first_ms,
        feature=load.feature,
        team=load.team,
        customer=customer,
        tags=(f"tier:{tier}",),
        extra={"api_base": f"http://{replica.name}.serving:8000/v1", "model_id": replica.name},
    )
    if dice.chance(8):
        return replace(
            call, usage=replace(usage, output=0), status="failure", error=("503", "ServiceUnavailableError")
        )
    return call
