"""The whole chain once more, row by row and slowly: what the SQL must agree with.

What lives here: landed records to every table of the cost model, in plain Python on lists of dicts, with
whole numbers and Decimal, written for reading. What does not: SQL, engines, or any import of ours: it shares
no line with what it judges. It knows no windows: every rule is stated relative to the record it judges.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from decimal import Context, Decimal
from itertools import product
from typing import Any

Row = dict[str, Any]
Tables = dict[str, list[Row]]

MINUTE_US = 60_000_000
HOUR_US = 60 * MINUTE_US
CACHE_WRITES = ("cache_write_5m", "cache_write_30m", "cache_write_1h", "cache_write_12h")
INPUT_METERS = ("input_uncached", "cache_read", *CACHE_WRITES, "input_audio", "input_image")
OUTPUT_METERS = ("output_text", "output_reasoning", "output_audio", "output_image")
METERS = (*INPUT_METERS, *OUTPUT_METERS, "tool_call", "request")
NOT_STAGED = ("record_sequence", "is_placeholder", "reported_cost_usd", "tags")
PRICING_INPUTS = (
    *("source", "provider", "requested_model", "served_model", "deployment", "service_tier", "processing"),
    *("region", "speed", "outcome", "error_class", "has_output", "is_gateway_cache_hit"),
)
OWNER_INPUTS = (
    *("source", "feature_tag", "team_tag", "project_tag", "environment_tag"),
    *("customer_hash", "api_key_hash", "route"),
)
MEASURES = ("list", "contracted", "effective")
# Enough digits for any sum here: the default context would round at 28.
EXACT = Context(prec=60)


def ledger(raw: Tables) -> Tables:
    """Return every table of the cost model by name, from the input tables by name."""
    attempts, duplicates = versions(raw["raw_attempts"])
    meters = [meters_of(attempt, raw) for attempt in attempts]
    requests = requests_of(attempts)
    prices = [_in_force(price) for price in raw["raw_token_prices"]]
    costs = [priced(row, prices) for row in meters]
    lines = [
        line
        for cost, request in zip(costs, requests, strict=True)
        for line in lines_of(cost, request, raw["raw_owners"])
    ]
    request_rows = request_totals(requests, lines)
    return {
        "stg_attempts": attempts,
        "stg_duplicates": duplicates,
        "stg_rate_cards": _rate_cards(attempts),
        "stg_owner_keys": _counted(attempts, ("usage_date", "owner_key", *OWNER_INPUTS)),
        "stg_token_prices": prices,
        **{f"stg_{name}": raw[f"raw_{name}"] for name in ("owners", "price_items")},
        **{f"stg_{name}": raw[f"raw_{name}"] for name in ("usage_profiles", "providers")},
        **{f"stg_{name}": raw[f"raw_{name}"] for name in ("rejects", "file_accounts", "expectations")},
        "int_requests": requests,
        "int_readings": readings_of(attempts, raw["raw_usage_profiles"]),
        "int_meters": meters,
        "int_metered_costs": costs,
        "int_cost_lines": lines,
        "fct_cost_lines": [_published(line) for line in lines],
        "fct_requests": request_rows,
        "agg_daily_costs": daily_costs(lines),
        "agg_daily_requests": daily_requests(request_rows),
        "fct_file_days": _file_days(attempts, duplicates),
        "fct_rejects": raw["raw_rejects"],
        "fct_file_accounts": raw["raw_file_accounts"],
        "fct_expectations": raw["raw_expectations"],
        "dim_price_items": _price_items(raw["raw_price_items"]),
    }


def versions(records: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Split landed records into attempts and the duplicates of named records (ledger.md 2.4)."""
    attempts: list[Row] = []
    duplicates: list[Row] = []
    for record in records:
        rivals = [
            other
            for other in records
            if other["attempt_key"] == record["attempt_key"]
            and abs(other["usage_date"] - record["usage_date"]) <= timedelta(days=1)
        ]
        best = min(rivals, key=_version_order)
        if best is record:
            attempts.append({name: cell for name, cell in record.items() if name not in NOT_STAGED})
        else:
            places = ("usage_date", "file_sha256", "record_position", "attempt_key")
            duplicates.append(
                {name: record[name] for name in places}
                | {f"duplicate_of_{name}": best[name] for name in ("file_sha256", "record_position")}
            )
    return attempts, duplicates


