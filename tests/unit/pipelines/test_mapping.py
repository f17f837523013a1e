"""The mapping file: which rule takes which call, and what is wrong with a file."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from models.columns import table_schema
from pipelines.errors import UserError
from pipelines.mapping import CONDITIONS, Mapping, load_mapping, make_mapping, model_names
from pricing.model_identity import ModelName

DAY = date(2026, 11, 14)
PATH = Path("mapping.yml")
NOBODY: dict[str, Any] = dict.fromkeys(CONDITIONS)
CALL = NOBODY | {"source": "litellm.spendlogs", "feature_tag": "srch", "route": "chat", "team_tag": "t"}


def mapping_of(*rules: dict[str, Any], **parts: Any) -> Mapping:
    return make_mapping({"rules": list(rules), **parts}, PATH)


def rule(when: dict[str, Any], **then: str) -> dict[str, Any]:
    return {"when": when, "then": then}


def keys_table(*calls: dict[str, Any]) -> pa.Table:
    rows = [{"usage_date": DAY, "owner_key": number} | call for number, call in enumerate(calls)]
    fields = [
        ("usage_date", pa.date32()),
        ("owner_key", pa.int64()),
        *((name, pa.string()) for name in CONDITIONS),
    ]
    return pa.Table.from_pylist(rows, schema=pa.schema(fields))


def owner(mapping: Mapping, **changes: Any) -> dict[str, Any]:
    return mapping.owners(keys_table(CALL | changes)).to_pylist()[0]


def test_nothing_mapped_keeps_the_tags() -> None:
    found = owner(mapping_of())
    assert (found["feature"], found["team"]) == ("srch", "t")
    assert found["project"] == found["environment"] == found["customer"] == "(unassigned)"
    assert (
        found["mapping_rule"] == "feature: tag, team: tag, project: none, environment: none, customer: none"
    )
    assert (found["usage_date"], found["owner_key"]) == (DAY, 0)


def test_owners_have_the_columns_of_the_table() -> None:
    assert mapping_of().owners(keys_table(CALL)).schema == table_schema("raw_owners")
    assert mapping_of().owners(keys_table()).schema == table_schema("raw_owners")


def test_a_rule_stands_above_the_tag_and_the_tag_above_the_default() -> None:
    mapping = mapping_of(
        rule({"feature_tag": "srch"}, feature="search"),
        defaults={"feature": "other", "team": "nobody", "environment": "prod"},
    )
    found = owner(mapping)
    assert (found["feature"], found["team"], found["environment"]) == ("search", "t", "prod")
    assert found["mapping_rule"].startswith("feature: rule 0, team: tag, project: none, environment: default")
    assert owner(mapping, feature_tag=None)["feature"] == "other"


def test_per_fact_the_first_rule_that_states_it_decides() -> None:
    mapping = mapping_of(
        rule({"route": "chat"}, team="by route"),
        rule({"feature_tag": "srch"}, feature="search", team="by tag"),
        rule({"source": "litellm.spendlogs"}, feature="late", project="p"),
    )
    found = owner(mapping)
    assert (found["feature"], found["team"], found["project"]) == ("search", "by route", "p")


def test_all_conditions_of_a_rule_have_to_hold() -> None:
    mapping = mapping_of(rule({"feature_tag": "srch", "route": "batch"}, feature="search"))
    assert owner(mapping)["feature"] == "srch"
    assert owner(mapping, route="batch")["feature"] == "search"


@pytest.mark.parametrize(
    ("condition", "matching", "others"),
    [
        ("srch", ["srch"], ["srch2", "SRCH", None]),
        (["srch", "find"], ["srch", "find"], ["other", None]),
        ({"regex": "srch.*"}, ["srch", "srch-v2"], ["my srch", None]),
        ({"regex": "(?i)srch"}, ["SRCH"], ["srchx"]),
    ],
)
def test_kinds_of_conditions(condition: Any, matching: list[str], others: list[str | None]) -> None:
    mapping = mapping_of(rule({"feature_tag": condition}, feature="search"))
    assert [owner(mapping, feature_tag=name)["feature"] for name in matching] == ["search"] * len(matching)
    assert "search" not in [owner(mapping, feature_tag=name)["feature"] for name in others]


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_can_be_named(name: str) -> None:
    mapping = mapping_of(rule({name: "x"}, project="found"))
    assert owner(mapping, **{name: "x"})["project"] == "found"
    assert owner(mapping, **{name: "y"})["project"] != "found"


def test_a_customer_is_its_hash_until_a_rule_names_it() -> None:
    mapping = mapping_of(rule({"customer_hash": "ab12"}, customer="ACME"))
    assert owner(mapping, customer_hash="ab12")["customer"] == "ACME"
    assert owner(mapping, customer_hash="cd34")["customer"] == "cd34"


def test_equal_keys_of_many_days_are_decided_alike() -> None:
    found = mapping_of(rule({"feature_tag": "srch"}, feature="search")).owners(keys_table(CALL, NOBODY, CALL))
    assert found["feature"].to_pylist() == ["search", "(unassigned)", "search"]
    assert found["owner_key"].to_pylist() == [0, 1, 2]


def test_models_become_names_of_the_price_book() -> None:
    mapping = mapping_of(
        models=[
            {"when": {"deployment": "our-gpt"}, "then": {"provider": "openai", "model": "gpt-5"}},
            {"when": {"source": "azure.llm_trace"}, "then": {"provider": "openai", "model": "gpt-4"}},
        ]
    )
    assert (
        model_names(mapping)
        == mapping.models
        == [
            ModelName(None, "our-gpt", None, None, "openai", "gpt-5"),
            ModelName("azure.llm_trace", None, None, None, "openai", "gpt-4"),
        ]
    )


def test_an_absent_or_empty_file_maps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mapping.yml"
    assert load_mapping(path) == mapping_of()
    for text in ("", "# only a comment\n", "rules: []\nmodels: []\n"):
        path.write_text(text)
        assert load_mapping(path) == mapping_of()


def test_the_version_follows_the_content_and_not_its_looks(tmp_path: Path) -> None:
    path = tmp_path / "mapping.yml"
    path.write_text("# why\ndefaults: {environment: prod, team: t}\n")
    first = load_mapping(path).version
    path.write_text("defaults:\n  team: t\n  environment: prod\n")
    assert load_mapping(path).version == first
    path.write_text("defaults: {environment: prod, team: u}\n")
    assert load_mapping(path).version != first


def test_features_state_what_they_need() -> None:
    mapping = mapping_of(features={"search": {"latency_target_ms": 1500}})
    assert mapping.text.features["search"].latency_target_ms == 1500
    assert mapping.text.features["search"].tolerates_delay is False


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"rule": []}, r"'rule' is not a key here · mapping.yml, key rule · rules, .*correct or remove"),
        (
            {"rules": [{"when": {"feature": "x"}, "then": {}}]},
            r"'feature' is not a condition.*rules\[0\].*feature_tag",
        ),
        ({"rules": [{"when": {}, "then": {}}]}, r"key rules\.0\.when"),
        ({"rules": [{"when": {"route": "x"}}]}, r"key rules\.0\.then"),
        (
            {"rules": [{"when": {"route": "x"}, "then": {"feture": "y"}}]},
            r"'feture' is not a key here.* feature,",
        ),
        ({"rules": [{"when": {"route": 5}, "then": {}}]}, r"'5' does not fit.*key rules\.0\.when\.route"),
        (
            {"rules": [{"when": {"route": {"regex": "("}}, "then": {}}]},
            r"'\(' is not a regular expression.*rules\[0\]",
        ),
        (
            {"models": [{"when": {"route": "x"}, "then": {"provider": "p", "model": "m"}}]},
            r"'route' is not a condition",
        ),
        ({"models": [{"when": {"source": "x"}, "then": {"provider": "p"}}]}, r"key models\.0\.then\.model"),
        ({"features": {"a": {"latency_target_ms": 0}}}, r"key features\.a\.latency_target_ms"),
        ({"defaults": {"feature": ""}}, r"key defaults\.feature"),
        ([], r"key \(whole file\)"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(content: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_mapping(content, PATH)


def test_what_is_no_yaml_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mapping.yml"
    for text in (b"rules: [", b"\xff\xfe"):
        path.write_bytes(text)
        with pytest.raises(UserError, match=r"'mapping.yml' is not YAML"):
            load_mapping(path)


def test_the_mapping_of_the_sample_loads() -> None:
    sample = Path(__file__).parents[3] / "data" / "sample" / "mapping.yml"
    found = load_mapping(sample).owners(keys_table(CALL))
    assert found["feature"].to_pylist() == ["search"]
