"""How the command line speaks: results on stdout, everything else on stderr, and what an error ends with.

Lives here: progress bars, error messages and exit codes (0 done, 1 the work failed, 2 a person can fix it).
Does not live here: commands (cli.py).
"""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

import duckdb
import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from models.errors import ModelError
from models.errors import UserError as ModelUserError
from pipelines.checks import CheckError
from pipelines.errors import UserError
from pipelines.progress import Progress, stay_quiet
from pipelines.verify import PublishError
from pricing.errors import PriceBookError

WORK_FAILED = 1
FIXABLE = 2
FIXABLE_ERRORS = (UserError, ModelUserError, PriceBookError)
WORK_ERRORS = (CheckError, PublishError, ModelError, OSError, duckdb.Error, pa.ArrowException, RuntimeError)
# A table that goes into a file or a pipe is not cut to the width of a terminal that is not there.
_FILE_WIDTH = 160


def output() -> Console:
    """The console for results."""
    return Console(width=None if sys.stdout.isatty() else _FILE_WIDTH, highlight=False, soft_wrap=False)


def say(text: str) -> None:
    """Print one result line, uninterpreted."""
    sys.stdout.write(f"{text}\n")


def note(text: str) -> None:
    """Print one line beside the results."""
    sys.stderr.write(f"{text}\n")


@contextmanager
def progress_bar() -> Generator[Progress]:
    """Draw progress reports as one bar on stderr while the block runs; silent when it is no terminal."""
    if not sys.stderr.isatty():
        yield stay_quiet
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield report


def run_guarded(command: Callable[[], object]) -> int:
    """Run the command line and return its exit code; errors of people and of work show no traceback."""
    try:
        command()
    except FIXABLE_ERRORS as error:
        note(f"error: {error}")
        return FIXABLE
    except ModelError as error:
        note(f"failed: '{error.name}' ({error.layer}): {error.reason}")
        note(f"parameters: {error.params or 'none'}")
        note("the last published snapshot stays · next: run the command again once the cause is gone")
        return WORK_FAILED
    except WORK_ERRORS as error:
        note(f"failed: {error}")
        return WORK_FAILED
    return 0
