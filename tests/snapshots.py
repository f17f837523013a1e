"""Small published folders for tests, written by hand in the layout that a publication has.

Lives here: rows with sensible defaults, the tables they become, the files and the manifest.
Does not live here: the publisher; a test of its own compares the two.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

USD = pa.decimal128(38, 12)
DAY = date(2026, 10, 20)


@dataclass(frozen=True)
class Line:
    """One row of `agg_daily_costs`; `cost` stands for all three measures unless they are given."""

    usage_date: date = DAY
    feature: str = "chat"
    team: str = "core"
    environment: str = "prod"
    provider: str | None = "openai"
    model: str = "gpt-5"
    meter: str = "input_uncached"
    charge_basis: str = "metered"
    purpose: str = "answer"
    outcome: str = "success"
    certainty: str = "stated"
    reason_code: str = ""
    is_billable: bool = True
    line_count: int = 1
    unpriced_line_count: int = 0
    quantity: int = 1000
    cost: str | None = "1.25"
    list_cost: str | None = None
    contracted_cost: str | None = None

    def row(self) -> dict[str, Any]:
        told = asdict(self)
        effective = told.pop("cost")
        listed, contracted = told.pop("list_cost"), told.pop("contracted_cost")
        return told | {
            "list_cost_usd": usd(listed or effective),
            "contracted_cost_usd": usd(contracted or effective),
            "effective_cost_usd": usd(effective),
        }


@dataclass(frozen=True)
class Requests:
    """One row of `agg_daily_requests`."""

    request_date: date = DAY
    feature: str = "chat"
    team: str = "core"
    environment: str = "prod"
    provider: str | None = "openai"
    model: str = "gpt-5"
    request_count: int = 10
    answered_count: int = 8
    attempt_count: int = 12
    retry_attempt_count: int = 2
    unpriced_attempt_count: int = 0
    cost: str | None = "1.25"

    def row(self) -> dict[str, Any]:
        told = asdict(self)
        cost = usd(told.pop("cost"))
        return told | {"list_cost_usd": cost, "contracted_cost_usd": cost, "effective_cost_usd": cost}


@dataclass(frozen=True)
class Account:
    """One row of `fct_file_accounts`."""

    file_sha256: str = "a" * 64
    file_name: str = "spend.jsonl"
    source: str = "litellm.spendlogs"
    record_kind: str = "parsed"
    reason_code: str = ""
    record_count: int = 10

    def row(self) -> dict[str, Any]:
        return asdict(self)


def unpriced(**told: Any) -> Line:
    """A line that found no price."""
    known = {"cost": None, "certainty": "unknown", "reason_code": "unknown_model", "unpriced_line_count": 1}
    return Line(**(known | told))


def usd(text: str | None) -> Decimal | None:
    """Exact money from text."""
    return None if text is None else Decimal(text)


def schema_of(kind: type, renamed: Mapping[str, pa.DataType] | None = None) -> pa.Schema:
    types = {"date": pa.date32(), "int": pa.int64(), "bool": pa.bool_()}
    columns: list[tuple[str, pa.DataType]] = []
    for field in fields(kind):
        if not field.name.endswith("cost"):
            name = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "str")
            columns.append((field.name, (renamed or {}).get(field.name, types.get(name, pa.string()))))
    if kind is not Account:
        columns += [(f"{measure}_cost_usd", USD) for measure in ("list", "contracted", "effective")]
    return pa.schema(columns)


SCHEMAS: Mapping[str, tuple[str | None, pa.Schema]] = {
    "agg_daily_costs": ("usage_date", schema_of(Line, {"quantity": pa.decimal128(38, 0)})),
    "agg_daily_requests": ("request_date", schema_of(Requests)),
    "fct_file_accounts": (None, schema_of(Account)),
}


def write_snapshot(
    published: Path,
    lines: Iterable[Line] = (),
    requests: Iterable[Requests] = (),
    accounts: Iterable[Account] = (),
    *,
    snapshot_id: str = "000001-20261022T020000Z-0a1b2c3d",
    point: bool = True,
    **manifest: Any,
) -> Path:
    """Write one version, point at it, and return its folder; `manifest` replaces keys of the manifest."""
    folder = published / "versions" / snapshot_id
    rows = {
        "agg_daily_costs": [line.row() for line in lines],
        "agg_daily_requests": [request.row() for request in requests],
        "fct_file_accounts": [account.row() for account in accounts],
    }
    told = {
        "snapshot_id": snapshot_id,
        "published_at": "2026-10-22T02:00:00.000000Z",
        "ledger_hash": "c" * 64,
        "day_digests": {},
        "price_version": "d" * 64,
        "mapping_version": "e" * 64,
        "code_version": "f" * 64,
        "landed": {"file_count": 1, "digest": "0" * 64},
        "last_used_at_us": 1_792_626_900_000_000,
        "last_landed_at": "2026-10-22T01:59:00.000000Z",
        "counts": {},
        "tables": {
            name: {
                "window_column": column,
                "files": _write_table(folder, name, column, rows[name], schema),
            }
            for name, (column, schema) in SCHEMAS.items()
        },
    }
    (folder / "manifest.json").write_text(json.dumps(told | manifest), encoding="utf-8")
    if point:
        (published / "CURRENT").write_text(snapshot_id, encoding="ascii")
    return folder


def _write_table(
    folder: Path, name: str, day_column: str | None, rows: Sequence[Mapping[str, Any]], schema: pa.Schema
) -> list[dict[str, Any]]:
    place = folder / "tables" / name
    place.mkdir(parents=True)
    pq.write_table(schema.empty_table(), place / "schema.parquet")
    files: list[dict[str, Any]] = []
    days = sorted({row[day_column] for row in rows}) if day_column else [None]
    for day in days:
        part = [row for row in rows if day_column is None or row[day_column] == day]
        path = place / f"{day or 'all'}.parquet"
        pq.write_table(pa.Table.from_pylist(list(part), schema), path)
        files.append(
            {
                "path": path.relative_to(folder).as_posix(),
                "date": day.isoformat() if day else None,
                "rows": len(part),
                "bytes": path.stat().st_size,
            }
        )
    return files
