"""Making a home: commented files to fill in, a secret, and empty folders.

Lives here: what `inferledger init` writes; it never replaces a file that is there.
Does not live here: reading those files (settings.py, mapping.py, sources).
"""

from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pipelines.errors import UserError
from pipelines.secrets import SECRET_FILE, create_secret

# Each file, and the template it is written from.
WRITTEN = {
    "inferledger.yml": "inferledger.yml",
    "mapping.yml": "mapping.yml",
    "sources.yml": "sources.yml",
    "dagster/dagster.yaml": "dagster.yaml",
}
FOLDERS = ("inbox", "prices", "dagster")


class Placed(NamedTuple):
    """One file of a home, and whether this call made it (else it was there and stays as it was)."""

    path: Path
    is_new: bool


def create_home(home: Path, secret: str | None = None) -> list[Placed]:
    """Write what is missing of a home; `secret` (text) replaces the random one, for samples only."""
    try:
        for folder in FOLDERS:
            (home / folder).mkdir(parents=True, exist_ok=True)
        placed = [_place(home / name, _template(template)) for name, template in WRITTEN.items()]
        is_new = not (home / SECRET_FILE).exists()
        placed.append(Placed(create_secret(home, secret), is_new))
    except OSError as error:
        raise UserError(
            f"cannot make a ledger in '{home}' · {error.strerror} ({error.filename}) · "
            f"allowed: a folder you may write to · next: choose another folder"
        ) from error
    return placed


def _template(name: str) -> bytes:
    return (files("pipelines") / "home_files" / name).read_bytes()


def _place(path: Path, content: bytes) -> Placed:
    try:
        with path.open("xb") as stream:
            stream.write(content)
    except FileExistsError:
        return Placed(path, False)
    return Placed(path, True)
