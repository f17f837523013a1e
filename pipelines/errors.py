"""Errors that the person at the keyboard can fix.

Lives here: the one class whose message the command line prints without a traceback (exit 2).
Does not live here: failures of the work itself (a broken check, a full disk); those exit 1.
"""


class UserError(ValueError):
    """What was wrong with the value in quotes · where · what is allowed, nearest first · next step."""
