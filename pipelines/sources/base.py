"""What a reader is, and the words its results are made of.

A reader is one file of this folder. It turns the bytes of one format into records under canonical
*reported* names: it copies, it does not interpret. It has no clock, no network and no price. What
every record needs besides (keys, checks, Arrow columns) is the frame's work (`frame.py`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pipelines.sources.streams import SourceStream

# One record as the reader states it: values in the order of the reader's FIELDS.
Row = tuple[Any, ...]


class RejectError(Exception):
    """A record that cannot be read; raised by a reader, caught by the frame.

    Args:
        reason_code: Machine-readable reason, lower_snake_case.
        detail: What was found and where (a JSON path, both numbers). Never prompt text.
    """

    def __init__(self, reason_code: str, detail: str) -> None:
        self.reason_code, self.detail = reason_code, detail
        super().__init__(f"{reason_code}: {detail}")


@dataclass(frozen=True, slots=True)
class Skip:
    """A record that is no inference record, with the reason it is left out."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reject:
    """One refused record: where it stands, why, and an excerpt that holds no prompt text."""

    position: str
    reason_code: str
    detail: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a source entry states that the file does not.

    Args:
        zone: IANA name of the zone of times without one.
        start_us: Instant that relative times count from, microseconds UTC.
        instant_us: Instant for records without any time, microseconds UTC.
        model: Model of a source that names none.
    """

    zone: str | None = None
    start_us: int | None = None
    instant_us: int | None = None
    model: str | None = None


@dataclass(slots=True)
class Batch:
    """Some consecutive records of one file.

    Args:
        positions: Record positions of the rows: whole numbers or texts like "3/1".
        rows: Parsed records, values in the order of the reader's FIELDS.
        skips: Position and reason of the records left out.
        rejects: The refused records.
        columns: Instead of rows: one sequence per field, all as long as `positions`.
        may_hold_nul: Whether a text may contain the NUL character.
    """

    positions: list[Any] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    skips: list[tuple[str, str]] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    columns: Mapping[str, Sequence[Any]] | None = None
    may_hold_nul: bool = False


class Reader(Protocol):
    """The module of one format. `CONSTANTS` are fields that hold one value in every record.

    VERSION grows whenever the same bytes would give other rows.
    """

    SOURCE: str
    VERSION: int
    TABLE: str
    FIELDS: tuple[str, ...]
    CONSTANTS: Mapping[str, Any]

    def sniff(self, head: bytes) -> bool:
        """Returns whether the first bytes of a file look like this format."""
        ...

    def read(self, stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
        """Yields the records of the file in their order."""
        ...


def chunks(records: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yields lists of at most `size` records."""
    held: list[Any] = []
    for record in records:
        held.append(record)
        if len(held) >= size:
            yield held
            held = []
    if held:
        yield held
