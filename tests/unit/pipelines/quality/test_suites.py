"""The suites: what columns.yml gives, what is left to the other rings, and the selects written by hand."""

from collections import Counter
from collections.abc import Iterator

import pytest

from models.columns import columns, input_tables, required_columns
from models.dictionary import schemas
from models.engines.duckdb import DuckDBEngine
from models.registry import models, published_tables
from pipelines.quality import suites
from pipelines.quality.suites import Expectation
from pipelines.sources.rules import REQUIRED, kind_of

LANDED = ("raw_attempts", "raw_rejects")


@pytest.fixture(scope="module")
def landing() -> list[Expectation]:
    return suites.landing_suites(LANDED)


@pytest.fixture(scope="module")
def publishing() -> list[Expectation]:
    return suites.publishing_suites({name: [one for one, _ in named] for name, named in schemas().items()})


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(None)
    yield engine
    engine.close()


def of_kind(wanted: list[Expectation], table: str, kind: str) -> set[str | None]:
    return {one.column for one in wanted if (one.table, one.kind) == (table, kind)}


def found(engine: DuckDBEngine, wanted: Expectation, batch: str) -> list[dict[str, object]]:
    return engine.fetch(wanted.offenders.format(batch=batch)).to_pylist()


def test_names_are_unique_in_a_boundary(landing: list[Expectation], publishing: list[Expectation]) -> None:
    for wanted in (landing, publishing):
        assert max(Counter(one.name for one in wanted).values()) == 1


def test_every_table_has_its_types(landing: list[Expectation], publishing: list[Expectation]) -> None:
    assert {one.table for one in landing if one.name.endswith("_types")} == set(LANDED)
    named = {one.table for one in publishing if one.name.endswith("_types")}
    assert named == set(published_tables()) - {"fct_expectations"}


@pytest.mark.parametrize("table", LANDED)
def test_required_columns_are_split_between_readers_and_this_ring(
    landing: list[Expectation], table: str
) -> None:
    here = of_kind(landing, table, "null")
    assert here | (REQUIRED & set(required_columns(table))) == set(required_columns(table))
    assert not here & REQUIRED


def test_keys_stay_with_the_checks(publishing: list[Expectation]) -> None:
    assert not [one for one in publishing if one.kind == "null"]


def test_bounds_of_readers_are_not_repeated(landing: list[Expectation]) -> None:
    here = of_kind(landing, "raw_attempts", "range")
    assert {"attempt_key", "owner_key", "rate_card_key"} <= here
    assert {kind_of(str(name)) for name in here} == {"text"}


def test_every_closed_set_is_expected_once(landing: list[Expectation], publishing: list[Expectation]) -> None:
    known = columns()
    closed = {name for name in input_tables()["raw_attempts"].columns if known[name].allowed}
    assert of_kind(landing, "raw_attempts", "set") == closed
    assert {"purpose", "certainty", "outcome", "meter"} <= of_kind(publishing, "fct_cost_lines", "set")
    assert of_kind(publishing, "stg_attempts", "set") == set()
    outcome = next(one for one in landing if one.name == "raw_attempts_outcome_set")
    assert outcome.arguments["value_set"] == list(known["outcome"].allowed)


def test_money_and_counts_are_not_negative(publishing: list[Expectation]) -> None:
    assert {"quantity", "list_cost_usd", "request_key"} <= of_kind(publishing, "fct_cost_lines", "range")
    assert "usage_date" not in of_kind(publishing, "fct_cost_lines", "range")


def test_offenders_are_named_by_the_key(publishing: list[Expectation]) -> None:
    one = next(one for one in publishing if one.name == "fct_cost_lines_quantity_range")
    shown = one.offenders.removeprefix("select ").partition(" from ")[0].split(", ")
    assert shown == [*models()["fct_cost_lines"].key, "quantity"]


def test_a_wrong_type_and_a_missing_column_are_named(engine: DuckDBEngine) -> None:
    engine.build("raw_rejects", "select cast(1 as integer) as file_sha256, 'x' as reason_code", {})
    types = next(one for one in suites.landing_suites(["raw_rejects"]) if one.name == "raw_rejects_types")
    rows = {str(row["column_name"]): row for row in found(engine, types, "raw_rejects as batch")}
    assert set(rows) == set(input_tables()["raw_rejects"].columns) - {"reason_code"}
    assert rows["file_sha256"] == {"column_name": "file_sha256", "expected": "VARCHAR", "found": "INTEGER"}
    assert rows["source"]["found"] is None


@pytest.mark.parametrize(
    ("started", "first", "ended", "is_met"),
    [
        (10, 10, 20, True),
        (10, 20, 20, True),
        (10, 9, 20, False),
        (10, 21, 20, False),
        (None, 9, None, True),
        (10, None, 20, True),
    ],
)
def test_token_clock(
    engine: DuckDBEngine, started: int | None, first: int | None, ended: int | None, is_met: bool
) -> None:
    values = ", ".join("cast(null as bigint)" if one is None else str(one) for one in (started, first, ended))
    batch = f"(values ('f', '1', {values})) as batch(file_sha256, record_position, started_at_us, {REST})"
    assert (found(engine, suites.token_clock(), batch) == []) is is_met


REST = "first_token_at_us, ended_at_us"


@pytest.mark.parametrize(("used", "is_met"), [(99, True), (100, True), (101, False)])
def test_future_clock(engine: DuckDBEngine, used: int, is_met: bool) -> None:
    batch = f"(values ('f', '1', {used})) as batch(file_sha256, record_position, used_at_us)"
    assert (found(engine, suites.future_clock(100), batch) == []) is is_met


@pytest.mark.parametrize(
    ("count", "is_met"), [(0, False), (9, False), (10, True), (100, True), (1000, True), (1001, False)]
)
def test_volume(engine: DuckDBEngine, count: int, is_met: bool) -> None:
    batch = f"(select date '2026-10-26' as usage_date from range({count})) as batch"
    rows = found(engine, suites.volume({"2026-10-26": 100}, 10.0), batch)
    assert (rows == []) is is_met
    assert [row["record_count"] for row in rows] == [] if is_met else [count]


def test_volume_of_days_without_a_past_is_any(engine: DuckDBEngine) -> None:
    assert found(engine, suites.volume({}, 2.0), "(select date '2026-10-26' as usage_date) as batch") == []


@pytest.mark.parametrize(
    ("count", "unknown", "accepted", "is_met"),
    [
        (1000, 200, [], True),
        (1000, 201, [], False),
        (999, 999, [], True),
        (1000, 1000, ["2026-10-26"], True),
        (1000, 1000, ["2026-10-27"], False),
    ],
)
def test_unknown_models(
    engine: DuckDBEngine, count: int, unknown: int, accepted: list[str], is_met: bool
) -> None:
    # Two lines an attempt: attempts count, not lines.
    batch = (
        "(select date '2026-10-26' as usage_date, n // 2 as attempt_key, 'acme-1' as model,"
        f" case when n // 2 < {unknown} then 'unknown_model' else '' end as reason_code"
        f" from range({2 * count}) as numbers(n)) as batch"
    )
    rows = found(engine, suites.unknown_models(0.2, accepted), batch)
    assert (rows == []) is is_met
    if rows:
        assert rows[0]["unknown_count"] == unknown
        assert rows[0]["unknown_models"] == "acme-1"
