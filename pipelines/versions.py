"""Which code, prices and mapping a ledger is made with; a change of any rebuilds every day.

Lives here: the three content hashes and how the one of the code is made.
Does not live here: the versions of price book and mapping themselves; their owners hash them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import models
import pipelines
import pricing

# Only what decides a number: the dashboards and the readers of landed files may change without a rebuild.
_DECIDING = (
    (Path(models.__file__).parent, ("*.sql", "*.py", "*.yml")),
    (Path(pricing.__file__).parent, ("*.py",)),
    (Path(pipelines.__file__).parent, ("build.py", "mapping.py", "inputs.py", "digests.py")),
)


@dataclass(frozen=True)
class Versions:
    """Content hashes (hex SHA-256) of the price book, the mapping and the code."""

    price: str
    mapping: str
    code: str

    def changed_since(self, other: "Versions") -> list[str]:
        """The names of the parts that differ from `other`, in words."""
        pairs = (
            ("price book", self.price, other.price),
            ("mapping", self.mapping, other.mapping),
            ("code", self.code, other.code),
        )
        return [name for name, mine, theirs in pairs if mine != theirs]


@cache
def code_version() -> str:
    """Hash of every file that decides a number (hex SHA-256)."""
    digest = hashlib.sha256()
    for name, path in sorted(_deciding_files()):
        digest.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _deciding_files() -> Iterator[tuple[str, Path]]:
    for folder, patterns in _DECIDING:
        for pattern in patterns:
            for path in folder.rglob(pattern):
                yield path.relative_to(folder.parent).as_posix(), path
