"""Published shapes of real traffic that the fortnight follows: lengths, hours, tenants, failures, sessions.

What lives here: figures with their sources (fortnight/README.md names them in words), and draws from them.
What does not: features, models and files. Figures are facts about public traces; no row of a trace is copied.
"""

from __future__ import annotations

from background import Dice

# Quantiles at 0, 1, 5, 10, 20 ... 90, 95, 99, 100 %: Azure LLM inference trace 2023, conversation.
STEPS = (0, 10, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950, 990, 1_000)
CHAT_INPUT = (2, 29, 181, 207, 387, 403, 703, 1_020, 1_071, 1_130, 1_315, 2_735, 4_083, 4_142, 14_050)
CHAT_OUTPUT = (7, 16, 41, 54, 77, 91, 103, 129, 177, 384, 400, 424, 451, 601, 1_000)
# The same of the thinned rows of its 2024 week (5,880 rows).
SHORT_INPUT = (21, 61, 105, 139, 199, 260, 324, 399, 490, 594, 777, 1_108, 1_485, 2_604, 6_909)
SHORT_OUTPUT = (6, 17, 29, 37, 50, 62, 75, 90, 109, 132, 164, 223, 284, 477, 1_346)
# Calls per hour of the day (UTC) in the same rows, as parts of 96.
HOURS = (1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 6, 7, 7, 7, 7, 7, 6, 6, 5, 4, 3, 2, 2, 1)
# Shares of the busiest of 43 production clients, parts of 10,000 (ServeGen, language/m-small).
CLIENTS = (2_988, 2_190, 1_072, 881, 568, 532, 418, 349, 161, 122, 111, 108)
MOST_CLIENTS = 43
# Failed calls of the first BurstGPT set: 1.78 %.
FAILED_PER_TEN_THOUSAND = 178
# Coding-agent sessions (kv-cache-tester, 341 sessions): quantiles at 5, 10, 25, 50, 75, 90, 95 %.
SESSION_STEPS = (0, 50, 100, 250, 500, 750, 900, 950, 1_000)
SESSION_REQUESTS = (2, 4, 7, 18, 44, 90, 150, 207, 260)
SESSION_FIRST_INPUT = (11_000, 13_021, 15_446, 19_054, 25_564, 28_000, 31_000, 34_000, 38_000)
SESSION_GROWTH = (60, 151, 183, 332, 680, 1_686, 3_870, 6_899, 9_000)
SESSION_OUTPUT = (40, 88, 102, 139, 222, 435, 917, 1_547, 3_000)
SESSION_THINK_S = (1, 3, 4, 6, 11, 39, 177, 542, 900)
TIERS = ("enterprise", "pro", "enterprise", "free", "pro", "free", "pro", "free")
HOUR_US = 3_600_000_000
WEEKEND_PERCENT = 45


def drawn(dice: Dice, values: tuple[int, ...], steps: tuple[int, ...] = STEPS) -> int:
    """A whole number whose distribution runs in straight lines through the quantiles given."""
    place = dice.between(0, 999_999)
    for low, high, below, above in zip(steps, steps[1:], values, values[1:], strict=False):
        if place < high * 1_000:
            return below + (above - below) * (place - low * 1_000) // ((high - low) * 1_000)
    return values[-1]


def instants(dice: Dice, day_us: int, calls: int, is_weekend: bool) -> list[int]:
    """Arrival times of one day in microseconds UTC: the day's shape, and some calls in bursts."""
    wanted = calls * WEEKEND_PERCENT // 100 if is_weekend else calls
    found: list[int] = []
    while len(found) < wanted:
        place = dice.between(0, sum(HOURS) - 1)
        hour = next(hour for hour in range(24) if place < sum(HOURS[: hour + 1]))
        at_us = day_us + hour * HOUR_US + dice.between(0, HOUR_US - 60_000_001)
        # Gaps of production clients vary more than a Poisson process: every sixth brings others along.
        for _ in range(dice.between(2, 5) if dice.chance(160) else 1):
            found.append(at_us)
            at_us += dice.between(150_000, 9_000_000)
    return sorted(found[:wanted])


def client(dice: Dice) -> tuple[str, str]:
    """A customer and its tier, drawn with the published skew."""
    place = dice.between(0, 9_999)
    for number, share in enumerate(CLIENTS):
        place -= share
        if place < 0:
            return named_client(number)
    return named_client(dice.between(len(CLIENTS), MOST_CLIENTS - 1))


def named_client(number: int) -> tuple[str, str]:
    """Customer and tier of a number from 0."""
    return f"customer-{number + 1:02}", TIERS[number % len(TIERS)]