def _version_order(record: Row) -> tuple[Any, ...]:
    def larger_first(value: int | None) -> tuple[bool, int]:
        return (value is None, -(value or 0))

    return (
        larger_first(record["record_sequence"]),
        record["is_placeholder"],
        larger_first(record["ended_at_us"]),
        larger_first(record["reported_output"]),
        record["file_sha256"],
        record["record_position"],
    )


def requests_of(attempts: Sequence[Row]) -> list[Row]:
    """Return for each attempt its request, its number in it and the purpose of its money (ledger.md 8.1)."""
    return [_request_row(attempt, _siblings(attempt, attempts)) for attempt in attempts]


def _by_time(attempt: Row) -> tuple[int, int]:
    return attempt["used_at_us"], attempt["attempt_key"]


def _siblings(attempt: Row, attempts: Iterable[Row]) -> list[Row]:
    """All attempts of one request in order of time, the given one among them."""
    if attempt["stated_request_key"] is None:
        return [attempt]
    same = sorted(
        (one for one in attempts if one["stated_request_key"] == attempt["stated_request_key"]), key=_by_time
    )
    chains: list[list[Row]] = []
    for one in same:
        if chains and one["used_at_us"] - chains[-1][-1]["used_at_us"] <= 60 * MINUTE_US:
            chains[-1].append(one)
        else:
            chains.append([one])
    chain = next(chain for chain in chains if any(one is attempt for one in chain))
    near = [one for one in chain if one["used_at_us"] - chain[0]["used_at_us"] <= 20 * HOUR_US]
    return near if any(one is attempt for one in near) else [attempt]


def _request_row(attempt: Row, siblings: list[Row]) -> Row:
    answers = [one for one in siblings if one["outcome"] == "success"]
    answers += [one for one in siblings if one["outcome"] == "unknown"]
    if answers:
        purpose = "answer" if answers[0] is attempt else "retry"
    else:
        purpose = "abandoned" if siblings[-1]["outcome"] == "cancelled" else "failure"
    number = next(at for at, one in enumerate(siblings, start=1) if one is attempt)
    kept = ("usage_date", "attempt_key", "source", "owner_key", "outcome", "used_at_us", "ended_at_us")
    return {name: attempt[name] for name in kept} | {
        "request_key": siblings[0]["attempt_key"],
        "request_date": siblings[0]["usage_date"],
        "attempt_number": number,
        "is_first_attempt": number == 1,
        "purpose": purpose,
    }


def meters_of(attempt: Row, raw: Tables) -> Row:
    """Split the reported counts of one attempt into exclusive meters (ledger.md 3)."""
    profile = _one(raw["raw_usage_profiles"], usage_profile=attempt["usage_profile"])
    provider = _one(raw["raw_providers"], provider=attempt["provider"]) or {}
    counts = _counts(attempt)
    rest_meter = provider.get("default_cache_write_meter") or "cache_write_5m"
    if attempt["usage_basis"] == "missing":
        split = _unusable("usage_missing")
    elif profile is None:
        split = _unusable("unknown_usage_profile")
    else:
        split = _split(counts, profile, rest_meter)
    return {name: attempt[name] for name in ("usage_date", "attempt_key", "used_at_us", "rate_card_key")} | {
        **split,
        "request_quantity": 1,
        "is_usage_estimated": attempt["usage_basis"] == "estimated",
        "is_usage_missing": split["reason_code"] == "usage_missing",
    }


