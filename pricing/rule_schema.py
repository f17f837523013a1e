"""What the rule files may say: calendars, providers, billability, currency rates, as Pydantic models.

Profiles of usage fields, fees and allowances are in `usage_schema.py`; price files in `schema.py`.
"""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pricing.schema import Amount, SourceText, Strict, Tier


class WindowText(Strict):
    """Hours of some weekdays in the calendar's zone, half-open; `until: 24:00` is the end of the day."""

    weekdays: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...]
    start: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", alias="from")]
    end: Annotated[str, Field(pattern=r"^(([01]\d|2[0-3]):[0-5]\d|24:00)$", alias="until")]

    @model_validator(mode="after")
    def _order(self) -> "WindowText":
        if self.start >= self.end:
            raise ValueError(f"the window {self.start} to {self.end} is empty; split it at midnight")
        return self


class CalendarText(Strict):
    """Named hours of the week; on the dates of `closed_on` none of them applies."""

    zone: str
    windows: tuple[WindowText, ...]
    closed_on: tuple[date, ...] = ()
    source: SourceText


class ProviderText(Strict):
    """How a provider is spelled, and what its words for tier and region mean."""

    aliases: tuple[str, ...] = ()
    model_prefixes: tuple[str, ...] = ()
    default_cache_write_meter: str | None = None
    tiers: dict[str, Tier] = Field(default_factory=dict[str, Tier])
    regions: dict[str, str] = Field(default_factory=dict[str, str])
    billed_tier: Literal["served", "requested"] = "served"


class BillingRuleText(Strict):
    """What an attempt costs by how it ended; the first rule whose conditions all hold decides."""

    provider: str | None = None
    outcome: tuple[str, ...] = ()
    error_class: tuple[str | None, ...] = ()
    has_output: bool | None = None
    is_billable: bool
    flat_fee_usd: Amount | None = None
    evidence: Literal["documented", "secondary", "undocumented"]
    source: SourceText


class RateText(Strict):
    """USD per unit of a currency, published on a date."""

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    published: date
    usd: Amount
    source: SourceText
