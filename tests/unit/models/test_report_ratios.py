"""Division of money: exact to the last decimal that is kept, whatever the size."""

from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from models.report_ratios import ratio, with_difference, with_ratio, with_share


def d(text: str) -> Decimal:
    return Decimal(text)


class TestRatios:
    HUGE = Decimal("9999999999999999999999999.999999999999")
    LESS = Decimal("9999999999999999999999999.999999999998")

    @given(st.integers(-(10**37), 10**37), st.integers(1, 10**18))
    def test_ratio_is_within_half_a_unit_of_the_true_one(self, top: int, bottom: int) -> None:
        numerator = Decimal(top).scaleb(-12)
        found = ratio(numerator, Decimal(bottom))
        assert found is not None
        assert abs(Fraction(found) - Fraction(numerator) / bottom) <= Fraction(1, 2 * 10**12)

    def test_halves_go_to_the_even_digit(self) -> None:
        assert ratio(d("0.000000000001"), d("2")) == 0
        assert ratio(d("0.000000000003"), d("2")) == d("0.000000000002")
        assert ratio(d("1"), d("0")) is None

    def test_no_digit_is_lost_in_wide_money(self) -> None:
        kind = pa.decimal128(38, 12)
        table = pa.table({"a": pa.array([self.HUGE, None], kind), "b": pa.array([d("1e-12"), d("1")], kind)})
        assert with_difference(table, "c", "a", "b").column("c").to_pylist() == [self.LESS, None]
        assert with_ratio(table, "c", "a", "a").column("c").to_pylist() == [1, None]
        assert with_share(table, "c", "a").column("c").to_pylist() == [1, None]
