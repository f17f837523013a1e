"""Input tables made from a few words: what the tests of the cost model are fed with.

What lives here: attempts with their keys and days filled in, and the owners, prices and profiles that go with
them. What does not: reading of source files and compiling of price books, which have their own tests.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from models.columns import table_schema
from models.keys import key63
from models.registry import METERS
from tests.tables import Cell

Row = dict[str, Cell]

END = 9_223_372_036_854_775_807
DAY_US = 86_400_000_000
SOURCE = "litellm.spendlogs"
OWNER_TAGS = (
    *("feature_tag", "team_tag", "project_tag", "environment_tag"),
    *("customer_hash", "api_key_hash", "route"),
)
# Cached inside input, cache writes inside input, reasoning inside output, exclusive if exceeding.
PROFILES = {
    "all_inside": (True, True, True, False),
    "all_outside": (False, False, False, False),
    "write_outside": (True, False, True, False),
    "inside_unless_exceeding": (True, True, True, True),
}
PROVIDERS = {"openai": "cache_write_30m", "anthropic": "cache_write_5m", "mistral_ai": None}


class Span(NamedTuple):
    """Prices of a model over a span of time and a band of whole input, both half-open.

    Args:
        prices: Pico-USD per unit: one number for list and contracted, or a pair of them, by meter.
        from_us: First instant; the span lasts to the next one of the model.
        from_tokens: Smallest whole input; the band lasts to the next one of the same instant.
    """

    prices: Mapping[str, int | tuple[int | None, int | None]]
    from_us: int = 0
    from_tokens: int = 0


Book = Mapping[str, Sequence[Span]]


def at(text: str) -> int:
    """Return microseconds UTC of an instant written as `2026-10-19 23:50`, with seconds or not."""
    return us_of(datetime.fromisoformat(text).replace(tzinfo=UTC))


def us_of(instant: datetime) -> int:
    """Return whole microseconds UTC."""
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def day_of(used_at_us: int) -> date:
    """Return the UTC day of an instant in microseconds."""
    return date(1970, 1, 1) + timedelta(days=used_at_us // DAY_US)


def attempt(name: str, used_at_us: int, **fields: Cell) -> Row:
    """Return one row of raw_attempts: an ordinary success, but for the fields given; `request` states one."""
    request = fields.pop("request", None)
    row: Row = dict.fromkeys(table_schema("raw_attempts").names)
    row |= {
        "usage_date": day_of(used_at_us),
        "source": SOURCE,
        "source_event_id": name,
        "file_sha256": "file-a",
        "record_position": name,
        "is_placeholder": False,
        "provider": "openai",
        "served_model": "gpt-5",
        "outcome": "success",
        "is_gateway_cache_hit": False,
        "used_at_us": used_at_us,
        "used_at_basis": "start",
        "time_basis": "stated",
        "usage_profile": "all_inside",
        "usage_basis": "stated",
    }
    unknown = fields.keys() - row.keys()
    assert not unknown, f"raw_attempts has no column {sorted(unknown)}"
    row |= fields
    return keyed(row | {"stated_request_key": request and key63("request", str(row["source"]), str(request))})


def keyed(row: Row) -> Row:
    """Return the attempt with the keys that its other fields give it, as a reader would."""
    row = row | {"has_output": int(str(row["reported_output"] or 0)) > 0}

    def texts(*names: str) -> list[str | None]:
        return [None if row[name] is None else str(row[name]) for name in names]

    priced_by = texts(
        "provider", "requested_model", "served_model", "deployment", "service_tier", "processing"
    )
    priced_by += texts("region", "speed", "outcome", "error_class")
    flags = ["1" if row[name] else "0" for name in ("has_output", "is_gateway_cache_hit")]
    source = str(row["source"])
    return row | {
        "attempt_key": row["attempt_key"] or key63("attempt", source, str(row["source_event_id"])),
        "owner_key": key63("owner", source, *texts(*OWNER_TAGS)),
        "rate_card_key": key63("rate_card", source, *priced_by, *flags),
    }


def inputs(attempts: Sequence[Row], book: Book) -> dict[str, pa.Table]:
    """Return every input table: the attempts, keyed anew, and for each of their days owners and prices.

    Args:
        attempts: Rows of raw_attempts.
        book: Prices by served model; what is not in it is unpriced. Hits of a gateway's cache and errors
            without output are free.
    """
    attempts = [keyed(row) for row in attempts]
    files = sorted({str(row["file_sha256"]) for row in attempts})
    prices = [row for one in _distinct(attempts, "rate_card_key") for row in _price_rows(one, book)]
    rows: dict[str, list[Row]] = {
        "raw_attempts": attempts,
        "raw_owners": [_owner(one) for one in _distinct(attempts, "owner_key")],
        "raw_token_prices": prices,
        "raw_price_items": _price_items(prices),
        "raw_usage_profiles": [
            dict(zip(table_schema("raw_usage_profiles").names, (name, *flags), strict=True))
            for name, flags in PROFILES.items()
        ],
        "raw_providers": [
            {"provider": name, "default_cache_write_meter": meter} for name, meter in PROVIDERS.items()
        ],
        "raw_rejects": [
            {"file_sha256": name, "record_position": "99", "source": SOURCE, "reason_code": "not_json"}
            for name in files
        ],
        "raw_file_accounts": [
            {"file_sha256": name, "file_name": f"{name}.jsonl", "source": SOURCE}
            | {"record_kind": "parsed", "reason_code": "", "record_count": len(attempts)}
            for name in files
        ],
        "raw_expectations": [
            {"boundary": "landing", "expectation_name": "raw_attempts_types", "table_name": "raw_attempts"}
            | {"rule": "columns have their types", "checked_row_count": len(attempts)}
            | {"offending_row_count": 0, "is_met": True}
        ],
    }
    return {name: table(name, cells) for name, cells in rows.items()}


def table(name: str, rows: Sequence[Row]) -> pa.Table:
    """Return the input table `name` of these rows; a column that a row leaves out is null."""
    schema = table_schema(name)
    arrays = [pa.array([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def days_of(tables: Mapping[str, pa.Table]) -> tuple[date, date]:
    """Return the first day of the attempts and the day after the last."""
    found = tables["raw_attempts"]["usage_date"].to_pylist()
    return min(found), max(found) + timedelta(days=1)


def _distinct(attempts: Iterable[Row], key: str) -> list[Row]:
    return list({(row["usage_date"], row[key]): row for row in attempts}.values())


def _owner(row: Row) -> Row:
    tags = {name: row[tag] or "(unassigned)" for name, tag in zip(_OWNERS, OWNER_TAGS[:5], strict=True)}
    return {"usage_date": row["usage_date"], "owner_key": row["owner_key"], "mapping_rule": "tag"} | tags


_OWNERS = ("feature", "team", "project", "environment", "customer")


def _price_rows(row: Row, book: Book) -> list[Row]:
    start = int(str(row["used_at_us"])) // DAY_US * DAY_US
    model = str(row["served_model"] or row["requested_model"] or "(unknown)")
    card: Row = {
        "usage_date": row["usage_date"],
        "rate_card_key": row["rate_card_key"],
        "provider": row["provider"],
        "model": model,
        "is_billable": True,
        "reason_code": "",
    }
    if row["is_gateway_cache_hit"] or (row["outcome"] == "error" and not row["has_output"]):
        why = "gateway_cache_hit" if row["is_gateway_cache_hit"] else "not_billable"
        card |= {"is_billable": False, "reason_code": why}
        return [card | _extent(start, start + DAY_US, 0, END)]
    if model not in book:
        return [card | {"reason_code": "unknown_model"} | _extent(start, start + DAY_US, 0, END)]
    return [card | part for part in _cut(book[model], start)]


def _cut(spans: Sequence[Span], start: int) -> list[Row]:
    rows: list[Row] = []
    moments = sorted({span.from_us for span in spans} | {END})
    for from_us, until_us in pairwise(moments):
        bands = sorted((span for span in spans if span.from_us == from_us), key=lambda span: span.from_tokens)
        ends = [*(band.from_tokens for band in bands[1:]), END]
        first, last = max(from_us, start), min(until_us, start + DAY_US)
        if first < last:
            rows += [
                _extent(first, last, band.from_tokens, end) | _prices(band)
                for band, end in zip(bands, ends, strict=True)
            ]
    return rows


def _extent(from_us: int, until_us: int, from_tokens: int, until_tokens: int) -> Row:
    return {
        "valid_from_us": from_us,
        "valid_until_us": until_us,
        "input_from_tokens": from_tokens,
        "input_until_tokens": until_tokens,
    }


def _prices(span: Span) -> Row:
    cells: Row = {}
    for meter in METERS:
        price = span.prices.get(meter)
        listed, contracted = price if isinstance(price, tuple) else (price, price)
        cells |= {f"{meter}_list_pico_usd": listed, f"{meter}_contracted_pico_usd": contracted}
    return cells | {"price_key": key63("price", repr(sorted(cells.items())))}


def _price_items(prices: Iterable[Row]) -> list[Row]:
    found = {
        (row["usage_date"], row["price_key"], meter): row
        for row in prices
        for meter in METERS
        if row.get(f"{meter}_list_pico_usd") is not None
    }
    return [
        {"usage_date": day, "price_key": key, "meter": meter, "price_entry": f"entry-{key}-{meter}"}
        | {"entry_file": "test.yml", "entry_line": 1, "checked_date": row["usage_date"]}
        for (day, key, meter), row in found.items()
    ]
