"""`inferledger demo`: the main job on the sample, told step by step.

Lives here: the order of the demo and what it prints. Does not live here: its parts (demo.py).
"""

from contextlib import suppress
from pathlib import Path

from models.snapshot import read_snapshot
from pipelines import cli_console as console
from pipelines import cli_load, cli_report
from pipelines.demo import (
    HOST,
    choose_port,
    find_checkout,
    make_demo_home,
    serve_dashboard,
    wait_until_healthy,
)
from pipelines.writer_lock import hold_writer_lock


def run(home: Path | None, *, once: bool) -> None:
    """Load the sample into a fresh home (default: demo/ in the checkout), print, and serve the dashboard."""
    root = find_checkout()
    sample = root / "data" / "sample"
    settings = make_demo_home(home or root / "demo", sample)
    with hold_writer_lock(settings.lock_file):
        cli_load.load(settings, [sample / "files"], {})
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
