"""Readings of GPUs in whole units."""

from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.sources import READERS, choose_reader, readers
from pipelines.sources.base import ReadOptions, RejectError
from pipelines.sources.focus import scaled
from pipelines.sources.gpu_metrics import device_of, reading
from tests.unit.pipelines.sources.files import read_all, rows_of, stream_of

SAMPLES = Path(__file__).parents[3] / "golden" / "formats"
LABELS = '{UUID="GPU-1",modelName="H200",Hostname="n1",pod="p"}'


@pytest.mark.parametrize(
    ("text", "factor", "found"),
    [
        ("87", 10_000, 870_000),
        ("0.834", 1_000_000, 834_000),
        (" 512.345 ", 1_000, 512_345),
        ("1.2345678", 1_000_000, 1_234_568),
        ("1e3", 1, 1000),
        ("0", 1, 0),
        ("NaN", 1, None),
        ("+Inf", 1, None),
        ("-Inf", 1, None),
        ("9223372036854775794", 1, None),
    ],
)
def test_readings(text: str, factor: int, found: int | None) -> None:
    assert reading(text, factor, "x") == found


@pytest.mark.parametrize(
    ("text", "code"), [("", "not_a_reading"), ("5 %", "not_a_reading"), ("-1", "negative_reading")]
)
def test_what_is_no_reading_is_refused(text: str, code: str) -> None:
    with pytest.raises(RejectError, match=code):
        reading(text, 1, "x")


def test_labels_that_a_scraper_moved_stand_above_its_own() -> None:
    found = device_of({"UUID": "GPU-1", "pod": "exporter", "exported_pod": "vllm-0", "hostname": "n1"})
    assert (found["pod"], found["host"], found["mig_id"]) == ("vllm-0", "n1", "")
    with pytest.raises(RejectError, match="missing_field"):
        device_of({"pod": "x"})


def test_a_scrape_is_put_together_by_gpu(tmp_path: Path) -> None:
    text = (
        f"DCGM_FI_DEV_GPU_UTIL{LABELS} 50\nDCGM_FI_DEV_SM_CLOCK{LABELS} 1980\n"
        f"DCGM_FI_DEV_GPU_UTIL{LABELS.replace('GPU-1', 'GPU-2')} 60\nDCGM_FI_DEV_FB_USED{LABELS} 1\n"
    )
    framed = read_all(stream_of(tmp_path, text), "nvidia.dcgm", ReadOptions(instant_us=1_794_643_200_000_000))
    found = [(row["gpu_uuid"], row["util_ppm"], row["memory_used_bytes"]) for row in rows_of(framed)]
    assert found == [("GPU-1", 500_000, 1 << 20), ("GPU-2", 600_000, None)]


def test_a_host_without_a_stated_zone_is_refused(tmp_path: Path) -> None:
    text = "timestamp, uuid, utilization.gpu [%]\n2026/11/14 09:00:00.123, GPU-1, 87 %\n"
    with pytest.raises(UserError, match=r"state no zone.*sources\.yml"):
        read_all(stream_of(tmp_path, text, "smi.csv"), "nvidia.smi")


def test_a_query_that_failed_is_no_file_to_land(tmp_path: Path) -> None:
    text = '{"status": "error", "data": {"resultType": "matrix", "result": []}}'
    with pytest.raises(UserError, match="failed_query"):
        read_all(stream_of(tmp_path, text, "query.json"), "prometheus.range")


@pytest.mark.parametrize(
    ("quantity", "unit", "found"),
    [
        ("4.5", "1K tokens", ("4500", "tokens")),
        ("4.5", "1000 tokens", ("4500", "tokens")),
        ("0.5", "1M Tokens", ("500000", "Tokens")),
        ("3", "GPU Hours", ("3", "GPU Hours")),
        ("3", "", ("3", None)),
        ("", "tokens", (None, "tokens")),
    ],
)
def test_units_of_bills_are_multiplied_out(
    quantity: str, unit: str, found: tuple[str | None, str | None]
) -> None:
    assert scaled(quantity, unit) == found


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*_*.*[lnvgmt]")), ids=lambda path: path.name)
def test_every_sample_is_recognised_by_one_reader_only(path: Path, tmp_path: Path) -> None:
    stream = stream_of(tmp_path, path.read_bytes(), path.name)
    meant = [name for name in READERS if readers()[name].sniff(stream.head)]
    assert meant == [choose_reader(stream).SOURCE]
