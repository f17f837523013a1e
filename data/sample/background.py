"""The ordinary traffic of the sample: three quiet days of six features, drawn from one seed.

What lives here: how many calls a feature makes, of which model and size.
What does not: the planted cases (story.py), how a format spells a call (*_native.py).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from calls import Call, Usage, at

DAYS = ("2026-10-19", "2026-10-20", "2026-10-21")
PROVIDERS = {"gpt": "openai", "claude": "anthropic", "mistral": "mistral_ai"}


class Dice:
    """Draws that depend on `random.Random.random()` alone, whose sequence Python promises to keep."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def between(self, low: int, high: int) -> int:
        """A whole number from low up to and including high."""
        return low + int(self._random.random() * (high - low + 1))

    def skewed(self, low: int, high: int) -> int:
        """A whole number from low to high, most of them near low."""
        return low + int(
            self._random.random() * self._random.random() * self._random.random() * (high - low + 1)
        )

    def chance(self, per_thousand: int) -> bool:
        """True so many times in a thousand."""
        return self.between(1, 1_000) <= per_thousand

    def pick(self, options: tuple[str, ...]) -> str:
        """One of the options, each as likely."""
        return options[self.between(0, len(options) - 1)]

    def pick_error(self, options: tuple[tuple[str, str], ...]) -> tuple[str, str]:
        """One of some errors (code, class), each as likely."""
        return options[self.between(0, len(options) - 1)]


@dataclass(frozen=True)
class Habit:
    """What one feature sends on a day: calls, models by weight of repetition, sizes in tokens."""

    feature: str
    team: str
    calls: int
    models: tuple[str, ...]
    prompt: tuple[int, int]
    output: tuple[int, int]
    prefix: int = 0


GATEWAY_HABITS = (
    Habit(
        "search", "discovery", 26, ("gpt-5-mini", "gpt-5-mini", "gpt-4o-mini"), (260, 3_400), (20, 420), 1_152
    ),
    Habit("summaries", "discovery", 16, ("gpt-4o-mini", "claude-haiku-4-5"), (900, 9_000), (60, 700)),
    Habit("extraction", "discovery", 18, ("mistral-large-4",), (700, 6_500), (30, 900), 640),
    Habit("support-chat", "service", 20, ("claude-haiku-4-5", "gpt-5-mini"), (300, 5_200), (40, 600), 4_224),
)
SERVICE_HABITS = (
    Habit(
        "assistant", "service", 9, ("gpt-5", "claude-sonnet-4-5", "gpt-5"), (80, 2_900), (60, 1_400), 3_200
    ),
    Habit("code-review", "service", 5, ("claude-sonnet-4-5", "gpt-5"), (2_600, 30_000), (220, 3_800), 11_300),
)


def provider_of(model: str) -> str:
    """The OpenTelemetry provider value that serves a model of the sample."""
    return PROVIDERS[model.split("-")[0]]


def reasoning_of(dice: Dice, model: str, output: int) -> int | None:
    """Reasoning tokens inside the output: some for gpt-5, zero where stated as zero, None for Mistral."""
    if model.startswith("mistral"):
        return None
    return output * dice.between(0, 6) // 10 if model.startswith("gpt-5") else 0


def cached_usage(dice: Dice, habit: Habit, model: str, prompt: int, output: int) -> Usage:
    """Counts of a call whose shared prefix was read from the provider's cache, or written to it."""
    reasoning = reasoning_of(dice, model, output)
    if not habit.prefix or dice.chance(350):
        return Usage(prompt, output, reasoning=reasoning)
    if not model.startswith("claude"):
        return Usage(prompt + habit.prefix, output, cached=habit.prefix, reasoning=reasoning)
    if dice.chance(700):
        return Usage(prompt + habit.prefix, output, cached=habit.prefix, reasoning=reasoning)
    hour = habit.prefix * 3 // 4 if dice.chance(500) else 0
    return Usage(
        prompt + habit.prefix,
        output,
        written=habit.prefix,
        written_5m=habit.prefix - hour,
        written_1h=hour,
        reasoning=reasoning,
    )


def gateway_calls(dice: Dice, day: str) -> Iterator[Call]:
    """The ordinary calls of one day that go through the gateway, in no order."""
    for habit in GATEWAY_HABITS:
        for number in range(habit.calls + dice.between(-2, 2)):
            model = dice.pick(habit.models)
            usage = cached_usage(dice, habit, model, dice.skewed(*habit.prompt), dice.skewed(*habit.output))
            is_stream = dice.chance(400)
            yield Call(
                name=f"{'msg' if 'claude' in model else 'chatcmpl'}-{habit.feature}-{day}-{number:03}",
                at_us=at(day, "00:20:00") + dice.between(0, 84_000_000_000),
                model=model,
                provider=provider_of(model),
                usage=usage,
                duration_ms=400 + usage.output * dice.between(6, 14),
                first_token_ms=dice.between(120, 380) if is_stream else None,
                feature=habit.feature,
                team=habit.team,
                environment="staging" if dice.chance(120) else "prod",
                customer=f"customer-{dice.between(1, 9)}",
            )


def conversations(dice: Dice, day: str, series: str = "", times: int = 1) -> Iterator[list[Call]]:
    """The ordinary conversations of one day that services trace themselves: one list of turns each.

    `series` opens their names; there are so many `times` the habit.
    """
    for habit in SERVICE_HABITS:
        for number in range(habit.calls * times + dice.between(-1, 1)):
            yield conversation(dice, habit, f"{series}{habit.feature}-{day}-{number:02}", day)


def conversation(dice: Dice, habit: Habit, name: str, day: str) -> list[Call]:
    """Turns that resend what came before: the repeated part is read from the cache, Claude's new one written.

    The model, the hour and the sizes are drawn; the context grows by every answer.
    """
    model = dice.pick(habit.models)
    at_us = at(day, "00:30:00") + dice.between(0, 80_000_000_000)
    environment = "staging" if dice.chance(150) else "production"
    turns: list[Call] = []
    seen = 0
    context = habit.prefix
    for turn in range(dice.between(1, 4)):
        context += dice.skewed(*habit.prompt)
        output = dice.skewed(*habit.output)
        is_claude = model.startswith("claude")
        cached = seen if is_claude else seen // 128 * 128
        usage = Usage(
            prompt=context,
            output=output,
            cached=cached,
            written=context - cached - 4 if is_claude else 0,
            reasoning=output * 4 // 10 if model == "gpt-5" else None,
        )
        duration_ms = 600 + output * dice.between(8, 16)
        turns.append(
            Call(
                name=f"{name}-{turn}",
                at_us=at_us,
                model=model,
                provider=provider_of(model),
                usage=usage,
                duration_ms=duration_ms,
                feature=habit.feature,
                team=habit.team,
                environment=environment,
                finish_reason="stop",
                session=f"conv-{name}",
                trace=name,
            )
        )
        seen = cached + usage.written if is_claude else context
        context += output
        at_us += duration_ms * 1_000 + dice.between(4, 90) * 1_000_000
    return turns
