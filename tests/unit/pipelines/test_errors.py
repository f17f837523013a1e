"""The message of an error that a person can fix."""

from pipelines.errors import UserError, nearest_first


def test_parts_stand_in_the_order_of_the_house() -> None:
    error = UserError("'x' is no zone", where="sources.yml, key zone", allowed="UTC", next_step="correct it")
    assert str(error) == "'x' is no zone · sources.yml, key zone · UTC · correct it"
    assert error.what == "'x' is no zone"


def test_parts_left_out_leave_no_separator() -> None:
    assert str(UserError("'x' is no zone", next_step="correct it")) == "'x' is no zone · correct it"
    assert str(UserError("the whole message")) == "the whole message"


def test_it_is_a_value_error_for_callers_that_know_no_room() -> None:
    assert isinstance(UserError("x"), ValueError)


def test_the_nearest_value_stands_in_front() -> None:
    assert nearest_first("otel", ["azure.llm_trace", "litellm.spendlogs", "otel.genai"]).startswith(
        "otel.genai, "
    )


def test_every_known_value_is_named_once() -> None:
    named = nearest_first("b", ["c", "b", "a"]).split(", ")
    assert sorted(named) == ["a", "b", "c"]
    assert named[0] == "b"
