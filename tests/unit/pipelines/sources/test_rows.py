"""Rows by name, tags by name, identities without an id."""

from typing import Any

import pytest

from models.columns import input_tables
from pipelines.sources.base import RejectError
from pipelines.sources.rows import (
    AGGREGATE_FIELDS,
    ATTEMPT_FIELDS,
    DEVICE_COST_FIELDS,
    INVOICE_FIELDS,
    SAMPLE_FIELDS,
    attempt,
    identity_of,
    row_of,
    tags_in,
)

PSEUDO = {
    "user",
    "customer",
    "api_key",
    "stated_request_id",
    "created_at_us",
    "logged_at_us",
    "is_usage_estimated",
}


@pytest.mark.parametrize(
    ("fields", "table"),
    [
        (ATTEMPT_FIELDS, "raw_attempts"),
        (AGGREGATE_FIELDS, "raw_usage_aggregates"),
        (INVOICE_FIELDS, "raw_invoice_lines"),
        (SAMPLE_FIELDS, "raw_gpu_samples"),
        (DEVICE_COST_FIELDS, "raw_device_costs"),
    ],
)
def test_every_field_is_a_column_or_becomes_one(fields: tuple[str, ...], table: str) -> None:
    assert len(set(fields)) == len(fields)
    assert set(fields) - PSEUDO <= set(input_tables()[table].columns)


def test_what_is_not_named_is_not_stated() -> None:
    found = dict(zip(ATTEMPT_FIELDS, attempt(source_event_id="x", reported_input=0), strict=True))
    assert (found["source_event_id"], found["reported_input"], found["reported_output"]) == ("x", 0, None)
    assert row_of(("a", "b"), b=1) == (None, 1)


def test_a_name_that_is_no_field_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="reported_inputs"):
        attempt(reported_inputs=5)
    with pytest.raises(KeyError, match="c"):
        row_of(("a", "b"), c=1)


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        (None, {}),
        ({}, {}),
        ({"feature": "search", "other": "x"}, {"feature_tag": "search"}),
        ({"Feature": "a", "TEAM": "t"}, {"feature_tag": "a", "team_tag": "t"}),
        ({"env": "prod", "environment": "dev"}, {"environment_tag": "prod"}),
        ({"feature": None, "team": ""}, {}),
        ({"customer": "ACME"}, {"customer": "ACME"}),
    ],
)
def test_tags_by_name(stated: Any, found: dict[str, str]) -> None:
    assert tags_in(stated, "$") == found


@pytest.mark.parametrize("stated", ["x", 5, ["feature"]])
def test_tags_of_another_shape_are_refused(stated: Any) -> None:
    with pytest.raises(RejectError, match="not_an_object"):
        tags_in(stated, "$.metadata")


def test_identities_tell_absent_parts_from_the_next() -> None:
    assert identity_of("a", None, 5) == "a||5"
    assert identity_of("a", None) != identity_of(None, "a")
