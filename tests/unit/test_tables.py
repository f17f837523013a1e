"""Tables drawn as text read as they look, and their comparison sees every difference."""

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from models.columns import table_schema
from models.errors import UserError
from tests.tables import assert_rows, assert_same, drawn, input_table, text_of, without_day

TEXT = """
usage_date | attempt_key | feature | is_billable | list_cost_usd
-----------+-------------+---------+-------------+---------------
2026-10-19 | 1_000       | chat    | true        | 0.000000000001
2026-10-20 | null        | ''      | false       | null
"""


def test_cells_have_the_types_of_the_columns_file() -> None:
    table = drawn(TEXT)
    assert table.schema == pa.schema(
        [
            ("usage_date", pa.date32()),
            ("attempt_key", pa.int64()),
            ("feature", pa.string()),
            ("is_billable", pa.bool_()),
            ("list_cost_usd", pa.decimal128(38, 12)),
        ]
    )
    assert table.to_pylist()[0] == {
        "usage_date": date(2026, 10, 19),
        "attempt_key": 1000,
        "feature": "chat",
        "is_billable": True,
        "list_cost_usd": Decimal("0.000000000001"),
    }
    assert list(table.to_pylist()[1].values()) == [date(2026, 10, 20), None, "", False, None]


def test_a_column_may_be_wider_in_one_table() -> None:
    text = "quantity\n12345678901234567890123"
    assert drawn(text, "agg_daily_costs")["quantity"].to_pylist() == [Decimal("12345678901234567890123")]
    with pytest.raises(OverflowError):
        drawn(text, "int_cost_lines")


def test_drawing_and_reading_back_changes_nothing() -> None:
    table = drawn(TEXT)
    assert drawn(text_of(table)) == table


def test_a_table_without_rows_keeps_its_columns() -> None:
    table = drawn("usage_date | attempt_key")
    assert (table.num_rows, table.column_names) == (0, ["usage_date", "attempt_key"])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("attempt_key | feature\n1", AssertionError),
        ("attempt_key | feature\n1 | ", AssertionError),
        ("attempt_key\none", ValueError),
        ("is_billable\nyes", KeyError),
        ("usage_date\n19.10.2026", ValueError),
        ("no_such_column\n1", KeyError),
    ],
)
def test_a_mistaken_drawing_fails(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        drawn(text)


def test_an_input_table_is_filled_with_defaults_and_nulls() -> None:
    text = "file_sha256 | record_position\nf | 1\nf | 2"
    table = input_table("raw_rejects", text, {"source": "s", "reason_code": "bad"})
    assert table.schema == table_schema("raw_rejects")
    assert table.to_pylist()[1] == {
        "file_sha256": "f",
        "record_position": "2",
        "source": "s",
        "reason_code": "bad",
        "detail": None,
        "excerpt": None,
    }


def test_an_input_table_without_a_required_column_fails() -> None:
    with pytest.raises(AssertionError, match="reason_code"):
        input_table("raw_rejects", "file_sha256 | record_position | source\nf | 1 | s")


def test_an_input_table_with_a_strange_column_fails() -> None:
    with pytest.raises(AssertionError, match="meter"):
        input_table("raw_providers", "provider | meter\nopenai | request")


def test_an_unknown_input_table_fails() -> None:
    with pytest.raises(UserError):
        input_table("raw_nothing", "provider\nopenai")


def test_the_order_of_rows_does_not_matter() -> None:
    assert_same(drawn("attempt_key\n1\n2\nnull"), drawn("attempt_key\nnull\n2\n1"))


@pytest.mark.parametrize(
    ("got", "expected", "said"),
    [
        ("attempt_key\n1\n1", "attempt_key\n1", "got, not expected:\nattempt_key\n1"),
        ("attempt_key\n1", "attempt_key\n1\n1", "expected, not got:\nattempt_key\n1"),
        ("attempt_key\nnull", "attempt_key\n0", "null"),
        ("feature\n''", "feature\nnull", "''"),
        ("attempt_key | feature\n1 | a", "feature | attempt_key\na | 1", "columns differ"),
        ("attempt_key\n1", "request_key\n1", "columns differ"),
    ],
)
def test_every_difference_is_seen(got: str, expected: str, said: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same(drawn(got), drawn(expected))
    assert said in str(caught.value)


def test_types_must_be_equal_even_where_values_are() -> None:
    wide = pa.table({"n": pa.array([1], pa.int64())})
    with pytest.raises(AssertionError, match="columns differ"):
        assert_same(wide, pa.table({"n": pa.array([1], pa.int32())}))


def test_assert_rows_looks_at_the_drawn_columns_only() -> None:
    table = drawn(TEXT)
    assert_rows(table, "feature | attempt_key\n'' | null\nchat | 1000")
    with pytest.raises(AssertionError, match="rows differ"):
        assert_rows(table, "attempt_key\n1000")


def test_without_day_takes_the_rows_of_that_day_from_daily_tables() -> None:
    tables = {"raw_a": drawn(TEXT), "raw_b": drawn("provider\nopenai")}
    left = without_day(tables, date(2026, 10, 19))
    assert left["raw_a"]["attempt_key"].to_pylist() == [None]
    assert left["raw_b"] is tables["raw_b"]
