"""The webhook: what is posted, how often it is tried, and what no message gives away."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.settings import Nightly, Settings
from pipelines.webhook import make_alarm, post, told_of_failure
from tests.receivers import receiving


def home(tmp_path: Path, url: str | None) -> Settings:
    return replace(Settings(tmp_path), nightly=Nightly(webhook=url))


def test_an_alarm_says_what_where_and_which_snapshot_stays(tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "CURRENT").write_text("000007-x\n", encoding="ascii")
    with receiving() as receiver:
        settings = home(tmp_path, receiver.url)
        assert post(settings, make_alarm(settings, "load_failed", "12 Zeilen – kaputt", "run 3"))
        (told,) = receiver.posts
    assert told.pop("at").endswith("+00:00")
    assert told == {
        "event": "load_failed",
        "text": "12 Zeilen – kaputt",
        "home": str(tmp_path),
        "load": "run 3",
        "snapshot_id": "000007-x",
    }


def test_without_an_address_nothing_is_posted(tmp_path: Path) -> None:
    settings = home(tmp_path, None)
    alarm = make_alarm(settings, "load_failed", "x", "y")
    assert alarm.snapshot_id is None
    assert not post(settings, alarm)


def test_a_very_long_text_is_cut(tmp_path: Path) -> None:
    alarm = make_alarm(home(tmp_path, None), "load_failed", "r" * 10_000, "y")
    assert 4000 <= len(alarm.text) < 4010
    assert alarm.text.endswith(" …")


def test_a_busy_receiver_is_tried_again_with_longer_pauses(tmp_path: Path) -> None:
    pauses: list[float] = []
    with receiving(503, 500, 204) as receiver:
        settings = home(tmp_path, receiver.url)
        assert post(settings, make_alarm(settings, "load_late", "x", "y"), sleep=pauses.append)
        assert len(receiver.posts) == 3
    assert pauses == [1, 2]


def test_a_receiver_that_never_takes_it_is_an_error_that_keeps_the_address(tmp_path: Path) -> None:
    pauses: list[float] = []
    with receiving(404) as receiver:
        settings = home(tmp_path, receiver.url)
        with pytest.raises(
            UserError, match=r"'127\.0\.0\.1' did not take the alarm.*it answered 404"
        ) as caught:
            post(settings, make_alarm(settings, "load_late", "x", "y"), sleep=pauses.append)
        assert len(receiver.posts) == 4
    assert pauses == [1, 2, 4]
    assert "secret-part" not in str(caught.value)


def test_a_receiver_that_is_not_there_is_named(tmp_path: Path) -> None:
    with receiving() as receiver:
        settings = home(tmp_path, receiver.url)
    with pytest.raises(UserError, match="it was not reached"):
        post(settings, make_alarm(settings, "load_late", "x", "y"), tries=1)


def test_a_load_that_fails_posts_once_and_still_fails(tmp_path: Path) -> None:
    with receiving() as receiver:
        settings = home(tmp_path, receiver.url)
        with pytest.raises(OSError, match="disk full"), told_of_failure(settings, "process 1"):
            raise OSError("disk full")
        assert [(told["event"], told["text"], told["load"]) for told in receiver.posts] == [
            ("load_failed", "disk full", "process 1")
        ]
        with told_of_failure(settings, "process 2"):
            assert settings.home == tmp_path
        assert len(receiver.posts) == 1


def test_a_failed_post_does_not_hide_why_the_load_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving(500) as receiver:
        settings = home(tmp_path, receiver.url)
        monkeypatch.setattr(post, "__kwdefaults__", {"tries": 1, "sleep": lambda _: None})
        with pytest.raises(OSError, match="disk full") as caught, told_of_failure(settings, "process 1"):
            raise OSError("disk full")
    assert any("did not take the alarm" in note for note in caught.value.__notes__)
