"""building.json: what a crash leaves is read back whole."""

from datetime import date
from pathlib import Path

import pytest

from pipelines.building import Building, clear_building, read_building, write_building
from pipelines.errors import UserError
from pipelines.versions import Versions

BUILDING = Building(
    days=(date(2026, 10, 19), date(2026, 10, 20)),
    is_full=True,
    files=("aa", "bb"),
    versions=Versions("price", "mapping", "code"),
    base_snapshot_id="000001-a",
    cause="code changed",
)


def test_it_is_read_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "building.json"
    for building in (BUILDING, BUILDING.finished()):
        write_building(path, building)
        assert read_building(path) == building
    assert BUILDING.finished().is_built
    assert not BUILDING.is_built


def test_none_is_left_when_none_was_written_or_it_was_cleared(tmp_path: Path) -> None:
    path = tmp_path / "building.json"
    assert read_building(path) is None
    write_building(path, BUILDING)
    clear_building(path)
    assert read_building(path) is None
    clear_building(path)


@pytest.mark.parametrize("content", [b"{", b"{}", b"[]", b"null", b'{"days": ["soon"]}', b"\xff"])
def test_a_damaged_file_says_how_to_go_on(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "building.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"building\.json' is damaged .* next: delete"):
        read_building(path)
