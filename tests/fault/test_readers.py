"""Twenty readers during five publications: no error, and each reading sees one snapshot."""

import json
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from tests.end_to_end.cli import ROOT
from tests.nights import FILES, night, sample_home

READERS = 20
PUBLICATIONS = 5


@pytest.mark.slow
def test_readers_see_one_snapshot_each(tmp_path: Path) -> None:
    settings = sample_home(tmp_path / "home")
    first, later = FILES[: len(FILES) - PUBLICATIONS], FILES[len(FILES) - PUBLICATIONS :]
    night(settings, first)
    stop = tmp_path / "stop"
    outputs = [tmp_path / f"reader-{number}.jsonl" for number in range(READERS)]
    command = [sys.executable, "-m", "tests.fault.reader", str(settings.published), str(stop)]
    readers = []
    for output in outputs:
        with output.open("wb") as out, output.with_suffix(".err").open("wb") as err:
            readers.append(subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err))
    try:
        wait_for_a_reading(outputs)
        published = [night(settings, [path]) for path in later]
        time.sleep(1)
    finally:
        stop.touch()
        codes = [reader.wait(timeout=60) for reader in readers]
    errors = [output.with_suffix(".err").read_text(encoding="utf-8") for output in outputs]
    assert codes == [0] * READERS, errors
    assert "".join(errors) == ""
    assert all(made is not None and made.is_new for made in published)
    seen = defaultdict(set)
    for output in outputs:
        readings = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
        assert len(readings) >= 2
        assert [reading["lines"] for reading in readings] == [reading["days"] for reading in readings]
        snapshots = [reading["snapshot"] for reading in readings]
        assert snapshots == sorted(snapshots), "a reader went back to an older snapshot"
        for reading in readings:
            seen[reading["snapshot"]].add((reading["ledger_hash"], reading["lines"]))
    assert all(len(totals) == 1 for totals in seen.values()), seen
    assert len(seen) >= 4, "the readers did not read while publications went on"


def wait_for_a_reading(outputs: list[Path]) -> None:
    deadline = time.monotonic() + 120
    while not all(output.stat().st_size for output in outputs):
        assert time.monotonic() < deadline, "the readers did not start"
        time.sleep(0.1)
