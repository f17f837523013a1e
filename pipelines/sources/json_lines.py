"""Strict and fast reading of JSON lines: one object per line, split at line-feed bytes only.

A line that is not exactly one JSON object within the limits becomes a reject with its reason. Python's
own parser is the slow second opinion: it is asked only where a key that bears money seems to be repeated.
"""

import gc
import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import orjson

from pipelines.errors import UserError
from pipelines.sources.base import Batch, Reject, RejectError, Row, Skip
from pipelines.sources.lines import MOST_LINE_BYTES, TOO_LONG, split_lines
from pipelines.sources.streams import UTF8_BOM, SourceStream
from pipelines.sources.values import excerpt_of, shown

MOST_DEPTH = 64
MOST_DOCUMENT_BYTES = 256 << 20
# What reading a line may raise: the parser, a rule, or a reader that met a shape it did not expect.
_UNREADABLE = (orjson.JSONDecodeError, RejectError, AttributeError, KeyError, IndexError, TypeError)
# How often a key stands in a line that repeats nothing.
Expected = Iterable[tuple[bytes, int]]
_NOT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))
_COLON, _SPACE = ord(":"), ord(" ")
_NOT_FINITE = re.compile(rb"[:\[,]\s*-?(?:NaN|Infinity)\b")


def read_json_lines(
    stream: SourceStream, parse: Callable[[dict[str, Any], bytes], Row | Skip]
) -> Iterator[Batch]:
    """Yields a batch per few megabytes; `parse` turns one object (and its line) into one record."""
    for first, lines, may_hold_nul in _line_batches(stream):
        batch = Batch(may_hold_nul=may_hold_nul)
        with _without_collection():
            _parse_lines(batch, first, _marked(lines), parse)
        yield batch


def _parse_lines(
    batch: Batch, first: int, lines: Sequence[Any], parse: Callable[[dict[str, Any], bytes], Row | Skip]
) -> None:
    positions, rows = batch.positions, batch.rows
    for position, line in enumerate(lines, first):
        try:
            record = parse(load_object(line), line)
        except _UNREADABLE as error:
            _refuse(batch, position, error, line)
        else:
            if type(record) is tuple:
                positions.append(position)
                rows.append(record)
            elif isinstance(record, Skip):
                batch.skips.append((str(position), record.reason))


def _marked(lines: list[bytes]) -> Sequence[Any]:
    """The lines; byte arrays where white space stands before a colon, so keys cannot be counted fast."""
    codes = np.frombuffer(b"\n".join(lines), np.uint8)
    is_spaced = bool(np.any((codes[1:] == _COLON) & (codes[:-1] <= _SPACE)))
    return [line if line is TOO_LONG else bytearray(line) for line in lines] if is_spaced else lines


