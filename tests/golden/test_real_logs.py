"""Public logs and traces as they are: recognised, read without a reject, with their known counts."""

import os
from pathlib import Path

import pytest

from pipelines.landing import usage_profiles
from pipelines.secrets import Hasher
from pipelines.sources import choose_reader
from pipelines.sources.base import ReadOptions
from pipelines.sources.frame import Framed
from pipelines.sources.frames import frame_of
from pipelines.sources.streams import open_stream

STATED = ReadOptions(zone="UTC", start_us=1_794_643_200_000_000)
# File, source, records read, input and output tokens; null where nobody states the sum.
FILES = [
    ("azure-llm-2023-conv/AzureLLMInferenceTrace_conv.csv", "azure.llm_trace", 19_366, 22_361_870, 4_088_665),
    ("azure-llm-2024-sample/azure_llm_2024_sample.csv", "azure.llm_trace", 5_880, None, None),
    ("burstgpt-head/burstgpt_sample.csv", "burstgpt.trace", 54, None, None),
    ("mooncake-conversation/conversation_trace.jsonl.gz", "mooncake.trace", 12_031, 144_793_823, 4_122_048),
    ("aider-usage/events.jsonl.gz", "aider.analytics", 4_405, None, None),
    ("log-formats/litellm/spend_logs_payload.json", "litellm.spendlogs", 1, 10, 20),
    ("log-formats/bedrock/invocation_log_converse_stream.json", "aws.bedrock.invocation_log", 1, None, None),
    ("log-formats/coding-agents/claude_session-alpha.jsonl", "claude_code.session", 3, None, None),
    ("log-formats/coding-agents/claude_representative_messages.jsonl", "claude_code.session", 5, None, None),
    ("log-formats/coding-agents/codex_session-alpha.jsonl", "codex.session", 2, None, None),
    ("log-formats/openai-admin/usage_completions.json", "openai.usage", 1, None, None),
    ("log-formats/openai-admin/usage_embeddings.json", "openai.usage", 1, None, None),
    ("log-formats/openai-admin/costs.json", "provider.costs", 1, None, None),
]


def read(path: Path) -> tuple[str, list[Framed]]:
    stream = open_stream(path)
    reader = choose_reader(stream)
    frame = frame_of(reader, stream.file_sha256, Hasher("x" * 32), usage_profiles(), STATED)
    return reader.SOURCE, [frame(batch) for batch in reader.read(stream, STATED)]


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "source", "count", "inputs", "outputs"), FILES, ids=[file[0] for file in FILES]
)
def test_a_public_file_reads_whole(
    name: str, source: str, count: int, inputs: int | None, outputs: int | None
) -> None:
    found, framed = read(Path(os.environ["INFERLEDGER_REAL_DATA"], name))
    assert found == source
    assert [reject for part in framed for reject in part.rejects] == []
    rows = [row for part in framed for row in part.table.to_pylist()]
    assert sum(part.parsed for part in framed) == len(rows) == count
    assert len({(row["source"], row["source_event_id"]) for row in rows}) == count
    if inputs is not None:
        assert sum(row["reported_input"] for row in rows) == inputs
        assert sum(row["reported_output"] for row in rows) == outputs
