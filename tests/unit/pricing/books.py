"""Small books for tests: YAML text in, book, rate cards and prices out. No test lives here."""

from datetime import UTC, date, datetime

import pyarrow as pa

from pricing.compile import CompiledPrices, compile_token_prices
from pricing.model_identity import ModelName
from pricing.periods import to_us
from pricing.price_book import PriceBook, make_book, shipped_rules
from pricing.yaml_source import parse_yaml

HEAD = """
provider: {provider}
sources:
  page: {{url: "https://example.com/prices", checked: 2026-11-30}}
defaults: {{known_from: valid_from, source: page}}
"""
DAY = date(2026, 10, 20)


def book_of(*bodies: str, provider: str = "openai") -> PriceBook:
    """Return the book of these file bodies (`models:` and `adjustments:`), each a file of one provider."""
    heads = [HEAD.format(provider=provider) + body for body in bodies]
    sources = [parse_yaml(text, f"prices{number}.yml") for number, text in enumerate(heads, start=1)]
    return make_book(sources, shipped_rules())


def model(name: str, *prices: str, aliases: str = "[]", released: str = "") -> str:
    """Return the YAML of one model with its price entries as flow mappings."""
    lines = [f"  - id: {name}", f"    aliases: {aliases}"]
    lines += [f"    released: {released}"] if released else []
    return "\n".join([*lines, "    prices:", *(f"      - {price}" for price in prices)])


def models(*rows: str, adjustments: str = "") -> str:
    """Return the body of a file: models, then adjustments as a YAML list."""
    tail = f"\nadjustments:\n{adjustments}" if adjustments else ""
    return "models:\n" + "\n".join(rows) + tail


def card(key: int = 1, day: date = DAY, **stated: object) -> dict[str, object]:
    """Return one row of stg_rate_cards; what is not named is not stated."""
    plain: dict[str, object] = {
        "usage_date": day,
        "rate_card_key": key,
        "source": "litellm.spendlogs",
        "provider": "openai",
        "requested_model": None,
        "served_model": None,
        "deployment": None,
        "service_tier": None,
        "processing": None,
        "region": None,
        "speed": None,
        "outcome": "success",
        "error_class": None,
        "has_output": True,
        "is_gateway_cache_hit": False,
    }
    unknown = set(stated) - set(plain)
    assert not unknown, unknown
    return {**plain, **stated}


CARD_SCHEMA = pa.schema(
    [
        ("usage_date", pa.date32()),
        ("rate_card_key", pa.int64()),
        *(
            (name, pa.string())
            for name in ("source", "provider", "requested_model", "served_model", "deployment")
        ),
        *((name, pa.string()) for name in ("service_tier", "processing", "region", "speed", "outcome")),
        ("error_class", pa.string()),
        ("has_output", pa.bool_()),
        ("is_gateway_cache_hit", pa.bool_()),
    ]
)


def compiled(
    book: PriceBook, *cards: dict[str, object], names: tuple[ModelName, ...] = (), known: str | None = None
) -> CompiledPrices:
    """Return the two tables for these cards, as known at an instant written in RFC 3339."""
    table = pa.Table.from_pylist(list(cards), schema=CARD_SCHEMA)
    return compile_token_prices(book, table, names, None if known is None else at_us(known))


def price_rows(book: PriceBook, *cards: dict[str, object], **options: object) -> list[dict[str, object]]:
    """Return the price rows of these cards without their empty columns."""
    rows = compiled(book, *cards, **options).token_prices.to_pylist()  # type: ignore[arg-type]
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def price_at(
    book: PriceBook, when: str, meter: str, tokens: int = 1, known: str | None = None, **stated: object
) -> int | None:
    """Return the list price of a meter (pico-USD per unit) at an instant, for so many input tokens."""
    instant = at_us(when)
    day = datetime.fromisoformat(when).astimezone(UTC).date()
    rows = price_rows(book, card(day=day, **stated), known=known)
    found = [
        row
        for row in rows
        if row["valid_from_us"] <= instant < row["valid_until_us"]
        and row["input_from_tokens"] <= tokens < row["input_until_tokens"]
    ]
    assert len(found) == 1, found
    return found[0].get(f"{meter}_list_pico_usd")


def reason_of(book: PriceBook, **stated: object) -> tuple[str, bool]:
    """Return reason code and billability of a card that has one row."""
    (row,) = price_rows(book, card(**stated))
    return str(row["reason_code"]), bool(row["is_billable"])


def at_us(when: str) -> int:
    """Return RFC 3339 text as microseconds UTC."""
    return to_us(datetime.fromisoformat(when))
