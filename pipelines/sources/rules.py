"""The rules every record keeps, whatever its format, and the faults of those that break one.

Whole columns are looked at first; single rows only where a column breaks a rule. What a format requires
beyond this stands in its reader.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.errors import UserError, nearest_first
from pipelines.sources.groups import OWNER_FIELDS, RATE_FIELDS
from pipelines.sources.values import shown, us_of

Numbers = npt.NDArray[np.int64]

MOST_COUNT = 10**9
MOST_ID_CHARACTERS = 1024
EARLIEST_US = us_of(datetime(2020, 1, 1))
LATEST_US = us_of(datetime(2100, 1, 1))
OTHER_COUNTS = {"stated_attempt_number", "http_status"}
# A sequence is an order, not a count: some sources state a time in it.
INTEGERS = {"record_sequence"}
READINGS = ("_bytes", "_ppm", "_milliwatts", "_millijoules", "_request_count")
REQUIRED = {"source_event_id", "outcome", "usage_profile"}
# Texts that are cut rather than refused: a long tag must not cost the money of its record.
CUT_TEXTS = {*OWNER_FIELDS, *RATE_FIELDS, "error_type", "finish_reason", "operation", "tags"}
WRITE_PARTS = tuple(f"reported_cache_write_{life}" for life in ("5m", "30m", "1h", "12h"))
Columns = Mapping[str, Sequence[Any]]


class Fault(NamedTuple):
    """Why a record is refused: reason code, and what was found."""

    reason_code: str
    detail: str


@dataclass(frozen=True, slots=True)
class UsageProfile:
    """What is inside what, for the counts of one kind of usage object.

    Args:
        is_cached_in_input: The input count includes cached tokens.
        is_cache_write_in_input: The input count includes tokens written to the cache.
        is_reasoning_in_output: The output count includes reasoning tokens.
        is_exclusive_if_exceeding: A cached count above the input count proves exclusive counts.
    """

    is_cached_in_input: bool
    is_cache_write_in_input: bool
    is_reasoning_in_output: bool
    is_exclusive_if_exceeding: bool


def kind_of(field: str) -> str:
    """Returns the kind of a reader's field: count, integer, time, flag or text."""
    if field in INTEGERS:
        return "integer"
    if field in OTHER_COUNTS or (field.startswith("reported_") and field != "reported_cost_usd"):
        return "count"
    if field.endswith(("_at_us", "_start_us", "_end_us")):
        return "time"
    if field.endswith(READINGS):
        return "integer"
    return "flag" if field.startswith(("is_", "has_")) else "text"


_TYPES = {"count": int, "integer": int, "time": int, "flag": bool, "text": str}
_BOUNDS = {"count": (0, MOST_COUNT), "integer": (-(2**63), 2**63 - 1), "time": (EARLIEST_US, LATEST_US - 1)}
_WRONG_TYPE = {
    "count": "not_a_count",
    "integer": "not_a_count",
    "time": "not_a_time",
    "flag": "not_a_flag",
    "text": "not_a_text",
}


class _Limits(NamedTuple):
    """What holds for one table: fields that are never null, and the bounds by kind of field."""

    required: Set[str]
    may_hold_nul: bool
    bounds: Mapping[str, tuple[int, int]]


def broken_values(
    columns: Columns, may_hold_nul: bool, required: Set[str] = REQUIRED, most_count: int = MOST_COUNT
) -> dict[int, Fault]:
    """Returns the fault of each row that holds a value of the wrong type or outside its bounds."""
    limits = _Limits(required, may_hold_nul, _BOUNDS | {"count": (0, most_count)})
    faults: dict[int, Fault] = {}
    for field, values in columns.items():
        kind = kind_of(field)
        if not _is_sound(field, kind, values, limits):
            for row, value in enumerate(values):
                fault = _fault_of(field, kind, value, limits)
                if fault and row not in faults:
                    faults[row] = fault
    return faults


def _is_sound(field: str, kind: str, values: Sequence[Any], limits: _Limits) -> bool:
    types = set(map(type, values))
    if field not in limits.required:
        types.discard(NoneType)
    if not types <= {_TYPES[kind]}:
        return False
    if kind == "flag" or not types:
        return True
    if kind == "text":
        is_short = field in CUT_TEXTS or max(map(len, filter(None, values)), default=0) <= MOST_ID_CHARACTERS
        is_there = field not in limits.required or "" not in values
        return is_short and is_there and not limits.may_hold_nul
    low, high = limits.bounds[kind]
    stated = values if NoneType not in types and None not in values else [v for v in values if v is not None]
    return low <= min(stated) and max(stated) <= high


