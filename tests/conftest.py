"""Which kinds of test this machine can run, said aloud: one line per kind left out, with what brings it.

`INFERLEDGER_REQUIRE` (comma-separated kinds) turns each such line, and a kind without any test, into a
failure.
"""

import importlib.util
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

# Few examples where everybody waits, many on demand: HYPOTHESIS_PROFILE=thorough.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


class Kind(NamedTuple):
    """A kind of test that needs something of the machine: is it there, and what would bring it."""

    is_there: Callable[[], bool]
    bring: str


def _real_data_is_there() -> bool:
    folder = os.environ.get("INFERLEDGER_REAL_DATA")
    return bool(folder) and Path(folder).is_dir()


KINDS = {
    "spark": Kind(
        lambda: bool(shutil.which("java")) and importlib.util.find_spec("pyspark") is not None,
        "apt-get install openjdk-17-jre-headless && make test",
    ),
    "browser": Kind(lambda: bool(shutil.which("chromium")), "apt-get install chromium && make test"),
    "realdata": Kind(_real_data_is_there, "INFERLEDGER_REAL_DATA=<folder of the public traces> make test"),
}
LEFT_OUT = pytest.StashKey[Counter[str]]()
SELECTED = pytest.StashKey[Counter[str]]()


def _required() -> list[str]:
    return [kind for kind in os.environ.get("INFERLEDGER_REQUIRE", "").split(",") if kind]


def pytest_configure(config: pytest.Config) -> None:
    """Refuse an unknown kind: a requirement that matches nothing would never fail."""
    if unknown := set(_required()) - KINDS.keys():
        raise pytest.UsageError(f"INFERLEDGER_REQUIRE names {sorted(unknown)}; allowed: {sorted(KINDS)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out the tests whose kind the machine cannot run, and remember how many."""
    missing = {name for name, kind in KINDS.items() if not kind.is_there()}
    left_out: Counter[str] = Counter()
    selected: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    for item in items:
        kinds = {mark.name for mark in item.iter_markers()} & KINDS.keys()
        if gone := kinds & missing:
            left_out.update(gone)
        else:
            selected.update(kinds)
            kept.append(item)
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
    config.stash[LEFT_OUT] = left_out
    config.stash[SELECTED] = selected


def _complaints(config: pytest.Config) -> list[str]:
    """What was required and did not run; a run narrowed by the caller is only held to what it selected."""
    left_out = config.stash.get(LEFT_OUT, Counter())
    selected = config.stash.get(SELECTED, Counter())
    is_narrowed = bool(config.option.keyword or config.option.markexpr) or config.args != ["tests"]
    return [
        f"required kind '{kind}': {left_out[kind]} tests did not run; bring them with: {KINDS[kind].bring}"
        for kind in _required()
        if left_out[kind] or (not selected[kind] and not is_narrowed)
    ]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a parallel worker what it selected: every worker collects the same tests."""
    if told := getattr(node, "workeroutput", {}).get("kinds"):
        node.config.stash[LEFT_OUT], node.config.stash[SELECTED] = map(Counter, told)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A required kind that did not run fails the session."""
    stash = session.config.stash
    if (told := getattr(session.config, "workeroutput", None)) is not None:
        told["kinds"] = [dict(stash.get(LEFT_OUT, Counter())), dict(stash.get(SELECTED, Counter()))]
        return
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and _complaints(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line per kind left out."""
    for kind, count in sorted(config.stash.get(LEFT_OUT, Counter()).items()):
        terminalreporter.write_line(f"left out: {count} {kind} tests; bring them with: {KINDS[kind].bring}")
    for complaint in _complaints(config):
        terminalreporter.write_line(f"FAILED {complaint}", red=True)
