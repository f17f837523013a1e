"""Session logs of coding agents at the desks of the fortnight's developers: Claude Code and Codex.

What lives here: sessions whose context grows as published sessions do, in both tools' own lines.
What does not: product traffic. No line carries anybody's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from background import Dice
from calls import EPOCH, at, dump, hex_id
from fortnight_shapes import (
    SESSION_FIRST_INPUT,
    SESSION_GROWTH,
    SESSION_OUTPUT,
    SESSION_REQUESTS,
    SESSION_STEPS,
    SESSION_THINK_S,
    drawn,
)

MOST_REQUESTS = 70
CLAUDE_DAYS = ("2026-10-16", "2026-10-19", "2026-10-20", "2026-10-22", "2026-10-26", "2026-10-28")
CODEX_DAYS = ("2026-10-21", "2026-10-23", "2026-10-27")
# Above this a session is compacted: what follows starts from a summary.
MOST_CONTEXT = 150_000


@dataclass
class Chat:
    """One context: who talks, what is cached of it, how much it holds."""

    model: str
    context: int
    is_side: bool = False
    cached: int = 0


def stamp(at_us: int) -> str:
    """RFC 3339 with milliseconds, as both tools write it."""
    return (EPOCH + timedelta(microseconds=at_us)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def uuid(name: str) -> str:
    """A made-up UUID."""
    text = hex_id(name, 32)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"


def claude_session(dice: Dice, day: str) -> tuple[str, list[str]]:
    """File name and lines of one Claude Code session; one of its sub-agents talks in between."""
    session = uuid(f"claude session {day}")
    clock_us = at(day, "08:30:00") + dice.between(0, 7_200_000_000)
    lines = [
        dump(
            {
                "type": "user",
                "uuid": uuid(f"{session} start"),
                "timestamp": stamp(clock_us),
                "sessionId": session,
            }
        )
    ]
    main = Chat("claude-sonnet-4-5", drawn(dice, SESSION_FIRST_INPUT, SESSION_STEPS))
    side = Chat("claude-haiku-4-5", 10_200, is_side=True)
    requests = min(MOST_REQUESTS, drawn(dice, SESSION_REQUESTS, SESSION_STEPS))
    side_from, side_until = requests // 3, requests // 3 + 8
    for number in range(requests):
        chat = side if side_from <= number < side_until else main
        clock_us += drawn(dice, SESSION_THINK_S, SESSION_STEPS) * 1_000_000
        lines += claude_turn(dice, session, number, clock_us, chat)
        if main.context > MOST_CONTEXT:
            main.context, main.cached = 24_000, 0
    lines.append(dump({"type": "summary", "summary": "", "leafUuid": uuid(f"{session} {requests - 1} end")}))
    return f"claude-code-{day}.jsonl", lines


def claude_turn(dice: Dice, session: str, number: int, at_us: int, chat: Chat) -> list[str]:
    """One request: written once while it streams and once when it is done, under one id."""
    output = drawn(dice, SESSION_OUTPUT, SESSION_STEPS)
    plain = dice.between(2, 9)
    written = chat.context - chat.cached - plain
    usage: dict[str, Any] = {
        "input_tokens": plain,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": chat.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
        "output_tokens": output,
        "service_tier": "standard",
    }
    name = f"{session} {number}"
    lines = [
        claude_line(session, name, "start", at_us, chat, usage | {"output_tokens": dice.between(1, 8)}, None)
    ]
    lines.append(claude_line(session, name, "end", at_us + output * 14_000, chat, usage, "end_turn"))
    chat.cached = chat.context - plain
    chat.context += output + drawn(dice, SESSION_GROWTH, SESSION_STEPS)
    return lines if dice.chance(700) else lines[1:]


def claude_line(
    session: str, name: str, part: str, at_us: int, chat: Chat, usage: dict[str, Any], stop: str | None
) -> str:
    """One assistant line of a Claude Code transcript."""
    message = {
        "id": f"msg_{hex_id(name, 20)}",
        "type": "message",
        "role": "assistant",
        "model": chat.model,
        "content": [],
        "stop_reason": stop,
        "usage": usage,
    }
    return dump(
        {
            "isSidechain": chat.is_side,
            "userType": "external",
            "cwd": "/home/dev/desk",
            "sessionId": session,
            "version": "2.1.9",
            "gitBranch": "main",
            "type": "assistant",
            "uuid": uuid(f"{name} {part}"),
            "timestamp": stamp(at_us),
            "requestId": f"req_{hex_id(f'request {name}', 20)}",
            "message": message,
        }
    )


def codex_session(dice: Dice, day: str) -> tuple[str, list[str]]:
    """File name and lines of one Codex session; some usage events are written twice."""
    clock_us = at(day, "09:00:00") + dice.between(0, 7_200_000_000)
    session = uuid(f"codex session {day}")
    meta = {"id": session, "timestamp": stamp(clock_us), "cwd": "/home/dev/desk", "cli_version": "0.80.0"}
    lines = [dump({"timestamp": stamp(clock_us), "type": "session_meta", "payload": meta})]
    turn = {"cwd": "/home/dev/desk", "model": "gpt-5", "effort": "medium"}
    lines.append(dump({"timestamp": stamp(clock_us), "type": "turn_context", "payload": turn}))
    total = dict.fromkeys(
        ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"), 0
    )
    context, cached = drawn(dice, SESSION_FIRST_INPUT, SESSION_STEPS), 0
    for _ in range(min(MOST_REQUESTS, drawn(dice, SESSION_REQUESTS, SESSION_STEPS))):
        clock_us += drawn(dice, SESSION_THINK_S, SESSION_STEPS) * 1_000_000 + 3_000_000
        output = drawn(dice, SESSION_OUTPUT, SESSION_STEPS)
        last = dict(zip(total, (context, cached, output, output * 6 // 10), strict=True))
        total = {name: count + last[name] for name, count in total.items()}
        line = codex_line(clock_us, total, last)
        lines += [line, line] if dice.chance(100) else [line]
        cached = context // 128 * 128
        context += output + drawn(dice, SESSION_GROWTH, SESSION_STEPS)
    return f"codex-{day}.jsonl", lines


def codex_line(at_us: int, total: dict[str, int], last: dict[str, int]) -> str:
    """One usage event: the sums so far and the last call."""
    info = {
        "total_token_usage": total | {"total_tokens": total["input_tokens"] + total["output_tokens"]},
        "last_token_usage": last | {"total_tokens": last["input_tokens"] + last["output_tokens"]},
        "model_context_window": 272_000,
    }
    payload = {"type": "token_count", "info": info, "rate_limits": None}
    return dump({"timestamp": stamp(at_us), "type": "event_msg", "payload": payload})
