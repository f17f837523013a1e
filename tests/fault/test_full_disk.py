"""A disk that is full (a file-size limit in a child process): a clear failure, nothing half-published."""

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from models.snapshot import open_snapshot
from pipelines.settings import Settings
from tests.end_to_end.cli import run
from tests.nights import FILES, ledger_hash, night, sample_home


def limit(size: int) -> Callable[[], None]:
    """Let no file of the child grow beyond `size` bytes; Python ignores the signal and sees the error."""

    def apply() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return apply


@pytest.fixture(scope="module")
def clean_hash(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = sample_home(tmp_path_factory.mktemp("clean"))
    night(settings, FILES)
    return ledger_hash(settings)


@pytest.fixture
def grown(tmp_path: Path) -> Settings:
    settings = sample_home(tmp_path / "home")
    night(settings, FILES[:3])
    return settings


def expect_failure_then_heal(settings: Settings, clean_hash: str, size: int, *command: str) -> str:
    before = open_snapshot(settings.published)
    said = run(*command, home=settings.home, before=limit(size))
    assert said.code == 1, said.err
    assert "Traceback" not in said.err
    assert said.err.startswith("failed: ")
    assert open_snapshot(settings.published).id == before.id
    with before.connect() as reader:
        assert reader.fetch("select count(*) as n from fct_cost_lines").to_pylist()[0]["n"] > 0
    night(settings, FILES)
    assert ledger_hash(settings) == clean_hash
    return said.err


@pytest.mark.end_to_end
def test_while_landing(grown: Settings, clean_hash: str) -> None:
    told = expect_failure_then_heal(grown, clean_hash, 4_000, "run", *map(str, FILES))
    assert "too large" in told.lower()


@pytest.mark.end_to_end
def test_while_building(grown: Settings, clean_hash: str) -> None:
    size = grown.warehouse.stat().st_size
    assert size > 300_000
    expect_failure_then_heal(grown, clean_hash, 300_000, "run", *map(str, FILES))


@pytest.mark.end_to_end
def test_while_publishing(grown: Settings, clean_hash: str) -> None:
    assert run("ingest", *FILES, home=grown.home).code == 0
    assert run("build", home=grown.home).code == 0
    expect_failure_then_heal(grown, clean_hash, 4_000, "publish")
