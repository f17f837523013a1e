"""`prices import`: catalogues told apart, proposals shown and written, nothing ever written over."""

import json
from datetime import date
from pathlib import Path

import pytest

from pipelines.errors import UserError
from pipelines.price_import import Proposal, propose, write_proposal
from pricing.price_book import load_price_book

BOOK = load_price_book()
DAY = date(2026, 11, 1)
MAP = {
    "gpt-5": {
        "litellm_provider": "openai",
        "input_cost_per_token": 0.000009,
        "output_cost_per_token": 0.00001,
    },
    "acme-reasoner-2": {
        "litellm_provider": "openai",
        "input_cost_per_token": 0.000007,
        "output_cost_per_token": 0.000009,
    },
}
GPUS = """InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region
acme.8x,H100,8,12.5,,moon-1
"""


def litellm(folder: Path) -> str:
    path = folder / "map.json"
    path.write_text(json.dumps(MAP))
    return str(path)


def test_a_litellm_map_is_compared_and_its_new_models_are_proposed(tmp_path: Path) -> None:
    proposal = propose(BOOK, litellm(tmp_path), None, DAY)
    assert "amount: openai gpt-5 standard input_uncached: book 1.25, catalogue 9" in proposal.differences
    assert list(proposal.files) == ["openai.yml"]
    assert "gpt-5" not in proposal.files["openai.yml"].replace("gpt-5.", "")
    assert f"checked: {DAY}" in proposal.files["openai.yml"]


def test_a_proposal_is_a_price_file_that_loads(tmp_path: Path) -> None:
    paths = write_proposal(propose(BOOK, litellm(tmp_path), None, DAY), tmp_path / "proposed")
    assert [path.name for path in paths] == ["openai.yml"]
    model = load_price_book(paths).models["openai", "acme-reasoner-2"]
    assert {m: p.amount for m, p in model.entries[0].amounts.items()} == {
        "input_uncached": "7",
        "output_text": "9",
        "output_reasoning": "9",
    }


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "b.yml").write_text("mine")
    with pytest.raises(UserError, match=r"b\.yml' is there already · option --into"):
        write_proposal(Proposal((), {"a.yml": "new", "b.yml": "new"}), tmp_path)
    assert (tmp_path / "b.yml").read_text() == "mine"
    assert not (tmp_path / "a.yml").exists()


def test_a_gpu_catalogue_proposes_rates_of_a_provider(tmp_path: Path) -> None:
    path = tmp_path / "gpus.csv"
    path.write_text(GPUS)
    proposal = propose(BOOK, str(path), "acme", DAY)
    assert len(proposal.differences) == 1
    assert "gpu: H100, offer: acme.8x, region: moon-1, per_hour: 12.5, gpus: 8" in proposal.differences[0]
    assert list(proposal.files) == ["gpus-acme.yml"]
    with pytest.raises(UserError, match="does not say whose rates it holds"):
        propose(BOOK, str(path), None, DAY)


def test_the_installed_package_is_read() -> None:
    proposal = propose(BOOK, "genai-prices", None, DAY)
    assert proposal.text().splitlines()[-1] == f"{len(proposal.differences)} differences"
    assert all(line.split(":")[0] in ("model", "price", "amount") for line in proposal.differences)


def test_an_unknown_catalogue_names_the_known() -> None:
    with pytest.raises(UserError, match=r"'prices\.xlsx' is no catalogue · option --from · genai-prices"):
        propose(BOOK, "prices.xlsx", None, DAY)
