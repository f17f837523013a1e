"""Several versions of one record (ledger.md 2.4): which is the attempt, what becomes of the others."""

from models.engines.base import Engine
from tests.ledger_inputs import inputs
from tests.spec.chain import assert_shown, build, drawn_attempts, shown

MODELS = ("stg_duplicates", "stg_attempts", "fct_file_days")


def test_the_best_version_wins_and_every_other_names_it(engine: Engine) -> None:
    attempts = drawn_attempts(
        """
        name     | at               | file | line | sequence | placeholder | ended | output
        sequence | 2026-10-19 08:00 | a    | 1    | 2        | true        | null  | 1
        sequence | 2026-10-19 08:00 | a    | 2    | 1        | false       | 9     | 9
        sequence | 2026-10-19 08:00 | a    | 3    | null     | false       | 9     | 9
        stream   | 2026-10-19 08:00 | a    | 4    | null     | true        | 9     | 9
        stream   | 2026-10-19 08:00 | a    | 5    | null     | false       | null  | 1
        end      | 2026-10-19 08:00 | a    | 6    | null     | false       | 8     | 1
        end      | 2026-10-19 08:00 | b    | 1    | null     | false       | 7     | 9
        end      | 2026-10-19 08:00 | b    | 2    | null     | false       | null  | 9
        output   | 2026-10-19 08:00 | b    | 3    | null     | false       | 7     | 0
        output   | 2026-10-19 08:00 | b    | 4    | null     | false       | 7     | 3
        output   | 2026-10-19 08:00 | b    | 5    | null     | false       | 7     | null
        place    | 2026-10-19 08:00 | b    | 6    | null     | false       | 7     | 3
        place    | 2026-10-19 08:00 | a    | 8    | null     | false       | 7     | 3
        place    | 2026-10-19 08:00 | a    | 7    | null     | false       | 7     | 3
        alone    | 2026-10-19 08:00 | a    | 9    | null     | true        | null  | null
        """
    )
    build(engine, inputs(attempts, {}), MODELS)

    assert_shown(
        shown(engine, "stg_attempts"),
        """
        attempt  | file | line
        sequence | a    | 1
        stream   | a    | 5
        end      | a    | 6
        output   | b    | 4
        place    | a    | 7
        alone    | a    | 9
        """,
    )
    assert_shown(
        shown(engine, "stg_duplicates"),
        """
        attempt  | file | line | of_file | of_line
        sequence | a    | 2    | a       | 1
        sequence | a    | 3    | a       | 1
        stream   | a    | 4    | a       | 5
        end      | b    | 1    | a       | 6
        end      | b    | 2    | a       | 6
        output   | b    | 3    | b       | 4
        output   | b    | 5    | b       | 4
        place    | b    | 6    | a       | 7
        place    | a    | 8    | a       | 7
        """,
    )
    # Rows of a file and day = attempts + duplicates: 9 + 6 records.
    assert_shown(
        shown(engine, "fct_file_days"),
        """
        usage_date | file | attempts | duplicate
        2026-10-19 | a    | 5        | 4
        2026-10-19 | b    | 1        | 5
        """,
    )


def test_versions_compete_across_one_midnight_and_not_across_two(engine: Engine) -> None:
    attempts = drawn_attempts(
        """
        name  | at               | line | sequence
        moved | 2026-10-19 23:59 | 1    | 1
        moved | 2026-10-20 00:01 | 2    | 2
        early | 2026-10-19 08:00 | 3    | 2
        early | 2026-10-20 20:00 | 4    | 1
        far   | 2026-10-19 08:00 | 5    | 1
        far   | 2026-10-21 08:00 | 6    | 2
        steps | 2026-10-19 08:00 | 7    | 2
        steps | 2026-10-20 08:00 | 8    | 1
        steps | 2026-10-21 08:00 | 9    | 3
        """
    )
    build(engine, inputs(attempts, {}), MODELS)

    # Two days apart no single window sees both, so both stay.
    assert_shown(
        shown(engine, "stg_attempts"),
        """
        attempt | usage_date | line
        moved   | 2026-10-20 | 2
        early   | 2026-10-19 | 3
        far     | 2026-10-19 | 5
        far     | 2026-10-21 | 6
        steps   | 2026-10-19 | 7
        steps   | 2026-10-21 | 9
        """,
    )
    assert_shown(
        shown(engine, "stg_duplicates"),
        """
        attempt | usage_date | line | of_line
        moved   | 2026-10-19 | 1    | 2
        early   | 2026-10-20 | 4    | 3
        steps   | 2026-10-20 | 8    | 9
        """,
    )
