"""Text of numbers and names: rounding that never hides itself, and foreign text made harmless."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards import formatting as f


def d(text: str) -> Decimal:
    return Decimal(text)


MONEY = st.integers(-(10**30), 10**30).map(lambda pico: Decimal(pico).scaleb(-12))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0.00"),
        ("1", "1.00"),
        ("1234567.5", "1,234,567.50"),
        ("0.000000000001", "0.000000000001"),
        ("-12.340000000000", "-12.34"),
        ("9999999999999999999999999.999999999999", "9,999,999,999,999,999,999,999,999.999999999999"),
    ],
)
def test_exact_keeps_every_digit(value: str, shown: str) -> None:
    assert f.exact(d(value)) == shown


@given(MONEY)
def test_exact_reads_back_as_the_same_amount(value: Decimal) -> None:
    assert Decimal(f.exact(value).replace(",", "")) == value


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        ("1234.565", 2, "1,234.56"),
        ("1234.575", 2, "1,234.58"),
        ("-1234.5", 2, "-1,234.50"),
        ("0", 2, "0.00"),
        ("-0.000", 2, "0.00"),
        ("0.004", 2, "<0.01"),
        ("-0.004", 2, "-<0.01"),
        ("0.00004", 4, "<0.0001"),
        ("0.00004", 6, "0.000040"),
    ],
)
def test_money_rounds_half_even_and_says_when_nothing_is_left(value: str, decimals: int, shown: str) -> None:
    assert f.money(d(value), decimals) == shown


@given(MONEY, st.sampled_from([2, 4, 6]))
def test_money_never_shows_something_as_nothing(value: Decimal, decimals: int) -> None:
    shown = f.money(value, decimals)
    assert (not shown.strip("-0.")) == (value == 0)
    if "<" not in shown:
        assert abs(Decimal(shown.replace(",", "")) - value) <= Decimal(5).scaleb(-decimals - 1)


def test_unknown_is_a_word() -> None:
    for show in (f.exact, f.money, f.count, f.compact_count, f.share, f.change_share, f.instant, f.version):
        assert show(None) == "unknown"


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([], 2),
        ([None], 2),
        (["0"], 2),
        (["100", "0.001"], 2),
        (["-250"], 2),
        (["99.99", None], 4),
        (["0.01"], 4),
        (["0.0099"], 6),
    ],
)
def test_decimals_follow_the_largest_amount(values: list[str | None], decimals: int) -> None:
    assert f.decimals_for(None if value is None else d(value) for value in values) == decimals


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1.00", "+1.00"), ("-1.00", "-1.00"), ("0.00", "0.00"), ("<0.01", "+<0.01"), ("unknown", "unknown")],
)
def test_signed_marks_a_rise(text: str, shown: str) -> None:
    assert f.signed(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0.0 %"),
        ("0.0000001", "<0.1 %"),
        ("0.3333333", "33.3 %"),
        ("0.99999", ">99.9 %"),
        ("1", "100.0 %"),
    ],
)
def test_share_is_whole_only_when_it_is(value: str, shown: str) -> None:
    assert f.share(d(value)) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [("0.1", "+10.0 %"), ("-0.5", "-50.0 %"), ("0", "0.0 %"), ("12.345", "+1,234.5 %")]
)
def test_change_has_a_sign(value: str, shown: str) -> None:
    assert f.change_share(d(value)) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (999_999, "999,999"),
        (1_000_000, "1.00 M"),
        (-2_345_678, "-2.35 M"),
        (56_830_000_000, "56.83 B"),
    ],
)
def test_large_counts_are_short_on_cards(value: int, shown: str) -> None:
    assert f.compact_count(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "(not stated)"),
        ("", "(empty)"),
        ("   ", "(empty)"),
        ("a\nb", "a\ufffdb"),
        ("a\u202eb\u200b", "a\ufffdb\ufffd"),
        ("x" * 100, "x" * 79 + "…"),
        ("<b>**bold**</b>", "<b>**bold**</b>"),
    ],
)
def test_name_is_one_line_of_visible_characters(value: str | None, shown: str) -> None:
    assert f.name(value) == shown


def test_names_that_look_the_same_stay_apart() -> None:
    shown = f.distinct_names(["a\n", "a\r", "a", "a", None, "x" * 90, "x" * 91])
    assert list(shown.values()) == [
        "a\ufffd",
        "a\ufffd (2)",
        "a",
        "(not stated)",
        "x" * 79 + "…",
        "x" * 79 + "… (2)",
    ]


def test_days_and_instants_are_utc() -> None:
    assert f.days(date(2026, 10, 1), date(2026, 10, 1)) == "1 Oct 2026"
    assert f.days(date(2026, 9, 30), date(2026, 10, 1)) == "30 Sep 2026 – 1 Oct 2026"
    assert (
        f.instant(datetime(2026, 10, 1, 1, 5, tzinfo=timezone(timedelta(hours=2)))) == "30 Sep 2026 23:05 UTC"
    )
    assert f.instant(datetime(2026, 10, 1, 1, 5, tzinfo=UTC)) == "1 Oct 2026 01:05 UTC"


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (timedelta(days=3, hours=5), "3 days"),
        (timedelta(hours=1, minutes=59), "1 hour"),
        (timedelta(minutes=2), "2 minutes"),
        (timedelta(seconds=5), "less than a minute"),
    ],
)
def test_age_is_in_its_largest_unit(span: timedelta, shown: str) -> None:
    assert f.age(span) == shown


def test_version_is_cut_and_harmless() -> None:
    assert f.version("0123456789abcdef") == "0123456789ab"
    assert f.version("a\n") == "a\ufffd"
