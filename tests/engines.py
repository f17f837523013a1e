"""The engines that one test body runs on, and the building of models on any of them.

What lives here: opening an engine by its name, and building models from input tables the plain way. What
does not: the nightly build, which has its own tests.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import date

import pyarrow as pa
import pytest

from models.engines.base import Engine
from models.engines.duckdb import DuckDBEngine
from models.registry import models

BOTH = ["duckdb", pytest.param("spark", marks=pytest.mark.spark)]


@contextmanager
def opened(kind: str) -> Generator[Engine]:
    """Open a fresh engine without tables; Spark itself starts once and is shared."""
    if kind == "duckdb":
        engine: Engine = DuckDBEngine(None)
    else:
        from models.engines.spark import SparkEngine

        engine = SparkEngine()
    try:
        yield engine
    finally:
        engine.close()


def load_inputs(engine: Engine, tables: Mapping[str, pa.Table]) -> None:
    """Load every input table by its name."""
    for name, table in tables.items():
        engine.load(name, table)


def build_models(engine: Engine, start: date, end: date, names: Iterable[str] | None = None) -> list[str]:
    """Build the models for the days [start, end) in the order of the registry; returns their names.

    Args:
        engine: Holds the input tables.
        start: First day.
        end: Day after the last.
        names: Only these models; null for all.
    """
    wanted = set(models()) if names is None else set(names)
    assert wanted <= set(models()), f"no such models: {wanted - set(models())}"
    window = {"window_start": start, "window_end": end}
    built = [model for model in models().values() if model.name in wanted]
    for model in built:
        if model.window_column is None:
            engine.build(model.name, model.sql, window)
        else:
            engine.replace_window(model.name, model.sql, window, model.window_column)
    return [model.name for model in built]
