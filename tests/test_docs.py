"""What the documents promise: commands, sources and published tables are named, generated parts are fresh."""

import re
from pathlib import Path

from models import dictionary
from models.registry import published_tables
from pipelines.cli import app
from pipelines.sources import page as sources_page
from pipelines.sources import readers

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = "\n".join([README, *(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))])


def test_every_command_is_in_the_readme_and_has_examples() -> None:
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert {"init", "ingest", "build", "check", "publish", "run", "report", "explain", "demo"} <= set(
        commands
    )
    for name in (*commands, *(group.name for group in app.registered_groups)):
        assert re.search(rf"inferledger {name}\b|`{name}`", README), f"README does not name '{name}'"


def test_page_of_sources_is_fresh() -> None:
    assert len(readers()) >= 3
    assert sources_page.PAGE.read_text() == sources_page.page()


def test_every_published_table_is_on_a_page() -> None:
    for name in published_tables():
        assert re.search(rf"`{name}`|^#+ {name}$", PAGES, re.M), f"no page names '{name}'"


def test_data_dictionary_is_fresh() -> None:
    assert (ROOT / "docs" / "data-dictionary.md").read_text() == dictionary.page()


def test_links_and_paths_of_the_readme_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r"`((?:[a-z_]+/)+)`", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), f"README points to '{target}', which is not there"


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"make ([a-z]+)", README)):
        if target not in ("test", "demo", "sure"):
            assert re.search(rf"^{target}:", makefile, re.M), f"Makefile lacks '{target}'"
    assert re.search(r"^demo:", makefile, re.M)
    assert re.search(r"^test:", makefile, re.M)
