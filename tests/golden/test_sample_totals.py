"""The ledger of the sample equals what expected.py worked out without it, to the last decimal."""

from pathlib import Path
from typing import Any

import pytest

from pipelines import nightly
from pipelines.settings import Settings
from tests.golden import sample_ledger
from tests.golden.sample_ledger import COLUMNS, SAMPLE

FILES = SAMPLE / "files"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home: Path = tmp_path_factory.mktemp("sample") / "home"
    return sample_ledger.build(home, FILES, SAMPLE / "mapping.yml")


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return sample_ledger.expected(FILES)


@pytest.mark.parametrize("dimension", sorted(COLUMNS))
def test_sums_are_equal_to_the_last_decimal(
    ledger: Settings, expected: dict[str, Any], dimension: str
) -> None:
    found = sample_ledger.ledger_sums(ledger, dimension)
    assert found == sample_ledger.expected_sums(expected["by"][dimension])


def test_requests_are_counted_and_costed_on_the_day_of_their_first_attempt(
    ledger: Settings, expected: dict[str, Any]
) -> None:
    assert sample_ledger.ledger_requests(ledger) == sample_ledger.expected_requests(expected)


def test_every_file_has_the_account_that_was_expected(ledger: Settings, expected: dict[str, Any]) -> None:
    assert sample_ledger.ledger_files(ledger) == expected["files"]


def test_the_ledger_of_the_sample_passes_its_checks(ledger: Settings) -> None:
    results = nightly.check(ledger)
    assert len(results) > 10
    assert [result for result in results if not result.is_passed] == []


def test_a_retry_over_midnight_is_one_request_with_lines_on_both_days(ledger: Settings) -> None:
    found = sample_ledger.fetch(
        ledger,
        """
        select
            count(distinct line.usage_date) as days,
            count(distinct line.request_date) as request_days
        from fct_cost_lines as line
        inner join stg_attempts as attempt
            on line.usage_date = attempt.usage_date
            and line.attempt_key = attempt.attempt_key
        where
            attempt.source_event_id in ('req-price-try-1', 'req-price-try-2')
        """,
    )
    assert found.to_pylist() == [{"days": 2, "request_days": 1}]
