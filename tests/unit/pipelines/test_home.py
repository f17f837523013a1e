"""Making a home: everything needed, nothing replaced."""

import stat
from pathlib import Path

import pytest
import yaml

from pipelines.errors import UserError
from pipelines.home import create_home
from pipelines.settings import Settings, load_settings


def test_a_new_home_can_be_loaded_at_once(tmp_path: Path) -> None:
    home = tmp_path / "new" / "ledger"
    placed = create_home(home)
    names = ["inferledger.yml", "mapping.yml", "sources.yml", "dagster.yaml", "secret.key"]
    assert [(one.path.name, one.is_new) for one in placed] == [(name, True) for name in names]
    assert load_settings(home) == Settings(home)
    assert (home / "inbox").is_dir()
    assert (home / "prices").is_dir()


def test_the_secret_is_random_and_for_its_owner_only(tmp_path: Path) -> None:
    create_home(tmp_path / "a")
    create_home(tmp_path / "b")
    secrets = [(tmp_path / name / "secret.key").read_text(encoding="ascii") for name in "ab"]
    assert secrets[0] != secrets[1]
    assert stat.S_IMODE((tmp_path / "a" / "secret.key").stat().st_mode) == 0o600


def test_a_sample_may_bring_its_secret(tmp_path: Path) -> None:
    create_home(tmp_path, "s" * 40)
    assert (tmp_path / "secret.key").read_text(encoding="ascii") == "s" * 40 + "\n"


def test_files_of_the_user_are_kept_to_the_byte(tmp_path: Path) -> None:
    create_home(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    (tmp_path / "mapping.yml").write_text("rules: []  # mine\n", encoding="utf-8")
    before[tmp_path / "mapping.yml"] = b"rules: []  # mine\n"
    assert not any(one.is_new for one in create_home(tmp_path))
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_only_what_is_missing_is_written(tmp_path: Path) -> None:
    create_home(tmp_path)
    (tmp_path / "sources.yml").unlink()
    assert [one.path.name for one in create_home(tmp_path) if one.is_new] == ["sources.yml"]


def test_every_file_explains_itself(tmp_path: Path) -> None:
    for placed in create_home(tmp_path)[:4]:
        text = placed.path.read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert text.count("#") >= 2
        assert isinstance(yaml.safe_load(text), dict)


@pytest.mark.parametrize("name", ["ledger", "ledger/inside"])
def test_a_place_that_is_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "ledger").write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match=r"cannot make a ledger in .* next: choose another folder"):
        create_home(tmp_path / name)
    assert (tmp_path / "ledger").read_text(encoding="utf-8") == "mine"
