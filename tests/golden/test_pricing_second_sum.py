"""The whole catalogue in money: our cost of one plain call per model beside that of genai-prices, exactly.

Where the two part, the model stands in the list of disagreements or in the short list here, with the reason.
"""

from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from genai_prices import Usage, calc_price

from pricing.calc import calculate
from pricing.importers.genai_prices import PROVIDERS, read
from pricing.importers.proposals import ProposedModel
from pricing.price_book import PriceBook, load_price_book

WHEN = "2026-11-10T12:00:00Z"
THEIR_NAMES = {ours: theirs for theirs, names in PROVIDERS.items() for ours in names}
LISTED: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "pricing_disagreements.yml").read_text()
)["disagreements"]


@cache
def book() -> PriceBook:
    return load_price_book()


def is_listed(row: ProposedModel) -> bool:
    return any(
        row.provider == listed["provider"]
        and (
            row.model in listed.get("models", [])
            or ("prefix" in listed and row.model.startswith(listed["prefix"]))
        )
        for listed in LISTED
    )


def our_usage(row: ProposedModel, fresh: int, output: int) -> dict[str, Any]:
    is_claude = row.provider == "gcp.vertex_ai" and row.model.startswith("claude")
    if row.provider == "anthropic" or is_claude:
        return {"input_tokens": fresh, "output_tokens": output}
    if row.provider == "aws.bedrock":
        return {"inputTokens": fresh, "outputTokens": output}
    if row.provider in ("gcp.gemini", "gcp.vertex_ai"):
        return {"promptTokenCount": fresh, "candidatesTokenCount": output}
    if row.provider == "cohere":
        return {"meta": {"billed_units": {"input_tokens": fresh, "output_tokens": output}}}
    return {"prompt_tokens": fresh, "completion_tokens": output}


def ours(row: ProposedModel, fresh: int, output: int) -> Decimal | None:
    record = {
        "provider": row.provider,
        "model": row.model,
        "date": WHEN,
        "usage": our_usage(row, fresh, output),
        "context": {},
    }
    usd = calculate(book(), record).usd
    return None if usd is None else Decimal(usd)


def theirs(row: ProposedModel, fresh: int, output: int) -> Decimal | None:
    try:
        return calc_price(
            Usage(input_tokens=fresh, output_tokens=output),
            model_ref=row.model,
            provider_id=THEIR_NAMES[row.provider],
            genai_request_timestamp=datetime.fromisoformat(WHEN),
        ).total_price
    except (LookupError, ValueError):
        return None


def rows_of(provider: str) -> list[ProposedModel]:
    def has_both(row: ProposedModel) -> bool:
        words = row.prices[0].amounts.get("per_million_tokens", {})
        return "input" in words and "output" in words

    return [row for row in read() if row.provider == provider and has_both(row) and not is_listed(row)]


@pytest.mark.parametrize("provider", sorted(set(THEIR_NAMES) - {"azure.ai.openai", "deepseek"}))
@pytest.mark.parametrize(("fresh", "output"), [(1_000, 100), (350_000, 7)])
def test_a_plain_call_costs_the_same_to_the_last_decimal(provider: str, fresh: int, output: int) -> None:
    rows = rows_of(provider)
    assert len(rows) >= 7
    parted = {}
    for row in rows:
        pair = (ours(row, fresh, output), theirs(row, fresh, output))
        if pair[1] is not None and pair[0] != pair[1]:
            parted[row.model] = pair
    assert parted == {}
