"""One load from beginning to end, as plain functions: land, days to rebuild, build, check, publish.

Lives here: what each step reads and leaves, so that the command line and a scheduler call the same code. The
caller holds the writer's lock (`writer_lock`) around them.
Does not live here: how a step does its work.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from models.registry import checks
from pipelines.build import Rules, build_tables
from pipelines.building import Building, clear_building, read_building, write_building
from pipelines.checks import CheckError, CheckResult, run_checks
from pipelines.days import Plan, plan_days
from pipelines.errors import UserError
from pipelines.inputs import load_landed, load_rules
from pipelines.landing import LandingResult, land_files
from pipelines.manifests import Manifest, read_manifests
from pipelines.mapping import load_mapping
from pipelines.progress import Progress, stay_quiet
from pipelines.publish import Edition, Publication, publish_snapshot
from pipelines.publish_versions import Published, find_published
from pipelines.quality.boundaries import expectations_at_landing, expectations_before_publishing
from pipelines.quality.run import Outcome
from pipelines.settings import Settings
from pipelines.source_entries import Stated
from pipelines.versions import Versions, code_version
from pipelines.warehouse import belongs_to, discard_warehouse, open_warehouse
from pricing.price_book import load_price_book


@dataclass(frozen=True)
class Night:
    """What a load starts from: landed files, rules, what is published, and the plan that follows."""

    settings: Settings
    manifests: tuple[Manifest, ...]
    rules: Rules
    versions: Versions
    published: Published | None
    plan: Plan


def land(
    settings: Settings,
    paths: Sequence[Path] | None = None,
    stated: Stated | None = None,
    progress: Progress = stay_quiet,
) -> LandingResult:
    """Land the files behind `paths`, by default the inbox; a refused file does not stop the others."""
    wanted = [settings.home / path for path in settings.inbox] if paths is None else paths
    return land_files(settings.home, wanted, stated or Stated(), progress)


def prepare(settings: Settings, asked: Collection[date] = ()) -> Night:
    """Read manifests, prices, mapping and the published snapshot, and plan the days to build.

    Days in `asked` are built also when nothing about them changed, as far as anything landed on them.
    """
    manifests = tuple(read_manifests(settings.landed))
    rules = Rules(load_price_book(settings.price_files), load_mapping(settings.mapping_file))
    versions = Versions(rules.book.version, rules.mapping.version, code_version())
    published = find_published(settings.published)
    plan = plan_days(
        landed={manifest.identity: manifest.days for manifest in manifests},
        base=published.base if published else None,
        versions=versions,
        left_over=read_building(settings.building_file),
        is_warehouse_current=_is_warehouse_current(settings, published),
        asked=asked,
    )
    return Night(settings, manifests, rules, versions, published, plan)


def _is_warehouse_current(settings: Settings, published: Published | None) -> bool:
    if published is None or not settings.warehouse.exists():
        return False
    with open_warehouse(settings) as engine:
        return belongs_to(engine, published.snapshot_id)


def expect_at_landing(night: Night, progress: Progress = stay_quiet) -> list[Outcome]:
    """Look at what landed on the planned days, before they are built; raises ExpectationError naming rows."""
    return expectations_at_landing(night.settings, night.manifests, night.plan.days, progress)


def expect_before_publishing(settings: Settings, progress: Progress = stay_quiet) -> list[Outcome]:
    """Look at what is built, before it is published; raises ExpectationError naming rows."""
    return expectations_before_publishing(settings, built(settings).days, progress)


def build(night: Night, progress: Progress = stay_quiet) -> dict[str, int]:
    """Build the planned days; until they are published `building.json` names them. Rows by table."""
    settings, building = night.settings, begin(night)
    with open_warehouse(settings) as engine:
        counts = build_tables(engine, night.rules, building.days, progress)
    write_building(settings.building_file, building.finished())
    return counts


def construction(night: Night) -> Building:
    """What `build` is about to make, as `building.json` will say it."""
    return Building(
        days=night.plan.days,
        is_full=night.plan.is_full,
        files=tuple(sorted(manifest.identity for manifest in night.manifests)),
        versions=night.versions,
        base_snapshot_id=night.published.snapshot_id if night.published else None,
        cause="; ".join(night.plan.causes),
    )


def begin(night: Night) -> Building:
    """Write the construction down, empty the warehouse for a full one, and load what models start from."""
    settings, building = night.settings, construction(night)
    write_building(settings.building_file, building)
    if building.is_full:
        discard_warehouse(settings)
    with open_warehouse(settings) as engine:
        load_landed(engine, settings.landed, night.manifests, building.days)
        load_rules(engine, night.rules.book)
    return building


def check(settings: Settings, progress: Progress = stay_quiet) -> list[CheckResult]:
    """Run every check over the built days; raises CheckError naming the rows when one is broken."""
    building = built(settings)
    with open_warehouse(settings) as engine:
        results = run_checks(engine, checks().values(), building.days, progress)
    if not all(result.is_passed for result in results):
        raise CheckError(results)
    return results


def publish(settings: Settings, progress: Progress = stay_quiet) -> Publication:
    """Publish what was built; the caller has run `check` and `expect_before_publishing` on it."""
    building = built(settings)
    known = {manifest.identity: manifest for manifest in read_manifests(settings.landed)}
    manifests = [known[name] for name in building.files]
    edition = Edition(
        days=building.days,
        is_full=building.is_full,
        versions=building.versions,
        files=building.files,
        last_landed_at=max((manifest.landed_at for manifest in manifests), default=None),
        counts=count_records(manifests),
    )
    published = find_published(settings.published)
    _refuse_other_base(building, published)
    with open_warehouse(settings) as engine:
        publication = publish_snapshot(engine, settings.published, published, edition, progress=progress)
    clear_building(settings.building_file)
    return publication


def _refuse_other_base(building: Building, published: Published | None) -> None:
    # The days between two snapshots are known for the one the build started from, and for no other.
    found = published.snapshot_id if published else None
    if not building.is_full and found != building.base_snapshot_id:
        raise UserError(
            f"the build started from snapshot '{building.base_snapshot_id}', published is '{found}' · "
            f"next: inferledger build"
        )


def count_records(manifests: Sequence[Manifest]) -> dict[str, int]:
    """Files, and records by what became of them at landing."""
    return {
        "files": len(manifests),
        "records": sum(manifest.records for manifest in manifests),
        "parsed": sum(manifest.parsed for manifest in manifests),
        "skips": sum(sum(manifest.skips.values()) for manifest in manifests),
        "rejects": sum(sum(manifest.rejects.values()) for manifest in manifests),
    }


def built(settings: Settings) -> Building:
    """What is built and not yet published; a UserError when that is nothing."""
    building = read_building(settings.building_file)
    if building is None or not building.is_built:
        raise UserError(
            f"nothing is built and unpublished · {settings.building_file} · next: inferledger build"
        )
    return building
