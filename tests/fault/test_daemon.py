"""The daemon ticks by itself; its next tick heals a killed run, a killed daemon and a killed writer."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from models.registry import models
from pipelines.settings import Settings, load_settings
from tests.nights import FILES, ledger_hash, night, sample_home
from tests.receivers import receiving

ROOT = Path(__file__).parents[2]
SEED = 20261021
# A tick comes every minute; starting a daemon and a run takes up to half of one on a busy machine.
PATIENCE = 180
Found = TypeVar("Found")

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end]


def minutely_home(folder: Path, url: str) -> Settings:
    sample_home(folder)
    choices = {"cron": "* * * * *", "first_day": "2026-10-16", "webhook": url}
    written = "\n".join(f"  {key}: {json.dumps(value)}" for key, value in choices.items())
    inbox = json.dumps([str(path) for path in FILES])
    text = f"inbox: {inbox}\nquality: {{expectations: false}}\nnightly:\n{written}\n"
    (folder / "inferledger.yml").write_text(text.replace('"2026-10-16"', "2026-10-16"), encoding="utf-8")
    return load_settings(folder)


def environment(settings: Settings) -> dict[str, str]:
    return {
        **os.environ,
        "INFERLEDGER_HOME": str(settings.home),
        "DAGSTER_HOME": str(settings.home / "dagster"),
        "DAGSTER_DISABLE_TELEMETRY": "yes",
    }


def descendants(pid: int) -> list[int]:
    """A process and all below it, the lowest first."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(stat.parent.name))
    below = [grandchild for child in parents.get(pid, []) for grandchild in descendants(child)]
    return [*below, pid]


def kill_all(process: subprocess.Popen[bytes]) -> None:
    for pid in reversed(descendants(process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=30)


@contextmanager
def daemon(settings: Settings) -> Generator[subprocess.Popen[bytes]]:
    """The daemon alone, with its output beside the home."""
    command = [str(Path(sys.executable).parent / "dagster-daemon"), "run"]
    with (settings.home / "daemon.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, "--module-name", "tests.fault.daemon_definitions"],
            cwd=ROOT,
            env=environment(settings),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                kill_all(process)


def wait_for(look: Callable[[], Found | None], what: str, settings: Settings) -> Found:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(0.005)
    log = (settings.home / "daemon.log").read_text(encoding="utf-8")[-3000:]
    raise AssertionError(f"no {what} within {PATIENCE} seconds\n{log}")


def run_with_tables(settings: Settings, count: int) -> int | None:
    """The process that writes, once it has built `count` tables."""
    try:
        building: dict[str, Any] = json.loads(settings.building_file.read_text(encoding="utf-8"))
        told = settings.lock_file.read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return None
    return int(told[1]) if len(told) > 1 and len(building["tables"]) >= count else None


def is_published(settings: Settings) -> bool | None:
    return True if (settings.published / "CURRENT").exists() and not settings.building_file.exists() else None


def kill_a_writer(settings: Settings, step: int, counts: Path) -> None:
    arguments = ["-m", "tests.fault.killed", "building", str(step), str(counts), "run"]
    child = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment(settings), capture_output=True, timeout=120
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


def test_the_next_tick_heals_what_was_killed(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    first, second = (chance.randint(1, len(models()) - 4) for _ in range(2))
    step = chance.randint(3, 20)
    where = f"seed {SEED}: run after {first} tables, daemon after {second}, writer at step {step}"
    clean = sample_home(tmp_path / "clean")
    night(clean, FILES)
    with receiving() as receiver:
        settings = minutely_home(tmp_path / "ledger", receiver.url)
        with daemon(settings) as process:
            os.kill(wait_for(lambda: run_with_tables(settings, first), "first run", settings), signal.SIGKILL)
            killed = settings.building_file.read_text(encoding="utf-8")

            def next_run() -> int | None:
                changed = settings.building_file.read_text(encoding="utf-8") != killed
                return run_with_tables(settings, second) if changed else None

            wait_for(next_run, "second run", settings)
            kill_all(process)
        assert not (settings.published / "CURRENT").exists(), where
        kill_a_writer(settings, step, tmp_path / "counts.json")
        assert not (settings.published / "CURRENT").exists(), where
        with daemon(settings):
            wait_for(lambda: is_published(settings), "publication", settings)
            assert ledger_hash(settings) == ledger_hash(clean), where
            wait_for(lambda: True if len(receiver.posts) >= 2 else None, "two alarms", settings)
            time.sleep(5)
        told = [post["load"] for post in receiver.posts if post["event"] == "load_failed"]
        assert len(told) == len(set(told)) == 2, where
