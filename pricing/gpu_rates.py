"""GPU rates: dated hourly prices of offers by provider, type, region and commitment (`tables/gpus.yml`).

How long a device was held, and which lease it had, is the fleet's business; only the price of the time is
here.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pricing.entries import Conditions, Entry, Facts, Place, Published, periods_of
from pricing.errors import PriceBookError, nearest
from pricing.periods import Period
from pricing.schema import Amount, Dated, SourceText
from pricing.timelines import at, collide, timeline
from pricing.units import PICO_PER_USD
from pricing.validated import validated
from pricing.yaml_source import YamlSource

MICROSECONDS_PER_HOUR = 3_600_000_000
Commitment = Literal["on_demand", "spot", "reserved_1m", "reserved_1y", "reserved_3y"]


class GpuRateText(Dated):
    """One rate as written: USD per hour of the offer, and the number of GPUs in it."""

    provider: str
    gpu: str
    offer: str
    region: str | None = None
    commitment: Commitment = "on_demand"
    per_hour: Amount
    gpus: Annotated[int, Field(ge=1)]


class GpuFile(BaseModel):
    """The file of GPU rates."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    sources: dict[str, SourceText]
    rates: tuple[GpuRateText, ...]


@dataclass(frozen=True, eq=False)
class GpuRate:
    """One dated rate with its place and source."""

    facts: Facts
    text: GpuRateText

    @property
    def valid(self) -> Period:
        """Return the validity as written; an open end means until the next rate of the offer."""
        return self.facts.valid

    @property
    def known(self) -> Period:
        """Return the period in which the book held this to be true."""
        return self.facts.known

    @property
    def series(self) -> tuple[str, str, str, str | None, str]:
        """Return what the rate is about: provider, type, offer, region, commitment."""
        text = self.text
        return (text.provider, text.gpu, text.offer, text.region, text.commitment)

    def pico_usd_per_microseconds(self) -> tuple[int, int]:
        """Return (pico-USD, microseconds) of one GPU without a common divisor."""
        hourly = Fraction(self.text.per_hour) * PICO_PER_USD / self.text.gpus
        ratio = hourly / MICROSECONDS_PER_HOUR
        return ratio.numerator, ratio.denominator


def read_gpu_rates(source: YamlSource) -> tuple[GpuRate, ...]:
    """Return the rates of the file; two of one offer that claim the same instant do not load."""
    file = validated(GpuFile, source, source.data)
    rates = tuple(_rate(file, text, source, index) for index, text in enumerate(file.rates))
    series: dict[tuple[str, str, str, str | None, str], list[GpuRate]] = defaultdict(list)
    for rate in rates:
        series[rate.series].append(rate)
    for group in series.values():
        for one, other in combinations(group, 2):
            if collide(one, other):
                raise PriceBookError(
                    f"Two rates of '{one.text.offer}' are valid at once: {one.valid} · {one.facts.place} and "
                    f"{other.valid} · {other.facts.place}. Give the later one another valid_from."
                )
    return rates


def gpu_rate_at(
    rates: tuple[GpuRate, ...],
    series: tuple[str, str, str, str | None, str],
    instant_us: int,
    known_at_us: int | None = None,
) -> GpuRate | None:
    """Return the rate of an offer at an instant (microseconds UTC), or None."""
    return at(timeline((rate for rate in rates if rate.series == series), known_at_us), instant_us)


def rate_entries(rates: tuple[GpuRate, ...]) -> dict[tuple[str, str], tuple[Entry, ...]]:
    """Return the on-demand rates as price entries of offers that have one region and one type."""
    offers: dict[tuple[str, str], list[GpuRate]] = defaultdict(list)
    for rate in rates:
        if rate.text.commitment == "on_demand":
            offers[rate.text.provider, rate.text.offer].append(rate)
    return {
        offer: tuple(_entry(rate) for rate in group)
        for offer, group in offers.items()
        if len({rate.series for rate in group}) == 1
    }


def _entry(rate: GpuRate) -> Entry:
    hourly = Fraction(rate.text.per_hour) / rate.text.gpus * PICO_PER_USD
    amount = f"{hourly.numerator // PICO_PER_USD}.{hourly.numerator % PICO_PER_USD:012d}"
    return Entry(
        facts=rate.facts,
        provider=rate.text.provider,
        model=rate.text.offer,
        entry_id=f"{rate.text.offer}/{rate.text.gpu}",
        conditions=Conditions(),
        currency="USD",
        amounts={"gpu_time": Published(amount, "per_hour")},
    )


def _rate(file: GpuFile, text: GpuRateText, source: YamlSource, index: int) -> GpuRate:
    place = Place(source.name, source.line(("rates", index)))
    found = file.sources.get(text.source)
    if found is None:
        known = nearest(text.source, list(file.sources))
        raise PriceBookError(
            f"The source '{text.source}' is not declared · {place}. Sources of the file: {known}."
        )
    valid, known_period = periods_of(text)
    return GpuRate(Facts(place, valid, known_period, text.status, found.url, found.checked), text)
