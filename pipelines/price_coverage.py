"""`inferledger prices coverage`: which tokens of the published ledger have no price, and what to do about it.

Lives here: the unpriced models of a snapshot with the nearest names of the book. Does not live here: the sums
(models/trust.py) and how a price is chosen (pricing).
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from models.report_scope import Period, Scope
from models.snapshot import SnapshotReader
from models.trust import trust, unpriced_by_reason
from pipelines.settings import Settings
from pipelines.shown import count, percent, plain
from pricing.inspection import closest_models
from pricing.price_book import PriceBook

_ADVICE: Mapping[str, str] = {
    "unknown_model": "add the model, or map the name with `models:` in mapping.yml",
    "usage_missing": "the source states no usage: nothing a price could change",
    "meter_not_priced": "add the amount of the meter to the model's entry",
    "price_gap": "add an entry that is valid on those days",
    "no_price_yet": "the book begins later: add an earlier entry, with its source",
    "unknown_tier": "add an entry of that tier",
    "unknown_region": "add an entry of that region",
    "ambiguous_model": "let one rule of `models:` name it",
}


def coverage(reader: SnapshotReader, book: PriceBook, settings: Settings) -> dict[str, Any]:
    """The priced share of billable tokens (0 to 1), and a row per unpriced provider, model and reason."""
    scope = Scope(Period(date(1970, 1, 1), date(3000, 1, 1)))
    told = trust(reader, scope).to_pylist()[0]
    rows = [_row(row, book, settings) for row in unpriced_by_reason(reader, scope).to_pylist()]
    return {
        "snapshot_id": told["snapshot_id"],
        "billable_tokens": told["billable_tokens"],
        "priced_tokens": told["priced_tokens"],
        "priced_token_share": told["priced_token_share"],
        "unpriced": rows,
    }


def _row(row: Mapping[str, Any], book: PriceBook, settings: Settings) -> dict[str, Any]:
    provider, reason = row["provider"], row["reason_code"]
    is_unknown = reason == "unknown_model"
    own = settings.home / "prices" / f"{provider if provider in book.providers else 'own'}.yml"
    is_mapped = reason == "ambiguous_model"
    file = settings.mapping_file if is_mapped else None if reason == "usage_missing" else own
    return {
        "provider": provider,
        "model": row["model"],
        "reason_code": reason,
        "lines": row["unpriced_line_count"],
        "tokens": row["unpriced_tokens"],
        "nearest": closest_models(book, row["model"]) if is_unknown else [],
        "file": None if file is None else str(file),
        "advice": _ADVICE.get(reason, "see docs/how-a-price-is-chosen.md"),
    }


def coverage_text(told: Mapping[str, Any]) -> str:
    """The same for people."""
    return "\n".join(_lines(told))


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{percent(told['priced_token_share'])} of {count(told['billable_tokens'])} billable tokens "
        f"are priced (snapshot {told['snapshot_id']})"
    )
    for row in told["unpriced"]:
        yield (
            f"unpriced: {plain(row['provider'])} {plain(row['model'])} · {row['reason_code']} · "
            f"{count(row['tokens'])} tokens in {count(row['lines'])} lines"
        )
        if row["nearest"]:
            yield f"  nearest names: {', '.join(row['nearest'])}"
        yield f"  {row['advice']}" + (f" · {row['file']}" if row["file"] else "")
    if not told["unpriced"]:
        yield "nothing is unpriced"
