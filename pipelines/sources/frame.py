"""The frame: from what a reader states to the columns of `raw_attempts`, every record checked.

A record that breaks a rule leaves as a reject with its reason; the rest gets its keys and its Arrow
columns. Checks look at whole columns and walk single rows only where a column breaks a rule. Nothing here
knows a format or a price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import compress, repeat
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from models.columns import table_schema
from models.keys import key63
from pipelines.secrets import Hasher
from pipelines.sources.base import Batch, Reader, ReadOptions, Reject
from pipelines.sources.groups import MOST_TAG_CHARACTERS, OWNER_FIELDS, RATE_FIELDS, owner_group, rate_group
from pipelines.sources.rules import Fault, UsageProfile, broken_records, broken_values, kind_of
from pipelines.sources.values import DAY_US, MOST_EXCERPT

Columns = Mapping[str, Sequence[Any]]
_DEFAULTS: dict[str, Any] = {"is_placeholder": False, "is_gateway_cache_hit": False}
CUT = ("error_type", "finish_reason", "operation")
# Instants a record may state, the one that decides day and price first.
USED_AT = (
    ("started_at_us", "start"),
    ("first_token_at_us", "first_token"),
    ("created_at_us", "created"),
    ("ended_at_us", "end"),
    ("logged_at_us", "logged"),
)


@dataclass(frozen=True, slots=True)
class Framed:
    """One batch, framed: its Arrow rows, its skips (position, reason) and all its rejects."""

    table: pa.Table
    skips: list[tuple[str, str]]
    rejects: list[Reject]

    @property
    def parsed(self) -> int:
        """How many records became rows; a record with two rows counts once."""
        return len(pc.unique(self.table["record_position"]))


class AttemptFrame:
    """Frames the batches of one file.

    Args:
        reader: The reader of the file.
        file_sha256: Content hash of the file.
        hasher: Keyed hash of people, customers and keys.
        profiles: Usage profiles by name: what is inside what.
        options: What a source entry stated for the file; a stated zone or start makes all its times assumed.
    """

    def __init__(
        self,
        reader: Reader,
        file_sha256: str,
        hasher: Hasher,
        profiles: Mapping[str, UsageProfile],
        options: ReadOptions,
    ) -> None:
        self._reader, self._file_sha256, self._profiles = reader, file_sha256, profiles
        self._hasher, self._instant_us = hasher, options.instant_us
        self._is_time_assumed = options.zone is not None or options.start_us is not None
        self._schema = table_schema(reader.TABLE)
        self._owners = owner_group(hasher)
        self._rates = rate_group()

    def __call__(self, batch: Batch) -> Framed:
        """Returns the framed batch: rows + skips + rejects make up its records."""
        rejects = list(batch.rejects)
        columns, positions = self._columns(batch), batch.positions
        faults = broken_values(columns, batch.may_hold_nul)
        if faults:
            rejects += [reject_of(columns, positions, row, fault) for row, fault in faults.items()]
            keep = [row not in faults for row in range(len(positions))]
            positions = list(compress(positions, keep))
            columns = {name: list(compress(values, keep)) for name, values in columns.items()}
        table = self._table(columns, positions)
        contradictions = broken_records(table, self._profiles)
        if contradictions:
            rejects += [reject_of(columns, positions, row, fault) for row, fault in contradictions.items()]
            table = table.filter(pa.array([row not in contradictions for row in range(len(table))]))
        return Framed(table, batch.skips, rejects)

    def _columns(self, batch: Batch) -> Columns:
        """The stated values by field, constants included."""
        count = len(batch.positions)
        if batch.columns is not None:
            columns: Columns = batch.columns
        elif batch.rows:
            columns = dict(zip(self._reader.FIELDS, zip(*batch.rows, strict=True), strict=True))
        else:
            columns = {field: () for field in self._reader.FIELDS}
        # A file with records of several sources (an application's own log) states the source of each.
        constants = {"source": self._reader.SOURCE} | dict(self._reader.CONSTANTS)
        return {name: list(repeat(value, count)) for name, value in constants.items()} | dict(columns)

    def _table(self, columns: Columns, positions: Sequence[Any]) -> pa.Table:
        count = len(positions)
        made = self._identity(columns, positions)
        made |= _times(columns, count, self._instant_us, self._is_time_assumed) | _usage(columns, count)
        columns = {**columns, "has_output": made["has_output"]}
        made |= self._owners([columns.get(name) or [None] * count for name in OWNER_FIELDS])
        made |= self._rates([columns.get(name) or [None] * count for name in RATE_FIELDS])
        arrays: list[pa.Array] = []
        for field in self._schema:
            found = made.get(field.name, columns.get(field.name))
            default = _DEFAULTS.get(field.name)
            if found is None:
                arrays.append(_constant(default, count, field.type))
                continue
            array = found if isinstance(found, pa.Array) else _array(field, found)
            # A reader whose rows go by name states null where a record says nothing.
            arrays.append(array if default is None else array.fill_null(default))
        return pa.Table.from_arrays(arrays, schema=self._schema)

    def _identity(self, columns: Columns, positions: Sequence[Any]) -> dict[str, Any]:
        count = len(positions)
        made = {
            "file_sha256": _constant(self._file_sha256, count, pa.string()),
            "record_position": pa.array(list(map(str, positions)), pa.string()),
            "attempt_key": self._keys("attempt", columns, "source_event_id"),
        }
        if "stated_request_id" in columns:
            made["stated_request_key"] = self._keys("request", columns, "stated_request_id")
        if "user" in columns:
            made["user_hash"] = pa.array([self._hasher("user", user) for user in columns["user"]])
        return made

    def _keys(self, kind: str, columns: Columns, field: str) -> pa.Array:
        if "source" not in self._reader.FIELDS:
            return keys_of(f"{kind}\x1f{self._reader.SOURCE}\x1f", columns[field])
        pairs = zip(columns["source"], columns[field], strict=True)
        return pa.array(
            [None if text is None else key63(kind, name, text) for name, text in pairs], pa.int64()
        )


def keys_of(prefix: str, ids: Sequence[str | None]) -> pa.Array:
    """Returns `models.keys.key63` of prefix and id for every id, null for null; a column at a time."""
    start = prefix.encode()
    stated = [text for text in ids if text is not None]
    digests = b"".join([sha256(start + text.encode()).digest()[:8] for text in stated])
    keys = (np.frombuffer(digests, ">u8") >> np.uint64(1)).astype(np.int64)
    if len(stated) == len(ids):
        return pa.array(keys)
    found = iter(keys.tolist())
    return pa.array([None if text is None else next(found) for text in ids], pa.int64())


def _times(columns: Columns, count: int, instant_us: int | None, is_assumed: bool) -> dict[str, pa.Array]:
    """The instant that decides the day, and which one it is; a stated instant serves records without any."""
    stated = [(pa.array(columns[name], pa.int64()), word) for name, word in USED_AT if name in columns]
    used_at: Any = pa.nulls(count, pa.int64())
    basis: Any = pa.nulls(count, pa.string())
    for array, word in reversed(stated):
        used_at = pc.coalesce(array, used_at)
        basis = pc.if_else(array.is_valid(), word, basis)
    is_untimed = used_at.is_null()
    if instant_us is not None:
        used_at = pc.fill_null(used_at, pa.scalar(instant_us, pa.int64()))
        basis = pc.fill_null(basis, "logged")
    days = pc.divide(used_at, DAY_US).cast(pa.int32()).cast(pa.date32())
    return {
        "used_at_us": used_at,
        "used_at_basis": basis,
        "usage_date": days,
        "time_basis": pc.if_else(pc.or_(is_untimed, pa.scalar(is_assumed)), "assumed", "stated"),
    }


def _usage(columns: Columns, count: int) -> dict[str, Any]:
    nothing: Sequence[Any] = [None] * count
    inputs, outputs, totals, estimated = (
        columns.get(name, nothing)
        for name in ("reported_input", "reported_output", "reported_total", "is_usage_estimated")
    )
    basis = [
        "missing" if i is None and o is None and t is None else "estimated" if e else "stated"
        for i, o, t, e in zip(inputs, outputs, totals, estimated, strict=True)
    ]
    return {"usage_basis": basis, "has_output": [o is not None and o > 0 for o in outputs]}


def _constant(value: Any, count: int, kind: pa.DataType) -> pa.Array:
    one: Any = pa.scalar(value, kind)
    return pa.repeat(one, count)


def _array(field: pa.Field, values: Sequence[Any]) -> pa.Array:
    array = pa.array(values, field.type)
    if field.name in CUT:
        array = pc.utf8_slice_codeunits(array, 0, MOST_TAG_CHARACTERS)
    return array


def reject_of(columns: Columns, positions: Sequence[Any], row: int, fault: Fault) -> Reject:
    """A reject whose excerpt is the record's numbers: no text of it can be somebody's words."""
    numbers = {
        name: values[row]
        for name, values in columns.items()
        if kind_of(name) in ("count", "time") and type(values[row]) in (int, float)
    }
    excerpt = " ".join(f"{name}={value!r}" for name, value in numbers.items())
    return Reject(str(positions[row]), fault.reason_code, fault.detail, excerpt[:MOST_EXCERPT])
