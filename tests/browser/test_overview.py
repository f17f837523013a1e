"""The Overview in headless Chromium: the total to the last digit, nothing asked of anybody else."""

import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from dashboards.formatting import exact
from models import reports
from models.report_scope import Period, Scope
from models.snapshot import open_snapshot
from tests.browser.conftest import Site, Visit
from tests.demo_ledger import demo_accounts, demo_lines, demo_requests
from tests.snapshots import DAY, Line, Requests, unpriced, write_snapshot

pytestmark = pytest.mark.browser

Go = Callable[..., Visit]
SECOND = "000002-20261023T020000Z-4e5f6a7b"
HOSTILE = [
    "<img src=https://evil.example/a.png onerror=alert(1)>",
    "![x](https://evil.example/b.png)",
    "[x](https://evil.example/c)",
    "<script>alert(2)</script>",
]


def demo(published: Path, snapshot_id: str) -> None:
    accounts = demo_accounts()
    write_snapshot(published, demo_lines(DAY, 16), demo_requests(DAY, 16), accounts, snapshot_id=snapshot_id)


def hover_the_bar(visit: Visit) -> Locator:
    """Move over the only bar of the chart until its tooltip, which is made of HTML, is there."""
    chart = visit.page.locator(".st-key-daily-chart").locator("canvas, svg.marks").first
    expect(chart).to_be_visible(timeout=30_000)
    # The chart is drawn again when its width is known.
    visit.page.wait_for_timeout(1500)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    tooltip = visit.page.locator("#vg-tooltip-element")
    for step in range(60):
        visit.page.mouse.move(box["x"] + box["width"] * (0.35 + step / 200), box["y"] + box["height"] * 0.7)
        visit.page.wait_for_timeout(50)
        if tooltip.is_visible():
            break
    return tooltip


def total(published: Path, scope: Scope, measure: str = "effective") -> Decimal:
    with open_snapshot(published).connect() as reader:
        return reports.spend_totals(reader, scope).to_pylist()[0][f"{measure}_cost_usd"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_total_is_the_reports_total_and_nobody_else_is_asked(site: Site, visit: Go, scheme: str) -> None:
    demo(site.published, f"000010-{scheme}")
    page = visit("/", scheme)
    week = Scope(Period.of_days(DAY - timedelta(days=6), DAY))
    assert Decimal(page.exact_total()) == total(site.published, week)
    expect(page.page.get_by_text("Cost per million tokens by model")).to_be_visible()
    chart = page.page.locator(".st-key-daily-chart canvas, .st-key-daily-chart svg").first
    expect(chart).to_be_visible(timeout=30_000)
    page.page.get_by_text("Rejected records, by reason").click()
    page.page.get_by_text("Compare with the period before").click()
    page.page.wait_for_timeout(1000)
    assert page.foreign() == []
    assert page.errors == []


def test_address_keeps_the_choice(site: Site, visit: Go) -> None:
    demo(site.published, "000020-address")
    page = visit("/?period=Everything")
    everything = Period.of_days(DAY - timedelta(days=15), DAY)
    assert Decimal(page.exact_total()) == total(site.published, Scope(everything))
    page.page.get_by_test_id("stMultiSelect").first.click()
    page.page.get_by_role("option", name="summaries").click()
    expect(page.page).to_have_url(re.compile(r"[?&]feature=summaries(&|$)"))
    chosen = total(site.published, Scope(everything, (("feature", ("summaries",)),)))
    expect(page.page.locator(".st-key-exact-total")).to_contain_text(exact(chosen))
    again = visit(page.page.url.removeprefix(site.address))
    assert Decimal(again.exact_total()) == chosen


def test_a_page_that_is_open_shows_the_next_snapshot_on_reload(site: Site, visit: Go) -> None:
    first = write_snapshot(site.published, [Line(cost="1.5")], [Requests()], snapshot_id="000030-first")
    page = visit()
    assert page.exact_total() == "1.50"
    write_snapshot(site.published, [Line(cost="2.5")], [Requests()], snapshot_id="000031-second")
    shutil.rmtree(first)
    page.page.reload()
    expect(page.page.locator(".st-key-exact-total")).to_contain_text("2.50", timeout=30_000)
    assert page.errors == []


def test_hostile_names_do_nothing(site: Site, visit: Go) -> None:
    lines = [Line(feature=name, model=name, team=name, provider=name) for name in HOSTILE]
    lines += [unpriced(model=name, reason_code=name) for name in HOSTILE]
    write_snapshot(site.published, lines, [Requests()], snapshot_id="000040-hostile")
    page = visit("/?unpriced=true&period=Latest+day")
    assert page.exact_total() == "5.00"
    expect(hover_the_bar(page)).to_contain_text("evil.example")
    page.page.get_by_test_id("stMultiSelect").first.click()
    option = page.page.get_by_role("option", name=HOSTILE[0])
    expect(option).to_be_visible()
    option.click()
    expect(page.page.locator(".st-key-exact-total")).to_contain_text("1.25")
    assert page.foreign() == []
    assert page.errors == []
    assert page.page.locator("img[src*='evil.example'], a[href*='evil.example']").count() == 0


@pytest.mark.parametrize("state", ["nothing", "damaged", "missing version"])
def test_no_state_shows_a_traceback(site: Site, visit: Go, state: str) -> None:
    said = "Nothing to show yet"
    if state != "nothing":
        folder = write_snapshot(site.published, [Line()], snapshot_id="000050-damaged")
        said = "cannot be shown" if state == "damaged" else "was replaced"
        (folder / "manifest.json").write_text("{") if state == "damaged" else shutil.rmtree(folder)
    page = visit()
    expect(page.page.get_by_text(said)).to_be_visible(timeout=30_000)
    text = page.page.inner_text("body")
    assert "Traceback" not in text
    assert ".py" not in text
    assert page.foreign() == []


def test_server_listens_on_this_machine_only(site: Site) -> None:
    listening = []
    for table in ("tcp", "tcp6"):
        rows = Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        # Columns: number, local address:port in hex, remote, state (0A listens).
        listening += [row.split()[1] for row in rows if row.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(f":{site.port:04X}")] == [
        f"0100007F:{site.port:04X}"
    ]
