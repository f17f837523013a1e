"""Plain YAML data into a Pydantic model; the first complaint becomes a message with file, line and key."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pricing.errors import PriceBookError, nearest
from pricing.schema import BandText, EntryText, ModelText
from pricing.units import units
from pricing.yaml_source import Plain, YamlSource

T = TypeVar("T", bound=BaseModel)


def validated(kind: type[T], source: YamlSource, data: Plain, path: tuple[str | int, ...] = ()) -> T:
    """Return the data as the model, or raise the first complaint with its file, line and key."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        loc = tuple(part for part in first["loc"] if part != "amounts" and part != "[key]")
        key = ".".join(str(part) for part in loc) or "(whole file)"
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            message = f"the key is not known; allowed, nearest first: {_allowed(kind, loc)}"
        value = first.get("input")
        shown = f" '{value}'" if isinstance(value, str) else ""
        more = f" ({error.error_count() - 1} more in this file)" if error.error_count() > 1 else ""
        line = source.line((*path, *loc))
        raise PriceBookError(
            f"{message}{shown} · {source.name} line {line}, {key}{more}. Edit it and load again."
        ) from None


def _allowed(kind: type[BaseModel], loc: tuple[str | int, ...]) -> str:
    known = sorted({name for model in (kind, ModelText, EntryText, BandText) for name in model.model_fields})
    return nearest(str(loc[-1]), [*known, *units().quotes])
