"""The bills of the fortnight: OpenAI's costs API, and a FOCUS 1.2 file of the other two providers.

What lives here: the providers' side of the usage, which is not quite that of the logs: calls that nobody
logged, a discount, tax and a credit.
What does not: our prices and billing rules; a bill is an outside witness with its own.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from calls import EPOCH, Call, at
from fortnight_pools import days
from litellm_native import GATEWAY_PRICES

METERS = ("input", "cached input", "cache write 5m", "cache write 1h", "output")
# Mistral's list as its bill applies it; the others hold still.
MISTRAL = {"2026-10-20": ("1.36", "0.14", "0", "0", "4.18"), "2026-10-29": ("0.70", "0.07", "0", "0", "2.10")}
# Somebody tried gpt-5-mini in a console: tokens of a day that no log has.
UNLOGGED = {("gpt-5-mini", "input"): 41_000, ("gpt-5-mini", "output"): 9_500}
DISCOUNT = {"anthropic": Decimal("0.90"), "mistral_ai": Decimal(1)}
NAMES = {"anthropic": "Anthropic", "mistral_ai": "Mistral AI"}
TAX_USD, CREDIT_USD = "18.40", "-5.00"
HEAD = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingAccountType",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "CommitmentDiscountStatus",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "ContractedUnitPrice",
    "EffectiveCost",
    "InvoiceId",
    "InvoiceIssuerName",
    "ListCost",
    "ListUnitPrice",
    "PricingCategory",
    "PricingCurrency",
    "PricingCurrencyContractedUnitPrice",
    "PricingCurrencyEffectiveCost",
    "PricingCurrencyListUnitPrice",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ResourceType",
    "ServiceCategory",
    "ServiceName",
    "ServiceSubcategory",
    "SkuId",
    "SkuMeter",
    "SkuPriceDetails",
    "SkuPriceId",
    "SubAccountId",
    "SubAccountName",
    "SubAccountType",
    "Tags",
]
# (day, provider, model, meter) -> tokens
Usage = dict[tuple[str, str, str, str], int]


def billed_usage(calls: Iterable[Call]) -> Usage:
    """Tokens the providers count: of every call they served that wrote something or ended well."""
    found: Usage = defaultdict(int)
    for call in calls:
        usage = call.usage
        if usage is None or call.model not in GATEWAY_PRICES or call.is_gateway_cache_hit:
            continue
        is_broken = call.status == "failure" or call.error or call.finish_reason == "refusal"
        if is_broken and not usage.output:
            continue
        day = (EPOCH + timedelta(microseconds=call.at_us)).date().isoformat()
        written_1h = usage.written_1h or 0
        plain = usage.prompt - usage.cached - usage.written
        counts = (
            # Some logs leave the cached part out of the input; the provider knows better.
            plain if plain >= 0 else usage.prompt,
            usage.cached,
            usage.written - written_1h,
            written_1h,
            usage.output,
        )
        for meter, tokens in zip(METERS, counts, strict=True):
            found[day, call.provider, call.model, meter] += tokens
    return found


def price(model: str, meter: str, day: str) -> Decimal:
    """USD per million tokens on a day's bill."""
    prices = GATEWAY_PRICES[model]
    if model == "mistral-large-4":
        prices = next((found for first, found in reversed(MISTRAL.items()) if day >= first), prices)
    return Decimal(prices[METERS.index(meter)])


def openai_costs(usage: Usage) -> dict[str, Any]:
    """One page of the costs API: a bucket per day, a result per line item."""
    return {
        "object": "page",
        "has_more": False,
        "next_page": None,
        "data": [openai_bucket(usage, day) for day in days()],
    }


def openai_bucket(usage: Usage, day: str) -> dict[str, Any]:
    """The results of one day."""
    start = at(day, "00:00:00") // 1_000_000
    results: list[dict[str, Any]] = []
    for (found_day, provider, model, meter), tokens in sorted(usage.items()):
        if provider != "openai" or found_day != day or not tokens:
            continue
        billed = tokens + UNLOGGED.get((model, meter), 0)
        results.append(
            {
                "object": "organization.costs.result",
                "amount": {"value": float(billed * price(model, meter, day) / 1_000_000), "currency": "usd"},
                "line_item": f"{model}, {meter}",
                "project_id": "proj_sample",
                "api_key_id": None,
                "user_id": None,
                "quantity": billed,
                "quantity_unit": "tokens",
            }
        )
    return {"object": "bucket", "start_time": start, "end_time": start + 86_400, "results": results}


