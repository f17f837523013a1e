"""Writing the rows of one file as Parquet parts, one per table and day, all of them or none.

Lives here: the unfinished folder, buffering, fsync and rename into place. Does not live here: the manifest,
which alone makes the parts count.
"""

import shutil
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.durable import sync_file, sync_folder
from pipelines.errors import UserError

UNFINISHED = "unfinished"
ROWS_PER_GROUP = 65_536
# All days together: what a file in no order of time may keep in memory.
MOST_ROWS_HELD = 262_144
MOST_DAYS = 800


class PartWriter:
    """Takes tables in the order of the file; `finish` moves the parts into place. Leaving early removes them.

    Args:
        landed: The landed folder.
        file_sha256: Content hash of the file, the name of its parts.
    """

    def __init__(self, landed: Path, file_sha256: str) -> None:
        self._landed, self._name = landed, f"{file_sha256}.parquet"
        self._folder = landed / UNFINISHED / file_sha256
        self._held: dict[str, list[pa.Table]] = {}
        self._rows: dict[str, int] = {}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._total: dict[str, int] = {}

    def __enter__(self) -> "PartWriter":
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._writers.values():
            # After a full disk closing fails again; the first error is the one to tell.
            try:
                writer.close()
            except OSError:
                if kind is None:
                    raise
        shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, table_name: str, rows: pa.Table) -> None:
        """Takes rows; those with a `usage_date` are parted by it."""
        if not len(rows):
            return
        if "usage_date" not in rows.schema.names:
            self._hold(f"{table_name}/{self._name}", rows)
            return
        days: list[Any] = pc.unique(rows["usage_date"]).to_pylist()
        for day in days:
            part = (
                rows if len(days) == 1 else rows.filter(pc.field("usage_date") == pa.scalar(day, pa.date32()))
            )
            self._hold(f"{table_name}/usage_date={day.isoformat()}/{self._name}", part)
        if len(self._total) > MOST_DAYS:
            raise UserError(
                f"the records lie on more than {MOST_DAYS} days",
                allowed=f"at most {MOST_DAYS} days in one file",
                next_step="check its times, or split it",
            )

    def _hold(self, part: str, rows: pa.Table) -> None:
        self._held.setdefault(part, []).append(rows)
        self._rows[part] = self._rows.get(part, 0) + len(rows)
        self._total[part] = self._total.get(part, 0) + len(rows)
        if self._rows[part] >= ROWS_PER_GROUP:
            self._flush(part)
        while sum(self._rows.values()) > MOST_ROWS_HELD:
            self._flush(max(self._rows, key=lambda name: self._rows[name]))

    def _flush(self, part: str) -> None:
        table = pa.concat_tables(self._held.pop(part))
        del self._rows[part]
        if part not in self._writers:
            path = self._folder / part
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writers[part] = pq.ParquetWriter(path, table.schema, compression="zstd")
        self._writers[part].write_table(table)

    def finish(self) -> dict[str, int]:
        """Makes the parts durable, moves them into place; returns their rows by path in the landed folder."""
        for part in sorted(self._held):
            self._flush(part)
        for part in sorted(self._writers):
            self._writers[part].close()
            sync_file(self._folder / part)
        folders: set[Path] = set()
        for part in sorted(self._writers):
            target = self._landed / part
            target.parent.mkdir(parents=True, exist_ok=True)
            (self._folder / part).replace(target)
            folders |= {target.parent, target.parent.parent, self._landed}
        for folder in sorted(folders):
            sync_folder(folder)
        self._writers.clear()
        return dict(sorted(self._total.items()))
