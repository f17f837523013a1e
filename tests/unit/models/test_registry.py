"""The registry finds every SQL file, orders them, and makes the checks of keys."""

import os
import subprocess
import sys
from collections.abc import Generator
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

import models as room
from models.columns import input_tables
from models.engines.duckdb import DuckDBEngine
from models.errors import UserError
from models.registry import (
    LEVER_INPUTS,
    MADE_FROM,
    METERS,
    build_order,
    checks,
    key_check,
    models,
    published_tables,
)
from models.sql_files import Model

FOLDER = Path(room.__file__).parent


def model(name: str, *reads: str, window: str | None = None, key: tuple[str, ...] = ("k",)) -> Model:
    layer = {"stg": "staging", "int": "attributed"}.get(name.partition("_")[0], "marts")
    refresh = "window" if window else "full"
    return Model(name, layer, "p", "g", key, refresh, window, "", f"models/{layer}/{name}.sql", reads)


def test_every_sql_file_is_found_once() -> None:
    for folder, found in ((("staging", "attributed", "marts"), models()), (("checks",), checks())):
        files = {path.stem for layer in folder for path in (FOLDER / layer).glob("*.sql")}
        assert files
        assert files <= set(found)
    assert len(models()) == sum(
        len(list((FOLDER / layer).glob("*.sql"))) for layer in ("staging", "attributed", "marts")
    )


def test_every_model_comes_after_what_it_reads() -> None:
    seen: set[str] = set()
    for found in models().values():
        for read in found.reads:
            needed = MADE_FROM.get(read, read)
            assert needed in seen or needed in input_tables(), f"{found.name} reads {read} too early"
        seen.add(found.name)


def test_inputs_made_by_python_come_after_what_they_are_made_from() -> None:
    order = list(models())
    assert order.index("stg_token_prices") > order.index("stg_rate_cards")
    assert order.index("stg_price_items") > order.index("stg_rate_cards")
    assert order.index("stg_owners") > order.index("stg_owner_keys")


def test_the_order_does_not_depend_on_the_order_of_files() -> None:
    found = [
        model("stg_b", "raw_x"),
        model("stg_a", "raw_x"),
        model("int_c", "stg_b", "stg_a"),
        model("fct_d", "int_c"),
    ]
    orders = {tuple(build_order(some, ["raw_x"])) for some in (found, found[::-1])}
    assert orders == {("stg_a", "stg_b", "int_c", "fct_d")}


def test_a_stated_edge_orders_what_no_select_says() -> None:
    found = [model("stg_a", "raw_owners"), model("stg_owner_keys", "raw_attempts")]
    assert list(build_order(found, ["raw_owners", "raw_attempts"])) == ["stg_owner_keys", "stg_a"]


def test_a_circle_is_refused_and_drawn() -> None:
    found = [model("int_a", "int_b"), model("int_b", "int_c"), model("int_c", "int_a")]
    with pytest.raises(UserError, match="is a circle of models") as caught:
        build_order(found, [])
    assert all(name in str(caught.value) for name in ("int_a", "int_b", "int_c", " -> "))


def test_a_model_that_reads_itself_is_a_circle() -> None:
    with pytest.raises(UserError, match="'int_a -> int_a' is a circle"):
        build_order([model("int_a", "int_a")], [])


def test_an_upward_read_is_refused_while_ordering() -> None:
    with pytest.raises(UserError, match="'int_a' may not be read here"):
        build_order([model("stg_b", "int_a"), model("int_a")], [])


def test_an_unknown_read_is_refused_while_ordering() -> None:
    with pytest.raises(UserError, match="'stg_c' is no table"):
        build_order([model("stg_b", "stg_c")], ["raw_x"])


def test_lever_inputs_and_marts_are_published_in_build_order() -> None:
    published = published_tables()
    marts = {name for name, found in models().items() if found.layer == "marts"}
    assert set(published) == marts | set(LEVER_INPUTS)
    assert list(published) == [name for name in models() if name in published]


def test_meters_are_each_once_and_have_a_quantity_column() -> None:
    assert len(set(METERS)) == len(METERS) == 14


def test_window_models_have_the_window_column_in_their_key_or_are_daily() -> None:
    for found in models().values():
        assert found.key, found.name
        if found.window_column is not None:
            assert "$window_start" in found.sql, found.name
            assert "$window_end" in found.sql, found.name
        else:
            assert "$window" not in found.sql, f"{found.name} is rebuilt in full, yet names the window"


def test_every_model_has_a_check_of_its_key() -> None:
    assert {f"check_key_of_{name}" for name in models()} <= set(checks())


@pytest.fixture
def engine() -> Generator[DuckDBEngine]:
    engine = DuckDBEngine(None)
    days = pa.array([date(2026, 10, 19)] * 3 + [date(2026, 10, 20)] * 3, pa.date32())
    keys = pa.array([1, 2, 2, 3, None, 3], pa.int64())
    engine.load("int_x", pa.table({"usage_date": days, "k": keys}))
    yield engine
    engine.close()


def test_a_key_check_finds_repeated_and_null_keys_of_its_window(engine: DuckDBEngine) -> None:
    check = key_check(model("int_x", window="usage_date", key=("usage_date", "k")))
    window = {"window_start": date(2026, 10, 20), "window_end": date(2026, 10, 21)}
    rows = engine.fetch(check.sql, window).sort_by("k").to_pylist()
    day = date(2026, 10, 20)
    assert rows == [
        {"usage_date": day, "k": 3, "row_count": 2},
        {"usage_date": day, "k": None, "row_count": 1},
    ]


def test_a_key_check_of_a_full_model_reads_everything(engine: DuckDBEngine) -> None:
    check = key_check(model("int_x"))
    found = engine.fetch(check.sql).to_pydict()
    assert dict(zip(found["k"], found["row_count"], strict=True)) == {2: 2, 3: 2, None: 1}
    assert (check.refresh, check.window_column, check.reads) == ("full", None, ("int_x",))


def test_a_key_check_of_a_sound_table_finds_nothing(engine: DuckDBEngine) -> None:
    engine.load("int_x", pa.table({"k": pa.array([1, 2, 3], pa.int64())}))
    assert engine.fetch(key_check(model("int_x")).sql).num_rows == 0


def test_models_are_found_from_any_folder(tmp_path: Path) -> None:
    code = "from models.registry import models; print(len(models()))"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(run.stdout) == len(models())
