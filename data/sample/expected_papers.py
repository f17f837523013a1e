"""What the fortnight's bills and agent sessions say, summed.

What lives here: invoice sums by kind, session tokens by model with their list cost.
What does not: call logs (expected_records.py); nothing of the generator, nothing of our rooms.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from expected_capacity import plain
from expected_prices import usd_per_token
from expected_records import text_of

CLAUDE_METERS = {
    "input_uncached": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write_5m": "cache_creation_input_tokens",
    "output_text": "output_tokens",
}


def bills(folder: Path) -> dict[str, Any]:
    """Billed sums: OpenAI by day's page, the FOCUS file by provider and category. Empty without bills."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("openai-costs-*")):
        # The API writes amounts as JSON numbers; their decimal text is what was billed.
        page = json.loads(text_of(path), parse_float=Fraction)
        amounts = [row["amount"]["value"] for bucket in page["data"] for row in bucket["results"]]
        tokens = sum(row["quantity"] for bucket in page["data"] for row in bucket["results"])
        found["openai"] = {
            "rows": len(amounts),
            "tokens": tokens,
            "billed_usd": plain(Fraction(sum(amounts))),
        }
    for path in sorted(folder.glob("focus-*")):
        sums: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for row in csv.DictReader(text_of(path).splitlines()):
            group = sums[f"{row['ProviderName']} {row['ChargeCategory']}"]
            group["rows"] += 1
            for column in ("BilledCost", "ListCost"):
                group[column] += Fraction(row[column])
        found["focus"] = {
            name: {
                "rows": int(group["rows"]),
                "billed_usd": plain(group["BilledCost"]),
                "list_usd": plain(group["ListCost"]),
            }
            for name, group in sorted(sums.items())
        }
    return found


def sessions(folder: Path) -> dict[str, Any]:
    """Requests, tokens and list cost of the coding agents' sessions by model. Empty without sessions."""
    calls = claude_calls(folder) + codex_calls(folder)
    found: dict[str, Any] = {}
    for model in sorted({model for model, _, _ in calls}):
        chosen = [(day, meters) for name, day, meters in calls if name == model]
        totals: dict[str, int] = defaultdict(int)
        cost = Fraction(0)
        for day, meters in chosen:
            for meter, tokens in meters.items():
                price = usd_per_token(model, meter, date.fromisoformat(day))
                assert price is not None
                totals[meter] += tokens
                cost += tokens * price
        found[model] = {"requests": len(chosen), "tokens": dict(totals), "list_cost_usd": plain(cost)}
    return found


def claude_calls(folder: Path) -> list[tuple[str, str, dict[str, int]]]:
    """Model, day and meters of every Claude Code request: its last line counts."""
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(folder.glob("claude-code-*")):
        for line in text_of(path).splitlines():
            row = json.loads(line)
            if row["type"] == "assistant":
                last[row["message"]["id"], row["requestId"]] = row
    return [
        (
            row["message"]["model"],
            row["timestamp"][:10],
            {meter: row["message"]["usage"][key] for meter, key in CLAUDE_METERS.items()},
        )
        for row in last.values()
    ]


def codex_calls(folder: Path) -> list[tuple[str, str, dict[str, int]]]:
    """Model, day and meters of every Codex usage event; one whose running total stands still is a repeat."""
    found: list[tuple[str, str, dict[str, int]]] = []
    for path in sorted(folder.glob("codex-*")):
        model, seen = "", -1
        for line in text_of(path).splitlines():
            row = json.loads(line)
            payload = row["payload"]
            model = payload.get("model", model)
            if (
                payload.get("type") != "token_count"
                or payload["info"]["total_token_usage"]["total_tokens"] == seen
            ):
                continue
            seen = payload["info"]["total_token_usage"]["total_tokens"]
            last = payload["info"]["last_token_usage"]
            meters = {
                "input_uncached": last["input_tokens"] - last["cached_input_tokens"],
                "cache_read": last["cached_input_tokens"],
                "output_text": last["output_tokens"] - last["reasoning_output_tokens"],
                "output_reasoning": last["reasoning_output_tokens"],
            }
            found.append((model, row["timestamp"][:10], meters))
    return found
