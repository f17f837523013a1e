"""The controls of a page, all of them kept in its address, and the scope that they choose.

What lives here: period, measure, comparison, values to keep. What does not: what is done with the choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import streamlit as st

from dashboards import formatting, queries
from models.report_scope import Period, Scope

PERIODS = ("Latest day", "Last 7 days", "Last 30 days", "Month to date", "Everything", "Chosen days")
CHOSEN_DAYS = PERIODS[-1]
DEFAULT_PERIOD = "Last 7 days"
MEASURES = {"Effective": "effective", "Contracted": "contracted", "List": "list"}
_LENGTHS = {"Latest day": 1, "Last 7 days": 7, "Last 30 days": 30}
_MEASURE_HELP = (
    "Effective: after credits and commitments. Contracted: after your contract. List: at public prices. "
    "Effective equals contracted where no credit or commitment is known."
)
# A list of more is no longer read by a person, and would be sent to the browser on every run.
_OPTIONS = 1000
_FILTERS = {"feature": "Features", "team": "Teams", "environment": "Environments", "model": "Models"}


@dataclass(frozen=True)
class Choice:
    """What a person chose: the scope of every report, the measure shown, whether to compare."""

    scope: Scope
    measure: str
    is_compared: bool


def choose(ledger: queries.Ledger, first: date, last: date) -> Choice:
    """Draw the controls in the sidebar; `first` and `last` are the days that the ledger covers."""
    with st.sidebar:
        preset = st.selectbox(
            "Period (UTC days)", PERIODS, PERIODS.index(DEFAULT_PERIOD), key="period", bind="query-params"
        )
        chosen: Sequence[date] = ()
        if preset == CHOSEN_DAYS:
            chosen = st.date_input(
                "Days, both included", (first, last), key="days", bind="query-params", format="YYYY-MM-DD"
            )
        compared = st.toggle("Compare with the period before", True, key="compare", bind="query-params")
        measure = st.segmented_control(
            "Measure",
            list(MEASURES),
            default="Effective",
            required=True,
            key="measure",
            bind="query-params",
            help=_MEASURE_HELP,
        )
        kept = tuple(
            (dimension, tuple(values))
            for dimension, label in _FILTERS.items()
            if (values := _choose_values(ledger, dimension, label))
        )
    scope = Scope(period_of(preset or DEFAULT_PERIOD, first, last, chosen), kept)
    return Choice(scope, MEASURES[measure or "Effective"], compared)


def period_of(preset: str, first: date, last: date, chosen: Sequence[date] = ()) -> Period:
    """The period that a preset names, counted back from the ledger's last day; `chosen` for chosen days."""
    if preset in _LENGTHS:
        return Period.of_days(last - timedelta(days=_LENGTHS[preset] - 1), last)
    if preset == "Month to date":
        return Period.of_days(last.replace(day=1), last)
    if preset == CHOSEN_DAYS and chosen:
        # While a person has picked only the first of two days, that day alone is meant.
        return Period.of_days(min(chosen), max(chosen))
    return Period.of_days(first, last)


def _choose_values(ledger: queries.Ledger, dimension: str, label: str) -> list[str]:
    values = queries.dimension_values(ledger, dimension)[:_OPTIONS]
    shown = formatting.distinct_names(values)
    return st.multiselect(
        label,
        values,
        format_func=lambda value: shown[value],
        placeholder="All",
        key=dimension,
        bind="query-params",
    )
