"""Errors that the person at the keyboard can fix.

Lives here: the one class whose message the command line prints without a traceback (exit 2), and the helper
that puts the nearest allowed value first. Does not live here: failures of the work itself (a broken check,
a full disk); those exit 1.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """What was wrong with the value in quotes · where · what is allowed, nearest first · next step.

    Args:
        what: What was wrong, with the value in quotes; or the whole message.
        where: File, line, record or key.
        allowed: What is allowed.
        next_step: The next command or edit.
    """

    def __init__(self, what: str, *, where: str = "", allowed: str = "", next_step: str = "") -> None:
        self.what = what
        super().__init__(" · ".join(part for part in (what, where, allowed, next_step) if part))


def nearest_first(value: str, known: Iterable[str]) -> str:
    """Returns the known values as one text, those most like `value` in front."""
    names = sorted(known)
    close = get_close_matches(value, names, n=3, cutoff=0.4)
    return ", ".join([*close, *(name for name in names if name not in close)])
