"""Formats that are known and have no reader yet: their files are set aside by name, not refused.

Lives here: the list, and how each is told from its first bytes. Does not live here: what setting aside means
(landing.py). Whoever adds the reader of a format takes it off this list; files set aside are then read.
"""

import re
from collections.abc import Callable, Mapping

NO_READER_YET = "no_reader_yet"


def _is_fleet(head: bytes) -> bool:
    keys = set(re.findall(rb"^([a-z_]+):", head, re.MULTILINE))
    return b"rates" in keys and b"usd_per_gpu_hour" in head


AWAITED: Mapping[str, Callable[[bytes], bool]] = {"inferledger.fleet": _is_fleet}


def awaited_format(head: bytes) -> str | None:
    """The name of the awaited format that the first bytes of a file show; None when it is none of them."""
    return next((name for name, is_like in AWAITED.items() if is_like(head)), None)
