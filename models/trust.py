"""How far the numbers of a snapshot can be trusted, in one row, and what is wrong by reason.

What lives here: the trust strip under every report, reasons of unpriced lines, reasons of rejects. What does
not: the numbers themselves (`reports.py`).
"""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from models.report_ratios import with_ratio
from models.report_scope import MEASURES, Scope
from models.report_sql import PRICED, sum_count, sum_tokens, sum_usd, sum_usd_or_zero
from models.snapshot import Snapshot, SnapshotReader

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERSIONS = ("snapshot_id", "published_at", "price_version", "mapping_version", "code_version", "ledger_hash")


def trust(reader: SnapshotReader, scope: Scope) -> pa.Table:
    """One row: versions, instant of the last use, and how much of the period is priced, assumed, rejected.

    Token shares are of billable tokens; cost shares are of the known cost. Rejects are of everything landed:
    a record that could not be read has no day.
    """
    table = reader.fetch(_lines_select(scope), scope.params)
    files = reader.fetch(
        f"""
        select
            {sum_count("record_count")} as record_count,
            {sum_count("record_count", "record_kind = 'reject'")} as reject_count
        from fct_file_accounts
        """
    )
    for name in files.column_names:
        table = table.append_column(name, files.column(name))
    table = with_ratio(table, "priced_token_share", "priced_tokens", "billable_tokens")
    table = with_ratio(table, "assumed_token_share", "assumed_tokens", "billable_tokens")
    table = with_ratio(table, "estimated_token_share", "estimated_tokens", "billable_tokens")
    for measure in MEASURES:
        cost = f"{measure}_cost_usd"
        table = with_ratio(table, f"assumed_{measure}_cost_share", f"assumed_{cost}", cost)
    table = with_ratio(table, "reject_share", "reject_count", "record_count")
    return _with_versions(table, reader.snapshot)


def unpriced_by_reason(reader: SnapshotReader, scope: Scope) -> pa.Table:
    """Lines of unknown cost and their tokens in the period, by reason and model; most tokens first."""
    return reader.fetch(
        f"""
        select
            reason_code,
            provider,
            model,
            {sum_count("unpriced_line_count")} as unpriced_line_count,
            {sum_tokens("true")} as unpriced_tokens
        from agg_daily_costs
        where usage_date >= $from_date and usage_date < $until_date and {scope.condition}
            and unpriced_line_count > 0
        group by reason_code, provider, model
        order by unpriced_tokens desc, unpriced_line_count desc, reason_code, model, provider
        """,
        scope.params,
    )


def rejects_by_reason(reader: SnapshotReader) -> pa.Table:
    """Records that could not be read, of everything landed, by source and reason; most first."""
    return reader.fetch(
        """
        select
            source,
            reason_code,
            cast(sum(record_count) as bigint) as reject_count
        from fct_file_accounts
        where record_kind = 'reject'
        group by source, reason_code
        order by reject_count desc, source, reason_code
        """
    )


def last_used_at(snapshot: Snapshot) -> datetime | None:
    """The latest instant of use in the ledger, UTC; null when it is empty."""
    microseconds = snapshot.manifest.get("last_used_at_us")
    return None if microseconds is None else _EPOCH + timedelta(microseconds=int(microseconds))


def _lines_select(scope: Scope) -> str:
    columns = [
        f"{sum_tokens('is_billable')} as billable_tokens",
        f"{sum_tokens(PRICED)} as priced_tokens",
    ]
    for certainty in ("assumed", "estimated"):
        within = f"is_billable and certainty = '{certainty}'"
        columns.append(f"{sum_tokens(within)} as {certainty}_tokens")
    assumed = "certainty = 'assumed'"
    for measure in MEASURES:
        cost = f"{measure}_cost_usd"
        columns.append(f"{sum_usd(cost)} as {cost}")
        columns.append(f"{sum_usd_or_zero(cost, assumed)} as assumed_{cost}")
    columns += [f"{sum_count(name)} as {name}" for name in ("line_count", "unpriced_line_count")]
    selected = ",\n".join(columns)
    return f"""
        select {selected}
        from agg_daily_costs
        where usage_date >= $from_date and usage_date < $until_date and {scope.condition}
    """


def _with_versions(table: pa.Table, snapshot: Snapshot) -> pa.Table:
    for position, name in enumerate(_VERSIONS):
        stated = snapshot.manifest.get(name)
        table = table.add_column(
            position, name, pa.array([None if stated is None else str(stated)], pa.string())
        )
    instant = pa.array([snapshot.manifest.get("last_used_at_us")], pa.int64())
    return table.add_column(len(_VERSIONS), "last_used_at_us", instant)
