"""GPU rates: exact money per microsecond, dated like every price, and the files that propose them."""

from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from pricing.errors import PriceBookError
from pricing.gpu_rates import gpu_rate_at, rate_entries, read_gpu_rates
from pricing.importers.gpu_catalogue import new_rates, read
from pricing.price_book import load_price_book
from pricing.yaml_source import parse_yaml
from tests.unit.pricing.books import at_us

RATES = load_price_book().gpu_rates
RUNPOD = ("runpod", "H100 SXM", "secure cloud", None, "on_demand")
HEAD = """
sources:
  page: {url: "https://example.com/gpus", checked: 2026-11-30}
rates:
"""
ONE = (
    "  - {provider: p, gpu: H100, offer: o, per_hour: 6.88, gpus: 8, "
    "valid_from: 2026-01-01, known_from: 2026-01-01, source: page}\n"
)


@pytest.mark.parametrize(
    ("when", "per_hour"),
    [
        ("2026-08-18T00:00:00Z", None),
        ("2026-08-19T00:00:00Z", "3.29"),
        ("2026-09-25T00:00:00Z", "3.49"),
        ("2026-10-18T23:59:59Z", "3.49"),
        ("2026-10-19T00:00:00Z", "3.99"),
    ],
)
def test_a_rate_that_moved_three_times_is_found_by_date(when: str, per_hour: str | None) -> None:
    rate = gpu_rate_at(RATES, RUNPOD, at_us(when))
    assert (None if rate is None else rate.text.per_hour) == per_hour


def test_a_rate_is_two_integers_without_a_common_divisor() -> None:
    (rate,) = [r for r in RATES if r.text.offer == "p5.48xlarge"]
    assert rate.pico_usd_per_microseconds() == (17_200, 9)
    for each in RATES:
        pico, microseconds = each.pico_usd_per_microseconds()
        hourly = Fraction(each.text.per_hour) / each.text.gpus
        assert Fraction(pico, microseconds) * 3_600_000_000 == hourly * 10**12


def test_every_rate_has_a_source_and_the_day_it_was_checked() -> None:
    assert len(RATES) >= 40
    for rate in RATES:
        assert rate.facts.source_url.startswith("https://")
        assert rate.facts.checked >= date(2026, 5, 1)


def test_the_kinds_of_gpus_and_commitments_one_would_ask_for_are_there() -> None:
    assert {"H100", "H200", "B200", "A100 80", "L40S", "MI300X"} <= {rate.text.gpu for rate in RATES}
    assert {"on_demand", "spot"} <= {rate.text.commitment for rate in RATES}


def test_on_demand_rates_are_price_entries_of_their_offer() -> None:
    entries = rate_entries(RATES)
    (entry,) = entries["aws.ec2", "p5.48xlarge"]
    assert entry.amounts["gpu_time"].amount == "6.880000000000"
    assert ("runpod", "secure cloud") not in entries, "one offer name for several types is no single price"


def test_two_rates_of_one_offer_at_one_time_do_not_load() -> None:
    with pytest.raises(PriceBookError, match="Two rates of 'o' are valid at once"):
        read_gpu_rates(parse_yaml(HEAD + ONE + ONE, "gpus.yml"))


def test_a_rate_of_an_unknown_source_does_not_load() -> None:
    with pytest.raises(PriceBookError, match=r"source 'blog' is not declared · gpus\.yml line 5"):
        read_gpu_rates(parse_yaml(HEAD + ONE.replace("source: page", "source: blog"), "gpus.yml"))


@pytest.mark.parametrize(
    ("field", "value"), [("gpus: 8", "gpus: 0"), ("per_hour: 6.88", "per_hour: about 6")]
)
def test_a_rate_of_another_shape_does_not_load(field: str, value: str) -> None:
    with pytest.raises(PriceBookError, match=r"gpus\.yml line 5"):
        read_gpu_rates(parse_yaml(HEAD + ONE.replace(field, value), "gpus.yml"))


def test_a_rate_known_later_was_not_known_before() -> None:
    later = ONE.replace("6.88", "5").replace(
        "valid_from: 2026-01-01, known_from: 2026-01-01", "valid_from: 2026-02-01, known_from: 2026-03-01"
    )
    rates = read_gpu_rates(parse_yaml(HEAD + ONE + later, "gpus.yml"))
    series, when = ("p", "H100", "o", None, "on_demand"), at_us("2026-02-15T00:00:00Z")
    asked = [gpu_rate_at(rates, series, when, at_us(f"2026-{month}-01T00:00:00Z")) for month in ("02", "03")]
    assert [rate.text.per_hour for rate in asked if rate is not None] == ["6.88", "5"]


SKYPILOT = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region
p5.48xlarge,H100,8.0,192,2048,55.04,30.1,us-east-1
m5.large,,,2,8,0.096,,us-east-1
g6.xlarge,L4,1,4,16,0.8048,,us-east-1
"""
GPUHUNT = """instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot
h100-80g,region-1,3.90,26,240,1,H100,80,False
h100-80g,region-1,1.60,26,240,1,H100,80,True
cpu-2,region-1,0.05,2,8,0,,,False
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "catalogue.csv"
    path.write_text(text)
    return path


def test_a_skypilot_file_gives_on_demand_and_spot_rates(tmp_path: Path) -> None:
    rows = read(written(tmp_path, SKYPILOT), "aws.ec2", date(2026, 12, 1))
    assert [(row.gpu, row.offer, row.commitment, row.per_hour, row.gpus) for row in rows] == [
        ("H100", "p5.48xlarge", "on_demand", "55.04", 8),
        ("H100", "p5.48xlarge", "spot", "30.1", 8),
        ("L4", "g6.xlarge", "on_demand", "0.8048", 1),
    ]


def test_a_gpuhunt_file_says_by_a_flag_which_is_spot(tmp_path: Path) -> None:
    rows = read(written(tmp_path, GPUHUNT), "crusoe", date(2026, 12, 1))
    assert [(row.commitment, row.per_hour) for row in rows] == [("on_demand", "3.9"), ("spot", "1.6")]


def test_only_what_the_book_does_not_have_is_proposed(tmp_path: Path) -> None:
    rows = read(written(tmp_path, SKYPILOT), "aws.ec2", date(2026, 12, 1))
    assert [row.offer + " " + row.commitment for row in new_rates(RATES, rows)] == [
        "p5.48xlarge spot",
        "g6.xlarge on_demand",
    ]


def test_a_proposed_rate_is_a_line_that_loads(tmp_path: Path) -> None:
    rows = read(written(tmp_path, GPUHUNT), "crusoe", date(2026, 12, 1))
    text = HEAD + "\n".join(row.line("page") for row in rows) + "\n"
    rates = read_gpu_rates(parse_yaml(text, "proposed.yml"))
    assert [rate.series for rate in rates] == [
        ("crusoe", "H100", "h100-80g", "region-1", "on_demand"),
        ("crusoe", "H100", "h100-80g", "region-1", "spot"),
    ]


def test_another_file_says_which_columns_are_known(tmp_path: Path) -> None:
    with pytest.raises(PriceBookError, match="no GPU catalogue we know: its columns are a, b"):
        read(written(tmp_path, "a,b\n1,2\n"), "p", date(2026, 12, 1))
    with pytest.raises(PriceBookError, match="cannot be read"):
        read(tmp_path / "none.csv", "p", date(2026, 12, 1))
