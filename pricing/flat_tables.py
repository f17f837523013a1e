"""The Arrow schemas of what the book hands to the SQL, and the two small tables that need no compiling."""

import pyarrow as pa

from pricing.price_book import PriceBook
from pricing.units import attempt_meters

_BIGINT, _VARCHAR, _DATE, _BOOLEAN = pa.int64(), pa.string(), pa.date32(), pa.bool_()


def token_prices_schema() -> pa.Schema:
    """Return the schema of raw_token_prices: one row per card, period and band of input."""
    prices = [
        pa.field(f"{meter}_{measure}_pico_usd", _BIGINT)
        for meter in attempt_meters()
        for measure in ("list", "contracted")
    ]
    return pa.schema(
        [
            pa.field("usage_date", _DATE, nullable=False),
            pa.field("rate_card_key", _BIGINT, nullable=False),
            pa.field("valid_from_us", _BIGINT, nullable=False),
            pa.field("valid_until_us", _BIGINT, nullable=False),
            pa.field("input_from_tokens", _BIGINT, nullable=False),
            pa.field("input_until_tokens", _BIGINT, nullable=False),
            pa.field("provider", _VARCHAR, nullable=False),
            pa.field("model", _VARCHAR, nullable=False),
            pa.field("price_key", _BIGINT),
            pa.field("is_billable", _BOOLEAN, nullable=False),
            pa.field("reason_code", _VARCHAR, nullable=False),
            *prices,
        ]
    )


def price_items_schema() -> pa.Schema:
    """Return the schema of raw_price_items: where each compiled number comes from."""
    return pa.schema(
        [
            pa.field("usage_date", _DATE, nullable=False),
            pa.field("price_key", _BIGINT, nullable=False),
            pa.field("meter", _VARCHAR, nullable=False),
            pa.field("price_entry", _VARCHAR, nullable=False),
            pa.field("entry_file", _VARCHAR, nullable=False),
            pa.field("entry_line", _BIGINT, nullable=False),
            pa.field("entry_id", _VARCHAR, nullable=False),
            pa.field("list_amount", _VARCHAR, nullable=False),
            pa.field("list_unit", _VARCHAR, nullable=False),
            pa.field("currency", _VARCHAR, nullable=False),
            pa.field("source_url", _VARCHAR, nullable=False),
            pa.field("checked_date", _DATE, nullable=False),
            pa.field("valid_from_us", _BIGINT, nullable=False),
            pa.field("valid_until_us", _BIGINT, nullable=False),
            pa.field("known_from_us", _BIGINT, nullable=False),
            pa.field("steps", _VARCHAR, nullable=False),
        ]
    )


def usage_profiles_table(book: PriceBook) -> pa.Table:
    """Return raw_usage_profiles: what is inside what, per usage profile."""
    names = (
        "is_cached_in_input",
        "is_cache_write_in_input",
        "is_reasoning_in_output",
        "is_exclusive_if_exceeding",
    )
    schema = pa.schema(
        [pa.field("usage_profile", _VARCHAR, nullable=False), *(pa.field(name, _BOOLEAN) for name in names)]
    )
    rows = [
        {"usage_profile": name, **{flag: getattr(profile.text, flag) for flag in names}}
        for name, profile in sorted(book.profiles.items())
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def providers_table(book: PriceBook) -> pa.Table:
    """Return raw_providers: the default lifetime of a cache write, for every spelling of every provider."""
    schema = pa.schema(
        [pa.field("provider", _VARCHAR, nullable=False), pa.field("default_cache_write_meter", _VARCHAR)]
    )
    rows = [
        {
            "provider": spelling,
            "default_cache_write_meter": book.providers[name].text.default_cache_write_meter,
        }
        for spelling, name in sorted(book.rules.spellings.items())
    ]
    return pa.Table.from_pylist(rows, schema=schema)
