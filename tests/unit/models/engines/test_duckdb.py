"""What only the DuckDB engine can get wrong: files, settings, its own types."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from models.engines.duckdb import DuckDBEngine, table_names
from models.errors import ModelError, UserError

DAY = date(2026, 10, 19)
WINDOW = {"window_start": DAY, "window_end": date(2026, 10, 20)}


def test_a_warehouse_file_keeps_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "ware house's.duckdb"
    engine = DuckDBEngine(path)
    engine.build("stg_days", "select cast(1 as bigint) as attempt_key", {})
    engine.close()
    again = DuckDBEngine(path)
    assert again.fetch("select * from stg_days").to_pydict() == {"attempt_key": [1]}
    again.close()


def test_a_shadow_leaves_no_trace_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    engine = DuckDBEngine(path)
    engine.build("stg_days", "select cast(1 as bigint) as attempt_key", {})
    with engine.shadow("stg_days", "select attempt_key + 1 as attempt_key from stg_days", {}):
        pass
    engine.close()
    with duckdb.connect(str(path), read_only=True) as plain:
        assert plain.execute("select table_name from information_schema.tables").fetchall() == [("stg_days",)]


def test_a_crash_inside_a_window_leaves_the_last_commit(tmp_path: Path) -> None:
    engine = DuckDBEngine(tmp_path / "warehouse.duckdb")
    select = "select cast($window_start as date) as usage_date, cast(1 as bigint) as attempt_key"
    engine.replace_window("stg_days", select, WINDOW, "usage_date")
    overflowing = f"{select} union all select cast($window_start as date), cast('x' as bigint)"
    with pytest.raises(ModelError):
        engine.replace_window("stg_days", overflowing, WINDOW, "usage_date")
    assert engine.fetch("select attempt_key from stg_days").to_pydict() == {"attempt_key": [1]}
    engine.close()


def test_read_only_reads_and_never_writes(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    engine = DuckDBEngine(path)
    engine.build("stg_days", "select cast(1 as bigint) as attempt_key", {})
    engine.close()
    reader = DuckDBEngine(path, read_only=True)
    assert reader.fetch("select attempt_key from stg_days").num_rows == 1
    with pytest.raises(ModelError, match="read-only"):
        reader.build("stg_days", "select cast(2 as bigint) as attempt_key", {})
    reader.close()


def test_a_file_held_by_another_process_is_named(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    code = f"import duckdb; c = duckdb.connect({str(path)!r}); print('held', flush=True); input()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=r"warehouse\.duckdb' cannot be opened .* end the process"):
            DuckDBEngine(path)
        holder.communicate("\n")


def test_a_file_that_is_no_warehouse_is_named(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(UserError, match=r"warehouse\.duckdb' cannot be opened as a warehouse"):
        DuckDBEngine(path)


def setting(engine: DuckDBEngine, name: str) -> str:
    return str(engine.fetch(f"select cast(current_setting('{name}') as varchar) as value")["value"][0])


def test_settings_are_what_was_asked_for() -> None:
    engine = DuckDBEngine(None, memory_limit="256MiB", threads=1)
    assert setting(engine, "TimeZone") in ("UTC", "Etc/UTC")
    assert setting(engine, "memory_limit").startswith("256")
    assert setting(engine, "threads") == "1"
    assert setting(engine, "autoinstall_known_extensions") == "false"
    engine.close()


def test_a_locked_engine_opens_nothing_outside_its_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in side's", tmp_path / "outside"
    writer = DuckDBEngine(None)
    for folder in (inside, outside):
        writer.write("select cast(1 as bigint) as attempt_key", folder / "part.parquet")
    writer.close()
    engine = DuckDBEngine(None, only_under=inside)
    engine.load("fct_requests", [inside / "part.parquet"])
    assert engine.fetch("select attempt_key from fct_requests").num_rows == 1
    with pytest.raises(ModelError, match="Cannot access file"):
        engine.load("raw_secret", [outside / "part.parquet"])
    with pytest.raises(ModelError, match="Cannot access"):
        engine.fetch(f"select * from read_csv('{outside / 'part.parquet'}')")
    assert setting(engine, "enable_external_access") == "false"
    assert setting(engine, "lock_configuration") == "true"
    engine.close()


@pytest.mark.parametrize(
    "statement", ["set threads = 1", "drop table raw_days", "insert into raw_days select 2"]
)
def test_only_selects_pass(statement: str) -> None:
    engine = DuckDBEngine(None)
    engine.load("raw_days", pa.table({"k": pa.array([1], pa.int64())}))
    with pytest.raises(ModelError, match="syntax error"):
        engine.fetch(statement)
    assert engine.fetch("select k from raw_days").to_pydict() == {"k": [1]}
    engine.close()


def test_a_sum_of_integers_is_refused_before_it_turns_into_a_double(tmp_path: Path) -> None:
    engine = DuckDBEngine(None)
    engine.load("raw_days", pa.table({"tokens": pa.array([1, 2], pa.int64())}))
    said = r"column 'total' is HUGEINT · cast it to BIGINT or DECIMAL\(p,s\)"
    with pytest.raises(ModelError, match=said):
        engine.write("select sum(tokens) as total from raw_days", tmp_path / "out.parquet")
    with pytest.raises(ModelError, match=said):
        engine.fetch("select sum(tokens) as total from raw_days")
    engine.close()


def test_a_loaded_arrow_table_is_a_copy_that_outlives_it() -> None:
    engine = DuckDBEngine(None)
    source = pa.table({"attempt_key": pa.array([1], pa.int64())})
    engine.load("raw_days", source)
    del source
    assert engine.fetch("select attempt_key from raw_days").to_pydict() == {"attempt_key": [1]}
    with pytest.raises(ModelError):
        engine.fetch("select * from arriving_arrow")
    engine.close()


def test_missing_files_are_an_error(tmp_path: Path) -> None:
    engine = DuckDBEngine(None)
    with pytest.raises(ModelError, match=r"'raw_days' \(input\) failed: .*nowhere.parquet"):
        engine.load("raw_days", [tmp_path / "nowhere.parquet"])
    engine.close()


@pytest.mark.parametrize(
    ("select", "names"),
    [
        ("select 1", set[str]()),
        ("with a as (select k from stg_x where d >= $window_start) select * from a", {"stg_x"}),
        ("with stg_x as (select k from stg_x) select * from stg_x", {"stg_x"}),
        ("select a.k from stg_x as a inner join stg_y as b on a.k = b.k", {"stg_x", "stg_y"}),
        ("select k from stg_x union all select k from stg_y", {"stg_x", "stg_y"}),
        ("select k from stg_x where not exists (select 1 from stg_y as y)", {"stg_x", "stg_y"}),
    ],
)
def test_table_names_are_base_tables(select: str, names: set[str]) -> None:
    assert table_names(select) == names


def test_table_names_of_no_sql_are_an_error() -> None:
    with pytest.raises(ModelError, match="syntax error"):
        table_names("select from where")
