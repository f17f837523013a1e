"""The command line `inferledger`: thin commands over the plain functions of this room.

Lives here: names, options, help. Does not live here: any work, and how errors end (cli_console.py).
"""

import os
import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from models.report_scope import MEASURES
from models.snapshot import read_snapshot
from pipelines import cli_console as console
from pipelines import cli_demo, cli_explain, cli_load, cli_prices, cli_report
from pipelines.errors import UserError
from pipelines.home import create_home
from pipelines.settings import HOME_VARIABLE, Settings, find_home, load_settings
from pipelines.webhook import told_of_failure
from pipelines.writer_lock import hold_writer_lock

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Dimension = StrEnum("Dimension", list(cli_report.DIMENSIONS))
Measure = StrEnum("Measure", list(MEASURES))
app.add_typer(cli_prices.app, name="prices")
FEATURE, EFFECTIVE = Dimension("feature"), Measure("effective")
Home = Annotated[Path | None, typer.Option("--home", help=f"Folder of the ledger (or {HOME_VARIABLE}).")]
Paths = Annotated[list[Path] | None, typer.Argument(help="Files, folders or patterns; default: the inbox.")]
Reader = Annotated[str | None, typer.Option(help="Source of the files, instead of looking into them.")]
Zone = Annotated[str | None, typer.Option(help="Zone of times that state none, e.g. Europe/Paris.")]
Start = Annotated[str | None, typer.Option(help="Instant that relative times count from.")]
Instant = Annotated[str | None, typer.Option(help="Instant of records without a time.")]
Model = Annotated[str | None, typer.Option(help="Model of a source that names none.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with every decimal.")]
FromDay = Annotated[datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="First UTC day.")]
ToDay = Annotated[datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Last UTC day, included.")]


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  inferledger {line}" for line in lines)


@app.callback()
def top(context: typer.Context, home: Home = None) -> None:
    """Where the money of LLM traffic went, to the last decimal.

    Exit codes: 0 done, 1 the work failed, 2 something a person can fix.
    """
    context.obj = home


def _settings(context: typer.Context, home: Path | None) -> Settings:
    return load_settings(find_home(home or context.obj))


@app.command(epilog=_examples("init ledger", "--home ledger run path/to/logs/"))
def init(
    context: typer.Context,
    folder: Annotated[Path | None, typer.Argument(help="Folder to make.")] = None,
    home: Home = None,
) -> None:
    """Make a ledger's home: commented settings, mapping and sources, a secret. Never replaces a file."""
    made = find_home(folder or home or context.obj)
    for path, is_new in create_home(made):
        console.say(f"{'wrote' if is_new else 'kept '} {path}")
    console.say(f"next: inferledger --home {made} run path/to/logs/")


@app.command(epilog=_examples("ingest logs/2026-10-21.jsonl", "ingest trace.csv --zone UTC --model gpt-4"))
def ingest(
    context: typer.Context,
    paths: Paths = None,
    reader: Reader = None,
    zone: Zone = None,
    start: Start = None,
    instant: Instant = None,
    model: Model = None,
    home: Home = None,
) -> None:
    """Land files: each once, by its content, with an account of every record. Builds nothing."""
    settings = _settings(context, home)
    stated = {"reader": reader, "zone": zone, "start": start, "instant": instant, "model": model}
    with hold_writer_lock(settings.lock_file):
        refused = cli_load.land(settings, paths, stated)
    cli_load.end_with(refused)


@app.command(epilog=_examples("build", "--home ledger build"))
def build(context: typer.Context, home: Home = None) -> None:
    """Build the tables of the days that landed or changed since the published snapshot."""
    settings = _settings(context, home)
    with hold_writer_lock(settings.lock_file):
        cli_load.build(settings)


@app.command(epilog=_examples("check"))
def check(context: typer.Context, home: Home = None) -> None:
    """Run every check over what was built and not yet published; names the rows that offend."""
    settings = _settings(context, home)
    with hold_writer_lock(settings.lock_file):
        cli_load.check(settings)


@app.command(epilog=_examples("publish"))
def publish(context: typer.Context, home: Home = None) -> None:
    """Check what was built and publish it as a new snapshot, unless nothing changed."""
    settings = _settings(context, home)
    with hold_writer_lock(settings.lock_file):
        cli_load.check(settings)
        cli_load.publish(settings)


@app.command(epilog=_examples("run", "run path/to/logs/", "run trace.csv --zone UTC --model gpt-4"))
def run(
    context: typer.Context,
    paths: Paths = None,
    reader: Reader = None,
    zone: Zone = None,
    start: Start = None,
    instant: Instant = None,
    model: Model = None,
    home: Home = None,
) -> None:
    """One load: land, build, check, publish. Running it again changes nothing."""
    settings = _settings(context, home)
    stated = {"reader": reader, "zone": zone, "start": start, "instant": instant, "model": model}
    with hold_writer_lock(settings.lock_file), told_of_failure(settings, f"process {os.getpid()}"):
        refused = cli_load.load(settings, paths, stated)
    cli_load.end_with(refused)


@app.command(epilog=_examples("report --by model", "report --from 2026-10-01 --to 2026-10-31 --csv"))
def report(
    context: typer.Context,
    by: Annotated[Dimension, typer.Option(help="What to split by.")] = FEATURE,
    first: FromDay = None,
    last: ToDay = None,
    measure: Annotated[Measure, typer.Option(help="Which cost.")] = EFFECTIVE,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with every decimal.")] = False,
    home: Home = None,
) -> None:
    """Spend from the published snapshot; also while a load is writing."""
    settings = _settings(context, home)
    if as_json and as_csv:
        raise UserError("'--json' and '--csv' exclude each other · options · next: leave one out")
    days = [day.date() if day else None for day in (first, last)]
    made = read_snapshot(
        settings.published, lambda reader: cli_report.ask(reader, by.value, measure.value, *days)
    )
    if as_json:
        console.say(cli_report.report_json(made))
    elif as_csv:
        sys.stdout.write(cli_report.report_csv(made))
    else:
        cli_report.print_report(made, console.output())


@app.command(
    epilog=_examples("explain 6405018731249164017", "explain chatcmpl-9f2", "explain 64050187:output_text")
)
def explain(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(help="Request key, attempt key, KEY:METER, or an id of the source.")
    ],
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """One number back to its log line (file, hash, position), its price entry, and the formula."""
    settings = _settings(context, home)
    told = read_snapshot(settings.published, lambda reader: cli_explain.tell(reader, target, as_json=as_json))
    console.say(told)


@app.command(epilog=_examples("demo", "demo --once"))
def demo(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Stop after the dashboard has answered.")] = False,
    home: Home = None,
) -> None:
    """Load the sample into a fresh home, print the spend table and serve the dashboard."""
    cli_demo.run(home or context.obj, once=once)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(console.run_guarded(app))