def _unusable(reason_code: str) -> Row:
    return {
        "input_total_tokens": None,
        "output_total_tokens": None,
        **{f"{meter}_quantity": None for meter in METERS},
        "is_input_assumed": False,
        "is_output_assumed": False,
        "is_cache_write_assumed": False,
        "assumed_cache_write_meter": None,
        "reason_code": reason_code,
    }


Outside = tuple[int, int, int]


def _outside_by_profile(counts: dict[str, int | None], profile: Row) -> Outside:
    """How many cached, written and reasoning tokens lie outside the reported input and output."""
    cached, written, reasoning = counts["cached"] or 0, _written(counts), counts["reasoning"] or 0
    is_proven_outside = (
        profile["is_exclusive_if_exceeding"]
        and counts["input"] is not None
        and cached + written > counts["input"]
    )
    return (
        0 if profile["is_cached_in_input"] and not is_proven_outside else cached,
        0 if profile["is_cache_write_in_input"] and not is_proven_outside else written,
        0 if profile["is_reasoning_in_output"] else reasoning,
    )


def _outside_by_total(counts: dict[str, int | None], profile: Row) -> Outside | None:
    """The same by the stated total: where it contradicts the profile and only one other reading gives it."""
    whole, stated_in, stated_out = counts["total"], counts["input"], counts["output"]
    if whole is None or stated_in is None or stated_out is None:
        return None
    gap = whole - stated_in - stated_out
    every = product((0, counts["cached"] or 0), (0, _written(counts)), (0, counts["reasoning"] or 0))
    readings = {reading for reading in every if sum(reading) == gap}
    if len(readings) != 1 or sum(_outside_by_profile(counts, profile)) == gap:
        return None
    return readings.pop()


def readings_of(attempts: Iterable[Row], profiles: Iterable[Row]) -> list[Row]:
    """Return what lies outside the reported counts where the stated total says so (ledger.md 3.1)."""
    rows: list[Row] = []
    for attempt in attempts:
        profile = _one(profiles, usage_profile=attempt["usage_profile"])
        outside = profile and _outside_by_total(_counts(attempt), profile)
        if outside:
            names = ("outer_cached_tokens", "outer_cache_write_tokens", "outer_reasoning_tokens")
            rows.append(
                {name: attempt[name] for name in ("usage_date", "attempt_key")}
                | dict(zip(names, outside, strict=True))
            )
    return rows


def _counts(attempt: Row) -> dict[str, int | None]:
    return {
        name.removeprefix("reported_"): cell for name, cell in attempt.items() if name.startswith("reported_")
    }


def _written(counts: dict[str, int | None]) -> int:
    parts = sum(counts[meter] or 0 for meter in CACHE_WRITES)
    stated = counts["cache_write"]
    return parts if stated is None else stated


