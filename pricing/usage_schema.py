"""What the usage files may say: profiles of the providers' usage fields, fees beside tokens, free allowances.

A path names a number in a usage record: `prompt_tokens_details.cached_tokens`,
`cacheDetails[ttl=5m].inputTokens`; in fees and allowances it begins with `usage.` or `context.`.
"""

from typing import Annotated

from pydantic import AfterValidator, Field

from pricing.errors import nearest
from pricing.schema import Amount, SourceText, Strict
from pricing.units import units

COUNTS = (
    "input",
    "cached",
    "cached_audio",
    "cached_image",
    "cache_write",
    "cache_write_5m",
    "cache_write_30m",
    "cache_write_1h",
    "cache_write_12h",
    "input_audio",
    "input_image",
    "input_video",
    "output",
    "reasoning",
    "output_audio",
    "output_image",
    "output_video",
    "total",
)


def _known_counts(counts: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    for name in counts:
        if name not in COUNTS:
            raise ValueError(
                f"'{name}' is not a count; allowed, nearest first: {nearest(name, list(COUNTS))}"
            )
    return counts


def _known_meter(meter: str) -> str:
    if meter not in units().meters:
        raise ValueError(f"'{meter}' is not a meter; nearest: {nearest(meter, list(units().meters))}")
    return meter


Counts = Annotated[dict[str, tuple[str, ...]], AfterValidator(_known_counts)]
MeterName = Annotated[str, AfterValidator(_known_meter)]


class ProfileText(Strict):
    """What is inside what in the usage fields of one provider and API, and where the counts stand.

    `has` is the field by which a usage object of this shape is known; the paths of a count are added up.
    """

    providers: tuple[str, ...] = ()
    api: tuple[str, ...] = ()
    has: str | None = None
    counts: Counts = Field(default_factory=dict[str, tuple[str, ...]])
    is_cached_in_input: bool
    is_cache_write_in_input: bool
    is_reasoning_in_output: bool
    is_exclusive_if_exceeding: bool = False
    is_estimated: bool = False
    source: SourceText


class Subtraction(Strict):
    """What is taken off a quantity: the product of some numbers."""

    product: tuple[str, ...]
    times: Amount = "1"


class FeeText(Strict):
    """How the quantity of a meter that is not a token count is read from a record.

    Exactly one of `sum`, `product`, `each`; `repeat` is how many equal units there are; `minimum` and
    `increment` hold for every unit by itself, in the unit of the meter.
    """

    provider: str
    models: tuple[str, ...] = ()
    meter: MeterName
    sum: tuple[str, ...] = ()
    product: tuple[str, ...] = ()
    each: str | None = None
    of: str | None = None
    repeat: str | None = None
    times: Amount = "1"
    less: Subtraction | None = None
    minimum: Amount = "0"
    increment: Amount | None = None
    instead_of: MeterName | None = None
    source: SourceText


class AllowanceText(Strict):
    """A free quantity per period, shared by the models of one pool; `used` is where its state stands."""

    provider: str
    pool: str
    meters: tuple[MeterName, ...]
    model_prefixes: tuple[str, ...] = ()
    quantity: Amount
    per: str | None = None
    used: str | None = None
    used_times: Amount = "1"
    source: SourceText


class ReportedCharge(Strict):
    """A charge that the provider states with the usage: USD (decimal text) per unit of the field."""

    provider: str
    path: str
    usd: Amount
    is_preferred: bool = False
    source: SourceText
