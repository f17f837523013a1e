"""Content hashes: what makes an entry, a compiled row and a book nameable for ever."""

import hashlib
import json


def content_hash(value: object) -> str:
    """Return the SHA-256 (hex) of a value as canonical JSON: sorted keys, no blanks, text as it is."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def content_key(value: object) -> int:
    """Return the first 63 bits of the content hash as a non-negative whole number."""
    return int(content_hash(value)[:16], 16) >> 1
