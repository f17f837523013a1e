"""The ledger hash: one number that two ledgers share when and only when they are equal.

Lives here: the digest of one day of `int_cost_lines` and the hash over all days (ledger.md 1).
Does not live here: what may enter the table; ingest times, load ids and the book's hash are no columns of it.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date

import pyarrow as pa
import pyarrow.csv as pa_csv

from models.engines.base import Engine
from models.registry import Model

LEDGER_TABLE = "int_cost_lines"
_KEYS = 2**63


def digest_day(engine: Engine, lines: Model, day: date, *, rows_a_slice: int = 500_000) -> str | None:
    """Hex SHA-256 of the rows of `day` in key order as CSV; None when the day has no row.

    Null is an empty field and text is always quoted, so null and "" differ. The keys are spread evenly over
    63 bits, so slices of the first BIGINT key bound the memory without changing the order.
    """
    counted = engine.fetch(
        f"select count(*) as row_count from {lines.name} where {lines.window_column} = $day", {"day": day}
    )
    row_count = int(counted["row_count"][0].as_py())
    if not row_count:
        return None
    digest = hashlib.sha256()
    for table in _slices(engine, lines, day, row_count // rows_a_slice + 1):
        digest.update(_as_csv(table))
    return digest.hexdigest()


def _slices(engine: Engine, lines: Model, day: date, count: int) -> Iterator[pa.Table]:
    slicing = lines.key[1]
    select = (
        f"select * from {lines.name} where {lines.window_column} = $day"
        f" and {slicing} >= $first and {slicing} <= $last order by {', '.join(lines.key)}"
    )
    for index in range(count):
        first, last = _KEYS * index // count, _KEYS * (index + 1) // count - 1
        yield engine.fetch(select, {"day": day, "first": first, "last": last})


def _as_csv(table: pa.Table) -> bytes:
    stream = pa.BufferOutputStream()
    pa_csv.write_csv(table, stream, pa_csv.WriteOptions(include_header=False))
    return stream.getvalue().to_pybytes()


def hash_ledger(day_digests: Mapping[str, str]) -> str:
    """Hex SHA-256 over the digests (hex, by ISO date) in the order of the days."""
    digest = hashlib.sha256()
    for day in sorted(day_digests):
        digest.update(f"{day} {day_digests[day]}\n".encode())
    return digest.hexdigest()
