"""The error a person can fix in a price file.

Only the exception lives here; every message is made where the value is known and says: what was wrong with
the value, where (file, line, key), what is allowed with the nearest first, and the next step.
"""

from difflib import get_close_matches


class PriceBookError(ValueError):
    """A price file, a model name table or a usage record cannot be used as it stands."""


def nearest(word: str, allowed: list[str], count: int = 3) -> str:
    """Return the allowed words, the closest to `word` first, as text for a message."""
    close = get_close_matches(word, allowed, n=count, cutoff=0.4)
    rest = sorted(set(allowed) - set(close))
    shown = [*close, *rest][: max(count, 8)]
    more = len(close) + len(rest) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
