"""One measured step in a process of its own: `python -m benchmarks.steps STEP FOLDER`.

What lives here: the steps, each printing one JSON line of rows, seconds and peak memory. What does not: data
(`generator.py`, `json_log.py`), and the comparison of steps (`__main__.py`). Steps work one day at a time, as
the build does.
"""

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import duckdb

from benchmarks.json_log import SPEND_LOG
from models.engines.duckdb import DuckDBEngine
from models.registry import METERS, models
from pipelines import nightly
from pipelines.home import create_home
from pipelines.landing import LandingResult, land_files
from pipelines.mapping import make_mapping, resolve_owners
from pipelines.progress import stay_quiet
from pipelines.settings import load_settings
from pipelines.source_entries import Stated
from pricing.compile import compile_token_prices
from pricing.flat_tables import providers_table, usage_profiles_table
from pricing.price_book import load_price_book

LEDGER = "int_cost_lines"
# What the chain keeps between its steps, as Parquet by day, so that every step starts from the same files.
KEPT = ("int_requests", "int_meters", "stg_token_prices", "stg_owners", "int_metered_costs", LEDGER)


def days_of(folder: Path) -> list[date]:
    """Return the generated days in order."""
    return [
        date.fromisoformat(path.name.removeprefix("usage_date="))
        for path in sorted(folder.glob("usage_date=*"))
    ]


def engine_of(folder: Path) -> DuckDBEngine:
    """Return an engine in memory, bounded as the nightly job's is."""
    return DuckDBEngine(None, memory_limit="900MB", threads=2)


def window(day: date) -> dict[str, date]:
    """Return the parameters of a one-day window."""
    return {"window_start": day, "window_end": day + timedelta(days=1)}


def load_day(engine: DuckDBEngine, folder: Path, names: tuple[str, ...], day: date) -> None:
    """Let the kept tables of one day stand under their names."""
    for name in names:
        engine.load(name, [folder / "kept" / name / f"{day}.parquet"])


def prepare(folder: Path) -> int:
    """Run the chain once and keep its tables by day; the other steps are measured from those files."""
    rows = 0
    for day in days_of(folder):
        engine = engine_of(folder)
        for name, made in inputs(engine, folder, day):
            if made is not None:
                engine.load(name, made)
        for name in KEPT:
            target = folder / "kept" / name / f"{day}.parquet"
            target.parent.mkdir(parents=True, exist_ok=True)
            rows += engine.write(f"select * from {name}", target) * (name == LEDGER)
        engine.close()
    return rows


def inputs(engine: DuckDBEngine, folder: Path, day: date) -> Iterator[tuple[str, object]]:
    """Build one day model by model up to the ledger, handing over the tables that Python makes on the way."""
    book = load_price_book()
    yield "raw_attempts", [folder / f"usage_date={day}" / "generated.parquet"]
    yield "raw_usage_profiles", usage_profiles_table(book)
    yield "raw_providers", providers_table(book)
    for name, model in models().items():
        if model.layer == "marts" or name in ("stg_rejects", "stg_file_accounts", "stg_expectations"):
            continue
        engine.build(name, model.sql, window(day))
        if name == "stg_rate_cards":
            compiled = compile_token_prices(book, engine.fetch("select * from stg_rate_cards"))
            yield "raw_token_prices", compiled.token_prices
            yield "raw_price_items", compiled.price_items
        if name == "stg_owner_keys":
            owners = resolve_owners(make_mapping({}, folder), engine.fetch("select * from stg_owner_keys"))
            yield "raw_owners", owners


def scan(folder: Path) -> int:
    """Read the columns that pricing needs, and touch each value once."""
    columns = [
        "rate_card_key",
        "used_at_us",
        "input_total_tokens",
        *(f"{meter}_quantity" for meter in METERS),
    ]
    sums = ", ".join(f"cast(sum({column}) as decimal(38,0)) as {column}" for column in columns)
    return _by_day(folder, ("int_meters",), f"select {sums}, count(*) as row_count from int_meters")


