"""Lines of a file: split at line-feed bytes only, with a limit on the length of one.

A carriage return before the line feed stays on its line; every format here reads it as white space.
"""

from collections.abc import Iterator

from pipelines.sources.streams import SourceStream

BATCH_BYTES = 4 << 20
MOST_LINE_BYTES = 8 << 20
# Stands for a line above the limit; told by identity, for a line may hold any bytes.
TOO_LONG = b"\x00too long"
_ESCAPED_NUL = b"\\u0000"


def split_lines(stream: SourceStream) -> Iterator[tuple[int, list[bytes], bool]]:
    """Yields lists of lines with the number of the first, and whether an escaped NUL stands in them.

    A line above the limit is replaced by a marker.
    """
    first = 0
    held: list[bytes] = []
    held_bytes = 0
    is_skipping = False
    for block in stream.blocks():
        held.append(block)
        held_bytes += len(block)
        if held_bytes < BATCH_BYTES:
            continue
        joined = b"".join(held)
        *lines, tail = joined.split(b"\n")
        if is_skipping and lines:
            lines[0], is_skipping = TOO_LONG, False
        if is_skipping or len(tail) > MOST_LINE_BYTES:
            tail, is_skipping = b"", True
        yield first, _bounded(lines, len(joined)), _ESCAPED_NUL in joined
        first += len(lines)
        held, held_bytes = [tail], 0
    joined = b"".join(held)
    lines = joined.split(b"\n")
    if is_skipping:
        lines[0] = TOO_LONG
    yield first, _bounded(lines, len(joined)), _ESCAPED_NUL in joined


def _bounded(lines: list[bytes], byte_count: int) -> list[bytes]:
    if byte_count <= MOST_LINE_BYTES:
        return lines
    return [line if len(line) <= MOST_LINE_BYTES else TOO_LONG for line in lines]
