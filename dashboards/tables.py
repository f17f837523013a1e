"""Tables: numbers right-aligned and sorted as numbers, text shown as text.

What lives here: handing rows to Streamlit. What does not: what a cell says (`columns.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboards.columns import NOTHING, Column, cell

# Beyond this many rows a table scrolls, so that the next one stays near.
_TALLEST_ROWS, _TALLEST_PIXELS = 15, 510


def show_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column], alt: str, key: str) -> None:
    """Draw a table; `alt` says in words what it holds, for people who hear the page."""
    frame = pd.DataFrame({column.key: _values(rows, column) for column in columns})
    # The style gives a cell its text and leaves the number beneath it, so that sorting stays numeric.
    styled = frame.style
    for column in columns:
        styled.format(_text_of(column), subset=[column.key])
    st.dataframe(
        styled,
        hide_index=True,
        width="stretch",
        height="content" if len(rows) <= _TALLEST_ROWS else _TALLEST_PIXELS,
        placeholder=NOTHING,
        column_config={column.key: _config(column) for column in columns},
        alt=alt,
        key=key,
    )


def _values(rows: Sequence[Mapping[str, Any]], column: Column) -> pd.Series:
    values = [cell(row[column.key], column) if column.kind == "name" else row[column.key] for row in rows]
    return pd.Series(values, dtype="object")


def _text_of(column: Column) -> Callable[[Any], str]:
    return str if column.kind == "name" else lambda value: cell(value, column)


def _config(column: Column) -> Any:
    if column.kind == "name":
        return st.column_config.TextColumn(column.label, help=column.help or None)
    return st.column_config.Column(column.label, help=column.help or None, alignment="right")
