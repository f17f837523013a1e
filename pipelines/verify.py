"""Each published file read back and compared with the warehouse, by other code than wrote it.

Lives here: row count and the sum of every cost column, from the engine and from the file.
Does not live here: writing the file (publish.py) and the checks of meaning (models/checks).
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from models.engines.base import Engine, Params

_COST = re.compile(r"(list|contracted|effective)_cost_(pico_)?usd$")


class PublishError(RuntimeError):
    """A snapshot that may not be published; the last good one stays."""


def cost_columns(schema: pa.Schema) -> list[str]:
    """The columns that hold money of a row, in their order."""
    return [name for name in schema.names if _COST.search(name)]


def verify_file(engine: Engine, select: str, params: Params, path: Path) -> int:
    """Compare the file with the select it was written from; returns its row count or raises PublishError."""
    file = pq.ParquetFile(path)
    with file:
        columns = cost_columns(file.schema_arrow)
        found = _sums_in_file(file, columns)
    expected = _sums_in_warehouse(engine, select, params, columns)
    for what, value in expected.items():
        if found[what] != value:
            raise PublishError(
                f"'{path.name}' of {path.parent.name} was not written right: {what} is "
                f"{_plain(found[what])} in the file and {_plain(value)} in the warehouse · "
                f"nothing is published, the last snapshot stays · next: check the disk, then run again"
            )
    return file.metadata.num_rows


def _sums_in_file(file: pq.ParquetFile, columns: list[str]) -> Mapping[str, Decimal | int | None]:
    sums: dict[str, Decimal | None] = dict.fromkeys(columns)
    for batch in file.iter_batches(columns=columns) if columns else ():
        for name in columns:
            total = pc.sum(pc.cast(batch.column(name), pa.decimal128(38, _scale(batch, name)))).as_py()
            sums[name] = _add(sums[name], total)
    return {"row count": file.metadata.num_rows} | {f"sum of {name}": value for name, value in sums.items()}


def _scale(batch: pa.RecordBatch, name: str) -> int:
    kind = batch.schema.field(name).type
    return kind.scale if pa.types.is_decimal(kind) else 0


def _plain(value: Decimal | int | None) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _add(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def _sums_in_warehouse(
    engine: Engine, select: str, params: Params, columns: list[str]
) -> Mapping[str, Decimal | int | None]:
    sums = "".join(
        f", cast(sum({name}) as decimal(38,{0 if name.endswith('_pico_usd') else 12})) as {name}"
        for name in columns
    )
    row = engine.fetch(f"select count(*) as row_count{sums} from ({select}) as written", params).to_pylist()[
        0
    ]
    return {"row count": row["row_count"]} | {f"sum of {name}": row[name] for name in columns}
