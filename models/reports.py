"""Questions about a snapshot that both the screens and the command line ask, so that they cannot disagree.

What lives here: spend by dimension against the period before, days, unit costs, requests, trust. All money
is DECIMAL(38,12) in USD, null where it is unknown; a ratio is formed here, with Decimal, and is named a
share, a ratio, or "per". What does not: choosing, rounding or showing.
"""

from decimal import Decimal
from typing import cast

import pyarrow as pa

from models.report_ratios import with_difference, with_ratio, with_share
from models.report_scope import MEASURES, REQUEST_DIMENSIONS, SPEND_DIMENSIONS, Scope, known_dimension
from models.report_sql import (
    INPUT_METERS,
    OUTPUT_METERS,
    PRICED,
    TOKEN_METERS,
    listed,
    sum_count,
    sum_tokens,
    sum_usd,
    sum_usd_or_zero,
)
from models.snapshot import SnapshotReader

_PARTS = {"input": INPUT_METERS, "output": OUTPUT_METERS, "all": TOKEN_METERS}
_MILLION = Decimal(1_000_000)
_CURRENT = "usage_date >= $from_date"
_PREVIOUS = "usage_date < $from_date"


def covered_days(reader: SnapshotReader) -> pa.Table:
    """One row: the first and last usage day of the ledger and their count; null and 0 when it is empty."""
    return reader.fetch(
        """
        select
            min(usage_date) as first_date,
            max(usage_date) as last_date,
            count(distinct usage_date) as day_count
        from agg_daily_costs
        """
    )


def dimension_values(reader: SnapshotReader, dimension: str) -> list[str]:
    """Every value of a dimension in the ledger, in alphabetical order; those not stated are left out."""
    name = known_dimension(dimension, REQUEST_DIMENSIONS)
    rows = reader.fetch(
        f"select distinct {name} from agg_daily_costs where {name} is not null order by {name}"
    )
    return cast("list[str]", rows.column(0).to_pylist())


def spend_totals(reader: SnapshotReader, scope: Scope) -> pa.Table:
    """One row: each measure in USD, in the period before, and the change; lines, tokens, days with lines.

    A previous value is null when the ledger has no line at all in the period before.
    """
    table = reader.fetch(_spend_select("", scope), scope.params)
    return _with_changes(table)


def spend_by(reader: SnapshotReader, dimension: str, scope: Scope) -> pa.Table:
    """The columns of `spend_totals` per value of a dimension, and each row's share of the known total.

    Values that occur in only one of the two periods have a row; ordered by effective cost, then by name.
    """
    name = known_dimension(dimension, SPEND_DIMENSIONS)
    return _with_shares(_with_changes(reader.fetch(_spend_select(name, scope), scope.params)))


def daily_spend(reader: SnapshotReader, scope: Scope, dimension: str | None = None) -> pa.Table:
    """Each measure in USD per usage day of the period, and per value of a dimension; by day, then name."""
    named = known_dimension(dimension or "usage_date", SPEND_DIMENSIONS)
    keys = list(dict.fromkeys(("usage_date", named)))
    columns = [*keys, *(f"{sum_usd(f'{measure}_cost_usd')} as {measure}_cost_usd" for measure in MEASURES)]
    columns += [f"{sum_count(name)} as {name}" for name in ("line_count", "unpriced_line_count")]
    selected = ",\n".join(columns)
    return reader.fetch(
        f"""
        select {selected}
        from agg_daily_costs
        where usage_date >= $from_date and usage_date < $until_date and {scope.condition}
        group by {", ".join(keys)}
        order by {", ".join(keys)}
        """,
        scope.params,
    )


def unit_costs(reader: SnapshotReader, scope: Scope) -> pa.Table:
    """Cost in USD per million tokens by provider and model, over metered and billable lines with a price.

    Numerator and denominator are in the row and cover the same lines: input meters, output meters, or both
    (`all`). Tool calls and per-request fees are in none of them. Tokens without a price are counted apart.
    """
    columns: list[str] = []
    for part, meters in _PARTS.items():
        within = f"meter in ({listed(meters)}) and {PRICED}"
        columns.append(f"{sum_tokens(PRICED, meters)} as priced_{part}_tokens")
        columns += [
            f"{sum_usd(f'{measure}_cost_usd', within)} as metered_{measure}_cost_of_{part}_tokens_usd"
            for measure in MEASURES
        ]
    columns.append(f"{sum_tokens(f'is_billable and not ({PRICED})')} as unpriced_tokens")
    columns.append(f"{sum_tokens('not is_billable')} as not_billable_tokens")
    selected = ",\n".join(columns)
    table = reader.fetch(
        f"""
        select provider, model, {selected}
        from agg_daily_costs
        where usage_date >= $from_date and usage_date < $until_date and {scope.condition}
            and charge_basis = 'metered'
        group by provider, model
        order by metered_effective_cost_of_all_tokens_usd desc nulls last, model, provider
        """,
        scope.params,
    )
    for part in _PARTS:
        for measure in MEASURES:
            numerator = f"metered_{measure}_cost_of_{part}_tokens_usd"
            name = f"metered_{measure}_cost_usd_per_million_{part}_tokens"
            table = with_ratio(table, name, numerator, f"priced_{part}_tokens", _MILLION)
    return table


