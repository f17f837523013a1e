"""A LiteLLM spend log of any length for the benchmarks: about 1 KB a line, deterministic.

What lives here: making that one file. What does not: measuring, and the sample that people look at.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from benchmarks.generator import FIRST_DAY, MODELS

SPEND_LOG = "spend_log.jsonl"
_START = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, tzinfo=UTC)
# What a proxy repeats on every row; it brings a line to the usual 1 KB.
_CONSTANT = {
    "call_type": "acompletion",
    "model_id": "a1b2c3d4-0000-4000-8000-1234567890ab",
    "api_base": "https://api.example.com/v1",
    "cache_hit": "None",
    "cache_key": "Cache OFF",
    "organization_id": "",
    "requester_ip_address": None,
    "messages": {},
    "response": {},
    "session_id": None,
    "status": "success",
    "mcp_namespaced_tool_name": None,
    "billing_agent_id": None,
    "agent_id": None,
    "proxy_server_request": {},
}


def write_json_log(path: Path, rows: int, days: int) -> Path:
    """Write `rows` spend-log lines spread evenly over `days` days, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(_lines(rows, days))
    return path


def _lines(rows: int, days: int) -> Iterator[bytes]:
    step = timedelta(days=days) / rows
    for number in range(rows):
        provider, model = MODELS[number * number % len(MODELS)]
        start = _START + step * number
        prompt, completion = 200 + number * 7919 % 6000, 20 + number * 104_729 % 900
        cached, reasoning = prompt // 5 * (number % 4), completion // 4
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": reasoning, "audio_tokens": 0},
        }
        row = {
            "request_id": f"chatcmpl-{number:012d}",
            "api_key": f"{number % 50:064x}",
            "spend": 0.0001,
            "startTime": start.strftime("%Y-%m-%dT%H:%M:%S.%f"),
            "endTime": (start + timedelta(milliseconds=900)).strftime("%Y-%m-%dT%H:%M:%S.%f"),
            "request_duration_ms": 900,
            "completionStartTime": None,
            "model": model,
            "model_group": model,
            "custom_llm_provider": provider,
            "user": f"user-{number % 1000}",
            "end_user": f"customer-{number % 5000}",
            "team_id": f"team-{number % 5}",
            "request_tags": [f"feature:feature-{number % 40:02d}", "env:prod"],
            "metadata": {"usage_object": usage, "user_api_key_team_alias": f"team-{number % 5}"},
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        yield orjson.dumps(row | _CONSTANT) + b"\n"
