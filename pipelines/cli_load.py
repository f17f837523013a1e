"""The loading commands: each step with its progress bar, and one line or table about what it did.

Lives here: what the options state about files, and the telling. Does not live here: the steps (nightly.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import typer
from pydantic import ValidationError
from rich.table import Table
from rich.text import Text

from pipelines import cli_console as console
from pipelines import nightly
from pipelines.days import Plan
from pipelines.errors import UserError
from pipelines.landing import FileAccount
from pipelines.publish import Publication
from pipelines.settings import Settings
from pipelines.shown import count, plain
from pipelines.source_entries import SourceEntry, Stated, stated_for


def stated_by(options: Mapping[str, str | None]) -> Stated:
    """What the options `reader`, `zone`, `start`, `instant`, `model` state; a wrong one is a UserError."""
    try:
        entry = SourceEntry.model_validate({"files": "*"} | dict(options))
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0])
        raise UserError(
            f"'{problem['input']}' is no {name} · option --{name} · {problem['msg']} · next: correct it"
        ) from error
    return stated_for(Path("any"), [entry], Stated())


def account_table(accounts: Iterable[FileAccount]) -> Table:
    """Per file what became of it and of its records: every record is parsed, skipped or rejected."""
    table = Table(title="Files", title_justify="left", title_style="bold")
    table.add_column("file", overflow="fold")
    for name in ("status", "source"):
        table.add_column(name, no_wrap=True)
    for name in ("records", "parsed", "skips", "rejects"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("reasons", overflow="fold")
    for account in accounts:
        table.add_row(Text(plain(account.path.name)), account.status.replace("_", " "), *_numbers(account))
    return table


def _numbers(account: FileAccount) -> list[str]:
    told = account.manifest
    if told is None:
        return ["", "", "", "", "", ""]
    reasons = [f"{reason} {number}" for reason, number in [*told.skips.items(), *told.rejects.items()]]
    numbers = (told.records, told.parsed, sum(told.skips.values()), sum(told.rejects.values()))
    return [told.source, *(count(number) for number in numbers), ", ".join(reasons)]


def plan_line(plan: Plan) -> str:
    """What will be built, and why."""
    if plan.is_empty:
        return "nothing to build: the published snapshot says everything that has landed"
    if not plan.days:
        return f"no day to build ({'; '.join(plan.causes)})"
    which = "every day" if plan.is_full else f"{len(plan.days)} days"
    return f"{which}, {plan.days[0]} to {plan.days[-1]} ({'; '.join(plan.causes)})"


def built_line(counts: Mapping[str, int]) -> str:
    """How much was written."""
    return f"built {len(counts)} tables, {count(sum(counts.values()))} rows"


def publication_line(publication: Publication) -> str:
    """What is current now, and the hash that two equal ledgers share."""
    if not publication.is_new:
        return f"nothing changed: snapshot {publication.snapshot_id} stays · ledger {publication.ledger_hash}"
    days = publication.changed_days
    which = f"{len(days)} days changed" if days else "no day changed"
    return f"published snapshot {publication.snapshot_id}, {which} · ledger {publication.ledger_hash}"


def land(settings: Settings, paths: Sequence[Path] | None, options: Mapping[str, str | None]) -> int:
    """Land the files and print their account; returns how many were refused."""
    with console.progress_bar() as progress:
        result = nightly.land(settings, paths or None, stated_by(options), progress)
    if result.files:
        console.output().print(account_table(result.files))
    else:
        console.say(f"no file to land in {', '.join(map(str, paths or settings.inbox))}")
    for error in result.errors:
        console.note(f"error: {error}")
    return len(result.errors)


def build(settings: Settings) -> bool:
    """Plan and build; returns whether there was anything to build."""
    night = nightly.prepare(settings)
    console.say(plan_line(night.plan))
    if night.plan.is_empty:
        return False
    with console.progress_bar() as progress:
        nightly.expect_at_landing(night, progress)
    with console.progress_bar() as progress:
        counts = nightly.build(night, progress)
    console.say(built_line(counts))
    return True


def check(settings: Settings) -> None:
    """Check what was built; a broken check raises CheckError."""
    with console.progress_bar() as progress:
        results = nightly.check(settings, progress)
    console.say(f"{len(results)} checks passed")


def publish(settings: Settings) -> None:
    """Look at what was built as its readers will, and publish it; an unmet expectation raises its error."""
    with console.progress_bar() as progress:
        nightly.expect_before_publishing(settings, progress)
    with console.progress_bar() as progress:
        publication = nightly.publish(settings, progress)
    console.say(publication_line(publication))


def load(settings: Settings, paths: Sequence[Path] | None, options: Mapping[str, str | None]) -> int:
    """Land, build, check, publish; returns how many files were refused (the others are published)."""
    refused = land(settings, paths, options)
    if build(settings):
        check(settings)
        publish(settings)
    return refused


def end_with(refused: int) -> None:
    """End with code 2 when a file was refused."""
    if refused:
        raise typer.Exit(console.FIXABLE)
