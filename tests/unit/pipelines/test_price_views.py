"""`prices show` and `prices diff`: instants, names, layout, and the sides of a comparison."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.price_views import diff_text, instant_us, known_book, named, show_rows, show_text, side
from pricing.periods import to_us
from pricing.price_book import load_price_book
from tests.unit.pricing.books import at_us, book_of, model, models

BOOK = load_price_book()
NOW = at_us("2026-10-20T00:00:00Z")
OWN = """
provider: openai
sources:
  page: {url: "https://example.com/prices", checked: 2026-11-30}
defaults: {known_from: valid_from, source: page}
models:
  - id: acme-reasoner-2
    prices:
      - {valid_from: 2026-01-01, per_million_tokens: {input: 7, output: 9}}
"""


def own(folder: Path) -> Path:
    path = folder / "own.yml"
    path.write_text(OWN)
    return path


def test_a_day_is_its_beginning_and_an_instant_keeps_its_zone() -> None:
    assert instant_us(None, "--at") is None
    assert instant_us("2026-10-20", "--at") == to_us(datetime(2026, 10, 20, tzinfo=UTC))
    assert instant_us("2026-10-20T02:00:00+02:00", "--at") == NOW


@pytest.mark.parametrize("text", ["yesterday", "2026-10-20T00:00:00", "2026-13-01"])
def test_what_is_no_instant_names_the_option(text: str) -> None:
    with pytest.raises(UserError, match=rf"'{text}' is no instant · option --at · a UTC day 2026-10-20"):
        instant_us(text, "--at")


def test_a_name_belongs_to_every_provider_that_knows_it() -> None:
    providers = [provider for provider, _ in named(BOOK, "claude-sonnet-4-5", NOW, None)]
    assert {"anthropic", "gcp.vertex_ai"} <= set(providers)
    assert named(BOOK, "anthropic/claude-sonnet-4-5", NOW, None) == [("anthropic", "claude-sonnet-4-5")]


def test_an_unknown_name_gets_the_nearest_and_the_next_command() -> None:
    with pytest.raises(UserError) as raised:
        named(BOOK, "claude-sonet-4-5", NOW, None)
    assert "nearest: claude-sonnet-4" in str(raised.value)
    assert "inferledger prices search claude" in str(raised.value)


def test_show_gives_price_validity_place_and_source() -> None:
    first, price, where, *_ = show_text(BOOK, "openai/gpt-5.5", NOW, None).splitlines()
    assert first == "openai gpt-5.5 at 2026-10-20T00:00:00Z"
    assert price == "  standard global input_uncached: 5 USD per million tokens"
    assert "pricing/tables/openai.yml line " in where
    assert "https://" in where
    assert "(checked 20" in where


def test_show_says_as_known_when() -> None:
    then = at_us("2026-08-15T00:00:00Z")
    text = show_text(BOOK, "anthropic/claude-sonnet-5", at_us("2026-09-15T00:00:00Z"), then)
    assert "as known on 2026-08-15T00:00:00Z" in text.splitlines()[0]
    assert "input_uncached: 3 USD per million tokens" in text


def test_show_names_the_band() -> None:
    assert "from 272,001 input tokens: 10 USD" in show_text(BOOK, "openai/gpt-5.5", NOW, None)


def test_show_of_a_model_without_a_price_then_says_so() -> None:
    book = book_of(models(model("m", "{valid_from: 2026-01-01, per_million_tokens: {input: 1}}")))
    assert show_text(book, "openai/m", at_us("2025-01-01T00:00:00Z"), None).splitlines()[1:] == [
        "  no price in force"
    ]


def test_rows_carry_exact_usd_per_unit() -> None:
    row = show_rows(BOOK, "openai/gpt-5.5", NOW, None)[0]
    assert (row["meter"], row["list_usd_per_unit"]) == ("input_uncached", "0.000005")
    assert row["contracted_usd_per_unit"] == row["list_usd_per_unit"]
    assert row["place"].startswith("pricing/tables/openai.yml line ")


def test_diff_of_equal_books_is_empty() -> None:
    assert diff_text(BOOK, BOOK) == "0 entries gone, 0 added"


def test_diff_names_the_entries_of_a_file(tmp_path: Path) -> None:
    added = diff_text(side("shipped", []), side(str(own(tmp_path)), [])).splitlines()
    assert added[0].startswith(
        "+ openai acme-reasoner-2 standard global · from 2026-01-01T00:00:00Z · input_uncached 7"
    )
    assert added[0].endswith("own.yml line 9")
    assert added[-1] == "0 entries gone, 1 added"
    gone = diff_text(side(str(tmp_path), []), side("shipped", [])).splitlines()
    assert gone[0] == "-" + added[0][1:]
    assert gone[-1] == "1 entries gone, 0 added"


def test_diff_of_two_days_is_what_the_book_learned_between(tmp_path: Path) -> None:
    files = [own(tmp_path)]
    text = diff_text(side("2025-12-31", files), side("2026-01-02", files))
    assert "+ openai acme-reasoner-2 standard global" in text
    text = diff_text(side("2026-01-02", files), side("2026-01-03", files))
    assert "acme" not in text


def test_a_known_book_keeps_only_what_was_known() -> None:
    rows = ("{valid_from: 2026-01-01, per_million_tokens: {input: 1}}",)
    later = "{valid_from: 2026-06-01, known_from: 2026-05-01, per_million_tokens: {input: 2}}"
    book = book_of(models(model("m", *rows, later)))
    assert [len(known_book(book, at_us(f"2026-{month}-02T00:00:00Z")).entries) for month in ("01", "05")] == [
        1,
        2,
    ]


def test_a_side_that_is_nothing_says_what_is_allowed() -> None:
    with pytest.raises(UserError, match=r"'no/such/file\.yml' is no side of a comparison"):
        side("no/such/file.yml", [])
