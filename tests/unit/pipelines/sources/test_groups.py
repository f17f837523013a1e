"""Groups of repeated columns: cleaned, hashed and keyed once per combination, spread over the rows."""

import pyarrow as pa
import pytest

from models.keys import key63
from pipelines.sources import groups
from pipelines.sources.groups import OWNER_FIELDS, RATE_FIELDS, owner_group, rate_group, tag
from tests.unit.pipelines.sources.files import HASHER

OWNER = ("made.up", "search", "discovery", None, "prod", "ACME", "sk-1", "chat")
RATE = (
    "made.up",
    "openai",
    "gpt-5",
    "gpt-5-2025",
    None,
    None,
    None,
    None,
    None,
    "error",
    "server",
    True,
    False,
)


def columns_of(*rows: tuple[object, ...]) -> list[tuple[object, ...]]:
    return list(zip(*rows, strict=True))


def test_owner_key_is_the_one_of_the_contract() -> None:
    made = owner_group(HASHER)(columns_of(OWNER))
    customer, api_key = HASHER("customer", "ACME"), HASHER("api_key", "sk-1")
    parts = ("made.up", "search", "discovery", None, "prod", customer, api_key, "chat")
    assert made["owner_key"].to_pylist() == [key63("owner", *parts)]
    assert made["customer_hash"].to_pylist() == [customer]
    assert made["api_key_hash"].to_pylist() == [api_key]


def test_names_of_customers_and_keys_leave_no_trace() -> None:
    made = owner_group(HASHER)(columns_of(OWNER))
    assert not {"customer", "api_key"} & set(made)
    assert "ACME" not in str(made)
    assert "sk-1" not in str(made)


def test_rate_card_key_is_the_one_of_the_contract() -> None:
    made = rate_group()(columns_of(RATE))
    assert made["rate_card_key"].to_pylist() == [key63("rate_card", *RATE[:11], "1", "0")]


@pytest.mark.parametrize("place", range(len(RATE)))
def test_every_pricing_input_is_part_of_the_key(place: int) -> None:
    other = list(RATE)
    other[place] = (not other[place]) if isinstance(other[place], bool) else "something else"
    keys = rate_group()(columns_of(RATE, tuple(other)))["rate_card_key"].to_pylist()
    assert keys[0] != keys[1]


@pytest.mark.parametrize("place", range(len(OWNER)))
def test_every_owner_input_is_part_of_the_key(place: int) -> None:
    other = list(OWNER)
    other[place] = "something else"
    keys = owner_group(HASHER)(columns_of(OWNER, tuple(other)))["owner_key"].to_pylist()
    assert keys[0] != keys[1]


def test_values_come_back_to_their_rows() -> None:
    rows = [("made.up", name, *OWNER[2:]) for name in ("a", "b", "a", "c", "b")]
    made = owner_group(HASHER)(columns_of(*rows))
    assert made["feature_tag"].to_pylist() == ["a", "b", "a", "c", "b"]
    keys = made["owner_key"].to_pylist()
    assert keys[0] == keys[2]
    assert keys[1] == keys[4]
    assert len(set(keys)) == 3


def test_no_rows_give_columns_of_the_right_types() -> None:
    made = rate_group()([()] * len(RATE_FIELDS))
    assert made["rate_card_key"].type == pa.int64()
    assert made["provider"].type == pa.string()
    assert made["has_output"].type == pa.bool_()
    assert owner_group(HASHER)([()] * len(OWNER_FIELDS))["route"].type == pa.string()


def test_an_unknown_cache_hit_is_none() -> None:
    made = rate_group()(columns_of((*RATE[:12], None)))
    assert made["is_gateway_cache_hit"].to_pylist() == [False]


def test_forgetting_combinations_does_not_change_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("made.up", str(number), *OWNER[2:]) for number in range(20)]
    calm = owner_group(HASHER)(columns_of(*rows))["owner_key"]
    monkeypatch.setattr(groups, "MOST_REMEMBERED", 3)
    assert owner_group(HASHER)(columns_of(*rows))["owner_key"] == calm


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        (None, None),
        ("", None),
        ("  ", None),
        (" search ", "search"),
        ("cafe\u0301", "caf\u00e9"),
        ("x" * 300, "x" * 256),
    ],
)
def test_a_tag_has_one_form(stated: str | None, kept: str | None) -> None:
    assert tag(stated) == kept


def test_two_spellings_of_one_tag_are_one_owner() -> None:
    rows = [("made.up", "cafe\u0301", *OWNER[2:]), ("made.up", " caf\u00e9", *OWNER[2:])]
    keys = owner_group(HASHER)(columns_of(*rows))["owner_key"].to_pylist()
    assert keys[0] == keys[1]
