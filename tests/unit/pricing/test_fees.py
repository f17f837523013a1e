"""What is charged beside tokens: quantities, minimums for every unit, increments, free parts."""

from fractions import Fraction
from typing import Any

import pytest

from pricing.errors import PriceBookError
from pricing.fees import FeeQuantity, after_allowance, billed_after_free, fee_quantities
from pricing.price_book import load_price_book
from pricing.usage_schema import AllowanceText, FeeText

BOOK = load_price_book()
SOURCE = {"url": "https://example.com", "checked": "2026-11-30"}


def fee(**stated: Any) -> FeeText:
    return FeeText.model_validate({"provider": "p", "meter": "session_time", "source": SOURCE, **stated})


def total(rule: FeeText, **record: Any) -> Fraction | None:
    found = fee_quantities([rule], "p", {"usage": record, "context": {}})
    return found[0].quantity if found else None


def test_a_sum_adds_what_is_stated() -> None:
    rule = fee(sum=["usage.a", "usage.b"], times="60")
    assert total(rule, a=1, b=2) == 180
    assert total(rule, a="0.5") == 30
    assert total(rule) is None


def test_a_product_needs_all_its_parts() -> None:
    rule = fee(product=["usage.a", "usage.b"])
    assert total(rule, a=3, b=4) == 12
    assert total(rule, a=3) is None


def test_a_stated_zero_charges_nothing() -> None:
    assert total(fee(sum=["usage.a"]), a=0) is None


def test_what_is_taken_off_is_a_product_too() -> None:
    rule = fee(product=["usage.a", "usage.h"], less={"product": ["usage.r", "usage.h"], "times": "1"})
    assert total(rule, a=600, r=500, h=2) == 200
    assert total(rule, a=600, h=2) == 1_200
    assert total(rule, a=500, r=600, h=2) is None


@pytest.mark.parametrize(
    ("seconds", "billed"), [([40, 40, 40], 900), ([301], 301), ([300, 299], 600), ([], None)]
)
def test_a_minimum_holds_for_every_unit_by_itself(seconds: list[int], billed: int | None) -> None:
    rule = fee(each="usage.boxes", of="s", minimum="300")
    assert total(rule, boxes=[{"s": value} for value in seconds]) == billed


@pytest.mark.parametrize(("minutes", "billed"), [("3", 300), ("5", 300), ("5.01", 360), ("6", 360)])
def test_an_increment_rounds_up(minutes: str, billed: int) -> None:
    assert total(fee(sum=["usage.m"], times="60", minimum="300", increment="60"), m=minutes) == billed


def test_equal_units_are_repeated() -> None:
    rule = fee(each="usage.length", repeat="usage.requests", minimum="10")
    assert total(rule, length=4, requests=9) == 90
    assert total(rule, length=36, requests=1) == 36
    assert total(rule, length=4, requests=0) is None


def test_an_each_without_more_counts_things() -> None:
    assert total(fee(meter="container_1g", each="usage.box"), box={"memory": "1g"}) == 1


def test_the_steps_say_how_the_quantity_was_made() -> None:
    rule = fee(each="usage.boxes", of="s", minimum="300", increment="60")
    (found,) = fee_quantities([rule], "p", {"usage": {"boxes": [{"s": 40}, {"s": 40}]}})
    assert found.steps == "2 × 40, each at least 300, in steps of 60"


def test_fees_of_another_provider_are_not_read() -> None:
    assert fee_quantities([fee(sum=["usage.a"])], "q", {"usage": {"a": 1}}) == []


def allowance(**stated: Any) -> AllowanceText:
    plain = {
        "provider": "p",
        "pool": "hours",
        "meters": ["session_time"],
        "quantity": "100",
        "source": SOURCE,
    }
    return AllowanceText.model_validate({**plain, **stated})


def left(rule: AllowanceText, quantity: int, model: str = "m", **context: Any) -> Fraction:
    used = FeeQuantity("session_time", Fraction(quantity), None, "")
    return after_allowance([rule], "p", model, {"context": context}, used)[0]


@pytest.mark.parametrize(("used", "billed"), [(0, 0), (70, 0), (95, 25), (100, 30), (500, 30)])
def test_the_free_part_depends_on_what_is_used_already(used: int, billed: int) -> None:
    assert left(allowance(used="context.u"), 30, u=used) == billed


def test_without_its_state_an_allowance_is_not_applied_and_says_so() -> None:
    rule = allowance(used="context.u")
    used = FeeQuantity("session_time", Fraction(30), None, "")
    billed, step = after_allowance([rule], "p", "m", {"context": {}}, used)
    assert billed == 30
    assert "its state is not stated" in step


def test_a_free_part_per_day_is_multiplied() -> None:
    rule = allowance(quantity="1", per="context.days")
    assert left(rule, 35, days="10") == 25
    assert left(rule, 35) == 35


def test_an_allowance_belongs_to_its_models_meters_and_provider() -> None:
    rule = allowance(model_prefixes=["gemini-3"])
    assert left(rule, 30, model="gemini-3.1") == 0
    assert left(rule, 30, model="gemini-2.5") == 30
    other = FeeQuantity("page", Fraction(30), None, "")
    assert after_allowance([rule], "p", "gemini-3", {}, other)[0] == 30
    assert after_allowance([rule], "q", "gemini-3", {}, other)[0] == 30


def test_in_order_the_free_part_goes_to_the_first() -> None:
    quantities = [Fraction(n) for n in (40, 40, 40)]
    assert billed_after_free(Fraction(0), quantities, Fraction(100)) == [0, 0, 20]
    assert billed_after_free(Fraction(90), quantities, Fraction(100)) == [30, 40, 40]
    assert billed_after_free(Fraction(0), [], Fraction(100)) == []


def test_a_fee_of_an_unknown_meter_does_not_load() -> None:
    with pytest.raises(ValueError, match="'sesion_time' is not a meter; nearest: session_time"):
        fee(meter="sesion_time")


def test_every_shipped_fee_and_allowance_is_of_a_known_provider() -> None:
    for row in (*BOOK.rules.fees, *BOOK.rules.allowances, *BOOK.rules.reported_charges):
        assert row.provider in BOOK.providers


def test_a_list_where_a_number_should_be_is_refused() -> None:
    with pytest.raises(PriceBookError, match="is not a whole number or decimal text"):
        total(fee(sum=["usage.a"]), a=[1, 2])
