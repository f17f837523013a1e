"""Small input files for reader tests, and reading them the way landing does."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.landing import usage_profiles
from pipelines.secrets import Hasher
from pipelines.sources import readers
from pipelines.sources.base import Batch, Reader, ReadOptions
from pipelines.sources.frame import Framed
from pipelines.sources.frames import frame_of
from pipelines.sources.rules import UsageProfile
from pipelines.sources.streams import SourceStream, open_stream

HASHER = Hasher("a secret of thirty-two characters")
PROFILES = usage_profiles() | {
    "inside": UsageProfile(True, True, True, False),
    "outside": UsageProfile(False, False, False, False),
}


def stream_of(folder: Path, content: bytes | str, name: str = "file.jsonl") -> SourceStream:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_stream(path)


def lines_of(*records: Any) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def read_all(
    stream: SourceStream,
    source: str,
    options: ReadOptions = ReadOptions(),  # noqa: B008 - immutable
) -> list[Framed]:
    reader = readers()[source]
    frame = frame_of(reader, stream.file_sha256, HASHER, PROFILES, options)
    return [frame(batch) for batch in reader.read(stream, options)]


def rows_of(framed: list[Framed]) -> list[dict[str, Any]]:
    return [row for batch in framed for row in batch.table.to_pylist()]


def skips_of(framed: list[Framed]) -> list[tuple[str, str]]:
    return [skip for batch in framed for skip in batch.skips]


def reasons_of(framed: list[Framed]) -> list[tuple[str, str]]:
    """Position and reason code of every reject, in order of position."""
    found = [(reject.position, reject.reason_code) for batch in framed for reject in batch.rejects]
    return sorted(found, key=lambda pair: [int(part) for part in pair[0].split("/")])


class MadeUpReader:
    """A reader whose rows a test writes down."""

    SOURCE = "made.up"
    VERSION = 1
    TABLE = "raw_attempts"

    def __init__(self, fields: tuple[str, ...], constants: Mapping[str, Any]) -> None:
        self.FIELDS, self.CONSTANTS = fields, constants

    def sniff(self, head: bytes) -> bool:
        return head.startswith(b"made up")

    def read(self, stream: SourceStream, options: ReadOptions) -> Any:
        raise AssertionError("its batches are written down in the test")


def made_up_reader(*fields: str, **constants: Any) -> Reader:
    return MadeUpReader(fields, {"usage_profile": "inside", "outcome": "success"} | constants)


def framed_rows(reader: Reader, *rows: tuple[Any, ...], options: ReadOptions | None = None) -> Framed:
    frame = frame_of(reader, "f" * 64, HASHER, PROFILES, options or ReadOptions())
    return frame(Batch(positions=list(range(len(rows))), rows=list(rows)))
