"""Identity of rows without an id: their content and their ordinal among equal rows.

Splitting or joining files does not change it, as long as equal rows stand at one instant of one file.
"""

from collections import Counter
from typing import Any


class Ordinals:
    """Counts equal rows while remembering only those of the latest instant, for such files are in time order.

    A row behind the latest instant may have a forgotten twin: it gets an ordinal of its own kind, so that
    two rows never become one.
    """

    def __init__(self) -> None:
        self._latest: Any = None
        self._seen: Counter[tuple[Any, ...]] = Counter()
        self._late: Counter[tuple[Any, ...]] = Counter()

    def __call__(self, at: Any, *content: Any) -> str:
        """Returns the ordinal of a row at an instant (anything that can be ordered) with this content."""
        if self._latest is not None and at < self._latest:
            self._late[(at, *content)] += 1
            return f"late{self._late[(at, *content)]}"
        if at != self._latest:
            self._latest = at
            self._seen.clear()
        self._seen[content] += 1
        return str(self._seen[content] - 1)
