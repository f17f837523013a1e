"""The lines of the sample that no reader may take, and the late file that repeats what was sent before.

What lives here: one line of every kind of damage; the re-exports.
What does not: sound calls (story.py, background.py).
"""

from __future__ import annotations

from dataclasses import replace

from calls import Call, Usage, at, dump
from litellm_native import litellm_row
from otlp_native import attribute, export_request, span
from story import ASSIST, EXTRACT, FIRST, SEARCH, SECOND, SUMMARY, SUPPORT, THIRD, try_of

ABSURD = 9_223_372_036_854_775_794


def broken_row(name: str, day: str, clock: str, **changes: object) -> tuple[int, str]:
    """A sound row with some columns replaced: time and line."""
    call = replace(SEARCH, name=name, at_us=at(day, clock), usage=Usage(700, 70, reasoning=0))
    return call.at_us, dump(litellm_row(call) | changes)


def broken_gateway_lines(day: str) -> list[tuple[int, str]]:
    """Damaged lines of one day's gateway file: (time that orders the file, line)."""
    if day == SECOND:
        whole = broken_row("chatcmpl-cut", day, "01:00:00")
        swollen = replace(SUPPORT, at_us=at(day, "09:09:09"), usage=Usage(400, 40, cached=500, reasoning=0))
        return [
            (whole[0], whole[1][: len(whole[1]) * 2 // 3]),
            broken_row("chatcmpl-negative", day, "02:30:00", prompt_tokens=-700),
            broken_row("chatcmpl-absurd", day, "04:30:00", completion_tokens=ABSURD),
            (swollen.at_us, dump(litellm_row(replace(swollen, name="msg-more-read-than-sent")))),
        ]
    if day == THIRD:
        nameless = broken_row("", day, "08:08:08", request_id=None)
        return [
            broken_row("chatcmpl-boolean", day, "06:00:00", prompt_tokens=True),
            nameless,
            broken_row("chatcmpl-when", day, "14:00:00", startTime="2026-13-45T25:61:00"),
            broken_row("chatcmpl-1970", day, "15:00:00", startTime="1970-01-01T00:00:00.000000"),
        ]
    return []


def broken_span_lines(day: str) -> list[tuple[int, str]]:
    """Damaged lines of one day's trace file: (time that orders the file, line)."""
    if day != SECOND:
        return []
    sound = replace(ASSIST, name="span-cut", at_us=at(day, "20:00:00"), usage=Usage(900, 90, reasoning=0))
    line = dump(export_request("assistant-api", "production", [span(sound)]))
    negative = span(replace(sound, name="span-negative", at_us=at(day, "20:10:00")))
    for item in negative["attributes"]:
        if item["key"] == "gen_ai.usage.output_tokens":
            item["value"] = attribute("", -90)["value"]
    nameless = span(replace(sound, name="span-nameless", at_us=at(day, "20:20:00")))
    del nameless["spanId"]
    return [
        (sound.at_us, line[: len(line) // 2]),
        (at(day, "20:10:00"), dump(export_request("assistant-api", "production", [negative, nameless]))),
    ]


def growing_call() -> tuple[Call, Call]:
    """One stream written down twice: half-way in its own day's file, finished in the late file."""
    half = replace(
        SUPPORT,
        name="msg-growing",
        at_us=at(FIRST, "19:00:00"),
        usage=Usage(4_700, 120, reasoning=0),
        duration_ms=2_000,
        first_token_ms=350,
    )
    return half, replace(half, usage=Usage(4_700, 480, reasoning=0), duration_ms=9_000)


def late_calls() -> list[Call]:
    """Calls of the 19th that an export brought on the 21st; one is a first attempt that the 20th answered."""
    return [
        replace(
            EXTRACT, name="chatcmpl-late-1", at_us=at(FIRST, "22:00:00"), usage=Usage(3_000, 250, cached=640)
        ),
        replace(
            SUMMARY, name="chatcmpl-late-2", at_us=at(FIRST, "22:10:00"), usage=Usage(8_000, 333, reasoning=0)
        ),
        replace(
            SUPPORT,
            name="msg-late-3",
            at_us=at(FIRST, "22:20:00"),
            usage=Usage(5_000, 333, cached=4_224, reasoning=0),
        ),
        try_of(
            SEARCH,
            "req-late",
            1,
            at(FIRST, "23:57:00"),
            Usage(1_111, 22, reasoning=0),
            error=("500", "InternalServerError"),
        ),
        growing_call()[1],
    ]


def answered_late() -> Call:
    """The answer of the 20th to the attempt that the late file brings."""
    return try_of(SEARCH, "req-late", 2, at(SECOND, "00:03:00"), Usage(1_111, 222, reasoning=0))
