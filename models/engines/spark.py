"""The scale-out engine: the same select statements on Spark, translated on their way in.

What lives here: how Spark keeps the verbs of the port, and every difference between the two engines. What
does not: any model. Nothing else imports pyspark or sqlglot.
"""

import logging
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pyarrow as pa

from models.columns import table_schema
from models.engines.base import SHADOWED, WINDOW, Params, bound, refuse_changed, refuse_inexact
from models.errors import ModelError, UserError

try:
    import sqlglot
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.functions import col
    from pyspark.sql.pandas.types import to_arrow_schema
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
except ImportError as error:
    step = "install the group spark: uv pip install --require-hashes -r requirements/spark.txt"
    raise UserError(f"'{error.name}' is not installed · models/engines/spark.py · {step}") from error

_UNNAMED = "(query)"
_DAY = "window_day"
_SPELLING = {"int": "INTEGER", "string": "VARCHAR"}
_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# INTEGER on Spark, BIGINT on DuckDB.
_INTEGERS = (exp.RowNumber, exp.Rank, exp.DenseRank)


class SparkEngine:
    """The port on a Spark session of its own (`master`); its tables last as long as the engine.

    They are files in `folder`, which every executor must see; null for a temporary one.
    """

    def __init__(self, master: str = "local[2]", folder: Path | None = None) -> None:
        self._session = _session(master)
        self._folder = Path(mkdtemp(prefix="inferledger-", dir=folder))
        self._frames: dict[str, DataFrame] = {}
        self._days: dict[str, Path] = {}
        self._shadowed: list[str] = []
        self._made = 0

    def load(self, name: str, source: pa.Table | Sequence[Path]) -> None:
        """Make `name` stand for an Arrow table or for Parquet files; no files: an empty input table."""
        self._refuse_shadowed(name)
        self._days.pop(name, None)
        if isinstance(source, pa.Table) or not source:
            arriving = source if isinstance(source, pa.Table) else table_schema(name).empty_table()
            self._point(name, self._written(name, self._session.createDataFrame(arriving)))
        else:
            self._point(name, self._read(source))

    def build(self, name: str, select: str, params: Params) -> int:
        """Write the table anew from the select, all or nothing; returns its row count."""
        self._refuse_shadowed(name)
        with _wrapped(name, select, params):
            frame = self._written(name, self._frame(name, select, params))
            self._days.pop(name, None)
            self._point(name, frame)
            return frame.count()

    def replace_window(self, name: str, select: str, params: Params, column: str) -> int:
        """Drop the days of the window, insert the select's rows by day; returns the count of new rows.

        Written aside first: overwriting by partition alone would keep a day that became empty.
        """
        self._refuse_shadowed(name)
        with _wrapped(name, select, params):
            frame = self._frame(name, select, params)
            if name in self._frames:
                refuse_changed(name, select, self._frames[name].dtypes, frame.dtypes)
            window = bound(name, WINDOW, params)
            start, end = str(window["window_start"]), str(window["window_end"])
            staged = self._write_days(name, frame, column)
            for day in _days(staged):
                # Days in ISO form sort as text, and null after all of them.
                if not start <= day < end:
                    raise ModelError(name, select, params, f"row outside the window: {day}")
            count = self._read([staged], frame).count()
            if name not in self._days:
                held = self._frames.get(name, frame.limit(0))
                self._days[name] = self._write_days(name, held, column)
            table = self._days[name]
            for day, folder in _days(table).items():
                if start <= day < end:
                    shutil.rmtree(folder)
            for folder in _days(staged).values():
                folder.rename(table / folder.name)
            self._point(name, self._read([table], frame))
            return count

    @contextmanager
    def shadow(self, name: str, select: str, params: Params) -> Generator[None]:
        """Let `name` stand for the select inside the `with` block, as files under a temporary view."""
        with _wrapped(name, select, params):
            frame = self._written(name, self._frame(name, select, params))
        before = self._frames.get(name)
        self._point(name, frame)
        self._shadowed.append(name)
        try:
            yield
        finally:
            self._shadowed.remove(name)
            self._session.catalog.dropTempView(name)
            del self._frames[name]
            if before is not None:
                self._point(name, before)

    def fetch(self, select: str, params: Params | None = None) -> pa.Table:
        """Return the rows of the select, in its order where it states one."""
        with _wrapped(_UNNAMED, select, params or {}):
            frame = self._frame(_UNNAMED, select, params or {})
            return frame.toArrow().cast(_arrow_schema(frame))

    def write(self, select: str, target: Path, params: Params | None = None) -> int:
        """Stream the select to Parquet: one file when `target` ends in .parquet, else a folder; row count."""
        with _wrapped(_UNNAMED, select, params or {}):
            frame = self._frame(_UNNAMED, select, params or {})
            if target.suffix == ".parquet":
                folder = self._new_folder("written")
                frame.coalesce(1).write.parquet(str(folder))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(next(folder.glob("*.parquet")), target)
            else:
                frame.write.mode("overwrite").parquet(str(target))
            return self._read([target], frame).count()

    def describe(self, select: str, params: Params | None = None) -> pa.Schema:
        """Return the columns and types of the select without running it."""
        with _wrapped(_UNNAMED, select, params or {}):
            return _arrow_schema(self._frame(_UNNAMED, select, params or {}))

    def close(self) -> None:
        """Remove the tables; the Spark process stays for other engines and ends with this one."""
        shutil.rmtree(self._folder)

    def _frame(self, name: str, select: str, params: Params) -> DataFrame:
        frame = self._session.sql(translated(select), args=dict(bound(name, select, params)))
        types = [(column, _SPELLING.get(kind, kind.upper())) for column, kind in frame.dtypes]
        refuse_inexact(name, select, params, types)
        return frame

    def _point(self, name: str, frame: DataFrame) -> None:
        self._frames[name] = frame
        frame.createOrReplaceTempView(name)

    def _new_folder(self, name: str) -> Path:
        self._made += 1
        return self._folder / f"{name}-{self._made}"

    def _written(self, name: str, frame: DataFrame) -> DataFrame:
        folder = self._new_folder(name)
        frame.write.parquet(str(folder))
        return self._read([folder], frame)

    def _read(self, paths: Sequence[Path], like: DataFrame | None = None) -> DataFrame:
        # Without recursive look-up, folders named usage_date=… would become a second column.
        reader = self._session.read.option("recursiveFileLookup", "true")
        return (reader.schema(like.schema) if like else reader).parquet(*map(str, paths))

    def _write_days(self, name: str, frame: DataFrame, column: str) -> Path:
        folder = self._new_folder(name)
        # A copy of the column names the folders, so that the column itself stays in the files, in its place.
        frame.withColumn(_DAY, col(column)).write.partitionBy(_DAY).parquet(str(folder))
        return folder

    def _refuse_shadowed(self, name: str) -> None:
        if name in self._shadowed:
            raise ModelError(name, "", {}, SHADOWED)


