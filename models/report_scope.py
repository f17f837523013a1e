"""What a report is asked about: a period of UTC days, and the values it keeps.

What lives here: periods, the fixed lists of dimensions and measures, and the condition they make in SQL.
What does not: any report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from models.errors import UserError, nearest_first

MEASURES = ("list", "contracted", "effective")
# A daily table of requests has only the first five; the others are properties of a line.
REQUEST_DIMENSIONS = ("feature", "team", "environment", "provider", "model")
SPEND_DIMENSIONS = (
    *REQUEST_DIMENSIONS,
    "usage_date",
    "meter",
    "charge_basis",
    "purpose",
    "outcome",
    "certainty",
    "reason_code",
)

Chosen = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Period:
    """UTC days from `from_date` up to, and without, `until_date`."""

    from_date: date
    until_date: date

    def __post_init__(self) -> None:
        if self.until_date <= self.from_date:
            raise UserError(
                f"'{self.from_date} to {self.until_date}' holds no day · period of a report · "
                "an end after the start (the end is not part of the period) · move the end"
            )

    @classmethod
    def of_days(cls, first: date, last: date) -> "Period":
        """Return the period from the first to the last day, both of them included."""
        return cls(first, last + timedelta(days=1))

    @property
    def day_count(self) -> int:
        """Number of days."""
        return (self.until_date - self.from_date).days

    @property
    def last_date(self) -> date:
        """The last day that belongs to the period."""
        return self.until_date - timedelta(days=1)

    def previous(self) -> "Period":
        """Return the period of the same length that ends where this one starts."""
        return Period(self.from_date - timedelta(days=self.day_count), self.from_date)


@dataclass(frozen=True)
class Scope:
    """What a report covers; hashable, so that it can key a cache.

    Args:
        period: The days.
        chosen: Pairs of dimension and the values to keep; a dimension that is absent keeps all.
    """

    period: Period
    chosen: Chosen = ()

    def __post_init__(self) -> None:
        for dimension, _ in self.chosen:
            known_dimension(dimension, REQUEST_DIMENSIONS)

    @property
    def params(self) -> dict[str, str | date]:
        """Values of the parameters that `condition` and the report queries name."""
        days: dict[str, str | date] = {
            "from_date": self.period.from_date,
            "until_date": self.period.until_date,
            "previous_from_date": self.period.previous().from_date,
        }
        return days | {
            f"{dimension}_{number}": value
            for dimension, values in self.chosen
            for number, value in enumerate(values)
        }

    @property
    def condition(self) -> str:
        """The choice as a condition on plain columns, its values as parameters; `true` for no choice."""
        kept: list[str] = []
        for dimension, values in self.chosen:
            names = ", ".join(f"${dimension}_{number}" for number in range(len(values)))
            # An empty choice keeps nothing: `in ()` is no SQL, so it is written as false.
            kept.append(f"{dimension} in ({names})" if values else "false")
        return " and ".join(kept) or "true"


def known_dimension(name: str, allowed: Sequence[str]) -> str:
    """Return the name when it is one of the fixed list; only such names become part of a query."""
    if name not in allowed:
        raise UserError(
            f"'{name}' is not a dimension of this report · group by · "
            f"{nearest_first(name, allowed, shown=len(allowed))} · choose one of these"
        )
    return name
