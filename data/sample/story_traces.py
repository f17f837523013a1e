"""The planted calls that services traced themselves, as lists of calls: one list per export request.

What lives here: chains, failures and odd usage in spans.
What does not: what the gateway logged (story.py), spans that no reader can take (broken.py).
"""

from __future__ import annotations

from dataclasses import replace

from calls import Call, Usage, at
from story import ASSIST, FIRST, REVIEW, SECOND, THIRD, try_of


def service_chains() -> list[list[Call]]:
    """Requests and oddities that services traced themselves: one list per export request."""
    resent = {"http.request.resend_count": 1}
    plain = Usage(1_900, 350, reasoning=200)
    cut = Usage(9_800, 410, cached=8_000, written=1_500)
    return [
        # The client library counted its own resend; both attempts share the parent span.
        [
            replace(
                ASSIST,
                name="resend-0",
                at_us=at(FIRST, "09:30:00"),
                usage=None,
                error=("503", ""),
                trace="resend",
                extra={"http.request.resend_count": 0},
            ),
            replace(
                ASSIST,
                name="resend-1",
                at_us=at(FIRST, "09:30:04"),
                usage=plain,
                trace="resend",
                extra=resent,
            ),
        ],
        # Over midnight, with a first attempt that had written before it failed.
        [
            try_of(
                REVIEW,
                "span-midnight",
                1,
                at(SECOND, "23:59:10"),
                Usage(12_000, 96, cached=9_000),
                error=("500", ""),
            )
        ],
        [try_of(REVIEW, "span-midnight", 2, at(THIRD, "00:00:30"), Usage(12_000, 1_450, cached=9_000))],
        # Rate limited and never asked again.
        [try_of(ASSIST, "span-limited", 1, at(SECOND, "13:13:13"), None, error=("429", ""))],
        # The reader closed the window: output counted by the client.
        [
            try_of(
                REVIEW, "span-left", 1, at(THIRD, "10:20:00"), cut, error=("cancelled", ""), is_estimated=True
            )
        ],
        # A success without usage, a refusal in the middle, and names of before the split.
        [replace(ASSIST, name="span-missing", at_us=at(THIRD, "12:00:00"), usage=None, finish_reason="stop")],
        [
            replace(
                REVIEW,
                name="span-refused",
                at_us=at(SECOND, "11:00:00"),
                usage=Usage(2_048, 31, cached=0),
                finish_reason="refusal",
            )
        ],
        [
            replace(
                ASSIST,
                name="span-old",
                at_us=at(FIRST, "04:00:00"),
                usage=Usage(1_234, 321, is_split_stated=False),
                finish_reason="stop",
            )
        ],
        # An instrumentation that leaves cached tokens out of the input: more read than sent proves it.
        [
            replace(
                REVIEW,
                name="span-exclusive",
                at_us=at(THIRD, "16:00:00"),
                usage=Usage(40, 120, cached=8_000, reasoning=0),
                finish_reason="stop",
            )
        ],
        # Nobody says what this was for.
        [
            replace(
                ASSIST,
                name="span-untagged",
                at_us=at(SECOND, "02:00:00"),
                usage=Usage(640, 64, reasoning=0),
                feature=None,
                team=None,
            )
        ],
    ]
