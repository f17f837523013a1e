"""Versions: what changes them and what does not."""

from pathlib import Path

import pytest

from pipelines import versions
from pipelines.versions import Versions, code_version


@pytest.fixture
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("models/a.sql", "models/engines/b.py", "models/c.yml", "models/readme.md", "pricing/d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    deciding = ((tmp_path / "models", ("*.sql", "*.py", "*.yml")), (tmp_path / "pricing", ("*.py",)))
    monkeypatch.setattr(versions, "_DECIDING", deciding)
    return tmp_path


@pytest.mark.parametrize("name", ["models/a.sql", "models/engines/b.py", "models/c.yml", "pricing/d.py"])
def test_a_file_that_decides_a_number_changes_the_version(rooms: Path, name: str) -> None:
    before = code_version.__wrapped__()
    (rooms / name).write_text("changed", encoding="utf-8")
    assert code_version.__wrapped__() != before


def test_a_renamed_file_changes_the_version(rooms: Path) -> None:
    before = code_version.__wrapped__()
    (rooms / "models/a.sql").rename(rooms / "models/z.sql")
    assert code_version.__wrapped__() != before


def test_prose_does_not_change_the_version(rooms: Path) -> None:
    before = code_version.__wrapped__()
    (rooms / "models/readme.md").write_text("changed", encoding="utf-8")
    assert code_version.__wrapped__() == before


def test_the_real_version_reads_models_pricing_and_the_build() -> None:
    names = {name for name, _ in versions._deciding_files()}
    assert {"models/registry.py", "models/columns.yml", "pipelines/build.py", "pipelines/mapping.py"} <= names
    assert not any(name.startswith(("dashboards/", "pipelines/sources/")) for name in names)
    assert len(code_version()) == 64


def test_changes_are_named_in_words() -> None:
    one = Versions("a", "b", "c")
    assert one.changed_since(one) == []
    assert one.changed_since(Versions("x", "y", "z")) == ["price book", "mapping", "code"]
