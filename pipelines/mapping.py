"""The mapping file: from what a record says about itself to who owns it, and from deployments to models.

Lives here: the shape of `mapping.yml`, its checks, the rules applied to distinct owner keys. Does not live
here: prices of the models named (`pricing`), and the join of owners to attempts (SQL).
"""

import re
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.columns import table_schema
from pipelines.errors import UserError, nearest_first
from pricing.model_identity import ModelName

UNASSIGNED = "(unassigned)"
CONDITIONS = (
    "feature_tag",
    "team_tag",
    "project_tag",
    "environment_tag",
    "api_key_hash",
    "route",
    "source",
    "customer_hash",
)
# Each fact with the column that states it where no rule does. A customer's hash is its name until a rule
# names it.
FACTS = {
    "feature": "feature_tag",
    "team": "team_tag",
    "project": "project_tag",
    "environment": "environment_tag",
    "customer": "customer_hash",
}
MODEL_CONDITIONS = ("source", "deployment", "requested_model", "served_model")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Pattern(_Strict):
    """A condition by regular expression, which has to match the whole value."""

    regex: str


Condition = str | list[str] | Pattern


class Owners(_Strict):
    """The facts that a rule or the defaults state."""

    feature: str | None = Field(default=None, min_length=1)
    team: str | None = Field(default=None, min_length=1)
    project: str | None = Field(default=None, min_length=1)
    environment: str | None = Field(default=None, min_length=1)
    customer: str | None = Field(default=None, min_length=1)


class Rule(_Strict):
    """All conditions hold (none is never): the facts stated are these."""

    when: dict[str, Condition] = Field(min_length=1)
    then: Owners


class ModelThen(_Strict):
    """A model of the price book."""

    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)


class ModelRule(_Strict):
    """What a source calls a model, and what it is."""

    when: dict[str, str] = Field(min_length=1)
    then: ModelThen


class Feature(_Strict):
    """What a feature needs: latency in milliseconds, and whether it may wait for a batch."""

    latency_target_ms: int | None = Field(default=None, gt=0)
    tolerates_delay: bool = False


class MappingText(_Strict):
    """What `mapping.yml` may say."""

    rules: list[Rule] = Field(default_factory=list)
    models: list[ModelRule] = Field(default_factory=list)
    defaults: Owners = Field(default_factory=Owners)
    features: dict[str, Feature] = Field(default_factory=dict)


@dataclass(frozen=True)
class Mapping:
    """A checked mapping file.

    Args:
        text: Its content.
        version: Hash of its content, hexadecimal; comments and order of keys do not change it.
    """

    text: MappingText
    version: str

    @property
    def models(self) -> list[ModelName]:
        """The user's deployment table, in the order of the file."""
        return model_names(self)

    def owners(self, stg_owner_keys: pa.Table) -> pa.Table:
        """Returns `raw_owners` for the distinct owner keys of some days."""
        return resolve_owners(self, stg_owner_keys)


def load_mapping(path: Path) -> Mapping:
    """Returns the mapping file at `path`; an absent one maps nothing.

    Raises:
        UserError: It is none; the message names rule and key.
    """
    if not path.exists():
        return make_mapping({}, path)
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        shown = " ".join(str(error).split())[:200]
        raise UserError(f"'{path.name}' is not YAML: {shown}", where=str(path)) from None
    return make_mapping({} if content is None else content, path)


def make_mapping(content: Any, path: Path) -> Mapping:
    """Returns the checked mapping of plain content; `path` names it in errors."""
    try:
        text = MappingText.model_validate(content)
    except ValidationError as error:
        raise _explained(error.errors()[0], path) from None
    for number, rule in enumerate(text.rules):
        _check_names(rule.when, CONDITIONS, f"{path}, rules[{number}].when")
        _check_patterns(rule.when, f"{path}, rules[{number}].when")
    for number, rule in enumerate(text.models):
        _check_names(rule.when, MODEL_CONDITIONS, f"{path}, models[{number}].when")
    return Mapping(text, sha256(text.model_dump_json().encode()).hexdigest())


