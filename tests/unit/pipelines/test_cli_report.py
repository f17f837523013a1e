"""The report: what it asks, what it prints, and that total and rows agree."""

import csv
import io
import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from rich.console import Console

from models.snapshot import open_snapshot
from pipelines.cli_report import (
    DIMENSIONS,
    SpendReport,
    ask,
    report_csv,
    report_json,
    report_table,
    trust_lines,
)
from pipelines.errors import UserError
from tests.snapshots import DAY, Account, Line, unpriced, write_snapshot

BEFORE = DAY - timedelta(days=1)
LINES = [
    Line(cost="1.25", list_cost="2"),
    Line(feature="=search", cost="0.000000000001", certainty="assumed"),
    unpriced(feature="chat", model="acme"),
    Line(usage_date=BEFORE, feature="[bold]old", cost="4"),
]


def report(
    folder: Path,
    by: str = "feature",
    measure: str = "effective",
    first: date | None = None,
    last: date | None = None,
) -> SpendReport:
    write_snapshot(folder, LINES, [], [Account(), Account(record_kind="reject", record_count=1)])
    with open_snapshot(folder).connect() as reader:
        return ask(reader, by, measure, first, last)


def shown(made: SpendReport) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=160)
    console.print(report_table(made))
    return stream.getvalue() + "\n".join(trust_lines(made))


@pytest.mark.parametrize("by", DIMENSIONS)
@pytest.mark.parametrize("measure", ["list", "contracted", "effective"])
def test_rows_add_up_to_the_total(tmp_path: Path, by: str, measure: str) -> None:
    made = report(tmp_path, by, measure)
    costs = [row[made.cost_name] for row in made.rows if row[made.cost_name] is not None]
    assert sum(costs, Decimal(0)) == made.total[made.cost_name]
    assert sum(row["line_count"] for row in made.rows) == made.total["line_count"] == 4


def test_the_period_defaults_to_every_day_and_both_ends_belong_to_it(tmp_path: Path) -> None:
    made = report(tmp_path)
    assert (made.period.from_date, made.period.last_date) == (BEFORE, DAY)
    only = report(tmp_path / "one", first=DAY, last=DAY)
    assert [row["feature"] for row in only.rows] == ["chat", "=search"]
    assert only.total["previous_effective_cost_usd"] == Decimal(4)


def test_days_come_in_order(tmp_path: Path) -> None:
    assert [row["usage_date"] for row in report(tmp_path, "day").rows] == [BEFORE, DAY]


def test_a_period_without_a_day_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'2026-10-20 to 2026-10-19' holds no day .* covers 2026-10-19"):
        report(tmp_path, first=DAY, last=BEFORE)


def test_an_empty_ledger_says_what_to_do(tmp_path: Path) -> None:
    write_snapshot(tmp_path)
    with open_snapshot(tmp_path).connect() as reader, pytest.raises(UserError, match="inferledger run"):
        ask(reader, "feature", "effective", None, None)


def test_json_is_exact_and_says_what_it_is(tmp_path: Path) -> None:
    told = json.loads(report_json(report(tmp_path)))
    assert told["total"]["effective_cost_usd"] == "5.250000000001"
    assert told["total"]["list_cost_usd"] == "6.000000000001"
    assert told["total"]["unpriced_line_count"] == 1
    assert told["total"]["assumed_effective_cost_usd"] == "0.000000000001"
    assert told["period"] == {"from": "2026-10-19", "to": "2026-10-20"}
    assert (told["by"], told["measure"]) == ("feature", "effective")
    assert told["snapshot_id"] == told["trust"]["snapshot_id"]
    assert {row["feature"] for row in told["rows"]} == {"chat", "=search", "[bold]old"}


def test_csv_is_exact_and_defused(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(report_csv(report(tmp_path)))))
    costs = {row["feature"]: row["effective_cost_usd"] for row in rows}
    assert costs == {"chat": "1.250000000000", "'=search": "0.000000000001", "[bold]old": "4.000000000000"}


def test_csv_of_no_rows_still_has_a_header(tmp_path: Path) -> None:
    made = report(tmp_path, first=DAY + timedelta(days=5), last=DAY + timedelta(days=5))
    assert report_csv(made) == "feature,effective_cost_usd\n"


def test_the_table_names_its_measure_and_never_reads_markup(tmp_path: Path) -> None:
    text = shown(report(tmp_path, measure="list"))
    assert "Spend by feature, 2026-10-19 to 2026-10-20 (UTC days), list cost" in text
    assert "list cost, USD" in text
    assert "[bold]old" in text
    assert "2.000000" in text


def test_totals_say_what_is_unpriced_assumed_and_rejected(tmp_path: Path) -> None:
    text = shown(report(tmp_path, first=DAY, last=DAY))
    assert "1 of 3 lines have no price and are not in the total" in text
    assert "66.7 % of billable tokens are priced, 33.3 % assumed, 0.0 % estimated" in text
    assert "1 of 11 landed records were rejected" in text
    assert "the 1 days before: 4.000000 USD, change -68.8 %" in text
    assert "snapshot 000001-20261022T020000Z-0a1b2c3d · prices dddddddddddd · last use 2026-10-2" in text
