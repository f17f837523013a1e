"""Public traces of real traffic, landed, priced and balanced."""

import os
from pathlib import Path

import pytest

from pipelines import nightly
from pipelines.home import create_home
from pipelines.landing import land_files
from pipelines.settings import load_settings
from pipelines.warehouse import open_warehouse

MAPPING = """
rules:
  - when: {source: azure.llm_trace}
    then: {feature: conversation, team: search}
models:
  - when: {source: azure.llm_trace}
    then: {provider: openai, model: gpt-4}
"""
SOURCES = "sources: [{files: AzureLLMInferenceTrace_conv.csv, reader: azure.llm_trace, zone: UTC}]\n"


@pytest.mark.realdata
def test_the_azure_conversation_trace_lands_is_priced_and_balances(tmp_path: Path) -> None:
    create_home(tmp_path / "home")
    settings = load_settings(tmp_path / "home")
    settings.sources_file.write_text(SOURCES)
    settings.mapping_file.write_text(MAPPING)
    path = Path(os.environ["INFERLEDGER_REAL_DATA"], "azure-llm-2023-conv", "AzureLLMInferenceTrace_conv.csv")
    (file,) = land_files(settings.home, [path]).files
    assert file.manifest is not None
    assert (file.manifest.records, file.manifest.parsed, file.manifest.rejects) == (19_366, 19_366, {})
    nightly.build(nightly.prepare(settings))
    assert all(result.is_passed for result in nightly.check(settings))
    with open_warehouse(settings) as engine:
        lines = engine.fetch(
            "select meter, model, feature, cast(sum(quantity) as decimal(38, 0)) as quantity,"
            " cast(sum(list_cost_pico_usd) as decimal(38, 0)) as cost, count(*) as line_count"
            " from int_cost_lines group by meter, model, feature order by meter"
        ).to_pylist()
    inputs, outputs = lines
    assert (inputs["meter"], inputs["quantity"], inputs["line_count"]) == (
        "input_uncached",
        22_361_870,
        19_366,
    )
    assert (outputs["meter"], outputs["quantity"]) == ("output_text", 4_088_665)
    assert {line["model"] for line in lines} == {"gpt-4"}
    assert {line["feature"] for line in lines} == {"conversation"}
    # 30 and 60 USD per million tokens.
    assert inputs["cost"] == 22_361_870 * 30_000_000
    assert outputs["cost"] == 4_088_665 * 60_000_000
