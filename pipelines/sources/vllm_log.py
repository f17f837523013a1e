"""Reader of vLLM server logs: they carry no usage, so every line is a skip that says so.

It exists to answer the question "why is nothing counted": vLLM's traces or SGLang-like metrics files have
the counts.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipelines.sources.base import Batch, ReadOptions
from pipelines.sources.lines import split_lines
from pipelines.sources.rows import ATTEMPT_FIELDS
from pipelines.sources.streams import SourceStream

SOURCE = "vllm.server_log"
VERSION = 1
TABLE = "raw_attempts"
CONSTANTS: dict[str, Any] = {"usage_profile": "openai.chat", "outcome": "unknown"}
FIELDS = tuple(name for name in ATTEMPT_FIELDS if name not in CONSTANTS)
LINE = re.compile(rb"(?m)^(?:INFO|WARNING|ERROR|DEBUG)\b.*\[(?:loggers?|api_server|async_llm|core)\.py:\d+\]")


def sniff(head: bytes) -> bool:
    """Whether the head holds a line of the server's logger."""
    return LINE.search(head) is not None


def read(stream: SourceStream, options: ReadOptions) -> Iterator[Batch]:
    """Yields a skip per line that is not blank; the text of a line is not looked at, it may hold a prompt."""
    del options
    for first, lines, _ in split_lines(stream):
        places = [str(place) for place, line in enumerate(lines, first) if line.strip()]
        yield Batch(skips=[(place, "no_usage_in_source") for place in places])
