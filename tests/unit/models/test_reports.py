"""Reports over small snapshots whose answers are worked out by hand."""

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models import reports
from models.errors import UserError
from models.registry import METERS
from models.report_scope import MEASURES, SPEND_DIMENSIONS, Chosen, Period, Scope
from models.report_sql import INPUT_METERS, OUTPUT_METERS, TOKEN_METERS
from models.snapshot import open_snapshot
from models.trust import trust
from tests.snapshots import DAY, Line, unpriced, write_snapshot

BEFORE = DAY - timedelta(days=1)
TODAY = Scope(Period.of_days(DAY, DAY))


def ask(folder: Path, report: Any, *given: Any, **named: Any) -> list[dict[str, Any]]:
    with open_snapshot(folder).connect() as reader:
        answer = report(reader, *given, **named)
    return answer.to_pylist() if isinstance(answer, pa.Table) else answer


def d(text: str) -> Decimal:
    return Decimal(text)


class TestScope:
    def test_period_is_half_open_and_its_previous_has_the_same_length(self) -> None:
        period = Period.of_days(date(2026, 3, 1), date(2026, 3, 31))
        assert (period.until_date, period.last_date, period.day_count) == (
            date(2026, 4, 1),
            date(2026, 3, 31),
            31,
        )
        assert period.previous() == Period(date(2026, 1, 29), date(2026, 3, 1))

    @pytest.mark.parametrize("days", [0, -1])
    def test_empty_period_is_refused(self, days: int) -> None:
        with pytest.raises(UserError, match="holds no day"):
            Period(DAY, DAY + timedelta(days=days))

    def test_choice_becomes_parameters_never_text(self) -> None:
        scope = Scope(TODAY.period, (("feature", ("a'; drop", "b")), ("team", ("core",))))
        assert scope.condition == "feature in ($feature_0, $feature_1) and team in ($team_0)"
        assert scope.params["feature_0"] == "a'; drop"

    def test_empty_choice_keeps_nothing_and_no_choice_keeps_all(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line()])
        nothing = Scope(TODAY.period, (("feature", ()),))
        assert ask(tmp_path, reports.spend_totals, nothing)[0]["line_count"] == 0
        assert ask(tmp_path, reports.spend_totals, TODAY)[0]["line_count"] == 1

    @pytest.mark.parametrize("name", ["", "features", "1; drop table x", "cost"])
    def test_only_fixed_names_become_dimensions(self, tmp_path: Path, name: str) -> None:
        write_snapshot(tmp_path)
        with pytest.raises(UserError, match="is not a dimension of this report"):
            Scope(TODAY.period, ((name, ("x",)),))
        for report in (reports.spend_by, reports.requests_by):
            with pytest.raises(UserError, match="is not a dimension of this report"):
                ask(tmp_path, report, name, TODAY)


