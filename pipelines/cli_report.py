"""`inferledger report`: where the money went, from the published snapshot.

Lives here: asking the questions of models/reports.py and laying the answers out as table, JSON or CSV.
Does not live here: any sum; the dashboard asks the same functions, so the two cannot disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from models.report_scope import Period, Scope
from models.reports import covered_days, spend_by, spend_totals
from models.snapshot import SnapshotReader
from models.trust import trust
from pipelines.errors import UserError
from pipelines.shown import as_csv, as_json, count, money, percent, plain

DIMENSIONS = {
    "feature": "feature",
    "team": "team",
    "environment": "environment",
    "model": "model",
    "provider": "provider",
    "purpose": "purpose",
    "outcome": "outcome",
    "certainty": "certainty",
    "reason": "reason_code",
    "meter": "meter",
    "day": "usage_date",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class SpendReport:
    """Spend of a period by one dimension: rows, their total, and how far to trust them."""

    by: str
    measure: str
    period: Period
    total: dict[str, Any]
    rows: list[dict[str, Any]]
    trust: dict[str, Any]

    @property
    def cost_name(self) -> str:
        """The column that the chosen measure is in, USD."""
        return f"{self.measure}_cost_usd"


def ask(reader: SnapshotReader, by: str, measure: str, first: date | None, last: date | None) -> SpendReport:
    """Ask the snapshot for spend by `by` over the UTC days `first` to `last`, both included; null is all."""
    covered = covered_days(reader).to_pylist()[0]
    start, end = first or covered["first_date"], last or covered["last_date"]
    if start is None or end is None:
        raise UserError(
            "the ledger holds no day yet · published snapshot · next: inferledger run with a path to logs"
        )
    if end < start:
        raise UserError(
            f"'{start} to {end}' holds no day · --from and --to · the ledger covers "
            f"{covered['first_date']} to {covered['last_date']} · next: move one of them"
        )
    scope = Scope(Period.of_days(start, end))
    rows = spend_by(reader, DIMENSIONS[by], scope).to_pylist()
    if by == "day":
        rows.sort(key=lambda row: row["usage_date"])
    return SpendReport(
        by=by,
        measure=measure,
        period=scope.period,
        total=spend_totals(reader, scope).to_pylist()[0],
        rows=[row for row in rows if row["line_count"]],
        trust=trust(reader, scope).to_pylist()[0],
    )


def report_json(report: SpendReport) -> str:
    """Everything the report knows, every decimal as exact text."""
    content = {
        "snapshot_id": report.trust["snapshot_id"],
        "by": report.by,
        "measure": report.measure,
        "period": {"from": report.period.from_date, "to": report.period.last_date},
        "total": report.total,
        "rows": report.rows,
        "trust": report.trust,
    }
    return as_json(content)


def report_csv(report: SpendReport) -> str:
    """One row per value of the dimension; costs in USD with all decimals."""
    header = list(report.rows[0]) if report.rows else [DIMENSIONS[report.by], report.cost_name]
    return as_csv(header, ([row[name] for name in header] for row in report.rows))


def report_table(report: SpendReport) -> Table:
    """The terminal's table: cost, share, assumed part, tokens and unpriced lines by value."""
    table = Table(title=_title(report), title_justify="left", title_style="bold", show_footer=True)
    assumed = f"assumed_{report.cost_name}"
    total = report.total
    table.add_column(report.by, footer="total", overflow="fold")
    for name, footer in (
        (f"{report.measure} cost, USD", money(total[report.cost_name])),
        ("share", ""),
        ("of it assumed", money(total[assumed])),
        ("tokens", count(total["token_count"])),
        ("lines", count(total["line_count"])),
        ("unpriced", count(total["unpriced_line_count"])),
    ):
        table.add_column(name, footer=footer, justify="right", no_wrap=True)
    for row in report.rows:
        cells = [
            money(row[report.cost_name]),
            percent(row[f"{report.measure}_cost_share"]),
            money(row[assumed]),
            count(row["token_count"]),
            count(row["line_count"]),
            count(row["unpriced_line_count"]),
        ]
        table.add_row(Text(plain(row[DIMENSIONS[report.by]])), *cells)
    return table


def trust_lines(report: SpendReport) -> Sequence[str]:
    """What stands under the table: how much of the total is unknown or assumed, and what it was made from."""
    told, total = report.trust, report.total
    unpriced = count(total["unpriced_line_count"])
    lines = [
        f"{unpriced} of {count(total['line_count'])} lines have no price and are not in the total; "
        f"{percent(told['priced_token_share'])} of billable tokens are priced, "
        f"{percent(told['assumed_token_share'])} assumed, {percent(told['estimated_token_share'])} estimated",
        f"{count(told['reject_count'])} of {count(told['record_count'])} landed records were rejected",
    ]
    previous = total[f"previous_{report.cost_name}"]
    if previous is not None:
        change = percent(total[f"change_{report.measure}_cost_ratio"])
        lines.append(f"the {total['previous_day_count']} days before: {money(previous)} USD, change {change}")
    last_used = told["last_used_at_us"]
    used = "never" if last_used is None else f"{_EPOCH + timedelta(microseconds=last_used):%Y-%m-%d %H:%M:%S}"
    lines.append(
        f"snapshot {told['snapshot_id']} · prices {told['price_version'][:12]} · last use {used} UTC"
    )
    return lines


def print_report(report: SpendReport, console: Console) -> None:
    """Print the terminal's table and what stands under it."""
    console.print(report_table(report))
    for line in trust_lines(report):
        console.print(Text(line))


def _title(report: SpendReport) -> str:
    first, last = report.period.from_date, report.period.last_date
    return f"Spend by {report.by}, {first} to {last} (UTC days), {report.measure} cost"
