"""The rules that both engines share."""

from datetime import date

import pytest

from models.engines.base import (
    bound,
    named_parameters,
    refuse_changed,
    refuse_inexact,
    without_parameters,
)
from models.errors import ModelError

SELECT = "select '$text', 'it''s $text', a -- $comment\nfrom t where d >= $window_start and x = $x2"


def test_parameters_in_texts_and_comments_are_none() -> None:
    assert named_parameters(SELECT) == {"window_start", "x2"}


def test_parameters_become_null_and_the_rest_stays() -> None:
    assert without_parameters(SELECT) == SELECT.replace("$window_start", "NULL").replace("$x2", "NULL")


def test_only_named_parameters_are_bound() -> None:
    given = {"window_start": date(2026, 10, 19), "x2": None, "other": 1}
    assert bound("stg_a", SELECT, given) == {"window_start": date(2026, 10, 19), "x2": None}


def test_no_parameters_are_needed_where_none_is_named() -> None:
    assert bound("stg_a", "select 1", None) == {}


def test_a_missing_parameter_is_named_with_those_given() -> None:
    with pytest.raises(ModelError) as caught:
        bound("stg_a", SELECT, {"window_start": date(2026, 10, 19)})
    assert caught.value.reason == "parameter '$x2' has no value · given: window_start"


def test_a_missing_parameter_among_none_says_none() -> None:
    with pytest.raises(ModelError, match="given: none"):
        bound("stg_a", SELECT, None)


EXACT = ["BIGINT", "INTEGER", "VARCHAR", "DATE", "BOOLEAN", "DECIMAL(38,12)", "DECIMAL(5,0)"]
INEXACT = [
    "HUGEINT",
    "DOUBLE",
    "FLOAT",
    "DECIMAL",
    "TIMESTAMP",
    "BIGINT[]",
    "STRUCT(a BIGINT)",
    "UBIGINT",
    "",
]


@pytest.mark.parametrize("kind", EXACT)
def test_exact_types_pass(kind: str) -> None:
    assert refuse_inexact("stg_a", "select 1", {}, [("a", kind)]) is None


@pytest.mark.parametrize("kind", INEXACT)
def test_every_other_type_is_refused_with_its_column(kind: str) -> None:
    with pytest.raises(ModelError, match="column 'b' is"):
        refuse_inexact("stg_a", "select 1", {}, [("a", "BIGINT"), ("b", kind)])


def test_equal_columns_pass() -> None:
    held = [("a", "BIGINT"), ("b", "DATE")]
    assert refuse_changed("stg_a", "select 1", held, list(held)) is None


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ([("a", "BIGINT")], "b DATE"),
        ([("a", "BIGINT"), ("b", "VARCHAR")], "b DATE, b VARCHAR"),
        ([("b", "DATE"), ("a", "BIGINT")], "another order"),
    ],
)
def test_changed_columns_are_named(described: list[tuple[str, str]], said: str) -> None:
    with pytest.raises(ModelError) as caught:
        refuse_changed("stg_a", "select 1", [("a", "BIGINT"), ("b", "DATE")], described)
    assert f"other columns: {said} · remove the warehouse" in str(caught.value)
