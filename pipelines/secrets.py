"""The secret of the installation and the keyed hashes made with it.

People, customers and API keys are stored only as HMAC-SHA256 under this secret: a plain hash of a
short value can be guessed. Record keys are no secrets and are not made here (`models.keys`).
"""

import hmac
import os
import secrets
import stat
from hashlib import sha256
from pathlib import Path

from pipelines.errors import UserError

SECRET_FILE = "secret.key"
SECRET_BYTES = 32
FEWEST_CHARACTERS = 32
# A hash depends only on its input, so forgetting all of them at the limit costs time, never a result.
MOST_REMEMBERED = 200_000


def create_secret(home: Path, secret: str | None = None) -> Path:
    """Writes `<home>/secret.key` (mode 600) unless it exists; returns its path."""
    path = home / SECRET_FILE
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path
    with os.fdopen(handle, "w") as file:
        file.write((secret or secrets.token_hex(SECRET_BYTES)) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return path


def load_hasher(home: Path) -> "Hasher":
    """Returns the hasher of the installation at `home`.

    Raises:
        UserError: The file is missing, no text, too short, or readable by other users.
    """
    path = home / SECRET_FILE
    try:
        mode = path.stat().st_mode
        secret = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise UserError(
            f"'{SECRET_FILE}' is missing", where=str(home), next_step="run 'inferledger init'"
        ) from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"'{SECRET_FILE}' is not text (byte {error.start} is not UTF-8)",
            where=str(path),
            allowed=f"at least {FEWEST_CHARACTERS} characters in UTF-8",
            next_step="put the saved secret back: another one hashes every name anew",
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UserError(
            f"'{SECRET_FILE}' can be read by other users (mode {stat.S_IMODE(mode):o})",
            where=str(path),
            allowed="mode 600",
            next_step=f"chmod 600 {path}",
        )
    if len(secret) < FEWEST_CHARACTERS:
        raise UserError(
            f"'{SECRET_FILE}' holds {len(secret)} characters",
            where=str(path),
            allowed=f"at least {FEWEST_CHARACTERS}",
        )
    return Hasher(secret)


class Hasher:
    """Turns the name of a person, customer or key into a keyed hash.

    Args:
        secret: The secret of the installation.
    """

    def __init__(self, secret: str) -> None:
        self._key = secret.encode()
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, kind: str, value: str | None) -> str | None:
        """Returns 64 hexadecimal digits, or null for no value; equal names of two kinds differ."""
        if not value:
            return None
        known = self._known.get((kind, value))
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            known = hmac.new(self._key, f"{kind}\x1f{value}".encode(), sha256).hexdigest()
            self._known[kind, value] = known
        return known
