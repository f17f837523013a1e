"""YAML as text with lines: nothing is read into a number, a boolean or a date."""

from pathlib import Path

import pytest

from pricing.errors import PriceBookError, nearest
from pricing.yaml_source import parse_yaml, read_yaml


@pytest.mark.parametrize("text", ["3.10", "1e3", "on", "2026-01-01", "0x10", "1_000", "012"])
def test_a_scalar_stays_the_text_it_is(text: str) -> None:
    assert parse_yaml(f"a: {text}", "f").data == {"a": text}


@pytest.mark.parametrize("text", ["", "~", "null", "Null"])
def test_an_empty_scalar_is_none(text: str) -> None:
    assert parse_yaml(f"a: {text}", "f").data == {"a": None}


def test_a_quoted_null_is_text() -> None:
    assert parse_yaml("a: 'null'\nb: ''", "f").data == {"a": "null", "b": ""}


def test_every_node_has_its_line() -> None:
    source = parse_yaml("a:\n  - {x: 1}\n  - x: 2\n    y: 3\n", "f")
    assert source.line(("a",)) == 2
    assert source.line(("a", 0)) == 2
    assert source.line(("a", 1)) == 3
    assert source.line(("a", 1, "y")) == 4


def test_a_path_that_does_not_exist_has_the_line_of_its_parent() -> None:
    source = parse_yaml("a:\n  - x: 1\n", "f")
    assert source.line(("a", 0, "missing", "deeper")) == 2
    assert source.line(("nothing",)) == 1


def test_an_anchor_may_be_used_again() -> None:
    source = parse_yaml("a: &one {x: 1}\nb: *one\n", "f")
    assert source.data == {"a": {"x": "1"}, "b": {"x": "1"}}


def test_an_empty_file_has_no_data() -> None:
    assert parse_yaml("", "f").data is None


def test_a_repeated_key_is_refused_with_its_line() -> None:
    with pytest.raises(PriceBookError, match=r"'a' occurs twice · f line 3"):
        parse_yaml("a: 1\nb: 2\na: 3\n", "f")


def test_a_repeated_key_in_a_nested_mapping_is_refused() -> None:
    with pytest.raises(PriceBookError, match=r"'x' occurs twice · f line 2"):
        parse_yaml("a:\n  - {x: 1, x: 2}\n", "f")


def test_broken_yaml_names_the_file() -> None:
    with pytest.raises(PriceBookError, match=r"'prices\.yml' is not valid YAML"):
        parse_yaml("a: [1, 2", "prices.yml")


def test_an_unreadable_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(PriceBookError, match=r"'mine\.yml' cannot be read"):
        read_yaml(tmp_path / "none.yml", "mine.yml")
    binary = tmp_path / "binary.yml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PriceBookError, match="cannot be read"):
        read_yaml(binary, "binary.yml")


def test_the_nearest_word_comes_first() -> None:
    assert nearest("inptu", ["output", "input", "cache_read"]).startswith("input, ")


def test_many_words_are_cut_and_counted() -> None:
    words = [f"word{number}" for number in range(20)]
    assert nearest("zzz", words).endswith("and 12 more")
