"""Reader of FOCUS 1.2 cost and usage files, CSV: cloud bills of AWS and others as invoice lines.

Rows have no id: a row is known by its content. Taxes and credits are lines of their own category. A unit
like "1K tokens" is multiplied out.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from hashlib import sha256
from typing import Any

import orjson

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.rows import INVOICE_FIELDS, row_of, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import decimal_text, iso_us

SOURCE = "focus.1_2"
VERSION = 1
TABLE = "raw_invoice_lines"
CONSTANTS: dict[str, Any] = {}
FIELDS = INVOICE_FIELDS
COLUMNS = ("BilledCost", "BillingCurrency", "ChargeCategory", "ChargePeriodStart", "ChargePeriodEnd")
OPTIONAL = (
    "ConsumedQuantity",
    "ConsumedUnit",
    "ProviderName",
    "RegionId",
    "ChargeDescription",
    "Tags",
    "x_UsageType",
    "SkuId",
    "SubAccountId",
)
PROVIDERS = {"AWS": "aws.bedrock", "Amazon Web Services": "aws.bedrock", "Microsoft": "azure.ai.openai"}
PROVIDERS |= {"Google Cloud": "gcp.vertex_ai", "Anthropic": "anthropic", "OpenAI": "openai"}
MULTIPLES = {"k": 1_000, "m": 1_000_000, "": 1}
UNIT = re.compile(r"(?:(?P<count>\d+)\s*(?P<multiple>[KMkm]?)\s+)?(?P<word>.+)")


def sniff(head: bytes) -> bool:
    """Whether the header has the columns that FOCUS requires."""
    return set(COLUMNS) <= set(header_of(head))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row."""
    del options
    return read_csv_rows(stream, COLUMNS, parse, OPTIONAL)


def parse(values: list[str]) -> Row:
    """Returns one row under canonical names."""
    cost, currency, category, start, end, quantity, unit, provider, region, words, tags, item, sku, _ = values
    amount, word = scaled(quantity, unit)
    return row_of(
        FIELDS,
        source_event_id=sha256("\x1f".join(values).encode()).hexdigest(),
        period_start_us=iso_us(start, "ChargePeriodStart"),
        period_end_us=iso_us(end, "ChargePeriodEnd"),
        provider=PROVIDERS.get(provider, provider or None),
        line_item=item or words or sku,
        charge_category=category,
        billed_amount=decimal_text(cost, "BilledCost"),
        invoice_currency=currency,
        billed_quantity=amount,
        billed_unit=word,
        region=region or None,
        feature_tag=_feature(tags),
    )


def scaled(quantity: str, unit: str) -> tuple[str | None, str | None]:
    """Returns a quantity and its unit with thousands and millions multiplied out; null where not stated."""
    if not quantity:
        return None, unit or None
    found = UNIT.fullmatch(unit)
    if found is None:
        return decimal_text(quantity, "ConsumedQuantity"), None
    factor = int(found["count"] or 1) * MULTIPLES[(found["multiple"] or "").lower()]
    plain = decimal_text(quantity, "ConsumedQuantity") or "0"
    return decimal_text(str(Decimal(plain) * factor), "ConsumedQuantity"), found["word"]


def _feature(tags: str) -> str | None:
    try:
        found = orjson.loads(tags) if tags else None
    except orjson.JSONDecodeError:
        raise RejectError("broken_json", "Tags: not JSON") from None
    return tags_in(found, "Tags").get("feature_tag")
