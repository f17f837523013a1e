"""Deterministic typed attempts for the benchmarks: many models, skewed, with caches, retries and bands.

What lives here: making Parquet in the shape of `raw_attempts`, one file a day. What does not: measuring.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from models.columns import table_schema
from models.keys import key63

FIRST_DAY = date(2026, 10, 19)
SOURCE = "litellm.spendlogs"
MODELS = (
    ("openai", "gpt-5"),
    ("openai", "gpt-5-mini"),
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-4o-mini"),
    ("anthropic", "claude-haiku-4-5"),
    ("mistral_ai", "mistral-large-4"),
)
TIERS = (None, None, "flex", "priority")
FEATURES = tuple(f"feature-{number:02d}" for number in range(40))
DAY_US = 86_400_000_000


def cards() -> list[dict[str, object]]:
    """Return the distinct pricing inputs, most used first."""
    rows: list[dict[str, object]] = []
    for outcome, error_class, has_output in (("success", None, True), ("error", "rate_limited", False)):
        for tier in TIERS:
            for provider, model in MODELS:
                flags = ("1" if has_output else "0", "0")
                parts = (SOURCE, provider, model, model, None, tier, None, None, None, outcome, error_class)
                rows.append(
                    {
                        "card": len(rows),
                        "rate_card_key": key63("rate_card", *parts, *flags),
                        "provider": provider,
                        "served_model": model,
                        "service_tier": tier,
                        "outcome": outcome,
                        "error_class": error_class,
                        "has_output": has_output,
                    }
                )
    return rows


def owners() -> list[dict[str, object]]:
    """Return the distinct owner inputs: a feature and its team."""
    return [
        {
            "owner": number,
            "owner_key": key63(
                "owner", SOURCE, feature, f"team-{number % 5}", None, "prod", None, None, None
            ),
            "feature_tag": feature,
            "team_tag": f"team-{number % 5}",
        }
        for number, feature in enumerate(FEATURES)
    ]


def write_attempts(folder: Path, rows: int, days: int) -> Iterator[Path]:
    """Write `rows` attempts spread over `days` days, one Parquet file a day; yields each finished file."""
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    connection.register("cards", pa.Table.from_pylist(cards()))
    connection.register("owners", pa.Table.from_pylist(owners()))
    schema = table_schema("raw_attempts")
    for day in range(days):
        first, last = rows * day // days, rows * (day + 1) // days
        usage_date = FIRST_DAY + timedelta(days=day)
        path = folder / f"usage_date={usage_date}" / "generated.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        start_us = (usage_date - date(1970, 1, 1)).days * DAY_US
        made = connection.sql(
            _SELECT, params={"first": first, "last": last, "start_us": start_us, "day": usage_date}
        )
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in made.to_arrow_reader(500_000):
                writer.write_table(_in_schema(pa.Table.from_batches([batch]), schema))
        yield path


def _in_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


# Two mixed hashes give independent looking digits; the multiplication skews the cards towards the first.
_SELECT = f"""
with numbered as (
    select i, hash(i) as h, hash(i + 1000000007) as g from range($first, $last) as t(i)
),
picked as (
    select
        *,
        cast(floor(48 * power((h % 1000003) / 1000003.0, 3)) as integer) as card,
        cast(floor(40 * power((g % 1000033) / 1000033.0, 2)) as integer) as owner,
        cast(200 + g % 6000 + case when h % 97 = 0 then 260000 else 0 end as bigint) as input,
        cast(20 + h % 900 as bigint) as output
    from numbered
)
select
    $day as usage_date, '{SOURCE}' as source, 'call-' || i as source_event_id,
    cast(i + 1 as bigint) * 611953 as attempt_key, 'generated' as file_sha256,
    cast(i as varchar) as record_position,
    false as is_placeholder, owners.owner_key, owners.feature_tag, owners.team_tag, 'prod' as environment_tag,
    cards.rate_card_key, cards.provider, cards.served_model, cards.served_model as requested_model,
    cards.service_tier, cards.outcome, cards.error_class, cards.has_output, false as is_gateway_cache_hit,
    case when h % 20 = 0 then cast(i // 2 as bigint) end as stated_request_key,
    $start_us + h % {DAY_US} as started_at_us, $start_us + h % {DAY_US} as used_at_us,
    $start_us + h % {DAY_US} + 100000 + output * 9000 as ended_at_us,
    'start' as used_at_basis, 'stated' as time_basis,
    'litellm.spendlogs' as usage_profile, 'stated' as usage_basis,
    input as reported_input, input * (h % 4) // 5 as reported_cached,
    case when cards.provider = 'anthropic' then input // 10 else 0 end as reported_cache_write,
    case when cards.provider = 'anthropic' then input // 10 end as reported_cache_write_5m,
    case when cards.provider = 'anthropic' then 0 end as reported_cache_write_1h,
    case when cards.has_output then output else 0 end as reported_output,
    case when cards.has_output then output // 4 else 0 end as reported_reasoning
from picked
join cards on picked.card = cards.card
join owners on picked.owner = owners.owner
"""
