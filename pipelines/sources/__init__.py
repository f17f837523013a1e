"""The table of readers: every known format by the name of its source, and how a file finds its reader.

A third party adds readers through the entry-point group `inferledger.readers`: the name is the source, the
object a module as `base.Reader` describes it. Nothing here reads a format.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import cast

from pipelines.errors import UserError, nearest_first
from pipelines.sources.base import Reader
from pipelines.sources.streams import SourceStream

ENTRY_POINTS = "inferledger.readers"
# In the order of sniffing: the first that recognises a file reads it.
READERS: dict[str, str] = {
    "litellm.spendlogs": "litellm",
    "litellm.standard_logging": "litellm_object",
    "langfuse.observations": "langfuse",
    "app.envelope": "app_envelope",
    "openai.batch": "openai_batch",
    "aws.bedrock.invocation_log": "bedrock",
    "claude_code.session": "claude_code",
    "codex.session": "codex",
    "openinference": "openinference",
    "otel.genai": "otel_genai",
    "helicone.requests": "helicone",
    "openrouter.generation": "openrouter",
    "google.vertex.request_response_log": "vertex",
    "azure.diagnostic": "azure_diagnostic",
    "azure.apim_llm_log": "azure_apim",
    "portkey.log_export": "portkey",
    "sglang.request_metrics": "sglang",
    "vllm.server_log": "vllm_log",
    "azure.llm_trace": "azure_trace",
    "burstgpt.trace": "burstgpt",
    "mooncake.trace": "mooncake",
    "aider.analytics": "aider",
    "openai.usage": "openai_admin",
    "anthropic.usage_report": "anthropic_admin",
    "openrouter.activity": "openrouter_activity",
    "provider.costs": "provider_costs",
    "focus.1_2": "focus",
    "gcp.billing_export": "gcp_billing",
    "nvidia.dcgm": "dcgm",
    "prometheus.range": "prometheus_range",
    "nvidia.smi": "nvidia_smi",
    "opencost.allocation": "opencost",
}


@cache
def readers() -> dict[str, Reader]:
    """Returns every reader by source name: the table, then new files beside it, then installed packages."""
    ours = {name: cast(Reader, import_module(f"pipelines.sources.{file}")) for name, file in READERS.items()}
    ours |= {reader.SOURCE: reader for reader in _unlisted()}
    added = {
        point.name: cast(Reader, point.load())
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
        if point.name not in ours
    }
    return ours | added


def _unlisted() -> Iterator[Reader]:
    """Readers beside this file that the table does not name: one more format is one more file."""
    for found in iter_modules(__path__):
        if found.name not in READERS.values():
            module = import_module(f"pipelines.sources.{found.name}")
            if hasattr(module, "SOURCE") and hasattr(module, "sniff"):
                yield cast(Reader, module)


def choose_reader(stream: SourceStream, name: str | None = None) -> Reader:
    """Returns the reader named, or the first that recognises the file.

    Raises:
        UserError: Nobody has that name, or nobody recognises the file.
    """
    known = readers()
    if name is not None:
        if name not in known:
            raise UserError(
                f"'{name}' is not a source",
                allowed=nearest_first(name, known),
                next_step="correct the name, or leave it out to let the file be recognised",
            )
        return known[name]
    for reader in known.values():
        if reader.sniff(stream.head):
            return reader
    raise UserError(
        f"'{stream.name}' is of no known format",
        where=f"{stream.path}: {_impression(stream.head)}",
        allowed=", ".join(known),
        next_step="name its source if it is one of these",
    )


def _impression(head: bytes) -> str:
    """What sniffing saw, without quoting text of the file."""
    kinds = "".join(_kinds(head[:24]))
    first = head.split(b"\n", 1)[0]
    return f"starts with {kinds} in a first line of {len(first)} bytes" if head else "holds no bytes"


def _kinds(start: bytes) -> Iterator[str]:
    for byte in start:
        character = chr(byte)
        if character in '{}[]":,;<>#=':
            yield character
        elif character.isascii() and character.isalnum():
            yield "a" if character.isalpha() else "0"
        else:
            yield " " if character.isspace() else "?"
