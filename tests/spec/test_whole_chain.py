"""The data set of everything: what it holds, and that the whole chain agrees with the oracle on it."""

from collections.abc import Generator

import pytest

from models.columns import columns
from models.engines.base import Engine
from tests.engines import opened
from tests.ledger_inputs import days_of
from tests.spec.chain import assert_equals_oracle, build, offenders, rows_of
from tests.spec.dataset import input_tables


@pytest.fixture(scope="module")
def built() -> Generator[Engine]:
    with opened("duckdb") as engine:
        build(engine, input_tables())
        yield engine


def test_every_model_equals_the_oracle(built: Engine) -> None:
    assert_equals_oracle(built, input_tables())


def test_no_check_finds_anything(built: Engine) -> None:
    assert offenders(built, *days_of(input_tables())) == {}


@pytest.mark.parametrize("column", ["purpose", "certainty", "outcome"])
def test_every_allowed_value_occurs(built: Engine, column: str) -> None:
    assert set(rows_of(built, "int_cost_lines")[column].to_pylist()) == set(columns()[column].allowed)


def test_every_value_of_a_closed_set_is_an_allowed_one(built: Engine) -> None:
    for name in ("int_cost_lines", "int_meters", "stg_attempts", "agg_daily_costs"):
        table = rows_of(built, name)
        for column in table.column_names:
            allowed = {*columns()[column].allowed, None}
            assert allowed == {None} or set(table[column].to_pylist()) <= allowed, f"{name}.{column}"
