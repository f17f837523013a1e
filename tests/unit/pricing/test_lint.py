"""Lint finds each planted fault with file, line and remedy, and nothing in the shipped book."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pricing.lint import lint, slips
from pricing.price_book import make_book, shipped_rules
from pricing.rules import CurrencyRate
from pricing.yaml_source import parse_yaml

HEAD = """provider: openai
sources:
  page: {url: "https://example.com/prices", checked: 2026-11-30}
defaults: {known_from: valid_from, source: page}
models:
  - id: planted
    prices:
"""
GOOD = "      - {valid_from: 2026-01-01, per_million_tokens: {input: 2, cache_read: 0.2, output: 8}}\n"
ONE = "      - {valid_from: 2026-01-01, per_million_tokens: {input: 2}}\n"

# What is planted: the text after the head (or a whole file), the line it stands on, words of the message.
FAULTS: dict[str, tuple[str, int, str]] = {
    "overlap": (
        HEAD
        + "      - {valid_from: 2026-01-01, valid_until: 2026-06-01, per_million_tokens: {input: 2}}\n"
        + "      - {valid_from: 2026-05-01, per_million_tokens: {input: 3}}\n",
        8,
        r"set valid_until of .* line 8 to 2026-05-01T00:00:00Z or leave it out",
    ),
    "the same start twice": (HEAD + ONE + ONE, 8, r"give .* line 9 another valid_from"),
    "gap": (
        HEAD
        + "      - {valid_from: 2026-01-01, valid_until: 2026-03-01, per_million_tokens: {input: 2}}\n"
        + "      - {valid_from: 2026-04-01, per_million_tokens: {input: 2}}\n",
        8,
        r"no price in \[2026-03-01T00:00:00Z, 2026-04-01T00:00:00Z\)",
    ),
    "implausible amount": (
        HEAD + ONE.replace("input: 2", "input: 2000"),
        8,
        r"above 1,000 USD.*confirmed_high_rate",
    ),
    "missing source": (HEAD.replace("source: page", "status: in_force") + ONE, 8, r"Field required"),
    "source not declared": (
        HEAD + ONE.replace("{valid", "{source: blog, valid"),
        8,
        r"'blog' is not declared.*page",
    ),
    "source without a day": (HEAD.replace(", checked: 2026-11-30", "") + ONE, 3, r"Field required.*checked"),
    "source without an address": (HEAD.replace("https://example.com/prices", "a blog") + ONE, 3, r"url"),
    "currency slip": (
        HEAD + ONE + "      - {valid_from: 2026-02-01, currency: CNY, per_million_tokens: {input: 2}}\n",
        9,
        r"no rate for the currency 'CNY'.*rates\.yml",
    ),
    "a unit slip by a thousand": (
        HEAD + ONE + ONE.replace("01-01", "02-01").replace("input: 2", "input: 0.002"),
        9,
        r"from 2 to 0\.002",
    ),
    "read dearer than fresh": (
        HEAD + GOOD.replace("cache_read: 0.2", "cache_read: 20"),
        8,
        r"cache_read 20 is above input 2",
    ),
    "batch dearer than standard": (
        HEAD + ONE + "      - {valid_from: 2026-01-01, tier: batch, per_million_tokens: {input: 4}}\n",
        9,
        r"input_uncached costs more in batch",
    ),
    "a band below its base": (
        HEAD
        + "      - {valid_from: 2026-01-01, per_million_tokens: {input: 2}, "
        + "bands: [{above: 1000, per_million_tokens: {input: 1}}]}\n",
        8,
        r"cheaper than the base for input_uncached",
    ),
    "a band without a base": (
        HEAD
        + "      - {valid_from: 2026-01-01, per_million_tokens: {input: 2}, "
        + "bands: [{above: 1000, per_million_tokens: {input: 4, output: 9}}]}\n",
        8,
        r"which has no base price.*Add the base amount",
    ),
    "a band that leaves out a meter": (
        HEAD
        + "      - {valid_from: 2026-01-01, per_million_tokens: {input: 2, output: 8}, "
        + "bands: [{above: 1000, per_million_tokens: {input: 4}}]}\n",
        8,
        r"leaves out 'output_",
    ),
    "unknown meter": (
        HEAD + ONE.replace("input:", "inputs:"),
        8,
        r"'inputs' is not a meter; .*nearest first: input",
    ),
    "unknown key": (
        HEAD + ONE.replace("{valid_from", "{tear: batch, valid_from"),
        8,
        r"key is not known.*tier",
    ),
    "more than whole pico-USD": (
        HEAD + ONE.replace("input: 2", "input: 0.0000001"),
        8,
        r"not a whole number of pico-USD",
    ),
    "announced as in force": (HEAD + ONE.replace("2026-01-01", "2027-06-01"), 8, r"say status announced"),
    "withdrawn without an end of knowledge": (
        HEAD + ONE.replace("{valid", "{status: withdrawn, valid"),
        8,
        r"known_until belongs to status withdrawn",
    ),
    "known only when it was over": (
        HEAD
        + "      - {valid_from: 2026-01-01, valid_until: 2026-02-01, known_from: 2026-03-01, "
        + "per_million_tokens: {input: 2}}\n",
        8,
        r"known only after its validity ended",
    ),
    "no zone": (HEAD + ONE.replace("2026-01-01", '"2026-01-01T00:00:00"'), 8, r"has no zone; write it as"),
    "an alias that is a model": (
        HEAD.replace("    prices:\n", "    aliases: [{name: gpt-5, valid_from: 2026-01-01}]\n    prices:\n")
        + ONE,
        7,
        r"'gpt-5' is a model id of its own.*Take the alias out",
    ),
    "a repeated key": (HEAD + ONE + "    prices: []\n", 9, r"'prices' occurs twice"),
    "broken YAML": (HEAD + "      - {valid_from: 2026-01-01\n", 8, r"not valid YAML"),
    "an unknown calendar": (
        HEAD + ONE.replace("{valid", "{hours: night, valid"),
        8,
        r"calendar 'night' is not declared.*deepseek",
    ),
}


def test_at_least_twenty_faults_are_planted() -> None:
    assert len(FAULTS) >= 20


@pytest.mark.parametrize("name", FAULTS)
def test_each_planted_fault_is_found_with_its_place_and_remedy(name: str, tmp_path: Path) -> None:
    text, line, words = FAULTS[name]
    path = tmp_path / "prices.yml"
    path.write_text(text)
    findings = lint([path])
    assert findings, name
    (finding,) = findings
    assert finding.file == str(path)
    assert finding.line == line
    assert re.search(words, finding.text, re.DOTALL), finding.text


def test_nothing_is_found_in_the_shipped_book() -> None:
    assert lint() == []


def test_a_good_file_has_no_finding(tmp_path: Path) -> None:
    path = tmp_path / "prices.yml"
    path.write_text(HEAD + GOOD)
    assert lint([path]) == []


def test_two_broken_files_give_two_findings(tmp_path: Path) -> None:
    paths = [tmp_path / "a.yml", tmp_path / "b.yml"]
    for path in paths:
        path.write_text(HEAD + ONE.replace("input:", "inputs:"))
    assert [finding.file for finding in lint(paths)] == [str(path) for path in paths]


def test_a_confirmed_high_rate_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "prices.yml"
    path.write_text(HEAD + ONE.replace("input: 2}}", "input: 2000}, confirmed_high_rate: true}"))
    assert lint([path]) == []


def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    (finding,) = lint([tmp_path / "none.yml"])
    assert "cannot be read" in finding.text


def test_one_amount_in_two_currencies_is_a_slip() -> None:
    rates = (CurrencyRate("CNY", date(2026, 1, 1), "0.14", "https://example.com/rates"),)
    text = HEAD + ONE + ONE.replace("2026-01-01", "2026-02-01, currency: CNY")
    book = make_book([parse_yaml(text, "prices.yml")], replace(shipped_rules(), rates=rates))
    (finding,) = slips(book)
    assert (finding.file, finding.line) == ("prices.yml", 9)
    assert "input_uncached is 2 in USD and CNY: check currency" in finding.text


def test_a_fault_in_the_book_as_a_whole_has_the_place_of_its_first_entry(tmp_path: Path) -> None:
    path = tmp_path / "prices.yml"
    path.write_text(HEAD.replace("planted", "gpt-5") + ONE.replace("2026-01-01", "2020-01-01"))
    (finding,) = lint([path])
    assert (finding.file, finding.line) == (str(path), 8)
    assert "pricing/tables/openai.yml line" in finding.text
