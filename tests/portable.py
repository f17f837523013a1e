"""The portable subset of SQL: what gives the same rows with the same types on every engine.

What lives here: the list of what is allowed, on the parsed SQL, and one rule per trap. What does not: proof
that an allowed construct is the same everywhere, which is the work of the contract and conformance tests. A
construct joins the list together with such a proof.
"""

from collections.abc import Callable, Iterable, Iterator

import sqlglot
from sqlglot import exp

# Structure: queries, joins, conditions, names.
STRUCTURE = {
    "Alias", "And", "Between", "Boolean", "CTE", "Case", "Column", "Distinct", "EQ", "Except", "Exists",
    "Filter", "From", "GT", "GTE", "Group", "Having", "Identifier", "If", "In", "Is", "Join", "LT",
    "LTE", "Like", "Literal", "NEQ", "Neg", "Not", "Null", "NullSafeEQ", "NullSafeNEQ", "Or", "Order",
    "Ordered", "Paren", "Placeholder", "Select", "Star", "Subquery", "Table", "TableAlias", "Tuple",
    "Union", "Values", "Where", "Window", "WindowSpec", "With",
}  # fmt: skip
ARITHMETIC = {"Add", "IntDiv", "Mod", "Mul", "Sub"}
TYPES = {"Cast", "DataType", "DataTypeParam"}
FUNCTIONS = {
    "Coalesce", "Count", "DenseRank", "FirstValue", "Lag", "Length", "Max", "Min", "Nullif", "Rank",
    "RowNumber", "Sum",
}  # fmt: skip
ALLOWED = STRUCTURE | ARITHMETIC | TYPES | FUNCTIONS
PLAIN_TYPES = {"BIGINT", "INT", "VARCHAR", "TEXT", "DATE", "BOOLEAN"}
# DECIMAL of whole numbers, and the two of the one money product.
MONEY_TYPES = {"DECIMAL(12, 12)", "DECIMAL(38, 12)"}
PICO = "CAST('0.000000000001' AS DECIMAL(12, 12))"
NEEDS_ORDER = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.FirstValue)
NEEDS_TOTAL_ORDER = (exp.RowNumber, exp.Lag, exp.FirstValue)
# What makes an order total: its last column is unique within any partition.
UNIQUE_ENDINGS = ("_key", "_position")
PARAMETERS = {"window_start", "window_end"}

Rule = Callable[[exp.Expr], str | None]


def complaints(select: str, keys: Iterable[Iterable[str]] = ()) -> list[str]:
    """Return what a select breaks of the subset, one sentence each, with the text it is about.

    `keys` are the keys of the tables it reads: an order over all of one has no ties.
    """
    try:
        trees = [tree for tree in sqlglot.parse(select, read="duckdb") if tree is not None]
    except sqlglot.errors.ParseError as error:
        return [f"cannot be parsed: {error}"]
    if len(trees) != 1:
        return [f"{len(trees)} statements instead of one"]
    return list(_found(trees[0], [set(key) for key in keys]))


def _found(tree: exp.Expr, keys: list[set[str]]) -> Iterator[str]:
    for node in tree.walk():
        name = type(node).__name__
        if name not in ALLOWED:
            yield f"{name} is not in the portable subset: {node.sql('duckdb')}"
        for rule in RULES.get(name, ()):
            said = rule(node)
            if said:
                yield f"{said}: {node.sql('duckdb')}"
        if isinstance(node, exp.Window) and _may_have_ties(node, keys):
            yield f"an order that may have ties, for it ends with no unique column: {node.sql('duckdb')}"


def _type(node: exp.Expr) -> str | None:
    text = node.sql("duckdb")
    is_whole = text.startswith("DECIMAL(") and text.endswith(", 0)")
    if text in PLAIN_TYPES or text in MONEY_TYPES or is_whole:
        return None
    return "a type outside of INT, BIGINT, DECIMAL(p,0), VARCHAR, DATE, BOOLEAN"


def _literal(node: exp.Expr) -> str | None:
    if node.is_string or str(node.this).isdigit():
        return None
    return "a number with a point has another type on each engine"


def _parameter(node: exp.Expr) -> str | None:
    return None if node.name in PARAMETERS else "a parameter beside $window_start and $window_end"


def _sum(node: exp.Expr) -> str | None:
    outer = node.parent
    while isinstance(outer, exp.Window | exp.Filter | exp.Paren):
        outer = outer.parent
    return (
        None
        if isinstance(outer, exp.Cast)
        else "a sum that is not cast at once is HUGEINT here, BIGINT there"
    )


def _divisor(node: exp.Expr) -> str | None:
    right = node.args["expression"]
    if isinstance(right, exp.Cast) and right.to.sql("duckdb") == "BIGINT":
        return None
    return "whole division by anything but a cast to BIGINT may turn into DOUBLE"


