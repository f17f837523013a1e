"""The columns file is read strictly, and gives the schemas of the input tables."""

from pathlib import Path

import pyarrow as pa
import pytest
import yaml

import models
from models.columns import (
    arrow_type,
    columns,
    input_tables,
    parse_dictionary,
    required_columns,
    sql_type,
    table_schema,
)
from models.errors import UserError
from models.registry import METERS

GOOD = """
columns:
  usage_date: {type: DATE, unit: day, meaning: the day}
  quantity: {type: BIGINT, meaning: how much, type_in: {agg_daily_costs: "DECIMAL(38,0)"}}
  outcome: {type: VARCHAR, meaning: how it ended, allowed: [success, error]}
tables:
  raw_days: {grain: one row per day, columns: [usage_date, quantity], required: [usage_date]}
"""


def test_a_column_has_its_type_unit_meaning_and_allowed_values() -> None:
    known = parse_dictionary(GOOD, "columns.yml").columns
    assert (known["usage_date"].type, known["usage_date"].unit) == ("DATE", "day")
    assert (known["quantity"].unit, known["quantity"].meaning) == (None, "how much")
    assert known["outcome"].allowed == ("success", "error")
    assert known["usage_date"].allowed == ()


def test_a_sum_may_be_wider_in_one_table() -> None:
    quantity = parse_dictionary(GOOD, "columns.yml").columns["quantity"]
    assert quantity.type_in("int_cost_lines") == "BIGINT"
    assert quantity.type_in("agg_daily_costs") == "DECIMAL(38,0)"


def test_an_input_table_has_its_grain_columns_and_required_ones() -> None:
    table = parse_dictionary(GOOD, "columns.yml").tables["raw_days"]
    assert (table.grain, table.columns, table.required) == (
        "one row per day",
        ("usage_date", "quantity"),
        ("usage_date",),
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("type: DATE", "type: TIMESTAMP", "'TIMESTAMP' is not a column type"),
        ("type: DATE", "type: DOUBLE", "allowed: "),
        ('"DECIMAL(38,0)"', "DECIMAL", "'DECIMAL' is not a column type"),
        ("meaning: the day", "meaning: ''", "'usage_date' has no meaning"),
        ("unit: day", "units: day", "'units' is not a key · columns.yml: columns.usage_date · allowed: unit"),
        ("allowed: [success, error]", "allowed: success", "'success' is not a list"),
        ("allowed: [success, error]", "allowed: [success, success]", "'success' is listed twice"),
        ("columns: [usage_date, quantity]", "columns: [usage_day]", "'usage_day' is not described"),
        ("columns: [usage_date, quantity]", "columns: [usage_day]", "known: usage_date"),
        ("required: [usage_date]", "required: [outcome]", "'outcome' is required but not a column"),
        ("tables:", "tabels:", "'tabels' is not a key · columns.yml · allowed: tables"),
        ("{type: DATE, unit: day, meaning: the day}", "DATE", "'DATE' is not a mapping"),
    ],
)
def test_a_mistake_is_refused_with_its_place(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(UserError) as caught:
        parse_dictionary(GOOD.replace(old, new, 1), "columns.yml")
    assert said in str(caught.value)
    assert "columns.yml" in str(caught.value)


def test_a_file_without_columns_is_refused() -> None:
    with pytest.raises(UserError, match=r"is not a mapping · columns\.yml: columns"):
        parse_dictionary("tables: {}", "columns.yml")


@pytest.mark.parametrize(
    ("name", "arrow"),
    [
        ("BIGINT", pa.int64()),
        ("INTEGER", pa.int32()),
        ("VARCHAR", pa.string()),
        ("DATE", pa.date32()),
        ("BOOLEAN", pa.bool_()),
        ("DECIMAL(38,12)", pa.decimal128(38, 12)),
        ("DECIMAL(5,0)", pa.decimal128(5, 0)),
    ],
)
def test_types_go_to_arrow_and_back(name: str, arrow: pa.DataType) -> None:
    assert arrow_type(name) == arrow
    assert sql_type(arrow) == name


def test_a_foreign_arrow_type_keeps_its_own_name() -> None:
    assert sql_type(pa.float64()) == "double"


def test_the_schema_of_an_input_table_follows_the_file() -> None:
    schema = table_schema("raw_attempts")
    assert tuple(schema.names) == input_tables()["raw_attempts"].columns
    assert schema.field("usage_date").type == pa.date32()
    assert schema.field("attempt_key").type == pa.int64()
    assert schema.field("is_gateway_cache_hit").type == pa.bool_()
    assert all(field.nullable for field in schema)


def test_required_columns_are_those_of_the_file() -> None:
    assert {"usage_date", "attempt_key", "file_sha256"} <= set(required_columns("raw_attempts"))
    assert "response_id" not in required_columns("raw_attempts")


@pytest.mark.parametrize("function", [table_schema, required_columns])
def test_an_unknown_input_table_is_refused_with_the_nearest(function: object) -> None:
    assert callable(function)
    with pytest.raises(UserError, match=r"'raw_atempts' is not an input table .* known: raw_attempts"):
        function("raw_atempts")


def test_every_meter_has_its_two_price_columns() -> None:
    names = set(table_schema("raw_token_prices").names)
    wanted = {f"{meter}_{measure}_pico_usd" for meter in METERS for measure in ("list", "contracted")}
    assert wanted <= names
    assert {name for name in names if name.endswith("_pico_usd")} == wanted


def test_no_column_is_written_twice_in_the_file() -> None:
    # A YAML reader keeps the last of two equal keys and says nothing.
    text = (Path(models.__file__).parent / "columns.yml").read_text(encoding="utf-8")
    root = yaml.compose(text)
    assert isinstance(root, yaml.MappingNode)
    for key, section in root.value:
        names = [name.value for name, _ in section.value]
        assert len(names) == len(set(names)), (
            f"{key.value}: {sorted({n for n in names if names.count(n) > 1})}"
        )


def test_money_is_pico_usd_inside_and_decimal_outside() -> None:
    for column in columns().values():
        if column.name.endswith("_pico_usd"):
            assert column.type == "BIGINT", column.name
        elif column.name.endswith("_cost_usd") and not column.name.startswith(("reported_", "stated_")):
            assert column.type == "DECIMAL(38,12)", column.name


def test_names_say_their_type() -> None:
    endings = {"_us": "BIGINT", "_key": "BIGINT", "_date": "DATE"}
    for column in columns().values():
        if column.name.startswith(("is_", "has_")):
            assert column.type == "BOOLEAN", column.name
        for ending, kind in endings.items():
            if column.name.endswith(ending):
                assert column.type == kind, column.name
