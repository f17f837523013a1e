"""Running expectations: counts equal the rows named, pages are written, and the file is free afterwards."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from models.engines.duckdb import DuckDBEngine
from pipelines.checks import CheckError
from pipelines.quality.run import ExpectationError, Outcome, validate
from pipelines.quality.suites import Expectation

ROWS = """
select n as attempt_key, case when n % 10 = 0 then null else 'a' end as source,
    case when n % 25 = 0 then 'odd' else 'success' end as outcome, n - 3 as quantity
from range(100) as numbers(n)
"""
BATCHES = {"lines": "select * from lines where attempt_key < 50"}
WANTED = [
    Expectation(
        "source_not_null",
        "lines",
        "source",
        "null",
        "source is never null",
        "select attempt_key, source from {batch} where source is null",
        {"column": "source"},
    ),
    Expectation(
        "outcome_set",
        "lines",
        "outcome",
        "set",
        "outcome is success",
        "select attempt_key, outcome from {batch} where outcome not in ('success')",
        {"column": "outcome", "value_set": ["success"]},
    ),
    Expectation(
        "quantity_range",
        "lines",
        "quantity",
        "range",
        "quantity is not negative",
        "select attempt_key, quantity from {batch} where quantity < 0",
        {"column": "quantity", "min_value": 0},
    ),
    Expectation(
        "by_hand", "lines", None, "rows", "no 49", "select attempt_key from {batch} where attempt_key = 49"
    ),
    Expectation(
        "met", "lines", None, "rows", "no 50", "select attempt_key from {batch} where attempt_key = 50"
    ),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("quality") / "rows.duckdb"
    engine = DuckDBEngine(path)
    engine.build("lines", ROWS, {})
    engine.close()
    return path


@pytest.fixture(scope="module")
def outcomes(database: Path) -> Mapping[str, Outcome]:
    done = validate(database, WANTED, BATCHES, database.parent / "docs")
    return {outcome.expectation.name: outcome for outcome in done}


def test_the_batch_is_all_that_is_looked_at(outcomes: Mapping[str, Outcome]) -> None:
    assert {outcome.checked_row_count for outcome in outcomes.values()} == {50}


def test_rows_against_are_counted_and_named(outcomes: Mapping[str, Outcome]) -> None:
    counts = {name: outcome.offending_row_count for name, outcome in outcomes.items()}
    assert counts == {"source_not_null": 5, "outcome_set": 2, "quantity_range": 3, "by_hand": 1, "met": 0}
    # Great Expectations counted, our select names: both must speak of the same rows.
    assert {name: len(outcome.offenders) for name, outcome in outcomes.items()} == counts
    assert outcomes["outcome_set"].offenders[1] == {"attempt_key": 25, "outcome": "odd"}
    assert [name for name, outcome in outcomes.items() if outcome.is_met] == ["met"]


def test_the_file_is_free_for_its_writer(database: Path, outcomes: Mapping[str, Outcome]) -> None:
    assert outcomes
    engine = DuckDBEngine(database)
    engine.build("written", "select 1 as one", {})
    engine.close()


def test_pages_show_every_expectation(database: Path, outcomes: Mapping[str, Outcome]) -> None:
    assert outcomes
    docs = database.parent / "docs"
    assert (docs / "index.html").is_file()
    (page,) = (docs / "validations").rglob("*.html")
    assert len(set(re.findall(r"no 49|no 50", page.read_text()))) == 2


def test_a_second_run_replaces_the_pages(database: Path) -> None:
    docs = database.parent / "docs"
    (docs / "left-over.html").write_text("old")
    validate(database, WANTED[-1:], BATCHES, docs)
    assert not (docs / "left-over.html").exists()
    assert (docs / "index.html").is_file()


def test_of_no_row_everything_holds(database: Path) -> None:
    batches = {"lines": "select * from lines where attempt_key < 0"}
    done = validate(database, WANTED, batches, database.parent / "docs_of_nothing")
    assert [(one.checked_row_count, one.offending_row_count) for one in done] == [(0, 0)] * len(WANTED)


def test_what_cannot_be_evaluated_does_not_pass(database: Path) -> None:
    broken = Expectation("gone", "lines", "gone", "null", "gone", "select 1 from {batch}", {"column": "gone"})
    with pytest.raises(RuntimeError, match=r"'gone' could not be evaluated.*gone") as raised:
        validate(database, [broken], BATCHES, database.parent / "docs")
    assert not isinstance(raised.value, CheckError)
    wrong = Expectation("wrong", "lines", None, "rows", "wrong", "select nothing from {batch}")
    with pytest.raises(RuntimeError, match=r"'wrong'.* could not be evaluated"):
        validate(database, [wrong], BATCHES, database.parent / "docs")


def test_the_error_names_rule_rows_pages_and_next_step(outcomes: Mapping[str, Outcome]) -> None:
    error = ExpectationError(outcomes.values(), Path("quality/data_docs/landing"))
    said = str(error)
    assert "'outcome_set' of lines is not met by 2 rows · outcome is success" in said
    assert "  attempt_key=25 outcome=odd" in said
    assert "'met'" not in said
    assert "quality/data_docs/landing/index.html" in said
    assert "next: mend what the rows name" in said
    assert isinstance(error, CheckError)
    assert {outcome.expectation.name for outcome in error.unmet} == outcomes.keys() - {"met"}


def test_only_the_first_rows_are_named() -> None:
    rows = tuple({"attempt_key": n} for n in range(20))
    said = str(ExpectationError([Outcome(WANTED[0], 500, 400, rows)], Path("docs")))
    assert "the first 20 rows:" in said
    assert said.count("attempt_key=") == 20