class TestSpend:
    LINES = (
        Line(cost="10.000000000001", list_cost="20", contracted_cost="15"),
        Line(cost="2.5", feature="search", model="gpt-5-mini", certainty="assumed"),
        Line(cost="4", usage_date=BEFORE),
        Line(cost="1", usage_date=BEFORE, feature="gone"),
        Line(cost="99", usage_date=DAY + timedelta(days=1)),
        Line(cost="77", usage_date=BEFORE - timedelta(days=1)),
    )

    def test_totals_change_and_shares_for_each_measure(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, self.LINES)
        (row,) = ask(tmp_path, reports.spend_totals, TODAY)
        assert row["effective_cost_usd"] == d("12.500000000001")
        assert row["previous_effective_cost_usd"] == d("5")
        assert row["change_effective_cost_usd"] == d("7.500000000001")
        assert row["change_effective_cost_ratio"] == d("1.5")
        assert (row["list_cost_usd"], row["contracted_cost_usd"]) == (d("22.5"), d("17.5"))
        assert row["assumed_effective_cost_usd"] == d("2.5")
        assert row["assumed_effective_cost_share"] == d("0.2")
        assert (row["line_count"], row["previous_line_count"]) == (2, 2)
        assert (row["day_count"], row["previous_day_count"]) == (1, 1)

    def test_by_feature_holds_the_values_of_both_periods(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, self.LINES)
        rows = ask(tmp_path, reports.spend_by, "feature", TODAY)
        told = {row["feature"]: (row["effective_cost_usd"], row["change_effective_cost_usd"]) for row in rows}
        assert told == {
            "chat": (d("10.000000000001"), d("6.000000000001")),
            "search": (d("2.5"), d("2.5")),
            "gone": (d("0"), d("-1")),
        }
        assert [row["feature"] for row in rows] == ["chat", "search", "gone"]
        assert rows[1]["change_effective_cost_ratio"] is None
        assert rows[2]["change_effective_cost_ratio"] == d("-1")

    @pytest.mark.parametrize("dimension", SPEND_DIMENSIONS)
    def test_every_dimension_adds_up_to_the_total(self, tmp_path: Path, dimension: str) -> None:
        write_snapshot(tmp_path, [*self.LINES, unpriced(provider=None)])
        (total,) = ask(tmp_path, reports.spend_totals, TODAY)
        rows = ask(tmp_path, reports.spend_by, dimension, TODAY)
        for measure in MEASURES:
            parts = sum(row[f"{measure}_cost_usd"] or 0 for row in rows)
            assert parts == total[f"{measure}_cost_usd"]
        assert sum(row["line_count"] for row in rows) == total["line_count"]
        assert sum(row["token_count"] for row in rows) == total["token_count"]

    def test_shares_are_of_the_known_total(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line(cost="1"), Line(cost="3", feature="b"), unpriced(feature="c")])
        rows = ask(tmp_path, reports.spend_by, "feature", TODAY)
        assert [row["effective_cost_share"] for row in rows] == [d("0.75"), d("0.25"), None]

    def test_unknown_is_null_and_absent_is_zero(self, tmp_path: Path) -> None:
        write_snapshot(
            tmp_path, [unpriced(), unpriced(usage_date=BEFORE), Line(usage_date=BEFORE, feature="b")]
        )
        chat, other = ask(tmp_path, reports.spend_by, "feature", TODAY)[::-1]
        assert (chat["feature"], chat["effective_cost_usd"], chat["unpriced_line_count"]) == ("chat", None, 1)
        assert chat["previous_effective_cost_usd"] is None
        assert chat["change_effective_cost_usd"] is None
        assert (other["effective_cost_usd"], other["change_effective_cost_usd"]) == (d("0"), d("-1.25"))

    def test_a_period_before_the_ledger_starts_is_unknown_not_zero(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line()])
        (row,) = ask(tmp_path, reports.spend_totals, TODAY)
        assert row["previous_effective_cost_usd"] is None
        assert row["change_effective_cost_usd"] is None
        assert row["change_effective_cost_ratio"] is None

    def test_choice_of_features_does_not_make_the_earlier_ledger_empty(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line(feature="new"), Line(usage_date=BEFORE)])
        scope = Scope(TODAY.period, (("feature", ("new",)),))
        (row,) = ask(tmp_path, reports.spend_totals, scope)
        assert row["previous_effective_cost_usd"] == 0
        assert row["change_effective_cost_usd"] == d("1.25")

    def test_all_filters_apply_together(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line(), Line(model="x"), Line(team="y"), Line(environment="z")])
        chosen: Chosen = (
            ("feature", ("chat",)),
            ("team", ("core",)),
            ("environment", ("prod",)),
            ("provider", ("openai",)),
            ("model", ("gpt-5",)),
        )
        (row,) = ask(tmp_path, reports.spend_totals, Scope(TODAY.period, chosen))
        assert row["line_count"] == 1

    def test_empty_ledger_gives_zeros_and_no_rows(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path)
        (row,) = ask(tmp_path, reports.spend_totals, TODAY)
        assert (row["effective_cost_usd"], row["token_count"], row["assumed_list_cost_share"]) == (0, 0, None)
        assert ask(tmp_path, reports.spend_by, "model", TODAY) == []
        assert ask(tmp_path, reports.daily_spend, TODAY) == []
        assert ask(tmp_path, reports.unit_costs, TODAY) == []
        assert ask(tmp_path, reports.dimension_values, "feature") == []
        days = ask(tmp_path, reports.covered_days)
        assert days == [{"first_date": None, "last_date": None, "day_count": 0}]

    def test_money_leaves_as_decimal_whatever_the_rows(self, tmp_path: Path) -> None:
        for number, lines in enumerate([(), self.LINES, (unpriced(),)]):
            write_snapshot(tmp_path / str(number), lines)
            with open_snapshot(tmp_path / str(number)).connect() as reader:
                for table in (
                    reports.spend_totals(reader, TODAY),
                    reports.spend_by(reader, "feature", TODAY),
                    reports.daily_spend(reader, TODAY, "feature"),
                    reports.unit_costs(reader, TODAY),
                    reports.request_totals(reader, TODAY),
                    trust(reader, TODAY),
                ):
                    told = {field.name: str(field.type) for field in table.schema}
                    money = {name: kind for name, kind in told.items() if "_usd" in name or "_share" in name}
                    assert money
                    assert set(money.values()) == {"decimal128(38, 12)"}
                    assert not [name for name, kind in told.items() if kind in ("double", "float")]


