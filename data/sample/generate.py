"""Write the sample's native files: `python data/sample/generate.py`, the same bytes every time.

What lives here: which line goes into which file, in which order.
What does not: the calls (background.py, story.py, broken.py), what they add up to (expected.py).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from background import DAYS, Dice, conversations, gateway_calls
from broken import answered_late, broken_gateway_lines, broken_span_lines, growing_call, late_calls
from calls import Call, at, dump
from litellm_native import litellm_row
from otlp_native import export_request, other_span, span
from story import gateway_chains, gateway_oddities
from story_traces import service_chains

SEED = 20_261_019
HERE = Path(__file__).parent
DAY_US = 86_400_000_000


def is_of_day(at_us: int, day: str) -> bool:
    """Whether an instant lies on a UTC day."""
    return 0 <= at_us - at(day, "00:00:00") < DAY_US


def litellm_lines(dice: Dice, day: str) -> list[str]:
    """The gateway's spend log of one day, in the order of start times."""
    planted = [*gateway_chains(), *gateway_oddities(), answered_late(), growing_call()[0]]
    found = [*gateway_calls(dice, day), *(call for call in planted if is_of_day(call.at_us, day))]
    lines = [(call.at_us, dump(litellm_row(call))) for call in found] + broken_gateway_lines(day)
    return [line for _, line in sorted(lines)]


def turn_spans(turns: list[Call], name: str) -> list[dict[str, Any]]:
    """Spans of a conversation, with the agent around it and a tool run after its first turn."""
    first, last = turns[0], turns[-1]
    agent: dict[str, object] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": first.feature}
    # Agents repeat what their calls used; whoever adds both counts twice.
    agent["gen_ai.usage.input_tokens"] = sum(turn.usage.prompt for turn in turns if turn.usage)
    agent["gen_ai.usage.output_tokens"] = sum(turn.usage.output for turn in turns if turn.usage)
    tool: dict[str, object] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup"}
    length_ms = (last.at_us - first.at_us) // 1_000 + last.duration_ms
    after_first = first.at_us + first.duration_ms * 1_000
    return [
        other_span(f"agent {name}", name, first.at_us, length_ms, agent),
        *(span(turn) for turn in turns),
        other_span(f"tool {name}", name, after_first, 120, tool),
    ]


def otlp_lines(dice: Dice, day: str) -> list[str]:
    """The collector's trace file of one day, in the order of first spans."""
    lines = broken_span_lines(day)
    for turns in conversations(dice, day):
        spans = turn_spans(turns, turns[0].trace or "") if len(turns) > 2 else [span(turn) for turn in turns]
        lines.append((turns[0].at_us, exported(turns[0], spans)))
    for chain in service_chains():
        if is_of_day(chain[0].at_us, day):
            lines.append((chain[0].at_us, exported(chain[0], [span(call) for call in chain])))
    return [line for _, line in sorted(lines)]


def exported(call: Call, spans: list[dict[str, Any]]) -> str:
    """One line of a trace file, named for the service that sent it."""
    service = f"{call.feature or 'batch'}-api"
    return dump(export_request(service, call.environment or "production", spans))


def sample_files() -> dict[str, list[str]]:
    """Every file of the sample: name to lines."""
    dice = Dice(SEED)
    files: dict[str, list[str]] = {}
    for day in DAYS:
        files[f"litellm-{day}.jsonl"] = litellm_lines(dice, day)
        files[f"otlp-{day}.jsonl"] = otlp_lines(dice, day)
    # The late export brings new calls of the 19th and a finished version of one, and repeats three lines.
    repeated = files["litellm-2026-10-19.jsonl"][4:7]
    files["litellm-2026-10-21-late.jsonl"] = [*(dump(litellm_row(call)) for call in late_calls()), *repeated]
    # A collector that restarted sends its last lines again.
    files["otlp-2026-10-21-resent.jsonl"] = files["otlp-2026-10-20.jsonl"][-3:]
    return files


def main() -> None:
    """Write all files below the folder named by --into."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=HERE / "files", help="folder for the files")
    folder: Path = parser.parse_args().into
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in sample_files().items():
        (folder / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
        print(f"{name}: {len(lines)} lines")


if __name__ == "__main__":
    main()
