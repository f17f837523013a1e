"""What is expected at the two boundaries: suites made from columns.yml, and the few written by hand.

Lives here: the sentence of each expectation and the select that names the rows against it. A rule belongs to
one ring: what readers refuse (required fields, bounds of counts and times) and what models/checks hold (keys,
sums) is left out here.
Does not live here: Great Expectations (run.py), and what a failure stops (boundaries.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.columns import Column, columns, input_tables, required_columns
from models.registry import models, published_tables
from pipelines.sources.rules import REQUIRED, kind_of

# Units whose numbers are never below zero.
_COUNTED = {"attempts", "calls", "lines", "records", "requests", "tokens", "units of the meter"}
_NEVER_NEGATIVE = {*_COUNTED, "key", "USD"}
_BOUNDED_BY_READERS = ("count", "time", "integer")
_UNKNOWN = "reason_code in ('unknown_model', 'ambiguous_model')"
FEWEST_ATTEMPTS = 1000
RESULTS = "fct_expectations"


@dataclass(frozen=True)
class Expectation:
    """One rule over the rows of one table.

    Args:
        name: Unique within its boundary.
        table: The table.
        column: The column it is about; null when it is about several.
        kind: null, set, range, or rows (the offenders are the rule).
        rule: What holds, in one sentence.
        offenders: Select of the rows against it, with `{batch}` for the rows looked at.
        arguments: What Great Expectations is told of a null, set or range.
    """

    name: str
    table: str
    column: str | None
    kind: str
    rule: str
    offenders: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def landing_suites(tables: Iterable[str]) -> list[Expectation]:
    """What columns.yml says of the landed `tables` and no reader has checked."""
    found: list[Expectation] = []
    for table in tables:
        named = input_tables()[table].columns
        place = [name for name in ("file_sha256", "record_position") if name in named]
        found.append(_types(table, named))
        needed = [name for name in required_columns(table) if name not in REQUIRED]
        found += [_not_null(table, name, place) for name in needed]
        unbounded = [name for name in named if kind_of(name) not in _BOUNDED_BY_READERS]
        found += _generated(table, named, unbounded, place)
    return found


def publishing_suites(described: Mapping[str, Sequence[str]]) -> list[Expectation]:
    """What columns.yml says of published tables; `described` are their columns by table.

    Values of stg_attempts were looked at when they landed, so only its types are looked at here; the table
    of results is written after this.
    """
    found: list[Expectation] = []
    for table in looked_at():
        named = described[table]
        found.append(_types(table, named))
        if table != "stg_attempts":
            found += _generated(table, named, named, models()[table].key)
    return found


def looked_at() -> list[str]:
    """The published tables that are looked at before publishing, in build order."""
    return [name for name in published_tables() if name != RESULTS]


def _generated(
    table: str, named: Iterable[str], unbounded: Iterable[str], place: Sequence[str]
) -> list[Expectation]:
    known = columns()
    sets = [_in_set(table, known[name], place) for name in named if known[name].allowed]
    ranges = [
        _not_negative(table, known[name], place)
        for name in unbounded
        if known[name].unit in _NEVER_NEGATIVE and known[name].type_in(table) not in ("VARCHAR", "BOOLEAN")
    ]
    return sets + ranges


def _types(table: str, named: Iterable[str]) -> Expectation:
    known = columns()
    listed = ", ".join(f"('{name}', '{known[name].type_in(table)}')" for name in named)
    offenders = (
        "select expected.column_name, expected.data_type as expected, found.data_type as found"
        f" from (values {listed}) as expected(column_name, data_type)"
        " left join information_schema.columns as found"
        f" on found.table_name = '{table}' and found.column_name = expected.column_name"
        " where found.data_type is distinct from expected.data_type"
        # Columns are those of the table, whatever its rows; Great Expectations wants the batch named.
        " and not exists (select 1 from {batch} where 1 = 0)"
    )
    return Expectation(
        f"{table}_types", table, None, "rows", f"{table} has the columns and types of columns.yml", offenders
    )


def _not_null(table: str, name: str, place: Sequence[str]) -> Expectation:
    offenders = f"select {_shown(place, name)} from {{batch}} where {name} is null"
    return Expectation(
        f"{table}_{name}_not_null", table, name, "null", f"{name} is never null", offenders, {"column": name}
    )


def _in_set(table: str, column: Column, place: Sequence[str]) -> Expectation:
    name, listed = column.name, ", ".join(f"'{value}'" for value in column.allowed)
    offenders = f"select {_shown(place, name)} from {{batch}} where {name} not in ({listed})"
    return Expectation(
        f"{table}_{name}_set",
        table,
        name,
        "set",
        f"{name} is one of {', '.join(column.allowed)}",
        offenders,
        {"column": name, "value_set": list(column.allowed)},
    )


def _not_negative(table: str, column: Column, place: Sequence[str]) -> Expectation:
    name = column.name
    offenders = f"select {_shown(place, name)} from {{batch}} where {name} < 0"
    return Expectation(
        f"{table}_{name}_range",
        table,
        name,
        "range",
        f"{name} is not negative",
        offenders,
        {"column": name, "min_value": 0},
    )


def _shown(place: Sequence[str], name: str) -> str:
    return ", ".join(dict.fromkeys([*place, name]))


def token_clock() -> Expectation:
    """The first token comes neither before the start nor after the end."""
    return Expectation(
        "raw_attempts_token_clock",
        "raw_attempts",
        "first_token_at_us",
        "rows",
        "the first token comes neither before the start nor after the end",
        "select file_sha256, record_position, started_at_us, first_token_at_us, ended_at_us from {batch}"
        " where first_token_at_us < started_at_us or first_token_at_us > ended_at_us",
    )


def future_clock(latest_us: int) -> Expectation:
    """No use after `latest_us`: the last landing and what clocks may differ, microseconds UTC."""
    return Expectation(
        "raw_attempts_future_clock",
        "raw_attempts",
        "used_at_us",
        "rows",
        "nothing is used later than it landed, give or take quality.clock_ahead_minutes",
        f"select file_sha256, record_position, used_at_us, cast({latest_us} as bigint) as latest_us"
        f" from {{batch}} where used_at_us > {latest_us}",
    )


def volume(usual: Mapping[str, int], factor: float) -> Expectation:
    """The records of each day in `usual` are within `factor` of what that weekday usually brings."""
    # One row that no day matches keeps the list valid when no day has a past.
    listed = ", ".join(f"(date '{day}', {count})" for day, count in usual.items()) or "(date '1970-01-01', 0)"
    return Expectation(
        "raw_attempts_volume",
        "raw_attempts",
        None,
        "rows",
        f"a day brings between 1/{factor:g} and {factor:g} times the records usual on its weekday",
        "select usual.usage_date, usual.record_count as usual_record_count, count(attempt.usage_date) as"
        f" record_count from (values {listed}) as usual(usage_date, record_count)"
        " left join (select usage_date from {batch}) as attempt on usual.usage_date = attempt.usage_date"
        " where usual.record_count > 0 group by usual.usage_date, usual.record_count"
        f" having count(attempt.usage_date) * {factor!r} < usual.record_count"
        f" or count(attempt.usage_date) > usual.record_count * {factor!r}",
    )


def unknown_models(most_share: float, accepted: Iterable[Any]) -> Expectation:
    """At most `most_share` (0 to 1) of a day's attempts name a model that no price entry knows."""
    listed = ", ".join(f"date '{day}'" for day in accepted) or "date '1970-01-01'"
    return Expectation(
        "fct_cost_lines_unknown_models",
        "fct_cost_lines",
        "reason_code",
        "rows",
        f"at most {most_share:g} of a day's attempts are of a model that no price entry knows",
        "select usage_date, count(distinct attempt_key) as attempt_count,"
        f" count(distinct attempt_key) filter (where {_UNKNOWN}) as unknown_count,"
        f" string_agg(distinct model, ', ') filter (where {_UNKNOWN}) as unknown_models"
        f" from {{batch}} where usage_date not in ({listed}) group by usage_date"
        f" having count(distinct attempt_key) >= {FEWEST_ATTEMPTS} and"
        f" count(distinct attempt_key) filter (where {_UNKNOWN})"
        f" > count(distinct attempt_key) * {most_share!r}",
    )
