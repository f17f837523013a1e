"""The sample on the Overview: the browser reads what the command line reports, to the last digit."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from tests.browser.conftest import Site, Visit
from tests.nights import FILES, night, sample_home


@pytest.mark.browser
def test_browser_and_command_line_read_the_same_total(
    site: Site, visit: Callable[..., Visit], tmp_path_factory: pytest.TempPathFactory
) -> None:
    settings = sample_home(tmp_path_factory.mktemp("home"))
    night(settings, FILES)
    program = Path(sys.executable).with_name("inferledger")
    command = [str(program), "--home", str(settings.home), "report", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    shutil.copytree(settings.published, site.published, dirs_exist_ok=True)
    page = visit("/?period=Everything")
    assert Decimal(page.exact_total()) == Decimal(told["total"]["effective_cost_usd"])
    assert told["snapshot_id"] in page.page.locator(".st-key-trust").inner_text()