def _split(counts: dict[str, int | None], profile: Row, rest_meter: str) -> Row:
    outside = _outside_by_total(counts, profile) or _outside_by_profile(counts, profile)
    outer_cached, outer_written, outer_reasoning = outside
    cached, written, reasoning = counts["cached"] or 0, _written(counts), counts["reasoning"] or 0
    media_in = (counts["input_audio"] or 0) + (counts["input_image"] or 0)
    media_out = (counts["output_audio"] or 0) + (counts["output_image"] or 0)
    stated_in, stated_out = counts["input"], counts["output"]
    whole_in = cached + written + media_in if stated_in is None else stated_in + outer_cached + outer_written
    whole_out = reasoning + media_out if stated_out is None else stated_out + outer_reasoning
    quantities: dict[str, int | None] = {
        "input_uncached": None if stated_in is None else whole_in - cached - written - media_in,
        "cache_read": counts["cached"],
        **{meter: counts[meter] for meter in CACHE_WRITES},
        "input_audio": counts["input_audio"],
        "input_image": counts["input_image"],
        "output_text": None if stated_out is None else whole_out - reasoning - media_out,
        "output_reasoning": counts["reasoning"],
        "output_audio": counts["output_audio"],
        "output_image": counts["output_image"],
        "tool_call": counts["tool_calls"],
    }
    rest = written - sum(counts[meter] or 0 for meter in CACHE_WRITES)
    if (
        rest < 0
        or written < 0
        or any(quantity is not None and quantity < 0 for quantity in quantities.values())
    ):
        return _unusable("negative_remainder")
    if whole_in + whole_out + (counts["tool_calls"] or 0) == 0 and None in (stated_in, stated_out):
        return _unusable("usage_missing")
    if rest:
        quantities[rest_meter] = (quantities[rest_meter] or 0) + rest
    # A stated total of 0 makes its parts 0.
    zero = [*INPUT_METERS] if stated_in is not None and whole_in == 0 else []
    zero += [*OUTPUT_METERS] if stated_out is not None and whole_out == 0 else []
    zero += [*CACHE_WRITES] if counts["cache_write"] == 0 else []
    quantities |= {meter: 0 for meter in zero if quantities[meter] is None}
    return {
        "input_total_tokens": whole_in if stated_in is not None or whole_in else None,
        "output_total_tokens": whole_out if stated_out is not None or whole_out else None,
        **{f"{meter}_quantity": quantity for meter, quantity in quantities.items()},
        "is_input_assumed": counts["cached"] is None and stated_in is not None and whole_in > 0,
        "is_output_assumed": counts["reasoning"] is None and stated_out is not None and whole_out > 0,
        "is_cache_write_assumed": rest > 0,
        "assumed_cache_write_meter": rest_meter if rest else None,
        "reason_code": "",
    }


def priced(meters: Row, prices: Iterable[Row]) -> Row:
    """Price one attempt with the row in force at its instant and for its whole input (ledger.md 4)."""
    whole_input = meters["input_total_tokens"] or 0
    found = [
        price
        for price in prices
        if price["usage_date"] == meters["usage_date"]
        and price["rate_card_key"] == meters["rate_card_key"]
        and price["valid_from_us"] <= meters["used_at_us"] < price["valid_until_us"]
        and price["input_from_tokens"] <= whole_input < price["input_until_tokens"]
    ]
    assert len(found) <= 1, f"{len(found)} prices for one attempt"
    price = found[0] if found else {}
    is_billable = price.get("is_billable", True)
    reason = price.get("reason_code", "no_price_row")
    row: Row = {name: meters[name] for name in ("usage_date", "attempt_key", "rate_card_key")} | {
        "provider": price.get("provider") or "(unknown)",
        "model": price.get("model") or "(unknown)",
        "price_key": price.get("price_key"),
        "is_billable": is_billable,
        "reason_code": meters["reason_code"] if price and is_billable and meters["reason_code"] else reason,
        "is_usage_unknown": meters["reason_code"] != "",
    }
    flags = ("assumed_cache_write_meter", "is_input_assumed", "is_output_assumed", "is_usage_estimated")
    row |= {name: meters[name] for name in (*flags, *(f"{meter}_quantity" for meter in METERS))}
    for meter, kind in product(METERS, ("list", "contracted")):
        quantity, unit_price = meters[f"{meter}_quantity"], price.get(f"{meter}_{kind}_pico_usd")
        known = None if quantity is None or unit_price is None else quantity * unit_price
        row[f"{meter}_{kind}_cost_pico_usd"] = known
    return row


def _in_force(price: Row) -> Row:
    """What is not billed costs 0 by rule, whatever the list says."""
    free = {name: 0 for name in price if name.endswith("_pico_usd")}
    return price if price["is_billable"] else price | free


