"""On any records, prices and owners: the SQL agrees with the oracle, and what goes in comes out."""

from collections import Counter
from collections.abc import Generator
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given

from models.engines.base import Engine
from tests.engines import build_models, load_inputs, opened
from tests.property.ledgers import END, FIRST, ledgers
from tests.spec.chain import assert_equals_oracle, offenders, rows_of


@pytest.fixture(scope="module")
def engine() -> Generator[Engine]:
    with opened("duckdb") as fresh:
        yield fresh


# One test for three claims: the same few builds serve all of them.
@given(tables=ledgers())
def test_the_chain_equals_the_oracle_conserves_and_passes_its_checks(
    engine: Engine, tables: dict[str, pa.Table]
) -> None:
    load_inputs(engine, tables)
    build_models(engine, FIRST, END)
    assert_equals_oracle(engine, tables)
    assert_conserves(engine)
    assert offenders(engine, FIRST, END) == {}


def assert_conserves(engine: Engine) -> None:
    """What goes in comes out: money in every published table, tokens in the lines, and every attempt."""
    lines = rows_of(engine, "int_cost_lines").to_pylist()
    meters = rows_of(engine, "int_meters").to_pylist()
    for kind in ("list", "contracted", "effective"):
        spent = sum(Fraction(line[f"{kind}_cost_pico_usd"] or 0, 10**12) for line in lines)
        for published in ("fct_cost_lines", "agg_daily_costs", "fct_requests", "agg_daily_requests"):
            amounts = rows_of(engine, published)[f"{kind}_cost_usd"].to_pylist()
            assert sum(Fraction(amount or 0) for amount in amounts) == spent, published
    whole = sum((row["input_total_tokens"] or 0) + (row["output_total_tokens"] or 0) for row in meters)
    tokens = Counter[bool]()
    for line in lines:
        tokens[line["meter"] not in ("tool_call", "request")] += line["quantity"]
    assert tokens[True] == whole
    assert {(line["usage_date"], line["attempt_key"]) for line in lines} == {
        (row["usage_date"], row["attempt_key"]) for row in meters
    }
