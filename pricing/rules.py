"""The rule files of the book: providers, calendars, billability, usage profiles, fees, currency rates.

Each is data with a source; the code that follows them is in `rate_cards.py`, `amounts.py` and `calc.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar, cast

from pydantic import BaseModel

from pricing.calendars import Calendar, Window
from pricing.entries import Place
from pricing.errors import PriceBookError
from pricing.rule_schema import BillingRuleText, CalendarText, ProviderText, RateText, WindowText
from pricing.usage_schema import AllowanceText, FeeText, ProfileText, ReportedCharge
from pricing.validated import validated
from pricing.yaml_source import Plain, YamlSource

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Provider:
    """One provider: its OpenTelemetry name, other spellings, and what its words mean."""

    name: str
    text: ProviderText


@dataclass(frozen=True)
class BillingRule:
    """One rule of billability with its place."""

    place: Place
    text: BillingRuleText


@dataclass(frozen=True)
class Profile:
    """The meaning of the usage fields of one source."""

    name: str
    text: ProfileText


@dataclass(frozen=True)
class CurrencyRate:
    """USD (decimal text) per unit of a currency, published on a date."""

    currency: str
    published: date
    usd: str
    source_url: str


@dataclass(frozen=True)
class Rules:
    """The rule files; `spellings` maps every spelling of a provider to its name."""

    providers: dict[str, Provider]
    calendars: dict[str, Calendar]
    billing_rules: tuple[BillingRule, ...]
    profiles: dict[str, Profile]
    rates: tuple[CurrencyRate, ...]
    fees: tuple[FeeText, ...] = ()
    allowances: tuple[AllowanceText, ...] = ()
    reported_charges: tuple[ReportedCharge, ...] = ()
    spellings: dict[str, str] = field(default_factory=dict[str, str])
    content: Plain = None


def load_rules(sources: Mapping[str, YamlSource]) -> Rules:
    """Return the rules of the files, each under its file name."""
    providers = {
        name: Provider(name, text)
        for name, text, _ in _named(ProviderText, sources["providers.yml"], "providers")
    }
    return Rules(
        providers=providers,
        calendars={
            n: _calendar(n, t) for n, t, _ in _named(CalendarText, sources["calendars.yml"], "calendars")
        },
        billing_rules=tuple(
            BillingRule(place, text)
            for _, text, place in _listed(BillingRuleText, sources["billability.yml"], "rules")
        ),
        profiles={
            n: Profile(n, t) for n, t, _ in _named(ProfileText, sources["usage_profiles.yml"], "profiles")
        },
        rates=tuple(
            CurrencyRate(text.currency, text.published, text.usd, text.source.url)
            for _, text, _ in _listed(RateText, sources["rates.yml"], "rates")
        ),
        fees=_plain(FeeText, sources["fees.yml"], "fees"),
        allowances=_plain(AllowanceText, sources["fees.yml"], "allowances"),
        reported_charges=_plain(ReportedCharge, sources["fees.yml"], "reported_charges"),
        spellings=_spellings(providers),
        content={name: source.data for name, source in sources.items()},
    )


def _named(kind: type[T], source: YamlSource, key: str) -> list[tuple[str, T, Place]]:
    rows = cast(dict[str, Plain], cast(dict[str, Plain], source.data)[key] or {})
    return [
        (name, validated(kind, source, row, (key, name)), Place(source.name, source.line((key, name))))
        for name, row in rows.items()
    ]


def _listed(kind: type[T], source: YamlSource, key: str) -> list[tuple[int, T, Place]]:
    rows = cast(list[Plain], cast(dict[str, Plain], source.data)[key] or [])
    return [
        (index, validated(kind, source, row, (key, index)), Place(source.name, source.line((key, index))))
        for index, row in enumerate(rows)
    ]


def _plain(kind: type[T], source: YamlSource, key: str) -> tuple[T, ...]:
    return tuple(text for _, text, _ in _listed(kind, source, key))


def _calendar(name: str, text: CalendarText) -> Calendar:
    return Calendar(name, text.zone, tuple(_window(row) for row in text.windows), frozenset(text.closed_on))


def _window(text: WindowText) -> Window:
    return Window(text.weekdays, _minute(text.start), _minute(text.end))


def _minute(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _spellings(providers: dict[str, Provider]) -> dict[str, str]:
    found: dict[str, str] = {}
    for provider in providers.values():
        for spelling in (provider.name, *provider.text.aliases):
            if spelling in found:
                raise PriceBookError(
                    f"The spelling '{spelling}' belongs to '{found[spelling]}' and to '{provider.name}' · "
                    f"pricing/tables/providers.yml. Keep it under one of them."
                )
            found[spelling] = provider.name
    return found
