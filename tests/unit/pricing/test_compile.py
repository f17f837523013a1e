"""The flat tables: schema, one row per place, prices, reasons, order, keys."""

from datetime import date

import pyarrow as pa
import pytest

from pricing.errors import PriceBookError
from pricing.flat_tables import price_items_schema, providers_table, token_prices_schema, usage_profiles_table
from pricing.model_identity import ModelName
from pricing.periods import day_period
from pricing.price_book import load_price_book
from pricing.units import attempt_meters
from tests.unit.pricing.books import (
    DAY,
    at_us,
    book_of,
    card,
    compiled,
    model,
    models,
    price_at,
    price_rows,
    reason_of,
)

PLAIN = models(
    model("m", "{valid_from: 2026-01-01, per_million_tokens: {input: 2, cache_read: 0.2, output: 8}}")
)


def test_the_meters_are_those_of_the_contract_in_their_order() -> None:
    assert attempt_meters() == (
        "input_uncached",
        "cache_read",
        "cache_write_5m",
        "cache_write_30m",
        "cache_write_1h",
        "cache_write_12h",
        "input_audio",
        "input_image",
        "output_text",
        "output_reasoning",
        "output_audio",
        "output_image",
        "tool_call",
        "request",
    )


def test_both_tables_have_their_schema_even_when_empty() -> None:
    result = compiled(book_of(PLAIN))
    assert result.token_prices.schema == token_prices_schema()
    assert result.price_items.schema == price_items_schema()
    assert result.token_prices.num_rows == result.price_items.num_rows == 0


def test_the_columns_have_the_arrow_types_of_the_contract() -> None:
    types = {field.name: field.type for field in token_prices_schema()}
    assert types["usage_date"] == pa.date32()
    assert types["is_billable"] == pa.bool_()
    assert types["model"] == pa.string()
    assert types["input_uncached_list_pico_usd"] == types["price_key"] == pa.int64()
    assert len(types) == 11 + 2 * len(attempt_meters())


def test_a_plain_card_has_one_row_for_the_day_and_all_inputs() -> None:
    (row,) = price_rows(book_of(PLAIN), card(served_model="m"))
    day = day_period(DAY)
    assert (row["valid_from_us"], row["valid_until_us"]) == (day.start_us, day.end_us)
    assert (row["input_from_tokens"], row["input_until_tokens"]) == (0, 2**63 - 1)
    assert row["input_uncached_list_pico_usd"] == 2_000_000
    assert row["cache_read_list_pico_usd"] == 200_000
    assert row["output_text_list_pico_usd"] == row["output_reasoning_list_pico_usd"] == 8_000_000
    assert "cache_write_5m_list_pico_usd" not in row
    assert (row["is_billable"], row["reason_code"]) == (True, "")


def test_contracted_prices_equal_list_prices_without_a_contract() -> None:
    (row,) = price_rows(book_of(PLAIN), card(served_model="m"))
    assert row["input_uncached_contracted_pico_usd"] == row["input_uncached_list_pico_usd"]


def test_a_price_change_within_the_day_cuts_it() -> None:
    book = book_of(
        models(
            model(
                "m",
                "{valid_from: 2026-01-01, per_million_tokens: {input: 1}}",
                '{valid_from: "2026-10-20T16:00:00Z", per_million_tokens: {input: 3}}',
            )
        )
    )
    rows = price_rows(book, card(served_model="m"))
    assert [row["input_uncached_list_pico_usd"] for row in rows] == [1_000_000, 3_000_000]
    assert rows[0]["valid_until_us"] == rows[1]["valid_from_us"] == at_us("2026-10-20T16:00:00Z")


def test_bands_split_the_inputs_at_greater_than_or_at_least() -> None:
    band = "bands: [{{{}: 200000, per_million_tokens: {{input: 2}}}}]"
    entry = f"{{{{valid_from: 2026-01-01, per_million_tokens: {{{{input: 1}}}}, {band}}}}}"
    above = price_rows(book_of(models(model("m", entry.format("above")))), card(served_model="m"))
    at_least = price_rows(book_of(models(model("m", entry.format("at_least")))), card(served_model="m"))
    assert [row["input_from_tokens"] for row in above] == [0, 200_001]
    assert [row["input_from_tokens"] for row in at_least] == [0, 200_000]
    assert above[0]["input_until_tokens"] == 200_001


def test_a_day_before_the_first_price_is_not_priced_yet() -> None:
    (row,) = price_rows(book_of(PLAIN), card(day=date(2025, 12, 31), served_model="m"))
    assert row["reason_code"] == "no_price_yet"
    assert "price_key" not in row


