"""Reports over a really published snapshot: in every view they add up to the published cost lines."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models import reports
from models.report_scope import MEASURES, REQUEST_DIMENSIONS, SPEND_DIMENSIONS, Period, Scope
from models.snapshot import Snapshot, SnapshotReader, open_snapshot
from models.trust import rejects_by_reason, trust, unpriced_by_reason
from tests.nights import FILES, night, sample_home
from tests.snapshots import SCHEMAS, write_snapshot

SUMS = ", ".join(
    f"cast(sum({measure}_cost_usd) as decimal(38,12)) as {measure}_cost_usd" for measure in MEASURES
)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    settings = sample_home(tmp_path_factory.mktemp("home"))
    night(settings, FILES)
    return open_snapshot(settings.published)


@pytest.fixture(scope="module")
def reader(snapshot: Snapshot) -> Iterator[SnapshotReader]:
    with snapshot.connect() as opened:
        yield opened


@pytest.fixture(scope="module")
def everything(reader: SnapshotReader) -> Scope:
    days = reports.covered_days(reader).to_pylist()[0]
    return Scope(Period.of_days(days["first_date"], days["last_date"]))


@pytest.mark.parametrize("table", SCHEMAS)
def test_made_up_snapshots_have_the_columns_of_published_ones(snapshot: Snapshot, table: str) -> None:
    window_column, schema = SCHEMAS[table]
    published = pq.read_schema(snapshot.files(table)[0])
    assert [(field.name, field.type) for field in published] == [(field.name, field.type) for field in schema]
    assert snapshot.manifest["tables"][table]["window_column"] == window_column


def test_manifest_has_the_keys_of_the_made_up_one(snapshot: Snapshot, tmp_path: Path) -> None:
    write_snapshot(tmp_path)
    assert set(snapshot.manifest) == set(open_snapshot(tmp_path).manifest)


def test_total_is_the_sum_of_the_published_lines(reader: SnapshotReader, everything: Scope) -> None:
    (total,) = reports.spend_totals(reader, everything).to_pylist()
    (lines,) = reader.fetch(f"select count(*) as line_count, {SUMS} from fct_cost_lines").to_pylist()
    assert {key: total[key] for key in lines} == lines
    assert total["effective_cost_usd"] > 0


@pytest.mark.parametrize("dimension", SPEND_DIMENSIONS)
def test_every_view_is_the_published_lines_grouped(
    reader: SnapshotReader, everything: Scope, dimension: str
) -> None:
    shown = reports.spend_by(reader, dimension, everything)
    grouped = reader.fetch(f"select {dimension}, {SUMS} from fct_cost_lines group by {dimension}")
    kept = shown.select(grouped.column_names)
    assert sorted(kept.to_pylist(), key=str) == sorted(grouped.to_pylist(), key=str)


def test_days_add_up_to_the_total(reader: SnapshotReader, everything: Scope) -> None:
    (total,) = reports.spend_totals(reader, everything).to_pylist()
    for dimension in (None, "feature", "usage_date"):
        days = reports.daily_spend(reader, everything, dimension)
        for measure in MEASURES:
            name = f"{measure}_cost_usd"
            assert sum_of(days, name) == total[name]


def test_each_day_is_compared_with_the_one_before(reader: SnapshotReader, everything: Scope) -> None:
    days = reports.daily_spend(reader, everything).to_pylist()
    for before, day in pairwise(days):
        scope = Scope(Period.of_days(day["usage_date"], day["usage_date"]))
        (told,) = reports.spend_totals(reader, scope).to_pylist()
        assert told["effective_cost_usd"] == day["effective_cost_usd"]
        assert told["previous_effective_cost_usd"] == before["effective_cost_usd"]
        assert told["change_effective_cost_usd"] == day["effective_cost_usd"] - before["effective_cost_usd"]


@pytest.mark.parametrize("dimension", REQUEST_DIMENSIONS)
def test_a_choice_of_one_value_is_its_row(reader: SnapshotReader, everything: Scope, dimension: str) -> None:
    rows = reports.spend_by(reader, dimension, everything).to_pylist()
    for row in rows:
        if row[dimension] is not None:
            chosen = Scope(everything.period, ((dimension, (row[dimension],)),))
            (total,) = reports.spend_totals(reader, chosen).to_pylist()
            for measure in MEASURES:
                assert total[f"{measure}_cost_usd"] == row[f"{measure}_cost_usd"]
            assert total["token_count"] == row["token_count"]


@pytest.mark.parametrize("dimension", REQUEST_DIMENSIONS)
def test_requests_add_up_to_the_published_requests(
    reader: SnapshotReader, everything: Scope, dimension: str
) -> None:
    counted = reader.fetch(
        f"""
        select
            count(*) as request_count,
            count(*) filter (where is_answered) as answered_count,
            cast(sum(attempt_count) as bigint) as attempt_count,
            {SUMS}
        from fct_requests
        """
    ).to_pylist()[0]
    (total,) = reports.request_totals(reader, everything).to_pylist()
    assert {key: total[key] for key in counted} == counted
    rows = reports.requests_by(reader, dimension, everything)
    for name in counted:
        assert sum_of(rows, name) == counted[name]


def test_unit_costs_are_numerator_over_denominator(reader: SnapshotReader, everything: Scope) -> None:
    rows = reports.unit_costs(reader, everything).to_pylist()
    assert any(row["metered_effective_cost_usd_per_million_all_tokens"] for row in rows)
    for row in rows:
        for measure in MEASURES:
            inputs, outputs, both = (
                row[f"metered_{measure}_cost_of_{part}_tokens_usd"] for part in ("input", "output", "all")
            )
            assert (inputs or 0) + (outputs or 0) == (both or 0)
            if both is not None:
                per_million = row[f"metered_{measure}_cost_usd_per_million_all_tokens"]
                assert abs(per_million * row["priced_all_tokens"] - both * 1_000_000) < Decimal("0.001")


def test_trust_agrees_with_the_reasons(reader: SnapshotReader, everything: Scope) -> None:
    (row,) = trust(reader, everything).to_pylist()
    assert sum_of(unpriced_by_reason(reader, everything), "unpriced_line_count") == row["unpriced_line_count"]
    assert sum_of(rejects_by_reason(reader), "reject_count") == row["reject_count"]
    assert reader.fetch("select count(*) as n from fct_rejects").to_pylist() == [{"n": row["reject_count"]}]
    assert 0 < row["priced_token_share"] < 1
    assert row["snapshot_id"] == reader.snapshot.id


def sum_of(table: pa.Table, column: str) -> Decimal | int:
    return sum(value for value in table.column(column).to_pylist() if value is not None)
