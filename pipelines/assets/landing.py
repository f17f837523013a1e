"""The first step of a load: the files of the inbox, each once, committed by its manifest.

Lives here: the asset `landed_files` and its account. Does not live here: landing
itself (pipelines/landing.py).
"""

from collections.abc import Iterator

import dagster as dg

from pipelines.assets.steps import ONE_RUN, POOL, RETRIES, plain_failures
from pipelines.landing import LandingResult
from pipelines.night_steps import NightSteps

NAME = "landed_files"
REFUSED = "no_file_is_refused"


def landing_asset(owner: str) -> dg.AssetsDefinition:
    """The asset of all landed input; not partitioned, because a file's days are known when it is read."""

    @dg.asset(
        name=NAME,
        description="Every input file once, by its content, as immutable Parquet by UTC day.",
        group_name="landing",
        owners=[owner],
        kinds={"parquet"},
        backfill_policy=ONE_RUN,
        pool=POOL,
        retry_policy=RETRIES,
        metadata={"grain": "one row per parsed record"},
        check_specs=[
            dg.AssetCheckSpec(
                REFUSED, asset=NAME, description="Every file of the inbox is of a known format and whole."
            )
        ],
    )
    def landed_files(night: dg.ResourceParam[NightSteps]) -> Iterator[dg.MaterializeResult]:
        with plain_failures():
            result = night.land()
        yield dg.MaterializeResult(metadata=_account(result), check_results=[_refused(result)])

    return landed_files


def _account(result: LandingResult) -> dict[str, str | int]:
    new = [file.manifest for file in result.files if file.status == "landed" and file.manifest]
    return {
        "files_landed": len(new),
        "files_known_already": sum(1 for file in result.files if file.status == "already_landed"),
        "records": sum(manifest.records for manifest in new),
        "parsed": sum(manifest.parsed for manifest in new),
        "skips": sum(sum(manifest.skips.values()) for manifest in new),
        "rejects": sum(sum(manifest.rejects.values()) for manifest in new),
        "days": ", ".join(day.isoformat() for day in result.days),
    }


def _refused(result: LandingResult) -> dg.AssetCheckResult:
    # The other files are loaded all the same, so a refused one warns and does not block.
    return dg.AssetCheckResult(
        passed=not result.errors,
        check_name=REFUSED,
        severity=dg.AssetCheckSeverity.WARN,
        description="\n".join(str(error) for error in result.errors) or None,
        metadata={"refused": len(result.errors)},
    )
