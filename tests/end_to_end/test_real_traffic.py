"""Real traffic through the command line: the Azure trace of 2023, priced under a stated model, balances."""

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.cli import run, sample_home

pytestmark = [pytest.mark.realdata, pytest.mark.end_to_end]
INPUT_TOKENS, OUTPUT_TOKENS, ATTEMPTS = 22_361_870, 4_088_665, 19_366
# gpt-4 in November 2023: 30 and 60 USD per million tokens.
INPUT_USD, OUTPUT_USD = Decimal("0.00003"), Decimal("0.00006")


def test_the_azure_conversations_are_priced_and_balance(tmp_path: Path) -> None:
    trace = (
        Path(os.environ["INFERLEDGER_REAL_DATA"]) / "azure-llm-2023-conv" / "AzureLLMInferenceTrace_conv.csv"
    )
    home = sample_home(tmp_path)
    (home / "mapping.yml").write_text(
        "models: [{when: {source: azure.llm_trace}, then: {provider: openai, model: gpt-4}}]\n",
        encoding="utf-8",
    )
    said = run("run", trace, "--zone", "UTC", home=home)
    assert said.code == 0, said.err
    assert "checks passed" in said.out
    told: dict[str, Any] = json.loads(run("report", "--json", "--by", "meter", home=home).out)
    found = {row["meter"]: (row["token_count"], Decimal(row["list_cost_usd"])) for row in told["rows"]}
    assert found == {
        "input_uncached": (INPUT_TOKENS, INPUT_TOKENS * INPUT_USD),
        "output_text": (OUTPUT_TOKENS, OUTPUT_TOKENS * OUTPUT_USD),
    }
    assert told["total"]["line_count"] == 2 * ATTEMPTS
    assert told["total"]["unpriced_line_count"] == 0
    assert told["trust"]["reject_count"] == 0
