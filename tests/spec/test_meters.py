"""Reported counts to exclusive meters (ledger.md 3)."""

from models.engines.base import Engine
from tests.ledger_inputs import inputs
from tests.spec.chain import assert_shown, build, drawn_attempts, shown

MODELS = (
    "stg_duplicates",
    "stg_attempts",
    "stg_usage_profiles",
    "stg_providers",
    "int_readings",
    "int_meters",
)


def assert_meters(engine: Engine, attempts: str, expected: str) -> None:
    build(engine, inputs(drawn_attempts(attempts), {}), MODELS)
    assert_shown(shown(engine, "int_meters"), expected)


def test_a_part_is_inside_its_whole_or_beside_it_by_the_usage_profile(engine: Engine) -> None:
    assert_meters(
        engine,
        """
        name  | profile       | input | cached | write | output | reasoning
        in    | all_inside    | 100   | 60     | 10    | 50     | 20
        out   | all_outside   | 100   | 60     | 10    | 50     | 20
        mixed | write_outside | 100   | 60     | 10    | 50     | 20
        """,
        # in: 100 - 60 - 10 and 50 - 20; out: 100 + 60 + 10 and 50 + 20; mixed: 100 + 10, 100 - 60.
        """
        attempt | input | uncached | cache_read | cache_write_30m | output | text | reasoning
        in      | 100   | 30       | 60         | 10              | 50     | 30   | 20
        out     | 170   | 100      | 60         | 10              | 70     | 50   | 20
        mixed   | 110   | 40       | 60         | 10              | 50     | 30   | 20
        """,
    )


def test_the_stated_total_overrules_the_profile_where_one_reading_gives_it(engine: Engine) -> None:
    # Public cases of one field name with both meanings: input + output + what lies outside = total.
    assert_meters(
        engine,
        """
        name     | profile     | input | cached | write | output | reasoning | total
        inside   | all_outside | 2008  | null   | null  | 266    | 261       | 2274
        beside   | all_inside  | 55021 | null   | null  | 923    | 785       | 56729
        agreed   | all_inside  | 100   | 60     | null  | 50     | 20        | 150
        cached   | all_inside  | 100   | 60     | null  | 50     | 20        | 210
        all      | all_inside  | 100   | 60     | 10    | 50     | 20        | 240
        two_ways | all_inside  | 100   | 20     | null  | 50     | 20        | 170
        no_way   | all_inside  | 100   | 60     | null  | 50     | 20        | 999
        one_side | all_inside  | 100   | 60     | null  | null   | null      | 160
        zero     | all_inside  | 100   | 0      | 0     | 50     | 20        | 170
        """,
        # 2008 + 266 = 2274; 55021 + 923 + 785 = 56729; 100 + 60 + 50 = 210; 100 + 60 + 10 + 50 + 20 = 240.
        # two_ways: 170 - 150 = 20 may be the cached or the reasoning tokens, so the profile stands.
        """
        attempt  | input | uncached | cache_read | output | text | reasoning
        inside   | 2008  | 2008     | null       | 266    | 5    | 261
        beside   | 55021 | 55021    | null       | 1708   | 923  | 785
        agreed   | 100   | 40       | 60         | 50     | 30   | 20
        cached   | 160   | 100      | 60         | 50     | 30   | 20
        all      | 170   | 100      | 60         | 70     | 50   | 20
        two_ways | 100   | 80       | 20         | 50     | 30   | 20
        no_way   | 100   | 40       | 60         | 50     | 30   | 20
        one_side | 100   | 40       | 60         | null   | null | null
        zero     | 100   | 100      | 0          | 70     | 50   | 20
        """,
    )


def test_counts_above_the_input_prove_that_they_lie_outside_it(engine: Engine) -> None:
    assert_meters(
        engine,
        """
        name  | profile                 | input | cached | write | output
        above | inside_unless_exceeding | 5     | 128955 | 1253  | 77
        both  | inside_unless_exceeding | 100   | 60     | 70    | 77
        below | inside_unless_exceeding | 100   | 60     | 40    | 77
        """,
        # 5 + 128955 + 1253 = 130213; 60 + 70 > 100, so 100 + 60 + 70 = 230; 60 + 40 = 100 fits inside.
        """
        attempt | input  | uncached | cache_read | cache_write_30m
        above   | 130213 | 5        | 128955     | 1253
        both    | 230    | 100      | 60         | 70
        below   | 100    | 0        | 60         | 40
        """,
    )


