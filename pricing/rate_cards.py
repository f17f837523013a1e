"""From one distinct combination of pricing inputs to what it is priced as, or the reason why it is not.

A card is resolved for one instant of its day at a time, because an alias may be re-pointed within the day.
Prices are not looked at here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pricing.entries import PLAIN, Conditions
from pricing.model_identity import Identity, ModelName, find_model, named_by_user
from pricing.price_book import BookModel, PriceBook
from pricing.rules import BillingRule, Provider

UNKNOWN = "(unknown)"


@dataclass(frozen=True)
class RateCard:
    """The pricing inputs of attempts, as their sources state them."""

    source: str
    provider: str | None
    requested_model: str | None
    served_model: str | None
    deployment: str | None
    service_tier: str | None
    processing: str | None
    region: str | None
    speed: str | None
    outcome: str
    error_class: str | None
    has_output: bool
    is_gateway_cache_hit: bool

    def names(self) -> tuple[str | None, ...]:
        """Return what the user's model table is asked with."""
        return (self.source, self.deployment, self.requested_model, self.served_model)

    def shown_model(self) -> str:
        """Return the name to show where no model is found: as served, else as requested."""
        return self.served_model or self.requested_model or UNKNOWN


@dataclass(frozen=True)
class Resolution:
    """What a card is priced as; `reason_code` says why there is no price, '' when there may be one."""

    provider: str
    shown_model: str
    model: BookModel | None = None
    conditions: Conditions = PLAIN
    is_billable: bool = True
    reason_code: str = ""
    steps: str = ""
    flat_fee: BillingRule | None = None


def resolve(
    book: PriceBook,
    card: RateCard,
    instant_us: int,
    names: Sequence[ModelName] = (),
    known_at_us: int | None = None,
) -> Resolution:
    """Return what a card is priced as at an instant (microseconds UTC)."""
    named = named_by_user(names, card.names())
    stated = named.provider if isinstance(named, ModelName) else card.provider
    provider = book.rules.spellings.get(stated or "")
    shown = Resolution(provider or stated or UNKNOWN, card.shown_model())
    identity = _identity(book, card, named, provider, instant_us, known_at_us)
    if identity.model is not None:
        shown = replace(shown, shown_model=identity.model.model, model=identity.model, steps=identity.steps)
    if card.is_gateway_cache_hit:
        return replace(shown, is_billable=False, reason_code="gateway_cache_hit")
    rule = billing_rule(book, card, provider)
    if rule is not None and not rule.text.is_billable:
        return replace(shown, is_billable=False, reason_code="not_billable")
    if rule is not None and rule.text.flat_fee_usd is not None:
        return replace(shown, flat_fee=rule)
    if identity.model is None or provider is None:
        return replace(shown, reason_code=identity.reason_code)
    return _conditioned(shown, book.providers[provider], card)


def _identity(
    book: PriceBook,
    card: RateCard,
    named: ModelName | str | None,
    provider: str | None,
    instant_us: int,
    known_at_us: int | None,
) -> Identity:
    if isinstance(named, str):
        return Identity(None, named)
    if provider is None:
        return Identity(None, "unknown_provider")
    name = named.model if named is not None else card.served_model or card.requested_model
    if name is None:
        return Identity(None, "unknown_model")
    return find_model(book, provider, name, instant_us, known_at_us)


def billing_rule(book: PriceBook, card: RateCard, provider: str | None) -> BillingRule | None:
    """Return the first rule of billability that speaks of the card; None leaves it billable."""
    for rule in book.billing_rules:
        text = rule.text
        holds = (
            text.provider in (None, provider)
            and (not text.outcome or card.outcome in text.outcome)
            and (not text.error_class or card.error_class in text.error_class)
            and text.has_output in (None, card.has_output)
        )
        if holds:
            return rule
    return None


def _conditioned(shown: Resolution, provider: Provider, card: RateCard) -> Resolution:
    tier = served_tier(provider, card.service_tier, card.processing, card.speed)
    if tier is None:
        return replace(shown, reason_code="unknown_tier")
    region = region_class(provider, card.region)
    if region is None:
        return replace(shown, reason_code="unknown_region")
    return replace(shown, conditions=Conditions(tier, region))


def served_tier(
    provider: Provider, service_tier: str | None, processing: str | None, speed: str | None
) -> str | None:
    """Return the tier that was served; None when a word is unknown or two words contradict each other."""
    words = provider.text.tiers
    stated = {
        "standard" if service_tier is None else words.get(service_tier.lower()),
        {None: "standard", "sync": "standard", "batch": "batch"}.get(processing),
        {None: "standard", "standard": "standard", "fast": "fast"}.get(speed),
    }
    if None in stated:
        return None
    special = stated - {"standard"}
    if len(special) > 1:
        return None
    return special.pop() if special else "standard"


def region_class(provider: Provider, region: str | None) -> str | None:
    """Return the region class; None when the provider prices by region and does not list this one."""
    if region is None or not provider.text.regions:
        return "global"
    return provider.text.regions.get(region.lower(), provider.text.regions.get("*"))
