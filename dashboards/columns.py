"""Columns of the tables: which value, under which header, shown how, and explained in which words.

What lives here: column lists and the text of one cell. What does not: rows (`views.py`) and drawing
(`tables.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dashboards import formatting

Kind = Literal["name", "money", "change", "share", "change_share", "count", "exact"]
NOTHING = "–"
_ROUNDED = "Rounded for reading; all digits in the last column. “–” where no price is known."


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Args:
        key: Key of the value in a row.
        label: Header.
        kind: How a value becomes text.
        help: What the header means.
        decimals: Decimals of a money column.
    """

    key: str
    label: str
    kind: Kind
    help: str = ""
    decimals: int = 2


def cell(value: Any, column: Column) -> str:
    """The text of one cell; a dash stands for what is unknown or not defined, never a zero."""
    if column.kind == "name":
        return formatting.name(value)
    return NOTHING if value is None else _number(value, column)


def _number(value: Any, column: Column) -> str:
    match column.kind:
        case "money":
            return formatting.money(value, column.decimals)
        case "change":
            return formatting.signed(formatting.money(value, column.decimals))
        case "share":
            return formatting.share(value)
        case "change_share":
            return formatting.change_share(value)
        case "count":
            return formatting.count(value)
        case _:
            return formatting.exact(value)


def spend_columns(
    dimension: str, label: str, measure: str, is_compared: bool, rows: Sequence[Mapping[str, Any]]
) -> list[Column]:
    """Columns of a spend table by one dimension; all its money has as many decimals as its largest needs."""
    cost = f"{measure}_cost_usd"
    decimals = formatting.decimals_for(row[cost] for row in rows)
    compared = [
        Column(f"change_{cost}", "Change, USD", "change", "Against the period before.", decimals),
        Column(
            f"change_{measure}_cost_ratio",
            "Change",
            "change_share",
            "Relative to the period before; “–” where nothing was spent then, or it is not known.",
        ),
    ]
    meaning = [Column("meaning", "Means", "name")] if dimension == "purpose" else []
    return [
        Column(dimension, label, "name"),
        *meaning,
        Column(cost, "Spend, USD", "money", f"{measure.capitalize()} cost. {_ROUNDED}", decimals),
        Column(f"{measure}_cost_share", "Share", "share", "Of the spend whose price is known."),
        *(compared if is_compared else []),
        Column("token_count", "Tokens", "count", "Input and output, priced or not."),
        Column("unpriced_line_count", "Unpriced lines", "count", "Lines without a price; in no sum."),
        Column(f"{cost}_exact", "Exact, USD", "exact", "The spend with all its digits."),
    ]


def unit_cost_columns(measure: str) -> list[Column]:
    """Columns of the table of cost per million tokens; numerators and denominators are named."""
    parts = {
        "input": "input meters: uncached, cached, cache writes, audio, images",
        "output": "output meters: text, reasoning, audio, images",
        "all": "all input and output meters",
    }
    ratios = [
        Column(
            f"metered_{measure}_cost_usd_per_million_{part}_tokens",
            f"USD per 1M {part}",
            "money",
            f"Metered {measure} cost of {words} ÷ their tokens × 1,000,000; billable lines with a price.",
            4,
        )
        for part, words in parts.items()
    ]
    return [
        Column("model", "Model", "name"),
        Column("provider", "Provider", "name"),
        *ratios,
        Column("priced_input_tokens", "Input tokens", "count", "Billable, with a price."),
        Column("priced_output_tokens", "Output tokens", "count", "Billable, with a price."),
        Column("unpriced_tokens", "Unpriced tokens", "count", "Billable, without a price; in no ratio."),
        Column(
            f"metered_{measure}_cost_of_all_tokens_usd",
            "Exact, USD",
            "exact",
            f"Metered {measure} cost with all its digits: the numerator of “per 1M all”.",
        ),
    ]


UNPRICED_COLUMNS = [
    Column("reason_code", "Reason", "name"),
    Column("provider", "Provider", "name"),
    Column("model", "Model", "name", "As served, else as requested."),
    Column("unpriced_line_count", "Lines", "count"),
    Column("unpriced_tokens", "Tokens", "count"),
]
REJECT_COLUMNS = [
    Column("source", "Source", "name"),
    Column("reason_code", "Reason", "name"),
    Column("reject_count", "Records", "count"),
]
