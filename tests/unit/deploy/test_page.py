"""The page about the night: its settings, commands and names are those of the code."""

import re
from pathlib import Path

import yaml

from pipelines.alarms import FRESHNESS
from pipelines.assets import landing, price_book, publish
from pipelines.resources import PATIENCE_SECONDS
from pipelines.settings import Nightly, parse_choices

PAGE = Path(__file__).parents[3] / "docs" / "nightly.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_settings_shown_are_all_of_them_with_their_defaults() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    shown = parse_choices(block, PAGE).nightly
    assert set(yaml.safe_load(block)["nightly"]) == set(Nightly.model_fields)
    assert shown == Nightly(webhook="https://example.com/hooks/cost")


def test_names_are_those_of_the_code() -> None:
    for name in (landing.NAME, landing.REFUSED, price_book.NAME, publish.NAME, FRESHNESS, "check_price_gaps"):
        assert f"`{name}`" in TEXT, name
    assert f"waits up to {PATIENCE_SECONDS // 60} minutes" in " ".join(TEXT.split())


def test_the_template_of_a_home_shows_the_same_settings() -> None:
    template = (PAGE.parents[1] / "pipelines" / "home_files" / "inferledger.yml").read_text("utf-8")
    assert set(re.findall(r"^#   (\w+):", template, re.MULTILINE)) >= set(Nightly.model_fields)


def test_the_picture_is_there_and_small() -> None:
    picture = PAGE.parent / "dagster-graph.png"
    assert 10_000 < picture.stat().st_size < 300_000
