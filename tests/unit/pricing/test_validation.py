"""What does not load: overlaps, references that lead nowhere, amounts that cannot be."""

import pytest

from pricing.errors import PriceBookError
from tests.unit.pricing.books import HEAD, book_of, model, models

ONE = "{valid_from: 2026-01-01, per_million_tokens: {input: 1}}"


def refused(message: str, *rows: str, adjustments: str = "") -> None:
    with pytest.raises(PriceBookError, match=message):
        book_of(models(*rows, adjustments=adjustments))


def test_an_overlap_names_both_periods_both_lines_and_the_bound_to_change() -> None:
    first = "{valid_from: 2026-01-01, valid_until: 2026-06-01, per_million_tokens: {input: 1}}"
    second = "{valid_from: 2026-05-01, per_million_tokens: {input: 2}}"
    with pytest.raises(PriceBookError) as caught:
        book_of(models(model("m", first, second)))
    text = str(caught.value)
    assert "[2026-01-01T00:00:00Z, 2026-06-01T00:00:00Z)" in text
    assert "[2026-05-01T00:00:00Z, forever)" in text
    assert "prices1.yml line 10" in text
    assert "prices1.yml line 11" in text
    assert "set valid_until of prices1.yml line 10 to 2026-05-01T00:00:00Z" in text


def test_an_overlap_of_two_files_names_both() -> None:
    body = models(model("m", ONE))
    with pytest.raises(PriceBookError, match=r"prices1\.yml line 10 and .*prices2\.yml line 10"):
        book_of(body, body)


def test_entries_that_were_never_known_together_do_not_overlap() -> None:
    old = (
        "{valid_from: 2026-01-01, known_until: 2026-03-01, status: corrected, per_million_tokens: {input: 1}}"
    )
    new = "{valid_from: 2026-01-01, known_from: 2026-03-01, per_million_tokens: {input: 2}}"
    assert len(book_of(models(model("m", old, new))).entries) == 2


def test_entries_of_different_meters_tiers_or_regions_do_not_overlap() -> None:
    others = [
        ONE,
        "{valid_from: 2026-01-01, per_million_tokens: {output: 1}}",
        "{valid_from: 2026-01-01, tier: batch, per_million_tokens: {input: 1}}",
        "{valid_from: 2026-01-01, region: eu, per_million_tokens: {input: 1}}",
        "{valid_from: 2026-01-01, hours: deepseek_peak, per_million_tokens: {input: 1}}",
    ]
    assert len(book_of(models(model("m", *others))).entries) == 5


def test_a_list_of_tiers_meets_a_single_one() -> None:
    both = "{valid_from: 2026-01-01, tier: [batch, flex], per_million_tokens: {input: 1}}"
    one = "{valid_from: 2026-01-01, tier: flex, per_million_tokens: {input: 1}}"
    refused("valid at once", model("m", both, one))


def test_two_calendars_whose_hours_meet_are_an_overlap() -> None:
    daily = "{valid_from: 2026-01-01, hours: deepseek_peak_daily, per_million_tokens: {input: 1}}"
    weekly = "{valid_from: 2026-02-01, hours: deepseek_peak, per_million_tokens: {input: 1}}"
    refused("different calendars whose hours meet", model("m", daily, weekly))


def test_a_band_alone_meets_the_same_meter() -> None:
    refused("valid at once", model("m", ONE, ONE.replace("input: 1", "input: 3")))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            ONE.replace("input: 1", "input: 1001"),
            r"'1001' of input_uncached is above 1,000 USD per million tokens",
        ),
        (ONE.replace("input: 1", "input: 0.0000001"), "not a whole number of pico-USD per token"),
        ("{valid_from: 2026-01-01, per_hour: {session_time: 0.0000000000001}}", "more than 12 decimals"),
        (ONE.replace("{valid", "{hours: nights, valid"), "calendar 'nights' is not declared"),
        (ONE.replace("{valid", "{currency: CNY, valid"), "no rate for the currency 'CNY'"),
        (ONE.replace("{valid", "{source: other, valid"), "source 'other' is not declared"),
    ],
)
def test_an_entry_that_cannot_be(entry: str, message: str) -> None:
    refused(message, model("m", entry))


def test_exactly_1000_usd_and_a_confirmed_rate_load() -> None:
    high = ONE.replace("input: 1}}", "input: 5000}, confirmed_high_rate: true}")
    book = book_of(models(model("m", ONE.replace("input: 1", "input: 1000")), model("n", high)))
    assert len(book.entries) == 2


def test_an_unknown_provider_names_the_nearest() -> None:
    with pytest.raises(
        PriceBookError, match=r"provider 'opnai' is not known .* Nearest: openai.*providers\.yml"
    ):
        book_of(models(model("m", ONE)), provider="opnai")


