"""The two boundaries of a load: what landed, before it is built; what is built, before it is published.

Lives here: which rows are looked at (those of the days under construction), what a failure stops, and the
results as the input table `raw_expectations`. The caller holds the writer's lock, and no connection to the
warehouse is open.
Does not live here: the expectations (suites.py) and running them (run.py).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq

from models.columns import input_tables, table_schema
from models.dictionary import schemas
from models.engines.duckdb import DuckDBEngine
from models.registry import models
from pipelines.build import build_model
from pipelines.durable import sync_folder
from pipelines.manifests import Manifest, raw_files
from pipelines.progress import Progress, stay_quiet
from pipelines.quality import suites
from pipelines.quality.run import ExpectationError, Outcome, validate
from pipelines.settings import Settings
from pipelines.warehouse import open_warehouse

LANDING, PUBLISHING = "landing", "publishing"
WEEKS = 4
FEWEST_RECORDS = 1000
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
_RESULTS = ("stg_expectations", suites.RESULTS)


def expectations_at_landing(
    settings: Settings, manifests: Sequence[Manifest], days: Collection[date], progress: Progress = stay_quiet
) -> list[Outcome]:
    """Look at the landed rows of `days` before they are built; raises ExpectationError naming rows.

    Call it after planning and before the first table. With `quality.expectations: false` it does nothing.
    """
    if not settings.quality.expectations:
        return []
    tables = _landed_tables(manifests)
    wanted = suites.landing_suites(tables) + _written(settings, manifests, days)
    database = _folder(settings) / "landed.duckdb"
    database.unlink(missing_ok=True)
    engine = DuckDBEngine(database)
    try:
        # Views of the files: nothing is copied, and an empty list is an empty table.
        for table in tables:
            is_daily = "usage_date" in input_tables()[table].columns
            engine.load(table, raw_files(settings.landed, table, days if is_daily else None))
    finally:
        engine.close()
    batches = {name: f"select * from {name}" for name in tables}
    return _judged(settings, LANDING, database, wanted, batches, days, progress)


def expectations_before_publishing(
    settings: Settings, days: Collection[date], progress: Progress = stay_quiet
) -> list[Outcome]:
    """Look at the built rows of `days` before they are published; raises ExpectationError naming rows.

    Call it after the checks, with the warehouse closed. The results of both boundaries are then the table
    fct_expectations of the warehouse; with `quality.expectations: false` that table is empty.
    """
    outcomes: list[Outcome] = []
    if settings.quality.expectations:
        described = {table: [name for name, _ in named] for table, named in schemas().items()}
        accepted = settings.quality.accepted_days
        wanted = suites.publishing_suites(described)
        wanted.append(suites.unknown_models(settings.quality.unknown_model_share, accepted))
        batches = {name: _batch(name, days) for name in suites.looked_at()}
        outcomes = _judged(settings, PUBLISHING, settings.warehouse, wanted, batches, days, progress)
    _build_results(settings)
    return outcomes


def usual_records(manifests: Sequence[Manifest], days: Collection[date]) -> dict[str, int]:
    """The usual record count of each of `days`: the median of its weekday in the four weeks before.

    Left out are the newest landed day, which may still be arriving, and days of no or a small past.
    """
    counts: dict[date, int] = {}
    for manifest in manifests:
        for day, rows in manifest.days.items():
            counts[day] = counts.get(day, 0) + rows
    usual: dict[str, int] = {}
    for day in sorted(day for day in days if counts and day < max(counts)):
        before = [counts[past] for past in _same_weekday(day) if past in counts]
        if before and median(before) >= FEWEST_RECORDS:
            usual[day.isoformat()] = int(median(before))
    return usual


def _landed_tables(manifests: Sequence[Manifest]) -> list[str]:
    named = {part.partition("/")[0] for manifest in manifests for part in manifest.parts}
    return sorted((named & input_tables().keys()) | {"raw_attempts"})


def _same_weekday(day: date) -> list[date]:
    return [day - timedelta(weeks=week) for week in range(1, WEEKS + 1)]


def _written(
    settings: Settings, manifests: Sequence[Manifest], days: Collection[date]
) -> list[suites.Expectation]:
    choices = settings.quality
    usual = usual_records(manifests, set(days) - set(choices.accepted_days))
    landed = max((manifest.landed_at for manifest in manifests), default="1970-01-01T00:00:00+00:00")
    latest = datetime.fromisoformat(landed) + timedelta(minutes=choices.clock_ahead_minutes)
    return [
        suites.token_clock(),
        suites.future_clock((latest - _EPOCH) // timedelta(microseconds=1)),
        suites.volume(usual, choices.volume_factor),
    ]


def _judged(
    settings: Settings,
    boundary: str,
    database: Path,
    wanted: Sequence[suites.Expectation],
    batches: Mapping[str, str],
    days: Collection[date],
    progress: Progress,
) -> list[Outcome]:
    docs = _folder(settings) / "data_docs" / boundary
    outcomes = validate(database, wanted, batches, docs, progress)
    _write_results(settings, boundary, outcomes, days)
    if not all(outcome.is_met for outcome in outcomes):
        raise ExpectationError(outcomes, docs)
    return outcomes


def _batch(table: str, days: Collection[date]) -> str:
    column = models()[table].window_column
    if column is None:
        return f"select * from {table}"
    listed = ", ".join(f"date '{day.isoformat()}'" for day in sorted(days)) or "date '1970-01-01'"
    return f"select * from {table} where {column} in ({listed})"


def _write_results(
    settings: Settings, boundary: str, outcomes: Sequence[Outcome], days: Collection[date]
) -> None:
    rows = [
        {
            "boundary": boundary,
            "expectation_name": outcome.expectation.name,
            "table_name": outcome.expectation.table,
            "column_name": outcome.expectation.column,
            "rule": outcome.expectation.rule,
            "first_date": min(days, default=None),
            "last_date": max(days, default=None),
            "checked_row_count": outcome.checked_row_count,
            "offending_row_count": outcome.offending_row_count,
            "is_met": outcome.is_met,
        }
        for outcome in outcomes
    ]
    path = _results_file(settings, boundary)
    pq.write_table(pa.Table.from_pylist(rows, schema=table_schema("raw_expectations")), path)
    sync_folder(path.parent)


def _build_results(settings: Settings) -> None:
    files = [_results_file(settings, boundary) for boundary in (LANDING, PUBLISHING)]
    is_on = settings.quality.expectations
    found = [pq.read_table(path) for path in files if is_on and path.exists()]
    with open_warehouse(settings) as engine:
        empty = table_schema("raw_expectations").empty_table()
        engine.load("raw_expectations", pa.concat_tables([empty, *found]))
        for name in _RESULTS:
            build_model(engine, models()[name], ())


def _results_file(settings: Settings, boundary: str) -> Path:
    return _folder(settings) / f"{boundary}.parquet"


def _folder(settings: Settings) -> Path:
    settings.quality_folder.mkdir(parents=True, exist_ok=True)
    return settings.quality_folder
