"""The demo from a checkout: fresh home, spend table, a dashboard that answers, and an end."""

import json
import re
import socket
from decimal import Decimal
from pathlib import Path

import pytest

from tests.end_to_end.cli import run

pytestmark = [pytest.mark.end_to_end, pytest.mark.slow]


def test_once_loads_prints_serves_and_stops(tmp_path: Path) -> None:
    said = run("--home", tmp_path / "demo", "demo", "--once")
    assert said.code == 0, said.err
    assert "Spend by feature, 2026-10-16 to 2026-10-29" in said.out
    assert re.search(r"landed \d+ files: [\d,]+ records", said.out)
    assert re.search(r"\d+ checks passed\npublished snapshot 000001-\S+ · ledger [0-9a-f]{64}\n", said.out)
    address = re.search(r"dashboard: http://127\.0\.0\.1:(\d+)\n", said.out)
    assert address is not None
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", int(address[1])))
    told = json.loads(run("report", "--json", home=tmp_path / "demo").out)
    assert f"{Decimal(told['total']['effective_cost_usd']):.6f}" in said.out


def test_again_with_the_usual_port_busy(tmp_path: Path) -> None:
    home = tmp_path / "demo"
    assert run("--home", home, "demo", "--once").code == 0
    with socket.socket() as busy:
        busy.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        busy.bind(("127.0.0.1", 8501))
        busy.listen()
        said = run("--home", home, "demo", "--once")
    assert said.code == 0, said.err
    assert "dashboard: http://127.0.0.1:" in said.out
    assert "http://127.0.0.1:8501" not in said.out


def test_a_folder_of_the_user_stays(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    said = run("--home", tmp_path, "demo", "--once")
    assert said.code == 2
    assert "was not made by the demo" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
