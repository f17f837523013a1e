"""The house rules that a machine can hold: who may import whom, and how large a piece may get.

SQL headers, layers and column types are held where SQL is tested (tests/unit/models, tests/spec).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("models", "pricing", "pipelines", "dashboards")
# The picture of the rooms: what each may import of ours beside itself.
MAY_IMPORT = {"models": (), "pricing": (), "pipelines": ("models", "pricing"), "dashboards": ("models",)}
# What a room must never import, even inside a function.
FORBIDDEN = {
    "models": ("dagster", "streamlit", "great_expectations"),
    "pricing": ("dagster", "streamlit", "great_expectations"),
    "pipelines": ("streamlit",),
    "dashboards": ("dagster", "great_expectations"),
}
ONLY_IN_SPARK_ENGINE = ("pyspark", "sqlglot")
SPARK_ENGINE = ROOT / "models" / "engines" / "spark.py"
MOST_LINES = 300
MOST_FUNCTION_LINES = 40
MOST_SQL_LINES = 120
MOST_CTES = 7
# Unions every kind of charge, so it grows with the kinds, not with complexity.
UNBOUNDED_SQL = {"int_cost_lines.sql"}


def python_files(*folders: str) -> list[Path]:
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert files, f"no Python file found under {folders}"
    return files


def sql_files() -> list[Path]:
    return sorted((ROOT / "models").rglob("*.sql"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; name the room"
            yield f"{node.module}"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_room_is_here() -> None:
    for room in ROOMS:
        assert (ROOT / room / "__init__.py").is_file()


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_what_the_picture_allows(room: str) -> None:
    ours = set(ROOMS) | {"tests", "benchmarks", "data"}
    allowed = {room, *MAY_IMPORT[room]}
    for path in python_files(room):
        tops = {name.split(".")[0] for name in imported(path)}
        assert not (tops & ours) - allowed, f"{path.relative_to(ROOT)} imports {(tops & ours) - allowed}"
        assert not tops & set(FORBIDDEN[room]), f"{path.relative_to(ROOT)} imports {tops}"


def test_only_the_spark_engine_imports_spark() -> None:
    for path in python_files(*ROOMS):
        tops = {name.split(".")[0] for name in imported(path)}
        found = tops & set(ONLY_IN_SPARK_ENGINE)
        assert not found or path == SPARK_ENGINE, f"{path.relative_to(ROOT)} imports {found}"


def test_one_reader_never_imports_another() -> None:
    sources = ROOT / "pipelines" / "sources"
    shared = {"base", "__init__"} | {
        path.stem for path in sources.glob("*.py") if not re.search(r"^def sniff\(", path.read_text(), re.M)
    }
    readers = {path.stem for path in sources.glob("*.py")} - shared
    assert readers, "no reader found"
    for path in (sources / f"{name}.py" for name in sorted(readers)):
        named = {name.split(".")[2] for name in imported(path) if name.startswith("pipelines.sources.")}
        assert not named & readers, f"{path.name} imports {named & readers}"


def test_dashboards_never_name_the_warehouse_or_an_unpublished_table() -> None:
    for path in python_files("dashboards"):
        found = re.findall(r"warehouse\.duckdb|\b(?:raw|int|check)_[a-z_]+\b", path.read_text())
        assert not found, f"{path.relative_to(ROOT)} names {found}"


@pytest.mark.parametrize("path", python_files(*ROOMS, "data/sample"), ids=lambda p: str(p.relative_to(ROOT)))
def test_python_stays_small_and_says_what_it_is(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= MOST_LINES, f"{path.name} has {len(text.splitlines())} lines"
    assert ast.get_docstring(tree), f"{path.name} does not open with its charter"
    # The sample's story is a list of planted calls: data, which does not get clearer in pieces.
    for node in ast.walk(tree) if path.parent.name != "sample" else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            assert lines <= MOST_FUNCTION_LINES, f"{path.name}: {node.name} has {lines} lines"


@pytest.mark.parametrize("path", sql_files(), ids=lambda p: p.name)
def test_sql_stays_small(path: Path) -> None:
    text = path.read_text()
    if path.name not in UNBOUNDED_SQL:
        assert len(text.splitlines()) <= MOST_SQL_LINES, f"{path.name} has {len(text.splitlines())} lines"
    if path.parent.name != "checks":
        names = re.findall(r"^(?:with )?([a-z_0-9]+) as \($", text, re.M)
        inputs = [name for name in names if name.startswith(("raw_", "stg_", "int_", "dim_", "fct_", "agg_"))]
        working = [name for name in names if name not in inputs and name != path.stem]
        assert len(working) <= MOST_CTES, f"{path.name} has {len(working)} working CTEs"
        assert text.rstrip().splitlines()[-1].startswith(("select * from", "from ", "order by")), path.name


def test_there_is_at_least_as_much_test_as_code() -> None:
    def lines(*folders: str) -> int:
        return sum(
            sum(
                1
                for line in path.read_text().splitlines()
                if line.strip() and not line.strip().startswith("#")
            )
            for path in python_files(*folders)
        )

    assert lines("tests") >= lines(*ROOMS)


def test_no_silent_except_and_nothing_left_undone() -> None:
    pattern = re.compile(
        r"except( Exception)?:\s*\n?\s*(pass|\.\.\.)\s*$|\b(TODO|FIXME|NotImplementedError)\b", re.M
    )
    for path in python_files(*ROOMS, "tests"):
        if path != Path(__file__):
            assert not pattern.search(path.read_text()), f"{path.relative_to(ROOT)}"
