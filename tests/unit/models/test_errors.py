"""The two errors of the room say what, where and what next."""

import pickle
from datetime import date

import pytest

from models.errors import ModelError, UserError, layer_of, nearest_first


def test_a_user_error_is_a_value_error() -> None:
    assert issubclass(UserError, ValueError)


def test_a_model_error_names_model_layer_parameters_and_statement() -> None:
    error = ModelError("int_meters", "select nope", {"window_start": date(2026, 10, 19), "a": 1}, "no column")
    assert str(error) == (
        "'int_meters' (attributed) failed: no column\n"
        "parameters: $a = 1, $window_start = 2026-10-19\n"
        "statement:\nselect nope"
    )


def test_a_model_error_without_parameters_says_so() -> None:
    assert "parameters: none\n" in str(ModelError("(query)", "select 1", {}, "why"))


def test_a_model_error_survives_pickling() -> None:
    error = ModelError("fct_requests", "select 1", {"day": date(2026, 10, 19)}, "why")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.name, copy.layer, copy.params) == (
        str(error),
        "fct_requests",
        "marts",
        {"day": date(2026, 10, 19)},
    )


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("raw_attempts", "input"),
        ("stg_attempts", "staging"),
        ("int_meters", "attributed"),
        ("dim_price_items", "marts"),
        ("fct_requests", "marts"),
        ("agg_daily_costs", "marts"),
        ("export_focus", "marts"),
        ("check_money", "checks"),
        ("(query)", "query"),
    ],
)
def test_the_prefix_is_the_layer(name: str, layer: str) -> None:
    assert layer_of(name) == layer


def test_the_nearest_name_comes_first_then_the_others_in_order() -> None:
    names = ["alpha", "beta", "stg_attempts", "stg_owners"]
    assert nearest_first("stg_atempts", names) == "stg_attempts, stg_owners, alpha, beta"


def test_a_long_list_is_cut_and_counted() -> None:
    assert (
        nearest_first("x", [f"name_{at:02}" for at in range(12)], shown=2) == "name_00, name_01 and 10 more"
    )


def test_nothing_allowed_is_an_empty_list() -> None:
    assert nearest_first("x", []) == ""
