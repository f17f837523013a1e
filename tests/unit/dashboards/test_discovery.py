"""Pages are found: one file more is one page more, and a broken one harms no other."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dashboards.screens
from dashboards.discovery import find_pages, load_page
from tests.snapshots import Line, Requests, write_snapshot

Open = Callable[..., AppTest]


@pytest.fixture
def more_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second folder whose files count as pages too."""
    folder = tmp_path / "more"
    folder.mkdir()
    monkeypatch.setattr(dashboards.screens, "__path__", [*dashboards.screens.__path__, str(folder)])
    known = set(sys.modules)
    yield folder
    for name in set(sys.modules) - known:
        if name.startswith("dashboards.screens."):
            del sys.modules[name]


def test_every_page_states_a_title_and_says_what_it_is() -> None:
    pages = find_pages()
    assert pages[0].name == "overview"
    assert len({page.title for page in pages}) == len(pages)
    for page in pages:
        module = sys.modules[f"dashboards.screens.{page.name}"]
        assert module.__doc__
        assert page.title == module.TITLE
        assert page.render.__doc__


@pytest.mark.parametrize("page", find_pages(), ids=lambda page: page.name)
def test_every_page_renders(published: Path, open_app: Open, page: dashboards.discovery.Page) -> None:
    write_snapshot(published, [Line()], [Requests()])

    def script(name: str) -> None:
        from dashboards.discovery import load_page as load

        load(name).render()

    app = AppTest.from_function(script, default_timeout=30, args=(page.name,)).run()
    assert not app.exception
    assert app.title[0].value


def test_one_more_file_is_one_more_page(more_pages: Path, published: Path, open_app: Open) -> None:
    write_snapshot(published, [Line()], [Requests()])
    (more_pages / "greeting.py").write_text(
        'import streamlit as st\nTITLE = "Greeting"\nORDER = -1\n\n\ndef render():\n    st.title("Hello")\n'
    )
    assert [page.title for page in find_pages()][:2] == ["Greeting", "Overview"]
    app = open_app()
    assert not app.exception
    assert app.title[0].value == "Hello"


@pytest.mark.parametrize(
    "text", ["raise RuntimeError('no')", "def broken(:", "TITLE = 'no render'", "import absent_module"]
)
def test_broken_page_says_so_and_the_others_stay(
    more_pages: Path, published: Path, open_app: Open, text: str
) -> None:
    write_snapshot(published, [Line()], [Requests()])
    (more_pages / "half_done.py").write_text(text)
    pages = find_pages()
    assert [page.name for page in pages][-1] == "half_done"
    assert pages[-1].title == "Half done"
    app = open_app()
    assert not app.exception
    assert app.title[0].value == "Overview"

    def script() -> None:
        from dashboards.discovery import load_page as load

        load("half_done").render()

    broken = AppTest.from_function(script).run()
    assert [error.value for error in broken.error] == ["This page could not be loaded."]


def test_no_folder_makes_streamlit_run_pages_by_itself() -> None:
    # Streamlit 1.67 looks for this very name beside the entry script.
    assert not (Path(dashboards.__file__).parent / "pages").exists()


def test_page_without_an_order_comes_after_those_with_one(more_pages: Path) -> None:
    (more_pages / "later.py").write_text('TITLE = "Later"\n\n\ndef render():\n    pass\n')
    assert (load_page("later").order, load_page("overview").order) == (100, 0)
