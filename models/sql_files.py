"""One SQL file of the cost model: its header, its select, and the rules it keeps.

What lives here: reading one file's text and refusing what breaks a rule of its layer. What does not:
finding files and ordering them (`registry.py`), and running them (the engines).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from models.engines.duckdb import table_names
from models.errors import ModelError, UserError, nearest_first

_FOLDERS: Mapping[str, tuple[str, ...]] = {
    "staging": ("stg",),
    "attributed": ("int",),
    "marts": ("dim", "fct", "agg", "export"),
    "checks": ("check",),
}
_MAY_READ: Mapping[str, tuple[str, ...]] = {
    "staging": ("raw", "stg"),
    "attributed": ("stg", "int"),
    "marts": ("stg", "int", "dim", "fct"),
    "checks": ("raw", "stg", "int", "dim", "fct", "agg", "export"),
}
_LABELS: Mapping[str, tuple[str, ...]] = {
    "checks": ("grain", "refresh"),
    "staging": ("grain", "key", "refresh"),
    "attributed": ("grain", "key", "refresh"),
    "marts": ("grain", "key", "refresh"),
}
_LABEL = re.compile(r"(grain|key|refresh): *(.*)")
_REFRESH = re.compile(r"(window|month|full)(?: on (\w+))?")


@dataclass(frozen=True)
class Model:
    """One SQL file: a table of the cost model, or a check that returns offenders.

    Args:
        name: Table name, and the name of the file.
        layer: Folder: staging, attributed, marts or checks.
        purpose: One sentence.
        grain: What one row is.
        key: Columns that are unique together and never null; empty for a check.
        refresh: `window`, `month` or `full`.
        window_column: The DATE column that the window cuts; null when the refresh is full.
        sql: The select, without its header.
        path: Place of the file below the repository, for messages.
        reads: Tables that the select names, sorted.
    """

    name: str
    layer: str
    purpose: str
    grain: str
    key: tuple[str, ...]
    refresh: str
    window_column: str | None
    sql: str = field(repr=False)
    path: str
    reads: tuple[str, ...]


def read_model(text: str, layer: str, name: str) -> Model:
    """Read one SQL file's text: header, select, tables read; raise `UserError` when it breaks a rule."""
    path = f"models/{layer}/{name}.sql"
    prefixes = _FOLDERS[layer]
    if name.partition("_")[0] not in prefixes:
        allowed = ", ".join(f"{prefix}_" for prefix in prefixes)
        raise UserError(f"'{name}' has the wrong prefix · {path} · allowed: {allowed} · rename the file")
    header, sql = _split(text)
    facts = _facts(header, layer, path)
    refresh = _REFRESH.fullmatch(facts["refresh"])
    if refresh is None:
        allowed = "window, window on <column>, month, full"
        raise UserError(f"'{facts['refresh']}' is not a refresh · {path} · allowed: {allowed} · correct it")
    column = None if refresh[1] == "full" else refresh[2] or "usage_date"
    try:
        reads = table_names(sql)
    except ModelError as error:
        raise UserError(f"'{name}' cannot be read as SQL · {path} · {error.reason}") from error
    return Model(
        name=name,
        layer=layer,
        purpose=facts["purpose"],
        grain=facts["grain"],
        key=tuple(part.strip() for part in facts["key"].split(",")) if "key" in facts else (),
        refresh=refresh[1],
        window_column=column,
        sql=sql,
        path=path,
        reads=tuple(sorted(reads)),
    )


def refuse_reads(model: Model, known: Mapping[str, Model], inputs: Collection[str]) -> None:
    """Raise `UserError` when a model reads an unknown table, or one its layer may not read."""
    everything = {*known, *inputs}
    for read in model.reads:
        if read not in everything:
            near = nearest_first(read, everything)
            raise UserError(
                f"'{read}' is no table · {model.path} · known: {near} · correct the name or add it"
            )
        allowed = _MAY_READ[model.layer]
        if read.partition("_")[0] not in allowed:
            listed = ", ".join(f"{prefix}_" for prefix in allowed)
            raise UserError(
                f"'{read}' may not be read here · {model.path} · allowed: {listed} · read a lower table"
            )


def _split(text: str) -> tuple[list[str], str]:
    lines = text.splitlines()
    count = next((at for at, line in enumerate(lines) if not line.startswith("--")), len(lines))
    header = [line.removeprefix("--").strip() for line in lines[:count]]
    return header, "\n".join(lines[count:]).strip().removesuffix(";") + "\n"


def _facts(header: list[str], layer: str, path: str) -> dict[str, str]:
    purpose: list[str] = []
    facts: dict[str, str] = {}
    for line in header:
        label = _LABEL.fullmatch(line)
        if label:
            facts[label[1]] = label[2].strip()
        elif not facts:
            purpose.append(line)
    facts["purpose"] = " ".join(purpose).strip()
    for label in ("purpose", *_LABELS[layer]):
        if not facts.get(label):
            line = "-- what it is for, in one sentence" if label == "purpose" else f"-- {label}: …"
            raise UserError(f"'{label}' is missing · {path}, header · write the line `{line}`")
    return facts
