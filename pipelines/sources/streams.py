"""Opening one input file: its content hash, decompression within limits, text encoding.

Nothing here knows a format. A file that changes while it is read, a cut or oversized archive and
UTF-16 are refused as a whole, because part of such a file would be a wrong answer.
"""

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from pipelines.errors import UserError

BLOCK_BYTES = 1 << 20
HEAD_BYTES = 1 << 16
MOST_BYTES_OUT = 2 << 30
MOST_RATIO = 200
# A ratio says nothing about a file of a few bytes.
RATIO_COUNTS_FROM = 16 << 20
COMPRESSIONS: dict[bytes, Any] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
UTF8_BOM = b"\xef\xbb\xbf"


class _HashingFile:
    """A file object that hashes what is read through it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.hash = sha256()
        self.byte_count = 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.hash.update(block)
        self.byte_count += len(block)
        return block

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self.closed = True


class SourceStream:
    """One input file, read from front to back exactly once.

    Args:
        path: A regular file.
        file_sha256: Content hash the caller worked out before; checked again at the end.
        head: First bytes, decompressed.
    """

    def __init__(self, path: Path, file_sha256: str, head: bytes) -> None:
        self.path, self.file_sha256, self.head = path, file_sha256, head
        self.name = path.name
        self.bytes_read = 0

    def blocks(self) -> Iterator[bytes]:
        """Yields the decompressed bytes without a byte-order mark, in blocks.

        Raises:
            UserError: The file is cut, too large when decompressed, or changed while it was read.
        """
        with self.path.open("rb") as file:
            hashing = _HashingFile(file)
            first = True
            for block in _decompressed(hashing, self.path):
                self.bytes_read = hashing.byte_count
                yield block.removeprefix(UTF8_BOM) if first else block
                first = False
            while hashing.read(BLOCK_BYTES):
                pass  # what follows the archive's end belongs to the file, so to its hash
        if hashing.hash.hexdigest() != self.file_sha256:
            raise UserError(
                f"'{self.name}' changed while it was read",
                where=str(self.path),
                next_step="land it again when its writer is done",
            )

    def content(self, most_bytes: int) -> bytes:
        """Returns all decompressed bytes of a small file; refuses more than `most_bytes`."""
        parts: list[bytes] = []
        size = 0
        for block in self.blocks():
            size += len(block)
            if size > most_bytes:
                raise UserError(
                    f"'{self.name}' is one document of more than {most_bytes >> 20} MB",
                    where=str(self.path),
                    next_step="export it in smaller pages",
                )
            parts.append(block)
        return b"".join(parts)


def open_stream(path: Path) -> SourceStream:
    """Returns the stream of the regular file at `path`, its content hash worked out.

    Raises:
        UserError: Not a readable regular file, or its text is UTF-16 or UTF-32.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise UserError(f"'{path.name}' is not a regular file", where=str(path))
        with path.open("rb") as file:
            digest = sha256()
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
            file.seek(0, os.SEEK_SET)
            head = next(_decompressed(_HashingFile(file), path), b"")
    except OSError as error:
        raise UserError(f"'{path.name}' cannot be read: {error.strerror}", where=str(path)) from None
    head = head[:HEAD_BYTES]
    _refuse_wide_text(path, head)
    return SourceStream(path, digest.hexdigest(), head.removeprefix(UTF8_BOM))


def _refuse_wide_text(path: Path, head: bytes) -> None:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or head[:4] == b"\x00\x00\xfe\xff":
        raise UserError(
            f"'{path.name}' is UTF-16 or UTF-32 text",
            where=str(path),
            allowed="UTF-8",
            next_step=f"iconv -f UTF-16 -t UTF-8 {path.name} > {path.stem}.utf8{path.suffix}",
        )


def _decompressed(file: Any, path: Path) -> Iterator[bytes]:
    """Yields blocks; the kind of compression is told by magic bytes, never by the name."""
    start = file.read(BLOCK_BYTES)
    kind = next((name for magic, name in COMPRESSIONS.items() if start.startswith(magic)), None)
    if kind is None:
        while start:
            yield start
            start = file.read(BLOCK_BYTES)
        return
    size = 0
    rejoined: Any = _Rejoined(start, file)
    try:
        with pa.CompressedInputStream(pa.PythonFile(rejoined, mode="r"), kind) as stream:
            while block := stream.read(BLOCK_BYTES):
                size += len(block)
                _check_size(path, size, file.byte_count)
                yield block
    except OSError as error:
        raise UserError(
            f"'{path.name}' is a cut or damaged {kind} file: {str(error)[:120]}",
            where=str(path),
            next_step="copy it again from its source; nothing of it was landed",
        ) from None


def _check_size(path: Path, size: int, byte_count: int) -> None:
    if size > MOST_BYTES_OUT or (size > RATIO_COUNTS_FROM and size > MOST_RATIO * byte_count):
        raise UserError(
            f"'{path.name}' grows from {byte_count} to more than {size} bytes",
            where=str(path),
            allowed=f"at most {MOST_RATIO} times and {MOST_BYTES_OUT >> 30} GB",
            next_step="decompress and split it",
        )


class _Rejoined:
    """A file object that gives the bytes already read before those still to come."""

    closed = False

    def __init__(self, start: bytes, file: Any) -> None:
        self._start, self._file = start, file

    def read(self, size: int = -1) -> bytes:
        if not self._start:
            return self._file.read(size)
        given = self._start if size < 0 else self._start[:size]
        self._start = self._start[len(given) :]
        return given + (self._file.read() if size < 0 else b"")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True
