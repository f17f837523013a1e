"""What only the Spark engine can get wrong: the translation, its files, and its absence."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

from models.errors import ModelError, UserError

pytestmark = pytest.mark.spark

DAY = date(2026, 10, 19)
WINDOW = {"window_start": DAY, "window_end": date(2026, 10, 20)}


@pytest.mark.parametrize(
    ("select", "spark"),
    [
        ("cast(sum(x) as decimal(38,0))", "CAST(SUM(CAST(x AS DECIMAL(38, 0))) AS DECIMAL(38, 0))"),
        ("cast(sum(x) as bigint)", "CAST(SUM(CAST(x AS DECIMAL(38, 0))) AS BIGINT)"),
        ("cast((sum(x) over ()) as bigint)", "CAST((SUM(CAST(x AS DECIMAL(38, 0))) OVER ()) AS BIGINT)"),
        (
            "cast(sum(x) filter (where y) as bigint)",
            "CAST(SUM(CAST(x AS DECIMAL(38, 0))) FILTER(WHERE y) AS BIGINT)",
        ),
        ("cast(sum(x) as decimal(38,12))", "CAST(SUM(x) AS DECIMAL(38, 12))"),
        ("cast(sum(x) as varchar)", "CAST(SUM(x) AS STRING)"),
        ("sum(x) > 1", "SUM(x) > 1"),
        ("row_number() over (order by k)", "CAST(ROW_NUMBER() OVER (ORDER BY k NULLS LAST) AS BIGINT)"),
        ("length(s)", "CAST(LENGTH(s) AS BIGINT)"),
        ("a // b", "a DIV b"),
        ("d >= $window_start /* why */", "d >= :window_start"),
    ],
)
def test_the_translation_evens_out_the_integers(select: str, spark: str) -> None:
    from models.engines.spark import translated

    assert translated(f"select {select} as a from t") == f"SELECT {spark} AS a FROM t"


def test_what_spark_cannot_say_is_an_error() -> None:
    from models.engines.spark import SparkEngine

    engine = SparkEngine()
    with pytest.raises(ModelError, match="failed"):
        engine.fetch("select epoch_us(now()) as a")
    with pytest.raises(ModelError, match="failed"):
        engine.fetch("select from where")
    engine.close()


def test_two_engines_do_not_see_each_other() -> None:
    from models.engines.spark import SparkEngine

    one, other = SparkEngine(), SparkEngine()
    one.load("raw_days", pa.table({"k": pa.array([1], pa.int64())}))
    other.load("raw_days", pa.table({"k": pa.array([2], pa.int64())}))
    assert one.fetch("select k from raw_days").to_pydict() == {"k": [1]}
    other.close()
    assert one.fetch("select k from raw_days").to_pydict() == {"k": [1]}
    one.close()


def test_closing_removes_the_tables(tmp_path: Path) -> None:
    from models.engines.spark import SparkEngine

    engine = SparkEngine(folder=tmp_path)
    engine.load("raw_days", pa.table({"k": pa.array([1], pa.int64())}))
    engine.build("stg_days", "select k from raw_days", {})
    assert list(tmp_path.rglob("*.parquet"))
    engine.close()
    assert not list(tmp_path.iterdir())


def test_a_window_lies_in_one_folder_per_day(tmp_path: Path) -> None:
    from models.engines.spark import SparkEngine

    engine = SparkEngine(folder=tmp_path)
    select = "select cast($window_start as date) as usage_date, cast(1 as bigint) as attempt_key"
    engine.replace_window("stg_days", select, WINDOW, "usage_date")
    engine.replace_window("stg_days", select, WINDOW, "usage_date")
    assert len(list(tmp_path.rglob("window_day=2026-10-19"))) == 1
    engine.replace_window("stg_days", f"{select} where false", WINDOW, "usage_date")
    assert not list(tmp_path.rglob("window_day=*"))
    assert engine.fetch("select * from stg_days").num_rows == 0
    engine.close()


def test_without_java_the_engine_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from models.engines.spark import SparkEngine

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(UserError, match="'java' is not found · PATH and JAVA_HOME · "):
        SparkEngine()


@pytest.mark.parametrize("package", ["pyspark", "sqlglot"])
def test_without_its_packages_the_engine_says_what_to_install(package: str) -> None:
    code = (
        f"import sys; sys.modules['{package}'] = None\n"
        "from models.errors import UserError\n"
        "try:\n    import models.engines.spark\n"
        "except UserError as error:\n    print(error)"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout.startswith(f"'{package}")
    assert "' is not installed · models/engines/spark.py" in said.stdout
    assert "requirements/spark.txt" in said.stdout
