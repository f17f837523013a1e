"""A made-up ledger of some weeks: enough features, models and trouble for a page to be judged by eye.

Lives here: rows from a seeded generator. Does not live here: anything a report is checked against.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from tests.snapshots import Account, Line, Requests, unpriced

# model: provider, USD per million input and output tokens
MODELS = {
    "gpt-5": ("openai", "1.25", "10"),
    "gpt-5-mini": ("openai", "0.25", "2"),
    "claude-sonnet-4-5": ("anthropic", "3", "15"),
    "mistral-large-4": ("mistral_ai", "0.68", "2.04"),
}
FEATURES = {
    "support-chat": ("care", "gpt-5", 90),
    "search-answers": ("discovery", "gpt-5-mini", 160),
    "code-review": ("platform", "claude-sonnet-4-5", 50),
    "summaries": ("discovery", "mistral-large-4", 70),
    "translation": ("care", "gpt-5-mini", 40),
    "(unassigned)": ("(unassigned)", "gpt-5", 8),
}
PURPOSES = (
    ("answer", "success", 92),
    ("retry", "error", 5),
    ("failure", "error", 2),
    ("abandoned", "cancelled", 1),
)


def demo_lines(last: date, day_count: int, seed: int = 1) -> Iterator[Line]:
    """Cost lines of `day_count` days up to `last`."""
    random = Random(seed)
    for number in range(day_count):
        day = last - timedelta(days=day_count - 1 - number)
        for feature, (team, model, weight) in FEATURES.items():
            provider, per_input, per_output = MODELS[model]
            for purpose, outcome, part in PURPOSES:
                size = weight * part * random.randint(700, 1300) * (100 + 2 * number)
                for meter, quantity, price in (
                    ("input_uncached", size, per_input),
                    ("cache_read", size // 2, str(Decimal(per_input) / 10)),
                    ("output_text", size // 6, per_output),
                ):
                    yield Line(
                        usage_date=day,
                        feature=feature,
                        team=team,
                        provider=provider,
                        model=model,
                        meter=meter,
                        purpose=purpose,
                        outcome=outcome,
                        certainty="assumed" if feature == "translation" else "stated",
                        quantity=quantity,
                        cost=str(Decimal(price) * quantity / 1_000_000),
                    )
        yield unpriced(usage_date=day, feature="summaries", team="discovery", model="orion-1", quantity=4200)


def demo_requests(last: date, day_count: int, seed: int = 1) -> Iterator[Requests]:
    """Requests of the same days, their cost taken from the lines."""
    costs: dict[tuple[date, str], Decimal] = {}
    for line in demo_lines(last, day_count, seed):
        key = (line.usage_date, line.feature)
        costs[key] = costs.get(key, Decimal(0)) + Decimal(line.cost or 0)
    for (day, feature), cost in costs.items():
        team, model, weight = FEATURES[feature]
        yield Requests(
            request_date=day,
            feature=feature,
            team=team,
            provider=MODELS[model][0],
            model=model,
            request_count=weight * 31,
            answered_count=weight * 30,
            attempt_count=weight * 33,
            retry_attempt_count=weight * 2,
            cost=str(cost),
        )


def demo_accounts() -> list[Account]:
    """Three landed files, one of them with broken lines."""
    return [
        Account(record_count=41_200),
        Account(file_sha256="b" * 64, source="otel.genai", record_count=18_900),
        Account(
            file_sha256="b" * 64,
            source="otel.genai",
            record_kind="reject",
            reason_code="broken_json",
            record_count=3,
        ),
    ]
