"""From what a user names (files, folders, patterns) to the regular files to land, in one order everywhere.

Lives here: expansion, order, and the refusal of what leads out of a folder. Does not live here: reading a
file.
"""

import glob
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.errors import UserError


@dataclass
class Expanded:
    """The files found, sorted, each once, and a message for each path that cannot be read."""

    files: list[Path] = field(default_factory=list)
    problems: list[tuple[Path, UserError]] = field(default_factory=list)


def expand(paths: Iterable[Path | str]) -> Expanded:
    """Returns the regular files behind the paths; a folder gives all below it but hidden and `_` names."""
    found = Expanded()
    for path in paths:
        try:
            found.files += _expanded(Path(path), found)
        except UserError as error:
            found.problems.append((Path(path), error))
    by_target: dict[Path, Path] = {}
    for path in sorted(found.files):
        by_target.setdefault(path.resolve(), path)
    found.files = list(by_target.values())
    return found


def _expanded(path: Path, found: Expanded) -> list[Path]:
    if path.is_dir():
        return list(_below(path, found))
    if path.exists() or path.is_symlink() or not glob.has_magic(str(path)):
        return [path]  # reading it says what is wrong with it
    matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 - a pattern may be absolute
    if not matches:
        raise UserError(f"no file matches '{path.name}'", where=str(path), next_step="correct the pattern")
    files: list[Path] = []
    for match in map(Path, matches):
        files += _below(match, found) if match.is_dir() else [match]
    return files


def _below(folder: Path, found: Expanded) -> Iterable[Path]:
    root = folder.resolve()
    for path in sorted(folder.rglob("*")):
        names = path.relative_to(folder).parts
        if any(name.startswith((".", "_")) for name in names) or path.is_dir():
            continue
        if not path.resolve().is_relative_to(root):
            problem = UserError(
                f"'{path.name}' is a link that leads out of its folder",
                where=str(path),
                next_step="name the file it points to if it is meant",
            )
            found.problems.append((path, problem))
        else:
            yield path
