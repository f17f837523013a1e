"""The writer's lock: one at a time, freed by any end of its holder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.writer_lock import hold_writer_lock

HOLD = """
import sys, time
from pathlib import Path
from pipelines.writer_lock import hold_writer_lock
with hold_writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_writer_is_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with hold_writer_lock(path), pytest.raises(UserError) as caught, hold_writer_lock(path):
        pass
    message = str(caught.value)
    assert f"process {os.getpid()} since 2" in message
    assert str(path) in message
    assert "next: wait" in message


def test_the_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    for _ in range(2):
        with hold_writer_lock(path):
            assert path.read_text(encoding="ascii").startswith("process ")
        assert path.read_text(encoding="ascii") == ""


def test_an_error_inside_frees_it(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with pytest.raises(RuntimeError, match="inside"), hold_writer_lock(path):
        raise RuntimeError("inside")
    with hold_writer_lock(path):
        pass


def test_a_killed_writer_frees_it(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match=f"process {holder.pid} since"), hold_writer_lock(path):
            pass
        holder.kill()
        holder.wait()
    with hold_writer_lock(path):
        pass
