"""One load in steps small enough for a scheduler: each table and each check on its own.

Lives here: the state between the steps (`building.json` names the tables that are complete, so a load can go
on in another process), and refusing to publish what was built or checked in part only.
Does not live here: the work (nightly.py), and any scheduler. The caller holds the writer's lock around all.
"""

from collections.abc import Collection
from datetime import date
from functools import cached_property

from models.registry import checks, models
from pipelines import nightly
from pipelines.build import build_table
from pipelines.building import Building, read_building, write_building
from pipelines.causes import day_causes
from pipelines.checks import CheckError, CheckResult, run_check
from pipelines.errors import UserError
from pipelines.landing import LandingResult
from pipelines.progress import Progress, stay_quiet
from pipelines.publish import Publication
from pipelines.settings import Settings
from pipelines.warehouse import open_warehouse


class NightSteps:
    """The steps of one load over one home.

    Args:
        settings: The home.
        asked: Days to build although nothing about them changed.
        progress: Told of every step.
    """

    def __init__(
        self, settings: Settings, asked: Collection[date] = (), progress: Progress = stay_quiet
    ) -> None:
        self.settings, self.asked, self._progress = settings, frozenset(asked), progress
        self._has_landed = False
        self._passed: set[str] = set()
        self._step_count = len(models()) + len(checks())

    def land(self) -> LandingResult:
        """Land the inbox; what is built afterwards starts anew."""
        result = nightly.land(self.settings, progress=self._progress)
        self._has_landed = True
        return result

    @cached_property
    def night(self) -> nightly.Night:
        """What the load starts from, worked out once, when the first table or the price book is asked for."""
        return nightly.prepare(self.settings, self.asked)

    @cached_property
    def causes(self) -> dict[date, str]:
        """Why each planned day is built."""
        return day_causes(self.night, self.asked)

    def begin(self) -> None:
        """Write the plan down before any table is built; what is wrong with all of them fails here, once."""
        if not self.night.plan.is_empty:
            self._construction  # noqa: B018 - begins when it is first looked at

    def build(self, name: str) -> int | None:
        """Build the table `name` for the planned days; its rows, or None when nothing is to build."""
        if self.night.plan.is_empty:
            return None
        building, model = self._construction, models()[name]
        self._progress(f"building {name}", list(models()).index(name), self._step_count)
        with open_warehouse(self.settings) as engine:
            count = build_table(engine, model, self.night.rules, building.days)
        self._construction = building.with_table(name)
        write_building(self.settings.building_file, self._construction)
        return count

    @cached_property
    def _construction(self) -> Building:
        left, wanted = read_building(self.settings.building_file), nightly.construction(self.night)
        is_same = left is not None and left.is_of(wanted)
        # A load that landed starts from the beginning; one that was asked for its last tables only, goes on.
        if left is not None and is_same and not self._has_landed and self.settings.warehouse.exists():
            return left
        if self._landing_refusal is not None:
            raise self._landing_refusal
        return nightly.begin(self.night)

    @cached_property
    def _landing_refusal(self) -> CheckError | None:
        # Kept, because every table that starts a build would look at the same rows again.
        try:
            nightly.expect_at_landing(self.night, self._progress)
        except CheckError as error:
            return error
        return None

    def check(self, name: str) -> CheckResult | None:
        """Run the check `name` over the days under construction; None when nothing is to check."""
        building = read_building(self.settings.building_file)
        if building is None:
            return None
        self._progress(f"checking {name}", len(models()) + len(self._passed), self._step_count)
        with open_warehouse(self.settings) as engine:
            result = run_check(engine, checks()[name], building.days)
        if result.is_passed:
            self._passed.add(name)
        return result

    def publish(self) -> Publication | None:
        """Publish what is built, after the checks that this load has not passed; None when nothing is."""
        building = read_building(self.settings.building_file)
        if building is None:
            return None
        missing = [] if building.is_built else [name for name in models() if name not in building.tables]
        if missing:
            raise UserError(
                f"'{missing[0]}' and {len(missing) - 1} more tables are not built yet · "
                f"{self.settings.building_file} · a snapshot is published whole · "
                f"next: materialize every table, or run: inferledger run"
            )
        self._check_the_rest()
        write_building(self.settings.building_file, building.finished())
        nightly.expect_before_publishing(self.settings, self._progress)
        return nightly.publish(self.settings, self._progress)

    def _check_the_rest(self) -> None:
        results = [self.check(name) for name in checks() if name not in self._passed]
        broken = [result for result in results if result is not None and not result.is_passed]
        if broken:
            raise CheckError(broken)
