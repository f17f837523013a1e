"""`inferledger demo`: the nightly job on the sample's fortnight, told step by step.

Lives here: the order of the demo and what it prints. Does not live here: its parts (demo.py).
"""

from contextlib import suppress
from pathlib import Path

from models.snapshot import read_snapshot
from pipelines import cli_console as console
from pipelines import cli_report
from pipelines.demo import (
    FORTNIGHT,
    HOST,
    choose_port,
    find_checkout,
    make_demo_home,
    serve_dashboard,
    wait_until_healthy,
)
from pipelines.settings import Settings
from pipelines.shown import count


def _load(settings: Settings) -> None:
    with console.progress_bar() as progress:
        progress("starting the scheduler", 0, 1)
        from pipelines.demo_run import run_nightly_job  # brings the scheduler: only the demo pays for it

        loaded = run_nightly_job(settings, *FORTNIGHT, progress)
    files, snapshot = loaded.files, loaded.snapshot
    records = (f"{count(files[kind])} {kind}" for kind in ("records", "parsed", "skips", "rejects"))
    console.say(f"landed {files['files_landed']} files: {', '.join(records)}")
    console.say(f"{loaded.check_count} checks passed")
    console.say(f"published snapshot {snapshot['snapshot_id']} · ledger {snapshot['ledger_hash']}")


def run(home: Path | None, *, once: bool) -> None:
    """Load the fortnight into a fresh home (default: demo/ in the checkout), print, serve the dashboard."""
    root = find_checkout()
    settings = make_demo_home(home or root / "demo", root / "data" / "sample")
    _load(settings)
    made = read_snapshot(
        settings.published, lambda reader: cli_report.ask(reader, "feature", "effective", None, None)
    )
    cli_report.print_report(made, console.output())
    port = choose_port()
    with serve_dashboard(root / "dashboards" / "app.py", settings.published, port) as dashboard:
        wait_until_healthy(dashboard, port)
        console.say(f"dashboard: http://{HOST}:{port}")
        if once:
            return
        console.say("Ctrl-C ends it; the ledger stays in " + str(settings.home))
        # Ctrl-C is how the demo ends; it reaches the dashboard as well.
        with suppress(KeyboardInterrupt):
            dashboard.wait()
