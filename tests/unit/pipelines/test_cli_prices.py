"""`inferledger prices …` inside the test process: what each command says, and its exit code."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pipelines import cli
from tests.nights import night, sample_home, spend_log, write_log

EXAMPLES = Path(__file__).parents[2] / "golden" / "pricing_billing_examples.jsonl"


class Said(NamedTuple):
    code: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    monkeypatch.delenv("INFERLEDGER_HOME", raising=False)
    monkeypatch.chdir(tmp_path)

    def called(*arguments: str | Path) -> Said:
        monkeypatch.setattr(sys, "argv", ["inferledger", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        heard = capsys.readouterr()
        return Said(int(ended.value.code or 0), heard.out, heard.err)

    return called


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published home with one priced and one unknown model."""
    settings = sample_home(tmp_path_factory.mktemp("ledger"))
    rows = [
        spend_log("known", "2026-10-19T10:00:00"),
        spend_log("unknown", "2026-10-19T11:00:00", model="acme-reasoner-2"),
    ]
    assert night(settings, [write_log(settings.home / "inbox" / "one.jsonl", *rows)])
    return settings.home


def test_calc_gives_every_stated_example_exactly(call: Call) -> None:
    said = call("prices", "calc", EXAMPLES, "--json")
    assert (said.code, said.err) == (0, "")
    records = [json.loads(line) for line in EXAMPLES.read_text().splitlines()]
    rows = [json.loads(line) for line in said.out.splitlines()]
    wrong = [
        record["id"]
        for record, row in zip(records, rows, strict=True)
        if record["basis"] != "interpretation" and record["expected_usd"] != row["usd"]
    ]
    assert wrong == []
    assert len(rows) == 76


def test_calc_takes_a_book_and_a_day_of_knowledge(call: Call, tmp_path: Path) -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    record = {
        "provider": "anthropic",
        "model": "claude-sonnet-5",
        "date": "2026-09-15T00:00:00Z",
        "usage": usage,
    }
    path = tmp_path / "usage.jsonl"
    path.write_text(json.dumps(record))
    assert "· 2 USD" in call("prices", "calc", path).out
    assert "· 3 USD" in call("prices", "calc", path, "--as-known-on", "2026-08-15").out
    book = tmp_path / "own.yml"
    book.write_text(
        'provider: anthropic\nsources:\n  deal: {url: "https://example.com", checked: 2026-11-30}\n'
        "defaults: {known_from: valid_from, source: deal}\nmodels:\n  - id: house-model\n    prices:\n"
        "      - {valid_from: 2026-01-01, per_million_tokens: {input: 5, output: 6}}\n"
    )
    path.write_text(json.dumps(record | {"model": "house-model"}))
    assert "unpriced (unknown_model)" in call("prices", "calc", path).out
    assert "· 5 USD" in call("prices", "calc", path, "--book", book).out


def test_calc_ends_with_two_when_a_record_is_refused(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "usage.jsonl"
    path.write_text('{"provider": "openai"}\n')
    said = call("prices", "calc", path)
    assert said.code == 2
    assert "line 1: refused · The usage record has no 'model'." in said.out
    assert "1 refused" in said.err


def test_show_as_text_and_as_json(call: Call) -> None:
    said = call("prices", "show", "openai/gpt-5.5", "--at", "2026-11-10")
    assert said.code == 0
    assert said.out.startswith("openai gpt-5.5 at 2026-11-10T00:00:00Z\n")
    rows = json.loads(call("prices", "show", "openai/gpt-5.5", "--at", "2026-11-10", "--json").out)
    assert rows[0]["list_usd_per_unit"] == "0.000005"
    assert call("prices", "show", "openai/gpt-5.5").out.startswith("openai gpt-5.5 at 20")


def test_show_of_a_typing_error_names_the_nearest(call: Call) -> None:
    said = call("prices", "show", "gpt-5.55")
    assert said.code == 2
    assert "nearest: gpt-5.5" in said.err


def test_search_follows_aliases_and_says_when_nothing_matches(call: Call) -> None:
    lines = call("prices", "search", "mistral-medium").out.splitlines()
    assert "mistral_ai mistral-medium-latest -> mistral-medium-3-5" in lines
    assert "mistral_ai mistral-medium-3-5" in lines
    said = call("prices", "search", "no such thing")
    assert (said.code, said.out) == (2, "")


def test_lint_finds_nothing_in_the_shipped_book_and_a_slip_in_a_file(call: Call, tmp_path: Path) -> None:
    assert call("prices", "lint") == Said(0, "0 findings\n", "")
    path = tmp_path / "own.yml"
    path.write_text(
        'provider: openai\nsources:\n  deal: {url: "https://example.com", checked: 2026-11-30}\n'
        "defaults: {known_from: valid_from, source: deal}\nmodels:\n  - id: house-model\n    prices:\n"
        "      - {valid_from: 2026-01-01, per_million_tokens: {input: 5, output: 6, cache_read: 7}}\n"
    )
    said = call("prices", "lint", path)
    assert said.code == 2
    assert said.out.startswith(f"{path} line 8: cache_read 7 is above input 5")
    assert said.out.endswith("1 findings\n")


def test_diff_of_two_days(call: Call) -> None:
    said = call("prices", "diff", "2026-09-01", "2026-10-01")
    assert said.code == 0
    assert any(line.startswith("+ deepseek deepseek-v4-flash ") for line in said.out.splitlines())


def test_import_shows_and_writes_only_when_asked(call: Call, tmp_path: Path) -> None:
    row = {"litellm_provider": "openai", "input_cost_per_token": 0.000007, "output_cost_per_token": 0.000009}
    path = tmp_path / "map.json"
    path.write_text(json.dumps({"acme-reasoner-2": row}))
    said = call("prices", "import", "--from", path, "--dry-run", "--on", "2026-11-01")
    assert said.code == 0
    assert "model: openai acme-reasoner-2: book none, catalogue a model" in said.out
    assert not (tmp_path / "proposed-prices").exists()
    assert call("prices", "import", "--from", path, "--on", "2026-11-01").code == 0
    assert (tmp_path / "proposed-prices" / "openai.yml").is_file()
    assert call("prices", "import", "--from", path, "--on", "2026-11-01").code == 2


def test_coverage_names_the_unknown_model_nearest_names_and_the_file(call: Call, home: Path) -> None:
    said = call("--home", home, "prices", "coverage")
    assert said.code == 0
    assert "unpriced: openai acme-reasoner-2 · unknown_model" in said.out
    assert "nearest names: " in said.out
    assert str(home.resolve() / "prices" / "openai.yml") in said.out
    told = json.loads(call("--home", home, "prices", "coverage", "--json").out)
    assert [row["model"] for row in told["unpriced"]] == ["acme-reasoner-2"]
    assert told["unpriced"][0]["tokens"] > 0
    assert len(told["unpriced"][0]["nearest"]) == 3


def test_coverage_without_a_ledger_says_how_to_make_one(call: Call) -> None:
    said = call("prices", "coverage")
    assert said.code == 2
    assert "inferledger init" in said.err
