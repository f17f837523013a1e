"""Two writers: one works, the other stops with a clear message, and nothing is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.writer_lock import hold_writer_lock
from tests.end_to_end.cli import ROOT, START, run
from tests.nights import FILES, ledger_hash, night, sample_home


@pytest.mark.end_to_end
@pytest.mark.parametrize("command", ["ingest", "build", "check", "publish", "run"])
def test_a_writer_meets_a_held_lock(tmp_path: Path, command: str) -> None:
    settings = sample_home(tmp_path)
    with hold_writer_lock(settings.lock_file):
        said = run(command, home=tmp_path)
    assert said.code == 2
    assert f"another load is writing: 'process {os.getpid()} since " in said.err
    assert "Traceback" not in said.err


@pytest.mark.end_to_end
def test_readers_do_not_mind_a_writer(tmp_path: Path) -> None:
    settings = sample_home(tmp_path)
    night(settings, FILES[:2])
    with hold_writer_lock(settings.lock_file):
        assert run("report", "--json", home=tmp_path).code == 0


@pytest.mark.end_to_end
def test_two_loads_at_once_lose_nothing(tmp_path: Path) -> None:
    settings, alone = sample_home(tmp_path / "both"), sample_home(tmp_path / "alone")
    night(alone, FILES)
    environment = {**os.environ, "INFERLEDGER_HOME": str(settings.home)}
    halves = [FILES[::2], FILES[1::2]]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", START, "run", *map(str, half)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for half in halves
    ]
    told = [child.communicate(timeout=120)[1] for child in children]
    codes = sorted(child.returncode for child in children)
    assert codes in ([0, 0], [0, 2]), told
    for half, child in zip(halves, children, strict=True):
        if child.returncode == 2:
            assert run("run", *half, home=settings.home).code == 0
    assert ledger_hash(settings) == ledger_hash(alone)
