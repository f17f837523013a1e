"""The definitions that the daemon of test_daemon.py loads: those of the product with a short grace.

A test cannot wait a minute for a run to count as dead. Does not live here: anything else.
"""

import dagster as dg

from pipelines.definitions import build_definitions
from pipelines.settings import find_home, load_settings


@dg.definitions
def defs() -> dg.Definitions:
    return build_definitions(load_settings(find_home(None)), grace_seconds=2)