def lines_of(cost: Row, request: Row, owners: Iterable[Row]) -> list[Row]:
    """Unfold one priced attempt into its lines (ledger.md 3.3, 3.4, 4.5)."""
    owner = _one(owners, usage_date=cost["usage_date"], owner_key=request["owner_key"]) or {}
    used = [meter for meter in METERS[:-1] if (cost[f"{meter}_quantity"] or 0) > 0]
    has_fee = cost["is_billable"] and cost["request_list_cost_pico_usd"] is not None
    lines: list[Row] = []
    for meter in [*used, *(["request"] if has_fee or not used else [])]:
        money = {kind: cost[f"{meter}_{kind}_cost_pico_usd"] for kind in ("list", "contracted")}
        if meter == "request":
            is_unknown = cost["is_billable"] and cost["is_usage_unknown"]
            money = {kind: None if is_unknown else amount or 0 for kind, amount in money.items()}
        certainty, reason = _certainty(cost, meter, None in money.values())
        lines.append(
            {name: cost[name] for name in ("usage_date", "attempt_key", "rate_card_key", "provider", "model")}
            | {name: request[name] for name in ("request_key", "request_date", "source", "owner_key")}
            | {name: owner.get(name, "(unassigned)") for name in ("feature", "team", "environment")}
            | {name: request[name] for name in ("purpose", "outcome")}
            | {"meter": meter, "charge_basis": "metered", "certainty": certainty, "reason_code": reason}
            | {"is_billable": cost["is_billable"], "price_key": cost["price_key"]}
            | {"quantity": cost[f"{meter}_quantity"]}
            | {"list_cost_pico_usd": money["list"], "contracted_cost_pico_usd": money["contracted"]}
            | {"effective_cost_pico_usd": money["contracted"]}
        )
    return lines


def _certainty(cost: Row, meter: str, is_unpriced: bool) -> tuple[str, str]:
    if not cost["is_billable"]:
        return "stated", cost["reason_code"]
    if is_unpriced:
        return "unknown", cost["reason_code"] or "meter_not_priced"
    if cost["is_usage_estimated"]:
        return "estimated", "estimated_usage"
    if meter == "input_uncached" and cost["is_input_assumed"]:
        return "assumed", "input_split_not_stated"
    if meter == "output_text" and cost["is_output_assumed"]:
        return "assumed", "output_split_not_stated"
    if meter == cost["assumed_cache_write_meter"]:
        return "assumed", "cache_write_lifetime_not_stated"
    return "stated", ""


def request_totals(requests: Sequence[Row], lines: Sequence[Row]) -> list[Row]:
    """Add up each request over all its attempts, on the day of its first (ledger.md 10.2)."""
    lines_by_attempt = _grouped(lines, ("usage_date", "attempt_key"))
    rows: list[Row] = []
    for (day, key), members in _grouped(requests, ("request_date", "request_key")).items():
        members.sort(key=_by_time)
        answer = next((one for one in members if one["purpose"] == "answer"), None)
        naming = lines_by_attempt[
            (answer or members[-1])["usage_date"], (answer or members[-1])["attempt_key"]
        ]
        spent = [lines_by_attempt[one["usage_date"], one["attempt_key"]] for one in members]
        ends = [one["ended_at_us"] for one in members if one["ended_at_us"] is not None]
        rows.append(
            {"request_date": day, "request_key": key}
            | {name: naming[0][name] for name in ("feature", "team", "environment", "provider", "model")}
            | {"first_used_at_us": members[0]["used_at_us"], "last_ended_at_us": max(ends, default=None)}
            | {"attempt_count": len(members), "is_answered": answer is not None}
            | {"answer_attempt_key": answer["attempt_key"] if answer else None}
            | {"unpriced_attempt_count": sum(any(map(_is_unpriced, own)) for own in spent)}
            | _sums_usd([line for own in spent for line in own])
        )
    return rows


def daily_costs(lines: Sequence[Row]) -> list[Row]:
    """Add up lines by everything a report cuts them by."""
    cut = (
        *("usage_date", "feature", "team", "environment", "provider", "model", "meter", "charge_basis"),
        *("purpose", "outcome", "certainty", "reason_code", "is_billable"),
    )
    return [
        dict(zip(cut, key, strict=True))
        | {"line_count": len(group), "unpriced_line_count": sum(map(_is_unpriced, group))}
        | {"quantity": Decimal(sum(line["quantity"] for line in group))}
        | _sums_usd(group)
        for key, group in _grouped(lines, cut).items()
    ]


