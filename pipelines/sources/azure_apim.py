"""Reader of Azure API Management's LLM gateway log: the table ApiManagementGatewayLlmLog as CSV.

The table has no cache split. A long message stands in several rows of one request: they are versions of one
record and never added up.
"""

from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions, RejectError, Row
from pipelines.sources.csv_lines import header_of, read_csv_rows
from pipelines.sources.rows import ATTEMPT_FIELDS, attempt
from pipelines.sources.streams import SourceStream
from pipelines.sources.values import count_of_text, iso_us

SOURCE = "azure.apim_llm_log"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {}
FIELDS = ATTEMPT_FIELDS
COLUMNS = ("TimeGenerated", "CorrelationId", "RequestId", "ModelName", "PromptTokens", "CompletionTokens")
OPTIONAL = ("TotalTokens", "DeploymentName", "IsStreamCompletion")


def sniff(head: bytes) -> bool:
    """Whether the header has the columns of the table."""
    return set(COLUMNS) <= set(header_of(head))


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields one record per row."""
    del options
    return read_csv_rows(stream, COLUMNS, parse, OPTIONAL)


def parse(values: list[str]) -> Row:
    """Returns one row under canonical names."""
    time, correlation, request, model, prompt, completion, total, deployment, is_stream = values
    if not request and not correlation:
        raise RejectError("missing_field", "RequestId: required and not there, nor CorrelationId")
    return attempt(
        source=SOURCE,
        source_event_id=request or correlation,
        response_id=request or None,
        provider="azure.ai.openai",
        served_model=model or None,
        deployment=deployment or None,
        operation="chat",
        outcome="success",
        is_stream=is_stream.lower() == "true" if is_stream else None,
        logged_at_us=iso_us(time, "TimeGenerated"),
        usage_profile="openai.chat",
        reported_input=count_of_text(prompt, "PromptTokens"),
        reported_output=count_of_text(completion, "CompletionTokens"),
        reported_total=count_of_text(total, "TotalTokens"),
    )
