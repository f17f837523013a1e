"""Figures and sentences of the pages: cards, comparisons, warnings, the trust strip.

What lives here: what is said, as plain text. What does not: where it stands on a page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from dashboards import formatting
from dashboards.views import Row
from models.report_ratios import ratio
from models.report_scope import Period

STALE_AFTER = timedelta(hours=36)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Card:
    """One figure at the top of a page.

    Args:
        label: What it is, with its unit.
        value: Rounded for reading.
        exact: All its digits.
        delta: Change against the period before; "0" when there is none, null when it is not known.
        is_cost: Whether a rise is bad news.
    """

    label: str
    value: str
    exact: str
    delta: str | None
    is_cost: bool


@dataclass(frozen=True)
class Figure:
    """One figure of the trust strip: what it is, its text, and what it counts."""

    label: str
    value: str
    help: str


def cards(totals: Row, requests: Row, measure: str, is_compared: bool) -> list[Card]:
    """The figures at the top of the Overview."""
    cost, unit = f"{measure}_cost_usd", f"{measure}_cost_usd_per_answered_request"
    compared = is_compared and has_before(totals, measure)

    def money(label: str, row: Row, key: str) -> Card:
        delta = change(row[key], row[f"previous_{key}"], amount) if compared else None
        return Card(label, amount(row[key]), formatting.exact(row[key]), delta, True)

    def number(label: str, row: Row, key: str) -> Card:
        short, full = formatting.compact_count, formatting.count
        delta = change(row[key], row[f"previous_{key}"], short) if compared else None
        return Card(label, short(row[key]), full(row[key]), delta, False)

    return [
        money(f"{measure.capitalize()} cost, USD", totals, cost),
        money("Per answered request, USD", requests, unit),
        number("Requests answered", requests, "answered_count"),
        number("Tokens", totals, "token_count"),
    ]


def amount(value: Decimal | None) -> str:
    """One amount in USD, with the decimals that its size needs."""
    return formatting.money(value, formatting.decimals_for([value]))


def change(now: Any, before: Any, show: Callable[[Any], str]) -> str | None:
    """A change as text, '+1.20 (+10.0 %)'; '0' when there is none, null when either side is unknown."""
    if now is None or before is None:
        return None
    difference = Decimal(now) - Decimal(before)
    if difference == 0:
        return "0"
    relative = ratio(difference, Decimal(before))
    shown = formatting.signed(show(difference))
    return shown if relative is None else f"{shown} ({formatting.change_share(relative)})"


def has_before(row: Row, measure: str) -> bool:
    """Whether the ledger covers the period before, so that a change against it means something."""
    return bool(row["previous_line_count"]) or row[f"previous_{measure}_cost_usd"] is not None


def comparison(totals: Row, period: Period, measure: str) -> str:
    """What a change is against, and how many of those days have data."""
    before = period.previous()
    shown = formatting.days(before.from_date, before.last_date)
    if not has_before(totals, measure):
        return f"No data in the period before ({shown})."
    having = totals["previous_day_count"]
    gaps = "" if having == before.day_count else f", where {having} of {before.day_count} days have data"
    return f"Compared with {shown}{gaps}."


def lower_bound(totals: Row) -> str | None:
    """A sentence when the total leaves out lines without a price; else null."""
    missing = totals["unpriced_line_count"]
    if not missing:
        return None
    lines = "1 cost line has" if missing == 1 else f"{formatting.count(missing)} cost lines have"
    return f"{lines} no known price, so the total is a lower bound. The reasons stand under the trust strip."


def staleness(published_at: datetime, now: datetime) -> str | None:
    """A sentence when the last publication is older than a day and a half; else null."""
    span = now - published_at
    if span <= STALE_AFTER:
        return None
    return f"Published {formatting.age(span)} ago. Run `inferledger run` to load what came since."


def read_instant(text: str) -> datetime:
    """The instant that a manifest states, as UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def trust_figures(row: Row, measure: str) -> list[Figure]:
    """The figures of the trust strip."""
    used = row["last_used_at_us"]
    used_at = None if used is None else _EPOCH + timedelta(microseconds=used)
    lines, records = formatting.count(row["line_count"]), formatting.count(row["record_count"])
    return [
        Figure("Data until", formatting.instant(used_at), "Latest instant of use in the ledger."),
        Figure(
            "Published", formatting.instant(read_instant(row["published_at"])), "When the snapshot was made."
        ),
        Figure(
            "Tokens with a price",
            formatting.share(row["priced_token_share"]),
            "Of the billable tokens of this period and choice.",
        ),
        Figure(
            "Cost on assumptions",
            formatting.share(row[f"assumed_{measure}_cost_share"]),
            "Cost of counts that the source did not state in full, taken at their upper bound.",
        ),
        Figure(
            "Lines without a price",
            formatting.count(row["unpriced_line_count"]),
            f"Of {lines} cost lines of this period and choice.",
        ),
        Figure(
            "Rejected records",
            formatting.count(row["reject_count"]),
            f"Of {records} records in all landed files.",
        ),
    ]
