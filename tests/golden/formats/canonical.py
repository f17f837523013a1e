"""From our tables to the field names of `expected.jsonl`.

That file has its own words: `request` is our attempt, `quarantine` our reject, and a count it calls null is
one that the source does not state. The mapping, where it is more than a name:

- `in_total`, `out_total`, `cache_read`: `int_meters`, after the split into exclusive meters.
- `in_uncached`: null where `is_input_assumed`, for then it is an upper bound and not a statement.
- `cache_write`: all write meters together. `cache_write_5m` and `_1h`: as the source states them;
  `cache_write_other`: what is left, which we hold under the provider's default lifetime.
- `start`: the instant that decides the day; null where a source entry had to state it.
- `reasoning`: as the source states it.
- `status`: our `refused` is theirs `success` (they keep the reason apart).
- `billable`: `int_metered_costs`, by the billing rules of the price book.
- `feature`: by an empty mapping, so the tag; `(unassigned)` is null.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from models.engines.base import Engine

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WRITES = ("cache_write_5m", "cache_write_30m", "cache_write_1h", "cache_write_12h")
QUERY = """
select
    file.file_name,
    raw.*,
    meters.input_total_tokens,
    meters.output_total_tokens,
    meters.input_uncached_quantity,
    meters.cache_read_quantity,
    meters.cache_write_5m_quantity,
    meters.cache_write_30m_quantity,
    meters.cache_write_1h_quantity,
    meters.cache_write_12h_quantity,
    meters.is_input_assumed,
    meters.is_usage_missing,
    costs.is_billable,
    owners.feature
from stg_attempts as attempt
join raw_attempts as raw
    on attempt.file_sha256 = raw.file_sha256
    and attempt.record_position = raw.record_position
    and attempt.attempt_key = raw.attempt_key
join (select distinct file_sha256, file_name from stg_file_accounts) as file
    on attempt.file_sha256 = file.file_sha256
join int_meters as meters
    on attempt.attempt_key = meters.attempt_key
join int_metered_costs as costs
    on attempt.attempt_key = costs.attempt_key
join stg_owners as owners
    on attempt.owner_key = owners.owner_key
    and attempt.usage_date = owners.usage_date
"""


def instant(at_us: int | None) -> str | None:
    """Writes microseconds as RFC 3339, with as many digits as the samples do."""
    if at_us is None:
        return None
    moment = EPOCH + timedelta(microseconds=at_us)
    micros = at_us % 1_000_000
    digits = "" if micros == 0 else f".{micros // 1000:03d}" if micros % 1000 == 0 else f".{micros:06d}"
    return f"{moment:%Y-%m-%dT%H:%M:%S}{digits}Z"


def request(row: dict[str, Any]) -> dict[str, Any]:
    """Returns one attempt under the names of `expected.jsonl`."""
    written = [row[f"{life}_quantity"] for life in WRITES]
    stated = [quantity for quantity in written if quantity is not None]
    whole = sum(stated) if stated else None
    short, long = row["reported_cache_write_5m"], row["reported_cache_write_1h"]
    is_instant_given = row["used_at_basis"] == "logged" and row["time_basis"] == "assumed"
    other = None if whole is None else whole - (short or 0) - (long or 0)
    return {
        "kind": "request",
        "source": row["source"],
        "source_event_id": row["source_event_id"],
        "provider": row["provider"],
        "model": row["served_model"] or row["requested_model"],
        "status": "success" if row["outcome"] == "refused" else row["outcome"],
        "start": instant(None if is_instant_given else row["used_at_us"]),
        "end": instant(row["ended_at_us"]),
        "first_token": instant(row["first_token_at_us"]),
        "in_total": row["input_total_tokens"],
        "in_uncached": None if row["is_input_assumed"] else row["input_uncached_quantity"],
        "cache_read": row["cache_read_quantity"],
        "cache_write": whole,
        "cache_write_5m": short,
        "cache_write_1h": long,
        "cache_write_other": other or None,
        "out_total": row["output_total_tokens"],
        "reasoning": row["reported_reasoning"],
        "service_tier": row["service_tier"],
        "feature": None if row["feature"] == "(unassigned)" else row["feature"],
        "billable": row["is_billable"],
        "cost_reported_usd": row["reported_cost_usd"],
        "http_status": row["http_status"],
        "error_type": row["error_type"],
        "finish_reason": row["finish_reason"],
        "region": row["region"],
        "deployment": row["deployment"],
        "gateway_cache": "hit" if row["is_gateway_cache_hit"] else None,
        "usage_missing": row["is_usage_missing"],
        "web_search_requests": row["reported_tool_calls"],
        "upstream_provider": json.loads(row["tags"] or "{}").get("upstream_provider"),
    }


def requests(engine: Engine) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Yields every attempt of a built ledger by file and position."""
    for row in engine.fetch(QUERY).to_pylist():
        yield (row["file_name"], row["record_position"]), request(row)


def duplicate_places(engine: Engine) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields every duplicate by file and position, with the position of the record in its place."""
    select = """
    select distinct file.file_name, lost.record_position, lost.duplicate_of_record_position
    from stg_duplicates as lost
    join stg_file_accounts as file
        on lost.file_sha256 = file.file_sha256
    """
    for row in engine.fetch(select).to_pylist():
        yield (row["file_name"], row["record_position"]), row["duplicate_of_record_position"]
