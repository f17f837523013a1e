"""The command line with a killer inside: SIGKILL at the n-th step of one phase of a load.

Lives here: counting the steps of landing, building and publishing, and dying at one of them. A step is a call
to the engine or a change of a file of the home (seen by Python's audit hook).
Does not live here: which steps, and what must hold afterwards (test_kill.py).

Started as: python -m tests.fault.killed PHASE STEP COUNTS_FILE ARGUMENTS...
STEP 0 kills nobody and writes the steps of every phase to COUNTS_FILE.
"""

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from models.engines.duckdb import DuckDBEngine
from pipelines import cli, nightly

PHASES = {"landing": "land", "building": "build", "publishing": "publish"}
VERBS = ("load", "build", "replace_window", "fetch", "write")
FILE_EVENTS = ("open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.truncate")
# Long enough to be inside the statement that the step starts, short enough not to outlive the phase.
INSIDE_SECONDS = 0.001


class Killer:
    """Counts steps, and kills this process at one."""

    def __init__(self, phase: str, step: int, home: str) -> None:
        self.phase, self.step, self.home = phase, step, home
        self.current: str | None = None
        self.counts: Counter[str] = Counter()

    def take(self, *, inside: bool) -> None:
        """One step of the current phase; `inside` lets the step begin before the end comes."""
        if self.current is None:
            return
        self.counts[self.current] += 1
        if self.current == self.phase and self.counts[self.current] == self.step:
            if not inside:
                os.kill(os.getpid(), signal.SIGKILL)
            threading.Thread(target=self._kill_soon, daemon=True).start()

    def _kill_soon(self) -> None:
        time.sleep(INSIDE_SECONDS)
        os.kill(os.getpid(), signal.SIGKILL)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """The audit hook: files of the home that are changed or opened for writing."""
        if event not in FILE_EVENTS or not str(arguments[0]).startswith(self.home):
            return
        if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
        self.take(inside=False)

    def in_phase(self, phase: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """`work` with its steps counted as those of `phase`."""

        def phased(*given: Any, **named: Any) -> Any:
            self.current = phase
            try:
                return work(*given, **named)
            finally:
                self.current = None

        return phased

    def counted(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """A verb of the engine that is a step."""

        def stepped(*given: Any, **named: Any) -> Any:
            self.take(inside=True)
            return verb(*given, **named)

        return stepped


def main() -> None:
    phase, step, counts_file, *arguments = sys.argv[1:]
    killer = Killer(phase, int(step), os.environ["INFERLEDGER_HOME"])
    for name, function in PHASES.items():
        setattr(nightly, function, killer.in_phase(name, getattr(nightly, function)))
    for verb in VERBS:
        setattr(DuckDBEngine, verb, killer.counted(getattr(DuckDBEngine, verb)))
    sys.addaudithook(killer.hear)
    sys.argv = ["inferledger", *arguments]
    try:
        cli.main()
    finally:
        Path(counts_file).write_text(json.dumps(killer.counts), encoding="utf-8")


if __name__ == "__main__":
    main()
