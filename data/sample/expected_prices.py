"""What the sample's models cost, typed by hand from the providers' lists: a second opinion on the price book.

What lives here: list prices with dates and sources, which attempts are charged at all.
What does not: the price book (pricing/), of which this file imports nothing.
Amounts are USD per million tokens; a price holds from its day, 00:00 UTC, until the next one of its model.
All were checked on 2026-12-01 against the price data of the package genai-prices 0.2.3.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

OPENAI = "https://developers.openai.com/api/docs/pricing"
ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing"
MISTRAL = "https://mistral.ai/pricing"

# model: (valid from, input, cache read, cache write 5 min, cache write 1 h, output, source).
# Older than the sample is old enough for a first day.
PRICES: dict[str, tuple[tuple[date, str, str, str | None, str | None, str, str], ...]] = {
    "gpt-5": ((date(2025, 8, 7), "1.25", "0.125", None, None, "10", OPENAI),),
    "gpt-5-mini": ((date(2025, 8, 7), "0.25", "0.025", None, None, "2", OPENAI),),
    "gpt-4o-mini": ((date(2024, 7, 18), "0.15", "0.075", None, None, "0.60", OPENAI),),
    "claude-sonnet-4-5": ((date(2025, 9, 29), "3", "0.30", "3.75", "6", "15", ANTHROPIC),),
    "claude-haiku-4-5": ((date(2025, 10, 15), "1", "0.10", "1.25", "2", "5", ANTHROPIC),),
    "mistral-large-4": (
        (date(2026, 10, 1), "0.68", "0.07", None, None, "2.09", MISTRAL),
        (date(2026, 10, 20), "1.36", "0.14", None, None, "4.18", MISTRAL),
        (date(2026, 10, 29), "0.70", "0.07", None, None, "2.10", MISTRAL),
    ),
}

# Ids under which the providers answered.
SAME_MODEL = {
    "gpt-5-2025-08-07": "gpt-5",
    "gpt-5-mini-2025-08-07": "gpt-5-mini",
    "gpt-4o-mini-2024-07-18": "gpt-4o-mini",
    "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
    "claude-haiku-4-5-20251001": "claude-haiku-4-5",
}
# Whom the book knows, in the spellings of both formats.
PROVIDERS = {"openai", "anthropic", "mistral", "mistral_ai"}
COLUMN = {
    "input_uncached": 1,
    "cache_read": 2,
    "cache_write_5m": 3,
    "cache_write_1h": 4,
    "output_text": 5,
    "output_reasoning": 5,
}


def known_model(stated: str) -> str:
    """The name a model is priced and shown under: its own where it has no price."""
    return SAME_MODEL.get(stated, stated)


def usd_per_token(model: str, meter: str, day: date) -> Fraction | None:
    """The list price of one token of a meter on a UTC day; None where the book has none."""
    in_force = [row for row in PRICES.get(model, ()) if row[0] <= day]
    if not in_force or meter not in COLUMN:
        return None
    amount = in_force[-1][COLUMN[meter]]
    return None if amount is None else Fraction(str(amount)) / 1_000_000


def is_charged(outcome: str, error_class: str | None, has_output: bool) -> bool:
    """Whether a provider charges the attempt: what ended without a token or was over its rate is free."""
    if error_class == "rate_limited":
        return False
    return outcome in ("success", "unknown") or has_output
