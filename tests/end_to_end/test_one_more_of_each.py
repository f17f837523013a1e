"""One more price, reader, table and page is one new file each: build, docs test and app accept them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("models", "pricing", "pipelines", "dashboards", "tests", "docs")

PRICE = """\
# A model that nobody knows, beside the provider's own file.
provider: openai
sources:
  page: {url: "https://acme.example/prices", checked: 2026-11-30}
defaults: {valid_from: 2026-01-01, known_from: valid_from, source: page}
models:
  - id: acme-1
    prices:
      - {per_million_tokens: {input: 2, output: 7}}
"""
READER = '''\
"""Reader of Acme logs: id,time,input,output as CSV."""

from collections.abc import Iterator

from pipelines.sources.base import Batch, ReadOptions
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.base import Row
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import count_of_text, iso_us

SOURCE = "acme.log"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, str] = {}
FIELDS = ATTEMPT_FIELDS
COLUMNS = ("id", "acme_time", "input", "output")


def sniff(head: bytes) -> bool:
    """Whether the header is Acme's."""
    return header_of(head) == list(COLUMNS)


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row."""
    del options
    return read_csv_rows(stream, COLUMNS, parse)


def parse(values: list[str]) -> Row:
    """Returns one row under canonical names."""
    name, time, given, made = values
    return attempt(
        source=SOURCE,
        source_event_id=name,
        provider="openai",
        served_model="acme-1",
        outcome="success",
        started_at_us=iso_us(time, "acme_time"),
        usage_profile="openai.chat",
        reported_input=count_of_text(given, "input"),
        reported_output=count_of_text(made, "output"),
    )
'''
FIXTURE = "id,acme_time,input,output\na-1,2026-10-19T10:00:00Z,1000,10\na-2,2026-10-19T11:00:00Z,500,20\n"
TABLE = """\
-- Lines of a day by model.
-- grain: one row per day and model
-- key: usage_date, model
-- refresh: window
with agg_daily_models as (
    select
        usage_date,
        model,
        count(*) as line_count
    from int_cost_lines
    where
        usage_date >= $window_start
        and usage_date < $window_end
    group by
        usage_date,
        model
)

select * from agg_daily_models
"""
PAGE = '''\
"""Acme: a page that says hello."""

import streamlit as st

TITLE = "Acme"


def render() -> None:
    """Draw the page."""
    st.title(TITLE)
'''
SHOW_PAGES = """\
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("dashboards/app.py", default_timeout=60).run()
assert not app.exception, app.exception
from dashboards.discovery import find_pages
print([page.title for page in find_pages()])
page = AppTest.from_string("from dashboards.screens.acme import render\\nrender()").run()
assert not page.exception and page.title[0].value == "Acme"
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one file more of each kind, and the generated pages made anew."""
    folder = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks")
    shutil.copytree(ROOT / "data", folder / "data")
    (folder / "pricing" / "tables" / "acme.yml").write_text(PRICE)
    (folder / "pipelines" / "sources" / "acme.py").write_text(READER)
    (folder / "acme.csv").write_text(FIXTURE)
    (folder / "models" / "marts" / "agg_daily_models.sql").write_text(TABLE)
    (folder / "dashboards" / "screens" / "acme.py").write_text(PAGE)
    for module in ("models.dictionary", "pipelines.sources.page"):
        python(folder, "-m", module)
    return folder


def python(folder: Path, *arguments: str) -> str:
    """Run Python inside the copy, so that its rooms are imported and not ours; returns what it prints."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "INFERLEDGER_PUBLISHED": str(folder / "l/published"),
    }
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_build_takes_price_reader_and_table(copy: Path) -> None:
    run = "from pipelines.cli import main; main()"
    python(copy, "-c", run, "init", "l")
    python(copy, "-c", run, "run", "--home", "l", "acme.csv")
    report = json.loads(python(copy, "-c", run, "report", "--home", "l", "--by", "model", "--json"))
    # 1,500 input tokens at 2 and 30 output tokens at 7 USD per million
    assert "0.003210000000" in json.dumps(report), report
    assert "acme-1" in json.dumps(report)
    published = list(
        (copy / "l" / "published" / "versions").glob("*/tables/agg_daily_models/2026-10-19.parquet")
    )
    assert len(published) == 1


@pytest.mark.slow
def test_docs_test_accepts_them(copy: Path) -> None:
    assert "passed" in python(copy, "-m", "pytest", "tests/test_docs.py", "-p", "no:cacheprovider")


@pytest.mark.slow
def test_app_shows_the_page(copy: Path) -> None:
    assert "Acme" in python(copy, "-c", SHOW_PAGES)