def _product(node: exp.Expr) -> str | None:
    sides = [node.args["this"], node.args["expression"]]
    if not any(isinstance(side, exp.Cast) and "DECIMAL" in side.to.sql("duckdb") for side in sides):
        return None
    left, right = sides
    is_whole = isinstance(left, exp.Cast) and left.to.sql("duckdb") == "DECIMAL(25, 0)"
    outer = node.parent
    is_money = isinstance(outer, exp.Cast) and outer.to.sql("duckdb") == "DECIMAL(38, 12)"
    if is_whole and is_money and right.sql("duckdb") == PICO:
        return None
    return "a product of decimals beside the one money shape has other digits on each engine"


def _window(node: exp.Expr) -> str | None:
    function = node.this
    frame = node.args.get("spec")
    if _order_of(node) is None:
        return "an order is missing" if isinstance(function, NEEDS_ORDER) or frame else None
    if isinstance(function, exp.Sum | exp.Count | exp.Min | exp.Max) and frame is None:
        return "a running total without a stated frame"
    return None


def _may_have_ties(node: exp.Window, keys: list[set[str]]) -> bool:
    order = _order_of(node)
    frame = node.args.get("spec")
    is_rows = frame is not None and str(frame.args.get("kind")).upper() == "ROWS"
    if order is None or not (isinstance(node.this, NEEDS_TOTAL_ORDER) or is_rows):
        return False
    if order.expressions[-1].name.endswith(UNIQUE_ENDINGS):
        return False
    named = {column.name for column in [*node.args.get("partition_by", []), *order.expressions]}
    return not any(key <= named for key in keys)


def _order_of(node: exp.Expr) -> exp.Expr | None:
    order = node.args.get("order")
    alias = node.args.get("alias")
    if order is None and alias is not None:
        named = node.find_ancestor(exp.Select)
        for window in named.args.get("windows") or [] if named else []:
            if window.name == alias.name:
                return window.args.get("order")
    return order


def _select(node: exp.Expr) -> str | None:
    is_star = any(isinstance(column, exp.Star) or _is_star(column) for column in node.expressions)
    if is_star and node.parent is not None:
        return "select * is for the closing line only"
    if node.args.get("limit") or node.args.get("distinct") or node.args.get("qualify"):
        return "limit, distinct and qualify are not portable: number the rows, or group"
    return None


def _star(node: exp.Expr) -> str | None:
    return "select * with changes is not portable" if any(node.args.values()) else None


def _is_star(column: exp.Expr) -> bool:
    return isinstance(column, exp.Column) and isinstance(column.this, exp.Star)


def _join(node: exp.Expr) -> str | None:
    method, using = node.args.get("method"), node.args.get("using")
    side, kind = node.args.get("side") or "", node.args.get("kind") or ""
    if method or using or side not in ("", "LEFT", "FULL") or kind not in ("INNER", "CROSS", "OUTER", ""):
        return "a join beside inner, left, full and cross, or with using, whose tables cannot be derived"
    if not side and not kind:
        return "a join that does not say inner, left, full or cross"
    return None


def _group(node: exp.Expr) -> str | None:
    if node.args.get("all") or any(isinstance(column, exp.Literal) for column in node.expressions):
        return "group by names its columns"
    strange = [key for key in ("cube", "rollup", "grouping_sets") if node.args.get(key)]
    return f"{strange[0]} is not portable" if strange else None


def _ordered(node: exp.Expr) -> str | None:
    return "order by names its columns" if isinstance(node.this, exp.Literal) else None


def _with(node: exp.Expr) -> str | None:
    return "a recursive query is not portable" if node.args.get("recursive") else None


def _union(node: exp.Expr) -> str | None:
    return "union drops equal rows: say union all, or group" if node.args.get("distinct") else None


def _cast(node: exp.Expr) -> str | None:
    is_number = isinstance(node.this, exp.Literal) and node.this.is_string and node.sql("duckdb") != PICO
    return "a number written as text" if is_number and node.to.sql("duckdb") not in ("DATE", "TEXT") else None


RULES: dict[str, tuple[Rule, ...]] = {
    "Cast": (_cast,),
    "DataType": (_type,),
    "Group": (_group,),
    "IntDiv": (_divisor,),
    "Join": (_join,),
    "Literal": (_literal,),
    "Mod": (_divisor,),
    "Mul": (_product,),
    "Ordered": (_ordered,),
    "Placeholder": (_parameter,),
    "Select": (_select,),
    "Star": (_star,),
    "Sum": (_sum,),
    "Union": (_union,),
    "Window": (_window,),
    "With": (_with,),
}
