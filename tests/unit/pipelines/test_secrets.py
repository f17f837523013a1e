"""The secret of the installation: made once, read only where nobody else can read it, and what it hashes."""

import hmac
from hashlib import sha256
from pathlib import Path

import pytest

from pipelines import secrets
from pipelines.errors import UserError
from pipelines.secrets import Hasher, create_secret, load_hasher

SECRET = "0123456789abcdef0123456789abcdef"


def test_a_new_secret_is_random_and_private(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = create_secret(tmp_path / "a"), create_secret(tmp_path / "b")
    assert first.stat().st_mode & 0o777 == 0o600
    assert len(first.read_text().strip()) == 64
    assert first.read_text() != second.read_text()


def test_an_existing_secret_is_kept(tmp_path: Path) -> None:
    create_secret(tmp_path, SECRET)
    create_secret(tmp_path, "another secret that is long enough")
    assert (tmp_path / "secret.key").read_text().strip() == SECRET


def test_a_home_without_secret_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'secret.key' is missing .* run 'inferledger init'"):
        load_hasher(tmp_path)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666])
def test_a_secret_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    create_secret(tmp_path, SECRET).chmod(mode)
    with pytest.raises(UserError, match=f"mode {mode:o}.*mode 600.*chmod 600"):
        load_hasher(tmp_path)


def test_a_short_secret_is_refused_without_showing_it(tmp_path: Path) -> None:
    create_secret(tmp_path, "s3cr3")
    with pytest.raises(UserError, match="holds 5 characters") as caught:
        load_hasher(tmp_path)
    assert "s3cr3" not in str(caught.value)


def test_a_secret_that_is_no_text_is_refused_without_showing_it(tmp_path: Path) -> None:
    create_secret(tmp_path, SECRET).write_bytes(SECRET.encode() + b"\xff")
    with pytest.raises(UserError, match=r"not text \(byte 32 .*put the saved secret back") as caught:
        load_hasher(tmp_path)
    assert SECRET not in str(caught.value)


def test_the_hash_is_hmac_sha256_of_kind_and_value(tmp_path: Path) -> None:
    create_secret(tmp_path, SECRET)
    expected = hmac.new(SECRET.encode(), b"customer\x1fACME", sha256).hexdigest()
    assert load_hasher(tmp_path)("customer", "ACME") == expected


def test_one_name_hashes_apart_by_kind_and_by_secret() -> None:
    one, other = Hasher(SECRET), Hasher(SECRET[::-1])
    found = {one("user", "x"), one("customer", "x"), other("user", "x")}
    assert len(found) == 3


@pytest.mark.parametrize("value", [None, ""])
def test_nobody_stays_nobody(value: str | None) -> None:
    assert Hasher(SECRET)("user", value) is None


def test_forgetting_hashes_does_not_change_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "MOST_REMEMBERED", 3)
    hasher = Hasher(SECRET)
    first = [hasher("user", str(number)) for number in range(10)]
    assert [hasher("user", str(number)) for number in range(10)] == first
    assert len(set(first)) == 10
