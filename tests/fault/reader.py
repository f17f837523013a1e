"""One reader of a published folder, in a process of its own, until a stop file appears.

Started as: python -m tests.fault.reader PUBLISHED STOP_FILE. It prints one JSON line per reading.
"""

import json
import sys
import time
from pathlib import Path

from models.snapshot import SnapshotReader, read_snapshot

PAUSE_SECONDS = 0.6


def totals(reader: SnapshotReader) -> dict[str, str]:
    """The same total from two tables, with a pause between them, and what the snapshot calls itself."""
    lines = reader.fetch("select count(*) as n, sum(list_cost_usd) as usd from fct_cost_lines").to_pylist()[0]
    time.sleep(PAUSE_SECONDS)
    select = "select cast(sum(line_count) as bigint) as n, sum(list_cost_usd) as usd from agg_daily_costs"
    days = reader.fetch(select).to_pylist()[0]
    return {
        "snapshot": reader.snapshot.id,
        "ledger_hash": reader.snapshot.manifest["ledger_hash"],
        "lines": f"{lines['n']} {lines['usd']}",
        "days": f"{days['n']} {days['usd']}",
    }


def main() -> None:
    published, stop = Path(sys.argv[1]), Path(sys.argv[2])
    while not stop.exists():
        print(json.dumps(read_snapshot(published, totals)), flush=True)  # noqa: T201
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
