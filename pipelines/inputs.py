"""What a build reads: landed records of the needed days, accounts, prices and owners.

Lives here: handing input tables (`raw_…`) to the engine, those on disk as files and those Python makes.
Does not live here: the order of the models (build.py) and how any of these tables is made.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import pyarrow as pa

from models.columns import table_schema
from models.engines.base import Engine
from pipelines.days import windows, with_neighbours
from pipelines.manifests import Manifest, file_accounts, raw_attempt_files, raw_reject_files
from pipelines.mapping import Mapping
from pricing.compile import compile_token_prices
from pricing.flat_tables import providers_table, usage_profiles_table
from pricing.price_book import PriceBook


def load_landed(engine: Engine, landed: Path, manifests: Sequence[Manifest], days: Iterable[date]) -> None:
    """Let the engine see the landed files of `days` and one day either side, and every file's account."""
    needed = with_neighbours(set(days))
    engine.load("raw_attempts", raw_attempt_files(landed, needed))
    engine.load("raw_rejects", raw_reject_files(landed))
    engine.load("raw_file_accounts", file_accounts(manifests))
    # Its rows come when a build is looked at before it is published (pipelines/quality).
    engine.load("raw_expectations", [])


def load_rules(engine: Engine, book: PriceBook) -> None:
    """Load what the price book knows about usage profiles and providers."""
    engine.load("raw_usage_profiles", _typed("raw_usage_profiles", usage_profiles_table(book)))
    engine.load("raw_providers", _typed("raw_providers", providers_table(book)))


def load_prices(engine: Engine, book: PriceBook, mapping: Mapping, days: Sequence[date]) -> None:
    """Compile the prices of the rate cards seen on the sorted `days` and load them."""
    compiled = compile_token_prices(book, _rows_of(engine, "stg_rate_cards", days), mapping.models)
    engine.load("raw_token_prices", _typed("raw_token_prices", compiled.token_prices))
    engine.load("raw_price_items", _typed("raw_price_items", compiled.price_items))


def load_owners(engine: Engine, mapping: Mapping, days: Sequence[date]) -> None:
    """Map the owner keys seen on the sorted `days` to owners and load them."""
    engine.load("raw_owners", _typed("raw_owners", mapping.owners(_rows_of(engine, "stg_owner_keys", days))))


def _rows_of(engine: Engine, table: str, days: Sequence[date]) -> pa.Table:
    select = f"select * from {table} where usage_date >= $window_start and usage_date < $window_end"
    found = [engine.fetch(select, {"window_start": start, "window_end": end}) for start, end in windows(days)]
    return pa.concat_tables(found) if found else engine.fetch(f"select * from {table} where 1 = 0")


def _typed(name: str, table: pa.Table) -> pa.Table:
    """The table with exactly the columns and types that the models expect of `name`."""
    schema = table_schema(name)
    return table.select(schema.names).cast(schema)
