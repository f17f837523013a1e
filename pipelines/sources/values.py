"""Single values: instants, decimal texts, parts of a JSON object, and excerpts that hold no prompt text.

What belongs here: conversions that several formats share. Not here: limits of counts and times (the
frame checks whole columns), and the meaning of any field.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.sources.base import RejectError

EPOCH = datetime(1970, 1, 1)
MICROSECONDS = 1_000_000
DAY_US = 86_400 * MICROSECONDS
MOST_EXCERPT = 200
_SAFE_TEXT = re.compile(r"[A-Za-z0-9_.:/+\-]{1,40}")
# Whatever stands behind one of these keys may be somebody's words: an excerpt ends there.
_CONTENT_KEYS = re.compile(
    rb'"(?:messages|prompt|input|output|response|content|text|body|full_request|full_response|arguments|completion'
    rb'|request_body|response_body|inputBodyJson|outputBodyJson|properties|proxy_server_request)"\s*:'
)
_PIECES = re.compile(
    rb'(?P<key>"[A-Za-z_][A-Za-z0-9_.]{0,39}"\s*:)|(?P<text>"(?:[^"\\]|\\.)*"?)|(?P<other>[^"{}\[\]:,0-9.+\-\s]+)'
)
_CLASS_OF_NAME = re.compile(
    r"(?P<rate_limited>rate_?limit|throttl|quota)|(?P<timeout>time(?:d_)?_?out)|(?P<content_filter>content_?(?:filter|policy))"
    r"|(?P<server>internal|unavailable|overloaded|server)|(?P<client>invalid|bad_?request|not_?found|permission|auth)",
    re.IGNORECASE,
)
_PLAIN_WORDS = {b"true", b"false", b"null", b"NaN", b"Infinity", b"e", b"E"}


def us_of(moment: datetime) -> int:
    """Returns microseconds since 1970 of a moment; one without a zone is read as UTC."""
    if moment.tzinfo is not None:
        moment = moment.replace(tzinfo=None) - (moment.utcoffset() or timedelta())
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * MICROSECONDS + since.microseconds


def iso_us(text: object, path: str) -> int:
    """Returns microseconds UTC of an ISO 8601 text; without a zone it is UTC, which the format must define.

    Digits below a microsecond are dropped.
    """
    if type(text) is not str:
        raise RejectError("not_a_time", f"{path}: {shown(text)} is not a text")
    try:
        return us_of(datetime.fromisoformat(text))
    except ValueError:
        raise RejectError("not_a_time", f"{path}: {shown(text)} is not an ISO 8601 time") from None


def zoned_us(text: str, zone: ZoneInfo | None, path: str) -> int:
    """Returns microseconds UTC of an ISO 8601 text whose zone, where absent, is `zone`.

    Raises:
        RejectError: No zone at all, or a wall time that happened twice or never in `zone`.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RejectError("not_a_time", f"{path}: {shown(text)} is not an ISO 8601 time") from None
    if moment.tzinfo is not None:
        return us_of(moment)
    if zone is None:
        raise RejectError("time_without_zone", f"{path}: {shown(text)} states no zone")
    early = moment.replace(tzinfo=zone, fold=0)
    if early.utcoffset() != moment.replace(tzinfo=zone, fold=1).utcoffset():
        raise RejectError("ambiguous_time", f"{path}: {shown(text)} is not one instant in {zone.key}")
    return us_of(early)


def epoch_us(seconds: object, path: str) -> int:
    """Returns microseconds of a count of seconds since 1970, whole or with a fraction."""
    if type(seconds) is int:
        return seconds * MICROSECONDS
    if type(seconds) is not float:
        raise RejectError("not_a_time", f"{path}: {shown(seconds)} is not a number of seconds")
    return int((Decimal(repr(seconds)) * MICROSECONDS).to_integral_value())


