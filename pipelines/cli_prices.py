"""`inferledger prices …`: the price book on the command line.

Lives here: names, options, help. Does not live here: any work (pricing, and price_*.py beside this file).
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from models.snapshot import read_snapshot
from pipelines import cli_console as console
from pipelines import price_calc, price_coverage, price_import, price_views
from pipelines.errors import UserError
from pipelines.settings import Settings, find_home, load_settings
from pipelines.shown import as_json as json_text
from pricing.inspection import search as search_names
from pricing.lint import lint as lint_files
from pricing.periods import to_us
from pricing.price_book import PriceBook, load_price_book

app = typer.Typer(no_args_is_help=True, help="Look into the price book, check it, and price records with it.")
Book = Annotated[list[Path] | None, typer.Option("--book", help="Price file beside the shipped tables.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with every decimal.")]
KnownOn = Annotated[
    str | None, typer.Option("--as-known-on", help="Prices as the book knew them then: a day or an instant.")
]


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  inferledger prices {line}" for line in lines)


def _home(context: typer.Context) -> Settings | None:
    """The ledger stated or around; None where there is none and none was named."""
    stated = context.obj if isinstance(context.obj, Path) else None
    home = find_home(stated)
    if stated is None and not (home / "inferledger.yml").exists():
        return None
    return load_settings(home)


def _own_files(context: typer.Context) -> list[Path]:
    settings = _home(context)
    return settings.price_files if settings else []


def _book(context: typer.Context, files: list[Path] | None) -> PriceBook:
    return load_price_book(files or _own_files(context))


def _now_us(text: str | None) -> int:
    stated = price_views.instant_us(text, "--at")
    return to_us(datetime.now(UTC)) if stated is None else stated


@app.command(epilog=_examples("calc usage.jsonl", "calc usage.jsonl --book own.yml --json"))
def calc(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON lines: provider, model, date, usage, context.")],
    book: Book = None,
    by_date: Annotated[
        bool, typer.Option("--by-date", help="Use the book also where a record brings prices_in_force.")
    ] = False,
    known: KnownOn = None,
    as_json: AsJson = False,
) -> None:
    """Price usage records in the providers' own fields: exact USD, lines, entries, or why there is none."""
    known_us = price_views.instant_us(known, "--as-known-on")
    is_by_date = by_date or bool(book) or known is not None
    rows = price_calc.calculate_file(file, _book(context, book), known_at_us=known_us, by_date=is_by_date)
    console.say(price_calc.calculated_json(rows) if as_json else price_calc.calculated_text(rows))
    if any(row.result is None for row in rows):
        console.note(f"error: {price_calc.summary(rows)} · {file} · next: correct the refused records")
        raise typer.Exit(console.FIXABLE)


@app.command(epilog=_examples("show gpt-5", "show openai/gpt-5 --at 2026-10-20T16:00:00Z"))
def show(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="MODEL or PROVIDER/MODEL; an alias is followed.")],
    at: Annotated[str | None, typer.Option("--at", help="A day or an instant; default: now.")] = None,
    known: KnownOn = None,
    book: Book = None,
    as_json: AsJson = False,
) -> None:
    """Every price of a model in force at an instant, with entry, place and source."""
    asked = (_book(context, book), model, _now_us(at), price_views.instant_us(known, "--as-known-on"))
    console.say(json_text(price_views.show_rows(*asked)) if as_json else price_views.show_text(*asked))


@app.command(epilog=_examples("search sonnet"))
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Part of a model id or alias.")],
    book: Book = None,
) -> None:
    """Model ids and aliases that contain a text."""
    found = search_names(_book(context, book), text)
    for provider, name, model in found:
        console.say(f"{provider} {name}" + ("" if name == model else f" -> {model}"))
    if not found:
        raise UserError(
            f"'{text}' is in no model id and no alias", where="price book", next_step="shorten it"
        )


@app.command(epilog=_examples("lint", "lint prices/own.yml"))
def lint(
    context: typer.Context,
    files: Annotated[list[Path] | None, typer.Argument(help="Price files; default: this ledger's.")] = None,
) -> None:
    """Findings in the book with file, line and remedy: gaps, overlaps, slips of units and currency."""
    findings = lint_files(files or _own_files(context))
    for finding in findings:
        console.say(f"{finding.file} line {finding.line}: {finding.text}")
    console.say(f"{len(findings)} findings")
    if findings:
        raise typer.Exit(console.FIXABLE)


@app.command(epilog=_examples("diff shipped prices/", "diff 2026-09-01 2026-10-01"))
def diff(
    context: typer.Context,
    before: Annotated[str, typer.Argument(metavar="A", help="Price file, folder, `shipped`, or a day.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The same; a day means: as known then.")],
) -> None:
    """Entries that only one of two books has, with amounts, validity and place."""
    own = _own_files(context)
    console.say(price_views.diff_text(price_views.side(before, own), price_views.side(after, own)))


@app.command("import", epilog=_examples("import --from genai-prices --dry-run", "import --from map.json"))
def import_(
    context: typer.Context,
    source: Annotated[
        str, typer.Option("--from", help="genai-prices, LiteLLM map .json, GPU catalogue .csv.")
    ],
    provider: Annotated[str | None, typer.Option(help="Whose rates a GPU catalogue holds.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the difference, write nothing.")] = False,
    into: Annotated[Path, typer.Option(help="Folder for the proposals.")] = Path("proposed-prices"),
    on: Annotated[
        datetime | None,
        typer.Option("--on", formats=["%Y-%m-%d"], help="UTC day to compare; default: today."),
    ] = None,
) -> None:
    """Compare a catalogue with the book and propose dated entries; the book itself is never written."""
    day = (on or datetime.now(UTC)).date()
    proposal = price_import.propose(_book(context, None), source, provider, day)
    console.say(proposal.text())
    if not dry_run:
        for path in price_import.write_proposal(proposal, into):
            console.say(f"wrote {path}: look at it, then move it to the ledger's prices/")


@app.command(epilog=_examples("coverage", "coverage --json"))
def coverage(context: typer.Context, as_json: AsJson = False) -> None:
    """Which tokens of the published ledger have no price, the nearest names, and the file to edit."""
    settings = _home(context) or load_settings(find_home(None))
    book = load_price_book(settings.price_files)
    told = read_snapshot(settings.published, lambda reader: price_coverage.coverage(reader, book, settings))
    console.say(json_text(told) if as_json else price_coverage.coverage_text(told))
