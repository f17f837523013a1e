"""Write the fortnight's native files: `python data/sample/fortnight.py`, the same content every time.

What lives here: which line goes into which file. The small sample's planted days lie inside.
What does not: the calls (fortnight_*.py, story.py, broken.py), what they add up to (expected.py).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path

from background import Dice, conversations
from broken import answered_late, broken_gateway_lines, broken_span_lines, growing_call, late_calls
from calls import Call, dump
from fortnight_agents import research_day
from fortnight_bills import billed_usage, focus_file, openai_costs
from fortnight_gateway import gateway_day
from fortnight_pools import days, fleet_file, is_weekend, served_day
from fortnight_sessions import CLAUDE_DAYS, CODEX_DAYS, claude_session, codex_session
from fortnight_telemetry import SMI_HEAD, flights, prometheus_day, smi_lines
from generate import exported, is_of_day, turn_spans
from litellm_native import litellm_row
from otlp_native import export_request, span
from story import gateway_chains, gateway_oddities
from story_traces import service_chains

SEED = 20_261_016
HERE = Path(__file__).parent / "fortnight" / "files"
PLAIN_BYTES = 60_000


class Fortnight:
    """Builds the files in the order of days; every call is remembered for bills and telemetry."""

    def __init__(self) -> None:
        self.dice = Dice(SEED)
        self.calls: list[Call] = []
        self.served: list[Call] = []
        self.files: dict[str, str] = {}

    def gateway(self, day: str) -> None:
        """The spend log of a day."""
        served = list(served_day(self.dice, day))
        self.served += served
        planted = [*gateway_chains(), *gateway_oddities(), answered_late()]
        found = [*gateway_day(self.dice, day, is_weekend(day)), *served]
        found += [call for call in planted if is_of_day(call.at_us, day)]
        self.calls += found
        if is_of_day(growing_call()[0].at_us, day):
            # The provider bills the finished stream, which the late file brings.
            found.append(growing_call()[0])
        lines = [(call.at_us, dump(litellm_row(call))) for call in found] + broken_gateway_lines(day)
        self.text(f"litellm-{day}.jsonl", [line for _, line in sorted(lines)])

    def traces(self, day: str) -> None:
        """The trace file of a day: conversations, planted chains, the research agent."""
        lines = broken_span_lines(day)
        for turns in conversations(self.dice, day, "fortnight-", 1 if is_weekend(day) else 4):
            self.calls += turns
            spans = (
                turn_spans(turns, turns[0].trace or "") if len(turns) > 2 else [span(turn) for turn in turns]
            )
            lines.append((turns[0].at_us, exported(turns[0], spans)))
        for chain in service_chains():
            if is_of_day(chain[0].at_us, day):
                self.calls += chain
                lines.append((chain[0].at_us, exported(chain[0], [span(call) for call in chain])))
        for start_us, calls, spans in research_day(self.dice, day):
            self.calls += calls
            lines.append((start_us, dump(export_request("research-agent", "production", spans))))
        self.text(f"otlp-{day}.jsonl", [line for _, line in sorted(lines)])

    def late(self) -> None:
        """The late export of the 19th, as in the small sample; its repeats are none of ours."""
        self.calls += late_calls()
        self.text("litellm-2026-10-21-late.jsonl", [dump(litellm_row(call)) for call in late_calls()])

    def telemetry(self) -> None:
        """Both pools' counters and the fleet file."""
        by_replica = flights(self.served)
        for day in days():
            answer = prometheus_day(self.dice, day, by_replica)
            if answer is not None:
                self.files[f"prometheus-{day}.json"] = json.dumps(answer, separators=(",", ":")) + "\n"
        by_day: dict[str, list[str]] = defaultdict(list)
        for local_day, line in smi_lines(self.dice, by_replica):
            by_day[local_day].append(line)
        for local_day, lines in by_day.items():
            self.files[f"nvidia-smi-{local_day}.csv"] = SMI_HEAD + "".join(lines)
        self.files["fleet.yml"] = fleet_file()

    def papers(self) -> None:
        """Sessions of coding agents, then the bills."""
        for day in CLAUDE_DAYS:
            self.text(*claude_session(self.dice, day))
        for day in CODEX_DAYS:
            self.text(*codex_session(self.dice, day))
        usage = billed_usage(self.calls)
        self.files["openai-costs-2026-10.json"] = json.dumps(openai_costs(usage), indent=1) + "\n"
        self.files["focus-2026-10.csv"] = focus_file(usage)

    def text(self, name: str, lines: list[str]) -> None:
        """Keep a file of lines."""
        self.files[name] = "".join(f"{line}\n" for line in lines)


def fortnight_files() -> dict[str, bytes]:
    """Every file of the fortnight: name to bytes; large ones are packed, with no clock in the packing."""
    made = Fortnight()
    for day in days():
        made.gateway(day)
        made.traces(day)
    made.late()
    made.telemetry()
    made.papers()
    found: dict[str, bytes] = {}
    for name, text in made.files.items():
        content = text.encode()
        if len(content) > PLAIN_BYTES:
            found[f"{name}.gz"] = gzip.compress(content, 9, mtime=0)
        else:
            found[name] = content
    return found


def main() -> None:
    """Write all files below the folder named by --into."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=HERE, help="folder for the files")
    folder: Path = parser.parse_args().into
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, content in fortnight_files().items():
        # A file that grew or shrank past the limit was packed the other way before.
        (folder / (name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz")).unlink(
            missing_ok=True
        )
        (folder / name).write_bytes(content)
        total += len(content)
    print(f"{total / 1_000_000:.1f} MB in {folder.name}")


if __name__ == "__main__":
    main()
