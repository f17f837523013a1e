"""Reports of the sample: equal to the totals worked out without us, in every form, while a load may run."""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.cli import SAMPLE, run, sample_home

pytestmark = pytest.mark.end_to_end
NAMES = {"day": "usage_date", "reason": "reason_code"}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    child = subprocess.run(
        [sys.executable, str(SAMPLE / "expected.py")], capture_output=True, text=True, check=True
    )
    return json.loads(child.stdout)


def report(ledger: Path, *arguments: str) -> dict[str, Any]:
    said = run("report", "--json", *arguments, home=ledger)
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_the_total_is_the_expected_one(ledger: Path, expected: dict[str, Any]) -> None:
    total = report(ledger)["total"]
    assert total["list_cost_usd"] == expected["total"]["list_cost_usd"]
    assert total["line_count"] == expected["total"]["lines"]
    assert total["unpriced_line_count"] == expected["total"]["unpriced_lines"]


@pytest.mark.parametrize(
    "by",
    ["feature", "team", "environment", "model", "day", "meter", "purpose", "outcome", "certainty", "reason"],
)
def test_every_row_is_the_expected_one(ledger: Path, expected: dict[str, Any], by: str) -> None:
    rows = report(ledger, "--by", by)["rows"]
    found = {
        row[NAMES.get(by, by)]: (row["list_cost_usd"], row["line_count"], row["unpriced_line_count"])
        for row in rows
    }
    wanted = {
        value: (cells["list_cost_usd"], cells["lines"], cells["unpriced_lines"])
        for value, cells in expected["by"][by].items()
    }
    assert found == wanted


def test_one_day_alone_is_the_expected_one(ledger: Path, expected: dict[str, Any]) -> None:
    told = report(ledger, "--from", "2026-10-20", "--to", "2026-10-20")
    days = expected["by"]["day"]
    assert told["total"]["list_cost_usd"] == days["2026-10-20"]["list_cost_usd"]
    assert told["total"]["previous_list_cost_usd"] == days["2026-10-19"]["list_cost_usd"]


def test_csv_says_the_same_as_json(ledger: Path) -> None:
    said = run("report", "--csv", "--by", "model", home=ledger)
    assert said.code == 0
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert rows
    costs = {row["model"]: row["list_cost_usd"] for row in rows}
    told = {row["model"]: row["list_cost_usd"] or "" for row in report(ledger, "--by", "model")["rows"]}
    assert costs == told


def test_the_table_rounds_for_the_eye_only(ledger: Path, expected: dict[str, Any]) -> None:
    said = run("report", "--measure", "list", home=ledger)
    assert said.code == 0
    shown = f"{Decimal(expected['total']['list_cost_usd']):.6f}"
    assert f"│ total        │       {shown} │" in said.out
    assert "lines have no price and are not in the total" in said.out


def test_both_forms_at_once_are_refused(ledger: Path) -> None:
    said = run("report", "--json", "--csv", home=ledger)
    assert said.code == 2
    assert "--json" in said.err


def test_nothing_published_says_what_to_run(tmp_path: Path) -> None:
    said = run("report", home=sample_home(tmp_path))
    assert said.code == 2
    assert "inferledger run" in said.err
    assert "Traceback" not in said.err


def test_a_period_without_a_day_is_refused(ledger: Path) -> None:
    said = run("report", "--from", "2026-10-21", "--to", "2026-10-19", home=ledger)
    assert said.code == 2
    assert "the ledger covers 2026-10-19 to 2026-10-21" in said.err
