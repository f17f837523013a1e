"""The Overview without a browser: numbers, address, hostile names, and every state it can be in."""

import logging
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.snapshots import DAY, Account, Line, Requests, unpriced, write_snapshot

BEFORE = DAY - timedelta(days=1)
SECOND = "000002-20261023T020000Z-4e5f6a7b"
Open = Callable[..., AppTest]

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[pay](https://evil.example/pixel)",
    "![](https://evil.example/pixel.png)",
    ":material/home: :red[x]",
    "$\\href{https://evil.example}{x}$",
    '=HYPERLINK("https://evil.example")',
    "a\u202eb",
]


def exact_total(app: AppTest) -> str:
    return next(text.value for text in app.text if text.value.startswith("Exact total"))


def cells(app: AppTest, number: int, column: str) -> list[Any]:
    return app.dataframe[number].value[column].tolist()


def markdown_of(app: AppTest) -> str:
    """Everything that a browser would read as Markdown."""
    kinds = ("markdown", "caption", "title", "header", "subheader", "info", "warning", "error", "success")
    said = [element.value for kind in kinds for element in app.get(kind)]
    for metric in app.metric:
        said += [metric.label, str(metric.value), str(metric.delta), metric.proto.help]
    for kind in ("multiselect", "selectbox", "toggle", "expander"):
        said += [f"{element.label} {getattr(element, 'help', '')}" for element in app.get(kind)]
    return "\n".join(said)


def test_cards_total_and_tables_come_from_the_snapshot(published: Path, open_app: Open) -> None:
    lines = [
        Line(cost="10.000000000001"),
        Line(cost="2.5", feature="b", model="m"),
        Line(cost="5", usage_date=BEFORE),
    ]
    write_snapshot(published, lines, [Requests(), Requests(request_date=BEFORE)], [Account()])
    app = open_app(period="Latest day")
    assert not app.exception
    assert exact_total(app) == "Exact total: USD 12.500000000001"
    assert (app.metric[0].label, app.metric[0].value) == ("Effective cost, USD", "12.5000")
    assert app.metric[0].delta == "+7.5000 (+150.0 %)"
    exact = [str(value) for value in cells(app, 0, "effective_cost_usd_exact")]
    assert exact == ["10.000000000001", "2.500000000000"]
    assert cells(app, 1, "model") == ["gpt-5", "m"]
    assert [heading.value for heading in app.subheader] == [
        "Spend by day and feature",
        "Spend by feature",
        "Spend by model",
        "Spend by purpose",
        "Cost per million tokens by model",
    ]


def test_choices_come_from_the_address(published: Path, open_app: Open) -> None:
    lines = [
        Line(cost="1", list_cost="7"),
        Line(cost="2", feature="b"),
        Line(cost="4", usage_date=BEFORE),
        Line(cost="8", usage_date=DAY - timedelta(days=40)),
    ]
    write_snapshot(published, lines, [Requests()])
    assert exact_total(open_app()).endswith(" 7.00")
    assert exact_total(open_app(period="Everything")).endswith(" 15.00")
    assert exact_total(open_app(period="Latest day", feature=["chat"])).endswith(" 1.00")
    assert exact_total(open_app(period="Latest day", feature=["chat"], measure="List")).endswith(" 7.00")
    days = [BEFORE.isoformat(), BEFORE.isoformat()]
    assert exact_total(open_app(period="Chosen days", days=days)).endswith(" 4.00")
    assert not [card.delta for card in open_app(period="Latest day", compare="false").metric if card.delta]


@pytest.mark.parametrize(
    "address",
    [{"period": "Tomorrow"}, {"feature": "absent"}, {"measure": "<b>"}, {"days": "x"}, {"compare": "maybe"}],
)
def test_nonsense_in_the_address_is_ignored(published: Path, open_app: Open, address: dict[str, str]) -> None:
    write_snapshot(published, [Line(cost="1")], [Requests()])
    app = open_app(**address)
    assert not app.exception
    assert exact_total(app).endswith(" 1.00")


def test_controls_change_the_numbers(published: Path, open_app: Open) -> None:
    write_snapshot(published, [Line(cost="1"), Line(cost="2", feature="b")], [Requests()])
    app = open_app()
    app.multiselect(key="feature").select("b").run()
    assert exact_total(app).endswith(" 2.00")
    app.multiselect(key="team").select("core").run()
    assert exact_total(app).endswith(" 2.00")


def test_choice_without_lines_is_said(published: Path, open_app: Open) -> None:
    write_snapshot(published, [Line(), Line(feature="b", model="m")], [Requests()])
    app = open_app(feature=["chat"], model=["m"])
    assert not app.exception
    assert exact_total(app).endswith(" 0.00")
    assert [text.value for text in app.caption if text.value.startswith("No ")][-1].startswith("No metered")


