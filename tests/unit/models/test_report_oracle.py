"""Reports against a second way to the same numbers: plain Python over the rows, with fractions."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models import reports
from models.report_scope import Period, Scope
from models.report_sql import INPUT_METERS, OUTPUT_METERS, TOKEN_METERS
from models.snapshot import SnapshotReader, open_snapshot
from models.trust import trust, unpriced_by_reason
from tests.snapshots import DAY, Line, write_snapshot

PERIOD = Period.of_days(DAY, DAY + timedelta(days=1))
BEFORE = PERIOD.previous()
Row = dict[str, Any]

COSTS = st.one_of(
    st.none(),
    st.integers(0, 10**15).map(lambda pico: f"{pico // 10**12}.{pico % 10**12:012}"),
)


@st.composite
def lines(draw: st.DrawFn) -> Line:
    cost = draw(COSTS)
    certainty = "unknown" if cost is None else draw(st.sampled_from(["stated", "assumed", "estimated"]))
    return Line(
        usage_date=DAY + timedelta(days=draw(st.integers(-4, 3))),
        feature=draw(st.sampled_from(["a", "b", "(unassigned)"])),
        provider=draw(st.sampled_from(["openai", None])),
        model=draw(st.sampled_from(["m1", "m2"])),
        meter=draw(st.sampled_from(["input_uncached", "cache_read", "output_text", "tool_call"])),
        purpose=draw(st.sampled_from(["answer", "retry", "failure"])),
        certainty=certainty,
        reason_code="unknown_model" if cost is None else "",
        is_billable=draw(st.booleans()),
        line_count=(count := draw(st.integers(1, 5))),
        unpriced_line_count=count if cost is None else 0,
        quantity=draw(st.integers(0, 10**9)),
        cost=cost,
    )


def within(period: Period, line: Line) -> bool:
    return period.from_date <= line.usage_date < period.until_date


def cost_of(given: Iterable[Line]) -> Fraction | None:
    """Null when there are lines and no price; the sum of the known costs else."""
    listed = list(given)
    known = [Fraction(line.cost) for line in listed if line.cost is not None]
    return None if listed and not known else sum(known, Fraction(0))


def same(found: Any, expected: Fraction | None) -> bool:
    return found is None if expected is None else found is not None and Fraction(found) == expected


def spend_oracle(rows: Sequence[Line], group: Callable[[Line], Any]) -> dict[Any, Row]:
    groups: defaultdict[Any, list[Line]] = defaultdict(list)
    for line in rows:
        if within(PERIOD, line) or within(BEFORE, line):
            groups[group(line)].append(line)
    is_covered = any(within(BEFORE, line) for line in rows)
    answer: dict[Any, Row] = {}
    for value, members in groups.items():
        now = [line for line in members if within(PERIOD, line)]
        earlier = [line for line in members if within(BEFORE, line)]
        cost, previous = cost_of(now), cost_of(earlier) if is_covered else None
        change = None if cost is None or previous is None else cost - previous
        answer[value] = {
            "effective_cost_usd": cost,
            "previous_effective_cost_usd": previous,
            "change_effective_cost_usd": change,
            "assumed_effective_cost_usd": cost_of(line for line in now if line.certainty == "assumed"),
            "line_count": Fraction(sum(line.line_count for line in now)),
            "unpriced_line_count": Fraction(sum(line.unpriced_line_count for line in now)),
            "token_count": Fraction(sum(line.quantity for line in now if line.meter in TOKEN_METERS)),
            "day_count": Fraction(len({line.usage_date for line in now})),
        }
    return answer


def tokens(rows: Iterable[Line], meters: Sequence[str] = TOKEN_METERS) -> int:
    return sum(line.quantity for line in rows if line.meter in meters)


def is_priced(line: Line) -> bool:
    return line.is_billable and line.certainty != "unknown"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Row]]:
    """Publish rows and ask one report about them."""

    def answer(rows: Sequence[Line], report: Callable[[SnapshotReader], Any]) -> list[Row]:
        folder = tmp_path_factory.mktemp("oracle")
        write_snapshot(folder, rows)
        with open_snapshot(folder).connect() as reader:
            return report(reader).to_pylist()

    return answer


DIMENSIONS = st.sampled_from(["feature", "provider", "model", "purpose", "meter", "certainty"])
LEDGERS = st.lists(lines(), max_size=15)
MANY = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(rows=LEDGERS, dimension=DIMENSIONS)
def test_spend_by_any_dimension(ask: Callable[..., list[Row]], rows: list[Line], dimension: str) -> None:
    found = ask(rows, lambda reader: reports.spend_by(reader, dimension, Scope(PERIOD)))
    expected = spend_oracle(rows, lambda line: getattr(line, dimension))
    assert {row[dimension] for row in found} == set(expected)
    for row in found:
        for key, value in expected[row[dimension]].items():
            assert same(row[key], value), (row[dimension], key, row[key], value)


@MANY
@given(rows=LEDGERS, features=st.sets(st.sampled_from(["a", "b", "absent"]), min_size=1))
def test_totals_of_a_choice(ask: Callable[..., list[Row]], rows: list[Line], features: set[str]) -> None:
    scope = Scope(PERIOD, (("feature", tuple(sorted(features))),))
    (row,) = ask(rows, lambda reader: reports.spend_totals(reader, scope))
    chosen = [line for line in rows if line.feature in features]
    now, earlier = ([line for line in chosen if within(span, line)] for span in (PERIOD, BEFORE))
    assert same(row["effective_cost_usd"], cost_of(now))
    is_covered = any(within(BEFORE, line) for line in rows)
    assert same(row["previous_effective_cost_usd"], cost_of(earlier) if is_covered else None)


@MANY
@given(rows=LEDGERS)
def test_unit_costs(ask: Callable[..., list[Row]], rows: list[Line]) -> None:
    found = ask(rows, lambda reader: reports.unit_costs(reader, Scope(PERIOD)))
    inside = [line for line in rows if within(PERIOD, line)]
    assert {(row["provider"], row["model"]) for row in found} == {
        (line.provider, line.model) for line in inside
    }
    for row in found:
        mine = [line for line in inside if (line.provider, line.model) == (row["provider"], row["model"])]
        for part, meters in (("input", INPUT_METERS), ("output", OUTPUT_METERS), ("all", TOKEN_METERS)):
            priced = [line for line in mine if is_priced(line) and line.meter in meters]
            count, cost = tokens(priced), cost_of(priced)
            assert row[f"priced_{part}_tokens"] == count
            per_million = row[f"metered_effective_cost_usd_per_million_{part}_tokens"]
            if not priced or not count:
                assert per_million is None
            else:
                assert cost is not None
                assert abs(Fraction(per_million) - cost * 1_000_000 / count) <= Fraction(1, 2 * 10**12)
        assert row["unpriced_tokens"] == tokens(
            line for line in mine if line.is_billable and not is_priced(line)
        )
        assert row["not_billable_tokens"] == tokens(line for line in mine if not line.is_billable)


@MANY
@given(rows=LEDGERS)
def test_trust_and_its_reasons(ask: Callable[..., list[Row]], rows: list[Line]) -> None:
    (row,) = ask(rows, lambda reader: trust(reader, Scope(PERIOD)))
    inside = [line for line in rows if within(PERIOD, line)]
    billable = [line for line in inside if line.is_billable]
    assert row["billable_tokens"] == tokens(billable)
    assert row["priced_tokens"] == tokens(filter(is_priced, billable))
    assert row["assumed_tokens"] == tokens(line for line in billable if line.certainty == "assumed")
    assert row["unpriced_line_count"] == sum(line.unpriced_line_count for line in inside)
    reasons = ask(rows, lambda reader: unpriced_by_reason(reader, Scope(PERIOD)))
    assert sum(reason["unpriced_line_count"] for reason in reasons) == row["unpriced_line_count"]
    assert sum(reason["unpriced_tokens"] for reason in reasons) == tokens(
        line for line in inside if line.cost is None
    )
