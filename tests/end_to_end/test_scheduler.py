"""`dg launch` from outside: a range of days, and nights in random order, give the command line's ledger."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.settings import Settings, load_settings
from tests.nights import FILES, ledger_hash, night, sample_home

ROOT = Path(__file__).parents[2]
DAYS = ("2026-10-19", "2026-10-20", "2026-10-21")
SEED = 20261019

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end]


def home(folder: Path) -> Settings:
    sample_home(folder)
    text = "nightly: {first_day: 2026-10-16}\nquality: {expectations: false}\n"
    (folder / "inferledger.yml").write_text(text, encoding="utf-8")
    return load_settings(folder)


def arrive(settings: Settings, paths: list[Path]) -> None:
    for path in paths:
        (settings.home / "inbox" / path.name).write_bytes(path.read_bytes())


def launch(settings: Settings, *days: str) -> None:
    environment = {
        **os.environ,
        "INFERLEDGER_HOME": str(settings.home),
        "DAGSTER_HOME": str(settings.home / "dagster"),
        "DAGSTER_DISABLE_TELEMETRY": "yes",
    }
    command = [str(Path(sys.executable).parent / "dg"), "launch", "--assets", "*", *days]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, told.stderr[-3000:]


@pytest.fixture(scope="module")
def clean_hash(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = sample_home(tmp_path_factory.mktemp("clean"))
    night(settings, FILES)
    return ledger_hash(settings)


def test_a_range_of_days_is_one_run_and_a_second_pass_changes_nothing(
    tmp_path: Path, clean_hash: str
) -> None:
    settings = home(tmp_path / "ledger")
    arrive(settings, list(FILES))
    launch(settings, "--partition-range", f"{DAYS[0]}...{DAYS[-1]}")
    assert ledger_hash(settings) == clean_hash
    first = (settings.published / "CURRENT").read_text(encoding="ascii")
    launch(settings, "--partition-range", f"{DAYS[0]}...{DAYS[-1]}")
    assert (settings.published / "CURRENT").read_text(encoding="ascii") == first


def test_single_nights_in_random_order_give_the_same_ledger(tmp_path: Path, clean_hash: str) -> None:
    settings = home(tmp_path / "ledger")
    days = random.Random(SEED).sample(DAYS, len(DAYS))
    for day in days:
        arrive(settings, [path for path in FILES if day in path.name])
        launch(settings, "--partition", day)
    assert ledger_hash(settings) == clean_hash, f"seed {SEED}: {days}"
