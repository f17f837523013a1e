"""The rule files: what they hold, and what happens when one is wrong."""

from datetime import date
from pathlib import Path

import pytest

from pricing.errors import PriceBookError
from pricing.money import rate_on
from pricing.price_book import RULE_FILES, TABLES, load_price_book
from pricing.rules import Rules, load_rules
from pricing.yaml_source import YamlSource, parse_yaml, read_yaml

SOURCE = 'source: {url: "https://example.com", checked: 2026-11-30}'


FLAGS = "is_cached_in_input: true, is_cache_write_in_input: true, is_reasoning_in_output: true"


def calendar(weekday: str, start: str, end: str) -> str:
    window = f"{{weekdays: [{weekday}], from: '{start}', until: '{end}'}}"
    return f"calendars:\n  c:\n    zone: UTC\n    windows: [{window}]\n    {SOURCE}\n"


def shipped() -> dict[str, YamlSource]:
    return {name: read_yaml(TABLES / name, name) for name in RULE_FILES}


def with_file(name: str, text: str) -> Rules:
    return load_rules({**shipped(), name: parse_yaml(text, name)})


def test_the_shipped_rules_are_whole() -> None:
    rules = load_rules(shipped())
    assert {"openai", "anthropic", "gcp.gemini", "aws.bedrock"} <= set(rules.providers)
    assert len(rules.profiles) >= 15
    assert len(rules.fees) >= 20
    assert len(rules.allowances) == 3
    assert set(rules.spellings.values()) == set(rules.providers)


def test_every_rule_file_lies_in_the_folder() -> None:
    assert all((TABLES / name).is_file() for name in RULE_FILES)
    assert isinstance(TABLES, Path)


def test_one_spelling_belongs_to_one_provider() -> None:
    text = "providers:\n  a: {aliases: [x]}\n  b: {aliases: [x]}\n"
    with pytest.raises(PriceBookError, match=r"spelling 'x' belongs to 'a' and to 'b' · .*providers\.yml"):
        with_file("providers.yml", text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("providers.yml", "providers:\n  a: {tiers: {x: gold}}\n", r"providers\.yml line 2, tiers\.x"),
        (
            "providers.yml",
            "providers:\n  a: {tires: {}}\n",
            "the key is not known; allowed, nearest first: tiers",
        ),
        (
            "calendars.yml",
            calendar("mon", "10:00", "09:00"),
            "the window 10:00 to 09:00 is empty; split it at midnight",
        ),
        (
            "calendars.yml",
            calendar("montag", "09:00", "10:00"),
            "mon",
        ),
        (
            "calendars.yml",
            calendar("mon", "25:00", "26:00"),
            "pattern",
        ),
        ("billability.yml", f"rules:\n  - {{outcome: [error], is_billable: false, {SOURCE}}}\n", "evidence"),
        (
            "billability.yml",
            "rules:\n  - {outcome: [error], is_billable: false, evidence: documented}\n",
            "source",
        ),
        (
            "rates.yml",
            f"rates:\n  - {{currency: CNY, published: 2026-10-01, usd: about 0.14, {SOURCE}}}\n",
            "plain decimal",
        ),
        (
            "rates.yml",
            f"rates:\n  - {{currency: yuan, published: 2026-10-01, usd: 0.14, {SOURCE}}}\n",
            "currency",
        ),
        (
            "usage_profiles.yml",
            f"profiles:\n  p: {{{FLAGS}, counts: {{inputs: [a]}}, {SOURCE}}}\n",
            "'inputs' is not a count; allowed, nearest first: input",
        ),
        ("usage_profiles.yml", f"profiles:\n  p: {{is_cached_in_input: true, {SOURCE}}}\n", "Field required"),
        (
            "fees.yml",
            f"fees:\n  - {{provider: a, meter: sesion_time, sum: [usage.a], {SOURCE}}}\nallowances: []\n",
            "'sesion_time' is not a meter; nearest: session_time",
        ),
    ],
)
def test_a_wrong_rule_says_where_and_what_is_allowed(name: str, text: str, message: str) -> None:
    with pytest.raises(PriceBookError, match=message) as caught:
        with_file(name, text)
    assert name in str(caught.value)
    assert " line " in str(caught.value)


def test_a_day_takes_the_last_rate_published_at_or_before_its_end() -> None:
    text = "rates:\n" + "".join(
        f"  - {{currency: CNY, published: {day}, usd: {usd}, {SOURCE}}}\n"
        for day, usd in (("2026-10-03", "0.143"), ("2026-10-01", "0.141"), ("2026-10-02", "0.142"))
    )
    book = load_price_book()
    rules = with_file("rates.yml", text)
    asked = type(book)({}, {}, (), rules)
    days = [date(2026, 9, 30), date(2026, 10, 1), date(2026, 10, 2), date(2026, 12, 1)]
    rates = [rate_on(asked, "CNY", day) for day in days]
    assert [None if rate is None else rate.usd for rate in rates] == [None, "0.141", "0.142", "0.143"]
    assert rate_on(asked, "EUR", date(2026, 12, 1)) is None


def test_a_rule_that_changes_is_another_version_of_the_book() -> None:
    book = load_price_book()
    text = (TABLES / "billability.yml").read_text().replace("flat_fee_usd: 0.05", "flat_fee_usd: 0.06")
    changed = type(book)(book.models, book.aliases, book.adjustments, with_file("billability.yml", text))
    same = type(book)(book.models, book.aliases, book.adjustments, load_rules(shipped()))
    assert changed.version != same.version