def test_a_whole_without_its_split_is_assumed_and_a_whole_of_0_never_is(engine: Engine) -> None:
    assert_meters(
        engine,
        """
        name    | input | cached | output | reasoning
        whole   | 50    | null   | 20     | null
        split   | 50    | 0      | 20     | 0
        nothing | 0     | null   | 0      | null
        """,
        """
        attempt | uncached | cache_read | cache_write_5m | text | reasoning | input_assumed | output_assumed
        whole   | 50       | null       | null           | 20   | null      | true          | true
        split   | 50       | 0          | null           | 20   | 0         | false         | false
        nothing | 0        | 0          | 0              | 0    | 0         | false         | false
        """,
    )


def test_a_cache_write_without_lifetime_goes_to_the_providers_default(engine: Engine) -> None:
    assert_meters(
        engine,
        """
        name    | provider   | input | write | write_5m | write_1h
        whole   | anthropic  | 9000  | 3304  | null     | null
        partial | anthropic  | 9000  | 3304  | 300      | 1000
        full    | anthropic  | 9000  | 3304  | 2304     | 1000
        parts   | anthropic  | 9000  | null  | 2304     | 1000
        openai  | openai     | 9000  | 3304  | null     | null
        without | mistral_ai | 9000  | 3304  | null     | null
        unheard | null       | 9000  | 3304  | null     | null
        none    | anthropic  | 9000  | 0     | null     | null
        """,
        # whole: all 3304 at 5 minutes; partial: 300 + (3304 - 300 - 1000); 9000 - 3304 = 5696.
        """
        attempt | uncached | cache_write_5m | cache_write_30m | cache_write_1h | assumed_meter
        whole   | 5696     | 3304           | null            | null           | cache_write_5m
        partial | 5696     | 2304           | null            | 1000           | cache_write_5m
        full    | 5696     | 2304           | null            | 1000           | null
        parts   | 5696     | 2304           | null            | 1000           | null
        openai  | 5696     | null           | 3304            | null           | cache_write_30m
        without | 5696     | 3304           | null            | null           | cache_write_5m
        unheard | 5696     | 3304           | null            | null           | cache_write_5m
        none    | 9000     | 0              | 0               | 0              | null
        """,
    )


def test_audio_and_images_are_parts_of_input_and_output(engine: Engine) -> None:
    assert_meters(
        engine,
        """
        name   | input | cached | input_audio | input_image | output | output_audio | tool_calls
        spoken | 49    | 5      | 30          | 10          | 47     | 34           | 5
        """,
        # 49 - 5 - 30 - 10 = 4; 47 - 34 = 13.
        """
        attempt | uncached | cache_read | input_audio | input_image | text | output_audio | tool_call
        spoken  | 4        | 5          | 30          | 10          | 13   | 34           | 5
        """,
    )


def test_counts_that_nothing_can_be_made_of_give_no_quantity(engine: Engine) -> None:
    assert_meters(
        engine,
        """
        name     | profile      | basis     | input | cached | write | write_1h | output | reasoning
        input    | all_inside   | stated    | 5     | 9      | null  | null     | 1      | null
        output   | all_inside   | stated    | 5     | null   | null  | null     | 1      | 2
        write    | all_inside   | stated    | 50    | null   | 9     | 10       | 1      | null
        sign     | all_outside  | stated    | 5     | -1     | null  | null     | 1      | null
        missing  | all_inside   | missing   | null  | null   | null  | null     | null   | null
        silent   | all_inside   | stated    | null  | null   | null  | null     | null   | null
        half     | all_inside   | stated    | 0     | null   | null  | null     | null   | null
        strange  | nobody_knows | stated    | 5     | null   | null  | null     | 1      | null
        embedded | all_inside   | stated    | 5     | 0      | null  | null     | null   | null
        guessed  | all_inside   | estimated | 5     | 0      | null  | null     | 1      | null
        """,
        """
        attempt  | input | uncached | text | reason                | missing | estimated
        input    | null  | null     | null | negative_remainder    | false   | false
        output   | null  | null     | null | negative_remainder    | false   | false
        write    | null  | null     | null | negative_remainder    | false   | false
        sign     | null  | null     | null | negative_remainder    | false   | false
        missing  | null  | null     | null | usage_missing         | true    | false
        silent   | null  | null     | null | usage_missing         | true    | false
        half     | null  | null     | null | usage_missing         | true    | false
        strange  | null  | null     | null | unknown_usage_profile | false   | false
        embedded | 5     | 5        | null | ''                    | false   | false
        guessed  | 5     | 5        | 1    | ''                    | false   | true
        """,
    )
