"""One published ledger of the sample for all tests that only read."""

from pathlib import Path

import pytest

from tests.end_to_end.cli import FILES, run, sample_home


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample landed, built and published by the command line. Tests only read it."""
    home = sample_home(tmp_path_factory.mktemp("ledger"))
    said = run("run", FILES, home=home)
    assert said.code == 0, said.err
    return home
