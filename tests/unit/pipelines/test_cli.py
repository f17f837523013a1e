"""The commands inside the test process: codes, what is said where, and errors without traceback."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from models.errors import ModelError
from models.errors import UserError as ModelUserError
from pipelines import cli, cli_console, cli_demo, nightly
from pipelines.checks import CheckError, CheckResult
from pipelines.cli_console import progress_bar, run_guarded
from pipelines.errors import UserError
from pipelines.verify import PublishError
from pricing.errors import PriceBookError
from tests.nights import night, sample_home, spend_log, write_log


class Said(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.delenv("INFERLEDGER_HOME", raising=False)

    def called(*arguments: str | Path) -> Said:
        monkeypatch.setattr(sys, "argv", ["inferledger", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return Said(int(ended.value.code or 0), *capsys.readouterr())

    return called


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one answered request of two attempts, published."""
    settings = sample_home(tmp_path_factory.mktemp("ledger"))
    lines = [
        spend_log("try-1", "2026-10-19T10:00:00", completion=0, request="r", attempt=1, status="failure"),
        spend_log("try-2", "2026-10-19T10:00:09", request="r", attempt=2),
        spend_log("=2+5", "2026-10-20T10:00:00", model="nobody-knows", feature="=2+5"),
    ]
    night(settings, [write_log(settings.home / "log.jsonl", *lines)])
    return settings.home


def test_init_writes_and_then_keeps(call: Call, tmp_path: Path) -> None:
    first, second = call("init", tmp_path / "new"), call("--home", tmp_path / "new", "init")
    assert (first.code, first.out.count("wrote ")) == (0, 5)
    assert (second.code, second.out.count("kept ")) == (0, 5)


def test_steps_lead_to_a_snapshot(call: Call, tmp_path: Path) -> None:
    home = sample_home(tmp_path).home
    log = write_log(home / "inbox" / "log.jsonl", spend_log("a", "2026-10-19T10:00:00"))
    assert "landed" in call("--home", home, "ingest").out
    assert "built " in call("--home", home, "build").out
    assert "checks passed" in call("--home", home, "check").out
    assert "published snapshot 000001-" in call("--home", home, "publish").out
    again = call("run", log, "--home", home)
    assert again.code == 0
    assert "nothing to build" in again.out
    assert call("build", "--home", home).out.startswith("nothing to build")


def test_a_file_of_rejects_only_has_no_day_to_build(call: Call, home: Path, tmp_path: Path) -> None:
    other = sample_home(tmp_path).home
    log = write_log(other / "log.jsonl", spend_log("a", "2026-10-19T10:00:00", prompt=-1))
    said = call("run", log, "--home", other)
    assert said.code == 0
    assert "no day to build (nothing is published yet)" in said.out
    assert "no day changed" in said.out


def test_a_refused_file_ends_with_2(call: Call, tmp_path: Path) -> None:
    home = sample_home(tmp_path).home
    said = call("run", home / "absent.jsonl", "--home", home)
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert "refused" in said.out


@pytest.mark.parametrize(("option", "value"), [("zone", "Mars/Base"), ("start", "soon"), ("instant", "noon")])
def test_a_wrong_option_is_named(call: Call, home: Path, option: str, value: str) -> None:
    said = call("ingest", home / "log.jsonl", f"--{option}", value, "--home", home)
    assert said.code == 2
    assert f"'{value}' is no {option} · option --{option}" in said.err


def test_reports_in_three_forms_say_the_same(call: Call, home: Path) -> None:
    told = json.loads(call("report", "--json", "--home", home).out)
    assert told["total"]["line_count"] == sum(row["line_count"] for row in told["rows"])
    csv = call("report", "--csv", "--home", home).out
    assert "\n'=2+5," in csv
    table = call("report", "--home", home).out
    assert "Spend by feature, 2026-10-19 to 2026-10-20 (UTC days), effective cost" in table
    for row in told["rows"]:
        assert row["feature"] in table
        assert (row["effective_cost_usd"] or "") in csv


def test_json_and_csv_exclude_each_other(call: Call, home: Path) -> None:
    assert call("report", "--json", "--csv", "--home", home).code == 2


