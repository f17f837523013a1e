"""A loaded book: its version, the identity of its entries, own files beside the shipped ones."""

from datetime import date
from pathlib import Path

import pytest

from pricing.errors import PriceBookError
from pricing.periods import instant_text
from pricing.price_book import load_price_book
from tests.unit.pricing.books import HEAD, book_of, card, compiled, model, models, price_at

ENTRY = "{valid_from: 2026-01-01, per_million_tokens: {input: 1, output: 2}}"
BODY = models(model("m", ENTRY))


def own_file(tmp_path: Path, body: str, provider: str = "openai", name: str = "own.yml") -> Path:
    path = tmp_path / name
    path.write_text(HEAD.format(provider=provider) + body)
    return path


def version(body: str) -> str:
    return book_of(body).version


def content(entry: str) -> str:
    (made,) = book_of(models(model("m", entry))).entries
    return made.content


@pytest.mark.parametrize(
    "changed",
    [
        ENTRY.replace("input: 1", "input: 1.1"),
        ENTRY.replace("2026-01-01", "2026-01-02"),
        ENTRY.replace("{valid", "{tier: batch, valid"),
        ENTRY.replace("{valid", "{region: eu, valid"),
        ENTRY.replace("{valid", "{hours: deepseek_peak, valid"),
        ENTRY.replace("{valid", "{known_from: 2026-05-01, valid"),
        ENTRY.replace(
            "output: 2}", "output: 2}, bands: [{above: 9, per_million_tokens: {input: 2, output: 3}}]"
        ),
    ],
)
def test_another_price_is_another_entry_and_another_version(changed: str) -> None:
    assert content(changed) != content(ENTRY)
    assert version(models(model("m", changed))) != version(BODY)


@pytest.mark.parametrize(
    "changed",
    [
        ENTRY.replace("{valid", "{note: read again, valid"),
        ENTRY.replace("{valid", "{status: announced, valid"),
        ENTRY.replace("valid_from: 2026-01-01", "valid_from: 2026-01-01, valid_until: 2027-01-01"),
        ENTRY.replace("{valid", "{status: corrected, known_until: 2026-09-01, valid"),
    ],
)
def test_closing_or_annotating_an_entry_does_not_make_it_another_one(changed: str) -> None:
    assert content(changed) == content(ENTRY)


def test_an_end_changes_the_version_although_the_entry_stays() -> None:
    closed = ENTRY.replace("valid_from: 2026-01-01", "valid_from: 2026-01-01, valid_until: 2027-01-01")
    assert version(models(model("m", closed))) != version(BODY)


def test_the_version_does_not_depend_on_order_names_of_files_or_lines() -> None:
    other = models(model("n", ENTRY))
    assert book_of(BODY, other).version == book_of(other, BODY).version
    assert book_of(models(model("m", ENTRY), model("n", ENTRY))).version == book_of(BODY, other).version
    assert version("# a comment\n\n" + BODY) == version(BODY)


def test_an_alias_or_a_factor_changes_the_version() -> None:
    alias = models(model("m", ENTRY, aliases="[{name: x, valid_from: 2026-01-01}]"))
    factor = models(
        model("m", ENTRY),
        adjustments="  - {id: a, tier: batch, factor: 1, meters: [input], valid_from: 2026-01-01}\n",
    )
    assert len({version(BODY), version(alias), version(factor)}) == 3


def test_loading_twice_gives_the_same_version_and_the_same_tables() -> None:
    one, other = load_price_book(), load_price_book()
    assert one.version == other.version
    cards = [card(served_model="gpt-5"), card(2, provider="deepseek", served_model="deepseek-v4-pro")]
    assert compiled(one, *cards).token_prices.equals(compiled(other, *cards).token_prices)


def test_an_own_file_adds_a_model(tmp_path: Path) -> None:
    path = own_file(tmp_path, models(model("our-model", ENTRY)))
    plain, ours = load_price_book(), load_price_book([path])
    assert ("openai", "our-model") in ours.models
    assert ours.version != plain.version
    asked = {"served_model": "our-model"}
    assert price_at(ours, "2026-10-20T00:00:00Z", "input_uncached", **asked) == 1_000_000
    items = compiled(ours, card(served_model="our-model")).price_items.to_pylist()
    assert items[0]["entry_file"] == str(path)


