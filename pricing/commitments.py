"""What commitments do to ordered money: credits, minimum spend, capacity with an unused remainder.

Pure functions over whole pico-USD and whole units; which lines they become is decided where the ledger is
made.
"""

from collections.abc import Sequence


def after_credit(credit_pico_usd: int, charges_pico_usd: Sequence[int]) -> tuple[list[int], int]:
    """Return what is left of each charge after a credit is used in order, and the credit left (pico-USD)."""
    left: list[int] = []
    for charge in charges_pico_usd:
        used = min(credit_pico_usd, max(charge, 0))
        credit_pico_usd -= used
        left.append(charge - used)
    return left, credit_pico_usd


def shortfall(minimum_pico_usd: int, charges_pico_usd: Sequence[int]) -> int:
    """Return what a minimum spend adds to the charges of its period (pico-USD); never negative."""
    return max(minimum_pico_usd - sum(charges_pico_usd), 0)


def split_capacity(committed: int, used: int) -> tuple[int, int, int]:
    """Return the used part of a capacity, its unused remainder, and what goes beyond it (same units)."""
    inside = min(committed, used)
    return inside, committed - inside, used - inside


def shared_by_use(cost_pico_usd: int, weights: Sequence[int], committed: int) -> tuple[list[int], int]:
    """Return the cost of a capacity by users, and the idle rest; they add up to the cost exactly (pico-USD).

    `weights` and `committed` count the same units. Shares are whole, by largest remainder; above the capacity
    the whole cost is shared.
    """
    base = max(committed, sum(weights))
    if base == 0:
        return [0 for _ in weights], cost_pico_usd
    parts = [*weights, base - sum(weights)]
    shares = [cost_pico_usd * part // base for part in parts]
    remainders = [cost_pico_usd * part % base for part in parts]
    order = sorted(range(len(parts)), key=lambda index: (-remainders[index], index))
    for index in order[: cost_pico_usd - sum(shares)]:
        shares[index] += 1
    return shares[:-1], shares[-1]
