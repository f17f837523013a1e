"""Requests, and the strip that says how far to trust the numbers, over small snapshots."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from models import reports
from models.report_scope import REQUEST_DIMENSIONS, Period, Scope
from models.snapshot import open_snapshot
from models.trust import last_used_at, rejects_by_reason, trust, unpriced_by_reason
from tests.snapshots import DAY, Account, Line, Requests, unpriced, write_snapshot

BEFORE = DAY - timedelta(days=1)
TODAY = Scope(Period.of_days(DAY, DAY))


def ask(folder: Path, report: Any, *given: Any, **named: Any) -> list[dict[str, Any]]:
    with open_snapshot(folder).connect() as reader:
        answer = report(reader, *given, **named)
    return answer.to_pylist() if isinstance(answer, pa.Table) else answer


def d(text: str) -> Decimal:
    return Decimal(text)


class TestRequests:
    def test_cost_per_answered_request_counts_all_attempts(self, tmp_path: Path) -> None:
        rows = [Requests(cost="4"), Requests(feature="b", request_count=1, answered_count=0, cost="1")]
        write_snapshot(tmp_path, [], [*rows, Requests(request_date=BEFORE, cost="2")])
        (row,) = ask(tmp_path, reports.request_totals, TODAY)
        assert (row["request_count"], row["answered_count"], row["attempt_count"]) == (11, 8, 24)
        assert row["effective_cost_usd_per_answered_request"] == d("0.625")
        assert row["previous_effective_cost_usd_per_answered_request"] == d("0.25")

    @pytest.mark.parametrize("dimension", REQUEST_DIMENSIONS)
    def test_every_dimension_adds_up(self, tmp_path: Path, dimension: str) -> None:
        write_snapshot(tmp_path, [], [Requests(), Requests(feature="b", team="t", model="m", provider=None)])
        rows = ask(tmp_path, reports.requests_by, dimension, TODAY)
        assert sum(row["request_count"] for row in rows) == 20

    def test_without_an_answer_or_a_price_there_is_no_ratio(self, tmp_path: Path) -> None:
        rows = [Requests(answered_count=0), Requests(feature="b", cost=None, unpriced_attempt_count=3)]
        write_snapshot(tmp_path, [], rows)
        second, first = ask(tmp_path, reports.requests_by, "feature", TODAY)
        assert first["effective_cost_usd_per_answered_request"] is None
        assert (second["effective_cost_usd"], second["unpriced_attempt_count"]) == (None, 3)
        assert second["effective_cost_usd_per_answered_request"] is None


class TestTrust:
    def test_one_row_says_how_far_to_trust(self, tmp_path: Path) -> None:
        lines = [
            Line(quantity=600, cost="6"),
            Line(quantity=200, cost="2", certainty="assumed", reason_code="input_split_not_stated"),
            Line(quantity=100, cost="1", certainty="estimated", reason_code="estimated_usage"),
            unpriced(quantity=100),
            unpriced(meter="request", quantity=1, reason_code="usage_missing"),
            Line(quantity=5000, cost="0", is_billable=False),
            Line(usage_date=BEFORE, certainty="assumed"),
        ]
        accounts = [Account(), Account(record_kind="reject", reason_code="broken_json", record_count=2)]
        write_snapshot(tmp_path, lines, accounts=[*accounts, Account(record_kind="skip", record_count=8)])
        (row,) = ask(tmp_path, trust, TODAY)
        assert row["snapshot_id"] == "000001-20261022T020000Z-0a1b2c3d"
        assert row["price_version"] == "d" * 64
        assert row["published_at"] == "2026-10-22T02:00:00.000000Z"
        assert row["last_used_at_us"] == 1_792_626_900_000_000
        assert (row["billable_tokens"], row["priced_tokens"]) == (1000, 900)
        assert row["priced_token_share"] == d("0.9")
        assert (row["assumed_token_share"], row["estimated_token_share"]) == (d("0.2"), d("0.1"))
        assert row["assumed_effective_cost_share"] == d("0.222222222222")
        assert (row["line_count"], row["unpriced_line_count"]) == (6, 2)
        assert (row["record_count"], row["reject_count"], row["reject_share"]) == (20, 2, d("0.1"))

    def test_reasons_are_named_with_what_they_cover(self, tmp_path: Path) -> None:
        lines = [
            unpriced(quantity=100, model="new"),
            unpriced(quantity=50, model="new", feature="b"),
            unpriced(meter="request", quantity=1, reason_code="usage_missing"),
            Line(),
        ]
        accounts = [
            Account(record_kind="reject", reason_code="broken_json", record_count=2),
            Account(record_kind="reject", reason_code="broken_json", record_count=1, file_sha256="b"),
            Account(record_kind="reject", reason_code="negative_count", record_count=5),
        ]
        write_snapshot(tmp_path, lines, accounts=accounts)
        rows = ask(tmp_path, unpriced_by_reason, TODAY)
        assert [(row["reason_code"], row["unpriced_line_count"], row["unpriced_tokens"]) for row in rows] == [
            ("unknown_model", 2, 150),
            ("usage_missing", 1, 0),
        ]
        rejects = ask(tmp_path, rejects_by_reason)
        assert [(row["reason_code"], row["reject_count"]) for row in rejects] == [
            ("negative_count", 5),
            ("broken_json", 3),
        ]

    def test_empty_ledger_knows_nothing(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, last_used_at_us=None)
        (row,) = ask(tmp_path, trust, TODAY)
        assert (row["priced_token_share"], row["reject_share"], row["last_used_at_us"]) == (None, None, None)
        assert last_used_at(open_snapshot(tmp_path)) is None

    def test_last_use_is_an_instant(self, tmp_path: Path) -> None:
        write_snapshot(tmp_path, last_used_at_us=1_792_626_900_000_001)
        instant = last_used_at(open_snapshot(tmp_path))
        assert instant is not None
        assert instant.isoformat() == "2026-10-21T23:55:00.000001+00:00"
