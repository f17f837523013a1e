"""One asset per SQL file of the cost model, with what its header and the columns file say about it.

Lives here: the factory, dependencies from the derived reads, and the record of every day that is rebuilt,
with its cause. Does not live here: how a table is built (pipelines/build.py), and checks of more than one
table (sql_checks.py).
"""

from collections.abc import Iterator, Sequence
from datetime import date

import dagster as dg

from models.columns import columns
from models.dictionary import schemas
from models.registry import MADE_FROM, checks, models
from models.sql_files import Model
from pipelines.assets import landing, price_book
from pipelines.assets.steps import ONE_RUN, POOL, RETRIES, plain_failures
from pipelines.checks import CheckResult
from pipelines.night_steps import NightSteps
from pipelines.partitions import without

_LANDED_INPUTS = ("raw_attempts", "raw_rejects", "raw_file_accounts")
_KEY = "key_is_unique_and_not_null"


def sql_assets(owner: str, days: dg.DailyPartitionsDefinition) -> list[dg.AssetsDefinition]:
    """An asset for every model, in build order."""
    described = schemas()
    return [_sql_asset(model, owner, days, described[model.name]) for model in models().values()]


def upstream(model: Model) -> list[str]:
    """Names of the assets that a model needs: the tables it reads, and those its inputs are made from.

    What reads no table comes after the price book too, because with it the plan of the days is made.
    """
    found: set[str] = set()
    for read in model.reads:
        if read in models():
            found.add(read)
            continue
        found.add(price_book.NAME)
        if read in MADE_FROM:
            found.add(MADE_FROM[read])
        elif read in _LANDED_INPUTS:
            found.add(landing.NAME)
    return sorted(found)


def _sql_asset(
    model: Model, owner: str, days: dg.DailyPartitionsDefinition, described: Sequence[tuple[str, str]]
) -> dg.AssetsDefinition:
    is_daily = model.window_column is not None

    @dg.asset(
        name=model.name,
        deps=upstream(model),
        description=f"{model.purpose}\n\nGrain: {model.grain}. Key: {', '.join(model.key)}. `{model.path}`",
        group_name=model.layer,
        owners=[owner],
        kinds={"sql", "duckdb"},
        partitions_def=days if is_daily else None,
        backfill_policy=ONE_RUN,
        pool=POOL,
        retry_policy=RETRIES,
        metadata=_metadata(model, described),
        check_specs=[
            dg.AssetCheckSpec(
                _KEY,
                asset=model.name,
                blocking=True,
                description=checks()[f"check_key_of_{model.name}"].purpose,
            )
        ],
    )
    def sql_model(
        context: dg.AssetExecutionContext, night: dg.ResourceParam[NightSteps]
    ) -> Iterator[dg.MaterializeResult]:
        with plain_failures():
            row_count = night.build(model.name)
            result = night.check(f"check_key_of_{model.name}")
        if is_daily:
            _record_unasked_days(context, model, night, days)
        yield dg.MaterializeResult(
            metadata=_told(night, row_count), check_results=[check_result(result, _KEY)]
        )

    return sql_model


def _metadata(model: Model, described: Sequence[tuple[str, str]]) -> dict[str, str | dg.TableSchema]:
    known = columns()
    listed = [dg.TableColumn(name, kind.lower(), description=known[name].meaning) for name, kind in described]
    return {
        "grain": model.grain,
        "key": ", ".join(model.key),
        "refresh": model.refresh,
        "window_column": model.window_column or "",
        "dagster/column_schema": dg.TableSchema(columns=listed),
    }


def _told(night: NightSteps, row_count: int | None) -> dict[str, str | int]:
    if row_count is None:
        return {"cause": "nothing changed"}
    asked = sorted({night.causes[day] for day in night.asked if day in night.causes})
    return {
        "dagster/row_count": row_count,
        "days_built": len(night.causes),
        "cause": "\n".join(asked) or "; ".join(night.night.plan.causes),
    }


def _record_unasked_days(
    context: dg.AssetExecutionContext, model: Model, night: NightSteps, days: dg.DailyPartitionsDefinition
) -> None:
    for day in without(night.causes, night.asked):
        if _is_known(day, days):
            context.log_event(
                dg.AssetMaterialization(
                    asset_key=model.name,
                    partition=day.isoformat(),
                    description=f"rebuilt: {night.causes[day]}",
                    metadata={"cause": night.causes[day]},
                )
            )


def _is_known(day: date, days: dg.DailyPartitionsDefinition) -> bool:
    return days.has_partition_key(day.isoformat())


def check_result(result: CheckResult | None, name: str) -> dg.AssetCheckResult:
    """What a check found, with the rows that offend; a check of nothing has passed."""
    if result is None:
        return dg.AssetCheckResult(passed=True, check_name=name, description="nothing was built")
    rows = [" ".join(f"{key}={value}" for key, value in row.items()) for row in result.offenders]
    return dg.AssetCheckResult(
        passed=result.is_passed,
        check_name=name,
        severity=dg.AssetCheckSeverity.ERROR,
        description=None if result.is_passed else f"{result.offender_count} rows offend: {result.purpose}",
        metadata={"offender_count": result.offender_count, "rows": "\n".join(rows)},
    )
