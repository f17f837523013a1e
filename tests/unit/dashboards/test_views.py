"""Rows, columns and sentences of the pages, without Streamlit."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards import columns, filters, views, wording
from models import reports
from models.report_scope import Period, Scope
from models.snapshot import open_snapshot
from models.trust import trust
from tests.snapshots import DAY, Account, Line, Requests, unpriced, write_snapshot

BEFORE = DAY - timedelta(days=1)
TODAY = Scope(Period.of_days(DAY, DAY))
COST = "effective_cost_usd"


def d(text: str) -> Decimal:
    return Decimal(text)


def ask(folder: Path, report: Any, *given: Any) -> list[dict[str, Any]]:
    with open_snapshot(folder).connect() as reader:
        return report(reader, *given).to_pylist()


def spend(folder: Path, lines: list[Line], dimension: str = "feature") -> list[dict[str, Any]]:
    write_snapshot(folder, lines)
    return ask(folder, reports.spend_by, dimension, TODAY)


class TestSpendRows:
    def test_largest_first_unknown_last_with_all_digits_twice(self, tmp_path: Path) -> None:
        rows = spend(
            tmp_path, [unpriced(feature="z"), Line(cost="1", feature="a"), Line(cost="2", feature="b")]
        )
        shown = views.spend_rows(rows, "feature", "effective")
        assert [(row["feature"], row[f"{COST}_exact"]) for row in shown] == [
            ("b", d("2")),
            ("a", d("1")),
            ("z", None),
        ]

    def test_order_follows_the_measure_shown(self, tmp_path: Path) -> None:
        lines = [Line(cost="1", list_cost="9", feature="a"), Line(cost="2", list_cost="3", feature="b")]
        rows = spend(tmp_path, lines)
        assert [row["feature"] for row in views.spend_rows(rows, "feature", "list")] == ["a", "b"]

    def test_what_is_beyond_the_limit_is_summed_not_dropped(self, tmp_path: Path) -> None:
        lines = [Line(cost=str(number), feature=f"f{number}") for number in range(1, 11)]
        lines += [Line(cost="2", usage_date=BEFORE, feature="f1"), unpriced(feature="none")]
        rows = spend(tmp_path, lines)
        shown = views.spend_rows(rows, "feature", "effective", limit=3)
        assert [row["feature"] for row in shown] == ["f10", "f9", "f8", "(8 more)"]
        rest = shown[-1]
        assert (rest[COST], rest["line_count"], rest["unpriced_line_count"]) == (d("28"), 8, 1)
        assert rest["change_effective_cost_usd"] == d("26")
        assert rest["change_effective_cost_ratio"] == d("13")
        assert sum(row[COST] for row in shown) == d("55")

    def test_rest_of_nothing_known_is_unknown(self, tmp_path: Path) -> None:
        rows = spend(tmp_path, [Line(), unpriced(feature="x"), unpriced(feature="y")])
        rest = views.spend_rows(rows, "feature", "effective", limit=1)[-1]
        assert (rest["feature"], rest[COST], rest["change_effective_cost_ratio"]) == ("(2 more)", None, None)

    def test_purposes_keep_the_order_of_the_method(self, tmp_path: Path) -> None:
        lines = [Line(purpose=name, cost="1") for name in ("retry", "abandoned", "answer", "idle", "failure")]
        shown = views.spend_rows(spend(tmp_path, lines, "purpose"), "purpose", "effective")
        assert [row["purpose"] for row in shown] == ["answer", "retry", "failure", "abandoned", "idle"]
        assert shown[0]["meaning"] == "The attempt whose output the caller got"
        assert shown[-1]["meaning"] == ""


class TestChartRows:
    def test_small_series_become_the_rest_and_the_sum_holds(self, tmp_path: Path) -> None:
        lines = [Line(cost=str(number), feature=f"f{number}") for number in range(1, 10)]
        write_snapshot(tmp_path, [*lines, unpriced(feature="u")])
        days = ask(tmp_path, reports.daily_spend, TODAY, "feature")
        rows = views.chart_rows(
            days, ask(tmp_path, reports.spend_by, "feature", TODAY), "feature", "effective"
        )
        assert [row["series"] for row in rows] == ["f9", "f8", "f7", "f6", "f5", "f4", views.REST]
        assert rows[-1]["amount"] == d("6")
        assert rows[-1]["exact"] == "6.00"
        assert sum(row["amount"] for row in rows) == d("45")

    def test_days_without_spend_stay_visible(self) -> None:
        assert views.all_days(Period(date(2026, 2, 27), date(2026, 3, 2))) == [
            "2026-02-27",
            "2026-02-28",
            "2026-03-01",
        ]

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(0, 10**15)), max_size=30))
    def test_bars_add_up_to_the_table(self, drawn: list[tuple[int, int, int]]) -> None:
        days = [
            {"usage_date": DAY + timedelta(days=day), "feature": f"f{name}", COST: Decimal(pico).scaleb(-12)}
            for day, name, pico in drawn
        ]
        names = {row["feature"] for row in days}
        totals = [
            {"feature": name, COST: sum(row[COST] for row in days if row["feature"] == name)}
            for name in names
        ]
        rows = views.chart_rows(days, totals, "feature", "effective")
        assert sum(row["amount"] for row in rows) == sum(row[COST] for row in days)
        assert len({row["series"] for row in rows}) <= views.CHART_SERIES + 1


class TestColumns:
    def test_cells_of_a_spend_table(self, tmp_path: Path) -> None:
        lines = [
            Line(cost="1234.5678"),
            Line(cost="0.001", feature="b"),
            Line(cost="1000", usage_date=BEFORE),
        ]
        shown = views.spend_rows(spend(tmp_path, [*lines, unpriced(feature="c")]), "feature", "effective")
        listed = columns.spend_columns("feature", "Feature", "effective", True, shown)
        assert [[columns.cell(row[column.key], column) for column in listed] for row in shown] == [
            ["chat", "1,234.57", ">99.9 %", "+234.57", "+23.5 %", "1,000", "0", "1,234.5678"],
            ["b", "<0.01", "<0.1 %", "+<0.01", "–", "1,000", "0", "0.001"],
            ["c", "–", "–", "–", "–", "1,000", "1", "–"],
        ]

    def test_change_is_left_out_when_nothing_is_compared(self, tmp_path: Path) -> None:
        rows = views.spend_rows(spend(tmp_path, [Line()], "purpose"), "purpose", "list")
        listed = columns.spend_columns("purpose", "Purpose", "list", False, rows)
        assert [column.label for column in listed] == [
            "Purpose",
            "Means",
            "Spend, USD",
            "Share",
            "Tokens",
            "Unpriced lines",
            "Exact, USD",
        ]
        assert listed[2].help.startswith("List cost.")

    @pytest.mark.parametrize("measure", ["list", "contracted", "effective"])
    def test_every_column_has_a_value_in_the_reports(self, tmp_path: Path, measure: str) -> None:
        write_snapshot(tmp_path, [Line(), unpriced()])
        for row in ask(tmp_path, reports.unit_costs, TODAY):
            for column in columns.unit_cost_columns(measure):
                assert columns.cell(row[column.key], column)
                assert measure in column.help or "cost" not in column.key


class TestWording:
    def cards(self, folder: Path, lines: list[Line], requests: list[Requests], compared: bool = True) -> Any:
        write_snapshot(folder, lines, requests)
        totals = ask(folder, reports.spend_totals, TODAY)[0]
        answered = ask(folder, reports.request_totals, TODAY)[0]
        return totals, wording.cards(totals, answered, "effective", compared)

    def test_cards_say_value_exact_and_change(self, tmp_path: Path) -> None:
        lines = [Line(cost="110.12345", quantity=3_000_000), Line(cost="100", usage_date=BEFORE)]
        requests = [Requests(cost="4"), Requests(cost="2", request_date=BEFORE)]
        _, cards = self.cards(tmp_path, lines, requests)
        assert [(card.label, card.value, card.exact, card.delta) for card in cards] == [
            ("Effective cost, USD", "110.12", "110.12345", "+10.1234 (+10.1 %)"),
            ("Per answered request, USD", "0.5000", "0.50", "+0.2500 (+100.0 %)"),
            ("Requests answered", "8", "8", "0"),
            ("Tokens", "3.00 M", "3,000,000", "+3.00 M (+299,900.0 %)"),
        ]

    def test_no_change_where_the_ledger_does_not_reach(self, tmp_path: Path) -> None:
        totals, cards = self.cards(tmp_path, [Line()], [Requests()])
        assert [card.delta for card in cards] == [None] * 4
        assert wording.comparison(totals, TODAY.period, "effective").startswith(
            "No data in the period before (19 Oct"
        )

    def test_no_change_when_not_asked_for_or_not_known(self, tmp_path: Path) -> None:
        lines = [unpriced(), Line(usage_date=BEFORE)]
        _, cards = self.cards(tmp_path / "a", lines, [Requests()], compared=False)
        assert [card.delta for card in cards] == [None] * 4
        _, cards = self.cards(tmp_path / "b", lines, [Requests()])
        assert (cards[0].value, cards[0].delta) == ("unknown", None)

    def test_comparison_says_how_many_days_have_data(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, [Line(), Line(usage_date=BEFORE)])
        scope = Scope(Period.of_days(DAY, DAY + timedelta(days=1)))
        totals = ask(tmp_path, reports.spend_totals, scope)[0]
        said = wording.comparison(totals, scope.period, "effective")
        assert said == "Compared with 18 Oct 2026 – 19 Oct 2026, where 1 of 2 days have data."

    @pytest.mark.parametrize(
        ("count", "start"), [(1, "1 cost line has no"), (1200, "1,200 cost lines have no")]
    )
    def test_total_without_prices_is_a_lower_bound(self, count: int, start: str) -> None:
        said = wording.lower_bound({"unpriced_line_count": count})
        assert said is not None
        assert said.startswith(start)
        assert wording.lower_bound({"unpriced_line_count": 0}) is None

    def test_old_publications_are_named_with_the_next_step(self) -> None:
        made = wording.read_instant("2026-10-20T00:00:00.000000Z")
        assert wording.staleness(made, made + timedelta(hours=36)) is None
        said = wording.staleness(made, made + timedelta(hours=73))
        assert said == "Published 3 days ago. Run `inferledger run` to load what came since."

    def test_trust_figures(self, tmp_path: Path) -> None:
        lines = [
            Line(quantity=900),
            unpriced(quantity=100),
            Line(certainty="assumed", quantity=0, cost="1.25"),
        ]
        accounts = [Account(record_count=7), Account(record_kind="reject", record_count=3)]
        write_snapshot(tmp_path, lines, accounts=accounts)
        figures = wording.trust_figures(ask(tmp_path, trust, TODAY)[0], "effective")
        assert [figure.value for figure in figures] == [
            "21 Oct 2026 23:55 UTC",
            "22 Oct 2026 02:00 UTC",
            "90.0 %",
            "50.0 %",
            "1",
            "3",
        ]
        assert figures[-1].help == "Of 10 records in all landed files."

    def test_trust_of_an_empty_ledger_is_unknown(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, last_used_at_us=None)
        figures = wording.trust_figures(ask(tmp_path, trust, TODAY)[0], "list")
        assert [figure.value for figure in figures[:4:2]] == ["unknown", "unknown"]

    def test_instants_of_manifests_are_utc(self) -> None:
        assert wording.read_instant("2026-10-20T02:00:00+02:00") == datetime(2026, 10, 20, tzinfo=UTC)


class TestPeriods:
    FIRST, LAST = date(2026, 8, 5), date(2026, 10, 21)

    @pytest.mark.parametrize(
        ("preset", "first"),
        [
            ("Latest day", date(2026, 10, 21)),
            ("Last 7 days", date(2026, 10, 15)),
            ("Last 30 days", date(2026, 9, 22)),
            ("Month to date", date(2026, 10, 1)),
            ("Everything", date(2026, 8, 5)),
        ],
    )
    def test_presets_end_with_the_last_day_of_the_ledger(self, preset: str, first: date) -> None:
        assert filters.period_of(preset, self.FIRST, self.LAST) == Period.of_days(first, self.LAST)

    def test_chosen_days_in_any_order_and_one_alone(self) -> None:
        one, two = date(2026, 9, 1), date(2026, 9, 3)
        for chosen in ((one, two), (two, one)):
            assert filters.period_of("Chosen days", self.FIRST, self.LAST, chosen) == Period.of_days(one, two)
        assert filters.period_of("Chosen days", self.FIRST, self.LAST, (two,)) == Period.of_days(two, two)
        everything = Period.of_days(self.FIRST, self.LAST)
        assert filters.period_of("Chosen days", self.FIRST, self.LAST) == everything