def model_names(mapping: Mapping) -> list[ModelName]:
    """Returns the deployment table as the price book takes it; a condition not stated matches anything."""
    return [
        ModelName(
            *(rule.when.get(name) for name in MODEL_CONDITIONS),
            provider=rule.then.provider,
            model=rule.then.model,
        )
        for rule in mapping.text.models
    ]


def resolve_owners(mapping: Mapping, stg_owner_keys: pa.Table) -> pa.Table:
    """Returns `raw_owners`: per distinct owner key and day its facts and the rules that decided, in words."""
    rules = [(_matcher(rule.when), rule.then, number) for number, rule in enumerate(mapping.text.rules)]
    found: dict[tuple[Any, ...], tuple[dict[str, str], str]] = {}
    rows: list[dict[str, Any]] = []
    for stated in stg_owner_keys.to_pylist():
        place = tuple(stated.get(name) for name in CONDITIONS)
        if place not in found:
            found[place] = _decide(stated, rules, mapping.text.defaults)
        facts, words = found[place]
        keys = {"usage_date": stated["usage_date"], "owner_key": stated["owner_key"]}
        rows.append(keys | facts | {"mapping_rule": words})
    return pa.Table.from_pylist(rows, schema=table_schema("raw_owners"))


Rules = Sequence[tuple[Callable[[Dictionary[str, Any]], bool], Owners, int]]


def _decide(stated: Dictionary[str, Any], rules: Rules, defaults: Owners) -> tuple[dict[str, str], str]:
    """Per fact the first matching rule that states it; else the tag; else the default; else unassigned."""
    matching = [(then, number) for matches, then, number in rules if matches(stated)]
    facts: dict[str, str] = {}
    words: list[str] = []
    for fact, column in FACTS.items():
        ruled = next(((getattr(then, fact), n) for then, n in matching if getattr(then, fact)), None)
        if ruled:
            facts[fact], how = ruled[0], f"rule {ruled[1]}"
        elif stated.get(column):
            facts[fact], how = stated[column], "tag"
        elif getattr(defaults, fact):
            facts[fact], how = getattr(defaults, fact), "default"
        else:
            facts[fact], how = UNASSIGNED, "none"
        words.append(f"{fact}: {how}")
    return facts, ", ".join(words)


def _matcher(when: Dictionary[str, Condition]) -> Callable[[Dictionary[str, Any]], bool]:
    tests = [(name, _test(condition)) for name, condition in when.items()]
    return lambda stated: all(stated.get(name) is not None and test(stated[name]) for name, test in tests)


def _test(condition: Condition) -> Callable[[str], bool]:
    if isinstance(condition, Pattern):
        compiled = re.compile(condition.regex)
        return lambda value: compiled.fullmatch(value) is not None
    allowed = {condition} if isinstance(condition, str) else set(condition)
    return lambda value: value in allowed


def _check_names(when: Dictionary[str, Any], known: Sequence[str], where: str) -> None:
    for name in when:
        if name not in known:
            raise UserError(
                f"'{name}' is not a condition",
                where=where,
                allowed=nearest_first(name, known),
                next_step="correct the name",
            )


def _check_patterns(when: Dictionary[str, Condition], where: str) -> None:
    for name, condition in when.items():
        if isinstance(condition, Pattern):
            try:
                re.compile(condition.regex)
            except re.error as error:
                raise UserError(
                    f"'{condition.regex}' is not a regular expression: {error}", where=f"{where}.{name}"
                ) from None


def _explained(problem: Any, path: Path) -> UserError:
    keys = [str(part) for part in problem["loc"] if not str(part).startswith(("list[", "function"))]
    where = f"{path}, key {'.'.join(keys) or '(whole file)'}"
    value = str(problem["input"])[:80]
    if problem["type"] == "extra_forbidden":
        known = {"rules", "models", "defaults", "features"} if len(keys) == 1 else {"when", "then", *FACTS}
        return UserError(
            f"'{keys[-1]}' is not a key here",
            where=where,
            allowed=nearest_first(keys[-1], known),
            next_step="correct or remove it",
        )
    return UserError(f"'{value}' does not fit: {problem['msg']}", where=where, next_step="correct the value")
