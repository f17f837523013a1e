"""Every model gives the same rows with the same types on DuckDB and on Spark.

From one dataset of a few days, whose last day is built once and then becomes empty.
"""

import sys
from collections.abc import Generator
from datetime import date, timedelta

import pyarrow as pa
import pytest

from models.engines.base import Engine
from models.registry import Model, checks, models
from tests.engines import build_models, load_inputs, opened
from tests.spec.dataset import input_tables
from tests.tables import assert_same, without_day

ONE_DAY = timedelta(days=1)


def days() -> tuple[date, date]:
    found = input_tables()["raw_attempts"]["usage_date"].to_pylist()
    return min(found), max(found)


def built_twice(engine: Engine) -> None:
    """Build all days, then all again after the last one has lost its rows."""
    first, last = days()
    inputs = input_tables()
    load_inputs(engine, inputs)
    build_models(engine, first, last + ONE_DAY)
    left = without_day(inputs, last)
    load_inputs(engine, {name: table for name, table in left.items() if table is not inputs[name]})
    build_models(engine, first, last + ONE_DAY)


@pytest.fixture(scope="module")
def on_duckdb() -> Generator[Engine]:
    with opened("duckdb") as engine:
        built_twice(engine)
        yield engine


@pytest.fixture(scope="module")
def on_spark() -> Generator[Engine]:
    with opened("spark") as engine:
        built_twice(engine)
        yield engine


def rows_of(engine: Engine, model: Model) -> pa.Table:
    return engine.fetch(f"select * from {model.name}")


def test_every_model_has_a_row(on_duckdb: Engine) -> None:
    empty = [model.name for model in models().values() if not rows_of(on_duckdb, model).num_rows]
    assert models()
    assert not empty, f"the dataset gives no row of {empty}: a comparison of them would prove nothing"


def test_the_last_day_became_empty(on_duckdb: Engine) -> None:
    _, last = days()
    for model in models().values():
        if model.window_column == "usage_date":
            left = on_duckdb.fetch(
                f"select count(*) as n from {model.name} where usage_date = $day", {"day": last}
            )
            assert left["n"].to_pylist() == [0], model.name


@pytest.mark.spark
def test_every_model_is_the_same_on_both_engines(
    on_duckdb: Engine, on_spark: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = 0
    for model in models().values():
        expected = rows_of(on_duckdb, model)
        assert expected.num_rows, model.name
        try:
            assert_same(rows_of(on_spark, model), expected)
        except AssertionError as error:
            raise AssertionError(f"{model.name}: Spark differs from DuckDB: {error}") from error
        compared += 1
    assert compared == len(models())
    with capsys.disabled():
        sys.stdout.write(f"\nmodels compared on both engines: {compared}\n")


@pytest.mark.spark
def test_every_check_finds_the_same_offenders_on_both_engines(on_duckdb: Engine, on_spark: Engine) -> None:
    first, last = days()
    window = {"window_start": first, "window_end": last + ONE_DAY}
    for check in checks().values():
        assert_same(on_spark.fetch(check.sql, window), on_duckdb.fetch(check.sql, window))
