"""Damaged input of every kind we know: the right reason each, and the sound lines all land."""

import gzip
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipelines.landing import usage_profiles
from pipelines.secrets import Hasher
from pipelines.sources import readers
from pipelines.sources.base import ReadOptions
from pipelines.sources.frames import frame_of
from pipelines.sources.streams import open_stream
from tests.unit.pipelines.landed import (
    attempts,
    content_of,
    home_in,
    land,
    names,
    rejects,
    row,
    statuses,
    write,
)

CANARY = "canary-4111-1111"


def text(**changes: Any) -> bytes:
    return json.dumps(row("damaged") | changes).encode()


def inserted(piece: bytes) -> bytes:
    """A sound row with a further member."""
    return text()[:-1] + b", " + piece + b"}"


# Thirty kinds of damage, each with its reason.
KINDS: list[tuple[str, bytes]] = [
    ("broken_json", text()[: len(text()) // 2]),
    ("broken_json", text() + b"}"),
    ("broken_json", b"not json but " + CANARY.encode()),
    ("broken_json", text().replace(b'"', b"'")),
    ("not_a_finite_number", inserted(b'"x": NaN')),
    ("not_a_finite_number", inserted(b'"x": [-Infinity]')),
    ("not_a_finite_number", inserted(b'"x": 1e999')),
    ("invalid_utf8", inserted(b'"x": "\xff\xfe"')),
    ("lone_surrogate", inserted(b'"x": "\\udfff"')),
    ("nul_byte", text().replace(b"damaged", b"dam\x00ged")),
    ("nul_in_text", text().replace(b"damaged", b"dam\\u0000ged")),
    ("byte_order_mark", b"\xef\xbb\xbf" + text()),
    ("too_deep", inserted(b'"x": ' + b"[" * 100 + b"]" * 100)),
    ("too_deep", b'{"a":' * 2000),
    ("not_an_object", b"[" + text() + b"]"),
    ("not_an_object", b"12"),
    ("duplicate_key", inserted(b'"prompt_tokens": 11')),
    ("duplicate_key", inserted(b'"spend": 99')),
    ("missing_field", text(request_id=None)),
    ("not_a_text", text(request_id=12)),
    ("not_a_time", text(startTime="yesterday")),
    ("not_a_time", text(startTime=1794643200)),
    ("time_out_of_range", text(startTime="1970-01-01T00:00:00")),
    ("time_out_of_range", text(startTime="2100-01-01T00:00:00", endTime=None)),
    ("start_after_end", text(endTime="2026-11-14T07:59:59")),
    ("negative_count", text(prompt_tokens=-1)),
    ("absurd_count", text(prompt_tokens=10**15)),
    ("not_a_count", text(prompt_tokens=True)),
    ("not_a_count", text(prompt_tokens="10")),
    ("not_a_count", inserted(b'"n": 1').replace(b'"prompt_tokens": 10', b'"prompt_tokens": 1' + b"0" * 30)),
    ("not_an_amount", text(spend="free")),
    ("unknown_status", text(status="odd")),
    ("not_an_object", text(metadata=7)),
    ("unexpected_shape", text(request_tags=[{}])),
]


def write_lines(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def test_each_kind_of_damage_costs_its_line_and_no_other(tmp_path: Path) -> None:
    lines = [line for code, damaged in KINDS for line in (json.dumps(row(code)).encode(), damaged)]
    home = home_in(tmp_path)
    land(home, write_lines(tmp_path / "a.jsonl", lines))
    assert Counter(names(home)) == Counter(code for code, _ in KINDS)
    found = {int(reject["record_position"]): reject["reason_code"] for reject in rejects(home)}
    assert found == {2 * number + 1: code for number, (code, _) in enumerate(KINDS)}


@pytest.mark.slow
def test_a_hundred_thousand_damaged_lines_under_a_minute(tmp_path: Path) -> None:
    dice = random.Random(20261114)
    lines: list[bytes] = []
    expected: Counter[str] = Counter()
    sound = 0
    while expected.total() < 100_000:
        if dice.random() < 0.1:
            lines.append(json.dumps(row(f"sound-{sound}")).encode())
            sound += 1
        code, damaged = dice.choice(KINDS)
        lines.append(damaged)
        expected[code] += 1
    home = home_in(tmp_path)
    path = write_lines(tmp_path / "a.jsonl", lines)
    started = time.monotonic()
    (file,) = land(home, path).files
    assert time.monotonic() - started < 60
    assert file.manifest is not None
    assert file.manifest.rejects == dict(expected)
    assert file.manifest.parsed == sound
    assert names(home) == sorted(f"sound-{number}" for number in range(sound))


def test_nothing_that_people_wrote_is_kept_anywhere(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": CANARY}]
    private = {"messages": messages, "response": {"text": CANARY}, "user": CANARY, "end_user": CANARY}
    sound = json.dumps(row("x", **private, api_key=CANARY)).encode()
    damaged = [
        sound[: len(sound) * 3 // 4],
        sound[:-30],
        sound[50:],
        text(**private, prompt_tokens=-1),
        text(**private, status=CANARY + " said"),
        text(startTime=CANARY + " at noon"),
        text(metadata=CANARY + " as metadata"),
        inserted(f'"{CANARY} key": 1, "{CANARY} key": 2, "spend": 3'.encode()),
        CANARY.encode(),
        b'{"request_id": "' + CANARY.encode(),
        inserted(b'"x": "' + CANARY.encode() + b'\xff"'),
    ]
    home = home_in(tmp_path)
    land(home, write_lines(tmp_path / "a.jsonl", [sound, *damaged]))
    assert names(home) == ["x"]
    assert len(rejects(home)) == len(damaged)
    assert CANARY not in json.dumps([attempts(home), rejects(home)], default=str)
    assert not [name for name, content in content_of(home).items() if CANARY.encode() in content]


def test_an_archive_cut_and_then_whole_gives_the_totals_of_the_whole(tmp_path: Path) -> None:
    content = b"".join(json.dumps(row(f"r{number}")).encode() + b"\n" for number in range(3000))
    packed = gzip.compress(content)
    cut, whole = tmp_path / "cut.jsonl.gz", tmp_path / "whole.jsonl.gz"
    cut.write_bytes(packed[:-5000])
    whole.write_bytes(packed)
    home, clean = home_in(tmp_path), home_in(tmp_path, "clean")
    assert statuses(land(home, cut, whole)) == {"cut.jsonl.gz": "refused", "whole.jsonl.gz": "landed"}
    land(clean, whole)
    assert content_of(home) == content_of(clean)


@pytest.mark.slow
def test_a_line_of_a_gigabyte_is_one_reject_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(json.dumps(row("before")).encode() + b'\n{"x": "')
        for _ in range(256):
            file.write(b"y" * (4 << 20))
        file.write(b'"}\n' + json.dumps(row("after")).encode() + b"\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader = readers()["litellm.spendlogs"]
    stream = open_stream(path)
    frame = frame_of(reader, stream.file_sha256, Hasher("x" * 32), usage_profiles(), ReadOptions())
    framed = [frame(batch) for batch in reader.read(stream, ReadOptions())]
    path.unlink()
    assert [found for part in framed for found in part.table["source_event_id"].to_pylist()] == [
        "before",
        "after",
    ]
    assert [(reject.position, reject.reason_code) for part in framed for reject in part.rejects] == [
        ("1", "line_too_long")
    ]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
from pipelines.landing import land_files
try:
    land_files(Path(sys.argv[1]), [sys.argv[2]])
except OSError as error:
    print("stopped:", error.strerror or error)
    sys.exit(1)
"""


@pytest.mark.parametrize("limit", [1, 500, 5_000, 30_000])
def test_a_full_disk_stops_the_landing_and_leaves_nothing_half(tmp_path: Path, limit: int) -> None:
    home, clean = home_in(tmp_path), home_in(tmp_path, "clean")
    path = write(
        tmp_path, "a.jsonl", *(row(f"r{n}", f"2026-11-{n % 5 + 10}", user=f"u{n}") for n in range(4000))
    )
    command = [sys.executable, "-c", FULL_DISK, str(home), str(path), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stopped:" in done.stdout
    assert attempts(home) == []
    assert not list(home.rglob("manifests/*.json"))
    land(home, path)
    land(clean, path)
    assert {name: part for name, part in content_of(home).items() if "manifests" not in name} == {
        name: part for name, part in content_of(clean).items() if "manifests" not in name
    }
