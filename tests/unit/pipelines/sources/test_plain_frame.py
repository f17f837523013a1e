"""The frame of records that are no attempts: types, bounds, periods, keys, stated instants."""

from datetime import date
from typing import Any

import pytest

from models.columns import table_schema
from models.keys import key63
from pipelines.sources.base import Batch, ReadOptions
from pipelines.sources.frame import Framed
from pipelines.sources.plain_frame import DECIDING, PlainFrame
from pipelines.sources.rows import AGGREGATE_FIELDS, DEVICE_COST_FIELDS, INVOICE_FIELDS, SAMPLE_FIELDS, row_of
from tests.unit.pipelines.sources.files import HASHER, MadeUpReader

NOON = 1_794_657_600_000_000
FIELDS = {
    "raw_usage_aggregates": AGGREGATE_FIELDS,
    "raw_invoice_lines": INVOICE_FIELDS,
    "raw_gpu_samples": SAMPLE_FIELDS,
    "raw_device_costs": DEVICE_COST_FIELDS,
}
PERIOD = {"source_event_id": "id", "period_start_us": NOON, "period_end_us": NOON + 1}
SOUND: dict[str, dict[str, Any]] = {
    "raw_usage_aggregates": PERIOD | {"usage_profile": "inside", "reported_input": 5},
    "raw_invoice_lines": PERIOD
    | {"line_item": "x", "charge_category": "Usage", "billed_amount": "1.5", "invoice_currency": "USD"},
    "raw_gpu_samples": {"source_event_id": "id", "sampled_at_us": NOON, "gpu_uuid": "GPU-1", "mig_id": ""},
    "raw_device_costs": PERIOD | {"allocation_name": "x", "is_idle": False},
}


def reader(table: str) -> Any:
    made = MadeUpReader(FIELDS[table], {})
    made.TABLE = table
    return made


def framed(table: str, *changes: dict[str, Any], options: ReadOptions | None = None) -> Framed:
    frame = PlainFrame(reader(table), "f" * 64, HASHER, options or ReadOptions())
    rows = [row_of(FIELDS[table], **SOUND[table] | change) for change in changes]
    return frame(Batch(positions=list(range(len(rows))), rows=rows))


def codes(found: Framed) -> list[tuple[str, str]]:
    return [(reject.position, reject.reason_code) for reject in found.rejects]


@pytest.mark.parametrize("table", DECIDING)
def test_a_sound_row_has_exactly_the_columns_of_its_table(table: str) -> None:
    found = framed(table, {})
    assert codes(found) == []
    assert found.table.schema == table_schema(table)
    (row,) = found.table.to_pylist()
    assert row["usage_date"] == date(2026, 11, 14)
    assert row["record_key"] == key63(table, "made.up", "id")
    assert (row["source"], row["record_position"], row["file_sha256"]) == ("made.up", "0", "f" * 64)


@pytest.mark.parametrize("table", DECIDING)
def test_no_rows_give_an_empty_table(table: str) -> None:
    found = framed(table)
    assert found.table.schema == table_schema(table)
    assert found.parsed == 0


@pytest.mark.parametrize(
    ("table", "change", "code"),
    [
        ("raw_usage_aggregates", {"reported_input": -1}, "negative_count"),
        ("raw_usage_aggregates", {"reported_input": 10**15 + 1}, "absurd_count"),
        ("raw_usage_aggregates", {"reported_input": 1.5}, "not_a_count"),
        ("raw_usage_aggregates", {"period_start_us": None}, "missing_time"),
        ("raw_usage_aggregates", {"period_end_us": None}, "missing_field"),
        ("raw_usage_aggregates", {"period_end_us": NOON}, "start_after_end"),
        ("raw_usage_aggregates", {"stated_request_count": "5"}, "not_a_count"),
        ("raw_usage_aggregates", {"source_event_id": ""}, "missing_field"),
        ("raw_invoice_lines", {"billed_amount": None}, "missing_field"),
        ("raw_invoice_lines", {"billed_amount": 1.5}, "not_a_text"),
        ("raw_invoice_lines", {"line_item": ""}, "missing_field"),
        ("raw_invoice_lines", {"period_start_us": 0}, "time_out_of_range"),
        ("raw_gpu_samples", {"gpu_uuid": None}, "missing_field"),
        ("raw_gpu_samples", {"sampled_at_us": None}, "missing_time"),
        ("raw_gpu_samples", {"util_ppm": 0.87}, "not_a_count"),
        ("raw_device_costs", {"is_idle": "yes"}, "not_a_flag"),
    ],
)
def test_a_wrong_row_is_rejected_alone(table: str, change: dict[str, Any], code: str) -> None:
    found = framed(table, {}, change, {})
    assert codes(found) == [("1", code)]
    assert found.table["record_position"].to_pylist() == ["0", "2"]


def test_a_month_may_hold_more_than_any_call() -> None:
    assert framed("raw_usage_aggregates", {"reported_input": 10**15}).rejects == []


def test_the_slice_of_a_whole_gpu_is_empty() -> None:
    assert framed("raw_gpu_samples", {"mig_id": ""}).table["mig_id"].to_pylist() == [""]


def test_a_stated_instant_serves_samples_without_one() -> None:
    untimed, timed = {"sampled_at_us": None}, {"sampled_at_us": NOON + 5}
    found = framed("raw_gpu_samples", untimed, timed, options=ReadOptions(instant_us=NOON))
    assert found.table["sampled_at_us"].to_pylist() == [NOON, NOON + 5]
    assert found.table["time_basis"].to_pylist() == ["assumed", "stated"]


def test_a_stated_zone_makes_all_times_assumed() -> None:
    found = framed("raw_gpu_samples", {}, options=ReadOptions(zone="UTC"))
    assert found.table["time_basis"].to_pylist() == ["assumed"]


def test_keys_of_accounts_are_hashed() -> None:
    found = framed("raw_usage_aggregates", {"api_key": "key_1"}, {"api_key": None})
    assert found.table["api_key_hash"].to_pylist() == [HASHER("api_key", "key_1"), None]
    assert "key_1" not in str(found.table.to_pylist())


def test_two_tables_never_share_a_key() -> None:
    keys = {framed(table, {}).table["record_key"][0].as_py() for table in DECIDING}
    assert len(keys) == len(DECIDING)


def test_constants_of_the_reader_stand_in_every_row() -> None:
    made = MadeUpReader(tuple(name for name in SAMPLE_FIELDS if name != "mig_id"), {"mig_id": ""})
    made.TABLE = "raw_gpu_samples"
    sound = {name: value for name, value in SOUND["raw_gpu_samples"].items() if name != "mig_id"}
    rows = [row_of(made.FIELDS, **sound), row_of(made.FIELDS, **sound)]
    found = PlainFrame(made, "f" * 64, HASHER, ReadOptions())(Batch(positions=[0, 1], rows=rows))
    assert found.table["mig_id"].to_pylist() == ["", ""]
