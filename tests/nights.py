"""Whole loads inside the test process, over the sample or over small made-up logs.

Lives here: a home with the sample's mapping and secret, a night over given files, one line of a spend log.
Does not live here: any expectation.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from models.snapshot import open_snapshot
from pipelines import nightly
from pipelines.home import create_home
from pipelines.publish import Publication
from pipelines.settings import Settings, load_settings
from pipelines.writer_lock import hold_writer_lock

SAMPLE = Path(__file__).parents[1] / "data" / "sample"
FILES = tuple(sorted((SAMPLE / "files").iterdir()))


def sample_home(home: Path) -> Settings:
    """A home with the mapping and the secret of the sample, nothing landed."""
    create_home(home, (SAMPLE / "secret.key").read_text(encoding="ascii").strip())
    (home / "mapping.yml").write_bytes((SAMPLE / "mapping.yml").read_bytes())
    # The expectations take seconds to import; their own tests switch them on.
    with (home / "inferledger.yml").open("a", encoding="utf-8") as file:
        file.write("quality: {expectations: false}\n")
    return load_settings(home)


def night(settings: Settings, files: Sequence[Path]) -> Publication | None:
    """Land the files and build, check and publish what they change; None when nothing is to build."""
    with hold_writer_lock(settings.lock_file):
        landed = nightly.land(settings, files)
        assert landed.errors == []
        prepared = nightly.prepare(settings)
        if prepared.plan.is_empty:
            return None
        nightly.build(prepared)
        nightly.check(settings)
        return nightly.publish(settings)


def ledger_hash(settings: Settings) -> str:
    """The hash of the published ledger."""
    return str(open_snapshot(settings.published).manifest["ledger_hash"])


def read(settings: Settings, select: str) -> list[dict[str, Any]]:
    """Rows of the published snapshot."""
    with open_snapshot(settings.published).connect() as reader:
        return reader.fetch(select).to_pylist()


def spend_log(
    request_id: str,
    start: str,
    *,
    seconds: int = 2,
    feature: str = "search",
    prompt: int = 1000,
    completion: int = 100,
    model: str = "gpt-5-mini",
    request: str | None = None,
    attempt: int = 1,
    status: str = "success",
) -> str:
    """One line of a LiteLLM spend log; `start` is an ISO instant in UTC."""
    end = datetime.fromisoformat(start) + timedelta(seconds=seconds)
    logged = {"request_id": request, "attempt": attempt} if request else {}
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    row = {
        "request_id": request_id,
        "call_type": "acompletion",
        "api_key": "k" * 64,
        "spend": 0.001,
        "total_tokens": prompt + completion,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "startTime": start,
        "endTime": end.isoformat(timespec="microseconds"),
        "completionStartTime": None,
        "model": model,
        "model_group": model,
        "custom_llm_provider": "openai",
        "metadata": {"usage_object": usage, "spend_logs_metadata": logged},
        "cache_hit": "False",
        "request_tags": [f"feature:{feature}"],
        "status": status,
    }
    return json.dumps(row, separators=(",", ":"))


def write_log(path: Path, *lines: str) -> Path:
    """A log file of these lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
