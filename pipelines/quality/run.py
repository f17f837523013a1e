"""Running expectations by Great Expectations inside DuckDB, and naming the rows that do not meet them.

Lives here: pushing suites down to a database file opened read-only (no process may have it open for writing),
the pages of Data Docs, and the rows behind a failure. Great Expectations is imported inside functions only,
because that takes seconds.
Does not live here: the expectations (suites.py), and what a failure stops (boundaries.py).
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.engines.duckdb import DuckDBEngine
from pipelines.checks import NAMED_ROWS, CheckError
from pipelines.progress import Progress, stay_quiet
from pipelines.quality.shim import great_expectations
from pipelines.quality.suites import Expectation

_CLASSES = {
    "null": "ExpectColumnValuesToNotBeNull",
    "set": "ExpectColumnValuesToBeInSet",
    "range": "ExpectColumnValuesToBeBetween",
}
_SITE = "inferledger"


@dataclass(frozen=True)
class Outcome:
    """One expectation after a run: rows looked at, rows against it, and the first of those."""

    expectation: Expectation
    checked_row_count: int
    offending_row_count: int
    offenders: tuple[dict[str, Any], ...] = ()

    @property
    def is_met(self) -> bool:
        """True when no row is against it."""
        return self.offending_row_count == 0


class ExpectationError(CheckError):
    """An expectation that is not met: nothing is published, and the message names the rows."""

    def __init__(self, outcomes: Iterable[Outcome], docs: Path) -> None:
        self.unmet = tuple(outcome for outcome in outcomes if not outcome.is_met)
        parts = [_describe(outcome) for outcome in self.unmet]
        RuntimeError.__init__(
            self,
            "\n".join(parts) + "\nnothing is published, the last snapshot stays · pages of the run: "
            f"{docs / 'index.html'} · next: mend what the rows name (a file, the mapping), or accept days by "
            "quality.accepted_days of inferledger.yml, then run: inferledger run",
        )


def _describe(outcome: Outcome) -> str:
    wanted, shown = outcome.expectation, len(outcome.offenders)
    head = (
        f"'{wanted.name}' of {wanted.table} is not met by {outcome.offending_row_count} rows · {wanted.rule}"
    )
    rows = [" ".join(f"{name}={value}" for name, value in row.items()) for row in outcome.offenders]
    title = "the rows:" if shown == outcome.offending_row_count else f"the first {shown} rows:"
    return "\n".join([head, title, *(f"  {row}" for row in rows)])


def validate(
    database: Path,
    wanted: Sequence[Expectation],
    batches: Mapping[str, str],
    docs: Path,
    progress: Progress = stay_quiet,
) -> list[Outcome]:
    """Run the expectations over the `batches` (select by table) of a closed database file; writes `docs`.

    Raises:
        RuntimeError: An expectation could not be evaluated: nothing is known, so nothing passes.
    """
    progress("importing Great Expectations", 0, len(batches) + 1)
    gx = great_expectations()
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False, "metric_calculations": False}
    source = context.data_sources.add_sql(
        "ledger", connection_string=f"duckdb:///{database}?access_mode=read_only"
    )
    found: dict[str, tuple[int, int]] = {}
    try:
        for number, (table, select) in enumerate(batches.items(), start=1):
            progress(f"expecting of {table}", number, len(batches) + 1)
            named = [one for one in wanted if one.table == table]
            found |= _run_suite(gx, context, source, table, select, named)
        _write_docs(context, docs)
    finally:
        _close(source)
    progress("expectations looked at", len(batches) + 1, len(batches) + 1)
    return _named(database, wanted, batches, found)


def _run_suite(
    gx: Any, context: Any, source: Any, table: str, select: str, wanted: Sequence[Expectation]
) -> dict[str, tuple[int, int]]:
    """Rows looked at and rows against, by name of the expectation."""
    asset = source.add_query_asset(table, query=select)
    batch = asset.add_batch_definition_whole_table("built_days")
    counted = gx.expectations.ExpectTableRowCountToBeBetween(min_value=0, meta={"name": "row_count"})
    suite = gx.ExpectationSuite(table, expectations=[counted, *(_native(gx, one) for one in wanted)])
    definition = gx.ValidationDefinition(name=table, data=batch, suite=context.suites.add(suite))
    checkpoint = gx.Checkpoint(
        name=table,
        validation_definitions=[context.validation_definitions.add(definition)],
        result_format={"result_format": "SUMMARY"},
    )
    (ran,) = checkpoint.run().run_results.values()
    by_name = {one.expectation_config.meta["name"]: one for one in ran.results}
    _refuse_unknown(by_name)
    rows = int(by_name["row_count"].result["observed_value"])
    return {one.name: (rows, _offending(one, by_name[one.name].result)) for one in wanted}


def _native(gx: Any, wanted: Expectation) -> Any:
    meta = {"name": wanted.name}
    if wanted.kind == "rows":
        return gx.expectations.UnexpectedRowsExpectation(
            unexpected_rows_query=wanted.offenders, description=wanted.rule, meta=meta
        )
    return getattr(gx.expectations, _CLASSES[wanted.kind])(**wanted.arguments, meta=meta)


def _refuse_unknown(by_name: Mapping[str, Any]) -> None:
    """Raise when an expectation has no result; one failed statement takes its connection along."""
    broken = [(name, ran.exception_info) for name, ran in by_name.items() if not ran.result]
    if broken:
        told = [one for _, info in broken for one in info.values() if isinstance(one, dict)]
        reasons = sorted({str(one.get("exception_message")) for one in told}) or [str(broken[0][1])]
        names = ", ".join(f"'{name}'" for name, _ in broken)
        raise RuntimeError(f"{names} could not be evaluated, so nothing passes · {'; '.join(reasons)}")


def _offending(wanted: Expectation, result: Mapping[str, Any]) -> int:
    if wanted.kind == "rows":
        return int(result["observed_value"])
    # A sum over no row is null.
    return int(result["unexpected_count"]) if result["element_count"] else 0


def _write_docs(context: Any, docs: Path) -> None:
    shutil.rmtree(docs, ignore_errors=True)
    docs.mkdir(parents=True)
    # The site that a context has by itself lies in a folder that goes away with it.
    for name in list(context.get_site_names()):
        context.delete_data_docs_site(name)
    context.add_data_docs_site(
        _SITE,
        {
            "class_name": "SiteBuilder",
            "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
            "store_backend": {
                "class_name": "TupleFilesystemStoreBackend",
                "base_directory": str(docs.resolve()),
            },
        },
    )
    context.build_data_docs(site_names=[_SITE])


def _close(source: Any) -> None:
    # Connections outlive a run in the dialects of the tuple; the warehouse must be free for its writer.
    source.get_execution_engine().close()
    source.get_engine().dispose()


def _named(
    database: Path,
    wanted: Sequence[Expectation],
    batches: Mapping[str, str],
    found: Mapping[str, tuple[int, int]],
) -> list[Outcome]:
    engine = DuckDBEngine(database, read_only=True)
    try:
        return [
            Outcome(one, *found[one.name], _first_rows(engine, one, batches) if found[one.name][1] else ())
            for one in wanted
        ]
    finally:
        engine.close()


def _first_rows(
    engine: DuckDBEngine, wanted: Expectation, batches: Mapping[str, str]
) -> tuple[dict[str, Any], ...]:
    select = wanted.offenders.format(batch=f"({batches[wanted.table]}) as batch")
    return tuple(engine.fetch(f"select * from ({select}) as offenders limit {NAMED_ROWS}").to_pylist())
