"""Attempts to requests, and why each attempt's money was spent (ledger.md 1 and 8.1)."""

from models.engines.base import Engine
from tests.ledger_inputs import inputs
from tests.spec.chain import assert_shown, build, drawn_attempts, shown

MODELS = ("stg_duplicates", "stg_attempts", "int_requests")


def assert_requests(engine: Engine, attempts: str, expected: str) -> None:
    build(engine, inputs(drawn_attempts(attempts), {}), MODELS)
    assert_shown(shown(engine, "int_requests"), expected)


def test_every_attempt_has_exactly_one_purpose(engine: Engine) -> None:
    assert_requests(
        engine,
        """
        name     | at               | request | outcome
        plain    | 2026-10-19 08:00 | null    | success
        alone    | 2026-10-19 08:00 | null    | error
        gone     | 2026-10-19 08:00 | null    | cancelled
        refused  | 2026-10-19 08:00 | null    | refused
        unstated | 2026-10-19 08:00 | null    | unknown
        a1       | 2026-10-19 09:00 | a       | error
        a2       | 2026-10-19 09:01 | a       | success
        a3       | 2026-10-19 09:02 | a       | success
        a4       | 2026-10-19 09:03 | a       | cancelled
        b1       | 2026-10-19 09:00 | b       | error
        b2       | 2026-10-19 09:01 | b       | cancelled
        c1       | 2026-10-19 09:00 | c       | cancelled
        c2       | 2026-10-19 09:01 | c       | refused
        d1       | 2026-10-19 09:00 | d       | unknown
        d2       | 2026-10-19 09:01 | d       | success
        e1       | 2026-10-19 09:00 | e       | error
        e2       | 2026-10-19 09:01 | e       | unknown
        e3       | 2026-10-19 09:02 | e       | unknown
        """,
        # A request that states a success is answered by it, else by the first attempt of unknown outcome;
        # what comes after an answer is a retry too. Unanswered, the last attempt says who gave up.
        """
        attempt  | request  | attempt_number | first_attempt | purpose
        plain    | plain    | 1              | true          | answer
        alone    | alone    | 1              | true          | failure
        gone     | gone     | 1              | true          | abandoned
        refused  | refused  | 1              | true          | failure
        unstated | unstated | 1              | true          | answer
        a1       | a1       | 1              | true          | retry
        a2       | a1       | 2              | false         | answer
        a3       | a1       | 3              | false         | retry
        a4       | a1       | 4              | false         | retry
        b1       | b1       | 1              | true          | abandoned
        b2       | b1       | 2              | false         | abandoned
        c1       | c1       | 1              | true          | failure
        c2       | c1       | 2              | false         | failure
        d1       | d1       | 1              | true          | retry
        d2       | d1       | 2              | false         | answer
        e1       | e1       | 1              | true          | retry
        e2       | e1       | 2              | false         | answer
        e3       | e1       | 3              | false         | retry
        """,
    )


def test_a_request_lies_on_the_day_of_its_first_attempt(engine: Engine) -> None:
    assert_requests(
        engine,
        """
        name | at               | request | outcome
        n1   | 2026-10-18 23:50 | n       | error
        n2   | 2026-10-19 00:10 | n       | error
        n3   | 2026-10-19 01:00 | n       | success
        m1   | 2026-10-19 23:30 | m       | cancelled
        m2   | 2026-10-20 00:15 | m       | success
        """,
        """
        attempt | request | usage_date | request_date | attempt_number | purpose
        n1      | n1      | 2026-10-18 | 2026-10-18   | 1              | retry
        n2      | n1      | 2026-10-19 | 2026-10-18   | 2              | retry
        n3      | n1      | 2026-10-19 | 2026-10-18   | 3              | answer
        m1      | m1      | 2026-10-19 | 2026-10-19   | 1              | retry
        m2      | m1      | 2026-10-20 | 2026-10-19   | 2              | answer
        """,
    )


def test_a_pause_of_more_than_an_hour_begins_another_request(engine: Engine) -> None:
    assert_requests(
        engine,
        """
        name | at                  | request | outcome
        a1   | 2026-10-19 08:00:00 | a       | error
        a2   | 2026-10-19 09:00:00 | a       | success
        b1   | 2026-10-19 08:00:00 | b       | error
        b2   | 2026-10-19 09:00:01 | b       | success
        """,
        """
        attempt | request | purpose
        a1      | a1      | retry
        a2      | a1      | answer
        b1      | b1      | failure
        b2      | b2      | answer
        """,
    )


def test_an_attempt_farther_than_20_hours_from_the_start_stands_alone(engine: Engine) -> None:
    chain = [(day, hour) for day, hours in ((19, range(8, 24)), (20, range(24))) for hour in hours]
    drawn = "name | at | request | outcome\n" + "\n".join(
        f"d{day}h{hour} | 2026-10-{day} {hour:02d}:00 | a | error" for day, hour in chain
    )
    build(engine, inputs(drawn_attempts(drawn), {}), MODELS)

    # 2026-10-19 08:00 + 20 h = 2026-10-20 04:00; later ones are one request each.
    together = chain[: chain.index((20, 4)) + 1]
    rows = [
        f"d{day}h{hour} | {'d19h8' if (day, hour) in together else f'd{day}h{hour}'}" for day, hour in chain
    ]
    assert len(together) == 21
    assert_shown(shown(engine, "int_requests"), "attempt | request\n" + "\n".join(rows))