def request_totals(reader: SnapshotReader, scope: Scope) -> pa.Table:
    """One row: requests that started in the period, and in the one before, and cost per answered request."""
    return _with_request_costs(reader.fetch(_request_select("", scope), scope.params))


def requests_by(reader: SnapshotReader, dimension: str, scope: Scope) -> pa.Table:
    """The columns of `request_totals` per value of a dimension; most requests first, then by name."""
    name = known_dimension(dimension, REQUEST_DIMENSIONS)
    return _with_request_costs(reader.fetch(_request_select(name, scope), scope.params))


def _spend_select(dimension: str, scope: Scope) -> str:
    columns: list[str] = [dimension] if dimension else []
    for measure in MEASURES:
        cost = f"{measure}_cost_usd"
        assumed = f"{_CURRENT} and certainty = 'assumed'"
        columns.append(f"{sum_usd_or_zero(cost, _CURRENT)} as {cost}")
        columns.append(
            f"case when (select line_count from earlier) > 0 then {sum_usd_or_zero(cost, _PREVIOUS)} end"
            f" as previous_{cost}"
        )
        columns.append(f"{sum_usd_or_zero(cost, assumed)} as assumed_{cost}")
    columns += [
        f"{sum_count('line_count', _CURRENT)} as line_count",
        f"{sum_count('unpriced_line_count', _CURRENT)} as unpriced_line_count",
        f"{sum_count('line_count', _PREVIOUS)} as previous_line_count",
        f"{sum_count('unpriced_line_count', _PREVIOUS)} as previous_unpriced_line_count",
        f"{sum_tokens(_CURRENT)} as token_count",
        f"{sum_tokens(_PREVIOUS)} as previous_token_count",
        f"count(distinct usage_date) filter (where {_CURRENT}) as day_count",
        f"count(distinct usage_date) filter (where {_PREVIOUS}) as previous_day_count",
    ]
    grouped = f"group by {dimension} order by effective_cost_usd desc nulls last, {dimension}"
    selected = ",\n".join(columns)
    return f"""
        with earlier as (
            select count(*) as line_count
            from agg_daily_costs
            where usage_date >= $previous_from_date and usage_date < $from_date
        )
        select {selected}
        from agg_daily_costs
        where usage_date >= $previous_from_date and usage_date < $until_date and {scope.condition}
        {grouped if dimension else ""}
    """


def _request_select(dimension: str, scope: Scope) -> str:
    columns: list[str] = [dimension] if dimension else []
    for prefix, within in (("", "request_date >= $from_date"), ("previous_", "request_date < $from_date")):
        columns += [
            f"{sum_count(f'{counted}_count', within)} as {prefix}{counted}_count"
            for counted in ("request", "answered", "attempt", "retry_attempt", "unpriced_attempt")
        ]
        columns += [
            f"{sum_usd_or_zero(f'{measure}_cost_usd', within)} as {prefix}{measure}_cost_usd"
            for measure in MEASURES
        ]
    grouped = f"group by {dimension} order by request_count desc, {dimension}" if dimension else ""
    selected = ",\n".join(columns)
    return f"""
        select {selected}
        from agg_daily_requests
        where request_date >= $previous_from_date and request_date < $until_date and {scope.condition}
        {grouped}
    """


def _with_request_costs(table: pa.Table) -> pa.Table:
    for prefix in ("", "previous_"):
        for measure in MEASURES:
            name = f"{prefix}{measure}_cost_usd"
            table = with_ratio(table, f"{name}_per_answered_request", name, f"{prefix}answered_count")
    return table


def _with_changes(table: pa.Table) -> pa.Table:
    for measure in MEASURES:
        cost, previous, change = (f"{prefix}{measure}_cost_usd" for prefix in ("", "previous_", "change_"))
        table = with_difference(table, change, cost, previous)
        table = with_ratio(table, f"change_{measure}_cost_ratio", change, previous)
        table = with_ratio(table, f"assumed_{measure}_cost_share", f"assumed_{cost}", cost)
    return table


def _with_shares(table: pa.Table) -> pa.Table:
    for measure in MEASURES:
        table = with_share(table, f"{measure}_cost_share", f"{measure}_cost_usd")
    return table
