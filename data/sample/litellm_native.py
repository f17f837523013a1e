"""How LiteLLM's SpendLogs table spells a call of the sample.

What lives here: the row and its metadata, in LiteLLM's field names, with the gateway's own idea of the cost.
What does not: which calls happen (story.py, background.py), our prices (expected_prices.py).
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from decimal import Decimal
from typing import Any

from calls import EPOCH, Call

LITELLM_PROVIDERS = {"mistral_ai": "mistral"}
# What the gateway believes, USD per million (input, read, 5 min write, 1 h write, output): it knows one price
# of every model and misses the change, as gateways do.
GATEWAY_PRICES = {
    "gpt-5": ("1.25", "0.125", "0", "0", "10"),
    "gpt-5-mini": ("0.25", "0.025", "0", "0", "2"),
    "gpt-4o-mini": ("0.15", "0.075", "0", "0", "0.6"),
    "claude-sonnet-4-5": ("3", "0.3", "3.75", "6", "15"),
    "claude-haiku-4-5": ("1", "0.1", "1.25", "2", "5"),
    "mistral-large-4": ("0.68", "0.07", "0", "0", "2.09"),
}


def naive(at_us: int) -> str:
    """The time as LiteLLM exports it: UTC without a zone, always six decimals."""
    return (EPOCH + timedelta(microseconds=at_us)).strftime("%Y-%m-%dT%H:%M:%S.%f")


def gateway_spend(call: Call) -> float:
    """USD that the gateway claims for the call: its own estimate, never our price."""
    prices = GATEWAY_PRICES.get(call.model)
    if call.usage is None or prices is None or call.is_gateway_cache_hit:
        return 0.0
    usage = call.usage
    written_1h = usage.written_1h or 0
    counts = (
        usage.prompt - usage.cached - usage.written,
        usage.cached,
        usage.written - written_1h,
        written_1h,
        usage.output,
    )
    total = sum((Decimal(price) * count for price, count in zip(prices, counts, strict=True)), Decimal(0))
    return float(total / 1_000_000)


def litellm_usage_object(call: Call) -> dict[str, Any]:
    """`metadata.usage_object` as LiteLLM keeps it, per provider."""
    usage = call.usage
    assert usage is not None
    body: dict[str, Any] = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }
    if usage.reasoning is not None:
        body["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    if usage.written:
        details = body["prompt_tokens_details"]
        details["cache_creation_tokens"] = usage.written
        if usage.written_5m is not None:
            details["cache_creation_token_details"] = {
                "ephemeral_5m_input_tokens": usage.written_5m,
                "ephemeral_1h_input_tokens": usage.written_1h or 0,
            }
        body["cache_read_input_tokens"] = usage.cached
        body["cache_creation_input_tokens"] = usage.written
    return body


def litellm_metadata(call: Call) -> dict[str, Any]:
    """The `metadata` column: usage object, error, team alias and what the application logged itself."""
    metadata: dict[str, Any] = dict(call.metadata)
    if call.usage is not None and call.usage.is_split_stated and call.usage.prompt:
        metadata["usage_object"] = litellm_usage_object(call)
    if call.error is not None:
        metadata["error_information"] = {"error_code": call.error[0], "error_class": call.error[1]}
    if call.team:
        metadata["user_api_key_team_alias"] = call.team
    logged: dict[str, Any] = dict(call.logged)
    if call.request is not None:
        logged |= {"request_id": call.request, "attempt": call.attempt}
    if call.is_estimated:
        logged["usage_estimated"] = True
    if call.finish_reason is not None:
        logged["finish_reason"] = call.finish_reason
    if logged:
        metadata["spend_logs_metadata"] = logged
    return metadata


def litellm_row(call: Call) -> dict[str, Any]:
    """The call as one row of LiteLLM's SpendLogs table."""
    usage = call.usage
    first_token = None if call.first_token_ms is None else naive(call.at_us + call.first_token_ms * 1_000)
    tags = [f"feature:{call.feature}"] if call.feature else []
    if call.environment:
        tags.append(f"env:{call.environment}")
    tags.extend(call.tags)
    return {
        "request_id": call.name,
        "call_type": "acompletion",
        "api_key": hashlib.sha256(f"key of {call.team}".encode()).hexdigest(),
        "spend": gateway_spend(call),
        "total_tokens": None if usage is None else usage.prompt + usage.output,
        "prompt_tokens": None if usage is None else usage.prompt,
        "completion_tokens": None if usage is None else usage.output,
        "startTime": naive(call.at_us),
        "endTime": naive(call.at_us + call.duration_ms * 1_000),
        "request_duration_ms": call.duration_ms,
        "completionStartTime": first_token,
        "model": call.model,
        "model_id": "",
        "model_group": call.route or call.model,
        "custom_llm_provider": LITELLM_PROVIDERS.get(call.provider, call.provider),
        "api_base": "",
        "user": "",
        "metadata": litellm_metadata(call),
        "cache_hit": "True" if call.is_gateway_cache_hit else "None",
        "cache_key": "Cache OFF",
        "request_tags": tags,
        "team_id": call.team or "",
        "organization_id": "",
        "end_user": call.customer,
        "requester_ip_address": None,
        "messages": {},
        "response": {},
        "session_id": call.session,
        "status": call.status,
    } | call.extra
