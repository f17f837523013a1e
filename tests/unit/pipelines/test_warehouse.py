"""The warehouse: which snapshot it belongs to, and that it can be thrown away."""

from pathlib import Path

import pytest

from models.errors import UserError
from pipelines.settings import Settings
from pipelines.warehouse import belongs_to, discard_warehouse, mark_warehouse, open_warehouse


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path)


def test_a_new_warehouse_belongs_to_nobody(settings: Settings) -> None:
    with open_warehouse(settings) as engine:
        assert not belongs_to(engine, "000001-a")


def test_a_mark_names_this_snapshot_and_the_one_before(settings: Settings) -> None:
    with open_warehouse(settings) as engine:
        mark_warehouse(engine, "000002-b", "000001-a")
    with open_warehouse(settings) as engine:
        assert belongs_to(engine, "000002-b")
        assert belongs_to(engine, "000001-a")
        assert not belongs_to(engine, "000003-c")


def test_a_mark_without_a_snapshot_before(settings: Settings) -> None:
    with open_warehouse(settings) as engine:
        mark_warehouse(engine, "000002-b", "000001-a")
        mark_warehouse(engine, "000003-c", None)
        assert belongs_to(engine, "000003-c")
        assert not belongs_to(engine, "000002-b")


def test_it_is_discarded_with_its_log(settings: Settings) -> None:
    with open_warehouse(settings):
        settings.warehouse.with_name("warehouse.duckdb.wal").touch()
    discard_warehouse(settings)
    assert list(settings.home.iterdir()) == []
    discard_warehouse(settings)


def test_a_damaged_file_is_an_error_of_a_person(settings: Settings) -> None:
    settings.warehouse.write_bytes(b"this is no database" * 1000)
    with pytest.raises(UserError, match=r"warehouse\.duckdb"), open_warehouse(settings):
        pass


def test_it_is_closed_after_an_error_inside(settings: Settings) -> None:
    with pytest.raises(RuntimeError, match="inside"), open_warehouse(settings):
        raise RuntimeError("inside")
    with open_warehouse(settings) as engine:
        mark_warehouse(engine, "000001-a", None)
