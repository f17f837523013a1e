"""From one number back to where it comes from: landed record, owner, price entry, formula.

Lives here: finding the attempts that a person means, and gathering their facts from the snapshot.
Does not live here: laying them out (cli_explain.py) and any new calculation: prices and money are read, and
the product is only checked.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from models.keys import key63
from models.registry import METERS
from models.snapshot import SnapshotReader
from pipelines.errors import UserError

_LINE = re.compile(r"(\d{1,19}):([a-z0-9_]+)")
_LARGEST_KEY = 2**63 - 1
_PICO = Decimal(1).scaleb(-12)
# More than a person reads; a session id or a common text is not meant.
MOST_ATTEMPTS = 50


@dataclass(frozen=True)
class Explained:
    """One attempt with its cost lines; each line carries its price entry where it has one."""

    attempt: dict[str, Any]
    file_name: str | None
    lines: list[dict[str, Any]]


def explain(reader: SnapshotReader, target: str) -> list[Explained]:
    """The attempts meant by a request key, an attempt key, a line `attempt:meter`, or a source's own id."""
    line = _LINE.fullmatch(target)
    if line and int(line[1]) <= _LARGEST_KEY and line[2] in METERS:
        found = _attempts(reader, "attempt.attempt_key = $key", {"key": int(line[1])})
        meter = line[2]
    else:
        found, meter = _find(reader, target), None
    explained = [_explain_attempt(reader, attempt, meter) for attempt in found]
    explained = [one for one in explained if one.lines]
    if not explained:
        raise UserError(
            f"nothing is called '{target}' · snapshot {reader.snapshot.id} · allowed: a request key, an "
            f"attempt key, a line as ATTEMPT_KEY:METER, an id of the source · next: take one from "
            f"fct_cost_lines or from your log; a call that landed after the snapshot needs: inferledger run"
        )
    return explained


def _find(reader: SnapshotReader, target: str) -> list[dict[str, Any]]:
    if target.isdecimal() and int(target) <= _LARGEST_KEY:
        params = {"key": int(target)}
        keys = "select attempt_key from fct_cost_lines where request_key = $key or attempt_key = $key"
        found = _attempts(reader, f"attempt.attempt_key in ({keys})", params)
        if found:
            return found
    found = _attempts(
        reader,
        "attempt.source_event_id = $target or attempt.response_id = $target or attempt.trace_id = $target",
        {"target": target},
    )
    return found or _by_stated_request(reader, target)


def _by_stated_request(reader: SnapshotReader, target: str) -> list[dict[str, Any]]:
    sources = reader.fetch("select distinct source from stg_attempts order by source").to_pylist()
    keys = {key63("request", row["source"], target) for row in sources}
    listed = ", ".join(str(key) for key in sorted(keys)) or "-1"
    return _attempts(reader, f"attempt.stated_request_key in ({listed})", {})


def _attempts(reader: SnapshotReader, condition: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    return reader.fetch(
        f"""
        select attempt.*
        from stg_attempts as attempt
        where {condition}
        order by attempt.used_at_us, attempt.attempt_key
        limit {MOST_ATTEMPTS}
        """,
        params,
    ).to_pylist()


def _explain_attempt(reader: SnapshotReader, attempt: dict[str, Any], meter: str | None) -> Explained:
    params = {"day": attempt["usage_date"], "key": attempt["attempt_key"], "meter": meter}
    lines = reader.fetch(
        """
        select *
        from fct_cost_lines
        where usage_date = $day and attempt_key = $key and ($meter is null or meter = $meter)
        """,
        params,
    ).to_pylist()
    order = {name: position for position, name in enumerate(METERS)}
    lines.sort(key=lambda line: order[line["meter"]])
    prices = _prices(reader, attempt, (line["price_key"] for line in lines))
    for line in lines:
        line["price"] = prices.get((line["price_key"], line["meter"]))
    names = reader.fetch(
        "select min(file_name) as file_name from fct_file_accounts where file_sha256 = $file",
        {"file": attempt["file_sha256"]},
    ).to_pylist()
    return Explained(attempt, names[0]["file_name"], lines)


def _prices(
    reader: SnapshotReader, attempt: Mapping[str, Any], price_keys: Iterable[int | None]
) -> dict[tuple[int | None, str], dict[str, Any]]:
    """Per price key and meter: the entry, and the compiled price in USD per unit of each measure."""
    found: dict[tuple[int | None, str], dict[str, Any]] = {}
    for price_key in {key for key in price_keys if key is not None}:
        params = {"day": attempt["usage_date"], "price": price_key, "card": attempt["rate_card_key"]}
        items = reader.fetch("select * from dim_price_items where price_key = $price", params).to_pylist()
        # One key stands for one set of prices, so whichever row carries it has the prices of this attempt.
        rows = reader.fetch(
            "select * from stg_token_prices"
            " where usage_date = $day and price_key = $price and rate_card_key = $card"
            " order by valid_from_us, input_from_tokens limit 1",
            params,
        ).to_pylist()
        for item in items:
            per_unit = {
                f"{measure}_usd_per_unit": _usd(rows[0][f"{item['meter']}_{measure}_pico_usd"])
                for measure in ("list", "contracted")
                if rows
            }
            found[price_key, item["meter"]] = item | per_unit
    return found


def _usd(pico_usd: int | None) -> Decimal | None:
    return None if pico_usd is None else Decimal(pico_usd) * _PICO
