"""Importing the rooms loads neither Spark nor the translator, nor the slow packages of other rooms."""

import subprocess
import sys
from pathlib import Path

import pytest

import models

FOLDER = Path(models.__file__).parent
MODULES = [
    ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(FOLDER.rglob("*.py"))
    if path.name != "spark.py"
]


def loaded_after(imports: str) -> set[str]:
    """Return the top-level packages that a fresh interpreter holds after running some import lines."""
    code = f"import sys\n{imports}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_this_list_of_modules_is_not_empty() -> None:
    assert {"models", "models.registry", "models.engines.duckdb"} <= set(MODULES)


def test_importing_models_loads_no_optional_or_foreign_package() -> None:
    loaded = loaded_after("\n".join(f"import {module}" for module in MODULES))
    assert {"models", "duckdb", "pyarrow"} <= loaded
    unwanted = {"pyspark", "py4j", "sqlglot", "pandas", "dagster", "streamlit", "great_expectations"}
    assert not loaded & unwanted


@pytest.mark.parametrize("room", ["pricing", "pipelines", "dashboards"])
def test_importing_another_room_does_not_load_spark(room: str) -> None:
    assert not loaded_after(f"import {room}") & {"pyspark", "py4j", "sqlglot"}


@pytest.mark.spark
def test_the_spark_engine_is_what_loads_spark() -> None:
    assert {"pyspark", "sqlglot"} <= loaded_after("import models.engines.spark")
