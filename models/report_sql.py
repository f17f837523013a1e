"""Pieces of the report queries: sums that stay exact, and the meters that count tokens.

What lives here: SQL text made of fixed names. What does not: any value of a user; those are parameters.
"""

from collections.abc import Iterable

INPUT_METERS = (
    "input_uncached",
    "cache_read",
    "cache_write_5m",
    "cache_write_30m",
    "cache_write_1h",
    "cache_write_12h",
    "input_audio",
    "input_image",
)
OUTPUT_METERS = ("output_text", "output_reasoning", "output_audio", "output_image")
TOKEN_METERS = (*INPUT_METERS, *OUTPUT_METERS)

# The lines whose money is known and which the provider charges for.
PRICED = "is_billable and certainty <> 'unknown'"


def listed(names: Iterable[str]) -> str:
    """Fixed names as SQL text literals."""
    return ", ".join(f"'{name}'" for name in names)


def sum_usd(column: str, within: str = "true") -> str:
    """Sum of a USD column over the lines of a condition; null when none of them has a price."""
    return f"cast(sum({column}) filter (where {within}) as decimal(38,12))"


def sum_usd_or_zero(column: str, within: str) -> str:
    """Like `sum_usd`, and 0 when the condition holds for no line."""
    # No line is a cost of zero; lines of which none has a price are a cost nobody knows.
    return f"case when count(*) filter (where {within}) = 0 then 0 else {sum_usd(column, within)} end"


def sum_count(column: str, within: str = "true") -> str:
    """Sum of a count column over the lines of a condition."""
    return f"cast(coalesce(sum({column}) filter (where {within}), 0) as bigint)"


def sum_tokens(within: str, meters: Iterable[str] = TOKEN_METERS) -> str:
    """Sum of the quantities of the lines of a condition; in tokens."""
    chosen = f"meter in ({listed(meters)}) and {within}"
    return f"cast(coalesce(sum(quantity) filter (where {chosen}), 0) as decimal(38,0))"
