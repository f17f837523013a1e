"""Rows of tables and charts, decided by plain functions: order, what is folded, what is left visible.

What lives here: choosing and folding rows, exactly. What does not: Streamlit, queries, and words.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from dashboards import formatting
from models.report_ratios import ratio
from models.report_scope import Period

Row = Mapping[str, Any]

TABLE_ROWS = 200
CHART_SERIES = 6
REST = "all others"
PURPOSES = {
    "answer": "The attempt whose output the caller got",
    "retry": "Every other attempt of an answered request",
    "failure": "Attempts of requests never answered",
    "abandoned": "Attempts whose caller left before an answer",
}
_ADDED = ("_cost_usd", "_count", "_share")


def spend_rows(
    rows: Sequence[Row], dimension: str, measure: str, limit: int = TABLE_ROWS
) -> list[dict[str, Any]]:
    """The `limit` rows of largest spend in a measure, then one row that sums all others: totals still hold.

    Purposes keep the order of the method. Each row has its spend a second time, for the column of all digits.
    """
    cost = f"{measure}_cost_usd"
    if dimension == "purpose":
        ordered = _by_purpose(rows)
    else:
        ordered = sorted(rows, key=lambda row: (row[cost] is None, -(row[cost] or 0), str(row[dimension])))
    kept = [dict(row) for row in ordered[:limit]]
    if ordered[limit:]:
        kept.append(_folded(ordered[limit:], dimension, measure))
    return [{**row, f"{cost}_exact": row[cost]} for row in kept]


def chart_rows(
    days: Sequence[Row], totals: Sequence[Row], dimension: str, measure: str
) -> list[dict[str, Any]]:
    """Day, series, rank, amount (USD) and its exact text, for stacked bars; small series become the rest."""
    cost = f"{measure}_cost_usd"
    ranked = sorted((row for row in totals if row[cost]), key=lambda row: (-row[cost], str(row[dimension])))
    shown = formatting.distinct_names([row[dimension] for row in ranked[:CHART_SERIES]])
    rank = {series: place for place, series in enumerate([*shown.values(), REST])}
    sums: dict[tuple[str, str], Decimal] = {}
    for row in days:
        if row[cost]:
            key = (row["usage_date"].isoformat(), shown.get(row[dimension], REST))
            sums[key] = sums.get(key, Decimal(0)) + row[cost]
    ordered = sorted(sums.items(), key=lambda item: (item[0][0], rank[item[0][1]]))
    return [
        {
            "day": day,
            "series": series,
            "rank": rank[series],
            "amount": amount,
            "exact": formatting.exact(amount),
        }
        for (day, series), amount in ordered
    ]


def all_days(period: Period) -> list[str]:
    """Every day of a period as ISO text, so that days without spend stay visible as gaps."""
    return [(period.from_date + timedelta(days=number)).isoformat() for number in range(period.day_count)]


def _by_purpose(rows: Sequence[Row]) -> list[dict[str, Any]]:
    order = {purpose: place for place, purpose in enumerate(PURPOSES)}
    named = [{**row, "meaning": PURPOSES.get(row["purpose"], "")} for row in rows]
    return sorted(named, key=lambda row: (order.get(row["purpose"], len(order)), row["purpose"]))


def _folded(rows: Sequence[Row], dimension: str, measure: str) -> dict[str, Any]:
    folded: dict[str, Any] = dict.fromkeys(rows[0])
    for key in rows[0]:
        known = [row[key] for row in rows if row[key] is not None]
        if known and key.endswith(_ADDED) and not key.startswith("assumed_"):
            folded[key] = sum(known)
    change, previous = folded[f"change_{measure}_cost_usd"], folded[f"previous_{measure}_cost_usd"]
    if change is not None and previous is not None:
        folded[f"change_{measure}_cost_ratio"] = ratio(change, previous)
    return {**folded, dimension: f"({len(rows):,} more)"}
