"""The two errors of this room: one that a person can fix, one that a query ran into.

What lives here: their shapes and the sentence that lists allowed values. What does not: printing and
exit codes, which belong to the command line.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

LAYERS = {
    "raw": "input",
    "stg": "staging",
    "int": "attributed",
    "dim": "marts",
    "fct": "marts",
    "agg": "marts",
    "export": "marts",
    "check": "checks",
}


class UserError(ValueError):
    """What a person wrote and can put right; the message names the value, the place and the step."""


class ModelError(RuntimeError):
    """A query that failed, wrapped once.

    Args:
        name: Model or table the query was for, or a word in brackets for an unnamed query.
        statement: The SQL text as it was given to the engine.
        params: The bound parameters.
        reason: What went wrong, in the engine's words or ours.
    """

    def __init__(self, name: str, statement: str, params: Mapping[str, object], reason: str) -> None:
        self.name = name
        self.layer = layer_of(name)
        self.statement = statement
        self.params = dict(params)
        self.reason = reason
        super().__init__(self._message())

    def __reduce__(self) -> tuple[type["ModelError"], tuple[object, ...]]:
        """Pickle with the four facts, so that the error crosses a process boundary whole."""
        return (type(self), (self.name, self.statement, self.params, self.reason))

    def _message(self) -> str:
        bound = ", ".join(f"${key} = {value}" for key, value in sorted(self.params.items())) or "none"
        return (
            f"'{self.name}' ({self.layer}) failed: {self.reason}\n"
            f"parameters: {bound}\nstatement:\n{self.statement}"
        )


def layer_of(name: str) -> str:
    """Name the layer that a table's prefix stands for, or `query` when the prefix is none of ours."""
    return LAYERS.get(name.partition("_")[0], "query")


def nearest_first(value: str, allowed: Iterable[str], shown: int = 8) -> str:
    """List the allowed values as text, the closest to `value` first, at most `shown` of them."""
    ordered = sorted(allowed)
    close = get_close_matches(value, ordered, n=3, cutoff=0.5)
    rest = [name for name in ordered if name not in close]
    names = (close + rest)[:shown]
    more = len(ordered) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
