"""`prices calc`: reading usage records, choosing their book, and what is said about each."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import UserError
from pipelines.price_calc import (
    Calculated,
    calculate_file,
    calculated_json,
    calculated_text,
    quantity_text,
    summary,
)
from pricing.price_book import load_price_book
from tests.unit.pricing.books import at_us

BOOK = load_price_book()
PLAIN = {
    "id": "plain",
    "provider": "openai",
    "model": "gpt-5",
    "date": "2026-10-20T00:00:00Z",
    "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
    "context": {},
}
OWN = PLAIN | {"id": "own", "prices_in_force": {"input": "2", "output": "4"}}
UNKNOWN = PLAIN | {"id": "unknown", "model": "acme-reasoner-2"}


def written(folder: Path, *records: dict[str, Any] | str) -> Path:
    path = folder / "usage.jsonl"
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("\n".join(lines) + "\n")
    return path


def priced(folder: Path, *records: dict[str, Any] | str, **options: Any) -> list[Calculated]:
    return calculate_file(written(folder, *records), BOOK, **options)


def test_a_record_is_priced_from_the_book_exactly(tmp_path: Path) -> None:
    (row,) = priced(tmp_path, PLAIN)
    assert row.result is not None
    assert (row.line, row.record_id, row.result.usd) == (1, "plain", "0.00225")
    assert [(line.meter, line.quantity) for line in row.result.lines] == [
        ("input_uncached", Fraction(1000)),
        ("output_text", Fraction(100)),
    ]


def test_its_own_prices_win_unless_asked_by_date(tmp_path: Path) -> None:
    for by_date, expected in ((False, "0.0024"), (True, "0.00225")):
        (row,) = priced(tmp_path, OWN, by_date=by_date)
        assert row.result is not None
        assert row.result.usd == expected


def test_as_known_on_reproduces_what_was_announced_then(tmp_path: Path) -> None:
    sonnet = PLAIN | {
        "provider": "anthropic",
        "model": "claude-sonnet-5",
        "date": "2026-09-15T00:00:00Z",
        "usage": {"input_tokens": 1_000_000, "output_tokens": 0},
    }
    then = at_us("2026-08-15T00:00:00Z")
    found = [priced(tmp_path, sonnet, known_at_us=known)[0].result for known in (then, None)]
    assert [result.usd for result in found if result] == ["3", "2"]


def test_empty_lines_are_no_records_and_a_record_without_id_is_named_by_its_line(tmp_path: Path) -> None:
    nameless = {key: value for key, value in PLAIN.items() if key != "id"}
    rows = priced(tmp_path, "", nameless)
    assert [(row.line, row.record_id) for row in rows] == [(2, "line 2")]


def test_an_unknown_model_is_unpriced_and_never_zero(tmp_path: Path) -> None:
    rows = priced(tmp_path, UNKNOWN)
    assert (
        calculated_text(rows).splitlines()[0] == "unknown: openai acme-reasoner-2 · unpriced (unknown_model)"
    )
    told = json.loads(calculated_json(rows))
    assert (told["usd"], told["reason_code"]) == (None, "unknown_model")


def test_a_record_that_cannot_be_priced_is_refused_alone(tmp_path: Path) -> None:
    no_zone = PLAIN | {"id": "no zone", "date": "2026-10-20T00:00:00"}
    rows = priced(tmp_path, no_zone, PLAIN)
    assert [row.result is None for row in rows] == [True, False]
    assert "has no zone" in rows[0].refusal
    text = calculated_text(rows)
    assert text.startswith("no zone: refused · The date '2026-10-20T00:00:00' has no zone.")
    assert json.loads(calculated_json(rows).splitlines()[0])["refusal"] == rows[0].refusal


def test_text_names_quantity_money_entry_and_place(tmp_path: Path) -> None:
    first, line, *_ = calculated_text(priced(tmp_path, PLAIN)).splitlines()
    assert first == "plain: openai gpt-5 · 0.00225 USD"
    assert "input_uncached" in line
    assert "0.00125 USD · 1.25 USD per million tokens · gpt-5/" in line
    assert "pricing/tables/openai.yml line " in line


def test_json_keeps_every_decimal_as_text(tmp_path: Path) -> None:
    told = json.loads(calculated_json(priced(tmp_path, PLAIN)))
    assert told["usd"] == "0.00225"
    assert sum(Decimal(line["usd"]) for line in told["lines"]) == Decimal(told["usd"])
    assert {line["quantity"] for line in told["lines"]} == {"1000", "100"}
    assert all(line["entry"] and line["place"] for line in told["lines"])


def test_the_summary_counts_priced_unpriced_and_refused(tmp_path: Path) -> None:
    rows = priced(tmp_path, PLAIN, OWN, UNKNOWN, PLAIN | {"date": "?"})
    expected = "4 records: 2 priced, together 0.00465 USD; 1 unpriced, 1 refused"
    assert summary(rows) == expected
    assert calculated_text(rows).splitlines()[-1] == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [("{'a': 1}", "is not JSON"), ("[1]", "'[1]' is not a usage record"), ("\x1b[2J", "is not JSON")],
)
def test_a_line_that_is_no_record_names_file_and_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UserError) as raised:
        priced(tmp_path, PLAIN, line)
    assert said in str(raised.value)
    assert f"{tmp_path / 'usage.jsonl'} line 2" in str(raised.value)
    assert "\x1b" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read '.*none\.jsonl'"):
        calculate_file(tmp_path / "none.jsonl", BOOK)


@pytest.mark.parametrize(
    ("quantity", "text"),
    [(Fraction(1000), "1000"), (Fraction(5, 4), "1.25"), (Fraction(1, 3), "1/3"), (Fraction(0), "0")],
)
def test_quantities_as_exact_text(quantity: Fraction, text: str) -> None:
    assert quantity_text(quantity) == text
