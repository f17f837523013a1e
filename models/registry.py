"""What models there are: the SQL files, and the order to build them in.

What lives here: finding them, ordering them, and the checks made from their keys. What does not: the rules
of one file (`sql_files.py`), the meaning of columns (`columns.yml`), and running anything (the engines).
"""

from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files

from models.columns import input_tables
from models.errors import UserError
from models.sql_files import Model, read_model, refuse_reads

METERS = (
    "input_uncached",
    "cache_read",
    "cache_write_5m",
    "cache_write_30m",
    "cache_write_1h",
    "cache_write_12h",
    "input_audio",
    "input_image",
    "output_text",
    "output_reasoning",
    "output_audio",
    "output_image",
    "tool_call",
    "request",
)
LEVER_INPUTS = ("stg_attempts", "stg_token_prices", "int_meters")

# Inputs that Python makes during a build, and the model that each is made from.
MADE_FROM: Mapping[str, str] = {
    "raw_token_prices": "stg_rate_cards",
    "raw_price_items": "stg_rate_cards",
    "raw_owners": "stg_owner_keys",
}


@cache
def models() -> dict[str, Model]:
    """Return every table of the cost model by name, in an order in which they can be built."""
    return build_order(_found(("staging", "attributed", "marts")), input_tables())


@cache
def checks() -> dict[str, Model]:
    """Return every check by name: the written ones, then one on the key of each model."""
    known = models()
    written = {check.name: check for check in _found(("checks",))}
    for check in written.values():
        refuse_reads(check, known, input_tables())
    return written | {check.name: check for check in map(key_check, known.values())}


def published_tables() -> tuple[str, ...]:
    """Return the names of the tables of a snapshot in build order: the marts, and the inputs of levers."""
    return tuple(name for name, model in models().items() if model.layer == "marts" or name in LEVER_INPUTS)


def build_order(found: Iterable[Model], inputs: Iterable[str]) -> dict[str, Model]:
    """Order models so that each comes after what it reads; refuse unknown and upward reads, and cycles."""
    by_name = {model.name: model for model in found}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    known_inputs = set(inputs)
    for name in sorted(by_name):
        refuse_reads(by_name[name], by_name, known_inputs)
        needed = {MADE_FROM.get(read, read) for read in by_name[name].reads}
        sorter.add(name, *sorted(needed & by_name.keys()))
    try:
        sorter.prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        step = "let one of them read a lower table"
        raise UserError(f"'{circle}' is a circle of models · models/ · {step}") from error
    ordered: list[str] = []
    while ready := sorted(sorter.get_ready()):
        ordered += ready
        sorter.done(*ready)
    return {name: by_name[name] for name in ordered}


def key_check(model: Model) -> Model:
    """Return the check that a model's key is unique and never null; its rows are the offending keys."""
    columns = ",\n    ".join(model.key)
    day, window = model.window_column, ""
    if day is not None:
        window = f"where\n    {day} >= $window_start\n    and {day} < $window_end\n"
    missing = "\n    or ".join(f"{column} is null" for column in model.key)
    return Model(
        name=f"check_key_of_{model.name}",
        layer="checks",
        purpose=f"The key of {model.name} is unique and never null.",
        grain="one offending key",
        key=(),
        refresh=model.refresh,
        window_column=model.window_column,
        sql=(
            f"select\n    {columns},\n    count(*) as row_count\nfrom {model.name}\n{window}"
            f"group by\n    {columns}\nhaving\n    count(*) > 1\n    or {missing}\n"
        ),
        path=model.path,
        reads=(model.name,),
    )


def _found(layers: Iterable[str]) -> list[Model]:
    return [
        read_model(entry.read_text(encoding="utf-8"), layer, entry.name.removesuffix(".sql"))
        for layer in layers
        for entry in sorted((files("models") / layer).iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".sql")
    ]
