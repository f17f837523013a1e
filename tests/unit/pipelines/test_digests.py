"""The ledger hash: equal for equal rows, different for any other row, whatever the slices."""

import hashlib
from collections.abc import Iterator
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.engines.duckdb import DuckDBEngine
from models.registry import Model
from pipelines.digests import digest_day, hash_ledger

DAY = date(2026, 10, 19)
LINES = Model(
    name="int_cost_lines",
    layer="attributed",
    purpose="",
    grain="",
    key=("usage_date", "attempt_key", "meter"),
    refresh="window",
    window_column="usage_date",
    sql="",
    path="",
    reads=(),
)
Row = tuple[int, str, str | None, int | None]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(None)
    yield engine
    engine.close()


def digest(engine: DuckDBEngine, rows: list[Row], day: date = DAY, rows_a_slice: int = 500_000) -> str | None:
    columns = list(zip(*rows, strict=True)) if rows else [(), (), (), ()]
    table = pa.table(
        {
            "usage_date": pa.array([DAY] * len(rows), pa.date32()),
            "attempt_key": pa.array(columns[0], pa.int64()),
            "meter": pa.array(columns[1], pa.string()),
            "feature": pa.array(columns[2], pa.string()),
            "list_cost_pico_usd": pa.array(columns[3], pa.int64()),
        }
    )
    engine.load("int_cost_lines", table)
    return digest_day(engine, LINES, day, rows_a_slice=rows_a_slice)


ROWS: list[Row] = [
    (1, "output_text", "chat", 20),
    (1, "input_uncached", "chat", 10),
    (2**62, "request", None, None),
    (2**63 - 1, "request", 'se,arch\n"x"', 0),
]


def test_the_order_of_rows_does_not_matter(engine: DuckDBEngine) -> None:
    assert digest(engine, ROWS) == digest(engine, ROWS[::-1])


def test_a_day_without_rows_has_no_digest(engine: DuckDBEngine) -> None:
    assert digest(engine, []) is None
    assert digest(engine, ROWS, day=date(2026, 10, 20)) is None


def test_the_digest_is_that_of_plain_csv(engine: DuckDBEngine) -> None:
    # Another release of the CSV writer that quotes differently would silently rename every ledger.
    text = (
        '2026-10-19,1,"input_uncached","chat",10\n'
        '2026-10-19,1,"output_text","chat",20\n'
        '2026-10-19,4611686018427387904,"request",,\n'
        '2026-10-19,9223372036854775807,"request","se,arch\n""x""",0\n'
    )
    assert digest(engine, ROWS) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "changed",
    [
        [*ROWS[:2], (2**62, "request", "", None), ROWS[3]],
        [*ROWS[:2], (2**62, "request", None, 0), ROWS[3]],
        [*ROWS[:3], (2**63 - 1, "request", 'se,arch\n"y"', 0)],
        ROWS[:3],
        [*ROWS, (3, "request", "chat", 1)],
    ],
    ids=["null is not empty", "null is not zero", "text", "row gone", "row new"],
)
def test_any_difference_shows(engine: DuckDBEngine, changed: list[Row]) -> None:
    assert digest(engine, changed) != digest(engine, ROWS)


@given(keys=st.lists(st.integers(0, 2**63 - 1), min_size=1, unique=True), size=st.integers(1, 5))
def test_slices_do_not_change_the_digest(engine: DuckDBEngine, keys: list[int], size: int) -> None:
    rows: list[Row] = [(key, "request", str(key), key) for key in keys]
    assert digest(engine, rows, rows_a_slice=size) == digest(engine, rows)


def test_the_ledger_hash_reads_days_in_order() -> None:
    one, two = {"2026-10-19": "aa", "2026-10-20": "bb"}, {"2026-10-20": "bb", "2026-10-19": "aa"}
    assert hash_ledger(one) == hash_ledger(two)
    assert hash_ledger(one) != hash_ledger({"2026-10-19": "bb", "2026-10-20": "aa"})
    assert hash_ledger(one) != hash_ledger({"2026-10-19": "aa", "2026-10-21": "bb"})
