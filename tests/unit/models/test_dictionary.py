"""The data dictionary is complete, and the committed page is the generated one."""

import sys
from pathlib import Path

import pytest

from models import dictionary
from models.columns import Column, columns, input_tables
from models.dictionary import page, schemas, undescribed, written_checks
from models.errors import UserError
from models.registry import models, published_tables

COMMITTED = Path(__file__).parents[3] / "docs" / "data-dictionary.md"


@pytest.fixture(scope="module")
def described() -> dict[str, list[tuple[str, str]]]:
    return schemas()


def test_the_committed_page_is_the_generated_one() -> None:
    said = "the page is stale: run python -m models.dictionary"
    assert COMMITTED.read_text(encoding="utf-8") == page(), said


def test_every_model_and_written_check_is_described(described: dict[str, list[tuple[str, str]]]) -> None:
    assert list(described) == [*models(), *(check.name for check in written_checks())]
    assert all(described.values())


@pytest.mark.parametrize("name", [*models(), *(check.name for check in written_checks())])
def test_every_column_is_known_with_its_type(name: str, described: dict[str, list[tuple[str, str]]]) -> None:
    assert undescribed(name, described[name], columns()) == []


@pytest.mark.parametrize("name", models())
def test_key_and_window_are_columns_of_the_model(
    name: str, described: dict[str, list[tuple[str, str]]]
) -> None:
    model = models()[name]
    kinds = dict(described[name])
    assert set(model.key) <= set(kinds)
    assert model.window_column is None or kinds[model.window_column] == "DATE"


def test_no_published_column_is_pico_usd(described: dict[str, list[tuple[str, str]]]) -> None:
    marts = [name for name in published_tables() if models()[name].layer == "marts"]
    assert marts
    for name in marts:
        assert not [column for column, _ in described[name] if column.endswith("_pico_usd")], name


def test_every_column_of_the_file_is_used_somewhere(described: dict[str, list[tuple[str, str]]]) -> None:
    used = {column for table in described.values() for column, _ in table}
    used |= {column for table in input_tables().values() for column in table.columns}
    assert set(columns()) - used == set(), "described, and in no table"


def test_a_wider_type_is_for_a_table_that_has_the_column(described: dict[str, list[tuple[str, str]]]) -> None:
    for column in columns().values():
        for table, kind in column.wider.items():
            assert (column.name, kind) in described[table]


def test_the_page_names_every_table_its_key_and_its_columns() -> None:
    text = page()
    for name in [*input_tables(), *models(), *(check.name for check in written_checks())]:
        assert text.count(f"\n### {name}\n") == 1
    assert "| `attempt_key` | BIGINT not null | key | " in text
    assert "(`success`, `error`, `cancelled`, `refused`, `unknown`)" in text
    assert "Made by Python from `stg_rate_cards`." in text
    assert "Key: `usage_date`, `attempt_key`, `meter`. Refresh: window on `usage_date`." in text


KNOWN = {"quantity": Column("quantity", "BIGINT", None, "how much", (), {"agg_days": "DECIMAL(38,0)"})}


@pytest.mark.parametrize(
    ("table", "column", "said"),
    [
        ("int_lines", ("quantity", "BIGINT"), []),
        ("agg_days", ("quantity", "DECIMAL(38,0)"), []),
        (
            "agg_days",
            ("quantity", "BIGINT"),
            ["'quantity' of agg_days is BIGINT, columns.yml says DECIMAL(38,0)"],
        ),
        (
            "int_lines",
            ("quantities", "BIGINT"),
            ["'quantities' of int_lines is not in columns.yml · nearest: quantity"],
        ),
    ],
)
def test_a_column_without_entry_or_of_another_type_is_named(
    table: str, column: tuple[str, str], said: list[str]
) -> None:
    found = undescribed(table, [column], KNOWN)
    assert found == said


def test_a_page_with_an_unknown_column_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "columns", lambda: KNOWN)
    with pytest.raises(UserError, match=r"'usage_date' of raw_attempts is not in columns\.yml"):
        page()


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["python -m models.dictionary", *arguments])
    dictionary.main()


def test_the_module_writes_the_page_and_checks_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "docs" / "page.md"
    with pytest.raises(SystemExit, match=r"is stale · run: python -m models\.dictionary"):
        run(monkeypatch, "--check", "--page", str(path))
    run(monkeypatch, "--page", str(path))
    assert path.read_text(encoding="utf-8") == page()
    run(monkeypatch, "--check", "--page", str(path))
    path.write_text("other", encoding="utf-8")
    with pytest.raises(SystemExit, match="is stale"):
        run(monkeypatch, "--check", "--page", str(path))
