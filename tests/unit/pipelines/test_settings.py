"""Settings: what `inferledger.yml` may say, and where a home is looked for."""

from datetime import date
from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.settings import Quality, Settings, find_home, load_settings


def write(home: Path, text: str) -> Path:
    (home / "inferledger.yml").write_text(text, encoding="utf-8")
    return home


def test_an_empty_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_settings(write(tmp_path, "")) == Settings(home=tmp_path)


def test_every_choice_is_read(tmp_path: Path) -> None:
    text = "inbox: [logs, /data/*.jsonl]\nmemory_limit: 2GB\nthreads: 2\n"
    settings = load_settings(write(tmp_path, text))
    assert settings == Settings(tmp_path, ("logs", "/data/*.jsonl"), "2GB", 2)


def test_the_home_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "")
    monkeypatch.chdir(tmp_path)
    assert load_settings(Path()).home == tmp_path.resolve()


def test_folders_lie_inside_the_home(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    paths = [
        settings.settings_file,
        settings.mapping_file,
        settings.sources_file,
        settings.secret_file,
        settings.landed,
        settings.warehouse,
        settings.published,
        settings.journal,
        settings.lock_file,
        settings.building_file,
    ]
    assert {path.parent for path in paths} == {tmp_path}
    assert len(set(paths)) == len(paths)


def test_own_prices_come_in_name_order(tmp_path: Path) -> None:
    (tmp_path / "prices").mkdir()
    for name in ("b.yml", "a.yml", "notes.txt"):
        (tmp_path / "prices" / name).touch()
    assert [path.name for path in Settings(tmp_path).price_files] == ["a.yml", "b.yml"]


def test_a_home_without_prices_has_none(tmp_path: Path) -> None:
    assert Settings(tmp_path).price_files == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("thread: 2\n", ["unknown setting 'thread'", "allowed: threads, "]),
        ("threads: many\n", ["'many' is no threads", "key threads"]),
        ("threads: 0\n", ["'0' is no threads", "greater than or equal to 1"]),
        ("threads: true\n", ["'True' is no threads"]),
        ("memory_limit: lots\n", ["'lots' is no memory_limit"]),
        ("inbox: [1]\n", ["'1' is no inbox", "key inbox.0"]),
        ("- a\n", ["holds a list", "key: value"]),
        ("inbox: [\n", ["is not YAML", "line 2"]),
    ],
)
def test_a_wrong_file_says_what_and_where(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        load_settings(write(tmp_path, text))
    message = str(caught.value)
    assert all(part in message for part in [*parts, "inferledger.yml"])
    assert "\n" not in message


def test_expectations_are_on_unless_switched_off(tmp_path: Path) -> None:
    assert load_settings(write(tmp_path, "")).quality == Quality()
    assert Quality().expectations
    text = "quality: {expectations: false, volume_factor: 3, accepted_days: [2026-12-25]}\n"
    stated = load_settings(write(tmp_path, text)).quality
    assert (stated.expectations, stated.volume_factor) == (False, 3)
    assert stated.accepted_days == (date(2026, 12, 25),)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("quality: {expectation: true}\n", ["unknown setting 'expectation'", "allowed: expectations, "]),
        ("quality: {expectations: 1}\n", ["'1' is no expectations", "key quality.expectations"]),
        ("quality: {unknown_model_share: 20}\n", ["'20' is no unknown_model_share"]),
        ("quality: {volume_factor: 0.5}\n", ["'0.5' is no volume_factor"]),
        ("quality: {accepted_days: [never]}\n", ["'never' is no accepted_days"]),
        ("quality: off\n", ["'False' is no quality"]),
    ],
)
def test_a_wrong_choice_of_quality_is_named(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        load_settings(write(tmp_path, text))
    assert all(part in str(caught.value) for part in parts)


def test_a_missing_home_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"next: inferledger init .*nowhere"):
        load_settings(tmp_path / "nowhere")


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "inferledger.yml").write_bytes(b"inbox: [\xff\xfe]\n")
    with pytest.raises(UserError, match="allowed: UTF-8"):
        load_settings(tmp_path)


def test_the_stated_home_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, ""))
    assert find_home(Path("stated"), {"INFERLEDGER_HOME": "environment"}) == Path("stated")
    assert find_home(None, {"INFERLEDGER_HOME": "environment"}) == Path("environment")
    assert find_home(None, {"INFERLEDGER_HOME": ""}) == Path()


def test_without_any_hint_the_home_is_called_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_home(None, {}) == Path("ledger")
