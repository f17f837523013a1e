"""SIGKILL at seeded points of a load: a rerun gives the ledger of a clean run and leaves nothing behind."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from models.snapshot import open_snapshot
from pipelines.building import read_building
from pipelines.settings import Settings, load_settings
from tests.nights import FILES, ledger_hash, night, sample_home

ROOT = Path(__file__).parents[2]
SEED = 20261019
# Where the killed load starts from: an empty home, or one that has published the first files.
FIRST_NIGHT = FILES[:3]
POINTS = (
    *[("fresh", phase) for phase in ("landing", "building", "building", "publishing")],
    *[
        ("grown", phase)
        for phase in ("landing", "landing", "building", "building", "publishing", "publishing")
    ],
)


class World(NamedTuple):
    """Homes to start from, the steps a load takes in each, and the hash a clean run ends with."""

    homes: dict[str, Path]
    steps: dict[str, dict[str, int]]
    clean_hash: str


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("world")
    fresh, grown = folder / "fresh", folder / "grown"
    sample_home(fresh)
    night(sample_home(grown), FIRST_NIGHT)
    steps: dict[str, dict[str, int]] = {}
    hashes: set[str] = set()
    for name, home in (("fresh", fresh), ("grown", grown)):
        copy = copied(home, folder / f"{name}-clean")
        counts = folder / f"{name}.json"
        child = load(copy, "none", 0, counts)
        assert child.returncode == 0, child.stderr
        steps[name] = json.loads(counts.read_text(encoding="utf-8"))
        hashes.add(ledger_hash(load_settings(copy)))
    assert len(hashes) == 1
    return World({"fresh": fresh, "grown": grown}, steps, hashes.pop())


def copied(home: Path, target: Path) -> Path:
    shutil.copytree(home, target)
    return target


def load(home: Path, phase: str, step: int, counts: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "tests.fault.killed",
        phase,
        str(step),
        str(counts),
        "run",
        *map(str, FILES),
    ]
    environment = {**os.environ, "INFERLEDGER_HOME": str(home)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def leftovers(settings: Settings) -> list[str]:
    files = [path.relative_to(settings.home) for path in settings.home.rglob("*") if path.is_file()]
    marks = (".draft-", ".tmp", "unfinished")
    return [str(path) for path in files if any(mark in str(path) for mark in marks)]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(POINTS)), ids=lambda n: f"{n}-{'-'.join(POINTS[n])}")
def test_a_killed_load_is_healed_by_the_next(world: World, tmp_path: Path, number: int) -> None:
    start, phase = POINTS[number]
    step = random.Random(SEED + number).randint(1, world.steps[start][phase])
    where = f"seed {SEED + number}: {start} home, {phase}, step {step} of {world.steps[start][phase]}"
    home = copied(world.homes[start], tmp_path / "home")
    child = load(home, phase, step, tmp_path / "counts.json")
    assert child.returncode == -signal.SIGKILL, f"{where}: it had finished before the kill\n{child.stderr}"
    settings = load_settings(home)
    if (settings.published / "CURRENT").exists():
        with open_snapshot(settings.published).connect() as reader:
            assert reader.fetch("select count(*) as n from fct_cost_lines").to_pylist()[0]["n"] > 0, where
    night(settings, FILES)
    assert ledger_hash(settings) == world.clean_hash, where
    assert read_building(settings.building_file) is None, where
    assert leftovers(settings) == [], where
    assert night(settings, FILES) is None, where


def test_the_points_are_spread_over_all_phases() -> None:
    assert len(POINTS) == 10
    for phase in ("landing", "building", "publishing"):
        assert sum(1 for _, of in POINTS if of == phase) >= 2
