"""One SQL file: its header, the tables it reads, and what is refused."""

import pytest

from models.errors import UserError
from models.sql_files import Model, read_model, refuse_reads

GOOD = """-- Rejects with their reason,
-- one per record that could not be read.
-- grain: one row per reject
-- key: file_sha256, record_position
-- refresh: full
with rejects as (
    select
        file_sha256,
        record_position
    from raw_rejects
)

select * from rejects;
"""


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def refused(text: str, layer: str = "staging", name: str = "stg_rejects") -> str:
    with pytest.raises(UserError) as caught:
        read_model(text, layer, name)
    return str(caught.value)


def test_the_header_is_read() -> None:
    model = read_model(GOOD, "staging", "stg_rejects")
    assert model.name == "stg_rejects"
    assert model.layer == "staging"
    assert model.purpose == "Rejects with their reason, one per record that could not be read."
    assert model.grain == "one row per reject"
    assert model.key == ("file_sha256", "record_position")
    assert (model.refresh, model.window_column) == ("full", None)
    assert model.path == "models/staging/stg_rejects.sql"


def test_the_select_is_the_text_without_header_and_semicolon() -> None:
    sql = read_model(GOOD, "staging", "stg_rejects").sql
    assert sql.startswith("with rejects as (")
    assert sql.endswith("select * from rejects\n")


def test_reads_are_the_base_tables_and_not_the_ctes() -> None:
    assert read_model(GOOD, "staging", "stg_rejects").reads == ("raw_rejects",)


def test_a_cte_named_like_its_table_still_reads_it() -> None:
    text = changed("with rejects as", "with raw_rejects as").replace("from rejects", "from raw_rejects")
    assert read_model(text, "staging", "stg_rejects").reads == ("raw_rejects",)


def test_reads_are_found_in_subqueries_unions_and_beside_parameters() -> None:
    text = changed(
        "from raw_rejects\n",
        "from raw_rejects as r\n where r.day >= $window_start and not exists (select 1 from stg_a as a)\n"
        " union all select b.x, b.y from stg_b as b\n",
    )
    assert read_model(text, "staging", "stg_rejects").reads == ("raw_rejects", "stg_a", "stg_b")


@pytest.mark.parametrize(
    ("line", "refresh", "column"),
    [
        ("window", "window", "usage_date"),
        ("window on request_date", "window", "request_date"),
        ("month", "month", "usage_date"),
        ("month on request_date", "month", "request_date"),
        ("full", "full", None),
    ],
)
def test_refresh_names_the_column_of_the_window(line: str, refresh: str, column: str | None) -> None:
    model = read_model(changed("refresh: full", f"refresh: {line}"), "staging", "stg_rejects")
    assert (model.refresh, model.window_column) == (refresh, column)


@pytest.mark.parametrize("line", ["-- grain: one row per reject\n", "-- key: file_sha256, record_position\n"])
def test_a_missing_line_is_named(line: str) -> None:
    label = line.split(":")[0].removeprefix("-- ")
    assert refused(changed(line, "")) == (
        f"'{label}' is missing · models/staging/stg_rejects.sql, header · write the line `-- {label}: …`"
    )


def test_a_missing_refresh_is_named() -> None:
    assert refused(changed("-- refresh: full\n", "")).startswith("'refresh' is missing")


def test_a_missing_purpose_is_named() -> None:
    text = GOOD[GOOD.index("-- grain") :]
    assert refused(text).startswith("'purpose' is missing")
    assert "-- what it is for, in one sentence" in refused(text)


def test_an_empty_label_is_missing() -> None:
    assert refused(changed("grain: one row per reject", "grain: ")).startswith("'grain' is missing")


@pytest.mark.parametrize("refresh", ["daily", "full on request_day please", "windows"])
def test_an_unknown_refresh_is_refused(refresh: str) -> None:
    said = refused(changed("refresh: full", f"refresh: {refresh}"))
    assert said.startswith(f"'{refresh}' is not a refresh")
    assert "allowed: window, window on <column>, month, full" in said


@pytest.mark.parametrize(
    ("layer", "name", "allowed"),
    [
        ("staging", "int_rejects", "stg_"),
        ("attributed", "stg_rejects", "int_"),
        ("marts", "int_rejects", "dim_, fct_, agg_, export_"),
        ("checks", "fct_rejects", "check_"),
        ("staging", "rejects", "stg_"),
    ],
)
def test_a_wrong_prefix_is_refused(layer: str, name: str, allowed: str) -> None:
    said = refused(GOOD, layer, name)
    assert said.startswith(f"'{name}' has the wrong prefix · models/{layer}/{name}.sql · allowed: {allowed}")


@pytest.mark.parametrize("name", ["dim_x", "fct_x", "agg_x", "export_x"])
def test_every_prefix_of_the_marts_is_taken(name: str) -> None:
    assert read_model(GOOD, "marts", name).name == name


def test_a_check_needs_no_key() -> None:
    check = read_model(changed("-- key: file_sha256, record_position\n", ""), "checks", "check_rejects")
    assert check.key == ()
    assert check.layer == "checks"


@pytest.mark.parametrize("select", ["select from where", "", "select 1; select 2"])
def test_text_that_is_no_single_select_is_refused(select: str) -> None:
    said = refused(GOOD[: GOOD.index("with rejects")] + select)
    assert said.startswith("'stg_rejects' cannot be read as SQL · models/staging/stg_rejects.sql")


def model(layer: str, name: str, *reads: str) -> Model:
    return Model(name, layer, "p", "g", ("k",), "full", None, "", f"models/{layer}/{name}.sql", reads)


KNOWN = {name: model("", name) for name in ("stg_a", "int_b", "dim_c", "fct_d", "agg_e", "export_f")}


@pytest.mark.parametrize(
    ("layer", "name", "allowed"),
    [
        ("staging", "stg_x", {"raw_a", "stg_a"}),
        ("attributed", "int_x", {"stg_a", "int_b"}),
        ("marts", "agg_x", {"stg_a", "int_b", "dim_c", "fct_d"}),
        ("checks", "check_x", {"raw_a", *KNOWN}),
    ],
)
def test_each_layer_reads_only_what_lies_below(layer: str, name: str, allowed: set[str]) -> None:
    for read in allowed:
        refuse_reads(model(layer, name, read), KNOWN, ["raw_a"])
    for read in {"raw_a", *KNOWN} - allowed:
        with pytest.raises(UserError, match=rf"'{read}' may not be read here · models/{layer}/{name}\.sql"):
            refuse_reads(model(layer, name, read), KNOWN, ["raw_a"])


def test_an_unknown_table_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"'raw_aa' is no table · models/staging/stg_x.sql · known: raw_a, "):
        refuse_reads(model("staging", "stg_x", "raw_aa"), KNOWN, ["raw_a"])