def focus_file(usage: Usage) -> str:
    """The FOCUS file of Anthropic and Mistral: daily usage rows, then tax and a credit."""
    out = io.StringIO()
    writer = csv.DictWriter(out, HEAD, restval="", lineterminator="\n")
    writer.writeheader()
    for (day, provider, model, meter), tokens in sorted(usage.items()):
        if provider in NAMES and tokens:
            writer.writerow(focus_usage(day, provider, model, meter, tokens))
    for category, amount in (("Tax", TAX_USD), ("Credit", CREDIT_USD)):
        writer.writerow(focus_other(category, amount))
    return out.getvalue()


def pointed(amount: Decimal) -> str:
    """A decimal with a point even when it is whole, as FOCUS validators want it."""
    text = format(amount, "f")
    text = text.rstrip("0") if "." in text else f"{text}."
    return f"{text}0" if text.endswith(".") else text


def frame(provider: str, start: str, end: str) -> dict[str, str]:
    """The columns that every row of a provider has."""
    name = NAMES[provider]
    return {
        "BillingAccountId": "org-sample",
        "BillingAccountName": "Sample",
        "BillingAccountType": "Organization",
        "BillingCurrency": "USD",
        "BillingPeriodStart": "2026-10-01T00:00:00Z",
        "BillingPeriodEnd": "2026-11-01T00:00:00Z",
        "ChargePeriodStart": start,
        "ChargePeriodEnd": end,
        "InvoiceId": f"INV-2026-10-{provider}",
        "InvoiceIssuerName": name,
        "PricingCurrency": "USD",
        "ProviderName": name,
        "PublisherName": name,
        "RegionId": "global",
        "RegionName": "Global",
        "ServiceCategory": "AI and Machine Learning",
        "ServiceName": f"{name} API",
        "ServiceSubcategory": "Generative AI",
        "SubAccountId": "workspace-1",
        "SubAccountName": "product",
        "SubAccountType": "Workspace",
        "Tags": "{}",
    }


def focus_usage(day: str, provider: str, model: str, meter: str, tokens: int) -> dict[str, str]:
    """One usage row: a day, a model, a meter."""
    following = (EPOCH + timedelta(microseconds=at(day, "00:00:00") + 86_400_000_000)).date().isoformat()
    unit, quantity = price(model, meter, day), Decimal(tokens) / 1_000_000
    contracted_unit = unit * DISCOUNT[provider]
    listed, contracted = pointed(unit * quantity), pointed(contracted_unit * quantity)
    return frame(provider, f"{day}T00:00:00Z", f"{following}T00:00:00Z") | {
        "BilledCost": contracted,
        "ChargeCategory": "Usage",
        "ChargeDescription": f"{model} {meter} tokens",
        "ChargeFrequency": "Usage-Based",
        "ConsumedQuantity": pointed(Decimal(tokens)),
        "ConsumedUnit": "Tokens",
        "ContractedCost": contracted,
        "ContractedUnitPrice": pointed(contracted_unit),
        "EffectiveCost": contracted,
        "ListCost": listed,
        "ListUnitPrice": pointed(unit),
        "PricingCategory": "Standard",
        "PricingCurrencyContractedUnitPrice": pointed(contracted_unit),
        "PricingCurrencyEffectiveCost": contracted,
        "PricingCurrencyListUnitPrice": pointed(unit),
        "PricingQuantity": pointed(quantity),
        "PricingUnit": "1000000 Tokens",
        "SkuId": f"{model}/{meter}",
        "SkuMeter": f"{meter} tokens",
        "SkuPriceId": f"{model}/{meter}/standard",
    }


def focus_other(category: str, amount: str) -> dict[str, str]:
    """A row of money that no token stands behind."""
    found = pointed(Decimal(amount))
    return frame("anthropic", "2026-10-16T00:00:00Z", "2026-10-30T00:00:00Z") | {
        "BilledCost": found,
        "ChargeCategory": category,
        "ChargeDescription": f"{category} line",
        "ChargeFrequency": "One-Time",
        "ContractedCost": found,
        "EffectiveCost": found,
        "ListCost": found,
        "PricingCurrencyEffectiveCost": found,
    }
