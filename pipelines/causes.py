"""Why each day of a load is built, in words for the person who reads them in the morning.

Lives here: one sentence per day. Does not live here: which days there are (days.py).
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import date

from pipelines.days import ONE_DAY
from pipelines.manifests import Manifest
from pipelines.nightly import Night

_NAMED_FILES = 3


def day_causes(night: Night, asked: Collection[date] = ()) -> dict[date, str]:
    """Why each planned day is built: records that are new on it or beside it, the rules, or a person."""
    plan = night.plan
    if plan.is_full:
        return dict.fromkeys(plan.days, "; ".join(plan.causes))
    known = night.published.files if night.published else frozenset[str]()
    arrived = [manifest for manifest in night.manifests if manifest.identity not in known]
    names = _names_by_day(arrived)
    return {day: "; ".join(_causes(day, names, asked)) for day in plan.days}


def _names_by_day(arrived: list[Manifest]) -> dict[date, list[str]]:
    names: dict[date, list[str]] = {}
    for manifest in arrived:
        for day in manifest.days:
            names.setdefault(day, []).append(manifest.file_name)
    return names


def _causes(day: date, names: Mapping[date, list[str]], asked: Collection[date]) -> Iterator[str]:
    beside = [other for other in (day - ONE_DAY, day + ONE_DAY) if other in names]
    if day in names:
        yield f"new records in {_listed(names[day])}"
    elif beside:
        yield f"beside {' and '.join(other.isoformat() for other in beside)}, which has new records"
    if day in asked:
        yield "asked for"
    elif day not in names and not beside:
        yield "a former run did not finish"


def _listed(names: list[str]) -> str:
    shown = sorted(names)[:_NAMED_FILES]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more files" if rest else "")