def translated(select: str) -> str:
    """Return the select in Spark's dialect, the differences between the engines' integers evened out.

    A construct that Spark cannot express raises `sqlglot.errors.UnsupportedError`.
    """
    tree = sqlglot.parse_one(select, read="duckdb").transform(_evened_out)
    return tree.sql("spark", comments=False, unsupported_level=sqlglot.ErrorLevel.RAISE)


def _evened_out(node: exp.Expr) -> exp.Expr:
    # SUM(BIGINT) overflows on Spark where DuckDB widens. The cast around a sum tells one of integers (scale
    # 0) from one of decimals, which keeps its digits on both.
    if isinstance(node, exp.Sum) and _is_cast_to_integer(node):
        return exp.Sum(this=exp.cast(node.this, "DECIMAL(38, 0)"))
    if isinstance(node, exp.Length) or (isinstance(node, exp.Window) and isinstance(node.this, _INTEGERS)):
        return exp.cast(node.copy(), "BIGINT")
    return node


def _is_cast_to_integer(node: exp.Sum) -> bool:
    outer = node.parent
    while isinstance(outer, exp.Window | exp.Filter | exp.Paren):
        outer = outer.parent
    integers = (exp.DType.BIGINT, exp.DType.INT, exp.DType.DECIMAL)
    if not isinstance(outer, exp.Cast) or outer.to.this not in integers:
        return False
    return all(str(scale) == "0" for scale in outer.to.expressions[1:])


def _days(folder: Path) -> dict[str, Path]:
    parts = {part.name.partition("=")[2]: part for part in sorted(folder.glob(f"{_DAY}=*"))}
    return {"null" if day.startswith("__") else day: part for day, part in parts.items()}


def _session(master: str) -> SparkSession:
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        step = "install Java 17: apt-get install openjdk-17-jre-headless"
        raise UserError(f"'java' is not found · PATH and JAVA_HOME · the Spark engine needs it · {step}")
    # Wrapped errors say it all; Spark's own log repeats each with its stack.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    builder = SparkSession.builder.master(master)
    for key, value in _SETTINGS.items():
        builder = builder.config(key, value)
    shared = builder.getOrCreate()
    shared.sparkContext.setLogLevel("OFF")
    return shared.newSession()


def _arrow_schema(frame: DataFrame) -> pa.Schema:
    described = to_arrow_schema(frame.schema)
    return pa.schema(list(zip(described.names, described.types, strict=True)))


@contextmanager
def _wrapped(name: str, select: str, params: Params) -> Generator[None]:
    try:
        yield
    except (PySparkException, SqlglotError) as error:
        raise ModelError(name, select, params, str(error)) from error
