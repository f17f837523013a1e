"""One writer at a time, held by the operating system so that a killed writer frees it.

Lives here: the lock file of a home and the message for the second writer.
Does not live here: waiting and retrying; a schedule decides that.
"""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pipelines.errors import UserError


@contextmanager
def hold_writer_lock(path: Path) -> Generator[None]:
    """Hold the writer's lock `path` for the length of the block, or raise UserError naming the holder."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(_describe_holder(path, os.pread(descriptor, 200, 0))) from None
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} since {stamp}\n".encode(), 0)
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _describe_holder(path: Path, content: bytes) -> str:
    holder = content.decode("utf-8", "replace").strip() or "a process that did not say its name"
    return (
        f"another load is writing: '{holder}' · {path} · one writer at a time; reports and the dashboard "
        f"go on reading · next: wait until it has finished, then run the command again"
    )
