"""The command line in a child process, the way a person starts it.

Lives here: starting it and keeping what it said. Does not live here: any expectation.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipelines.home import create_home

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample"
FILES = SAMPLE / "files"
START = "from pipelines.cli import main; main()"


@dataclass(frozen=True)
class Said:
    """What a command ended with and said."""

    code: int
    out: str
    err: str


def run(
    *arguments: str | Path,
    home: Path | None = None,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
    folder: Path | None = None,
) -> Said:
    """Run `inferledger` with the arguments; `before` runs in the child before Python starts."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("INFERLEDGER_")}
    if home is not None:
        known["INFERLEDGER_HOME"] = str(home)
    child = subprocess.run(
        [sys.executable, "-c", START, *map(str, arguments)],
        env=known | dict(environment or {}),
        cwd=folder or ROOT,
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return Said(child.returncode, child.stdout, child.stderr)


def sample_home(home: Path) -> Path:
    """A home with the mapping and the secret of the sample, nothing landed."""
    create_home(home, (SAMPLE / "secret.key").read_text(encoding="ascii").strip())
    (home / "mapping.yml").write_bytes((SAMPLE / "mapping.yml").read_bytes())
    # The expectations take seconds to import; their own tests switch them on.
    with (home / "inferledger.yml").open("a", encoding="utf-8") as file:
        file.write("quality: {expectations: false}\n")
    return home
