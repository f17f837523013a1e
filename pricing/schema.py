"""What a price file may say: Pydantic models of the YAML, field by field.

Only the shape and the meaning of single fields live here. What several entries mean together (overlaps,
aliases that collide) is checked in `validation.py`; line numbers are put to messages in `price_book.py`.
"""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pricing.errors import nearest
from pricing.units import is_amount, units

TIERS = ("standard", "batch", "flex", "priority", "fast")
STATUSES = ("announced", "in_force", "withdrawn", "corrected")


def _instant(value: Any) -> Any:
    """Read a date as the UTC midnight that starts it; an instant must name its zone."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if len(text) == len("2026-08-16"):
        text += "T00:00:00Z"
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(f"the instant '{value}' has no zone; write it as 2026-08-16T16:00:00Z")
    return instant.astimezone(UTC)


def _amount(value: str) -> str:
    if not is_amount(value):
        raise ValueError(f"the amount '{value}' is not a plain decimal number such as 0.125")
    return value


def _meter_words(words: dict[str, str]) -> dict[str, str]:
    known = [*units().words, *units().meters]
    for word in words:
        if not units().meters_of(word):
            raise ValueError(f"'{word}' is not a meter; allowed, nearest first: {nearest(word, known)}")
    return words


Instant = Annotated[datetime, BeforeValidator(_instant)]
Amount = Annotated[str, AfterValidator(_amount)]
Amounts = Annotated[dict[str, Amount], AfterValidator(_meter_words)]
Tier = Literal["standard", "batch", "flex", "priority", "fast"]


class Strict(BaseModel):
    """A model that knows all its keys and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceText(Strict):
    """Where a number was read, and the day somebody looked."""

    url: Annotated[str, Field(pattern=r"^https?://\S+$")]
    checked: date
    note: str | None = None


class Dated(Strict):
    """The two half-open periods of a fact: when it is valid, when it was known.

    `valid_until` left out: valid until the next fact of the same series. `known_until` is written only where
    a fact turned out to be wrong (corrected) or never came (withdrawn).
    """

    valid_from: Instant
    valid_until: Instant | None = None
    known_from: Instant
    known_until: Instant | None = None
    status: Literal["announced", "in_force", "withdrawn", "corrected"] = "in_force"
    source: str
    note: str | None = None

    @model_validator(mode="after")
    def _periods(self) -> "Dated":
        if self.valid_until is not None and self.valid_until <= self.valid_from:
            raise ValueError(f"valid_until {self.valid_until} is not after valid_from {self.valid_from}")
        if self.known_until is not None and self.known_until <= self.known_from:
            raise ValueError(f"known_until {self.known_until} is not after known_from {self.known_from}")
        is_past_knowledge = self.status in ("withdrawn", "corrected")
        if is_past_knowledge != (self.known_until is not None):
            raise ValueError("known_until belongs to status withdrawn or corrected, and these need it")
        return self


def _as_lists(data: Any, *keys: str) -> Any:
    """Read a single word under one of the keys as a list of one."""
    if not isinstance(data, dict):
        return cast(object, data)
    row = cast(dict[str, object], data)
    return {key: [value] if key in keys and isinstance(value, str) else value for key, value in row.items()}


def _gather_quotes(data: Any) -> Any:
    """Move the keys that name a quote (`per_million_tokens` …) under `amounts`."""
    if not isinstance(data, dict) or "amounts" in data:
        return cast(object, data)
    row = cast(dict[str, object], data)
    amounts = {key: row[key] for key in row if key in units().quotes}
    return {**{key: row[key] for key in row if key not in amounts}, "amounts": amounts}


class _Priced(Strict):
    amounts: dict[str, Amounts]

    @model_validator(mode="before")
    @classmethod
    def _quotes(cls, data: Any) -> Any:
        return _gather_quotes(data)

    @model_validator(mode="after")
    def _units_agree(self) -> "_Priced":
        seen: set[str] = set()
        for quote, words in self.amounts.items():
            for word in words:
                for meter in units().meters_of(word):
                    if units().meters[meter].unit != units().quotes[quote].unit:
                        raise ValueError(
                            f"'{word}' is counted in {units().meters[meter].unit}, not priced {quote}"
                        )
                    if meter in seen and word in units().words:
                        continue
                    seen.add(meter)
        if not seen:
            raise ValueError(f"no amount; allowed keys: {', '.join(units().quotes)}")
        return self


class BandText(_Priced):
    """The amounts of a request whose whole input is above (`>`) or from (`>=`) a number of tokens."""

    above: int | None = Field(default=None, ge=1)
    at_least: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _one_bound(self) -> "BandText":
        if (self.above is None) == (self.at_least is None):
            raise ValueError("a band names exactly one of above (>) and at_least (>=)")
        return self

    def from_tokens(self) -> int:
        """Return the smallest whole input, in tokens, that lies in the band."""
        return self.above + 1 if self.above is not None else cast(int, self.at_least)


class EntryText(Dated, _Priced):
    """One published price of one model: amounts under conditions, in a period, from a source."""

    id: str | None = None
    tier: tuple[Tier, ...] = ("standard",)
    region: tuple[str, ...] = ("global",)
    hours: str | None = None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    bands: tuple[BandText, ...] = ()
    confirmed_high_rate: bool = False

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, data: Any) -> Any:
        return _as_lists(data, "tier", "region")


class AliasText(Dated):
    """Another name the provider serves this model under, in a period."""

    name: str


class ModelText(Strict):
    """One model of the provider of the file: its exact id, other names and prices."""

    id: str
    released: date | None = None
    aliases: tuple[AliasText, ...] = ()
    prices: tuple[EntryText, ...] = ()


class AdjustmentText(Dated):
    """A factor the provider publishes instead of numbers; a published amount always beats it."""

    id: str
    factor: Amount
    tier: Tier | None = None
    region: tuple[str, ...] = ()
    meters: tuple[str, ...]
    of: str | None = None
    models: tuple[str, ...] = ()
    released_from: date | None = None
    released_until: date | None = None
    order: int = 10
    exclusive_group: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, data: Any) -> Any:
        return _as_lists(data, "region")

    @model_validator(mode="after")
    def _one_condition(self) -> "AdjustmentText":
        if (self.tier is None) == (not self.region):
            raise ValueError("an adjustment names exactly one of tier and region")
        _meter_words(dict.fromkeys(self.meters, ""))
        return self


class PriceFile(Strict):
    """One file of prices: `pricing/tables/<provider>.yml` or a file of the user's own."""

    provider: str
    sources: dict[str, SourceText]
    defaults: dict[str, str] = {}
    models: tuple[ModelText, ...] = ()
    adjustments: tuple[AdjustmentText, ...] = ()
