"""An organisation's contract: discounts and own prices laid over list prices, which they never edit.

A contract gives the contracted price per unit. What depends on the state of the account (credits, a minimum
spend, provisioned capacity, reservations) is a commitment: dated amounts, and pure functions over ordered
money.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pricing.entries import Facts, Place, Published, periods_of, published_by_meter
from pricing.errors import PriceBookError, nearest
from pricing.periods import Period
from pricing.schema import Amount, Dated, SourceText, Strict, Tier
from pricing.timelines import is_known
from pricing.units import units
from pricing.validated import validated
from pricing.yaml_source import YamlSource


class ContractText(Dated):
    """A percentage off the list price, or own amounts, for what its scope names; left out means all."""

    id: str
    provider: str
    models: tuple[str, ...] = ()
    meters: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = ()
    discount_percent: Amount | None = None
    per_million_tokens: dict[str, Amount] = Field(default_factory=dict[str, str])

    @model_validator(mode="after")
    def _one_way(self) -> "ContractText":
        if (self.discount_percent is None) == (not self.per_million_tokens):
            raise ValueError("a contract gives exactly one of discount_percent and per_million_tokens")
        if self.discount_percent is not None and Fraction(self.discount_percent) > 100:
            raise ValueError(f"discount_percent {self.discount_percent} is above 100")
        for word in (*self.meters, *self.per_million_tokens):
            if not units().meters_of(word):
                known = nearest(word, [*units().words, *units().meters])
                raise ValueError(f"'{word}' is not a meter; allowed, nearest first: {known}")
        return self


class CommitmentText(Dated):
    """Money or capacity agreed for a period: credits, a minimum spend, provisioned units, reserved GPUs."""

    id: str
    provider: str
    kind: Literal["credit", "minimum_spend", "provisioned_throughput", "gpu_reservation"]
    usd: Amount | None = None
    per: Literal["term", "month", "hour"] = "term"
    units: Annotated[int, Field(ge=1)] | None = None
    offer: str | None = None


class OverlayFile(Strict):
    """A file of contracts and commitments; its source is the agreement it was copied from."""

    sources: dict[str, SourceText]
    contracts: tuple[ContractText, ...] = ()
    commitments: tuple[CommitmentText, ...] = ()


@dataclass(frozen=True, eq=False)
class Contract:
    """One contract price with its place, and the meters it speaks of."""

    facts: Facts
    text: ContractText

    @property
    def valid(self) -> Period:
        """Return the period in which the contract holds."""
        return self.facts.valid

    @property
    def known(self) -> Period:
        """Return the period in which the book held this to be true."""
        return self.facts.known

    @property
    def own_prices(self) -> dict[str, Published]:
        """Return the own amount per meter."""
        own = self.text.per_million_tokens
        return published_by_meter({"per_million_tokens": own})

    @property
    def specificity(self) -> int:
        """Return how many parts of the scope are named."""
        named_meters = bool(self.text.meters or self.text.per_million_tokens)
        return bool(self.text.models) + named_meters + bool(self.text.tiers)

    def covers(self, provider: str, model: str, meter: str, tier: str) -> bool:
        """Return whether the scope contains a meter of a model in a tier."""
        text = self.text
        meters = {name for word in text.meters for name in units().meters_of(word)} or set(self.own_prices)
        return (
            text.provider == provider
            and (not text.models or model in text.models)
            and (not meters or meter in meters)
            and (tier in text.tiers if text.tiers else not self.own_prices or tier == "standard")
        )

    def meets(self, other: "Contract") -> bool:
        """Return whether some meter of some model lies in both scopes, for contracts of one provider."""
        ours, theirs = self.text, other.text
        both = ((ours.models, theirs.models), (self._meters(), other._meters()), (ours.tiers, theirs.tiers))
        is_apart = any(one and another and not set(one) & set(another) for one, another in both)
        return ours.provider == theirs.provider and not is_apart

    def _meters(self) -> tuple[str, ...]:
        words = self.text.meters or tuple(self.text.per_million_tokens)
        return tuple(meter for word in words for meter in units().meters_of(word))


@dataclass(frozen=True, eq=False)
class Commitment:
    """One commitment with its place."""

    facts: Facts
    text: CommitmentText


def read_overlay(source: YamlSource) -> tuple[tuple[Contract, ...], tuple[Commitment, ...]]:
    """Return the contracts and commitments of a file."""
    file = validated(OverlayFile, source, source.data)
    contracts = tuple(
        Contract(_facts(file, row, source, ("contracts", index)), row)
        for index, row in enumerate(file.contracts)
    )
    commitments = tuple(
        Commitment(_facts(file, row, source, ("commitments", index)), row)
        for index, row in enumerate(file.commitments)
    )
    return contracts, commitments


def is_overlay(source: YamlSource) -> bool:
    """Return whether a file holds contracts or commitments instead of prices."""
    return isinstance(source.data, dict) and bool({"contracts", "commitments"} & set(source.data))


def check_contracts(contracts: Sequence[Contract]) -> None:
    """Raise PriceBookError where two equally specific contracts speak of the same price at the same time."""
    for one, other in combinations(contracts, 2):
        is_rival = one.specificity == other.specificity and one.meets(other)
        if is_rival and one.valid.overlaps(other.valid) and one.known.overlaps(other.known):
            raise PriceBookError(
                f"Two contracts speak of the same price at once: '{one.text.id}' {one.valid} · "
                f"{one.facts.place} and '{other.text.id}' {other.valid} · {other.facts.place}. End the "
                f"earlier one with valid_until, or make one of them more specific."
            )


def contract_at(
    contracts: Sequence[Contract],
    price_of: tuple[str, str, str, str],
    instant_us: int,
    known_at_us: int | None,
) -> Contract | None:
    """Return the most specific contract for (provider, model, meter, tier) at an instant (us UTC)."""
    matching = [
        contract
        for contract in contracts
        if contract.valid.contains(instant_us)
        and is_known(contract, known_at_us)
        and contract.covers(*price_of)
    ]
    return max(matching, key=lambda contract: contract.specificity, default=None)


def _facts(file: OverlayFile, row: Dated, source: YamlSource, path: tuple[str | int, ...]) -> Facts:
    place = Place(source.name, source.line(path))
    found = file.sources.get(row.source)
    if found is None:
        known = nearest(row.source, list(file.sources))
        raise PriceBookError(
            f"The source '{row.source}' is not declared · {place}. Sources of the file: {known}."
        )
    valid, known_period = periods_of(row)
    return Facts(place, valid, known_period, row.status, found.url, found.checked)