def test_explain_by_the_stated_request_shows_every_attempt(call: Call, home: Path) -> None:
    told = json.loads(call("explain", "r", "--json", "--home", home).out)
    assert [attempt["source_event_id"] for attempt in told["attempts"]] == ["try-1", "try-2"]
    assert {attempt["file_name"] for attempt in told["attempts"]} == {"log.jsonl"}
    key = told["attempts"][1]["attempt_key"]
    assert (
        json.loads(call("explain", str(key), "--json", "--home", home).out)["attempts"][0]
        == told["attempts"][1]
    )
    (line,) = json.loads(call("explain", f"{key}:output_text", "--json", "--home", home).out)["attempts"][0][
        "lines"
    ]
    text = call("explain", f"{key}:output_text", "--home", home).out
    assert (
        f"{line['quantity']} × {line['price']['list_usd_per_unit']} USD = {line['list_cost_usd']} USD" in text
    )
    assert f"{line['price']['entry_file']}:{line['price']['entry_line']}" in text


def test_explain_says_why_there_is_no_price(call: Call, home: Path) -> None:
    text = call("explain", "=2+5", "--home", home).out
    assert "unknown: 1,000 × no price" in text
    assert "unknown (unknown_model)" in text


def test_explain_says_what_costs_nothing(call: Call, home: Path) -> None:
    text = call("explain", "try-1", "--home", home).out
    assert "(not_billable)" in text
    assert "0.000000000000 USD for " in text


@pytest.mark.parametrize("target", ["nobody", "7", "7:request", "9" * 30])
def test_explain_of_nothing_is_an_error(call: Call, home: Path, target: str) -> None:
    said = call("explain", target, "--home", home)
    assert said.code == 2
    assert f"nothing is called '{target}'" in said.err


BROKEN = CheckError([CheckResult("check_x", "No x.", 1, ({"a": 1},))])


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (UserError("'x' is wrong"), 2, "error: 'x' is wrong"),
        (ModelUserError("'x' is wrong"), 2, "error: 'x' is wrong"),
        (PriceBookError("'x' is wrong"), 2, "error: 'x' is wrong"),
        (BROKEN, 1, "failed: 'check_x' is broken by 1 rows"),
        (PublishError("'x' differs"), 1, "failed: 'x' differs"),
        (OSError(28, "No space left on device"), 1, "failed: [Errno 28] No space left"),
        (RuntimeError("the dashboard ended"), 1, "failed: the dashboard ended"),
    ],
)
def test_each_kind_of_error_has_its_code(
    error: Exception, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise error

    assert run_guarded(command) == code
    assert words in capsys.readouterr().err


def test_a_failed_model_is_told_without_its_whole_statement(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise ModelError("int_meters", "select a_long_statement", {"day": 1}, "it overflowed")

    assert run_guarded(command) == 1
    told = capsys.readouterr().err
    assert "failed: 'int_meters' (attributed): it overflowed" in told
    assert "a_long_statement" not in told


def test_a_bug_is_not_dressed_up_as_anything_else() -> None:
    def command() -> None:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        run_guarded(command)


def test_progress_is_drawn_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar() as progress:
        progress("building", 1, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(cli_console.sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as progress:
        progress("building int_meters", 1, 2)
    assert "building int_meters" in capsys.readouterr().err


def test_a_check_that_breaks_during_a_run_publishes_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = sample_home(tmp_path).home
    log = write_log(home / "log.jsonl", spend_log("a", "2026-10-19T10:00:00"))

    def broken(*given: object) -> None:
        raise BROKEN

    monkeypatch.setattr(nightly, "check", broken)
    said = call("run", log, "--home", home)
    assert said.code == 1
    assert "check_x" in said.err
    assert not (home / "published").exists()


class Dashboard:
    """Stands for the dashboard's process."""

    def __init__(self) -> None:
        self.waited = False

    def wait(self) -> None:
        self.waited = True
        raise KeyboardInterrupt


@pytest.mark.parametrize("once", [True, False])
def test_the_demo_tells_its_steps_and_waits_unless_told_otherwise(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, once: bool
) -> None:
    dashboard, served = Dashboard(), []

    @contextmanager
    def serve(app: Path, published: Path, port: int) -> Generator[Dashboard]:
        served.append((app.name, published, port))
        yield dashboard

    monkeypatch.setattr(cli_demo, "serve_dashboard", serve)
    monkeypatch.setattr(cli_demo, "wait_until_healthy", lambda process, port: None)
    said = call("--home", tmp_path / "demo", "demo", *(["--once"] if once else []))
    assert said.code == 0, said.err
    assert served == [("app.py", tmp_path / "demo" / "published", served[0][2])]
    steps = [
        "landed ",
        "checks passed",
        "published snapshot",
        "Spend by feature",
        f"http://127.0.0.1:{served[0][2]}",
    ]
    places = [said.out.index(step) for step in steps]
    assert places == sorted(places)
    assert dashboard.waited is not once
    assert ("Ctrl-C ends it" in said.out) is not once
