"""The checks of meaning, run over every day that was built since the last published snapshot.

Lives here: running `models/checks` and naming the rows that offend.
Does not live here: the checks themselves (SQL) and what a failure stops (nightly.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from models.engines.base import Engine, Params
from models.registry import Model
from pipelines.days import windows
from pipelines.progress import Progress, stay_quiet

NAMED_ROWS = 20


@dataclass(frozen=True)
class CheckResult:
    """One check: how many rows offend, and the first of them."""

    name: str
    purpose: str
    offender_count: int
    offenders: tuple[dict[str, Any], ...]

    @property
    def is_passed(self) -> bool:
        """True when no row offends."""
        return self.offender_count == 0


class CheckError(RuntimeError):
    """A broken check: nothing is published, and the message names the rows."""

    def __init__(self, results: Iterable[CheckResult]) -> None:
        self.failed = tuple(result for result in results if not result.is_passed)
        parts = [_describe(result) for result in self.failed]
        super().__init__(
            "\n".join(parts) + "\nnothing is published, the last snapshot stays · next: mend what the rows "
            "name (a price, the mapping, a file), then run: inferledger run"
        )


def _describe(result: CheckResult) -> str:
    shown = len(result.offenders)
    head = f"'{result.name}' is broken by {result.offender_count} rows · {result.purpose}"
    rows = [" ".join(f"{name}={value}" for name, value in row.items()) for row in result.offenders]
    title = "the rows:" if shown == result.offender_count else f"the first {shown} rows:"
    return "\n".join([head, title, *(f"  {row}" for row in rows)])


def run_checks(
    engine: Engine, checks: Iterable[Model], days: Sequence[date], progress: Progress = stay_quiet
) -> list[CheckResult]:
    """Run every check over the sorted `days`; a check without a window runs once."""
    wanted = list(checks)
    results: list[CheckResult] = []
    for index, check in enumerate(wanted):
        progress(f"checking {check.name}", index, len(wanted))
        results.append(run_check(engine, check, days))
    progress("checked", len(wanted), len(wanted))
    return results


def run_check(engine: Engine, check: Model, days: Sequence[date]) -> CheckResult:
    """Run one check over the sorted `days`, a week at a time."""
    spans: list[Params] = [{}]
    if check.window_column is not None:
        spans = [{"window_start": start, "window_end": end} for start, end in windows(days)]
    count = 0
    offenders: list[dict[str, Any]] = []
    for params in spans:
        missing = NAMED_ROWS - len(offenders)
        # In a stated order, so that the same break names the same rows each time.
        order = ", ".join(engine.describe(check.sql, params).names)
        first = f"select * from ({check.sql}) as offenders order by {order} limit {NAMED_ROWS}"
        found = engine.fetch(first, params)
        if found.num_rows:
            total = engine.fetch(f"select count(*) as offender_count from ({check.sql}) as offenders", params)
            count += total.to_pylist()[0]["offender_count"]
            offenders += found.to_pylist()[:missing]
    return CheckResult(check.name, check.purpose, count, tuple(offenders))