@contextmanager
def _without_collection() -> Generator[None]:
    """Parsed JSON holds no cycles, so looking for them in every new object is time lost: a tenth of all."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_json_groups(
    stream: SourceStream, parse: Callable[[dict[str, Any], bytes], Iterable[Row | Skip | RejectError]]
) -> Iterator[Batch]:
    """As `read_json_lines`, for a format with many records in one line: positions are "line/record"."""
    for first, lines, may_hold_nul in _line_batches(stream):
        batch = Batch(may_hold_nul=may_hold_nul)
        for position, line in enumerate(lines, first):
            try:
                _add_group(batch, position, parse(load_object(line), line))
            except _UNREADABLE as error:
                _refuse(batch, position, error, line)
        yield batch


def _line_batches(stream: SourceStream) -> Iterator[tuple[int, list[bytes], bool]]:
    """Lines of the file; one document over many lines gives its object, or those of its list."""
    start = stream.head.lstrip()
    if not (start.startswith(b"[") or start.split(b"\n", 1)[0].strip() == b"{"):
        yield from split_lines(stream)
        return
    content = stream.content(MOST_DOCUMENT_BYTES)
    try:
        document = orjson.loads(content)
        json.loads(content, object_pairs_hook=pairs_once)
    except (orjson.JSONDecodeError, RejectError) as error:
        raise UserError(
            f"'{stream.name}' is not one JSON document: {str(error)[:100]}",
            where=str(stream.path),
            allowed="a list of records, one record, or one record per line",
            next_step="export it again; nothing of it was landed",
        ) from None
    records = document if type(document) is list else [document]
    yield 0, [orjson.dumps(record) for record in records], b"\\u0000" in content


def load_object(line: bytes) -> dict[str, Any]:
    """Returns the one JSON object of a line; raises what `orjson` raises, or a reject."""
    record = orjson.loads(line)
    if type(record) is not dict:
        raise RejectError("not_an_object", f"$: the line holds a {type(record).__name__}")
    if line.count(b"{") + line.count(b"[") > MOST_DEPTH and not _is_shallow(line):
        raise RejectError("too_deep", f"nested deeper than {MOST_DEPTH}")
    return record


def check_keys_once(line: bytes, expected: Expected) -> None:
    """Rejects a line that repeats a key in one object; cheap unless a count is above the expected."""
    for key, count in expected:
        if line.count(key) > count:
            json.loads(line, object_pairs_hook=pairs_once)
            return


def has_keys_of(line: bytes, *objects: dict[str, Any] | None) -> bool:
    """Whether the keys in a line are just those of these objects: then none of them is repeated.

    One look at the line instead of one per key. No is not "repeated": there may be other objects, or a text
    that looks like a key.
    """
    keys = sum([len(found) for found in objects if found])
    return type(line) is bytes and line.count(b'":') == keys


def _add_group(batch: Batch, position: int, records: Iterable[Row | Skip | RejectError]) -> None:
    found = list(records)  # all of the line before any of it, so that a late failure leaves no half line
    for part, record in enumerate(found):
        place = f"{position}/{part}"
        if type(record) is tuple:
            batch.positions.append(place)
            batch.rows.append(record)
        elif isinstance(record, Skip):
            batch.skips.append((place, record.reason))
        elif isinstance(record, RejectError):
            batch.rejects.append(Reject(place, record.reason_code, record.detail, ""))


def _refuse(batch: Batch, position: int, error: Exception, line: bytes) -> None:
    """Adds the reject of a line; a blank line is none."""
    if not line.strip():
        return
    if isinstance(error, RejectError):
        code, detail = error.reason_code, error.detail
    elif isinstance(error, orjson.JSONDecodeError):
        code, detail = explain_broken(line)
    else:
        code, detail = "unexpected_shape", f"{type(error).__name__}: {str(error)[:100]}"
    batch.rejects.append(Reject(str(position), code, detail, excerpt_of(line)))


def explain_broken(line: bytes) -> tuple[str, str]:
    """Returns reason code and detail of a line the parser refused."""
    if line is TOO_LONG:
        return "line_too_long", f"longer than {MOST_LINE_BYTES >> 20} MB"
    if b"\x00" in line:
        return "nul_byte", f"NUL at byte {line.index(0)}"
    if line.startswith(UTF8_BOM):
        return "byte_order_mark", "a byte-order mark inside the file: two files were joined"
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return "invalid_utf8", f"byte {error.start}"
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if _NOT_FINITE.search(line):
            return "not_a_finite_number", error.msg[:80]
        return _kind_of(error.msg), error.msg[:80]
    return "broken_json", "read at the second attempt only"


def _kind_of(message: str) -> str:
    for words, code in (
        ("surrogate", "lone_surrogate"),
        ("infinity", "not_a_finite_number"),
        ("depth limit", "too_deep"),
    ):
        if words in message:
            return code
    return "broken_json"


def _is_shallow(line: bytes) -> bool:
    """Whether brackets nest at most 64 deep; where brackets inside texts mislead, all is walked."""
    brackets = line.translate(None, _NOT_BRACKETS)
    for _ in range(MOST_DEPTH):
        shorter = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if not shorter:
            return True
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return _depth(orjson.loads(line)) <= MOST_DEPTH


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while nested := [item for item in level if isinstance(item, dict | list)]:
        deepest += 1
        level = [child for item in nested for child in (item.values() if isinstance(item, dict) else item)]
    return deepest


def pairs_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns the pairs as a dict; rejects a key that stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RejectError("duplicate_key", f"key {shown(twice)} stands twice in one object")
    return found
