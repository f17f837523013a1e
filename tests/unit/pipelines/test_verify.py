"""Reading back: counts and sums of money must be those of the warehouse."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from models.engines.duckdb import DuckDBEngine
from pipelines.verify import PublishError, cost_columns, verify_file
from tests.unit.pipelines.published import day, fill

SELECT = "select * from fct_cost_lines where usage_date = $day"
PARAMS = {"day": day(0)}


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(None)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    "lines", [[], [(0, 1, None)], [(0, 1, 0)], [(0, 1, 5), (0, 2, None), (0, 3, 7), (1, 4, 100)]]
)
def test_a_faithful_file_passes(
    engine: DuckDBEngine, tmp_path: Path, lines: list[tuple[int, int, int | None]]
) -> None:
    fill(engine, lines)
    engine.write(SELECT, tmp_path / "a.parquet", PARAMS)
    count = sum(1 for line in lines if line[0] == 0)
    assert verify_file(engine, SELECT, PARAMS, tmp_path / "a.parquet") == count


def test_sums_above_64_bits_are_exact(engine: DuckDBEngine, tmp_path: Path) -> None:
    largest = 2**63 - 1
    fill(engine, [(0, 1, largest), (0, 2, largest), (0, 3, 1)])
    select = "select * from int_cost_lines"
    engine.write(select, tmp_path / "a.parquet")
    assert verify_file(engine, select, {}, tmp_path / "a.parquet") == 3
    fill(engine, [(0, 1, largest), (0, 2, largest), (0, 3, 2)])
    with pytest.raises(PublishError, match=r"18446744073709551615 in the file and 18446744073709551616"):
        verify_file(engine, select, {}, tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ([(0, 1, 5)], "row count is 2 in the file and 1 in the warehouse"),
        ([(0, 1, 5), (0, 2, 8)], "sum of list_cost_usd is 0.000000000012 in the file and 0.000000000013"),
        ([(0, 1, None), (0, 2, None)], "sum of list_cost_usd is 0.000000000012 in the file and None"),
    ],
)
def test_any_difference_is_named(
    engine: DuckDBEngine, tmp_path: Path, changed: list[tuple[int, int, int | None]], words: str
) -> None:
    fill(engine, [(0, 1, 5), (0, 2, 7)])
    engine.write(SELECT, tmp_path / "a.parquet", PARAMS)
    fill(engine, changed)
    with pytest.raises(PublishError) as caught:
        verify_file(engine, SELECT, PARAMS, tmp_path / "a.parquet")
    assert words in str(caught.value)
    assert "the last snapshot stays" in str(caught.value)


def test_only_money_is_summed() -> None:
    names = ["effective_cost_usd", "input_uncached_list_cost_pico_usd", "reported_cost_usd", "cost_usd_text"]
    schema = pa.schema([(name, pa.int64()) for name in names])
    assert cost_columns(schema) == names[:2]
