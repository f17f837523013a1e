"""`inferledger explain`: one number, all the way back, as text or JSON.

Lives here: the layout. Does not live here: finding the facts (explain.py).
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from models.snapshot import SnapshotReader
from pipelines.explain import Explained, explain
from pipelines.shown import as_json, plain
from pricing.periods import instant_text

_NAMES = ("source", "source_event_id", "response_id", "trace_id", "span_id", "session_id")


def tell(reader: SnapshotReader, target: str, *, as_json: bool) -> str:
    """What is known about `target` in a snapshot, as JSON or as text."""
    lay_out = explain_json if as_json else explain_text
    return lay_out(explain(reader, target), reader.snapshot.id)


def explain_json(explained: list[Explained], snapshot_id: str) -> str:
    """Every fact of every attempt, decimals as exact text."""
    attempts = [{**one.attempt, "file_name": one.file_name, "lines": one.lines} for one in explained]
    return as_json({"snapshot_id": snapshot_id, "attempts": attempts})


def explain_text(explained: list[Explained], snapshot_id: str) -> str:
    """One block an attempt: what it was, where it landed, and how each line came to its money."""
    blocks = ["\n".join(_block(one)) for one in explained]
    return "\n\n".join([*blocks, f"read from snapshot {snapshot_id}"])


def _block(one: Explained) -> Iterator[str]:
    attempt, first = one.attempt, one.lines[0]
    yield f"request {first['request_key']} of {first['request_date']} · attempt {attempt['attempt_key']}"
    stated = [f"{name} {plain(attempt[name])}" for name in _NAMES if attempt.get(name) is not None]
    yield f"  called     {' · '.join(stated)}"
    used = instant_text(attempt["used_at_us"])
    yield f"  used       {used} ({attempt['used_at_basis']}, {attempt['time_basis']})"
    yield (
        f"  landed     file {plain(one.file_name)} · record {attempt['record_position']} · "
        f"sha256 {attempt['file_sha256']}"
    )
    yield (
        f"  model      {plain(first['provider'])} {plain(first['model'])} · "
        f"requested {plain(attempt['requested_model'])} · served {plain(attempt['served_model'])}"
    )
    owner = [plain(first[name]) for name in ("feature", "team", "environment")]
    yield f"  owner      feature {owner[0]} · team {owner[1]} · environment {owner[2]}"
    yield f"  ended      {first['outcome']} · purpose {first['purpose']}"
    for line in one.lines:
        yield from _line(line, one)


def _line(line: Mapping[str, Any], one: Explained) -> Iterator[str]:
    price: Mapping[str, Any] | None = line["price"]
    yield f"  line       {one.attempt['attempt_key']}:{line['meter']}"
    yield f"    cost     {_formula(line, price)}"
    reason = f" ({line['reason_code']})" if line["reason_code"] else ""
    yield f"    certain  {line['certainty']}{reason}"
    for measure in ("contracted", "effective"):
        if line[f"{measure}_cost_usd"] != line["list_cost_usd"]:
            yield f"    {measure} {_usd(line[f'{measure}_cost_usd'])}"
    if price is not None:
        yield f"    price    {plain(price['entry_file'])}:{price['entry_line']} · {plain(price['entry_id'])}"
        written = f"{price['list_amount']} {price['list_unit']}"
        yield f"    amount   {plain(written)} · {plain(price['steps'])}"
        valid = f"{instant_text(price['valid_from_us'])} to {instant_text(price['valid_until_us'])}"
        checked = f"checked {price['checked_date']}"
        yield f"    source   {plain(price['source_url'])} · {checked} · valid {valid}"


def _formula(line: Mapping[str, Any], price: Mapping[str, Any] | None) -> str:
    cost = line["list_cost_usd"]
    if cost is None:
        return f"unknown: {line['quantity']:,} × no price"
    per_unit = price.get("list_usd_per_unit") if price else None
    if not line["is_billable"] or per_unit is None:
        return f"{_usd(cost)} for {line['quantity']:,}"
    product = line["quantity"] * per_unit
    sign = "=" if product == cost else "≠ (compiled price rounded)"
    return f"{line['quantity']:,} × {_usd(per_unit)} {sign} {_usd(cost)}"


def _usd(value: Decimal | None) -> str:
    return "unknown" if value is None else f"{value:.12f} USD"
