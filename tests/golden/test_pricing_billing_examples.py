"""Every worked billing example comes out exactly: with the record's own prices, and by date from our book.

Records of basis `interpretation` are one possible reading; they are shown by `python -m` of this file, never
gated.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pricing.calc import CalcResult, calculate
from pricing.price_book import PriceBook, load_price_book
from pricing.prices_in_force import book_of_record

FILE = Path(__file__).parent / "pricing_billing_examples.jsonl"
RECORDS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text().splitlines()]
GATED = [record for record in RECORDS if record["basis"] in ("stated", "rule+price")]
# What our book does not claim to know, with the reason.
NOT_IN_THE_BOOK = {
    "openai-026-live-session-credit": "half of the charge is what the caller's own backend model cost",
    "capacity-002-bedrock-commitment": "a model unit has the price of a model that the record does not name",
}


@cache
def our_book() -> PriceBook:
    return load_price_book()


def priced_by_itself(record: dict[str, Any]) -> CalcResult:
    return calculate(book_of_record(record, our_book().rules), record)


def by_id(records: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(record, id=record["id"]) for record in records]


def test_the_file_has_the_records_it_had_when_the_book_was_made() -> None:
    assert len(RECORDS) == 76
    assert len(GATED) == 74
    assert len({record["id"] for record in RECORDS}) == len(RECORDS)


@pytest.mark.parametrize("record", by_id(GATED))
def test_with_the_prices_in_force_as_the_book(record: dict[str, Any]) -> None:
    result = priced_by_itself(record)
    assert result.usd == record["expected_usd"], (result.reason_code, result.unpriced, result.lines)


@pytest.mark.parametrize("record", by_id([r for r in GATED if r["id"] not in NOT_IN_THE_BOOK]))
def test_by_date_from_our_book(record: dict[str, Any]) -> None:
    result = calculate(our_book(), record)
    assert result.usd == record["expected_usd"], (result.reason_code, result.unpriced, result.lines)


@pytest.mark.parametrize("record", by_id([r for r in GATED if r["id"] in NOT_IN_THE_BOOK]))
def test_what_the_book_leaves_out_is_not_right_by_accident(record: dict[str, Any]) -> None:
    assert calculate(our_book(), record).usd != record["expected_usd"]


@pytest.mark.parametrize("record", by_id([r for r in GATED if r["expected_usd"] != "0"]))
def test_the_lines_add_up_to_the_record(record: dict[str, Any]) -> None:
    result = priced_by_itself(record)
    reported = result.reported_pico_usd
    assert reported == result.pico_usd or sum(line.pico_usd for line in result.lines) == result.pico_usd


@pytest.mark.parametrize(
    "record", by_id([r for r in GATED if r["expected_usd"] != "0" and r["id"] not in NOT_IN_THE_BOOK])
)
def test_every_line_names_the_entry_and_the_place_it_comes_from(record: dict[str, Any]) -> None:
    for line in calculate(our_book(), record).lines:
        assert line.entry_id
        assert line.place.startswith("pricing/tables/")
        assert " line " in line.place
        assert line.steps


@pytest.mark.parametrize("record", by_id([r for r in RECORDS if r["basis"] == "interpretation"]))
def test_an_interpretation_is_priced_or_says_why_not(record: dict[str, Any]) -> None:
    result = priced_by_itself(record)
    assert result.usd is not None or result.reason_code


def test_an_interpretation_with_estimated_output_says_so() -> None:
    (record,) = [r for r in RECORDS if r["id"] == "anthropic-031-mid-stream-disconnect"]
    result = priced_by_itself(record)
    assert "estimated_usage" in result.notes
    assert result.usd == record["expected_usd"]
