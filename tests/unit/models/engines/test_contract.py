"""One body of tests, every engine: what the port promises.

What only one engine can get wrong is in that engine's own file beside this one.
"""

from contextlib import ExitStack
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.columns import table_schema
from models.engines.base import Engine
from models.errors import ModelError, UserError

D1, D2, D3, D4 = (date(2026, 10, day) for day in (19, 20, 21, 22))


def decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


DAYS = pa.table(
    {
        "usage_date": pa.array([D1, D1, D2, D3], pa.date32()),
        "attempt_key": pa.array([1, 2, 3, None], pa.int64()),
        "source": pa.array(["a", None, "it's", ""], pa.string()),
        "is_stream": pa.array([True, None, False, True], pa.bool_()),
        "cost": pa.array(
            [Decimal("0.000000000001"), None, Decimal("-2"), Decimal("3")], pa.decimal128(38, 12)
        ),
    }
)
WINDOW = {"window_start": D1, "window_end": D3}
ALL_DAYS = "select usage_date, attempt_key from raw_days"
IN_WINDOW = f"{ALL_DAYS} where usage_date >= $window_start and usage_date < $window_end"


def one_file(folder: Path, table: pa.Table = DAYS) -> Path:
    # A folder with a partition name, as landed files lie: its text must not become a column.
    path = folder / "usage_date=2020-01-01" / "part.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def keys_of(engine: Engine, name: str) -> list[int | None]:
    return engine.fetch(f"select attempt_key from {name} order by attempt_key")["attempt_key"].to_pylist()


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True), key=str)


# load and fetch


