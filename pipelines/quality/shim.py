"""What makes Great Expectations run on DuckDB: the dialect it lacks, without telemetry and noise.

Lives here: the import, and one entry in a private tuple. Great Expectations knows no DuckDB and closes a
connection before it fetches, unless the dialect stands in that tuple. The test of this file fails when the
tuple goes, or when DuckDB becomes a dialect of theirs: then this file goes too.
Does not live here: any expectation.
"""

import os
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

DIALECT = "duckdb"
TUPLE_NAME = "_PERSISTED_CONNECTION_DIALECTS"


class _DuckDBDialect(str):
    """The name as text, as the engine compares it, and as `.value`, as the address is compared."""

    __slots__ = ()

    @property
    def value(self) -> str:
        """The name of the dialect."""
        return str(self)


def great_expectations() -> ModuleType:
    """Import Great Expectations (2 to 10 seconds the first time) ready for DuckDB; the module."""
    # Read at import, so it is set before.
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    with warnings.catch_warnings(), _hidden("pyspark"):
        # It imports what is installed beside it, and some of that warns.
        warnings.simplefilter("ignore")
        import great_expectations as gx
        from great_expectations.execution_engine import sqlalchemy_execution_engine as engine
    known: tuple[Any, ...] = getattr(engine, TUPLE_NAME)
    if DIALECT not in known:
        setattr(engine, TUPLE_NAME, (*known, _DuckDBDialect(DIALECT)))
    return gx


@contextmanager
def _hidden(package: str) -> Generator[None]:
    """Let a package look as if it were not installed while the block runs.

    Great Expectations imports Spark where it finds it; Spark takes a process without a main file, as
    schedulers start them, for a test of its own and ends it with code 0.
    """
    names = [name for name in sys.modules if name.partition(".")[0] == package]
    held = {name: sys.modules.pop(name) for name in names}
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]
        sys.modules.update(held)
