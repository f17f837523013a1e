"""Contracts over list prices: percentage or own amounts, scope, period; commitments over ordered money."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.commitments import after_credit, shared_by_use, shortfall, split_capacity
from pricing.errors import PriceBookError
from pricing.overlays import is_overlay, read_overlay
from pricing.price_book import PriceBook, make_book, shipped_rules
from pricing.yaml_source import parse_yaml
from tests.unit.pricing.books import HEAD, card, compiled, model, models, price_rows

BODY = models(
    model("m", "{valid_from: 2026-01-01, per_million_tokens: {input: 2, cache_read: 0.333333, output: 8}}"),
    model("n", "{valid_from: 2026-01-01, per_million_tokens: {input: 4, output: 9}}"),
    adjustments="  - {id: half, tier: batch, factor: 0.5, meters: [input, output], valid_from: 2026-01-01}\n",
)
AGREEMENT = """
sources:
  contract: {url: "https://example.com/contract", checked: 2026-11-30}
contracts:
"""


def line(name: str = "ours", **stated: Any) -> str:
    plain = {
        "id": name,
        "provider": "openai",
        "valid_from": "2026-01-01",
        "known_from": "2026-01-01",
        "source": "contract",
    }
    fields = ", ".join(f"{key}: {value}" for key, value in {**plain, **stated}.items())
    return f"  - {{{fields}}}\n"


def book(*contracts: str) -> PriceBook:
    prices = parse_yaml(HEAD.format(provider="openai") + BODY, "prices1.yml")
    return make_book(
        [prices, parse_yaml(AGREEMENT + ("".join(contracts) or "  []"), "contract.yml")], shipped_rules()
    )


def both(contracts: PriceBook, meter: str = "input_uncached", **stated: Any) -> tuple[int, int]:
    (row,) = price_rows(contracts, card(**{"served_model": "m", **stated}))
    return int(str(row[f"{meter}_list_pico_usd"])), int(str(row[f"{meter}_contracted_pico_usd"]))


def test_a_percentage_leaves_the_list_price_alone() -> None:
    assert both(book(line(discount_percent=10))) == (2_000_000, 1_800_000)


def test_own_amounts_replace_the_price_of_their_meters_only() -> None:
    ours = book(line(per_million_tokens="{input: 1.5}"))
    assert both(ours) == (2_000_000, 1_500_000)
    assert both(ours, "output_text") == (8_000_000, 8_000_000)


def test_a_product_is_rounded_once_half_even_and_says_so() -> None:
    ours = book(line(discount_percent="12.5"))
    assert both(ours, "cache_read") == (333_333, 291_666)
    steps = {
        item["meter"]: item["steps"]
        for item in compiled(ours, card(served_model="m")).price_items.to_pylist()
    }
    assert steps["cache_read"].endswith(
        "contract ours (contract.yml line 5): 12.5 % off = 291666 pico-USD, rounded half-even"
    )
    assert steps["input_uncached"].endswith("12.5 % off = 1750000 pico-USD")


@pytest.mark.parametrize(
    ("scope", "stated", "is_covered"),
    [
        ({"models": "[m]"}, {}, True),
        ({"models": "[n]"}, {}, False),
        ({"meters": "[input]"}, {}, True),
        ({"meters": "[output]"}, {}, False),
        ({"tiers": "[batch]"}, {}, False),
        ({"tiers": "[batch]"}, {"service_tier": "batch"}, True),
        ({"provider": "anthropic"}, {}, False),
        ({"valid_until": "2026-10-20"}, {}, False),
        ({"valid_from": "2026-10-21"}, {}, False),
        ({"known_until": "2026-02-01", "status": "withdrawn"}, {}, False),
    ],
)
def test_a_contract_holds_inside_its_scope(
    scope: dict[str, str], stated: dict[str, str], is_covered: bool
) -> None:
    listed, contracted = both(book(line(discount_percent=50, **scope)), **stated)
    assert contracted == (listed // 2 if is_covered else listed)


def test_a_discount_holds_in_every_tier_and_own_amounts_at_the_standard_one() -> None:
    assert both(book(line(discount_percent=10)), service_tier="batch") == (1_000_000, 900_000)
    assert both(book(line(per_million_tokens="{input: 1.5}")), service_tier="batch") == (1_000_000, 1_000_000)


def test_the_most_specific_contract_wins() -> None:
    ours = book(line("wide", discount_percent=10), line("narrow", discount_percent=50, models="[m]"))
    assert both(ours) == (2_000_000, 1_000_000)
    assert both(ours, served_model="n") == (4_000_000, 3_600_000)


def test_two_equally_specific_contracts_do_not_load() -> None:
    with pytest.raises(
        PriceBookError, match=r"'a' .* contract\.yml line 5 and 'b' .* contract\.yml line 6\. End"
    ):
        book(line("a", discount_percent=10), line("b", discount_percent=20))


@pytest.mark.parametrize(
    "other", [{"valid_from": "2026-06-01"}, {"models": "[n]"}, {"provider": "anthropic"}]
)
def test_contracts_that_cannot_meet_load(other: dict[str, str]) -> None:
    first = {"valid_until": "2026-06-01", "models": "[m]"}
    assert (
        len(book(line("a", discount_percent=10, **first), line("b", discount_percent=20, **other)).contracts)
        == 2
    )


def test_a_contract_that_begins_within_the_day_cuts_it() -> None:
    ours = book(line(discount_percent=50, valid_from='"2026-10-20T12:00:00Z"'))
    rows = price_rows(ours, card(served_model="m"))
    assert [row["input_uncached_contracted_pico_usd"] for row in rows] == [2_000_000, 1_000_000]
    assert [row["input_uncached_list_pico_usd"] for row in rows] == [2_000_000, 2_000_000]


def test_a_contract_changes_the_version_and_the_price_key_but_not_the_entry() -> None:
    plain, ours = book(), book(line(discount_percent=10))
    assert plain.version != ours.version
    results = [compiled(each, card(served_model="m")) for each in (plain, ours)]
    keys = [result.token_prices.column("price_key").to_pylist() for result in results]
    entries = [result.price_items.column("price_entry").to_pylist() for result in results]
    assert keys[0] != keys[1]
    assert entries[0] == entries[1]


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({}, "exactly one of discount_percent and per_million_tokens"),
        ({"discount_percent": 5, "per_million_tokens": "{input: 1}"}, "exactly one of discount_percent"),
        ({"discount_percent": 101}, "discount_percent 101 is above 100"),
        (
            {"discount_percent": 5, "meters": "[inptu]"},
            "'inptu' is not a meter; allowed, nearest first: input",
        ),
        (
            {"discount_percent": 5, "source": "other"},
            r"source 'other' is not declared · contract\.yml line 5",
        ),
    ],
)
def test_a_contract_of_another_shape_does_not_load(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(PriceBookError, match=message):
        book(line(**stated))


COMMITMENTS = """
sources:
  contract: {url: "https://example.com/contract", checked: 2026-11-30}
