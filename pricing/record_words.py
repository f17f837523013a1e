"""The words of one usage record that decide its price: tier, region, how it ended, when it was used.

A record is one JSON object with `provider, model, date, usage, context`; this file turns its words into the
same rate card that attempts have. No price is looked at here.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import cast

from pricing.errors import PriceBookError
from pricing.periods import to_us
from pricing.rate_cards import RateCard
from pricing.rules import Provider
from pricing.usage_paths import find

SERVED_TIER = ("context.service_tier_served", "usage.service_tier", "context.service_tier")
REQUESTED_TIER = ("context.service_tier_requested",)
PROCESSING = ("context.processing",)
SPEED = ("usage.speed", "context.speed")
REGION = (
    "usage.inference_geo",
    "context.inference_geo",
    "context.data_residency",
    "context.endpoint",
    "context.deployment_type",
    "context.region",
)
REFUSALS = ("refusal", "content_filter")


def instant_of(record: Mapping[str, object]) -> int:
    """Return the instant of use in microseconds UTC; it must name its zone."""
    text = record.get("date")
    if not isinstance(text, str):
        raise PriceBookError(f"The date '{text}' of the record is missing. Write it as 2026-08-16T16:00:00Z.")
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise PriceBookError(f"The date '{text}' is no instant. Write it as 2026-08-16T16:00:00Z.") from error
    if instant.tzinfo is None:
        raise PriceBookError(f"The date '{text}' has no zone. Write it as 2026-08-16T16:00:00Z.")
    return to_us(instant.astimezone(UTC))


def card_of(record: Mapping[str, object], provider: Provider | None, output_tokens: int) -> RateCard:
    """Return the rate card of a record; `output_tokens` is its whole output."""
    outcome, error_class = _ending(record)
    started = word(record, ("context.output_started",))
    has_output = output_tokens > 0 if started is None else started == "true"
    is_requested = provider is not None and provider.text.billed_tier == "requested"
    tier_paths = (*REQUESTED_TIER, *SERVED_TIER) if is_requested else SERVED_TIER
    stated = record.get("provider")
    return RateCard(
        source="usage record",
        provider=stated if isinstance(stated, str) else None,
        requested_model=cast(str | None, record.get("model")),
        served_model=word(record, ("context.served_model", "usage.served_model")),
        deployment=word(record, ("context.deployment",)),
        service_tier=word(record, tier_paths),
        processing=word(record, PROCESSING),
        region=word(record, REGION) if provider is not None and provider.text.regions else None,
        speed=word(record, SPEED),
        outcome=outcome,
        error_class=error_class,
        has_output=has_output,
        is_gateway_cache_hit=word(record, ("context.gateway_cache_hit",)) == "true",
    )


def word(record: Mapping[str, object], paths: tuple[str, ...]) -> str | None:
    """Return the first word that one of the paths leads to; truth values become `true` and `false`."""
    for path in paths:
        for value in find(record, path):
            if isinstance(value, bool):
                return str(value).lower()
            if isinstance(value, str) and value:
                return value
    return None


def _ending(record: Mapping[str, object]) -> tuple[str, str | None]:
    """Return outcome and error class, by HTTP status, else by the reason to stop."""
    context = cast(Mapping[str, object], record.get("context") or {})
    status = context.get("http_status")
    reason = context.get("stop_reason") or context.get("finish_reason")
    if isinstance(status, int) and status != 200:
        return ("cancelled", None) if status == 499 else ("error", _error_class(status, reason))
    if reason in REFUSALS:
        return "refused", None
    if "disconnected" in str(context.get("outcome", "")):
        return "cancelled", None
    if "finish_reason" in context and reason is None:
        return "unknown", None
    return ("error", None) if reason == "error" else ("success", None)


def _error_class(status: int, reason: object) -> str:
    if reason in REFUSALS:
        return "content_filter"
    if status in (408, 504):
        return "timeout"
    if status == 429:
        return "rate_limited"
    return "client" if status < 500 else "server"
