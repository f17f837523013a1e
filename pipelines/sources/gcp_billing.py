"""Reader of Google Cloud's detailed billing export: rows of the BigQuery table as JSON lines.

Amounts stay in the currency of the invoice, credits apart. Rows have no id: a row is known by its content.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from hashlib import sha256
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, Row, Skip
from pipelines.sources.json_lines import check_keys_once, read_json_lines
from pipelines.sources.rows import INVOICE_FIELDS, row_of, tags_in
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import child, decimal_text, iso_us

SOURCE = "gcp.billing_export"
VERSION = 1
TABLE = "raw_invoice_lines"
CONSTANTS: dict[str, Any] = {}
FIELDS = INVOICE_FIELDS
PROVIDERS = {"Vertex AI": "gcp.vertex_ai", "Gemini API": "gcp.gemini"}
CATEGORIES = {"regular": "Usage", "tax": "Tax", "adjustment": "Adjustment", "rounding_error": "Adjustment"}


def sniff(head: bytes) -> bool:
    """Whether the first line has the columns of the export."""
    return all(key in head for key in (b'"usage_start_time"', b'"sku"', b'"cost"'))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row."""
    del options
    return read_json_lines(stream, parse)


def parse(row: dict[str, Any], line: bytes) -> Row | Skip:
    """Returns one row under canonical names."""
    check_keys_once(line, ((b'"cost"', 1), (b'"currency"', 1)))
    usage, service = child(row, "usage", "$"), child(row, "service", "$").get("description")
    credits = [decimal_text(each.get("amount"), "$.credits.amount") for each in row.get("credits") or ()]
    labels = {each["key"]: each.get("value") for each in row.get("labels") or ()}
    total = sum((Decimal(text) for text in credits if text is not None), Decimal(0))
    return row_of(
        FIELDS,
        source_event_id=sha256(line.strip()).hexdigest(),
        period_start_us=iso_us(_utc(row.get("usage_start_time")), "$.usage_start_time"),
        period_end_us=iso_us(_utc(row.get("usage_end_time")), "$.usage_end_time"),
        provider=PROVIDERS.get(service or "", service),
        line_item=child(row, "sku", "$").get("description"),
        charge_category=CATEGORIES.get(row.get("cost_type") or "regular", "Adjustment"),
        billed_amount=decimal_text(row.get("cost"), "$.cost"),
        billed_credits=decimal_text(str(total), "$.credits") if credits else None,
        invoice_currency=row.get("currency"),
        billed_quantity=decimal_text(usage.get("amount"), "$.usage.amount"),
        billed_unit=re.sub(r"^\d+ ", "", usage.get("pricing_unit") or "") or usage.get("unit"),
        region=child(row, "location", "$").get("region"),
        feature_tag=tags_in(labels, "$.labels").get("feature_tag"),
        project_tag=child(row, "project", "$").get("id"),
    )


def _utc(text: Any) -> Any:
    """The export writes the zone as a word."""
    return text.replace(" UTC", "+00:00") if type(text) is str else text
