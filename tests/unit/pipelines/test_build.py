"""The build: model by model, each over all days, with the Python steps between."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from models.engines.duckdb import DuckDBEngine
from models.registry import models
from pipelines import build, inputs
from pipelines.build import Rules, build_model, build_tables
from pipelines.landing import land_files
from pipelines.manifests import read_manifests
from pipelines.mapping import make_mapping
from pricing.price_book import PriceBook, load_price_book
from tests.nights import sample_home, spend_log, write_log

MONDAY = date(2026, 10, 19)


def days(*offsets: int) -> list[date]:
    return [MONDAY + timedelta(days=offset) for offset in offsets]


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return load_price_book()


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(None)
    yield engine
    engine.close()


@pytest.fixture
def landed(tmp_path: Path) -> Path:
    home = sample_home(tmp_path).home
    calls = [spend_log(f"c{day}", f"2026-10-{day}T10:00:00") for day in (19, 20, 21, 24)]
    assert land_files(home, [write_log(tmp_path / "log.jsonl", *calls)]).errors == []
    return home / "landed"


def rules(book: PriceBook) -> Rules:
    return Rules(book, make_mapping({"rules": []}, Path("mapping.yml")))


def count(engine: DuckDBEngine, table: str) -> int:
    return engine.fetch(f"select count(*) as n from {table}").to_pylist()[0]["n"]


def test_the_engine_sees_the_days_and_their_neighbours_only(engine: DuckDBEngine, landed: Path) -> None:
    manifests = read_manifests(landed)
    for wanted, seen in (((0,), 2), ((1,), 3), ((4,), 1), ((10,), 0), ((), 0)):
        inputs.load_landed(engine, landed, manifests, days(*wanted))
        assert count(engine, "raw_attempts") == seen
        assert count(engine, "raw_file_accounts") == 1


def test_every_table_is_built_for_exactly_the_days(
    engine: DuckDBEngine, landed: Path, book: PriceBook
) -> None:
    wanted = days(0, 1)
    inputs.load_landed(engine, landed, read_manifests(landed), wanted)
    inputs.load_rules(engine, book)
    counts = build_tables(engine, rules(book), wanted)
    assert list(counts) == list(models())
    assert counts["stg_attempts"] == 2
    found = engine.fetch("select distinct usage_date as day from int_cost_lines order by day")
    assert found["day"].to_pylist() == wanted
    assert counts["stg_token_prices"] == counts["stg_rate_cards"] == 2


def test_without_a_day_every_table_exists_and_is_empty(
    engine: DuckDBEngine, landed: Path, book: PriceBook
) -> None:
    inputs.load_landed(engine, landed, [], [])
    inputs.load_rules(engine, book)
    build_tables(engine, rules(book), [])
    assert all(
        count(engine, name) == 0 for name in models() if name not in ("stg_usage_profiles", "stg_providers")
    )


def test_a_model_is_built_over_all_days_before_the_next(
    engine: DuckDBEngine, landed: Path, book: PriceBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    replace_window = engine.replace_window

    def told(name: str, *given: object) -> int:
        order.append(name)
        return replace_window(name, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "replace_window", told)
    wanted = days(0, 5, 10)
    inputs.load_landed(engine, landed, read_manifests(landed), wanted)
    inputs.load_rules(engine, book)
    build_tables(engine, rules(book), wanted)
    windowed = [name for name, model in models().items() if model.window_column]
    assert order == [name for name in windowed for _ in wanted]


def test_prices_and_owners_are_made_right_after_what_they_read(
    engine: DuckDBEngine, landed: Path, book: PriceBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(build, "build_model", lambda *given: seen.append(given[1].name) or 0)
    steps = {name: (lambda *_, name=name: seen.append(f"step after {name}")) for name in build.STEPS}
    monkeypatch.setattr(build, "STEPS", steps)
    build_tables(engine, rules(book), days(0))
    for name in ("stg_rate_cards", "stg_owner_keys"):
        assert seen[seen.index(name) + 1] == f"step after {name}"
    assert seen.index("step after stg_rate_cards") < seen.index("stg_token_prices")
    assert seen.index("step after stg_owner_keys") < seen.index("stg_owners")


def test_progress_counts_to_the_end(engine: DuckDBEngine, landed: Path, book: PriceBook) -> None:
    seen: list[tuple[str, int, int]] = []
    inputs.load_landed(engine, landed, [], [])
    inputs.load_rules(engine, book)
    build_tables(engine, rules(book), [], lambda *told: seen.append(told))
    assert [done for _, done, _ in seen] == list(range(len(models()) + 1))
    assert seen[-1] == ("built", len(models()), len(models()))


def test_a_table_without_days_is_built_whole(engine: DuckDBEngine, book: PriceBook) -> None:
    inputs.load_rules(engine, book)
    profiles = models()["stg_usage_profiles"]
    assert build_model(engine, profiles, []) == count(engine, "raw_usage_profiles") > 0
