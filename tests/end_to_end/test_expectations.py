"""Expectations from outside: a load they stop names rows and tells the webhook, and mending it publishes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipelines.settings import load_settings
from tests.end_to_end.cli import FILES, Said, run, sample_home
from tests.nights import read, spend_log, write_log
from tests.receivers import receiving

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end]


def home_with(folder: Path, quality: str, webhook: str = "") -> Path:
    """A home of the sample whose expectations are on."""
    home = sample_home(folder)
    nightly = f"nightly: {{webhook: {webhook!r}}}\n" if webhook else ""
    (home / "inferledger.yml").write_text(f"quality: {quality}\n{nightly}", encoding="utf-8")
    return home


def calls(day: str, numbers: Sequence[int], model: str = "gpt-5-mini") -> list[str]:
    starts = [f"{day}T{10 + number // 3600}:{number // 60 % 60:02}:{number % 60:02}" for number in numbers]
    return [spend_log(f"{model}-{start}", start, model=model) for start in starts]


def current(home: Path) -> str:
    return (home / "published" / "CURRENT").read_text(encoding="ascii")


def manifest(home: Path) -> dict[str, object]:
    return json.loads((home / "published" / "versions" / current(home) / "manifest.json").read_text())


def test_the_sample_meets_every_expectation_and_has_the_same_ledger(tmp_path: Path, ledger: Path) -> None:
    home = home_with(tmp_path / "ledger", "{}")
    said = run("run", FILES, home=home)
    assert said.code == 0, said.err
    assert manifest(home)["ledger_hash"] == manifest(ledger)["ledger_hash"]
    rows = read(load_settings(home), "select boundary, is_met, checked_row_count from fct_expectations")
    assert {row["boundary"] for row in rows} == {"landing", "publishing"}
    assert len(rows) > 100
    assert all(row["is_met"] for row in rows)
    assert read(load_settings(ledger), "select boundary from fct_expectations") == []
    first = current(home)
    assert run("run", FILES, home=home).code == 0
    assert current(home) == first


def test_half_a_day_stops_the_load_and_the_other_half_mends_it(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with receiving() as receiver:
        home = home_with(tmp_path / "ledger", "{volume_factor: 2}", receiver.url)
        write_log(logs / "first.jsonl", *calls("2026-10-19", range(1200)))
        assert run("run", logs, home=home).code == 0
        first = current(home)
        write_log(logs / "half.jsonl", *calls("2026-10-26", range(100)), *calls("2026-10-27", range(1)))
        stopped = run("run", logs, home=home)
        _assert_stopped(stopped, "usage_date=2026-10-26 usual_record_count=1200 record_count=100")
        assert current(home) == first
        assert len(receiver.posts) == 1
        assert "raw_attempts_volume" in json.dumps(receiver.posts[0])
        write_log(logs / "rest.jsonl", *calls("2026-10-26", range(100, 1150)))
        mended = run("run", logs, home=home)
        assert mended.code == 0, mended.err
        assert len(receiver.posts) == 1
    assert current(home) != first
    days = read(load_settings(home), "select cast(count(*) as bigint) as day_count from fct_requests")
    assert days == [{"day_count": 1200 + 1150 + 1}]


def test_a_day_of_unknown_models_is_stopped_until_somebody_accepts_it(tmp_path: Path) -> None:
    home = home_with(tmp_path / "ledger", "{}")
    log = write_log(tmp_path / "log.jsonl", *calls("2026-10-19", range(1000), "acme-reasoner-9"))
    stopped = run("run", log, home=home)
    _assert_stopped(stopped, "unknown_count=1000 unknown_models=acme-reasoner-9")
    assert not (home / "published" / "CURRENT").exists()
    # Publishing by hand is the same boundary.
    assert run("publish", home=home).code == 1
    assert not (home / "published" / "CURRENT").exists()
    (home / "inferledger.yml").write_text("quality: {accepted_days: [2026-10-19]}\n", encoding="utf-8")
    mended = run("run", log, home=home)
    assert mended.code == 0, mended.err
    assert current(home)


def _assert_stopped(said: Said, row: str) -> None:
    assert said.code == 1
    assert row in said.err
    assert "nothing is published, the last snapshot stays" in said.err
    assert "index.html" in said.err
    assert "Traceback" not in said.err
