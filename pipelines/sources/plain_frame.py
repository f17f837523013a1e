"""The frame of records that are no attempts: aggregates, invoice lines, GPU samples, stated device costs.

As the frame of attempts it checks whole columns, makes keys and Arrow columns by the schema of the table,
and turns what breaks a rule into a reject. None of these tables has prices, owners or usage to split.
"""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from models.columns import required_columns, table_schema
from models.keys import key63
from pipelines.secrets import Hasher
from pipelines.sources.base import Batch, Reader, ReadOptions
from pipelines.sources.frame import Framed, reject_of
from pipelines.sources.rules import Fault, broken_values
from pipelines.sources.values import DAY_US

# A provider's month may hold far more tokens than any single call.
MOST_COUNT = 10**15
# The field whose instant decides the day of a record.
DECIDING = {
    "raw_usage_aggregates": "period_start_us",
    "raw_invoice_lines": "period_start_us",
    "raw_gpu_samples": "sampled_at_us",
    "raw_device_costs": "period_start_us",
}
MADE_HERE = {"usage_date", "source", "record_key", "file_sha256", "record_position", "time_basis"}


class PlainFrame:
    """Frames the batches of one file.

    Args:
        reader: The reader of the file; its TABLE is one of DECIDING.
        file_sha256: Content hash of the file.
        hasher: Keyed hash of people, customers and keys.
        options: What a source entry stated for the file.
    """

    def __init__(self, reader: Reader, file_sha256: str, hasher: Hasher, options: ReadOptions) -> None:
        self._reader, self._file_sha256, self._hasher, self._options = reader, file_sha256, hasher, options
        self._schema = table_schema(reader.TABLE)
        self._instant = DECIDING[reader.TABLE]
        # An empty slice id is the whole GPU.
        self._required = set(required_columns(reader.TABLE)) - MADE_HERE - {"mig_id"}

    def __call__(self, batch: Batch) -> Framed:
        """Returns the framed batch: rows + skips + rejects make up its records."""
        stated = zip(*batch.rows, strict=True) if batch.rows else ((),) * len(self._reader.FIELDS)
        columns: dict[str, Sequence[Any]] = dict(zip(self._reader.FIELDS, stated, strict=True))
        columns |= {name: (value,) * len(batch.positions) for name, value in self._reader.CONSTANTS.items()}
        untimed = [value is None for value in columns[self._instant]]
        if self._options.instant_us is not None:
            given = self._options.instant_us
            columns[self._instant] = [given if value is None else value for value in columns[self._instant]]
        faults = broken_values(columns, batch.may_hold_nul, self._required, MOST_COUNT)
        faults = {row: _named(fault, self._instant) for row, fault in faults.items()}
        faults |= _backwards(columns, faults)
        keep = [row not in faults for row in range(len(batch.positions))]
        rejects = [reject_of(columns, batch.positions, row, fault) for row, fault in faults.items()]
        kept = {name: list(compress(values, keep)) for name, values in columns.items()}
        table = self._table(kept, list(compress(batch.positions, keep)), list(compress(untimed, keep)))
        return Framed(table, batch.skips, batch.rejects + rejects)

    def _table(
        self, columns: Mapping[str, Sequence[Any]], positions: Sequence[Any], untimed: Sequence[bool]
    ) -> pa.Table:
        source, ids, count = self._reader.SOURCE, columns["source_event_id"], len(positions)
        is_assumed = self._options.zone is not None or self._options.start_us is not None
        made: dict[str, Any] = {
            "usage_date": pc.divide(pa.array(columns[self._instant], pa.int64()), DAY_US).cast(pa.int32()),
            "source": [source] * count,
            "record_key": [key63(self._reader.TABLE, source, name) for name in ids],
            "file_sha256": [self._file_sha256] * count,
            "record_position": [str(position) for position in positions],
            "time_basis": ["assumed" if is_assumed or each else "stated" for each in untimed],
            "api_key_hash": [self._hasher("api_key", key) for key in columns.get("api_key", [None] * count)],
        }
        arrays = [_array(made.get(f.name, columns.get(f.name)), f.type, count) for f in self._schema]
        return pa.Table.from_arrays(arrays, schema=self._schema)


def _array(values: Any, kind: pa.DataType, count: int) -> pa.Array:
    if values is None:
        values = [None] * count
    return values.cast(kind) if isinstance(values, pa.Array) else pa.array(values, kind)


def _named(fault: Fault, instant: str) -> Fault:
    is_time = fault.reason_code == "missing_field" and fault.detail.startswith(instant)
    return Fault("missing_time", fault.detail) if is_time else fault


def _backwards(columns: Mapping[str, Sequence[Any]], known: Mapping[int, Fault]) -> dict[int, Fault]:
    starts, ends = columns.get("period_start_us", ()), columns.get("period_end_us", ())
    return {
        row: Fault("start_after_end", f"period_start_us {start}, period_end_us {end}")
        for row, (start, end) in enumerate(zip(starts, ends, strict=True) if ends else ())
        if row not in known and start >= end
    }
