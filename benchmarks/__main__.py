"""All ratios in one run: `python -m benchmarks [--rows 10000000] [--days 1] [--folder DIR]`.

What lives here: the order of the steps, their repetition, and the table that is printed. What does not: the
steps (`steps.py`). Each step runs in a fresh process so that its peak memory is its own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.generator import write_attempts
from benchmarks.json_log import SPEND_LOG, write_json_log

Measured = Mapping[str, int | float | str]
MEASURED = (
    *("scan", "price_and_aggregate", "copy_ledger", "write_ledger"),
    *("read_json", "land_json", "json_to_ledger"),
)
# Name of the ratio, the step above, the step below, and the target it is held to.
RATIOS = (
    ("pricing + aggregation / bare scan", "price_and_aggregate", "scan", 3.5),
    ("writing the ledger / plain copy", "write_ledger", "copy_ledger", 1.5),
    ("landing JSON lines / the engine's read_json", "land_json", "read_json", 4.0),
    ("JSON lines to published ledger / read_json", "json_to_ledger", "read_json", None),
)


def measured(step: str, folder: Path, repeats: int) -> Measured:
    """Return the fastest of some runs of a step: what disturbs a run only ever makes it slower."""
    runs = [_run(step, folder) for _ in range(repeats)]
    return min(runs, key=lambda run: float(run["seconds"]))


def _run(step: str, folder: Path) -> Measured:
    command = [sys.executable, "-m", "benchmarks.steps", step, str(folder)]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(finished.stdout.splitlines()[-1])


def main() -> None:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--json-rows", type=int, default=500_000)
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to keep the data; a temporary folder by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for path in write_attempts(folder, options.rows, options.days):
            print(f"generated {path.parent.name}", file=sys.stderr)
        results = {"prepare": measured("prepare", folder, 1)}
        write_json_log(folder / SPEND_LOG, options.json_rows, options.days)
        for step in MEASURED:
            results[step] = measured(step, folder, options.repeats)
            print(f"measured {step}", file=sys.stderr)
    show(results)


def show(results: Mapping[str, Measured]) -> None:
    """Print the measurements and the ratios against their targets."""
    print(f"{'step':24}{'rows':>14}{'seconds':>10}{'rows/s':>14}{'peak MB':>10}")
    for step, run in results.items():
        rate = int(run["rows"]) / float(run["seconds"])
        print(f"{step:24}{run['rows']:>14,}{run['seconds']:>10.2f}{rate:>14,.0f}{run['peak_mb']:>10,}")
    for name, above, below, target in RATIOS:
        ratio = float(results[above]["seconds"]) / float(results[below]["seconds"])
        print(f"{name}: {ratio:.2f}" + (f" (target {target})" if target else ""))


if __name__ == "__main__":
    main()
