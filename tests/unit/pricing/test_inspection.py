"""Looking into a book: prices of a model, search, differences, the days a change touches."""

from datetime import date, timedelta

import pytest

from pricing.errors import PriceBookError
from pricing.inspection import affected_days, changes, closest_models, search, shown_prices
from pricing.price_book import load_price_book
from tests.unit.pricing.books import at_us, book_of, model, models

BOOK = load_price_book()
NOW = at_us("2026-11-10T00:00:00Z")
ENTRY = "{valid_from: 2026-01-01, per_million_tokens: {input: 1}}"


def test_a_model_is_shown_with_the_plain_case_first() -> None:
    rows = shown_prices(BOOK, "openai", "gpt-5.5", NOW)
    assert (rows[0].conditions.tier, rows[0].meter, rows[0].from_tokens) == ("standard", "input_uncached", 0)
    assert rows[0].price.list_pico_usd == 5_000_000
    assert rows[1].from_tokens == 272_001
    assert rows[1].price.list_pico_usd == 10_000_000
    assert {row.conditions.tier for row in rows} == {"standard", "batch", "flex", "priority"}


def test_a_model_is_shown_as_known_then() -> None:
    when, then = at_us("2026-09-15T00:00:00Z"), at_us("2026-08-15T00:00:00Z")
    asked = [shown_prices(BOOK, "anthropic", "claude-sonnet-5", when, known)[0] for known in (then, None)]
    assert [row.price.list_pico_usd for row in asked] == [3_000_000, 2_000_000]


def test_an_alias_shows_the_model_it_stands_for() -> None:
    rows = shown_prices(BOOK, "mistral", "mistral-medium-latest", at_us("2026-06-16T00:00:00Z"))
    assert rows[0].price.list_pico_usd == 1_500_000


@pytest.mark.parametrize(
    ("provider", "name", "message"),
    [
        ("opnai", "gpt-5", r"provider 'opnai' is not known\. Nearest: openai"),
        ("openai", "gpt-5.55", r"model 'gpt-5\.55' of 'openai' is not in the book\. Nearest: gpt-5\.5"),
    ],
)
def test_what_is_not_there_names_the_nearest(provider: str, name: str, message: str) -> None:
    with pytest.raises(PriceBookError, match=message):
        shown_prices(BOOK, provider, name, NOW)


def test_search_finds_ids_and_aliases_in_any_case() -> None:
    rows = search(BOOK, "MISTRAL-medium")
    assert ("mistral_ai", "mistral-medium-3-5", "mistral-medium-3-5") in rows
    assert ("mistral_ai", "mistral-medium-latest", "mistral-medium-3-5") in rows
    assert search(BOOK, "no such thing") == []


def test_the_closest_models_of_a_typing_error() -> None:
    assert closest_models(BOOK, "claude-sonet-4-5")[0].startswith("claude-sonnet-4")
    assert len(closest_models(BOOK, "gpt-5.55", 3)) == 3


def test_two_equal_books_have_no_changes() -> None:
    body = models(model("m", ENTRY))
    assert changes(book_of(body), book_of(body)) == []


def test_changes_name_what_came_and_what_went() -> None:
    before = book_of(models(model("m", ENTRY)))
    after = book_of(models(model("m", ENTRY.replace("input: 1", "input: 2")), model("n", ENTRY)))
    rows = [(row.model, row.kind, row.place) for row in changes(before, after)]
    assert rows == [
        ("m", "added", "prices1.yml line 10"),
        ("m", "gone", "prices1.yml line 10"),
        ("n", "added", "prices1.yml line 14"),
    ]


def test_a_change_touches_the_days_on_which_its_entries_are_valid() -> None:
    row = '{valid_from: "2026-10-20T16:00:00Z", valid_until: 2026-10-22, per_million_tokens: {input: 1}}'
    entries = book_of(models(model("m", row))).entries
    days = [date(2026, 10, 18) + timedelta(days=n) for n in range(6)]
    assert affected_days(entries, days) == [date(2026, 10, 20), date(2026, 10, 21)]
    assert affected_days([], days) == []
