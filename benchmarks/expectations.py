"""What the expectations at landing cost: `python -m benchmarks.expectations [--rows 1000000] [--folder DIR]`.

What lives here: the suite of raw_attempts, pushed down to Parquet, against one bare read of the same columns.
What does not: the other steps (`steps.py`).
"""

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.generator import write_attempts
from models.columns import input_tables
from models.engines.duckdb import DuckDBEngine
from pipelines.quality.run import validate
from pipelines.quality.shim import great_expectations
from pipelines.quality.suites import landing_suites, token_clock

TABLE = "raw_attempts"


def main() -> None:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to keep the data; a temporary folder by default")
    options = parser.parse_args()
    started = time.perf_counter()
    great_expectations()
    print(f"{'import':24}{time.perf_counter() - started:>10.2f} s")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        database = _database(folder, list(write_attempts(folder, options.rows, 1)))
        scanned = min(_scan(database) for _ in range(options.repeats))
        expected = min(_expect(database, folder / "docs") for _ in range(options.repeats))
    print(f"{'bare read, all columns':24}{scanned:>10.2f} s")
    print(f"{'expectations and pages':24}{expected:>10.2f} s")
    print(f"expectations / bare read of {options.rows:,} rows: {expected / scanned:.2f}")


def _database(folder: Path, files: list[Path]) -> Path:
    path = folder / "landed.duckdb"
    path.unlink(missing_ok=True)
    engine = DuckDBEngine(path)
    engine.load(TABLE, files)
    engine.close()
    return path


def _scan(database: Path) -> float:
    # Values, not the counts and bounds that Parquet keeps beside them.
    names = input_tables()[TABLE].columns
    counted = ", ".join(f"count(*) filter (where {name} is distinct from null) as {name}" for name in names)
    engine = DuckDBEngine(database, read_only=True)
    started = time.perf_counter()
    engine.fetch(f"select {counted} from {TABLE}")
    seconds = time.perf_counter() - started
    engine.close()
    return seconds


def _expect(database: Path, docs: Path) -> float:
    wanted = [*landing_suites([TABLE]), token_clock()]
    started = time.perf_counter()
    outcomes = validate(database, wanted, {TABLE: f"select * from {TABLE}"}, docs)
    seconds = time.perf_counter() - started
    against = [outcome.expectation.name for outcome in outcomes if not outcome.is_met]
    assert not against, f"the generator breaks {against}"
    return seconds


if __name__ == "__main__":
    main()
