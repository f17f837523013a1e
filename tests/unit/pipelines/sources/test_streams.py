"""Opening a file: hash, compression, encodings, limits; whatever cannot be read whole is refused whole."""

import gzip
import os
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pytest

from pipelines.errors import UserError
from pipelines.sources import streams
from pipelines.sources.streams import open_stream
from tests.unit.pipelines.sources.files import stream_of

TEXT = b'{"a": 1}\n' * 1000


def zstd(content: bytes) -> bytes:
    return pa.compress(content, "zstd").to_pybytes()


def read(folder: Path, content: bytes, name: str = "file.jsonl") -> bytes:
    return b"".join(stream_of(folder, content, name).blocks())


def test_plain_bytes_come_out_as_they_are(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, TEXT)
    assert b"".join(stream.blocks()) == TEXT
    assert stream.file_sha256 == sha256(TEXT).hexdigest()
    assert stream.bytes_read == len(TEXT)
    assert stream.head == TEXT


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(TEXT), zstd(TEXT), gzip.compress(TEXT[:90]) + gzip.compress(TEXT[90:])],
    ids=["gzip", "zstd", "two gzip members"],
)
def test_compression_is_told_by_the_bytes_not_the_name(tmp_path: Path, packed: bytes) -> None:
    stream = stream_of(tmp_path, packed, "no_such_ending.txt")
    assert stream.head == TEXT
    assert b"".join(stream.blocks()) == TEXT
    assert stream.file_sha256 == sha256(packed).hexdigest()
    assert stream.bytes_read == len(packed)


def test_a_plain_file_named_gz_is_plain(tmp_path: Path) -> None:
    assert read(tmp_path, TEXT, "file.jsonl.gz") == TEXT


def test_a_thousand_members_are_one_file(tmp_path: Path) -> None:
    assert read(tmp_path, gzip.compress(b"{}\n") * 1000) == b"{}\n" * 1000


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_cut_archive_is_refused(tmp_path: Path, pack: object, kept: float) -> None:
    packed = pack(os.urandom(200_000))  # type: ignore[operator]
    with pytest.raises(UserError, match=r"'file.jsonl' is a cut or damaged .* nothing of it was landed"):
        read(tmp_path, packed[: int(len(packed) * kept)])


def test_an_archive_with_rubbish_behind_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cut or damaged gzip"):
        read(tmp_path, gzip.compress(TEXT) + b"rubbish that is long enough")


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    packed = gzip.compress(bytes(150 << 20))
    assert len(packed) < 200_000
    seen: list[int] = []
    with pytest.raises(UserError, match="at most 200 times and 2 GB"):
        seen.extend(map(len, stream_of(tmp_path, packed).blocks()))
    assert sum(seen) < 64 << 20


def test_small_files_may_compress_well(tmp_path: Path) -> None:
    content = bytes(1 << 20)
    packed = gzip.compress(content)
    assert len(content) > 200 * len(packed)
    assert read(tmp_path, packed) == content


def test_the_limit_of_all_bytes_holds_at_any_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_BYTES_OUT", 3 << 20)
    with pytest.raises(UserError, match="grows from"):
        read(tmp_path, gzip.compress(os.urandom(4 << 20)))


def test_a_byte_order_mark_is_taken_off(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, b"\xef\xbb\xbf" + TEXT)
    assert stream.head == TEXT
    assert b"".join(stream.blocks()) == TEXT


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_wide_text_is_refused_with_the_way_out(tmp_path: Path, encoding: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    with pytest.raises(UserError, match=r"UTF-16 or UTF-32.*UTF-8.*iconv"):
        stream_of(tmp_path, mark + '{"a": 1}'.encode(encoding))


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, TEXT)
    with stream.path.open("ab") as file:
        file.write(TEXT)
    with pytest.raises(UserError, match=r"changed while it was read.*land it again"):
        list(stream.blocks())


def test_a_file_rewritten_in_place_is_refused(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, TEXT)
    stat = stream.path.stat()
    stream.path.write_bytes(TEXT.replace(b"1", b"2"))
    os.utime(stream.path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(UserError, match="changed while it was read"):
        list(stream.blocks())


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'gone.jsonl' cannot be read: No such file"):
        open_stream(tmp_path / "gone.jsonl")


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/null")):
        with pytest.raises(UserError, match="is not a regular file"):
            open_stream(path)


def test_a_document_above_its_limit_is_refused(tmp_path: Path) -> None:
    assert stream_of(tmp_path, TEXT).content(len(TEXT)) == TEXT
    with pytest.raises(UserError, match=r"one document of more than 0 MB.*smaller pages"):
        stream_of(tmp_path, TEXT).content(len(TEXT) - 1)


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, b"")
    assert stream.head == b""
    assert list(stream.blocks()) == []
    assert read(tmp_path, gzip.compress(b"")) == b""