def test_hostile_names_are_shown_as_text_only(published: Path, open_app: Open) -> None:
    lines = [Line(feature=name, team=name, environment=name, model=name) for name in HOSTILE]
    lines.append(unpriced(feature=HOSTILE[0], provider=HOSTILE[1], model=HOSTILE[2], reason_code=HOSTILE[3]))
    accounts = [Account(source=HOSTILE[1], record_kind="reject", reason_code=HOSTILE[2])]
    write_snapshot(published, lines, [Requests(feature=HOSTILE[0])], accounts, price_version=HOSTILE[1])
    app = open_app()
    assert not app.exception
    told = markdown_of(app)
    for name in [*HOSTILE, "evil.example", "onerror", "HYPERLINK"]:
        assert name not in told
    shown = {name for table in app.dataframe for column in table.value for name in table.value[column]}
    assert {*HOSTILE[:-1], "a\ufffdb"} <= shown


def test_unpriced_lines_and_rejects_are_told_with_reasons(published: Path, open_app: Open) -> None:
    accounts = [Account(), Account(record_kind="reject", reason_code="broken_json", record_count=2)]
    write_snapshot(published, [Line(), unpriced(quantity=50)], [Requests()], accounts)
    app = open_app()
    assert "1 cost line has no known price" in app.warning[0].value
    labels = [expander.label for expander in app.expander]
    assert labels == ["Lines without a price, by reason", "Rejected records, by reason"]
    assert cells(app, 0, "reason_code") == ["unknown_model"]
    assert cells(app, 1, "reject_count") == [2]


def test_old_snapshot_is_called_old_and_a_new_one_is_not(published: Path, open_app: Open) -> None:
    write_snapshot(published, [Line()], [Requests()])
    assert any("ago. Run `inferledger run`" in warning.value for warning in open_app().warning)
    now = datetime.now(UTC).isoformat()
    write_snapshot(published, [Line()], [Requests()], snapshot_id=SECOND, published_at=now)
    assert not open_app().warning


def test_next_run_reads_the_next_snapshot(published: Path, open_app: Open) -> None:
    first = write_snapshot(published, [Line(cost="1")], [Requests()])
    app = open_app()
    assert exact_total(app).endswith(" 1.00")
    write_snapshot(published, [Line(cost="2")], [Requests()], snapshot_id=SECOND)
    shutil.rmtree(first)
    app.run()
    assert not app.exception
    assert exact_total(app).endswith(" 2.00")
    assert any(SECOND in text.value for text in app.text)


def test_snapshot_removed_while_drawn_is_read_again_then_said(
    published: Path, open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dashboards import queries
    from models.manifest import SnapshotGoneError

    write_snapshot(published, [Line(cost="1")], [Requests()])
    real, failures = queries.trust, [1]

    def gone(*given: Any) -> Any:
        if failures:
            failures.pop()
            raise SnapshotGoneError("gone")
        return real(*given)

    monkeypatch.setattr(queries, "trust", gone)
    app = open_app()
    assert exact_total(app).endswith(" 1.00")
    assert not app.warning[1:]
    failures.extend([1, 1, 1, 1])
    app.run()
    assert "was replaced while this page was drawn" in app.warning[0].value
    failures.clear()
    assert exact_total(app.run()).endswith(" 1.00")


def test_empty_ledger_says_what_to_do(published: Path, open_app: Open) -> None:
    write_snapshot(published, last_used_at_us=None)
    app = open_app()
    assert not app.exception
    assert "holds no day yet" in app.info[0].value


def test_nothing_published_says_what_to_run(published: Path, open_app: Open) -> None:
    app = open_app()
    assert not app.exception
    assert app.subheader[0].value == "Nothing to show yet"
    assert "inferledger run" in app.code[0].value
    write_snapshot(published, [Line(cost="1")], [Requests()])
    assert exact_total(app.run()).endswith(" 1.00")


def test_folder_that_nobody_named_is_asked_for(monkeypatch: pytest.MonkeyPatch, open_app: Open) -> None:
    monkeypatch.delenv("INFERLEDGER_PUBLISHED", raising=False)
    app = open_app()
    assert not app.exception
    assert "INFERLEDGER_PUBLISHED" in app.text[0].value


def test_damaged_snapshot_is_told_as_plain_text(published: Path, open_app: Open) -> None:
    folder = write_snapshot(published, [Line()])
    (folder / "manifest.json").write_text("{")
    app = open_app()
    assert not app.exception
    assert app.error[0].value == "The published snapshot cannot be shown."
    assert "it is not JSON" in app.text[0].value


def test_unforeseen_failure_goes_to_the_log_not_to_the_page(
    published: Path, open_app: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from dashboards import queries

    def fail(*given: Any) -> Any:
        raise ZeroDivisionError("secret detail")

    write_snapshot(published, [Line()], [Requests()])
    monkeypatch.setattr(queries, "trust", fail)
    with caplog.at_level(logging.ERROR):
        app = open_app()
    assert not app.exception
    assert [error.value for error in app.error] == ["This page could not be shown."]
    assert not app.metric
    assert "secret detail" in caplog.text
    assert "secret detail" not in markdown_of(app) + "".join(text.value for text in app.text)