def daily_requests(requests: Sequence[Row]) -> list[Row]:
    """Add up requests by day, owner and model."""
    cut = ("request_date", "feature", "team", "environment", "provider", "model")
    return [
        dict(zip(cut, key, strict=True))
        | {"request_count": len(group), "answered_count": sum(one["is_answered"] for one in group)}
        | {"attempt_count": sum(one["attempt_count"] for one in group)}
        | {"retry_attempt_count": sum(one["attempt_count"] - 1 for one in group if one["is_answered"])}
        | {"unpriced_attempt_count": sum(one["unpriced_attempt_count"] for one in group)}
        | {f"{kind}_cost_usd": _total(one[f"{kind}_cost_usd"] for one in group) for kind in MEASURES}
        for key, group in _grouped(requests, cut).items()
    ]


def _is_unpriced(line: Row) -> bool:
    return line["list_cost_pico_usd"] is None or line["contracted_cost_pico_usd"] is None


def _usd(pico_usd: int | None) -> Decimal | None:
    return None if pico_usd is None else Decimal(pico_usd).scaleb(-12, EXACT)


def _total(amounts: Iterable[Any]) -> Any:
    known = [amount for amount in amounts if amount is not None]
    total = known[0] if known else None
    for amount in known[1:]:
        total = EXACT.add(total, amount) if isinstance(amount, Decimal) else total + amount
    return total


def _sums_usd(lines: Sequence[Row]) -> Row:
    return {
        f"{kind}_cost_usd": _usd(_total(line[f"{kind}_cost_pico_usd"] for line in lines)) for kind in MEASURES
    }


def _published(line: Row) -> Row:
    kept = {name: cell for name, cell in line.items() if not name.endswith("_pico_usd")}
    return kept | {f"{kind}_cost_usd": _usd(line[f"{kind}_cost_pico_usd"]) for kind in MEASURES}


def _rate_cards(attempts: Sequence[Row]) -> list[Row]:
    cut = ("usage_date", "rate_card_key", *PRICING_INPUTS)

    def tokens(group: list[Row], name: str) -> Decimal | None:
        total = _total(one[name] for one in group)
        return None if total is None else Decimal(total)

    return [
        dict(zip(cut, key, strict=True))
        | {"attempt_count": len(group)}
        | {f"{name}_tokens": tokens(group, name) for name in ("reported_input", "reported_output")}
        for key, group in _grouped(attempts, cut).items()
    ]


def _counted(rows: Sequence[Row], cut: tuple[str, ...]) -> list[Row]:
    return [
        dict(zip(cut, key, strict=True)) | {"attempt_count": len(group)}
        for key, group in _grouped(rows, cut).items()
    ]


def _file_days(attempts: Sequence[Row], duplicates: Sequence[Row]) -> list[Row]:
    cut = ("usage_date", "file_sha256")
    kept, replaced = _grouped(attempts, cut), _grouped(duplicates, cut)
    return [
        dict(zip(cut, key, strict=True))
        | {"attempt_count": len(kept.get(key, [])), "duplicate_count": len(replaced.get(key, []))}
        for key in {*kept, *replaced}
    ]


def _price_items(items: Sequence[Row]) -> list[Row]:
    newest: Callable[[Row], Any] = lambda item: item["usage_date"]  # noqa: E731
    return [
        {name: cell for name, cell in max(group, key=newest).items() if name != "usage_date"}
        for group in _grouped(items, ("price_key", "meter")).values()
    ]


def _one(rows: Iterable[Row], **wanted: Any) -> Row | None:
    return next((row for row in rows if all(row[name] == cell for name, cell in wanted.items())), None)


def _grouped(rows: Iterable[Row], cut: tuple[str, ...]) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in cut)].append(row)
    return dict(groups)
