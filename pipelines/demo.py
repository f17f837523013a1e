"""The demo: a fresh home, the sample loaded into it, and the dashboard over what was published.

Lives here: finding the checkout, making the home anew, starting and waiting for the dashboard.
Does not live here: the load (nightly.py) and the tables (cli_report.py). The dashboard is another process,
told only where the published folder is.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

from pipelines.durable import write_durably
from pipelines.errors import UserError
from pipelines.home import create_home
from pipelines.settings import SETTINGS_NAME, Settings, load_settings

PUBLISHED_VARIABLE = "INFERLEDGER_PUBLISHED"
HOST = "127.0.0.1"
# First and last day of data/sample/fortnight.
FORTNIGHT = (date(2026, 10, 16), date(2026, 10, 29))
DEFAULT_PORT = 8501
# Its presence says that the demo made the folder, so the demo may remove it.
MARK_NAME = ".made-by-inferledger-demo"
_ANSWER_SECONDS = 60
_STREAMLIT_OPTIONS = (
    f"--server.address={HOST}",
    f"--server.allowedHosts={HOST}",
    "--server.allowedHosts=localhost",
    "--server.headless=true",
    "--server.fileWatcherType=none",
    "--server.enableAgentApi=false",
    "--server.maxUploadSize=1",
    "--logger.level=warning",
    "--client.showErrorDetails=none",
    "--client.toolbarMode=viewer",
    "--browser.gatherUsageStats=false",
)


def find_checkout() -> Path:
    """The folder that holds `data/sample` and `dashboards`; a UserError outside of a checkout."""
    root = Path(__file__).resolve().parents[1]
    for needed in ("data/sample/fortnight/files", "data/sample/secret.key", "dashboards/app.py"):
        if not (root / needed).exists():
            raise UserError(
                f"the demo needs '{needed}' · {root} · it is part of the repository, not of the installed "
                f"package · next: git clone the repository and run `make demo` in it"
            )
    return root


def make_demo_home(home: Path, sample: Path) -> Settings:
    """Make `home` anew for the fortnight of `sample`; a folder the demo did not make stays."""
    if home.exists() and any(home.iterdir()):
        if not (home / MARK_NAME).is_file():
            raise UserError(
                f"'{home}' was not made by the demo · its content stays · allowed: an empty or new folder · "
                f"next: inferledger --home other-folder demo"
            )
        shutil.rmtree(home)
    home.mkdir(parents=True, exist_ok=True)
    write_durably(home / MARK_NAME, b"")
    for name in ("mapping.yml", "sources.yml"):
        shutil.copyfile(sample / "fortnight" / name, home / name)
    write_durably(home / SETTINGS_NAME, _choices(sample).encode())
    create_home(home, (sample / "secret.key").read_text(encoding="ascii").strip())
    return load_settings(home)


def _choices(sample: Path) -> str:
    files = json.dumps(str(sample / "fortnight" / "files"), ensure_ascii=False)
    return (
        "# The ledger of the demo: its files are those of the sample, and no schedule runs by itself.\n"
        f"inbox: [{files}]\nnightly:\n  first_day: {FORTNIGHT[0]}\n  is_running: false\n"
    )


def choose_port(wanted: int = DEFAULT_PORT) -> int:
    """`wanted` when nothing listens there, else a free port."""
    for port in (wanted, 0):
        with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise UserError(f"no port is free on '{HOST}' · next: end a process that listens and try again")


@contextmanager
def serve_dashboard(app: Path, published: Path, port: int) -> Generator[subprocess.Popen[bytes]]:
    """Run the dashboard over `published` for the length of the block."""
    command = [sys.executable, "-m", "streamlit", "run", str(app), f"--server.port={port}"]
    environment = {**os.environ, PUBLISHED_VARIABLE: str(published)}
    with subprocess.Popen(
        [*command, *_STREAMLIT_OPTIONS],
        cwd=app.parents[1],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_until_healthy(process: subprocess.Popen[bytes], port: int, seconds: int = _ANSWER_SECONDS) -> None:
    """Return when the health page answers 200; RuntimeError when it ends or `seconds` pass before that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the dashboard ended with code {process.returncode} before it answered")
        if _is_healthy(port):
            return
        time.sleep(0.1)
    raise RuntimeError(f"the dashboard did not answer on port {port} within {seconds} seconds")


def _is_healthy(port: int) -> bool:
    # The default opener would ask a proxy for an address of this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{HOST}:{port}/_stcore/health", timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
