"""A ledger of the sample's files in a folder of its own, and its sums in the words of expected.py."""

import json
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipelines import nightly
from pipelines.home import create_home
from pipelines.settings import Settings, load_settings
from pipelines.warehouse import open_warehouse

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
LOGS = ("litellm", "otlp")
COLUMNS = {
    "feature": "feature",
    "team": "team",
    "environment": "environment",
    "model": "model",
    "day": "usage_date",
    "meter": "meter",
    "purpose": "purpose",
    "outcome": "outcome",
    "certainty": "certainty",
    "reason": "reason_code",
}
Sums = dict[str, tuple[int, int, int, Decimal | None]]


def run(script: str, *arguments: str) -> str:
    """What a script of the sample prints."""
    command = [sys.executable, str(SAMPLE / script), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def expected(files: Path) -> dict[str, Any]:
    """What the files must add up to."""
    return json.loads(run("expected.py", "--files", str(files)))


def build(home: Path, files: Path, mapping: Path) -> Settings:
    """Land the call logs of a folder into a new home and build all their days."""
    create_home(home, (SAMPLE / "secret.key").read_text(encoding="utf-8").strip())
    shutil.copy(mapping, home / "mapping.yml")
    settings = load_settings(home)
    landed = nightly.land(settings, [path for path in sorted(files.iterdir()) if path.name.startswith(LOGS)])
    assert landed.errors == []
    nightly.build(nightly.prepare(settings))
    return settings


def fetch(settings: Settings, select: str) -> pa.Table:
    """The answer of a query to the warehouse."""
    with open_warehouse(settings) as engine:
        return engine.fetch(select, {})


def ledger_sums(settings: Settings, dimension: str) -> Sums:
    """Lines, unpriced lines, quantity and list cost per value of a dimension, as the ledger has them."""
    found = fetch(
        settings,
        f"""
        select
            cast({COLUMNS[dimension]} as varchar) as name,
            cast(sum(line_count) as bigint) as line_count,
            cast(sum(unpriced_line_count) as bigint) as unpriced_line_count,
            cast(sum(quantity) as decimal(38,0)) as quantity,
            cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd
        from agg_daily_costs
        group by 1
        """,
    )
    return {
        row["name"]: (
            row["line_count"],
            row["unpriced_line_count"],
            int(row["quantity"]),
            row["list_cost_usd"],
        )
        for row in found.to_pylist()
    }


def expected_sums(groups: dict[str, dict[str, Any]]) -> Sums:
    """The same of expected.py."""
    return {
        name: (
            group["lines"],
            group["unpriced_lines"],
            group["quantity"],
            None if group["list_cost_usd"] is None else Decimal(group["list_cost_usd"]),
        )
        for name, group in groups.items()
    }


def ledger_requests(settings: Settings) -> dict[str, tuple[int, int, int, int, int, Decimal]]:
    """Requests, answered, attempts, retries, unpriced attempts and list cost by request day."""
    found = fetch(
        settings,
        """
        select
            cast(request_date as varchar) as day,
            cast(sum(request_count) as bigint) as requests,
            cast(sum(answered_count) as bigint) as answered,
            cast(sum(attempt_count) as bigint) as attempts,
            cast(sum(retry_attempt_count) as bigint) as retry_attempts,
            cast(sum(unpriced_attempt_count) as bigint) as unpriced_attempts,
            cast(sum(list_cost_usd) as decimal(38,12)) as list_cost_usd
        from agg_daily_requests
        group by 1
        """,
    )
    return {row.pop("day"): tuple(row.values()) for row in found.to_pylist()}


def expected_requests(found: dict[str, Any]) -> dict[str, tuple[int, int, int, int, int, Decimal]]:
    """The same of expected.py."""
    return {
        day: (
            counts["requests"],
            counts["answered"],
            counts["attempts"],
            counts["retry_attempts"],
            counts["unpriced_attempts"],
            Decimal(found["by_request_day"][day]["list_cost_usd"]),
        )
        for day, counts in found["requests"].items()
    }


def ledger_files(settings: Settings) -> dict[str, dict[str, Any]]:
    """The account of every landed file in the words of expected.py."""
    duplicates = {
        row["file_sha256"]: row["found"]
        for row in fetch(
            settings, "select file_sha256, count(*) as found from stg_duplicates group by file_sha256"
        ).to_pylist()
    }
    return {
        manifest.file_name: {
            "records": manifest.records,
            "parsed": manifest.parsed,
            "duplicates": duplicates.get(manifest.file_sha256, 0),
            "skips": dict(manifest.skips),
            "rejects": dict(manifest.rejects),
        }
        for manifest in nightly.prepare(settings).manifests
    }
