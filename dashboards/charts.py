"""Charts in Altair: bars that follow the theme, and the exact amount in every tooltip.

What lives here: marks, scales and colours. What does not: choosing or summing rows (`views.py`). Heights of
bars are floating point; they are pixels, not money: the amount people read is the exact text.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt

# Paul Tol's bright set: told apart with any kind of colour vision, on white and on black. Grey is the rest.
COLORS = ("#4477AA", "#CCBB44", "#AA3377", "#228833", "#66CCEE", "#EE6677")
REST_COLOR = "#8C8C8C"
_HEIGHT = 360
_WIDEST_BAR, _WIDTH = 64, 700


def daily_bars(rows: Sequence[dict[str, Any]], days: Sequence[str], rest: str, label: str) -> alt.Chart:
    """Stacked bars, one per day, of rows with day, series, rank, amount (USD) and its exact text."""
    by_rank = sorted(rows, key=lambda row: row["rank"])
    series = list(dict.fromkeys(row["series"] for row in by_rank))
    palette = [
        REST_COLOR if name == rest else COLORS[place % len(COLORS)] for place, name in enumerate(series)
    ]
    data = alt.Data(values=[{**row, "amount": float(row["amount"])} for row in rows])
    width = max(2, min(_WIDEST_BAR, _WIDTH // max(len(days), 1)))
    return (
        alt.Chart(data, height=_HEIGHT)
        .mark_bar(stroke="#FFFFFF", strokeWidth=0.5, strokeOpacity=0.6, size=width)
        .encode(
            # Days are names here, not instants: a browser would move an instant into its own time zone.
            x=alt.X(
                "day:O",
                title=None,
                scale=alt.Scale(domain=list(days)),
                axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False),
            ),
            y=alt.Y("amount:Q", title=label, axis=alt.Axis(tickCount=6)),
            color=alt.Color(
                "series:N",
                title=None,
                scale=alt.Scale(domain=series, range=palette),
                legend=alt.Legend(orient="top", columns=4, labelLimit=220, symbolStrokeWidth=0),
            ),
            order=alt.Order("rank:O"),
            tooltip=[
                alt.Tooltip("day:N", title="UTC day"),
                alt.Tooltip("series:N", title="Feature"),
                alt.Tooltip("exact:N", title="USD, exact"),
            ],
        )
    )
