"""The tables of the sample's READMEs, written from what expected.py found.

What lives here: Markdown. What does not: any figure of its own.
"""

from __future__ import annotations

from typing import Any

DIMENSIONS = ("feature", "team", "model", "day", "meter", "purpose", "outcome", "certainty")


def markdown(found: dict[str, Any]) -> str:
    """All tables that the files of a folder give."""
    rows = [*sums(found), *files(found["files"])]
    if found["capacity"]:
        rows += [*pools(found["capacity"]), *bills(found["bills"]), *sessions(found["sessions"])]
    return "\n".join(rows) + "\n"


def sums(found: dict[str, Any]) -> list[str]:
    """Lines, quantity and list cost by every dimension."""
    total = found["total"]
    rows = ["| | lines | quantity | list cost, USD |", "|---|--:|--:|--:|"]
    rows.append(f"| **everything** | {total['lines']} | {total['quantity']} | {total['list_cost_usd']} |")
    for name in DIMENSIONS:
        for value, cells in found["by"][name].items():
            cost = cells["list_cost_usd"] or "unknown"
            rows.append(f"| {name} {value} | {cells['lines']} | {cells['quantity']} | {cost} |")
    return rows


def files(accounts: dict[str, dict[str, Any]]) -> list[str]:
    """What became of the records of every file."""
    rows = ["", "| file | records | attempts | duplicates | skips | rejects |", "|---|--:|--:|--:|---|---|"]
    for name, account in accounts.items():
        skips, rejects = (
            ", ".join(f"{reason} {number}" for reason, number in sorted(account[kind].items()))
            for kind in ("skips", "rejects")
        )
        attempts, duplicates = account["parsed"] - account["duplicates"], account["duplicates"]
        rows.append(f"| {name} | {account['records']} | {attempts} | {duplicates} | {skips} | {rejects} |")
    return rows


def pools(capacity: dict[str, Any]) -> list[str]:
    """Held and busy device time with its cost per pool and day, and samples per device."""
    rows = ["", "| pool and day | held, device-µs | in flight, device-µs | cost, USD |", "|---|--:|--:|--:|"]
    for pool, days in capacity["pools"].items():
        for day, cells in days.items():
            rows.append(f"| {pool} {day} | {cells['held_us']} | {cells['busy_us']} | {cells['cost_usd']} |")
    rows += ["", "| device | utilisation samples | unreadable | at zero |", "|---|--:|--:|--:|"]
    for device, cells in capacity["devices"].items():
        rows.append(f"| {device} | {cells['samples']} | {cells['unreadable']} | {cells['at_zero']} |")
    return rows


def bills(found: dict[str, Any]) -> list[str]:
    """What the bills say."""
    rows = ["", "| bill | rows | billed, USD | list, USD |", "|---|--:|--:|--:|"]
    openai = found["openai"]
    rows.append(f"| OpenAI costs API | {openai['rows']} | {openai['billed_usd']} | |")
    for name, cells in found["focus"].items():
        rows.append(f"| FOCUS, {name} | {cells['rows']} | {cells['billed_usd']} | {cells['list_usd']} |")
    return rows


def sessions(found: dict[str, Any]) -> list[str]:
    """What the coding agents' sessions used."""
    rows = ["", "| session logs, model | requests | tokens | list cost, USD |", "|---|--:|--:|--:|"]
    for model, cells in found.items():
        tokens = sum(cells["tokens"].values())
        rows.append(f"| {model} | {cells['requests']} | {tokens} | {cells['list_cost_usd']} |")
    return rows
