"""A real server of the pages, and a real browser that notes everything it asks for."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import dashboards
from pipelines.demo import choose_port, serve_dashboard, wait_until_healthy

APP = Path(dashboards.__file__).parent / "app.py"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


@dataclass
class Visit:
    """One page in the browser, with the addresses it asked for and the errors it met."""

    page: Page
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def foreign(self) -> list[str]:
        """Addresses that are not of this machine."""
        own = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
        return [address for address in self.asked if not address.startswith(own)]

    def exact_total(self) -> str:
        """The exact total on the page, digits only."""
        return (
            self.page.locator(".st-key-exact-total").inner_text(timeout=30_000).split()[-1].replace(",", "")
        )


@dataclass(frozen=True)
class Site:
    """The running server: its address, and the folder of snapshots it reads."""

    address: str
    port: int
    published: Path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    published = tmp_path_factory.mktemp("published")
    port = choose_port(0)
    with serve_dashboard(APP, published, port) as process:
        wait_until_healthy(process, port)
        yield Site(f"http://127.0.0.1:{port}", port, published)


@pytest.fixture(autouse=True)
def empty_folder(site: Site) -> None:
    """Each test publishes its own snapshot, under its own id so that no answer is remembered."""
    for path in site.published.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Callable[..., Visit]]:
    """Open an address of the site in a fresh browser context."""
    contexts = []

    def go(path: str = "/", scheme: str = "light") -> Visit:
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 1000})  # type: ignore[arg-type]
        contexts.append(context)
        visit = Visit(context.new_page())
        context.on("request", lambda request: visit.asked.append(request.url))
        visit.page.on("websocket", lambda socket: visit.asked.append(socket.url))
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("dialog", lambda dialog: (visit.errors.append(dialog.message), dialog.dismiss()))
        visit.page.goto(site.address + path)
        return visit

    yield go
    for context in contexts:
        context.close()
