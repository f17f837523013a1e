"""The research agent of the fortnight: traces with a planner, sub-agents in their own spans, and tools.

What lives here: tasks, their model calls and the spans around them.
What does not: the spelling of an inference span (otlp_native.py), the ordinary conversations (background.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from background import Dice
from calls import Call, Usage, at, hex_id
from fortnight_pools import is_weekend
from fortnight_shapes import (
    SESSION_FIRST_INPUT,
    SESSION_GROWTH,
    SESSION_OUTPUT,
    SESSION_STEPS,
    client,
    drawn,
    instants,
)
from otlp_native import attribute, other_span, span

TASKS = 30
FEATURE, TEAM = "research", "discovery"
PLANNER, WORKERS = "gpt-5", ("claude-sonnet-4-5", "claude-haiku-4-5")


@dataclass
class Task:
    """One run of the agent: its spans so far and the clock of whoever works now."""

    name: str
    clock_us: int
    tier: str
    customer: str
    spans: list[dict[str, Any]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    count: int = 0


def research_day(dice: Dice, day: str) -> Iterator[tuple[int, list[Call], list[dict[str, Any]]]]:
    """The tasks of one day: start, model calls, and all spans of the trace."""
    for number, at_us in enumerate(instants(dice, at(day, "00:00:00"), TASKS, is_weekend(day))):
        # A task that began late in the evening would run into the next day's file.
        start_us = min(at_us, at(day, "22:30:00"))
        customer, tier = client(dice)
        task = Task(f"research-{day}-{number:02}", start_us, tier, customer)
        run(dice, task)
        yield start_us, task.calls, task.spans


def run(dice: Dice, task: Task) -> None:
    """Plan, send out sub-agents, put together what they found."""
    root = f"{task.name} agent"
    start_us = task.clock_us
    context = 9_400
    for step in range(dice.between(2, 4)):
        context = think(dice, task, root, PLANNER, context, "planner")
        if step < 2 and dice.chance(800):
            context += sub_agent(dice, task, root, step)
    length_ms = (task.clock_us - start_us) // 1_000
    task.spans.append(agent_span(root, task, None, start_us, length_ms, "research-agent"))


def sub_agent(dice: Dice, task: Task, parent: str, step: int) -> int:
    """One sub-agent with a context of its own; returns the tokens of its report."""
    name = f"{task.name} sub {step}"
    start_us = task.clock_us
    model = dice.pick(WORKERS)
    context, seen = drawn(dice, SESSION_FIRST_INPUT, SESSION_STEPS), 0
    for turn in range(dice.between(4, 12)):
        before = context
        context = think(dice, task, name, model, context, f"worker-{step}", seen)
        seen = before
        tool_ms = dice.between(90, 2_400)
        facts: dict[str, object] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "web_search"}
        task.spans.append(other_span(f"{name} tool {turn}", task.name, task.clock_us, tool_ms, facts))
        task.clock_us += tool_ms * 1_000
    length_ms = (task.clock_us - start_us) // 1_000
    task.spans.append(agent_span(name, task, parent, start_us, length_ms, f"worker-{step}"))
    return dice.between(300, 900)


def think(dice: Dice, task: Task, parent: str, model: str, context: int, agent: str, seen: int = 0) -> int:
    """One model call of an agent; returns the context that the next one starts with."""
    task.count += 1
    output = drawn(dice, SESSION_OUTPUT, SESSION_STEPS)
    is_claude = model.startswith("claude")
    # What the last turn wrote is read back; Haiku 4.5 caches from 4,096 tokens on, Sonnet 4.5 from 1,024.
    cached = max(0, seen - 4) if is_claude else (context - 700) // 128 * 128 if task.count > 1 else 0
    usage = Usage(
        context,
        output,
        cached=cached,
        written=context - cached - 4 if is_claude else 0,
        reasoning=output * 4 // 10 if model == PLANNER else None,
    )
    duration_ms = 700 + output * dice.between(8, 15)
    call = Call(
        name=f"{task.name}-{task.count}",
        at_us=task.clock_us,
        model=model,
        provider="anthropic" if is_claude else "openai",
        usage=usage,
        duration_ms=duration_ms,
        first_token_ms=dice.between(220, 680),
        feature=FEATURE,
        team=TEAM,
        environment="production",
        finish_reason="stop",
        session=task.name,
        trace=task.name,
        extra={"gen_ai.agent.name": agent, "app.tier": task.tier, "app.customer": task.customer},
    )
    task.calls.append(call)
    found = span(call)
    found["parentSpanId"] = hex_id(f"span {parent}", 16)
    task.spans.append(found)
    task.clock_us += duration_ms * 1_000 + dice.between(20, 400) * 1_000
    return context + output + drawn(dice, SESSION_GROWTH, SESSION_STEPS)


def agent_span(
    name: str, task: Task, parent: str | None, start_us: int, length_ms: int, agent: str
) -> dict[str, Any]:
    """The span around an agent's work; sub-agents hang below the agent that sent them."""
    facts: dict[str, object] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
    found = other_span(name, task.name, start_us, length_ms, facts)
    if parent is not None:
        found["parentSpanId"] = hex_id(f"span {parent}", 16)
    else:
        found["attributes"].append(attribute("app.feature", FEATURE))
    return found