def test_a_day_between_two_prices_or_after_the_last_is_a_gap() -> None:
    first = "{valid_from: 2026-01-01, valid_until: 2026-02-01, per_million_tokens: {input: 1, output: 2}}"
    second = "{valid_from: 2026-03-01, valid_until: 2026-04-01, per_million_tokens: {input: 1, output: 2}}"
    book = book_of(models(model("m", first, second)))
    for day in (date(2026, 2, 15), date(2026, 4, 1)):
        (row,) = price_rows(book, card(day=day, served_model="m"))
        assert row["reason_code"] == "price_gap"


def test_a_fee_in_every_tier_does_not_make_the_tier_known() -> None:
    tokens = "{valid_from: 2026-01-01, per_million_tokens: {input: 1, output: 2}}"
    fee = "{valid_from: 2026-01-01, tier: [standard, priority], per_thousand_calls: {tool_call: 10}}"
    book = book_of(models(model("m", tokens, fee)))
    (row,) = price_rows(book, card(day=date(2026, 1, 2), served_model="m", service_tier="priority"))
    assert row["reason_code"] == "unknown_tier"
    assert "price_key" not in row


def test_a_tier_published_later_is_not_priced_yet() -> None:
    tokens = "{valid_from: 2026-01-01, per_million_tokens: {input: 1, output: 2}}"
    later = "{valid_from: 2026-02-01, tier: priority, per_million_tokens: {input: 2, output: 4}}"
    book = book_of(models(model("m", tokens, later)))
    (before,) = price_rows(book, card(day=date(2026, 1, 2), served_model="m", service_tier="priority"))
    (after,) = price_rows(book, card(day=date(2026, 2, 2), served_model="m", service_tier="priority"))
    assert [before["reason_code"], after["reason_code"]] == ["no_price_yet", ""]


def test_a_fee_per_call_does_not_cover_a_hole_in_the_prices_of_tokens() -> None:
    tokens = "{valid_from: 2026-01-01, per_million_tokens: {input: 1, output: 2}}"
    fee = "{valid_from: 2025-01-01, per_thousand_calls: {tool_call: 10}}"
    book = book_of(models(model("m", tokens, fee)))
    (before,) = price_rows(book, card(day=date(2025, 12, 31), served_model="m"))
    assert before["reason_code"] == "no_price_yet"
    assert "price_key" not in before
    (after,) = price_rows(book, card(day=date(2026, 1, 1), served_model="m"))
    assert after["reason_code"] == ""
    (alone,) = price_rows(book_of(models(model("m", fee))), card(day=date(2026, 1, 1), served_model="m"))
    assert alone["reason_code"] == ""


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"served_model": "n"}, "unknown_model"),
        ({}, "unknown_model"),
        ({"served_model": "m", "provider": "nobody"}, "unknown_provider"),
        ({"served_model": "m", "provider": None}, "unknown_provider"),
        ({"served_model": "m", "service_tier": "platinum"}, "unknown_tier"),
        ({"served_model": "m", "service_tier": "flex"}, "unknown_tier"),
        ({"served_model": "m", "processing": "batch"}, "unknown_tier"),
        ({"served_model": "m", "region": "mars"}, "unknown_region"),
        ({"served_model": "m", "region": "eu"}, "unknown_region"),
    ],
)
def test_what_has_no_price_says_why_and_stays_billable(stated: dict[str, object], reason: str) -> None:
    assert reason_of(book_of(PLAIN), **stated) == (reason, True)


def test_a_failed_attempt_without_output_is_not_billable() -> None:
    book = book_of(PLAIN)
    assert reason_of(book, served_model="m", outcome="error", has_output=False) == ("not_billable", False)
    assert reason_of(book, served_model="m", outcome="error", has_output=True) == ("", True)


def test_a_gateway_cache_hit_is_not_billable_whatever_the_model() -> None:
    book = book_of(PLAIN)
    assert reason_of(book, served_model="nothing", is_gateway_cache_hit=True) == ("gateway_cache_hit", False)


def test_the_model_shown_is_the_priced_one_or_the_name_as_served() -> None:
    book = book_of(PLAIN)
    shown = [
        price_rows(book, card(**stated))[0]["model"]
        for stated in (
            {"served_model": "m-2026-01-01"},
            {"served_model": "x", "requested_model": "m"},
            {"requested_model": "y"},
            {},
        )
    ]
    assert shown == ["m", "x", "y", "(unknown)"]


def test_the_provider_is_shown_by_its_own_name() -> None:
    book = book_of(PLAIN, provider="mistral_ai")
    assert price_rows(book, card(provider="mistral", served_model="m"))[0]["provider"] == "mistral_ai"


def test_equal_prices_have_one_key_and_one_set_of_items() -> None:
    result = compiled(book_of(PLAIN), card(1, served_model="m"), card(2, served_model="m", has_output=False))
    keys = result.token_prices.column("price_key").to_pylist()
    assert keys[0] == keys[1] >= 0
    assert result.price_items.num_rows == 4


