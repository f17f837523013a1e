"""Loading by commands: init, ingest, build, check, publish, run; what they say and how they end."""

import json
import stat
from pathlib import Path

import pytest

from models.snapshot import open_snapshot
from pipelines.settings import load_settings
from pipelines.warehouse import open_warehouse
from tests.end_to_end.cli import FILES, Said, run, sample_home
from tests.nights import spend_log, write_log

pytestmark = pytest.mark.end_to_end


def ledger_hash(home: Path) -> str:
    return str(open_snapshot(home / "published").manifest["ledger_hash"])


def expect_error(said: Said, code: int, *words: str) -> None:
    assert said.code == code, said.err
    assert all(word in said.err for word in words), said.err
    assert "Traceback" not in said.err


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return sample_home(tmp_path / "home")


@pytest.fixture
def one_log(tmp_path: Path) -> Path:
    return write_log(tmp_path / "one.jsonl", spend_log("one", "2026-10-19T10:00:00"))


def test_init_makes_a_home_and_says_what_next(tmp_path: Path) -> None:
    said = run("init", tmp_path / "new")
    assert said.code == 0
    assert said.out.count("wrote ") == 5
    assert f"next: inferledger --home {tmp_path / 'new'} run path/to/logs/" in said.out
    assert stat.S_IMODE((tmp_path / "new" / "secret.key").stat().st_mode) == 0o600
    again = run("init", tmp_path / "new")
    assert (again.code, again.out.count("kept ")) == (0, 5)


def test_steps_and_one_run_give_the_same_ledger(home: Path, ledger: Path) -> None:
    outputs = [
        run("ingest", FILES, home=home),
        *(run(step, home=home) for step in ("build", "check", "publish")),
    ]
    assert [said.code for said in outputs] == [0, 0, 0, 0], [said.err for said in outputs]
    assert "every day, 2026-10-19 to 2026-10-21 (nothing is published yet)" in outputs[1].out
    assert "checks passed" in outputs[2].out
    assert f"ledger {ledger_hash(ledger)}" in outputs[3].out
    assert ledger_hash(home) == ledger_hash(ledger)


def test_the_account_of_every_file_is_printed(home: Path) -> None:
    said = run("ingest", FILES / "litellm-2026-10-20.jsonl", home=home)
    assert said.code == 0
    for words in (
        "litellm-2026-10-20.jsonl",
        "litellm.spendlogs",
        "105",
        "broken_json 1",
        "negative_count 1",
    ):
        assert words in said.out


def test_nothing_but_results_when_it_is_no_terminal(home: Path, one_log: Path) -> None:
    said = run("run", one_log, home=home)
    assert (said.code, said.err) == (0, "")
    assert "\x1b" not in said.out


def test_a_second_run_changes_nothing(home: Path, one_log: Path) -> None:
    first, second = run("run", one_log, home=home), run("run", one_log, home=home)
    assert (first.code, second.code) == (0, 0)
    assert "already landed" in second.out
    assert "nothing to build: the published snapshot says everything that has landed" in second.out
    assert len(list((home / "published" / "versions").iterdir())) == 1


def test_the_home_is_found_by_option_before_and_after_the_command(home: Path, one_log: Path) -> None:
    assert run("--home", home, "ingest", one_log).code == 0
    assert run("run", "--home", home).code == 0
    assert ledger_hash(home)


def test_without_paths_the_inbox_is_loaded(home: Path) -> None:
    write_log(home / "inbox" / "one.jsonl", spend_log("one", "2026-10-19T10:00:00"))
    said = run("run", home=home)
    assert said.code == 0
    assert "one.jsonl" in said.out


def test_an_empty_inbox_is_no_error(home: Path) -> None:
    said = run("run", home=home)
    assert said.code == 0
    assert "no file to land in inbox" in said.out


def test_no_home_names_the_command_that_makes_one(tmp_path: Path) -> None:
    said = run("run", home=tmp_path / "nowhere")
    expect_error(said, 2, "no ledger in", "next: inferledger init")


def test_a_wrong_setting_is_named(home: Path) -> None:
    (home / "inferledger.yml").write_text("thread: 2\n", encoding="utf-8")
    expect_error(run("run", home=home), 2, "unknown setting 'thread'", "allowed: threads")


def test_a_refused_file_ends_with_2_and_does_not_stop_the_others(home: Path, one_log: Path) -> None:
    (home / "letter.txt").write_text("Dear ledger,\n", encoding="utf-8")
    said = run("run", home / "letter.txt", home / "absent.jsonl", one_log, home=home)
    expect_error(said, 2, "'letter.txt' is of no known format", "absent.jsonl")
    assert "published snapshot 000001-" in said.out


def test_times_without_a_zone_are_refused_until_one_is_stated(home: Path) -> None:
    trace = home / "trace.csv"
    trace.write_text(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n", encoding="utf-8"
    )
    expect_error(run("ingest", trace, home=home), 2, "trace.csv", "zone")
    expect_error(
        run("ingest", trace, "--zone", "Mars/Base", home=home), 2, "'Mars/Base' is no zone", "--zone"
    )
    assert run("run", trace, "--zone", "UTC", "--model", "gpt-4", home=home).code == 0
    told = json.loads(run("report", "--json", "--by", "certainty", home=home).out)
    assert told["total"]["token_count"] == 374 + 44


def test_a_wrong_price_file_is_named_with_its_line(home: Path, one_log: Path) -> None:
    (home / "prices" / "own.yml").write_text("provider: openai\nmodels: 5\n", encoding="utf-8")
    expect_error(run("run", one_log, home=home), 2, "own.yml")
    assert not (home / "published").exists()


def test_a_wrong_mapping_is_named_with_its_rule(home: Path, one_log: Path) -> None:
    (home / "mapping.yml").write_text(
        "rules: [{when: {featur_tag: a}, then: {feature: b}}]\n", encoding="utf-8"
    )
    expect_error(
        run("run", one_log, home=home), 2, "'featur_tag' is not a condition", "feature_tag", "rules[0]"
    )


@pytest.mark.parametrize("step", ["check", "publish"])
def test_nothing_built_is_nothing_to_check_or_publish(home: Path, step: str) -> None:
    expect_error(run(step, home=home), 2, "nothing is built and unpublished", "next: inferledger build")


@pytest.mark.parametrize("step", ["check", "publish"])
def test_a_broken_check_ends_with_1_and_names_the_rows(home: Path, one_log: Path, step: str) -> None:
    run("ingest", one_log, home=home)
    run("build", home=home)
    with open_warehouse(load_settings(home)) as engine:
        wrong = "select * replace (list_cost_pico_usd + 1 as list_cost_pico_usd) from int_cost_lines"
        engine.build("int_cost_lines", wrong, {})
    said = run(step, home=home)
    expect_error(said, 1, "failed: 'check_", "usage_date=2026-10-19", "the last snapshot stays")
    assert not (home / "published").exists()
