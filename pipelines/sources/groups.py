"""Groups of columns that repeat: the owner tags and the pricing inputs of a record, each with its key.

A file holds few distinct combinations, so each is cleaned, hashed and keyed once per batch and then spread
over the rows by index. What a combination means is decided elsewhere (mapping file, price book).
"""

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from models.keys import key63
from pipelines.secrets import Hasher

MOST_TAG_CHARACTERS = 256
# Combinations are remembered between batches up to here, so that a million of them do not fill the memory.
MOST_REMEMBERED = 50_000
OWNER_FIELDS = (
    "source",
    "feature_tag",
    "team_tag",
    "project_tag",
    "environment_tag",
    "customer",
    "api_key",
    "route",
)
OWNER_COLUMNS = (
    "source",
    "feature_tag",
    "team_tag",
    "project_tag",
    "environment_tag",
    "customer_hash",
    "api_key_hash",
    "route",
)
RATE_FIELDS = (
    "source",
    "provider",
    "requested_model",
    "served_model",
    "deployment",
    "service_tier",
    "processing",
    "region",
    "speed",
    "outcome",
    "error_class",
    "has_output",
    "is_gateway_cache_hit",
)
Values = tuple[Any, ...]


class Group:
    """Turns rows of one group of fields into its columns and its key column.

    Args:
        name: First part of the key; `<name>_key` is the key column.
        columns: Names of the columns made.
        clean: From the values as stated to those of `columns`.
        key_parts: From the cleaned values to the texts of the key, `name` left out.
    """

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        clean: Callable[[Values], Values],
        key_parts: Callable[[Values], Sequence[str | None]],
    ) -> None:
        self._name, self._columns, self._clean, self._key_parts = name, tuple(columns), clean, key_parts
        self._known: dict[Values, tuple[int, Values]] = {}

    def __call__(self, fields: Sequence[Sequence[Any]]) -> dict[str, pa.Array]:
        """Returns the columns and the key column of the rows whose values stand in `fields`."""
        index: dict[Values, int] = {}
        codes = pa.array([index.setdefault(row, len(index)) for row in zip(*fields, strict=True)], pa.int32())
        keyed = [self._keyed(row) for row in index]
        made: dict[str, pa.Array] = {
            f"{self._name}_key": pa.array([key for key, _ in keyed], pa.int64()).take(codes)
        }
        for place, column in enumerate(self._columns):
            values = [cleaned[place] for _, cleaned in keyed]
            kind = pa.bool_() if column.startswith(("is_", "has_")) else pa.string()
            made[column] = pa.array(values, kind).take(codes)
        return made

    def _keyed(self, row: Values) -> tuple[int, Values]:
        known = self._known.get(row)
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            cleaned = self._clean(row)
            known = self._known[row] = (key63(self._name, *self._key_parts(cleaned)), cleaned)
        return known


def owner_group(hasher: Hasher) -> Group:
    """Returns the group of owner tags: customer and API key become keyed hashes."""

    def clean(row: Values) -> Values:
        source, feature, team, project, environment, customer, api_key, route = row
        tags = (tag(feature), tag(team), tag(project), tag(environment))
        return (source, *tags, hasher("customer", customer), hasher("api_key", api_key), tag(route))

    return Group("owner", OWNER_COLUMNS, clean, lambda values: values)


def rate_group() -> Group:
    """Returns the group of everything a price depends on, time and size aside."""

    def clean(row: Values) -> Values:
        *texts, has_output, is_hit = row
        return (*(tag(text) for text in texts), has_output, bool(is_hit))

    def key_parts(values: Values) -> Sequence[str | None]:
        *texts, has_output, is_hit = values
        return (*texts, "1" if has_output else "0", "1" if is_hit else "0")

    return Group("rate_card", RATE_FIELDS, clean, key_parts)


def tag(text: str | None) -> str | None:
    """Returns a tag in one Unicode form (NFC), at most 256 characters; blank is null."""
    if text is None:
        return None
    return unicodedata.normalize("NFC", text.strip())[:MOST_TAG_CHARACTERS] or None
