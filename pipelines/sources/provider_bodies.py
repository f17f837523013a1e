"""What providers say in their own bodies: usage under canonical names, model, id, reason of the end.

One function per API, used by every reader whose records carry such bodies. A details block states the
counts it leaves out as zero; without one the split is not stated. Not here: times, tags and outcome, which
the record around a body has.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pipelines.sources.base import RejectError
from pipelines.sources.values import child, shown

Found = dict[str, Any]
WRITES_30M_12H = (
    ("reported_cache_write_30m", "ttl_30m_tokens"),
    ("reported_cache_write_12h", "ttl_12h_tokens"),
)
# What Gemini blocks keeps its own reason and counts as answered: its input is charged.
REFUSALS = {"refusal", "content_filter"}


def openai_chat(body: Mapping[str, Any]) -> Found:
    """Chat completions, text completions and embeddings of OpenAI and those who copy it."""
    usage = _usage(body, "usage")
    inputs = _usage(usage, "prompt_tokens_details")
    outputs = _usage(usage, "completion_tokens_details")
    choices = body.get("choices") or [{}]
    return {
        "response_id": body.get("id"),
        "served_model": body.get("model"),
        "service_tier": body.get("service_tier"),
        "finish_reason": choices[0].get("finish_reason"),
        "usage_profile": "openai.chat",
        "reported_input": usage.get("prompt_tokens"),
        "reported_output": usage.get("completion_tokens"),
        "reported_total": usage.get("total_tokens"),
        "reported_reasoning": outputs.get("reasoning_tokens", 0 if outputs else None),
        "reported_output_audio": outputs.get("audio_tokens"),
        **_openai_inputs(inputs),
    }


def openai_responses(body: Mapping[str, Any]) -> Found:
    """The Responses API of OpenAI."""
    usage = _usage(body, "usage")
    outputs = _usage(usage, "output_tokens_details")
    incomplete = _usage(body, "incomplete_details")
    return {
        "response_id": body.get("id"),
        "served_model": body.get("model"),
        "service_tier": body.get("service_tier"),
        "finish_reason": incomplete.get("reason"),
        "usage_profile": "openai.responses",
        "reported_input": usage.get("input_tokens"),
        "reported_output": usage.get("output_tokens"),
        "reported_total": usage.get("total_tokens"),
        "reported_reasoning": outputs.get("reasoning_tokens", 0 if outputs else None),
        **_openai_inputs(_usage(usage, "input_tokens_details")),
    }


def _openai_inputs(details: Mapping[str, Any]) -> Found:
    if not details:
        return {}
    lives = _usage(details, "cache_write_tokens_details")
    return {
        "reported_cached": details.get("cached_tokens", 0),
        "reported_cache_write": details.get("cache_write_tokens", 0),
        "reported_input_audio": details.get("audio_tokens"),
        "reported_input_image": details.get("image_tokens"),
        **{name: lives.get(key) for name, key in WRITES_30M_12H},
    }


def anthropic_messages(body: Mapping[str, Any]) -> Found:
    """Messages of Anthropic; null in a cache count is zero, for the API leaves out what did not happen."""
    usage = _usage(body, "usage")
    lives = _usage(usage, "cache_creation")
    tools = _usage(usage, "server_tool_use")
    return {
        "response_id": body.get("id"),
        "served_model": body.get("model"),
        "service_tier": usage.get("service_tier"),
        "speed": usage.get("speed"),
        "region": usage.get("inference_geo"),
        "finish_reason": body.get("stop_reason"),
        "usage_profile": "anthropic.messages",
        "reported_input": usage.get("input_tokens"),
        "reported_cached": (usage.get("cache_read_input_tokens") or 0) if usage else None,
        "reported_cache_write": (usage.get("cache_creation_input_tokens") or 0) if usage else None,
        "reported_cache_write_5m": lives.get("ephemeral_5m_input_tokens"),
        "reported_cache_write_1h": lives.get("ephemeral_1h_input_tokens"),
        "reported_output": usage.get("output_tokens"),
        "reported_reasoning": _usage(usage, "output_tokens_details").get("thinking_tokens"),
        "reported_tool_calls": tools.get("web_search_requests"),
    }


def gemini(body: Mapping[str, Any]) -> Found:
    """GenerateContent of Gemini; proto3 JSON leaves zeros out, so in a stated usage missing is zero.

    Tokens of tool use are input beside the prompt; thoughts are output beside the candidates.
    """
    usage = _usage(body, "usageMetadata")
    candidates = body.get("candidates") or [{}]
    reason = candidates[0].get("finishReason") or _usage(body, "promptFeedback").get("blockReason")
    found = {
        "response_id": body.get("responseId"),
        "served_model": body.get("modelVersion"),
        "service_tier": usage.get("trafficType") or usage.get("serviceTier"),
        "finish_reason": reason,
        "usage_profile": "gemini.generate_content",
    }
    if not usage:
        return found
    return found | {
        "reported_input": _sum(usage, "promptTokenCount", "toolUsePromptTokenCount"),
        "reported_cached": usage.get("cachedContentTokenCount", 0),
        "reported_cache_write": 0,
        "reported_output": usage.get("candidatesTokenCount", 0),
        "reported_reasoning": usage.get("thoughtsTokenCount", 0),
        "reported_total": usage.get("totalTokenCount"),
        "reported_input_audio": _modality(usage, "promptTokensDetails", "AUDIO"),
        "reported_output_audio": _modality(usage, "candidatesTokensDetails", "AUDIO"),
        "reported_output_image": _modality(usage, "candidatesTokensDetails", "IMAGE"),
    }


def _sum(usage: Mapping[str, Any], *keys: str) -> int:
    counts = [usage.get(key, 0) for key in keys]
    for key, count in zip(keys, counts, strict=True):
        if type(count) is not int or count < 0:
            raise RejectError("not_a_count", f"$.usageMetadata.{key}: {shown(count)}")
    return sum(counts)


def _modality(usage: Mapping[str, Any], key: str, name: str) -> int | None:
    """Tokens of one modality; null where the list does not name it."""
    return next(
        (part.get("tokenCount", 0) for part in usage.get(key) or () if part.get("modality") == name), None
    )


def _usage(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return child(holder, key, "$.body")


# The names an application may give an API, and the source each is.
APIS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Found]]] = {
    "chat.completions": ("openai.chat", openai_chat),
    "completions": ("openai.chat", openai_chat),
    "embeddings": ("openai.chat", openai_chat),
    "responses": ("openai.responses", openai_responses),
    "messages": ("anthropic.messages", anthropic_messages),
    "generateContent": ("google.generate_content", gemini),
    "streamGenerateContent": ("google.generate_content", gemini),
}
OPERATIONS = {
    "completions": "text_completion",
    "embeddings": "embeddings",
    "generateContent": "generate_content",
}


def error_of(body: Mapping[str, Any]) -> str | None:
    """Returns the code or type of the error that a body reports; never its message."""
    error = body.get("error")
    if type(error) is not dict:
        return None
    return error.get("code") if type(error.get("code")) is str else error.get("type") or error.get("status")
