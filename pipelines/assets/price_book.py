"""The rules of a load: the compiled price book and the owners' mapping it is built with.

Lives here: the asset `price_book`. Does not live here: prices (the pricing room) and the mapping's rules.
"""

import dagster as dg

from pipelines.assets import landing
from pipelines.assets.steps import ONE_RUN, POOL, RETRIES, plain_failures
from pipelines.night_steps import NightSteps

NAME = "price_book"


def price_book_asset(owner: str) -> dg.AssetsDefinition:
    """The asset of prices and mapping; after landing, because the plan of the days is made from both."""

    @dg.asset(
        name=NAME,
        description="Dated prices, own and shipped, and the mapping to owners, loaded and checked.",
        group_name="rules",
        owners=[owner],
        kinds={"yaml"},
        deps=[landing.NAME],
        backfill_policy=ONE_RUN,
        pool=POOL,
        retry_policy=RETRIES,
        metadata={"grain": "one entry per provider, model, condition and period"},
    )
    def price_book(night: dg.ResourceParam[NightSteps]) -> dg.MaterializeResult:
        with plain_failures():
            plan, rules = night.night.plan, night.night.rules
            night.begin()
        return dg.MaterializeResult(
            data_version=dg.DataVersion(rules.book.version),
            metadata={
                "price_version": rules.book.version,
                "mapping_version": rules.mapping.version,
                "days_to_build": len(plan.days),
                "is_every_day": plan.is_full,
                "causes": "; ".join(plan.causes) or "nothing changed",
            },
        )

    return price_book
