"""The written checks of the cost model as blocking asset checks: what they find stops the publication.

Lives here: the factory, and on which table each check hangs. Does not live here: the checks (models/checks),
and the check of each key, which belongs to its table's own asset.
"""

import dagster as dg

from models.dictionary import written_checks
from models.registry import models
from models.sql_files import Model
from pipelines.assets.sql_models import check_result
from pipelines.assets.steps import POOL, RETRIES, plain_failures
from pipelines.night_steps import NightSteps


def sql_checks() -> list[dg.AssetChecksDefinition]:
    """A blocking check for every file of models/checks."""
    return [_sql_check(check) for check in written_checks()]


def tables_of(check: Model) -> list[str]:
    """The tables a check reads, in build order; it hangs on the last, so that all are built before it."""
    wanted = set(check.reads)
    if not wanted & set(models()):
        wanted |= {name for name, model in models().items() if wanted & set(model.reads)}
    return [name for name in models() if name in wanted]


def _sql_check(check: Model) -> dg.AssetChecksDefinition:
    *others, last = tables_of(check)

    @dg.asset_check(
        name=check.name,
        asset=last,
        additional_deps=others,
        blocking=True,
        description=f"{check.purpose}\n\nGrain: {check.grain}. `{check.path}`",
        pool=POOL,
        retry_policy=RETRIES,
        metadata={"grain": check.grain, "refresh": check.refresh},
    )
    def sql_check(night: dg.ResourceParam[NightSteps]) -> dg.AssetCheckResult:
        with plain_failures():
            result = night.check(check.name)
        return check_result(result, check.name)

    return sql_check
