"""From the sample's attempts to its lines of money, in plain Python and whole fractions.

What lives here: versions, owners, requests and purposes, meters, lines, by the written method.
What does not: the native formats (expected_records.py), prices (expected_prices.py), sums (expected.py).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from hashlib import sha256

from expected_prices import PROVIDERS, is_charged, known_model, usd_per_token
from expected_records import Attempt

MINUTE_US = 60_000_000
LONGEST_GAP_US = 60 * MINUTE_US
LONGEST_REQUEST_US = 20 * 60 * MINUTE_US
DEFAULT_WRITE = "cache_write_5m"
UNASSIGNED = "(unassigned)"
TEAMS = {
    "search": "discovery",
    "srch": "discovery",
    "summaries": "discovery",
    "extraction": "discovery",
    "support-chat": "service",
    "help-center": "service",
    "triage": "service",
    "drafts": "discovery",
    "moderation": "service",
    "research": "discovery",
    "assistant": "service",
    "code-review": "service",
}


@dataclass
class Line:
    """One meter of one attempt; cost in USD, None where unknown."""

    attempt: Attempt
    meter: str
    quantity: int
    cost: Fraction | None
    certainty: str
    reason: str
    purpose: str
    request_day: str
    is_billable: bool


def attempt_key(attempt: Attempt) -> int:
    """The ledger's key of an attempt, which breaks ties between equal times."""
    parts = "\x1f".join(("attempt", attempt.source, attempt.event_id))
    return int.from_bytes(sha256(parts.encode()).digest()[:8], "big") >> 1


def winners(attempts: list[Attempt]) -> tuple[list[Attempt], list[Attempt]]:
    """One version of every record, and the others: the later end wins, then more output, then the file."""
    versions: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        versions[attempt.source, attempt.event_id].append(attempt)
    kept: list[Attempt] = []
    others: list[Attempt] = []
    for found in versions.values():
        found.sort(key=lambda one: (-one.ended_at_us, -(one.output or 0), one.file_sha256, one.position))
        kept.append(found[0])
        others.extend(found[1:])
    return kept, others


def owner(attempt: Attempt) -> dict[str, str]:
    """Feature, team and environment, as the sample's mapping file places them."""
    tags = attempt.tags
    feature, team, environment = tags["feature"], tags["team"], tags["environment"]
    if tags["route"] == "nightly-digest":
        feature, team = "summaries", "discovery"
    if tags["feature"] in TEAMS:
        team = TEAMS[tags["feature"]]
    return {
        "feature": ("search" if feature == "srch" else feature) or UNASSIGNED,
        "team": team or UNASSIGNED,
        "environment": ("prod" if environment == "production" else environment) or "prod",
    }


def requests(attempts: list[Attempt]) -> list[list[Attempt]]:
    """Attempts of the same stated request, without a gap over an hour, none over 20 hours after the first."""
    chains: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    found: list[list[Attempt]] = []
    for attempt in attempts:
        if attempt.request is None:
            found.append([attempt])
        else:
            chains[attempt.source, attempt.request].append(attempt)
    for chain in chains.values():
        chain.sort(key=lambda one: (one.used_at_us, attempt_key(one)))
        group: list[Attempt] = []
        for attempt in chain:
            if group and (
                attempt.used_at_us - group[-1].used_at_us > LONGEST_GAP_US
                or attempt.used_at_us - group[0].used_at_us > LONGEST_REQUEST_US
            ):
                found.append(group)
                group = []
            group.append(attempt)
        found.append(group)
    return found


def answer_of(group: list[Attempt]) -> Attempt | None:
    """The attempt whose output the caller got: the first success, else the first of unstated outcome."""
    for outcome in ("success", "unknown"):
        for attempt in group:
            if attempt.outcome == outcome:
                return attempt
    return None


def purpose_of(attempt: Attempt, group: list[Attempt]) -> str:
    """Why the attempt's money was spent."""
    answer = answer_of(group)
    if answer is not None:
        return "answer" if attempt is answer else "retry"
    return "abandoned" if group[-1].outcome == "cancelled" else "failure"


def meters(attempt: Attempt) -> list[tuple[str, int, str, str]]:
    """Exclusive parts of the counts that are not zero: meter, tokens, certainty, reason."""
    stated = ("stated", "")
    found: list[tuple[str, int, str, str]] = []
    if attempt.input is not None:
        written_5m, written_1h = attempt.written_5m or 0, attempt.written_1h or 0
        remainder = (attempt.written or 0) - written_5m - written_1h
        uncached = attempt.input - (attempt.cached or 0) - (attempt.written or 0)
        is_split = attempt.cached is not None
        lifetime = ("assumed", "cache_write_lifetime_not_stated") if remainder else stated
        found += [
            ("input_uncached", uncached, *(stated if is_split else ("assumed", "input_split_not_stated"))),
            ("cache_read", attempt.cached or 0, *stated),
            (DEFAULT_WRITE, written_5m + remainder, *lifetime),
            ("cache_write_1h", written_1h, *stated),
        ]
    if attempt.output is not None:
        is_split = attempt.reasoning is not None
        text = attempt.output - (attempt.reasoning or 0)
        found += [
            ("output_text", text, *(stated if is_split else ("assumed", "output_split_not_stated"))),
            ("output_reasoning", attempt.reasoning or 0, *stated),
        ]
    if attempt.is_estimated:
        found = [(meter, tokens, "estimated", "estimated_usage") for meter, tokens, *_ in found]
    return [part for part in found if part[1]]


def lines_of(attempt: Attempt, group: list[Attempt]) -> list[Line]:
    """The attempt's lines; one without any token keeps its place with a line of meter `request`."""
    charged = not attempt.is_gateway_cache_hit and is_charged(
        attempt.outcome, attempt.error_class, bool(attempt.output)
    )
    free = "gateway_cache_hit" if attempt.is_gateway_cache_hit else "not_billable"
    shared = {"purpose": purpose_of(attempt, group), "request_day": group[0].day, "is_billable": charged}
    found: list[Line] = []
    for meter, tokens, certainty, reason in meters(attempt):
        if not charged:
            found.append(Line(attempt, meter, tokens, Fraction(0), certainty, free, **shared))
            continue
        price = usd_per_token(known_model(attempt.model), meter, date.fromisoformat(attempt.day))
        if price is None:
            why = "unknown_model" if attempt.provider in PROVIDERS else "unknown_provider"
            found.append(Line(attempt, meter, tokens, None, "unknown", why, **shared))
        else:
            found.append(Line(attempt, meter, tokens, tokens * price, certainty, reason, **shared))
    if found:
        return found
    if charged and attempt.input is None and attempt.output is None:
        return [Line(attempt, "request", 1, None, "unknown", "usage_missing", **shared)]
    return [Line(attempt, "request", 1, Fraction(0), "stated", "" if charged else free, **shared)]