class TestDays:
    def test_days_and_features(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [*TestSpend.LINES, Line(cost="1", purpose="retry"), unpriced(feature="z")])
        scope = Scope(Period.of_days(BEFORE, DAY))
        rows = ask(tmp_path, reports.daily_spend, scope, "feature")
        told = [(row["usage_date"], row["feature"], row["effective_cost_usd"]) for row in rows]
        assert told == [
            (BEFORE, "chat", d("4")),
            (BEFORE, "gone", d("1")),
            (DAY, "chat", d("11.000000000001")),
            (DAY, "search", d("2.5")),
            (DAY, "z", None),
        ]
        assert [row["effective_cost_usd"] for row in ask(tmp_path, reports.daily_spend, scope)] == [
            d("5"),
            d("13.500000000001"),
        ]

    def test_covered_days_and_values(self, tmp_path: Path) -> None:
        write_snapshot(
            tmp_path, [Line(), Line(usage_date=BEFORE, feature="b"), Line(feature="a", provider=None)]
        )
        (days,) = ask(tmp_path, reports.covered_days)
        assert days == {"first_date": BEFORE, "last_date": DAY, "day_count": 2}
        assert ask(tmp_path, reports.dimension_values, "feature") == ["a", "b", "chat"]
        assert ask(tmp_path, reports.dimension_values, "provider") == ["openai"]
        with pytest.raises(UserError, match="'meter' is not a dimension"):
            ask(tmp_path, reports.dimension_values, "meter")


class TestUnitCosts:
    def test_numerator_and_denominator_cover_the_same_lines(self, tmp_path: Path) -> None:
        lines = [
            Line(cost="3", quantity=1_000_000),
            Line(cost="0.5", quantity=500_000, meter="cache_read"),
            Line(cost="10", quantity=250_000, meter="output_text"),
            Line(cost="5", quantity=250_000, meter="output_reasoning", certainty="estimated"),
            Line(cost="0.01", quantity=1, meter="tool_call"),
            Line(cost="0", quantity=9_000_000, is_billable=False, reason_code="gateway_cache_hit"),
            unpriced(quantity=7_000),
            Line(cost="100", quantity=1, charge_basis="capacity"),
        ]
        write_snapshot(tmp_path, lines)
        (row,) = ask(tmp_path, reports.unit_costs, TODAY)
        assert (row["provider"], row["model"]) == ("openai", "gpt-5")
        assert row["priced_input_tokens"] == 1_500_000
        assert row["priced_output_tokens"] == 500_000
        assert row["priced_all_tokens"] == 2_000_000
        assert row["metered_effective_cost_of_all_tokens_usd"] == d("18.5")
        assert row["metered_effective_cost_usd_per_million_input_tokens"] == d("2.333333333333")
        assert row["metered_effective_cost_usd_per_million_output_tokens"] == d("30")
        assert row["metered_list_cost_usd_per_million_all_tokens"] == d("9.25")
        assert (row["unpriced_tokens"], row["not_billable_tokens"]) == (7_000, 9_000_000)

    def test_model_without_a_price_has_no_unit_cost(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [unpriced(model="new-model"), Line()])
        rows = ask(tmp_path, reports.unit_costs, TODAY)
        assert [row["model"] for row in rows] == ["gpt-5", "new-model"]
        assert rows[1]["metered_effective_cost_usd_per_million_all_tokens"] is None
        assert rows[0]["metered_effective_cost_usd_per_million_output_tokens"] is None

    def test_same_model_of_two_providers_is_two_rows(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line(), Line(provider="azure.ai.openai", cost="2")])
        rows = ask(tmp_path, reports.unit_costs, TODAY)
        assert [row["provider"] for row in rows] == ["azure.ai.openai", "openai"]

    def test_meters_of_the_ledger_are_tokens_or_named_as_not(self) -> None:
        assert set(METERS) - set(TOKEN_METERS) == {"tool_call", "request"}
        assert tuple(meter for meter in METERS if meter in TOKEN_METERS) == (*INPUT_METERS, *OUTPUT_METERS)


COSTS = st.one_of(st.none(), st.integers(0, 10**16).map(lambda pico: str(Decimal(pico).scaleb(-12))))
NAMES = st.sampled_from(["a", "b", "(unassigned)"])


@given(rows=st.lists(st.tuples(st.integers(-3, 3), NAMES, NAMES, COSTS), max_size=12))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_ledger_adds_up_in_every_view(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, str, str | None]]
) -> None:
    lines = [
        Line(usage_date=DAY + timedelta(days=day), feature=feature, model=model, cost=cost)
        for day, feature, model, cost in rows
    ]
    folder = tmp_path_factory.mktemp("ledger")
    write_snapshot(folder, lines)
    scope = Scope(Period.of_days(DAY, DAY + timedelta(days=3)))
    inside = [Decimal(line.cost) for line in lines if line.usage_date >= DAY and line.cost is not None]
    days = ask(folder, reports.daily_spend, scope, "feature")
    for view in (days, *(ask(folder, reports.spend_by, name, scope) for name in ("feature", "model"))):
        assert sum(row["effective_cost_usd"] or 0 for row in view) == sum(inside, Decimal(0))
