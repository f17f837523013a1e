"""The fortnight is what its generator writes, holds what its README says, and gives the expected ledger."""

import csv
import gzip
import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from pipelines.settings import Settings
from tests.golden import sample_ledger
from tests.golden.sample_ledger import COLUMNS, SAMPLE, run

FORTNIGHT = SAMPLE / "fortnight"
FILES = FORTNIGHT / "files"
HOUR = timedelta(hours=1)


def text_of(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


@cache
def expected() -> dict[str, Any]:
    return sample_ledger.expected(FILES)


@cache
def rows() -> list[dict[str, Any]]:
    """Every sound row of the gateway's logs."""
    found: list[dict[str, Any]] = []
    for path in sorted(FILES.glob("litellm-*")):
        for line in text_of(path).splitlines():
            if line.endswith("}") and '"prompt_tokens":-' not in line and "9223372036854775794" not in line:
                found.append(json.loads(line))
    return found


def feature(name: str) -> list[dict[str, Any]]:
    return [row for row in rows() if f"feature:{name}" in row["request_tags"]]


def logged(row: dict[str, Any]) -> dict[str, Any]:
    return row["metadata"].get("spend_logs_metadata", {})


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home: Path = tmp_path_factory.mktemp("fortnight") / "home"
    return sample_ledger.build(home, FILES, FORTNIGHT / "mapping.yml")


@pytest.mark.parametrize("dimension", sorted(COLUMNS))
def test_sums_are_equal_to_the_last_decimal(ledger: Settings, dimension: str) -> None:
    found = sample_ledger.ledger_sums(ledger, dimension)
    assert found == sample_ledger.expected_sums(expected()["by"][dimension])


def test_requests_and_files_are_as_expected(ledger: Settings) -> None:
    assert sample_ledger.ledger_requests(ledger) == sample_ledger.expected_requests(expected())
    assert sample_ledger.ledger_files(ledger) == expected()["files"]


def test_a_model_whose_price_moved_twice_was_priced_three_ways(ledger: Settings) -> None:
    found = sample_ledger.fetch(
        ledger,
        """
        select
            count(distinct price_key) as prices
        from fct_cost_lines
        where
            model = 'mistral-large-4'
            and meter = 'output_text'
            and is_billable
        """,
    )
    assert found.to_pylist() == [{"prices": 3}]


def test_a_fresh_generation_gives_the_committed_content(tmp_path: Path) -> None:
    run("fortnight.py", "--into", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in FILES.iterdir())
    # What is packed may differ between packers; what is in it may not.
    assert [path.name for path in FILES.iterdir() if text_of(path) != text_of(tmp_path / path.name)] == []


def test_packed_files_hold_no_clock_and_no_name() -> None:
    packed = list(FILES.glob("*.gz"))
    assert len(packed) > 50
    # Header of RFC 1952: flags at byte 3 (no name), time of packing at 4 to 7.
    assert {path.read_bytes()[3:8] for path in packed} == {bytes(5)}


def test_the_fortnight_stays_under_twenty_megabytes() -> None:
    assert sum(path.stat().st_size for path in FILES.iterdir()) < 20_000_000


def test_the_readme_states_the_totals_of_the_files() -> None:
    readme = (FORTNIGHT / "README.md").read_text(encoding="utf-8")
    assert readme.endswith("\n" + run("expected.py", "--markdown", "--files", str(FILES)))


def test_fourteen_days_with_traffic_and_money() -> None:
    days = expected()["by"]["day"]
    assert sorted(days) == [f"2026-10-{day}" for day in range(16, 30)]
    assert all(Decimal(cells["list_cost_usd"]) > 1 for cells in days.values())


def test_lengths_follow_the_published_medians() -> None:
    answered = [row for row in feature("summaries") if row["status"] == "success"]
    assert median(row["prompt_tokens"] for row in answered) == pytest.approx(1_020, rel=0.05)
    assert median(row["completion_tokens"] for row in answered) == pytest.approx(129, rel=0.05)


def test_customers_are_as_uneven_as_published() -> None:
    calls = Counter(row["end_user"] for row in rows() if row["end_user"].startswith("customer-"))
    shares = [count / calls.total() for _, count in calls.most_common(10)]
    assert len(calls) == 43
    assert shares[0] == pytest.approx(0.2988, abs=0.01)
    assert sum(shares) == pytest.approx(0.9281, abs=0.01)


def test_first_tries_fail_as_often_as_published() -> None:
    calls = [row for name in ("search", "summaries", "triage", "extraction") for row in feature(name)]
    failed = [row for row in calls if row["status"] == "failure" and row["request_id"].endswith("-a")]
    assert len(failed) / len(calls) == pytest.approx(0.0178, abs=0.003)


def test_every_tier_calls_and_streams_are_timed() -> None:
    tiers = Counter(tag for row in rows() for tag in row["request_tags"] if tag.startswith("tier:"))
    assert set(tiers) == {"tier:free", "tier:pro", "tier:enterprise"}
    streams = [row for row in feature("help-center") if row["completionStartTime"]]
    assert len(streams) > 3_000
    assert all(row["startTime"] < row["completionStartTime"] < row["endTime"] for row in streams)


def test_the_prefix_worth_caching_is_shared_long_and_never_read_from_a_cache() -> None:
    prompts = [logged(row)["prompt_blocks"] for row in feature("help-center") if row["status"] == "success"]
    shared = {tuple(blocks["hashes"][:7]) for blocks in prompts}
    assert len(shared) == 1
    assert 7 * prompts[0]["block_tokens"] == 1_792 >= 1_024
    assert len({blocks["hashes"][7] for blocks in prompts if len(blocks["hashes"]) > 7}) > 2_000
    usages = [row["metadata"].get("usage_object", {}) for row in feature("help-center")]
    reads = [usage.get("prompt_tokens_details") for usage in usages]
    assert all(details is None or details["cached_tokens"] == 0 for details in reads)


def test_the_decoy_is_shared_and_too_short_for_its_model() -> None:
    calls = feature("triage")
    prompts = [logged(row)["prompt_blocks"] for row in calls]
    assert len({tuple(blocks["hashes"][:6]) for blocks in prompts}) == 1
    assert 6 * prompts[0]["block_tokens"] == 1_536 < 4_096
    assert {row["model"] for row in calls} == {"claude-haiku-4-5"}


def test_unstated_retries_share_caller_and_prompt_and_state_no_request() -> None:
    tries: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in (*feature("support-chat"), *feature("triage")):
        if "prompt_hash" in logged(row):
            assert "request_id" not in logged(row)
            tries[row["end_user"], logged(row)["prompt_hash"]].append(row)
    again = [sorted(found, key=lambda row: row["startTime"]) for found in tries.values() if len(found) > 1]
    assert len(again) > 50
    for first, second in again:
        gap = datetime.fromisoformat(second["startTime"]) - datetime.fromisoformat(first["startTime"])
        assert (first["status"], second["status"] in ("success", "failure")) == ("failure", True)
        assert gap < HOUR


def test_the_fallback_of_the_incident_states_its_request() -> None:
    answers = [row for row in feature("help-center") if row["metadata"].get("attempted_fallbacks")]
    assert len(answers) > 5
    failed = {logged(row)["request_id"] for row in feature("help-center") if logged(row).get("attempt") == 1}
    for row in answers:
        assert (row["model"], logged(row)["attempt"]) == ("gpt-5", 2)
        assert logged(row)["request_id"] in failed


def test_sub_agents_hang_below_the_agent_that_sent_them() -> None:
    spans: dict[str, dict[str, Any]] = {}
    for line in text_of(FILES / "otlp-2026-10-22.jsonl.gz").splitlines():
        if '"stringValue":"research-agent"' in line:
            for span in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]:
                spans[span["spanId"]] = span
    agents = [span for span in spans.values() if span["name"] == "invoke_agent"]
    names = {key: span["name"] for key, span in spans.items()}
    below = [span for span in agents if names.get(span.get("parentSpanId", "")) == "invoke_agent"]
    assert len(below) > 20
    calls = [span for span in spans.values() if span["name"].startswith("chat ")]
    assert all(spans[span["parentSpanId"]]["name"] == "invoke_agent" for span in calls)