def price_and_aggregate(folder: Path) -> int:
    """Price every attempt in the wide row and sum both costs of each meter by model, with the model's SQL."""
    sums = ", ".join(
        f"cast(sum({meter}_{what}) as decimal(38,0)) as {meter}_{what}"
        for meter in METERS
        for what in ("list_cost_pico_usd", "contracted_cost_pico_usd")
    )
    priced = models()["int_metered_costs"].sql
    select = (
        f"select usage_date, provider, model, {sums}, count(*) as row_count "
        f"from ({priced}) as priced group by usage_date, provider, model"
    )
    return _by_day(folder, ("int_meters", "stg_token_prices"), select)


def write_ledger(folder: Path) -> int:
    """Write the ledger's lines to Parquet from the priced wide rows, requests and owners."""
    names = ("int_metered_costs", "int_requests", "stg_owners")
    return _write(folder, names, models()[LEDGER].sql, "written")


def copy_ledger(folder: Path) -> int:
    """Write the finished ledger's lines to Parquet once more: the floor of writing it."""
    return _write(folder, (LEDGER,), f"select * from {LEDGER}", "copied")


def read_json(folder: Path) -> int:
    """Let the engine's own reader parse the spend log, every field, on one core as landing does."""
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.execute(
        "create table spend_log as select * from read_json($path)", {"path": str(spend_log(folder))}
    )
    return connection.sql("select count(*) from spend_log").fetchall()[0][0]


def land_json(folder: Path) -> int:
    """Land the spend log: parse, check, hash, write by day, commit."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        create_home(Path(home))
        landed = land_files(Path(home), [spend_log(folder)], Stated(), stay_quiet)
    return _landed_records(landed)


def json_to_ledger(folder: Path) -> int:
    """One whole load of the spend log into a new home: land, build, check, publish."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        create_home(Path(home))
        settings = load_settings(Path(home))
        landed = nightly.land(settings, [spend_log(folder)])
        nightly.build(nightly.prepare(settings))
        nightly.check(settings)
        nightly.publish(settings)
    return _landed_records(landed)


def _landed_records(landed: LandingResult) -> int:
    counts = [account.manifest.records for account in landed.files if account.manifest]
    assert len(counts) == len(landed.files), "a file did not land"
    return sum(counts)


def spend_log(folder: Path) -> Path:
    """Return the path of the generated spend log."""
    return folder / SPEND_LOG


def _by_day(folder: Path, names: tuple[str, ...], select: str) -> int:
    rows = 0
    engine = engine_of(folder)
    for day in days_of(folder):
        load_day(engine, folder, names, day)
        rows += sum(engine.fetch(select, window(day)).column("row_count").to_pylist())
    engine.close()
    return rows


def _write(folder: Path, names: tuple[str, ...], select: str, target: str) -> int:
    rows = 0
    for day in days_of(folder):
        engine = engine_of(folder)
        load_day(engine, folder, names, day)
        path = folder / target / f"{day}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows += engine.write(select, path, window(day))
        engine.close()
    return rows


STEPS: dict[str, Callable[[Path], int]] = {
    step.__name__: step
    for step in (
        *(prepare, scan, price_and_aggregate, write_ledger, copy_ledger),
        *(read_json, land_json, json_to_ledger),
    )
}


def main(step: str, folder: str) -> None:
    """Run one step and print its rows, seconds and peak memory in MB as one JSON line."""
    models()  # finding and ordering the SQL files costs the same at any size
    started = time.perf_counter()
    rows = STEPS[step](Path(folder))
    seconds = time.perf_counter() - started
    # getrusage would carry over the peak of the process that started this one.
    peak_kb = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    peak_mb = int(peak_kb[1]) // 1024 if peak_kb else None
    print(json.dumps({"step": step, "rows": rows, "seconds": round(seconds, 3), "peak_mb": peak_mb}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
