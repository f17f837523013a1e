"""From rows that are no attempts to the field names of `expected.jsonl`.

Readings are whole units here and decimal units there; amounts are decimal texts here and sometimes numbers
there, so both are compared as decimals. `ts` is null where a source entry had to state the instant.
"""

import json
from decimal import Decimal
from typing import Any

from pipelines.landing import usage_profiles
from tests.golden.formats.canonical import instant

AMOUNTS = (
    "amount",
    "amount_usd",
    "quantity",
    "credits",
    "cost_usd",
    "gpu_hours",
    "gpu_cost_usd",
    "total_cost_usd",
)
AMOUNTS += ("util_ratio", "engine_active_ratio", "power_watts", "energy_joules")


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Returns the values with every amount as a decimal."""
    return {
        name: Decimal(str(value)) if name in AMOUNTS and value is not None else value
        for name, value in found.items()
    }


def canonical(row: dict[str, Any]) -> dict[str, Any]:
    """Returns one landed row under the names of `expected.jsonl`."""
    if "util_ppm" in row:
        return sample(row)
    if "billed_amount" in row:
        return invoice_line(row)
    return device_cost(row) if "allocation_name" in row else aggregate(row)


def aggregate(row: dict[str, Any]) -> dict[str, Any]:
    profile = usage_profiles()[row["usage_profile"]]
    cached, written = row["reported_cached"] or 0, row["reported_cache_write"] or 0
    whole, uncached = row["reported_input"], row["reported_uncached"]
    if profile.is_cached_in_input:
        uncached = whole - cached - written if uncached is None else uncached
    else:
        whole = uncached + cached + written
    return {
        "kind": "usage_bucket",
        "provider": row["provider"],
        "model": row["served_model"],
        "start": instant(row["period_start_us"]),
        "end": instant(row["period_end_us"]),
        "requests": row["stated_request_count"],
        "in_total": whole,
        "in_uncached": uncached,
        "cache_read": row["reported_cached"],
        "cache_write": row["reported_cache_write"],
        "cache_write_5m": row["reported_cache_write_5m"],
        "cache_write_1h": row["reported_cache_write_1h"],
        "out_total": row["reported_output"],
        "reasoning": row["reported_reasoning"],
        "service_tier": row["service_tier"],
        "web_search_requests": row["reported_tool_calls"],
        "batch": row["processing"] == "batch",
        "cost_usd": row["reported_cost_usd"],
        "upstream_provider": json.loads(row["tags"] or "{}").get("upstream_provider"),
    }


def invoice_line(row: dict[str, Any]) -> dict[str, Any]:
    is_usd = row["invoice_currency"] == "USD"
    return {
        "kind": "cost_line",
        "provider": row["provider"],
        "line_item": row["line_item"],
        "amount_usd": row["billed_amount"] if is_usd else None,
        "amount": row["billed_amount"],
        "currency": row["invoice_currency"],
        "credits": row["billed_credits"],
        "quantity": row["billed_quantity"],
        "quantity_unit": row["billed_unit"],
        "charge_category": row["charge_category"],
        "start": instant(row["period_start_us"]),
        "end": instant(row["period_end_us"]),
        "feature": row["feature_tag"],
    }


def sample(row: dict[str, Any]) -> dict[str, Any]:
    def scaled(name: str, per_unit: int) -> Decimal | None:
        return None if row[name] is None else Decimal(row[name]) / per_unit

    return {
        "kind": "gpu_sample",
        "gpu_uuid": row["gpu_uuid"],
        "gpu_model": row["gpu_model"],
        "host": row["host"],
        "pod": row["pod"],
        "namespace": row["namespace"],
        "ts": instant(row["sampled_at_us"]),
        "util_ratio": scaled("util_ppm", 1_000_000),
        "engine_active_ratio": scaled("engine_active_ppm", 1_000_000),
        "memory_used_bytes": row["memory_used_bytes"],
        "memory_total_bytes": row["memory_total_bytes"],
        "power_watts": scaled("power_milliwatts", 1_000),
        "energy_joules": scaled("energy_millijoules", 1_000),
    }


def device_cost(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "gpu_cost",
        "start": instant(row["period_start_us"]),
        "end": instant(row["period_end_us"]),
        "gpu_hours": row["stated_gpu_hours"],
        "gpu_cost_usd": row["stated_gpu_cost_usd"],
        "total_cost_usd": row["stated_total_cost_usd"],
        "namespace": row["namespace"],
        "pod": row["pod"],
        "feature": row["feature_tag"],
        "idle": row["is_idle"],
    }