HALF = "  - {{id: {name}, tier: batch, factor: 0.5, meters: [input], valid_from: {start}}}\n"


def test_two_factors_for_one_thing_at_one_time_do_not_load() -> None:
    rows = HALF.format(name="a", start="2026-01-01") + HALF.format(name="b", start="2026-01-01")
    refused("Two factors apply at once: 'a' .* and 'b'", model("m", ONE), adjustments=rows)


def test_a_later_factor_follows_an_earlier_one() -> None:
    rows = HALF.format(name="a", start="2026-01-01") + HALF.format(name="b", start="2026-02-01")
    assert len(book_of(models(model("m", ONE), adjustments=rows)).adjustments) == 2


def test_factors_for_models_released_apart_do_not_meet() -> None:
    old = HALF.format(name="a", start="2026-01-01").replace("meters", "released_until: 2026-03-05, meters")
    new = HALF.format(name="b", start="2026-01-01").replace("meters", "released_from: 2026-03-05, meters")
    assert len(book_of(models(model("m", ONE), adjustments=old + new)).adjustments) == 2


def test_a_factor_that_names_an_unknown_model_does_not_load() -> None:
    row = HALF.format(name="a", start="2026-01-01").replace("meters", "models: [gpt], meters")
    refused("names the model 'gpt', which is not in the book", model("m", ONE), adjustments=row)


ENTRIES = [
    ("valid_from: yesterday, per_million_tokens: {input: 1}", "valid_from"),
    ("valid_from: 2026-01-01", "no amount; allowed keys: per_million_tokens"),
    ("valid_from: 2026-01-01, per_hour: {input: 1}", "counted in token, not priced per_hour"),
    ("valid_from: 2026-01-01, per_million_tokens: {input: -1}", "'-1' is not a plain decimal"),
    ("valid_from: 2026-01-01, per_million_tokens: {input: 1e3}", "'1e3' is not a plain decimal"),
    ("valid_from: 2026-01-02, valid_until: 2026-01-02, per_call: {request: 1}", "is not after valid_from"),
    ("valid_from: 2026-01-02, tier: gold, per_call: {request: 1}", "standard"),
    ("valid_from: 2026-01-02, status: maybe, per_call: {request: 1}", "announced"),
    ("valid_from: 2026-01-02, known_until: 2026-05-01, per_call: {request: 1}", "known_until belongs to"),
    ("valid_from: 2026-01-02, currency: usd, per_call: {request: 1}", "currency"),
]


@pytest.mark.parametrize(("entry", "message"), ENTRIES)
def test_an_entry_of_another_shape_says_what_is_allowed(entry: str, message: str) -> None:
    refused(message, model("m", f"{{{entry}}}"))


SHAPES = [
    ("models: []\nmodel: 1\n", "the key is not known; allowed, nearest first: model"),
    ("models:\n  - prices: []\n", r"Field required · prices1\.yml line 7, models\.0\.id"),
    (
        "adjustments:\n  - {id: a, factor: 1, meters: [input], valid_from: 2026-01-01}\n",
        "exactly one of tier and region",
    ),
    (
        "adjustments:\n  - {id: a, factor: 1, tier: batch, meters: [inptu], valid_from: 2026-01-01}\n",
        "'inptu' is not a meter",
    ),
]


@pytest.mark.parametrize(("body", "message"), SHAPES)
def test_a_file_of_another_shape_says_what_is_allowed(body: str, message: str) -> None:
    with pytest.raises(PriceBookError, match=message):
        book_of(body)


def test_more_than_one_complaint_is_counted() -> None:
    with pytest.raises(PriceBookError, match=r"\(1 more in this file\)"):
        book_of("models:\n  - {prices: []}\n  - {prices: []}\n")


BANDS = "{{valid_from: 2026-01-01, per_million_tokens: {{input: 1}}, bands: [{}]}}"


@pytest.mark.parametrize(
    ("bands", "message"),
    [
        ("{per_million_tokens: {input: 2}}", "exactly one of above .* and at_least"),
        ("{above: 1, at_least: 2, per_million_tokens: {input: 2}}", "exactly one of above .* and at_least"),
        ("{above: 10, per_million_tokens: {input: 2, output: 9}}", "which has no base price"),
        ("{above: 10, per_million_tokens: {output: 9}}", "which has no base price"),
        (
            "{above: 10, per_million_tokens: {input: 2}}, {at_least: 11, per_million_tokens: {input: 3}}",
            "Two bands begin",
        ),
    ],
)
def test_a_band_needs_one_bound_and_a_base(bands: str, message: str) -> None:
    refused(message, model("m", BANDS.format(bands)))


def test_the_head_of_the_test_files_is_whole() -> None:
    assert HEAD.format(provider="openai").count("\n") == 5