def test_an_arrow_table_comes_back_as_it_went_in(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    got = engine.fetch("select * from raw_days")
    assert got.schema == DAYS.schema
    assert rows_of(got) == rows_of(DAYS)


def test_parquet_files_are_read_where_they_lie(engine: Engine, tmp_path: Path) -> None:
    first = one_file(tmp_path / "it's one", DAYS.slice(0, 1))
    second = one_file(tmp_path / "two", DAYS.slice(1))
    engine.load("raw_days", [first, second])
    got = engine.fetch("select * from raw_days")
    assert got.schema == DAYS.schema
    assert rows_of(got) == rows_of(DAYS)


def test_loading_again_replaces_whatever_was_there(engine: Engine, tmp_path: Path) -> None:
    engine.load("raw_days", DAYS)
    engine.load("raw_days", [one_file(tmp_path, DAYS.slice(0, 2))])
    assert keys_of(engine, "raw_days") == [1, 2]
    engine.load("raw_days", DAYS.slice(2, 1))
    assert keys_of(engine, "raw_days") == [3]


def test_no_files_are_the_empty_input_table(engine: Engine) -> None:
    engine.load("raw_attempts", [])
    got = engine.fetch("select * from raw_attempts")
    assert got.num_rows == 0
    assert got.schema == table_schema("raw_attempts")


def test_no_files_of_an_unknown_input_table_are_an_error(engine: Engine) -> None:
    with pytest.raises(UserError, match="'raw_nothing' is not an input table"):
        engine.load("raw_nothing", [])


def test_fetch_keeps_the_order_a_select_states(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    query = "select attempt_key from raw_days order by attempt_key desc"
    assert engine.fetch(query)["attempt_key"].to_pylist() == [3, 2, 1, None]


def test_parameters_are_bound_by_type_and_unnamed_ones_left_out(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    query = (
        "select attempt_key from raw_days -- not $a_parameter\n"
        "where usage_date = $day and source = $source and attempt_key > $least and is_stream = $flag"
    )
    params = {"day": D2, "source": "it's", "least": 2, "flag": False, "unused": 1}
    assert engine.fetch(query, params)["attempt_key"].to_pylist() == [3]


def test_a_text_is_bound_and_never_run(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    got = engine.fetch("select attempt_key from raw_days where source = $text", {"text": "a' or '1'='1"})
    assert got.num_rows == 0


def test_a_parameter_without_value_is_an_error(engine: Engine) -> None:
    with pytest.raises(ModelError, match=r"parameter '\$window_start' has no value · given: window_begin"):
        engine.fetch("select $window_start as d", {"window_begin": D1})


# build


def test_build_writes_a_table_anew(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    assert engine.build("stg_days", ALL_DAYS, {}) == 4
    assert engine.build("stg_days", "select source from raw_days where attempt_key = 1", {}) == 1
    assert engine.fetch("select * from stg_days").to_pydict() == {"source": ["a"]}


def test_a_table_is_a_copy_and_not_a_view(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    engine.build("stg_days", ALL_DAYS, {})
    engine.load("raw_days", DAYS.slice(0, 1))
    assert keys_of(engine, "stg_days") == [1, 2, 3, None]


def test_a_failed_build_leaves_the_old_table(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    engine.build("stg_days", ALL_DAYS, {})
    failing = "select usage_date, cast(source as bigint) as attempt_key from raw_days"
    with pytest.raises(ModelError, match="'stg_days'"):
        engine.build("stg_days", failing, {})
    assert keys_of(engine, "stg_days") == [1, 2, 3, None]


# replace_window


def test_a_window_creates_its_table_and_a_rerun_changes_nothing(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    assert engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date") == 3
    assert engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date") == 3
    assert keys_of(engine, "stg_days") == [1, 2, 3]


def test_a_window_leaves_other_days_alone(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    engine.replace_window("stg_days", IN_WINDOW, {"window_start": D1, "window_end": D4}, "usage_date")
    engine.load("raw_days", DAYS.slice(2, 1))
    assert engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date") == 1
    assert keys_of(engine, "stg_days") == [3, None]


def test_a_day_that_becomes_empty_becomes_empty(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date")
    engine.load("raw_days", DAYS.slice(2, 1))
    engine.replace_window("stg_days", IN_WINDOW, {"window_start": D1, "window_end": D2}, "usage_date")
    assert keys_of(engine, "stg_days") == [3]


def test_a_window_without_rows_creates_an_empty_table(engine: Engine) -> None:
    engine.load("raw_days", DAYS.slice(0, 0))
    assert engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date") == 0
    got = engine.fetch("select * from stg_days")
    assert got.num_rows == 0
    assert got.schema == DAYS.schema.empty_table().select(["usage_date", "attempt_key"]).schema


def test_a_window_may_be_cut_by_another_column(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    select = "select attempt_key, usage_date as request_date from raw_days where usage_date < $window_end"
    assert engine.replace_window("fct_requests", select, WINDOW, "request_date") == 3
    assert engine.fetch("select * from fct_requests").column_names == ["attempt_key", "request_date"]


@pytest.mark.parametrize(
    ("select", "said"),
    [
        (ALL_DAYS, "row outside the window: 2026-10-21"),
        (f"{IN_WINDOW} union all select cast(null as date) as usage_date, 9 as attempt_key", "window: null"),
        (f"{ALL_DAYS} where usage_date = cast($window_end as date)", "row outside the window: 2026-10-21"),
    ],
)
def test_a_row_outside_the_window_is_an_error_and_changes_nothing(
    engine: Engine, select: str, said: str
) -> None:
    engine.load("raw_days", DAYS)
    engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date")
    with pytest.raises(ModelError) as caught:
        engine.replace_window("stg_days", select, WINDOW, "usage_date")
    assert said in str(caught.value)
    assert keys_of(engine, "stg_days") == [1, 2, 3]


def test_a_window_without_its_end_is_an_error(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    with pytest.raises(ModelError, match=r"parameter '\$window_end' has no value · given: window_start"):
        engine.replace_window("stg_days", ALL_DAYS, {"window_start": D1}, "usage_date")


@pytest.mark.parametrize(
    ("select", "changed"),
    [
        ("select usage_date, source as attempt_key from raw_days", "attempt_key"),
        ("select usage_date from raw_days", "attempt_key"),
        ("select attempt_key, usage_date from raw_days", "another order"),
    ],
)
def test_a_window_of_other_columns_is_refused(engine: Engine, select: str, changed: str) -> None:
    engine.load("raw_days", DAYS)
    engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date")
    with pytest.raises(ModelError, match="the table has other columns") as caught:
        engine.replace_window("stg_days", select, WINDOW, "usage_date")
    assert changed in str(caught.value)
    assert keys_of(engine, "stg_days") == [1, 2, 3]


def test_a_built_table_takes_windows_too(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    engine.build("stg_days", ALL_DAYS, {})
    engine.load("raw_days", DAYS.slice(0, 1))
    engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date")
    assert keys_of(engine, "stg_days") == [1, None]


# shadow


def added(amount: int) -> str:
    return f"select usage_date, attempt_key + {amount} as attempt_key from stg_days"


def test_shadows_nest_and_leave_in_turn(engine: Engine) -> None:
    engine.load("raw_days", DAYS.slice(0, 3))
    engine.build("stg_days", ALL_DAYS, {})
    with engine.shadow("stg_days", added(10), {}):
        assert keys_of(engine, "stg_days") == [11, 12, 13]
        with engine.shadow("stg_days", added(100), {}):
            assert keys_of(engine, "stg_days") == [111, 112, 113]
        assert keys_of(engine, "stg_days") == [11, 12, 13]
    assert keys_of(engine, "stg_days") == [1, 2, 3]


def test_a_table_below_is_rebuilt_under_its_own_shadow(engine: Engine) -> None:
    below = "select usage_date, attempt_key * 2 as attempt_key from stg_days where usage_date < $window_end"
    engine.load("raw_days", DAYS.slice(0, 3))
    engine.build("stg_days", ALL_DAYS, {})
    engine.build("int_days", below, WINDOW)
    with ExitStack() as stack:
        stack.enter_context(engine.shadow("stg_days", added(1), {}))
        assert keys_of(engine, "int_days") == [2, 4, 6]
        stack.enter_context(engine.shadow("int_days", below, WINDOW))
        assert keys_of(engine, "int_days") == [4, 6, 8]
    assert keys_of(engine, "int_days") == [2, 4, 6]


def test_a_shadow_leaves_when_its_block_fails(engine: Engine) -> None:
    engine.load("raw_days", DAYS.slice(0, 3))
    engine.build("stg_days", ALL_DAYS, {})
    with pytest.raises(KeyError), engine.shadow("stg_days", added(10), {}):
        raise KeyError("the block's own")
    assert keys_of(engine, "stg_days") == [1, 2, 3]


def test_a_failing_shadow_changes_nothing(engine: Engine) -> None:
    engine.load("raw_days", DAYS.slice(0, 3))
    engine.build("stg_days", ALL_DAYS, {})
    with pytest.raises(ModelError), engine.shadow("stg_days", "select nope from stg_days", {}):
        pytest.fail("the block must not run")
    assert keys_of(engine, "stg_days") == [1, 2, 3]
    with engine.shadow("stg_days", added(10), {}):
        assert keys_of(engine, "stg_days") == [11, 12, 13]


def test_a_loaded_view_of_files_can_be_shadowed(engine: Engine, tmp_path: Path) -> None:
    engine.load("stg_days", [one_file(tmp_path, DAYS.slice(0, 3))])
    with engine.shadow("stg_days", added(10), {}):
        assert keys_of(engine, "stg_days") == [11, 12, 13]
    assert keys_of(engine, "stg_days") == [1, 2, 3]


def test_a_shadowed_table_cannot_be_written(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    engine.build("stg_days", ALL_DAYS, {})
    with engine.shadow("stg_days", added(10), {}):
        with pytest.raises(ModelError, match="while it is shadowed"):
            engine.build("stg_days", ALL_DAYS, {})
        with pytest.raises(ModelError, match="while it is shadowed"):
            engine.replace_window("stg_days", IN_WINDOW, WINDOW, "usage_date")
        with pytest.raises(ModelError, match="while it is shadowed"):
            engine.load("stg_days", DAYS)
    assert keys_of(engine, "stg_days") == [1, 2, 3, None]


# write and describe


def test_write_to_a_file_keeps_types_rows_and_stated_order(engine: Engine, tmp_path: Path) -> None:
    engine.load("raw_days", DAYS)
    path = tmp_path / "new" / "2026-10-19.parquet"
    select = "select * from raw_days where usage_date < $window_end order by attempt_key desc"
    assert engine.write(select, path, WINDOW) == 3
    got = pq.ParquetFile(path).read()
    assert [(field.name, field.type) for field in got.schema] == [
        (field.name, field.type) for field in DAYS.schema
    ]
    assert got["attempt_key"].to_pylist() == [3, 2, 1]


def test_write_to_a_folder_makes_parquet_files_in_it(engine: Engine, tmp_path: Path) -> None:
    engine.load("raw_days", DAYS)
    assert engine.write("select * from raw_days", tmp_path / "days") == 4
    engine.load("raw_again", sorted((tmp_path / "days").glob("*.parquet")))
    assert rows_of(engine.fetch("select * from raw_again")) == rows_of(DAYS)


def test_write_of_no_rows_makes_a_file_with_its_schema(engine: Engine, tmp_path: Path) -> None:
    engine.load("raw_days", DAYS)
    path = tmp_path / "schema.parquet"
    assert engine.write("select * from raw_days where false", path) == 0
    assert pq.ParquetFile(path).schema_arrow.names == DAYS.schema.names


def test_describe_gives_columns_and_types_without_running(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    select = "select usage_date, count(*) as n, cast(1 as integer) as one, cast(source as bigint) as wrong"
    got = engine.describe(f"{select} from raw_days where usage_date < $window_end group by 1, 3, 4", WINDOW)
    assert got == pa.schema(
        [("usage_date", pa.date32()), ("n", pa.int64()), ("one", pa.int32()), ("wrong", pa.int64())]
    )


# types that lose digits

INEXACT = "select usage_date, cast(attempt_key as double) as ratio from raw_days"


def test_an_inexact_column_never_leaves(engine: Engine, tmp_path: Path) -> None:
    engine.load("raw_days", DAYS)
    said = r"column 'ratio' is DOUBLE · cast it to BIGINT or DECIMAL\(p,s\)"
    with pytest.raises(ModelError, match=said):
        engine.fetch(INEXACT)
    with pytest.raises(ModelError, match=said):
        engine.write(INEXACT, tmp_path / "out.parquet")
    with pytest.raises(ModelError, match=said):
        engine.build("stg_days", INEXACT, {})
    with pytest.raises(ModelError, match=said):
        engine.replace_window("stg_days", INEXACT, WINDOW, "usage_date")
    with pytest.raises(ModelError, match=said):
        engine.describe(INEXACT)
    with pytest.raises(ModelError, match=said), engine.shadow("raw_days", INEXACT, {}):
        pytest.fail("the block must not run")
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("kind", ["float", "timestamp", "decimal(10,2)[]"])
def test_other_types_outside_the_subset_are_refused(engine: Engine, kind: str) -> None:
    with pytest.raises(ModelError):
        engine.describe(f"select cast(null as {kind}) as value")


# money


def test_sums_of_integers_are_exact_beyond_bigint(engine: Engine) -> None:
    most = 9223372036854775807
    engine.load("raw_days", pa.table({"amount": pa.array([most, most, most], pa.int64())}))
    got = engine.fetch("select cast(sum(amount) as decimal(38,0)) as total from raw_days")
    assert got["total"].to_pylist() == [Decimal(most) * 3]
    windowed = "select cast(sum(amount) over () as decimal(38,0)) as total from raw_days"
    assert engine.fetch(windowed)["total"].to_pylist() == [Decimal(most) * 3] * 3


def test_pico_usd_become_usd_to_the_last_digit(engine: Engine) -> None:
    engine.load("raw_days", pa.table({"x": pa.array([9223372036854775807, 1, None], pa.int64())}))
    select = (
        "select cast(cast(sum(x) as decimal(25,0)) * cast('0.000000000001' as decimal(12,12))"
        " as decimal(38,12)) as cost from raw_days"
    )
    got = engine.fetch(select)
    assert got.schema.field("cost").type == pa.decimal128(38, 12)
    assert got["cost"].to_pylist() == [Decimal("9223372.036854775808")]


def test_a_sum_of_decimals_keeps_its_digits(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    got = engine.fetch("select cast(sum(cost) as decimal(38,12)) as cost from raw_days")
    assert got["cost"].to_pylist() == [Decimal("1.000000000001")]


def test_counts_and_row_numbers_have_one_type(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    select = (
        "select row_number() over (order by usage_date, attempt_key) as a, count(*) over () as b,"
        " rank() over (order by usage_date) as c, dense_rank() over (order by usage_date) as d,"
        " length(source) as e, lag(attempt_key) over (order by usage_date, attempt_key) as f from raw_days"
    )
    got = engine.fetch(select)
    assert set(got.schema.types) == {pa.int64()}
    assert rows_of(got) == [
        (1, 4, 1, 1, 1, None),
        (2, 4, 1, 1, None, 1),
        (3, 4, 3, 2, 4, 2),
        (4, 4, 4, 3, 0, 3),
    ]


def test_an_overflow_raises_and_never_wraps(engine: Engine) -> None:
    engine.load("raw_days", pa.table({"x": pa.array([9223372036854775807], pa.int64())}))
    with pytest.raises(ModelError, match=r"(?i)overflow|out of range"):
        engine.fetch("select x * cast(2 as bigint) as y from raw_days")


def test_nulls_sort_last_in_windows_both_ways(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    for direction in ("asc", "desc"):
        select = (
            f"select attempt_key, row_number() over (order by attempt_key {direction}) as n from raw_days"
        )
        assert (None, 4) in rows_of(engine.fetch(select))


def test_whole_division_cuts_towards_zero(engine: Engine) -> None:
    engine.load("raw_days", pa.table({"x": pa.array([7, -7], pa.int64())}))
    select = "select x // cast(2 as bigint) as whole, x % cast(2 as bigint) as rest from raw_days"
    assert rows_of(engine.fetch(select)) == [(-3, -1), (3, 1)]


# failure


def test_failure_is_wrapped_once_with_everything(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    select = "select nope from raw_days where usage_date < $window_end"
    with pytest.raises(ModelError) as caught:
        engine.replace_window("int_days", select, WINDOW, "usage_date")
    error = caught.value
    assert (error.name, error.layer) == ("int_days", "attributed")
    assert error.params["window_end"] == D3
    assert select in error.statement
    assert "nope" in error.reason
    assert not isinstance(error.__cause__, ModelError)


def test_a_failing_run_is_wrapped_too(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    failing = "select cast(source as bigint) as n from raw_days"
    for run in (lambda: engine.fetch(failing), lambda: engine.build("stg_days", failing, {})):
        with pytest.raises(ModelError, match="a"):
            run()


def test_the_engine_goes_on_after_a_failure(engine: Engine) -> None:
    engine.load("raw_days", DAYS)
    with pytest.raises(ModelError):
        engine.fetch("select nope from raw_days")
    assert keys_of(engine, "raw_days") == [1, 2, 3, None]
