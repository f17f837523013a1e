"""The page "How a price is chosen": short, complete, and its worked example comes out as it says."""

import json
import re
from pathlib import Path

import pricing
from pricing.calc import calculate
from pricing.price_book import make_book, shipped_rules
from pricing.yaml_source import parse_yaml

ROOM = Path(pricing.__file__).parent
PAGE = (ROOM / "README.md").read_text()


def fenced(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return block


def test_the_page_has_at_most_900_words_and_every_step_names_its_number() -> None:
    assert len(PAGE.split()) <= 900
    steps = re.findall(r"^\d+\. \*\*\w+\*\* \(([\d., ]+)\)", PAGE, re.MULTILINE)
    assert len(steps) == 10
    assert len(re.findall(r"^\d+\. ", PAGE, re.MULTILINE)) == len(steps)


def test_the_worked_example_comes_out_as_the_page_says() -> None:
    book = make_book([parse_yaml(fenced("yaml"), "example.yml")], shipped_rules())
    record = json.loads(fenced("json"))
    first, later = re.findall(r"\*\*([\d.]+)\*\* USD", PAGE)
    assert calculate(book, record).usd == first
    assert calculate(book, {**record, "date": "2026-10-20T16:00:00Z"}).usd == later


def test_every_module_of_the_room_is_on_the_page() -> None:
    modules = {path.name for path in ROOM.glob("*.py")} - {
        "__init__.py",
        "errors.py",
        "hashes.py",
        "units.py",
    }
    missing = sorted(
        name for name in modules - {"entries.py", "rules.py", "usage_paths.py"} if f"`{name}`" not in PAGE
    )
    assert missing == []


def test_every_rule_file_is_named_where_its_step_is() -> None:
    for name in ("usage_profiles.yml", "billability.yml", "providers.yml", "fees.yml"):
        assert f"`{name}`" in PAGE
