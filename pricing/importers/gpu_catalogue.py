"""Reads a GPU catalogue file that the user supplies: SkyPilot's per-cloud CSV, or gpuhunt's CSV.

Both give on-demand and spot prices of instances; the lines proposed are those of `tables/gpus.yml`.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TypeAlias

from pricing.errors import PriceBookError
from pricing.gpu_rates import GpuRate

SKYPILOT = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region")
GPUHUNT = ("instance_name", "gpu_name", "gpu_count", "price", "spot", "location")


@dataclass(frozen=True)
class ProposedRate:
    """One GPU rate as a catalogue has it: USD per hour of the offer, and the GPUs in it."""

    provider: str
    gpu: str
    offer: str
    region: str
    commitment: str
    per_hour: str
    gpus: int
    valid_from: date

    def line(self, source: str) -> str:
        """Return the rate as a line of the rates file."""
        commitment = "" if self.commitment == "on_demand" else f", commitment: {self.commitment}"
        dates = f"valid_from: {self.valid_from}, known_from: {self.valid_from}"
        return (
            f"  - {{provider: {self.provider}, gpu: {self.gpu}, offer: {self.offer}, region: {self.region}"
            f"{commitment}, per_hour: {self.per_hour}, gpus: {self.gpus}, {dates}, source: {source}}}"
        )


_Reader: TypeAlias = Callable[[Mapping[str, str], str, date], Iterator[ProposedRate]]


def read(path: Path, provider: str, as_of: date) -> list[ProposedRate]:
    """Return the rates of a catalogue file of one provider, as of the day it was read, without repeats."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            reader = _reader_of(tuple(rows.fieldnames or ()), path)
            return list(dict.fromkeys(rate for row in rows for rate in reader(row, provider, as_of)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PriceBookError(f"The GPU catalogue '{path}' cannot be read: {error}.") from error


def new_rates(rates: tuple[GpuRate, ...], proposed: list[ProposedRate]) -> list[ProposedRate]:
    """Return the proposed rates that the book does not have: an unknown offer or another price."""
    known = {(*rate.series, Decimal(rate.text.per_hour)) for rate in rates}
    return [
        row
        for row in proposed
        if (row.provider, row.gpu, row.offer, row.region, row.commitment, Decimal(row.per_hour)) not in known
    ]


def _reader_of(header: tuple[str, ...], path: Path) -> _Reader:
    if set(SKYPILOT) <= set(header):
        return _skypilot
    if set(GPUHUNT) <= set(header):
        return _gpuhunt
    raise PriceBookError(
        f"'{path}' is no GPU catalogue we know: its columns are {', '.join(header[:8])}. SkyPilot has "
        f"{', '.join(SKYPILOT)}; gpuhunt has {', '.join(GPUHUNT)}."
    )


def _skypilot(row: Mapping[str, str], provider: str, as_of: date) -> Iterator[ProposedRate]:
    for column, commitment in (("Price", "on_demand"), ("SpotPrice", "spot")):
        yield from _rate(
            provider,
            (row["AcceleratorName"], row["InstanceType"], row["Region"], row["AcceleratorCount"]),
            commitment,
            row[column],
            as_of,
        )


def _gpuhunt(row: Mapping[str, str], provider: str, as_of: date) -> Iterator[ProposedRate]:
    commitment = "spot" if row["spot"].lower() == "true" else "on_demand"
    parts = (row["gpu_name"], row["instance_name"], row["location"], row["gpu_count"])
    yield from _rate(provider, parts, commitment, row["price"], as_of)


def _rate(
    provider: str, parts: tuple[str, str, str, str], commitment: str, price: str, as_of: date
) -> Iterator[ProposedRate]:
    """Yield a rate; rows without a GPU or without a price say nothing."""
    gpu, offer, region, count = parts
    try:
        amount, gpus = Decimal(price), Decimal(count)
    except InvalidOperation:
        return
    if gpu and amount > 0 and gpus == int(gpus) and gpus > 0:
        text = format(amount.normalize(), "f")
        yield ProposedRate(provider, gpu, offer, region, commitment, text, int(gpus), as_of)
