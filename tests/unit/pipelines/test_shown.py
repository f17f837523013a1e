"""Values as text: exact for programs, safe for spreadsheets, rounded for the eye only."""

import csv
import io
import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.shown import as_csv, as_json, count, money, percent, plain


def test_json_keeps_every_decimal_and_null() -> None:
    text = as_json({"rows": [{"cost": Decimal("2.840330280000"), "day": date(2026, 10, 19), "none": None}]})
    assert json.loads(text) == {"rows": [{"cost": "2.840330280000", "day": "2026-10-19", "none": None}]}


def test_whole_counts_are_numbers_in_json() -> None:
    assert json.loads(as_json([Decimal(2_258_900), Decimal("0.000000000000")])) == [
        2_258_900,
        "0.000000000000",
    ]


def test_tiny_money_is_not_written_in_exponents() -> None:
    assert json.loads(as_json([Decimal("0.000000000001")])) == ["0.000000000001"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_a_cell_cannot_act_as_a_formula(start: str) -> None:
    text = as_csv(["feature"], [[f"{start}cmd|' /C calc'!A0"]])
    assert list(csv.reader(io.StringIO(text, newline="")))[1][0].startswith(f"'{start}")


def test_numbers_stay_numbers_even_when_negative() -> None:
    text = as_csv(["a", "b", "c", "d", "e"], [[-5, Decimal("-0.5"), None, True, False]])
    assert text == "a,b,c,d,e\n-5,-0.5,,true,false\n"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_csv_is_read_back_whole(cells: list[str]) -> None:
    text = as_csv([f"c{index}" for index in range(len(cells))], [cells])
    back = list(csv.reader(io.StringIO(text, newline="")))[1]
    assert [cell.removeprefix("'") for cell in back] == [cell.removeprefix("'") for cell in cells]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in back)


def test_money_for_the_eye() -> None:
    assert money(Decimal("1234.5678915")) == "1,234.567892"
    assert money(Decimal("0.0000005")) == "0.000000"
    assert money(Decimal(0)) == "0.000000"
    assert money(None) == "unknown"


def test_shares_and_counts_for_the_eye() -> None:
    assert percent(Decimal("0.12345")) == "12.3 %"
    assert percent(Decimal(1)) == "100.0 %"
    assert percent(None) == "–"
    assert count(1_234_567) == "1,234,567"
    assert count(Decimal(12)) == "12"
    assert count(None) == "unknown"


def test_text_of_a_log_cannot_move_the_cursor() -> None:
    assert plain("a\x1b[2Jb\nc\u202ed") == "a�[2Jb�c�d"
    assert plain("größe 日本") == "größe 日本"
    assert plain(None) == "(not stated)"