def test_another_price_has_another_key() -> None:
    other = models(
        model("m", "{valid_from: 2026-01-01, per_million_tokens: {input: 2, cache_read: 0.3, output: 8}}")
    )
    keys = [price_rows(book_of(body), card(served_model="m"))[0]["price_key"] for body in (PLAIN, other)]
    assert keys[0] != keys[1]


def test_an_item_says_where_the_number_comes_from() -> None:
    items = compiled(book_of(PLAIN), card(served_model="m")).price_items.to_pylist()
    assert [item["meter"] for item in items] == [
        "input_uncached",
        "cache_read",
        "output_text",
        "output_reasoning",
    ]
    read = items[1]
    assert read["list_amount"] == "0.2"
    assert read["list_unit"] == "USD per million tokens"
    assert (read["entry_file"], read["entry_line"]) == ("prices1.yml", 10)
    assert read["entry_id"] == "m/2026-01-01T00:00Z"
    assert read["source_url"] == "https://example.com/prices"
    assert read["checked_date"] == date(2026, 11, 30)
    assert read["valid_from_us"] == read["known_from_us"] == at_us("2026-01-01T00:00:00Z")
    assert read["steps"] == "0.2 USD per million tokens"
    assert len(read["price_entry"]) == 64


def test_an_item_is_in_force_until_the_next_entry_of_its_series() -> None:
    items = compiled(load_price_book(), card(provider="mistral", served_model="mistral-large-4")).price_items
    (fresh,) = [item for item in items.to_pylist() if item["meter"] == "input_uncached"]
    assert fresh["valid_from_us"] == at_us("2026-10-20T00:00:00Z")
    assert fresh["valid_until_us"] == at_us("2026-10-29T00:00:00Z")


def test_every_priced_meter_of_a_row_has_an_item() -> None:
    result = compiled(load_price_book(), card(served_model="gpt-5"), card(2, served_model="gpt-4o-mini"))
    items = {(item["price_key"], item["meter"]) for item in result.price_items.to_pylist()}
    for row in result.token_prices.to_pylist():
        priced = {m for m in attempt_meters() if row[f"{m}_list_pico_usd"] is not None}
        assert {meter for key, meter in items if key == row["price_key"]} == priced


def test_the_order_of_rows_does_not_depend_on_the_order_of_cards() -> None:
    book = load_price_book()
    cards = [card(key, date(2026, 10, day), served_model="gpt-5") for key in (3, 1, 2) for day in (21, 19)]
    forward, backward = compiled(book, *cards), compiled(book, *reversed(cards))
    assert forward.token_prices.equals(backward.token_prices)
    assert forward.price_items.equals(backward.price_items)
    keys = list(
        zip(
            *(forward.token_prices.column(c).to_pylist() for c in ("usage_date", "rate_card_key")),
            strict=True,
        )
    )
    assert keys == sorted(keys)


def test_a_user_table_names_a_deployment() -> None:
    name = ModelName(None, "prod-chat", None, None, "openai", "m")
    (row,) = price_rows(book_of(PLAIN), card(provider="azure", deployment="prod-chat"), names=(name,))
    assert (row["provider"], row["model"], row["reason_code"]) == ("openai", "m", "")


def test_two_lines_of_the_user_table_may_not_disagree() -> None:
    names = (ModelName(None, "d", None, None, "openai", "m"), ModelName(None, "d", None, None, "openai", "n"))
    with pytest.raises(PriceBookError, match=r"'openai m' and 'openai n'.*mapping\.yml"):
        compiled(book_of(PLAIN), card(), names=names)


def test_usage_profiles_are_a_table_with_the_contract_columns() -> None:
    table = usage_profiles_table(load_price_book())
    assert table.column_names == [
        "usage_profile",
        "is_cached_in_input",
        "is_cache_write_in_input",
        "is_reasoning_in_output",
        "is_exclusive_if_exceeding",
    ]
    profiles = {row["usage_profile"]: row for row in table.to_pylist()}
    assert {"litellm.spendlogs", "otel.genai", "azure.llm_trace"} <= set(profiles)
    assert profiles["otel.genai"]["is_exclusive_if_exceeding"] is True
    assert profiles["litellm.spendlogs"]["is_exclusive_if_exceeding"] is False


def test_providers_are_a_table_of_every_spelling() -> None:
    rows = {
        row["provider"]: row["default_cache_write_meter"]
        for row in providers_table(load_price_book()).to_pylist()
    }
    assert rows["anthropic"] == "cache_write_5m"
    assert rows["openai"] == "cache_write_30m"
    assert rows["mistral"] is None
    assert rows["mistral_ai"] is None


def test_the_shipped_book_prices_the_change_within_the_sample() -> None:
    book = load_price_book()
    before = price_at(
        book, "2026-10-19T23:59:59Z", "input_uncached", provider="mistral", served_model="mistral-large-4"
    )
    after = price_at(
        book, "2026-10-20T00:00:00Z", "input_uncached", provider="mistral", served_model="mistral-large-4"
    )
    assert (before, after) == (680_000, 1_360_000)
