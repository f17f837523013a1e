"""One body, both engines: a spec test that takes `engine` runs on each of them."""

from collections.abc import Generator

import pytest

from models.engines.base import Engine
from tests.engines import BOTH, opened


@pytest.fixture(params=BOTH)
def engine(request: pytest.FixtureRequest) -> Generator[Engine]:
    """An engine without tables; the Spark one only where Java and pyspark are."""
    with opened(request.param) as fresh:
        yield fresh
