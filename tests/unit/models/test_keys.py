"""Keys are the same everywhere, fit in BIGINT, and tell null from empty."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.keys import key63

PARTS = st.lists(
    st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]))), min_size=1, max_size=5
)


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        # Worked by hand: printf 'attempt\037litellm.spendlogs\037abc' | sha256sum, first 16 digits, halved.
        (("attempt", "litellm.spendlogs", "abc"), 0x0C0EF611A124692E >> 1),
        ((None,), 0x6E340B9CFFB37A98 >> 1),
        (("",), 0xE3B0C44298FC1C14 >> 1),
    ],
)
def test_the_key_is_the_first_eight_bytes_of_sha256_shifted_right(parts: tuple[str | None], key: int) -> None:
    assert key63(*parts) == key


@given(PARTS)
def test_a_key_fits_in_bigint_and_is_never_negative(parts: list[str | None]) -> None:
    assert 0 <= key63(*parts) < 2**63


@given(PARTS)
def test_a_key_is_the_definition_written_the_other_way(parts: list[str | None]) -> None:
    joined = b"\x1f".join(b"\x00" if part is None else part.encode() for part in parts)
    bits = "".join(f"{byte:08b}" for byte in sha256(joined).digest())
    assert key63(*parts) == int(bits[:63], 2)


def test_null_and_empty_and_the_place_of_a_part_matter() -> None:
    keys = {
        key63("a", None),
        key63("a", ""),
        key63("a"),
        key63(None, "a"),
        key63("", "a"),
        key63("a", "b"),
        key63("b", "a"),
    }
    assert len(keys) == 7


def test_text_outside_ascii_is_utf_8() -> None:
    assert key63("Zürich") == int.from_bytes(sha256(b"Z\xc3\xbcrich").digest()[:8], "big") >> 1
