"""Reading YAML files as text with line numbers.

Every scalar stays text (`3.10` never becomes a float, `on` never a boolean), empty scalars become None, a
repeated key is an error. What the text means is decided in `schema.py`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

import yaml

from pricing.errors import PriceBookError

Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | None"

YamlPath: TypeAlias = tuple[str | int, ...]
_NULLS = {"", "~", "null"}


@dataclass(frozen=True)
class YamlSource:
    """One file as plain data: mappings, lists, text and None, with the line of every node by path."""

    name: str
    data: Plain
    lines: dict[YamlPath, int]

    def line(self, path: YamlPath) -> int:
        """Return the 1-based line of the node at `path`, or of its closest parent that exists."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(path: Path, name: str) -> YamlSource:
    """Read one YAML file; `name` is how messages and price items call it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PriceBookError(
            f"The price file '{name}' cannot be read: {error}. Check the path and rights."
        ) from error
    return parse_yaml(text, name)


def parse_yaml(text: str, name: str) -> YamlSource:
    """Parse YAML text into plain data with line numbers."""
    # The base loader resolves no scalar into a number or a date; that is its point here, it is no faster.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise PriceBookError(
            f"'{name}' is not valid YAML: {error}. Correct the line and load again."
        ) from error
    lines: dict[YamlPath, int] = {}
    data = None if node is None else _plain(node, (), lines, name)
    return YamlSource(name, data, lines)


def _plain(node: yaml.Node, path: YamlPath, lines: dict[YamlPath, int], name: str) -> Plain:
    lines[path] = _line(node)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines, name)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, (*path, index), lines, name) for index, child in enumerate(node.value)]
    text = str(node.value)
    is_bare = isinstance(node, yaml.ScalarNode) and not cast(str | None, node.style)
    return None if is_bare and text.lower() in _NULLS else text


def _mapping(
    node: yaml.MappingNode, path: YamlPath, lines: dict[YamlPath, int], name: str
) -> dict[str, Plain]:
    result: dict[str, Plain] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key in result:
            place = f"{name} line {_line(key_node)}"
            raise PriceBookError(f"The key '{key}' occurs twice · {place}. Keep one of them.")
        result[key] = _plain(value_node, (*path, key), lines, name)
    return result


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
