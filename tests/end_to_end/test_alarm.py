"""`inferledger run` under cron: a load that fails is posted once, one that only refuses a file is not."""

from pathlib import Path

import pytest

from tests.end_to_end.cli import FILES, run, sample_home
from tests.receivers import Receiver, receiving

pytestmark = pytest.mark.end_to_end


def told(home: Path, receiver: Receiver) -> Path:
    """A home whose failed loads are posted to the receiver."""
    sample_home(home)
    with (home / "inferledger.yml").open("a", encoding="utf-8") as file:
        file.write(f"nightly: {{webhook: {receiver.url}}}\n")
    return home


def test_a_failed_load_is_posted_once_with_the_words_of_the_error(tmp_path: Path) -> None:
    with receiving() as receiver:
        home = told(tmp_path / "ledger", receiver)
        log = FILES / "litellm-2026-10-19.jsonl"
        assert run("run", log, home=home).code == 0
        assert receiver.posts == []
        (home / "mapping.yml").write_text("rules: 3\n", encoding="utf-8")
        said = run("run", log, home=home)
        assert said.code == 2
        (post,) = receiver.posts
    assert post["event"] == "load_failed"
    assert post["text"] in said.err
    assert "mapping.yml" in post["text"]
    assert post["load"].startswith("process ")
    assert post["snapshot_id"] == (home / "published" / "CURRENT").read_text(encoding="ascii").strip()


def test_a_refused_file_is_no_failed_load(tmp_path: Path) -> None:
    strange = tmp_path / "strange.bin"
    strange.write_bytes(b"nobody knows this")
    with receiving() as receiver:
        home = told(tmp_path / "ledger", receiver)
        assert run("run", strange, FILES / "litellm-2026-10-19.jsonl", home=home).code == 2
        assert receiver.posts == []
    assert (home / "published" / "CURRENT").exists()
