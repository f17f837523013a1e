"""From names to files: expansion, order, links."""

import os
from pathlib import Path

from pipelines.input_files import expand


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def found(folder: Path, *paths: str | Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in expand([folder / path for path in paths]).files]


def test_a_folder_gives_all_below_it_in_one_order(tmp_path: Path) -> None:
    touch(tmp_path, "b.jsonl", "a/z.jsonl", "a/b/c.jsonl", "a.jsonl")
    assert found(tmp_path, ".") == ["a/b/c.jsonl", "a/z.jsonl", "a.jsonl", "b.jsonl"]


def test_hidden_and_underscore_names_are_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "a.jsonl", ".hidden", "_SUCCESS", ".git/x", "_tmp/x.jsonl")
    assert found(tmp_path, ".") == ["a.jsonl"]


def test_patterns(tmp_path: Path) -> None:
    touch(tmp_path, "a.jsonl", "b.csv", "c/d.jsonl")
    assert found(tmp_path, "*.jsonl") == ["a.jsonl"]
    assert found(tmp_path, "**/*.jsonl") == ["a.jsonl", "c/d.jsonl"]
    assert found(tmp_path, "?") == ["c/d.jsonl"]


def test_a_file_with_a_pattern_in_its_name_is_that_file(tmp_path: Path) -> None:
    touch(tmp_path, "a[1].jsonl", "a1.jsonl")
    assert found(tmp_path, "a[1].jsonl") == ["a[1].jsonl"]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    touch(tmp_path, "a.jsonl")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "a.jsonl")
    assert found(tmp_path, "a.jsonl", "*.jsonl", ".") == ["a.jsonl"]


def test_the_order_of_the_command_line_does_not_matter(tmp_path: Path) -> None:
    touch(tmp_path, "a.jsonl", "b.jsonl")
    assert found(tmp_path, "b.jsonl", "a.jsonl") == found(tmp_path, "a.jsonl", "b.jsonl")


def test_a_pattern_without_match_is_told(tmp_path: Path) -> None:
    expanded = expand([tmp_path / "*.jsonl"])
    assert expanded.files == []
    assert "no file matches '*.jsonl'" in str(expanded.problems[0][1])


def test_a_missing_file_is_left_to_the_reading(tmp_path: Path) -> None:
    assert found(tmp_path, "gone.jsonl") == ["gone.jsonl"]


def test_a_link_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    touch(tmp_path, "secret.txt", "inbox/a.jsonl")
    (tmp_path / "inbox" / "out.jsonl").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "inbox" / "up.jsonl").symlink_to("../secret.txt")
    (tmp_path / "inbox" / "in.jsonl").symlink_to("a.jsonl")
    expanded = expand([tmp_path / "inbox"])
    assert [path.name for path in expanded.files] == ["a.jsonl"]
    assert sorted(path.name for path, _ in expanded.problems) == ["out.jsonl", "up.jsonl"]
    assert all("leads out of its folder" in str(error) for _, error in expanded.problems)


def test_a_link_named_by_hand_is_followed(tmp_path: Path) -> None:
    touch(tmp_path, "a.jsonl")
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    assert found(tmp_path, "link.jsonl") == ["link.jsonl"]


def test_links_to_folders_are_not_walked(tmp_path: Path) -> None:
    touch(tmp_path, "inbox/a.jsonl", "other/b.jsonl")
    (tmp_path / "inbox" / "loop").symlink_to(tmp_path / "inbox")
    (tmp_path / "inbox" / "away").symlink_to(tmp_path / "other")
    assert found(tmp_path, "inbox") == ["inbox/a.jsonl"]


def test_a_dangling_link_is_told_when_read(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    (tmp_path / "inbox" / "gone.jsonl").symlink_to("nowhere.jsonl")
    assert found(tmp_path, "inbox") == ["inbox/gone.jsonl"]


def test_pipes_are_left_to_the_reading_which_refuses_them(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert found(tmp_path, ".") == ["pipe"]
