"""The last step of a load: the snapshot that dashboards and reports read.

Lives here: the asset `published_snapshot`. Does not live here: writing, verifying and
pointing (pipelines/publish.py).
"""

import dagster as dg

from models.registry import published_tables
from pipelines.assets.steps import ONE_RUN, POOL, RETRIES, plain_failures
from pipelines.night_steps import NightSteps
from pipelines.publish import Publication

NAME = "published_snapshot"


def publish_asset(owner: str) -> dg.AssetsDefinition:
    """The asset of the current snapshot; it needs every published table and all checks above them."""

    @dg.asset(
        name=NAME,
        description="A folder of Parquet under its own name, verified, then pointed at; the last three stay.",
        group_name="published",
        owners=[owner],
        kinds={"parquet"},
        deps=list(published_tables()),
        backfill_policy=ONE_RUN,
        pool=POOL,
        retry_policy=RETRIES,
        metadata={"grain": "one snapshot"},
    )
    def published_snapshot(night: dg.ResourceParam[NightSteps]) -> dg.MaterializeResult:
        with plain_failures():
            publication = night.publish()
        return dg.MaterializeResult(metadata=_told(publication))

    return published_snapshot


def _told(publication: Publication | None) -> dict[str, str | bool]:
    if publication is None:
        return {"cause": "nothing changed, the snapshot stays"}
    return {
        "snapshot_id": publication.snapshot_id,
        "ledger_hash": publication.ledger_hash,
        "is_new": publication.is_new,
        "changed_days": ", ".join(publication.changed_days),
    }