def decimal_text(value: object, path: str) -> str | None:
    """Returns a stated amount as plain decimal text without trailing zeros; null stays null."""
    if value is None:
        return None
    if type(value) is float and 1e-4 <= value < 1e15:
        text = repr(
            value
        )  # the shortest decimal that reads back as the same number; no exponent in this range
        return text.removesuffix(".0")
    if type(value) not in (int, float, str):
        raise RejectError("not_an_amount", f"{path}: {shown(value)} is not a number")
    text = str(value)
    if re.fullmatch(r"[+-]?\d{1,20}(\.\d{1,30})?([eE][+-]?\d{1,2})?", text) is None:
        raise RejectError("not_an_amount", f"{path}: {shown(value)} is not a decimal number")
    plain = format(Decimal(text), "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain in ("-0", "") else plain


def count_of_text(text: str, path: str) -> int | None:
    """Returns the whole number that a text spells in plain digits, null for an empty one."""
    if not text:
        return None
    if re.fullmatch(r"-?[0-9]{1,18}", text) is None:
        raise RejectError("not_a_count", f"{path}: {shown(text)} is not a whole number")
    return int(text)


def child(record: Mapping[str, Any], key: str, path: str) -> dict[str, Any]:
    """Returns the object under `key`, or an empty one where it is absent or null."""
    value = record.get(key)
    if value is None:
        return {}
    if type(value) is not dict:
        raise RejectError("not_an_object", f"{path}.{key}: {shown(value)} is not an object")
    return value


def text_of(value: object, path: str) -> str | None:
    """Returns a text, null for an empty one; a number or boolean in its place is refused."""
    if value is None or value == "":
        return None
    if type(value) is not str:
        raise RejectError("not_a_text", f"{path}: {shown(value)} is not a text")
    return value


def required_text(record: Mapping[str, Any], key: str) -> str:
    """Returns the text under `key`; absent, null or empty is refused."""
    value = record.get(key)
    if value is None or value == "":
        raise RejectError("missing_field", f"$.{key}: required and not there")
    if type(value) is not str:
        raise RejectError("not_a_text", f"$.{key}: {shown(value)} is not a text")
    return value


def http_status_of(code: object) -> int | None:
    """Returns an HTTP status stated as number or text; anything else is no status."""
    text = str(code)
    return int(text) if len(text) == 3 and text.isdecimal() and "100" <= text <= "599" else None


def error_class_of(status: int | None) -> str | None:
    """Returns the error class that an HTTP status stands for; null below 400."""
    if status is None or status < 400:
        return None
    return {429: "rate_limited", 408: "timeout", 504: "timeout"}.get(status) or (
        "client" if status < 500 else "server"
    )


def error_class_of_name(name: object) -> str | None:
    """Returns the error class that the name of an error stands for, null where it says none."""
    found = _CLASS_OF_NAME.search(name) if isinstance(name, str) else None
    return found.lastgroup if found else None


def shown(value: object) -> str:
    """Returns a value as a message may show it: numbers and short plain words; of the rest only its kind."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)[:40]
    if isinstance(value, str):
        plain = _SAFE_TEXT.fullmatch(value) or re.fullmatch(r"[0-9:.\- ]{1,40}", value)
        return f"'{value}'" if plain else f"a text of {len(value)} characters"
    return {dict: "an object", list: "a list"}.get(type(value), type(value).__name__)


def excerpt_of(line: bytes) -> str:
    """Returns at most 200 characters of a broken line: its keys and numbers, no text values.

    It ends before the first key that holds words of people.
    """
    head = line[:4096]
    content = _CONTENT_KEYS.search(head)
    if content:
        head = head[: content.end()]
    safe = _PIECES.sub(_masked, head).decode("ascii", "replace")
    return safe[:MOST_EXCERPT]


def _masked(piece: re.Match[bytes]) -> bytes:
    if piece["key"]:
        return piece["key"]
    if piece["text"]:
        return b'"..."'
    return piece["other"] if piece["other"] in _PLAIN_WORDS else b"?"