def test_telemetry_has_a_gap_and_times_without_a_zone() -> None:
    answer = json.loads(text_of(FILES / "prometheus-2026-10-21.json.gz"))
    times = [at for at, _ in answer["data"]["result"][0]["values"]]
    assert sorted({later - at for at, later in pairwise(times)}) == [60, 1_860]
    lines = text_of(FILES / "nvidia-smi-2026-10-16.csv.gz").splitlines()
    first = next(csv.DictReader(lines, skipinitialspace=True))
    # Half past five in India is midnight UTC.
    assert first["timestamp"] == "2026/10/16 05:30:07.000"


def test_held_time_is_the_leases_and_the_dearer_hours_begin_on_the_nineteenth() -> None:
    pools = expected()["capacity"]["pools"]
    assert pools["pool-a"]["2026-10-16"]["held_us"] == (2 * 24 + 2 * 14) * 3_600_000_000
    assert pools["pool-a"]["2026-10-16"]["cost_usd"] == "265.240000000000"  # 76 hours at 3.49
    assert pools["pool-a"]["2026-10-19"]["cost_usd"] == "303.240000000000"  # 76 hours at 3.99
    assert pools["pool-b"]["2026-10-25"]["cost_usd"] == "39.600000000000"  # 24 hours at 1.00 and at 0.65
    for days in pools.values():
        assert all(0 < cells["busy_us"] < cells["held_us"] for cells in days.values())


def test_bills_and_logs_agree_but_for_what_the_readme_names() -> None:
    models = {name: cells["list_cost_usd"] for name, cells in expected()["by"]["model"].items()}
    bills = expected()["bills"]
    anthropic = Decimal(models["claude-sonnet-4-5"]) + Decimal(models["claude-haiku-4-5"])
    usage = bills["focus"]["Anthropic Usage"]
    assert Decimal(usage["list_usd"]) == anthropic
    assert Decimal(usage["billed_usd"]) == anthropic * Decimal("0.9")
    assert Decimal(bills["focus"]["Mistral AI Usage"]["billed_usd"]) == Decimal(models["mistral-large-4"])
    openai = sum(Decimal(models[name]) for name in ("gpt-5", "gpt-5-mini", "gpt-4o-mini"))
    unlogged = 14 * (41_000 * Decimal("0.25") + 9_500 * Decimal(2)) / 1_000_000
    assert Decimal(bills["openai"]["billed_usd"]) == openai + unlogged


def test_coding_sessions_repeat_most_of_what_they_sent_before() -> None:
    shares: list[float] = []
    for path in FILES.glob("claude-code-*"):
        last: dict[str, int] = {}
        seen: set[str] = set()
        for line in text_of(path).splitlines():
            row = json.loads(line)
            if row["type"] != "assistant" or row["requestId"] in seen:
                continue
            seen.add(row["requestId"])
            usage, model = row["message"]["usage"], row["message"]["model"]
            whole = sum(
                usage[name]
                for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            )
            if last.get(model):
                shares.append(min(1, last[model] / whole))
            last[model] = whole
    assert len(shares) > 100
    assert median(shares) == pytest.approx(0.953, abs=0.04)
