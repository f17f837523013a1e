"""How long work says where it is.

Lives here: the one shape of a progress report, and the silent one.
Does not live here: how it is drawn; the command line does that.
"""

from collections.abc import Callable

# What is being done, how many steps are done, how many there are.
Progress = Callable[[str, int, int], None]


def stay_quiet(what: str, done: int, total: int) -> None:
    """Report nothing."""
    del what, done, total
