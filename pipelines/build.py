"""Building the tables of the cost model, model by model over all days.

Lives here: the order of work of ledger.md 10.1, and the Python steps between models.
Does not live here: which days (days.py), where inputs come from (inputs.py), SQL (models).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from models.engines.base import Engine
from models.registry import MADE_FROM, Model, models
from pipelines import inputs
from pipelines import mapping as owners
from pipelines.days import windows
from pipelines.progress import Progress, stay_quiet
from pricing.price_book import PriceBook


@dataclass(frozen=True)
class Rules:
    """What people decided: prices and owners."""

    book: PriceBook
    mapping: owners.Mapping


Step = Callable[[Engine, Rules, Sequence[date]], None]


def _prices_step(engine: Engine, rules: Rules, days: Sequence[date]) -> None:
    inputs.load_prices(engine, rules.book, rules.mapping, days)


def _owners_step(engine: Engine, rules: Rules, days: Sequence[date]) -> None:
    inputs.load_owners(engine, rules.mapping, days)


# The model after which Python makes the next inputs, and how.
STEPS: Mapping[str, Step] = {
    MADE_FROM["raw_token_prices"]: _prices_step,
    MADE_FROM["raw_owners"]: _owners_step,
}


def build_tables(
    engine: Engine, rules: Rules, days: Sequence[date], progress: Progress = stay_quiet
) -> dict[str, int]:
    """Build every table for the sorted `days`, each for all of them before the next; rows by table.

    Landed inputs and rules (inputs.load_landed, inputs.load_rules) must be loaded for these days.
    """
    counts: dict[str, int] = {}
    for index, model in enumerate(models().values()):
        progress(f"building {model.name}", index, len(models()))
        counts[model.name] = build_table(engine, model, rules, days)
    progress("built", len(models()), len(models()))
    return counts


def build_table(engine: Engine, model: Model, rules: Rules, days: Sequence[date]) -> int:
    """Build one table for the sorted `days`, and the inputs that Python makes from it; rows of the table."""
    count = build_model(engine, model, days)
    if model.name in STEPS:
        STEPS[model.name](engine, rules, days)
    return count


def build_model(engine: Engine, model: Model, days: Sequence[date]) -> int:
    """Build one table for the sorted `days`, at most a week at a time; returns the rows it wrote."""
    if model.window_column is None:
        return engine.build(model.name, model.sql, {})
    spans = list(windows(days)) or [_no_day()]
    return sum(
        engine.replace_window(
            model.name, model.sql, {"window_start": start, "window_end": end}, model.window_column
        )
        for start, end in spans
    )


def _no_day() -> tuple[date, date]:
    # An empty window still makes the table, so that a ledger of rejects only has all of them.
    return date(1970, 1, 1), date(1970, 1, 1)
