"""Which frame the records of a reader get: that of attempts, or the plain one.

Nothing else lives here; what a frame does stands in frame.py and plain_frame.py.
"""

from collections.abc import Callable, Mapping

from pipelines.secrets import Hasher
from pipelines.sources.base import Batch, Reader, ReadOptions
from pipelines.sources.frame import AttemptFrame, Framed
from pipelines.sources.plain_frame import PlainFrame
from pipelines.sources.rules import UsageProfile


def frame_of(
    reader: Reader,
    file_sha256: str,
    hasher: Hasher,
    profiles: Mapping[str, UsageProfile],
    options: ReadOptions,
) -> Callable[[Batch], Framed]:
    """Returns the frame for the batches that `reader` gives of one file under these options."""
    if reader.TABLE == "raw_attempts":
        return AttemptFrame(reader, file_sha256, hasher, profiles, options)
    return PlainFrame(reader, file_sha256, hasher, options)
