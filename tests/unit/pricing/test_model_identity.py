"""Which model a name means: the user's table, exact id, dated alias, date stamp; a prefix never matches."""

import pytest

from pricing.errors import PriceBookError
from pricing.model_identity import ModelName, check_names, find_model, named_by_user, without_date_stamp
from pricing.price_book import PriceBook, load_price_book
from tests.unit.pricing.books import at_us, book_of, card, model, models, price_rows

ENTRY = "{valid_from: 2026-01-01, per_million_tokens: {input: 1}}"
NOW = at_us("2026-10-20T00:00:00Z")
MOVING = models(
    model("old", ENTRY, aliases="[{name: latest, valid_from: 2026-01-01}]"),
    model("new", ENTRY, aliases="[{name: latest, valid_from: 2026-06-16}]"),
)


def found(book: PriceBook, name: str, when: int = NOW, known: int | None = None) -> str | None:
    identity = find_model(book, "openai", name, when, known)
    return None if identity.model is None else identity.model.model


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("m-2026-01-31", "m"),
        ("m-20260131", "m"),
        ("m@20260131", "m"),
        ("a-b-2024-02-29", "a-b"),
        ("m-2026-02-30", None),
        ("m-20261301", None),
        ("m-2026-01", None),
        ("m-0613", None),
        ("m-v2", None),
        ("m", None),
        ("m-12345678", None),
        ("-20260131", None),
        ("m_20260131", None),
    ],
)
def test_only_a_date_that_exists_is_a_stamp(name: str, stem: str | None) -> None:
    assert without_date_stamp(name) == stem


@pytest.mark.parametrize("name", ["m", "m-2026-01-31", "openai/m", "openai/m-20260131"])
def test_exact_id_prefix_of_a_gateway_and_stamp_lead_to_the_model(name: str) -> None:
    assert found(book_of(models(model("m", ENTRY))), name) == "m"


@pytest.mark.parametrize(
    "name", ["m-mini", "m2", "M", "m-latest", "azure/m", "m-2026-01-31-preview", "", "x/m"]
)
def test_nothing_else_does(name: str) -> None:
    assert found(book_of(models(model("m", ENTRY))), name) is None


def test_an_exact_id_with_a_date_beats_the_stamp_rule() -> None:
    book = book_of(models(model("m", ENTRY), model("m-2026-01-31", ENTRY)))
    assert found(book, "m-2026-01-31") == "m-2026-01-31"


@pytest.mark.parametrize(
    ("when", "name"),
    [
        ("2025-12-31T23:59:59Z", None),
        ("2026-01-01T00:00:00Z", "old"),
        ("2026-06-15T23:59:59Z", "old"),
        ("2026-06-16T00:00:00Z", "new"),
    ],
)
def test_an_alias_stands_for_what_it_stood_for_then(when: str, name: str | None) -> None:
    assert found(book_of(MOVING), "latest", at_us(when)) == name


def test_an_alias_with_a_date_stamp_is_an_alias_of_that_time() -> None:
    assert found(book_of(MOVING), "latest-2026-07-01") == "new"


def test_an_alias_learned_later_was_not_known_before() -> None:
    body = MOVING.replace("valid_from: 2026-06-16", "valid_from: 2026-06-16, known_from: 2026-07-01")
    book, july = book_of(body), at_us("2026-06-20T00:00:00Z")
    assert found(book, "latest", july, at_us("2026-06-20T00:00:00Z")) == "old"
    assert found(book, "latest", july, at_us("2026-07-02T00:00:00Z")) == "new"


def test_an_alias_that_moves_within_the_day_cuts_the_price_rows() -> None:
    body = MOVING.replace("2026-06-16", '"2026-10-20T16:00:00Z"')
    rows = price_rows(book_of(body), card(served_model="latest"))
    assert [row["model"] for row in rows] == ["old", "new"]
    assert rows[0]["valid_until_us"] == rows[1]["valid_from_us"] == at_us("2026-10-20T16:00:00Z")


def test_two_models_with_one_alias_at_one_time_do_not_load() -> None:
    both = models(
        model("a", ENTRY, aliases="[{name: x, valid_from: 2026-01-01}]"),
        model("b", ENTRY, aliases="[{name: x, valid_from: 2026-01-01}]"),
    )
    with pytest.raises(
        PriceBookError, match=r"alias 'x' stands for 'a' .* line 8 and for 'b' .* line 12 at once"
    ):
        book_of(both)


def test_an_alias_may_not_be_a_model_id() -> None:
    with pytest.raises(PriceBookError, match="'a' is a model id of its own and an alias of 'b'"):
        book_of(models(model("a", ENTRY), model("b", ENTRY, aliases="[{name: a, valid_from: 2026-01-01}]")))


def test_an_identity_says_how_it_was_found() -> None:
    book = book_of(MOVING)
    steps = [find_model(book, "openai", name, NOW, None).steps for name in ("old", "latest", "old-20260101")]
    assert steps == [
        "'old' is a model id",
        "'latest' is an alias of 'new'",
        "'old-20260101' is a dated variant of 'old'",
    ]


NAMES = (
    ModelName(None, "prod", None, None, "openai", "wide"),
    ModelName("otel.genai", "prod", None, None, "openai", "narrow"),
    ModelName(None, None, "asked", None, "anthropic", "by-request"),
)


@pytest.mark.parametrize(
    ("card_names", "expected"),
    [
        (("litellm.spendlogs", "prod", None, None), "wide"),
        (("otel.genai", "prod", None, None), "narrow"),
        (("otel.genai", None, "asked", None), "by-request"),
        (("otel.genai", "test", "other", None), None),
    ],
)
def test_the_most_specific_line_of_the_users_table_wins(
    card_names: tuple[str | None, ...], expected: str | None
) -> None:
    name = named_by_user(NAMES, card_names)
    assert (name.model if isinstance(name, ModelName) else name) == expected


def test_two_equally_specific_lines_that_disagree_are_ambiguous() -> None:
    assert named_by_user(NAMES, ("x", "prod", "asked", None)) == "ambiguous_model"
    body = models(model("wide", ENTRY))
    (row,) = price_rows(book_of(body), card(deployment="prod", requested_model="asked"), names=NAMES)
    assert (row["reason_code"], row["is_billable"]) == ("ambiguous_model", True)


def test_two_lines_with_equal_conditions_may_repeat_but_not_contradict() -> None:
    check_names([NAMES[0], NAMES[0]])
    with pytest.raises(PriceBookError, match="Keep one of the two lines"):
        check_names([NAMES[0], ModelName(None, "prod", None, None, "openai", "other")])


def test_no_two_names_of_the_shipped_book_meet() -> None:
    book = load_price_book()
    for provider, name in book.aliases:
        assert (provider, name) not in book.models