def test_an_own_file_adds_a_price_to_a_shipped_model(tmp_path: Path) -> None:
    later = "{valid_from: 2026-10-20, per_million_tokens: {input: 1.5}}"
    ours = load_price_book([own_file(tmp_path, models(model("gpt-5", later)))])
    prices = [
        price_at(ours, f"2026-10-{day}T00:00:00Z", "input_uncached", served_model="gpt-5") for day in (19, 20)
    ]
    assert prices == [1_250_000, 1_500_000]
    assert price_at(ours, "2026-10-20T00:00:00Z", "output_text", served_model="gpt-5") == 10_000_000


def test_an_own_file_that_overlaps_the_shipped_book_does_not_load(tmp_path: Path) -> None:
    same = "{valid_from: 2020-01-01, per_million_tokens: {input: 1.5}}"
    path = own_file(tmp_path, models(model("gpt-5", same)))
    with pytest.raises(PriceBookError, match=r"own\.yml line 10 and .*pricing/tables/openai\.yml line \d+"):
        load_price_book([path])


def test_an_own_file_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(PriceBookError, match=r"none\.yml' cannot be read"):
        load_price_book([tmp_path / "none.yml"])


def test_an_empty_own_file_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "empty.yml"
    path.write_text("")
    with pytest.raises(PriceBookError, match="whole file"):
        load_price_book([path])


def test_an_entry_has_an_id_that_people_can_read() -> None:
    entries = [
        ENTRY,
        "{valid_from: 2026-01-01, tier: batch, per_million_tokens: {input: 1}}",
        '{valid_from: "2026-05-01T16:00:00Z", hours: deepseek_peak, per_million_tokens: {input: 1}}',
        "{id: mine, valid_from: 2026-01-01, tier: flex, per_million_tokens: {input: 1}}",
    ]
    ids = [entry.entry_id for entry in book_of(models(model("m", *entries))).entries]
    assert ids == [
        "m/2026-01-01T00:00Z",
        "m/2026-01-01T00:00Z/batch",
        "m/2026-05-01T16:00Z/deepseek_peak",
        "mine",
    ]


def test_a_row_with_several_tiers_and_regions_is_one_entry_for_each() -> None:
    row = "{valid_from: 2026-01-01, tier: [batch, flex], region: [eu, us], per_million_tokens: {input: 1}}"
    cases = [(e.conditions.tier, e.conditions.region) for e in book_of(models(model("m", row))).entries]
    assert cases == [("batch", "eu"), ("batch", "us"), ("flex", "eu"), ("flex", "us")]


def test_a_meters_own_name_beats_the_word_for_several() -> None:
    row = "{valid_from: 2026-01-01, per_million_tokens: {output_reasoning: 9, output: 2}}"
    (entry,) = book_of(models(model("m", row))).entries
    assert {meter: published.amount for meter, published in entry.amounts.items()} == {
        "output_text": "2",
        "output_reasoning": "9",
    }


def test_a_band_holds_from_its_first_token_on() -> None:
    row = (
        "{valid_from: 2026-01-01, per_million_tokens: {input: 1}, bands: ["
        "{above: 100, per_million_tokens: {input: 2}}, {at_least: 200, per_million_tokens: {input: 3}}]}"
    )
    (entry,) = book_of(models(model("m", row))).entries
    amounts = [entry.published("input_uncached", tokens) for tokens in (0, 100, 101, 199, 200, 10**9)]
    assert [found.amount for found in amounts if found is not None] == ["1", "1", "2", "2", "3", "3"]


def test_an_instant_keeps_its_zone_and_a_date_is_utc_midnight() -> None:
    row = '{valid_from: "2026-08-17T00:00:00+08:00", per_million_tokens: {input: 1}}'
    (entry,) = book_of(models(model("m", row))).entries
    assert instant_text(entry.valid.start_us) == "2026-08-16T16:00:00Z"


def test_facts_know_the_day_they_were_checked() -> None:
    (entry,) = book_of(BODY).entries
    assert entry.facts.checked == date(2026, 11, 30)
    assert str(entry.facts.place) == "prices1.yml line 10"
