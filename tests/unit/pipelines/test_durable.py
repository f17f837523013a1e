"""Durable writes: the old content or the new one, never a mixture and never a leftover."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.durable import sync_tree, write_durably, write_json_durably

LIMITED = """
import sys
from pathlib import Path
from pipelines.durable import write_durably
write_durably(Path(sys.argv[1]), b"x" * 100_000)
"""


def test_content_is_replaced_and_nothing_is_left_beside(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    write_durably(path, b"one")
    write_durably(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_written_the_same_way_every_time(tmp_path: Path) -> None:
    write_json_durably(tmp_path / "a.json", {"b": 1, "a": [2]})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n'


def test_a_full_disk_keeps_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "pointer"
    path.write_bytes(b"old")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    child = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, str(path)], preexec_fn=limit, capture_output=True, text=True
    )
    assert child.returncode == 1
    assert "File too large" in child.stderr
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_durably(tmp_path / "absent" / "pointer", b"one")


def test_a_tree_is_synced_to_the_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"1")
    seen: list[Path] = []
    monkeypatch.setattr("pipelines.durable.sync_file", seen.append)
    monkeypatch.setattr("pipelines.durable.sync_folder", seen.append)
    sync_tree(tmp_path)
    assert seen == [tmp_path / "a" / "b" / "file", tmp_path / "a" / "b", tmp_path / "a", tmp_path]