def _fault_of(field: str, kind: str, value: Any, limits: _Limits) -> Fault | None:
    is_required = field in limits.required
    if value is None or (is_required and value == ""):
        return Fault("missing_field", f"{field}: required and not there") if is_required else None
    if type(value) is not _TYPES[kind]:
        return Fault(_WRONG_TYPE[kind], f"{field}: {shown(value)}")
    if kind == "text":
        return _text_fault(field, value)
    if kind == "flag":
        return None
    low, high = limits.bounds[kind]
    if low <= value <= high:
        return None
    if kind == "time":
        return Fault("time_out_of_range", f"{field}: {value} us since 1970 is not from 2020 to 2099")
    if value < low:
        return Fault("negative_count", f"{field}: {value}")
    return Fault("absurd_count", f"{field}: {value} is more than {high}")


def _text_fault(field: str, value: str) -> Fault | None:
    if "\x00" in value:
        return Fault("nul_in_text", f"{field}: NUL at character {value.index(chr(0))}")
    if len(value) > MOST_ID_CHARACTERS and field not in CUT_TEXTS:
        return Fault("text_too_long", f"{field}: {len(value)} characters, at most {MOST_ID_CHARACTERS}")
    return None


def broken_records(table: pa.Table, profiles: Mapping[str, UsageProfile]) -> dict[int, Fault]:
    """Returns the fault of each row of `raw_attempts` whose fields contradict each other."""
    faults: dict[int, Fault] = {}
    used_at = _numbers(table, "used_at_us")
    for row in np.flatnonzero(used_at < 0):
        faults[int(row)] = Fault("missing_time", "no start, first token, creation, end or log time")
    start, end = _numbers(table, "started_at_us"), _numbers(table, "ended_at_us")
    for row in np.flatnonzero((start >= 0) & (end >= 0) & (start > end)):
        faults[int(row)] = Fault("start_after_end", f"started_at_us {start[row]}, ended_at_us {end[row]}")
    names = table["usage_profile"]
    profile_names: list[Any] = pc.unique(names).to_pylist()
    for name in profile_names:
        is_named = names.to_numpy() == name
        for row, fault in _remainders(table, _profile(profiles, name)):
            if is_named[row]:
                faults.setdefault(row, fault)
    return faults


def _profile(profiles: Mapping[str, UsageProfile], name: str) -> UsageProfile:
    if name not in profiles:
        raise UserError(
            f"'{name}' is not a usage profile",
            where="a reader's usage_profile",
            allowed=nearest_first(name, profiles),
            next_step="add it to pricing/tables/usage_profiles.yml",
        )
    return profiles[name]


def _remainders(table: pa.Table, profile: UsageProfile) -> Iterator[tuple[int, Fault]]:
    """Yields rows whose parts exceed their total: a negative remainder is never clipped."""
    parts = sum((_zeros(table, name) for name in WRITE_PARTS), start=np.zeros(len(table), np.int64))
    written = _numbers(table, "reported_cache_write")
    yield from _exceeding("reported_cache_write", written, parts, "its lifetimes")
    written = np.where(written < 0, parts, written)
    cached, total = _zeros(table, "reported_cached"), _numbers(table, "reported_input")
    inside = _zeros(table, "reported_input_audio") + _zeros(table, "reported_input_image")
    inside += cached * profile.is_cached_in_input + written * profile.is_cache_write_in_input
    reasoning, output = _zeros(table, "reported_reasoning"), _numbers(table, "reported_output")
    whole = _numbers(table, "reported_total")
    gap = np.where((whole >= 0) & (total >= 0) & (output >= 0), whole - total - output, 0)
    is_outside = _is_added(gap, cached, written, reasoning)
    is_exclusive = profile.is_exclusive_if_exceeding & (cached + written > total)
    yield from _exceeding(
        "reported_input", total, np.where(is_outside | is_exclusive, 0, inside), "its parts"
    )
    inside = _zeros(table, "reported_output_audio") + _zeros(table, "reported_output_image")
    inside += np.where(is_outside, 0, reasoning * profile.is_reasoning_in_output)
    yield from _exceeding("reported_output", output, inside, "its parts")


def _is_added(gap: Numbers, *parts: Numbers) -> npt.NDArray[np.bool_]:
    """Whether the stated total exceeds input and output by just some of the parts: then those are outside."""
    found = np.zeros(len(gap), np.bool_)
    for size in range(1, len(parts) + 1):
        for chosen in combinations(parts, size):
            found |= sum(chosen) == gap
    return found & (gap > 0)


def _exceeding(name: str, total: Numbers, inside: Numbers, parts: str) -> Iterator[tuple[int, Fault]]:
    for row in np.flatnonzero((total >= 0) & (inside > total)):
        detail = f"{name} {total[row]} is less than {parts} {inside[row]}"
        yield int(row), Fault("negative_remainder", detail)


def _numbers(table: pa.Table, name: str) -> Numbers:
    """The column with -1 for null."""
    return _filled(table, name, -1)


def _zeros(table: pa.Table, name: str) -> Numbers:
    return _filled(table, name, 0)


def _filled(table: pa.Table, name: str, value: int) -> Numbers:
    filled: Any = pc.fill_null(table[name], pa.scalar(value, pa.int64()))
    return filled.to_numpy()
