"""The demo's parts: a home it may make anew, a port that is free, a dashboard that must answer."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines import demo
from pipelines.demo import (
    FORTNIGHT,
    choose_port,
    find_checkout,
    make_demo_home,
    serve_dashboard,
    wait_until_healthy,
)
from pipelines.errors import UserError

SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Health(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(sys.argv[2]) if self.path == "/_stcore/health" else 404)
        self.end_headers()
    def log_message(self, *told): pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Health).serve_forever()
"""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    (folder / "fortnight").mkdir(parents=True)
    (folder / "fortnight" / "mapping.yml").write_text("rules: []\n", encoding="utf-8")
    (folder / "fortnight" / "sources.yml").write_text("sources: []  # none\n", encoding="utf-8")
    (folder / "secret.key").write_text("s" * 64 + "\n", encoding="ascii")
    return folder


def test_the_home_has_the_samples_mapping_and_secret(tmp_path: Path, sample: Path) -> None:
    settings = make_demo_home(tmp_path / "demo", sample)
    assert settings.mapping_file.read_text(encoding="utf-8") == "rules: []\n"
    assert settings.secret_file.read_text(encoding="ascii") == "s" * 64 + "\n"
    assert settings.sources_file.read_text(encoding="utf-8") == "sources: []  # none\n"


def test_the_home_loads_the_fortnight_and_has_no_schedule_of_its_own(tmp_path: Path, sample: Path) -> None:
    settings = make_demo_home(tmp_path / "demo", sample)
    assert settings.inbox == (str(sample / "fortnight" / "files"),)
    assert (settings.nightly.first_day, settings.nightly.is_running) == (FORTNIGHT[0], False)


def test_the_days_of_the_demo_are_those_of_its_files() -> None:
    files = (find_checkout() / "data" / "sample" / "fortnight" / "files").glob("litellm-*")
    days = sorted({path.name.removeprefix("litellm-")[:10] for path in files})
    assert (days[0], days[-1]) == tuple(day.isoformat() for day in FORTNIGHT)


def test_a_former_demo_is_replaced(tmp_path: Path, sample: Path) -> None:
    home = tmp_path / "demo"
    make_demo_home(home, sample)
    (home / "warehouse.duckdb").write_text("old", encoding="ascii")
    make_demo_home(home, sample)
    assert not (home / "warehouse.duckdb").exists()


def test_a_folder_of_the_user_is_never_replaced(tmp_path: Path, sample: Path) -> None:
    home = tmp_path / "demo"
    home.mkdir()
    (home / "thesis.txt").write_text("mine", encoding="ascii")
    with pytest.raises(UserError, match="was not made by the demo"):
        make_demo_home(home, sample)
    assert [path.name for path in home.iterdir()] == ["thesis.txt"]


def test_outside_of_a_checkout_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "site-packages" / "pipelines" / "demo.py"))
    with pytest.raises(UserError, match="git clone"):
        find_checkout()


def test_a_busy_port_gives_way_to_a_free_one() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        taken = busy.getsockname()[1]
        chosen = choose_port(taken)
        assert chosen != taken
        assert chosen > 0
    assert choose_port(taken) == taken


@pytest.mark.parametrize("status", [200, 503])
def test_only_a_health_of_200_counts(status: int) -> None:
    port = choose_port(0)
    command = [sys.executable, "-c", SERVER, str(port), str(status)]
    with subprocess.Popen(command) as server:
        try:
            if status == 200:
                wait_until_healthy(server, port)
            else:
                with pytest.raises(RuntimeError, match="did not answer on port"):
                    wait_until_healthy(server, port, seconds=1)
        finally:
            server.kill()


def test_a_dashboard_that_ends_is_noticed_at_once() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) as server,
        pytest.raises(RuntimeError, match="ended with code 3 before it answered"),
    ):
        wait_until_healthy(server, choose_port(0))


def test_the_dashboard_answers_on_its_port_and_ends_with_the_block(tmp_path: Path) -> None:
    app = tmp_path / "dashboards" / "app.py"
    app.parent.mkdir()
    app.write_text("import streamlit\nstreamlit.write('here')\n", encoding="utf-8")
    port = choose_port(0)
    with serve_dashboard(app, tmp_path, port) as process:
        wait_until_healthy(process, port)
    assert process.poll() is not None
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", port))
