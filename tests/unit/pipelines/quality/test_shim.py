"""The shim: needed as long as Great Expectations cannot do without it, and quiet."""

import os
import subprocess
import sys
from pathlib import Path

from pipelines.quality.shim import DIALECT, TUPLE_NAME, great_expectations

WITHOUT_SHIM = """
import duckdb, sys
sys.modules["pyspark"] = None
with duckdb.connect("file.duckdb") as made:
    made.execute("create table numbers as select 1 as one")
import great_expectations as gx
context = gx.get_context(mode="ephemeral")
source = context.data_sources.add_sql("source", connection_string="duckdb:///file.duckdb")
asset = source.add_query_asset("numbers", query="select * from numbers")
batch = asset.add_batch_definition_whole_table("all")
expectation = gx.expectations.ExpectColumnValuesToNotBeNull(column="one")
sys.stdout.write(f"met: {batch.get_batch().validate(expectation).success}")
"""
LOOK_AT_IMPORTS = """
import sys
import pipelines.cli, pipelines.nightly, pipelines.night_steps, pipelines.quality.run
sys.stdout.write(str("great_expectations" in sys.modules))
"""


def said_by(code: str, folder: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "GX_ANALYTICS_ENABLED": "false"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_without_the_shim_even_a_true_expectation_is_not_met(tmp_path: Path) -> None:
    # When this says True, Great Expectations has learned DuckDB: remove the shim.
    assert said_by(WITHOUT_SHIM, tmp_path) == "met: False"


def test_the_private_tuple_and_no_dialect_of_theirs() -> None:
    great_expectations()
    from great_expectations.execution_engine import sqlalchemy_execution_engine as engine
    from great_expectations.execution_engine.sqlalchemy_dialect import GXSqlDialect

    assert DIALECT not in {dialect.value for dialect in GXSqlDialect}, "they know DuckDB: remove the shim"
    known = getattr(engine, TUPLE_NAME)
    assert [entry for entry in known if entry == DIALECT] == [DIALECT]
    assert known[-1].value == DIALECT
    assert engine._dialect_requires_persisted_connection(connection_string="duckdb:///file.duckdb")


def test_a_second_call_adds_nothing() -> None:
    first, second = great_expectations(), great_expectations()
    from great_expectations.execution_engine import sqlalchemy_execution_engine as engine

    assert first is second
    assert list(getattr(engine, TUPLE_NAME)).count(DIALECT) == 1


def test_it_sends_nothing_home() -> None:
    great_expectations()
    assert os.environ["GX_ANALYTICS_ENABLED"] == "false"
    # What their telemetry was sent with.
    assert "posthog" not in sys.modules


def test_spark_is_as_it_was_after_the_import() -> None:
    before = sys.modules.get("pyspark", "absent")
    great_expectations()
    assert sys.modules.get("pyspark", "absent") is before


def test_nobody_imports_it_before_it_is_asked(tmp_path: Path) -> None:
    assert said_by(LOOK_AT_IMPORTS, tmp_path) == "False"