commitments:
  - {id: c, provider: openai, kind: credit, usd: 5000, DATES}
  - {id: p, provider: openai, kind: provisioned_throughput, units: 300, per: hour, usd: 1.00, DATES}
""".replace("DATES", "valid_from: 2026-01-01, known_from: 2026-01-01, source: contract")


def test_commitments_are_read_with_their_place() -> None:
    source = parse_yaml(COMMITMENTS, "contract.yml")
    assert is_overlay(source)
    contracts, commitments = read_overlay(source)
    assert contracts == ()
    assert [(row.text.id, row.text.kind, row.facts.place.line) for row in commitments] == [
        ("c", "credit", 5),
        ("p", "provisioned_throughput", 6),
    ]


def test_a_price_file_is_no_overlay() -> None:
    assert not is_overlay(parse_yaml(HEAD.format(provider="openai") + BODY, "f"))
    assert not is_overlay(parse_yaml("", "f"))


def test_a_credit_is_used_in_order_until_it_is_gone() -> None:
    assert after_credit(100, [40, 70, 30]) == ([0, 10, 30], 0)
    assert after_credit(100, [40]) == ([0], 60)
    assert after_credit(0, [5]) == ([5], 0)
    assert after_credit(10, [-5, 20]) == ([-5, 10], 0)


def test_a_minimum_spend_adds_what_is_missing_and_never_less() -> None:
    assert shortfall(100, [30, 20]) == 50
    assert shortfall(100, [80, 40]) == 0
    assert shortfall(100, []) == 100


def test_capacity_has_a_used_part_a_remainder_and_an_overflow() -> None:
    assert split_capacity(500, 600) == (500, 0, 100)
    assert split_capacity(500, 200) == (200, 300, 0)
    assert split_capacity(0, 7) == (0, 0, 7)


amounts = st.lists(st.integers(0, 10**15), max_size=8)


@given(st.integers(0, 10**15), amounts)
def test_a_credit_never_makes_or_loses_money(credit: int, charges: list[int]) -> None:
    left, rest = after_credit(credit, charges)
    assert sum(charges) - sum(left) == credit - rest
    assert all(0 <= after <= before for after, before in zip(left, charges, strict=True))
    assert rest == 0 or sum(left) == 0


@given(st.integers(0, 10**15), st.lists(st.integers(0, 10**6), max_size=8), st.integers(0, 10**7))
def test_shares_of_a_capacity_and_its_idle_rest_add_up(cost: int, weights: list[int], committed: int) -> None:
    shares, idle = shared_by_use(cost, weights, committed)
    assert sum(shares) + idle == cost
    assert all(share >= 0 for share in shares)
    assert idle >= 0
    base = max(committed, sum(weights))
    assert all(
        abs(share * base - cost * weight) < max(base, 1)
        for share, weight in zip(shares, weights, strict=True)
    )


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_capacity_splits_without_a_rest(committed: int, used: int) -> None:
    inside, unused, beyond = split_capacity(committed, used)
    assert inside + unused == committed
    assert inside + beyond == used
    assert unused == 0 or beyond == 0
