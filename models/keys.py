"""Whole-number keys made from text: the same on every machine and in every run.

What lives here: one function. What does not: what a key is made of, which is said where it is made, and
the detection of collisions, which is the work of the key checks.
"""

from hashlib import sha256

_SEPARATOR = "\x1f"
_NULL = "\x00"


def key63(*parts: str | None) -> int:
    """Return the key of some texts: 63 bits of their SHA-256, from 0 to 2**63 - 1, so it fits in BIGINT.

    A part that is null differs from an empty one.
    """
    joined = _SEPARATOR.join(_NULL if part is None else part for part in parts)
    # Shifted rather than masked: a sign bit would make half of the keys negative.
    return int.from_bytes(sha256(joined.encode("utf-8")).digest()[:8], "big") >> 1
