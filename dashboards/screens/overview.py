"""Overview: what was spent, on what, and how far to trust it.

What lives here: the order of things on the page. What does not: any sum, any wording of a number.
"""

from datetime import UTC, datetime

import streamlit as st

from dashboards import charts, filters, queries, views, wording
from dashboards.columns import REJECT_COLUMNS, UNPRICED_COLUMNS, spend_columns, unit_cost_columns
from dashboards.filters import Choice
from dashboards.formatting import days, exact, version
from dashboards.queries import Ledger
from dashboards.tables import show_table

TITLE = "Overview"
ORDER = 0


def render() -> None:
    """Draw the page from one snapshot."""
    ledger = queries.current_ledger()
    st.title(TITLE)
    covered = queries.covered_days(ledger).to_pylist()[0]
    if not covered["day_count"]:
        st.info(
            "The published snapshot holds no day yet. "
            "Land a log with `inferledger ingest`, then run `inferledger run`."
        )
        return
    choice = filters.choose(ledger, covered["first_date"], covered["last_date"])
    _headline(ledger, choice)
    _trust(ledger, choice)
    _daily(ledger, choice)
    _spend(ledger, choice, "feature", "Feature")
    _spend(ledger, choice, "model", "Model")
    _spend(ledger, choice, "purpose", "Purpose")
    _unit_costs(ledger, choice)


def _headline(ledger: Ledger, choice: Choice) -> None:
    totals = queries.spend_totals(ledger, choice.scope).to_pylist()[0]
    requests = queries.request_totals(ledger, choice.scope).to_pylist()[0]
    period = choice.scope.period
    said = [f"{days(period.from_date, period.last_date)}, UTC days."]
    if choice.is_compared:
        said.append(wording.comparison(totals, period, choice.measure))
    st.caption(" ".join(said))
    figures = wording.cards(totals, requests, choice.measure, choice.is_compared)
    for column, card in zip(st.columns(len(figures)), figures, strict=True):
        # Streamlit reads the first character of a delta as its direction: no escaping here, digits only.
        column.metric(
            card.label,
            card.value,
            delta=0 if card.delta == "0" else card.delta,
            delta_color="inverse" if card.is_cost else "off",
            help=f"Exact: {card.exact}",
            border=True,
            height="stretch",
        )
    with st.container(key="exact-total"):
        st.text(f"Exact total: USD {exact(totals[f'{choice.measure}_cost_usd'])}")
    if warning := wording.lower_bound(totals):
        st.warning(warning, icon=":material/info:")


def _trust(ledger: Ledger, choice: Choice) -> None:
    row = queries.trust(ledger, choice.scope).to_pylist()[0]
    if warning := wording.staleness(wording.read_instant(row["published_at"]), datetime.now(UTC)):
        st.warning(warning, icon=":material/schedule:")
    with st.container(border=True, key="trust"):
        figures = wording.trust_figures(row, choice.measure)
        for column, figure in zip(st.columns(len(figures)), figures, strict=True):
            column.caption(figure.label, help=figure.help)
            column.text(figure.value)
        st.text(f"Snapshot {row['snapshot_id']} · price version {version(row['price_version'])}")
    if row["unpriced_line_count"]:
        with st.expander("Lines without a price, by reason", key="unpriced", bind="query-params"):
            unpriced = queries.unpriced_by_reason(ledger, choice.scope).to_pylist()[: views.TABLE_ROWS]
            show_table(
                unpriced, UNPRICED_COLUMNS, "Lines without a price, by reason and model", "unpriced-lines"
            )
    if row["reject_count"]:
        with st.expander("Rejected records, by reason", key="rejects", bind="query-params"):
            rejects = queries.rejects_by_reason(ledger).to_pylist()[: views.TABLE_ROWS]
            show_table(rejects, REJECT_COLUMNS, "Rejected records, by source and reason", "rejected-records")


def _daily(ledger: Ledger, choice: Choice) -> None:
    st.subheader("Spend by day and feature")
    lines = queries.daily_spend(ledger, choice.scope, "feature").to_pylist()
    totals = queries.spend_by(ledger, "feature", choice.scope).to_pylist()
    rows = views.chart_rows(lines, totals, "feature", choice.measure)
    if not rows:
        st.caption("No spend in this period and choice.")
        return
    label = f"{choice.measure.capitalize()} cost, USD"
    with st.container(key="daily-chart"):
        st.altair_chart(
            charts.daily_bars(rows, views.all_days(choice.scope.period), views.REST, label),
            width="stretch",
            alt=f"Stacked bars: {label} per UTC day, by feature. The table below has the sums.",
        )


def _spend(ledger: Ledger, choice: Choice, dimension: str, label: str) -> None:
    st.subheader(f"Spend by {label.lower()}")
    rows = queries.spend_by(ledger, dimension, choice.scope).to_pylist()
    if not rows:
        st.caption("No cost lines in this period and choice.")
        return
    shown = views.spend_rows(rows, dimension, choice.measure)
    has_before = choice.is_compared and any(wording.has_before(row, choice.measure) for row in rows)
    columns = spend_columns(dimension, label, choice.measure, has_before, shown)
    show_table(shown, columns, f"Spend in USD by {label.lower()}, largest first", f"spend-by-{dimension}")


def _unit_costs(ledger: Ledger, choice: Choice) -> None:
    st.subheader("Cost per million tokens by model")
    rows = queries.unit_costs(ledger, choice.scope).to_pylist()[: views.TABLE_ROWS]
    if not rows:
        st.caption("No metered cost lines in this period and choice.")
        return
    show_table(
        rows, unit_cost_columns(choice.measure), "Cost in USD per million tokens, by model", "unit-costs"
    )
    st.caption(f"Numerator: metered {choice.measure} cost of the tokens named; denominator: those tokens.")
