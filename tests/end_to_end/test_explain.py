"""Explain: from a number back to the landed record, the price entry and the formula."""

import hashlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.cli import FILES, run

pytestmark = pytest.mark.end_to_end
# The attempt of the sample that starts at the instant when the price of its model doubles.
EVENT = "req-price-try-2"
FILE = FILES / "litellm-2026-10-20.jsonl"


def told(ledger: Path, target: str) -> list[dict[str, Any]]:
    said = run("explain", target, "--json", home=ledger)
    assert said.code == 0, said.err
    return json.loads(said.out)["attempts"]


@pytest.fixture(scope="module")
def attempt(ledger: Path) -> dict[str, Any]:
    (found,) = told(ledger, EVENT)
    return found


def test_it_leads_to_the_record_in_the_landed_file(attempt: dict[str, Any]) -> None:
    assert attempt["file_name"] == FILE.name
    assert attempt["file_sha256"] == hashlib.sha256(FILE.read_bytes()).hexdigest()
    lines = FILE.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[int(attempt["record_position"])])
    assert record["request_id"] == EVENT
    counts = {line["meter"]: line["quantity"] for line in attempt["lines"]}
    assert counts == {"input_uncached": record["prompt_tokens"], "output_text": record["completion_tokens"]}


def test_every_line_is_quantity_times_price_to_the_last_decimal(attempt: dict[str, Any]) -> None:
    for line in attempt["lines"]:
        price = Decimal(line["price"]["list_usd_per_unit"])
        assert line["quantity"] * price == Decimal(line["list_cost_usd"])


def test_the_price_entry_is_where_it_says(attempt: dict[str, Any]) -> None:
    price = attempt["lines"][0]["price"]
    root = Path(__file__).parents[2]
    assert price["list_amount"] in (root / price["entry_file"]).read_text(encoding="utf-8")
    line = (root / price["entry_file"]).read_text(encoding="utf-8").splitlines()[price["entry_line"] - 1]
    assert line.strip()
    assert price["source_url"].startswith("https://")
    assert price["checked_date"] >= "2026-01-01"


def test_text_shows_the_formula_and_all_places(ledger: Path) -> None:
    said = run("explain", EVENT, home=ledger)
    assert said.code == 0
    for words in (
        "5,120 × 0.000001360000 USD = 0.006963200000 USD",
        "file litellm-2026-10-20.jsonl · record 0 · sha256 ",
        "pricing/tables/mistral_ai.yml:",
        "1.36 USD per million tokens",
        "feature extraction · team discovery · environment prod",
        "read from snapshot 000001-",
    ):
        assert words in said.out


def test_every_name_of_an_attempt_leads_to_it(ledger: Path, attempt: dict[str, Any]) -> None:
    assert [one["attempt_key"] for one in told(ledger, str(attempt["attempt_key"]))] == [
        attempt["attempt_key"]
    ]
    (line,) = told(ledger, f"{attempt['attempt_key']}:output_text")[0]["lines"]
    assert line["meter"] == "output_text"


def test_a_request_shows_all_its_attempts_in_order(ledger: Path, attempt: dict[str, Any]) -> None:
    request = told(ledger, str(attempt["lines"][0]["request_key"]))
    assert [one["source_event_id"] for one in request] == ["req-price-try-1", EVENT]
    prices = [
        one["lines"][0]["price"]["list_usd_per_unit"] for one in request if one["lines"][0]["is_billable"]
    ]
    assert Decimal(prices[-1]) == Decimal("0.00000136")


def test_an_unpriced_line_says_why(ledger: Path) -> None:
    unknown = next(
        json.loads(line)["request_id"]
        for path in sorted(FILES.glob("litellm-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if '"acme-reasoner-2"' in line
    )
    said = run("explain", unknown, home=ledger)
    assert said.code == 0
    assert "unknown: " in said.out
    assert "unknown (unknown_model)" in said.out


@pytest.mark.parametrize("target", ["nothing", "12", "99999999999999999999", "12:output_text", "' or 1=1 --"])
def test_what_is_not_there_is_named(ledger: Path, target: str) -> None:
    said = run("explain", target, home=ledger)
    assert said.code == 2
    assert f"nothing is called '{target}'" in said.err
    assert "Traceback" not in said.err
