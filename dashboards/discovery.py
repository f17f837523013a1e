"""Which pages there are: the files of `dashboards/screens/`, each with a TITLE and a `render` function.

What lives here: finding and ordering them. What does not: any list of pages; a new file is a new page.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

import dashboards.screens
from dashboards.states import show_failure

LOG = logging.getLogger(__name__)
_UNORDERED, _LAST = 100, 1000


@dataclass(frozen=True)
class Page:
    """One page: its name in the address, its title, its place in the menu, and how it is drawn."""

    name: str
    title: str
    order: int
    render: Callable[[], None]


def find_pages() -> list[Page]:
    """Every page by ORDER (100 when it states none), then by file name; a page that fails to load is kept."""
    names = [module.name for module in iter_modules(dashboards.screens.__path__) if not module.ispkg]
    return sorted(map(load_page, names), key=lambda page: (page.order, page.name))


def load_page(name: str) -> Page:
    """Import one page; when that fails, a page that says so takes its place and the others stay usable."""
    try:
        module = import_module(f"dashboards.screens.{name}")
        return Page(name, module.TITLE, getattr(module, "ORDER", _UNORDERED), module.render)
    except Exception:  # whatever a page file does wrong is its own page's failure
        LOG.exception("page %s cannot be loaded", name)
        title = name.replace("_", " ").capitalize()
        return Page(name, title, _LAST, lambda: show_failure("This page could not be loaded."))
