"""The sample is what its generator writes, and its README says what its files add up to."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
FILES = SAMPLE / "files"


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(SAMPLE / script), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@cache
def expected() -> dict[str, Any]:
    return json.loads(run("expected.py"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_fresh_generation_gives_the_committed_bytes(tmp_path: Path) -> None:
    run("generate.py", "--into", str(tmp_path))
    fresh = contents(tmp_path)
    committed = contents(FILES)
    assert sorted(fresh) == sorted(committed)
    assert [name for name in fresh if fresh[name] != committed[name]] == []


def test_the_sample_stays_small() -> None:
    assert sum(len(content) for content in contents(FILES).values()) < 1_000_000


def test_the_readme_states_the_totals_of_the_files() -> None:
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert readme.endswith("\n" + run("expected.py", "--markdown"))


@pytest.mark.parametrize("dimension", ["feature", "team", "model", "day", "purpose", "outcome", "meter"])
def test_every_dimension_adds_up_to_the_whole(dimension: str) -> None:
    groups = expected()["by"][dimension].values()
    total = expected()["total"]
    for measure in ("lines", "unpriced_lines", "quantity"):
        assert sum(group[measure] for group in groups) == total[measure]
    costs = [group["list_cost_usd"] for group in groups if group["list_cost_usd"] is not None]
    assert sum(int(cost.replace(".", "")) for cost in costs) == int(total["list_cost_usd"].replace(".", ""))


@pytest.mark.parametrize(
    ("dimension", "values"),
    [
        ("purpose", {"answer", "retry", "abandoned", "failure"}),
        ("outcome", {"success", "error", "cancelled", "refused", "unknown"}),
        ("certainty", {"stated", "assumed", "estimated"}),
        ("model", {"gpt-5", "gpt-5-mini", "gpt-4o-mini", "claude-sonnet-4-5", "claude-haiku-4-5"}),
        ("meter", {"input_uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output_reasoning"}),
        ("day", {"2026-10-19", "2026-10-20", "2026-10-21"}),
        ("team", {"discovery", "service", "(unassigned)"}),
        ("environment", {"prod", "staging"}),
    ],
)
def test_every_required_value_has_tokens_and_money(dimension: str, values: set[str]) -> None:
    groups = expected()["by"][dimension]
    assert values <= set(groups)
    for value in values:
        assert groups[value]["quantity"] > 0
        assert groups[value]["list_cost_usd"].strip("0.") != ""


def test_six_features_and_the_untagged_have_money() -> None:
    features = expected()["by"]["feature"]
    assert len(features) == 7
    assert all(cells["list_cost_usd"].strip("0.") for cells in features.values())


def test_what_has_no_price_is_counted_and_has_no_cost() -> None:
    by = expected()["by"]
    assert by["certainty"]["unknown"]["list_cost_usd"] is None
    assert by["model"]["acme-reasoner-2"]["list_cost_usd"] is None
    assert by["model"]["acme-reasoner-2"]["quantity"] > 10_000
    assert by["reason"]["usage_missing"]["unpriced_lines"] == by["reason"]["usage_missing"]["lines"] == 2


@pytest.mark.parametrize(
    "reason",
    [
        "input_split_not_stated",
        "output_split_not_stated",
        "cache_write_lifetime_not_stated",
        "estimated_usage",
        "unknown_model",
        "unknown_provider",
        "not_billable",
        "gateway_cache_hit",
    ],
)
def test_every_reason_occurs_with_tokens(reason: str) -> None:
    assert expected()["by"]["reason"][reason]["quantity"] > 1


def test_every_record_of_a_file_has_one_fate() -> None:
    for name, account in expected()["files"].items():
        fates = account["parsed"] + sum(account["skips"].values()) + sum(account["rejects"].values())
        assert account["records"] == fates, name
    lines = len((FILES / "litellm-2026-10-20.jsonl").read_text(encoding="utf-8").splitlines())
    assert expected()["files"]["litellm-2026-10-20.jsonl"]["records"] == lines


def test_attempts_are_parsed_records_without_duplicates() -> None:
    accounts = expected()["files"].values()
    kept = sum(account["parsed"] - account["duplicates"] for account in accounts)
    assert kept == expected()["total"]["attempts"]
    assert sum(account["duplicates"] for account in accounts) == 6


def test_neither_generator_nor_expectation_imports_our_rooms() -> None:
    rooms = ("models", "pricing", "pipelines", "dashboards")
    for path in SAMPLE.glob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]):
                assert words[1].split(".")[0] not in rooms, path
    generator = {"background", "story", "broken", "calls", "litellm_native", "otlp_native", "generate"}
    for path in SAMPLE.glob("expected*.py"):
        imported = {
            line.split()[1] for line in path.read_text("utf-8").splitlines() if line.startswith("from ")
        }
        assert not imported & generator, path
