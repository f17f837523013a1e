"""Rows by name, for formats that state few fields of many: a reader says only what it found.

Readers whose speed is the product's (spend logs) declare their own narrow tuple instead.
"""

from typing import Any

from pipelines.sources.base import RejectError, Row
from pipelines.sources.values import shown

ATTEMPT_FIELDS = (
    "source",
    "source_event_id",
    "record_sequence",
    "is_placeholder",
    "response_id",
    "trace_id",
    "span_id",
    "parent_span_id",
    "session_id",
    "stated_request_id",
    "stated_attempt_number",
    "feature_tag",
    "team_tag",
    "project_tag",
    "environment_tag",
    "customer",
    "api_key",
    "route",
    "user",
    "provider",
    "requested_model",
    "served_model",
    "deployment",
    "service_tier",
    "processing",
    "region",
    "speed",
    "operation",
    "outcome",
    "error_class",
    "http_status",
    "error_type",
    "finish_reason",
    "is_stream",
    "is_gateway_cache_hit",
    "started_at_us",
    "first_token_at_us",
    "created_at_us",
    "ended_at_us",
    "logged_at_us",
    "usage_profile",
    "is_usage_estimated",
    "reported_input",
    "reported_cached",
    "reported_cache_write",
    "reported_cache_write_5m",
    "reported_cache_write_30m",
    "reported_cache_write_1h",
    "reported_cache_write_12h",
    "reported_output",
    "reported_reasoning",
    "reported_total",
    "reported_input_audio",
    "reported_input_image",
    "reported_output_audio",
    "reported_output_image",
    "reported_tool_calls",
    "reported_cost_usd",
    "tags",
)
_NAMES = frozenset(ATTEMPT_FIELDS)
# Where a tag may stand, by the fact it states.
TAG_FIELDS = {
    "feature": "feature_tag",
    "team": "team_tag",
    "project": "project_tag",
    "environment": "environment_tag",
    "env": "environment_tag",
    "customer": "customer",
}


def attempt(**found: Any) -> Row:
    """Returns the row of ATTEMPT_FIELDS with the values given; the rest is not stated.

    Raises:
        KeyError: A name that is no field: a mistake in the reader.
    """
    if not _NAMES.issuperset(found):
        raise KeyError(f"no such field: {sorted(set(found) - _NAMES)}")
    return tuple(map(found.get, ATTEMPT_FIELDS))


def tags_in(stated: Any, path: str) -> dict[str, str]:
    """Returns the fields of rows that a map of tags states, names in any case; other tags are left out."""
    if stated is None:
        return {}
    if type(stated) is not dict:
        raise RejectError("not_an_object", f"{path}: {shown(stated)} is not a map of tags")
    found: dict[str, str] = {}
    for name, value in stated.items():
        field = TAG_FIELDS.get(name.lower())
        if field is not None and value not in (None, ""):
            found.setdefault(field, value)
    return found


AGGREGATE_FIELDS = (
    "source_event_id",
    "period_start_us",
    "period_end_us",
    "provider",
    "served_model",
    "service_tier",
    "processing",
    "region",
    "project_tag",
    "api_key",
    "stated_request_count",
    "usage_profile",
    "reported_input",
    "reported_uncached",
    "reported_cached",
    "reported_cache_write",
    "reported_cache_write_5m",
    "reported_cache_write_30m",
    "reported_cache_write_1h",
    "reported_cache_write_12h",
    "reported_output",
    "reported_reasoning",
    "reported_input_audio",
    "reported_output_audio",
    "reported_tool_calls",
    "reported_cost_usd",
    "tags",
)
INVOICE_FIELDS = (
    "source_event_id",
    "period_start_us",
    "period_end_us",
    "provider",
    "line_item",
    "charge_category",
    "billed_amount",
    "billed_credits",
    "invoice_currency",
    "billed_quantity",
    "billed_unit",
    "served_model",
    "region",
    "feature_tag",
    "project_tag",
    "tags",
)
SAMPLE_FIELDS = (
    "source_event_id",
    "sampled_at_us",
    "gpu_uuid",
    "mig_id",
    "gpu_model",
    "host",
    "namespace",
    "pod",
    "container",
    "util_ppm",
    "engine_active_ppm",
    "memory_used_bytes",
    "memory_total_bytes",
    "power_milliwatts",
    "energy_millijoules",
)
DEVICE_COST_FIELDS = (
    "source_event_id",
    "period_start_us",
    "period_end_us",
    "allocation_name",
    "host",
    "namespace",
    "pod",
    "feature_tag",
    "stated_gpu_hours",
    "stated_gpu_cost_usd",
    "stated_total_cost_usd",
    "is_idle",
)


def row_of(fields: tuple[str, ...], **found: Any) -> Row:
    """Returns the row of `fields` with the values given; the rest is not stated.

    Raises:
        KeyError: A name that is no field: a mistake in the reader.
    """
    if not set(fields).issuperset(found):
        raise KeyError(f"no such field: {sorted(set(found) - set(fields))}")
    return tuple(map(found.get, fields))


def identity_of(*parts: object) -> str:
    """Returns the text that tells a record without an id of its own: all that it is grouped by."""
    return "|".join("" if part is None else str(part) for part in parts)
