"""What the sample must add up to, worked out from its native files: `python data/sample/expected.py`.

What lives here: reading the folder, sums by every name the ledger is asked for, the output as JSON.
What does not: anything of our rooms or of the generator. Where the ledger differs, one of the two is wrong.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from expected_capacity import capacity
from expected_ledger import Line, answer_of, lines_of, owner, purpose_of, requests, winners
from expected_papers import bills, sessions
from expected_prices import known_model
from expected_records import (
    Attempt,
    FileAccount,
    RejectError,
    litellm_attempt,
    span_attempt,
    spans_of,
    text_of,
)
from expected_tables import markdown

FILES = Path(__file__).parent / "files"
# Everything else in a folder is no call log and has figures of its own.
LOGS = ("litellm", "otlp")
DIMENSIONS: dict[str, Callable[[Line], str]] = {
    "feature": lambda line: owner(line.attempt)["feature"],
    "team": lambda line: owner(line.attempt)["team"],
    "environment": lambda line: owner(line.attempt)["environment"],
    "model": lambda line: known_model(line.attempt.model),
    "day": lambda line: line.attempt.day,
    "meter": lambda line: line.meter,
    "purpose": lambda line: line.purpose,
    "outcome": lambda line: line.attempt.outcome,
    "certainty": lambda line: line.certainty,
    "reason": lambda line: line.reason,
}


def usd(amount: Fraction | None) -> str | None:
    """The exact decimal of an amount in USD; an amount that needs more than 12 decimals is an error."""
    if amount is None:
        return None
    pico = amount * 10**12
    if pico.denominator != 1:
        raise ValueError(f"{amount} USD has more than 12 decimals")
    whole, part = divmod(int(pico), 10**12)
    return f"{whole}.{part:012}"


def file_attempts(path: Path, account: FileAccount) -> list[Attempt]:
    """Attempts of one file; everything else goes into its account."""
    digest = sha256(path.read_bytes()).hexdigest()
    found: list[Attempt] = []
    for number, line in enumerate(text_of(path).splitlines()):
        if path.name.startswith("litellm"):
            take(account, found, lambda line=line: litellm_attempt(line), path, digest, str(number))
            continue
        try:
            spans = spans_of(line)
        except RejectError as error:
            account.records += 1
            count(account.rejects, str(error))
            continue
        for ordinal, (span, resource) in enumerate(spans):
            where = f"{number}/{ordinal}"
            take(account, found, lambda s=span, r=resource: span_attempt(s, r), path, digest, where)
    return found


def take(
    account: FileAccount,
    found: list[Attempt],
    read: Callable[[], Attempt | None],
    path: Path,
    digest: str,
    position: str,
) -> None:
    """Read one record and enter it as an attempt, a skip or a reject."""
    account.records += 1
    try:
        attempt = read()
    except RejectError as error:
        count(account.rejects, str(error))
        return
    if attempt is None:
        count(account.skips, "not_an_inference_span")
        return
    account.parsed += 1
    attempt.file, attempt.file_sha256, attempt.position = path.name, digest, position
    found.append(attempt)


def count(into: dict[str, int], reason: str) -> None:
    """One more of a reason."""
    into[reason] = into.get(reason, 0) + 1


def sums(lines: list[Line]) -> dict[str, Any]:
    """Lines, quantities and list cost of some lines; the cost is None where no line has one."""
    costs = [line.cost for line in lines if line.cost is not None]
    return {
        "lines": len(lines),
        "unpriced_lines": len(lines) - len(costs),
        "quantity": sum(line.quantity for line in lines),
        "list_cost_usd": usd(sum(costs, Fraction(0)) if costs else None),
    }


def by(lines: list[Line], name: Callable[[Line], str]) -> dict[str, dict[str, Any]]:
    """Sums per value of one dimension, in the order of the values."""
    groups: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        groups[name(line)].append(line)
    return {value: sums(groups[value]) for value in sorted(groups)}


def request_counts(groups: list[list[Attempt]], lines: list[Line]) -> dict[str, dict[str, int]]:
    """Per day of first attempts: requests, answered ones, attempts, retries, attempts without a cost."""
    unknown = {id(line.attempt) for line in lines if line.cost is None}
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        found[group[0].day].update(
            requests=1,
            answered=int(answer_of(group) is not None),
            attempts=len(group),
            retry_attempts=sum(purpose_of(one, group) == "retry" for one in group),
            unpriced_attempts=sum(id(one) in unknown for one in group),
        )
    return {day: dict(found[day]) for day in sorted(found)}


def expected(folder: Path = FILES) -> dict[str, Any]:
    """Everything the sample must give: totals, request counts, the account of every file."""
    accounts: dict[str, FileAccount] = {}
    attempts: list[Attempt] = []
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(LOGS):
            continue
        accounts[path.name] = FileAccount()
        attempts += file_attempts(path, accounts[path.name])
    kept, others = winners(attempts)
    for version in others:
        accounts[version.file].duplicates += 1
    groups = requests(kept)
    lines = [line for group in groups for one in group for line in lines_of(one, group)]
    return {
        "total": sums(lines) | {"attempts": len(kept), "requests": len(groups)},
        "by": {name: by(lines, value) for name, value in DIMENSIONS.items()},
        "by_request_day": by(lines, lambda line: line.request_day),
        "requests": request_counts(groups, lines),
        "files": {name: vars(account) for name, account in accounts.items()},
        "capacity": capacity(folder),
        "bills": bills(folder),
        "sessions": sessions(folder),
    }


def main() -> None:
    """Print the totals as JSON, or as the tables of the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="the README's tables")
    parser.add_argument("--files", type=Path, default=FILES, help="folder with the native files")
    options = parser.parse_args()
    found = expected(options.files)
    print(markdown(found), end="") if options.markdown else print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
