"""Which model of the book a name means: the user's table, exact id, declared alias, date-stamped variant.

A shared prefix is never a match: what is left over must be nothing, or a date that exists.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from pricing.errors import PriceBookError
from pricing.price_book import BookModel, PriceBook
from pricing.timelines import at, timeline

_STAMP = re.compile(r"(?P<id>.+?)(?:-(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)|[-@](?P<packed>20\d{6}))")


@dataclass(frozen=True)
class ModelName:
    """A line of the user's table: what a source calls a model, and what it is; None matches anything."""

    source: str | None
    deployment: str | None
    requested_model: str | None
    served_model: str | None
    provider: str
    model: str

    def conditions(self) -> tuple[str | None, ...]:
        """Return the left side."""
        return (self.source, self.deployment, self.requested_model, self.served_model)


@dataclass(frozen=True)
class Identity:
    """The model found, or the reason why none was; `steps` says how, in words."""

    model: BookModel | None
    reason_code: str = ""
    steps: str = ""


def check_names(names: Sequence[ModelName]) -> None:
    """Raise PriceBookError where two lines with equal conditions name different models."""
    seen: dict[tuple[str | None, ...], ModelName] = {}
    for name in names:
        before = seen.setdefault(name.conditions(), name)
        if (before.provider, before.model) != (name.provider, name.model):
            raise PriceBookError(
                f"The model table names '{before.provider} {before.model}' and "
                f"'{name.provider} {name.model}' "
                f"for the same attempts {name.conditions()}. Keep one of the two lines in mapping.yml."
            )


def named_by_user(names: Sequence[ModelName], card: tuple[str | None, ...]) -> ModelName | str | None:
    """Return the most specific line of the user's table for (source, deployment, requested, served).

    None when no line matches, the text `ambiguous_model` when two equally specific lines disagree.
    """
    matching = [
        n for n in names if all(w is None or w == c for w, c in zip(n.conditions(), card, strict=True))
    ]
    if not matching:
        return None
    most = max(_specificity(name) for name in matching)
    best = {(name.provider, name.model): name for name in matching if _specificity(name) == most}
    return next(iter(best.values())) if len(best) == 1 else "ambiguous_model"


def find_model(
    book: PriceBook, provider: str, name: str, instant_us: int, known_at_us: int | None
) -> Identity:
    """Return the model that a provider's name means at an instant (microseconds UTC)."""
    for spelling in _spellings(book, provider, name):
        found = _declared(book, provider, spelling, instant_us, known_at_us)
        if found is not None:
            return found
        stem = without_date_stamp(spelling)
        if stem is not None:
            found = _declared(book, provider, stem, instant_us, known_at_us)
            if found is not None:
                return Identity(found.model, "", f"'{name}' is a dated variant of '{stem}'")
    return Identity(None, "unknown_model")


def without_date_stamp(name: str) -> str | None:
    """Return the name without `-YYYY-MM-DD`, `-YYYYMMDD` or `@YYYYMMDD`; None without such an end."""
    match = _STAMP.fullmatch(name)
    if match is None:
        return None
    packed = match["packed"]
    parts = (packed[:4], packed[4:6], packed[6:]) if packed else (match["y"], match["m"], match["d"])
    try:
        date(*(int(part) for part in parts))
    except ValueError:
        return None
    return match["id"]


def _specificity(name: ModelName) -> int:
    return sum(condition is not None for condition in name.conditions())


def _spellings(book: PriceBook, provider: str, name: str) -> list[str]:
    prefixes = book.providers[provider].text.model_prefixes
    return [name, *(name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix))]


def _declared(
    book: PriceBook, provider: str, name: str, instant_us: int, known_at_us: int | None
) -> Identity | None:
    exact = book.models.get((provider, name))
    if exact is not None:
        return Identity(exact, "", f"'{name}' is a model id")
    alias = at(timeline(book.aliases.get((provider, name), ()), known_at_us), instant_us)
    if alias is None:
        return None
    return Identity(book.models[provider, alias.model], "", f"'{name}' is an alias of '{alias.model}'")
