"""Reader of cost pages of the admin APIs of OpenAI and Anthropic: invoice lines by day.

Anthropic states amounts in cents, OpenAI in the unit of the currency. Costs of Anthropic's priority tier
are not in its report.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row
from pipelines.sources.json_pages import pages_results, read_pages
from pipelines.sources.rows import INVOICE_FIELDS, identity_of, row_of
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import decimal_text, epoch_us, iso_us, shown

SOURCE = "provider.costs"
VERSION = 1
TABLE = "raw_invoice_lines"
CONSTANTS: dict[str, Any] = {}
FIELDS = INVOICE_FIELDS
ANTHROPIC_GROUPS = ("description", "cost_type", "token_type", "model", "workspace_id", "service_tier")
ANTHROPIC_GROUPS += ("context_window", "inference_geo")


def sniff(head: bytes) -> bool:
    """Whether the head is that of a page of costs."""
    return b'"organization.costs.result"' in head or (b'"cost_type"' in head and b'"starting_at"' in head)


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per result of a bucket."""
    del options
    return read_pages(stream, pages_results, parse)


def parse(found: tuple[Mapping[str, Any], Mapping[str, Any]]) -> Row:
    """Returns one result under canonical names."""
    bucket, result = found
    return _anthropic(bucket, result) if "cost_type" in result else _openai(bucket, result)


def _openai(bucket: Mapping[str, Any], result: Mapping[str, Any]) -> Row:
    start, end = epoch_us(bucket["start_time"], "$.start_time"), epoch_us(bucket["end_time"], "$.end_time")
    item, amount = result.get("line_item") or "all", result["amount"]
    return row_of(
        FIELDS,
        source_event_id=identity_of(
            "openai", start, item, result.get("project_id"), result.get("api_key_id")
        ),
        period_start_us=start,
        period_end_us=end,
        provider="openai",
        line_item=item,
        charge_category="Usage",
        billed_amount=decimal_text(amount["value"], "$.amount.value"),
        invoice_currency=amount["currency"].upper(),
        billed_quantity=decimal_text(result.get("quantity"), "$.quantity"),
        billed_unit=result.get("quantity_unit"),
        project_tag=result.get("project_id"),
    )


def _anthropic(bucket: Mapping[str, Any], result: Mapping[str, Any]) -> Row:
    start, end = iso_us(bucket["starting_at"], "$.starting_at"), iso_us(bucket["ending_at"], "$.ending_at")
    cents = decimal_text(result.get("amount"), "$.amount")
    if cents is None:
        raise RejectError("missing_field", f"$.amount: {shown(result.get('amount'))}")
    return row_of(
        FIELDS,
        source_event_id=identity_of("anthropic", start, *(result.get(name) for name in ANTHROPIC_GROUPS)),
        period_start_us=start,
        period_end_us=end,
        provider="anthropic",
        line_item=result.get("token_type") or result.get("cost_type"),
        charge_category="Usage",
        billed_amount=decimal_text(str(Decimal(cents) / 100), "$.amount"),
        invoice_currency=result.get("currency"),
        served_model=result.get("model"),
        region=result.get("inference_geo"),
        project_tag=result.get("workspace_id"),
    )
