"""A published folder for the pages, and the app run without a browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dashboards

APP = Path(dashboards.__file__).parent / "app.py"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the pages are told to read."""
    folder = tmp_path / "published"
    monkeypatch.setenv("INFERLEDGER_PUBLISHED", str(folder))
    return folder


@pytest.fixture
def open_app() -> Callable[..., AppTest]:
    """Run the app once with values in its address."""

    def run(**address: Any) -> AppTest:
        app = AppTest.from_file(APP, default_timeout=30)
        for key, value in address.items():
            app.query_params[key] = value
        return app.run()

    return run
