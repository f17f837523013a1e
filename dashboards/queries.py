"""What the pages ask a snapshot, remembered per snapshot id and filter values.

What lives here: finding the published folder, one reader per version, and caching of the reports. What does
not: any sum (`models/reports.py`). A frame is never a cache argument: Streamlit hashes a sample of it.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import streamlit as st

from models import reports
from models import trust as trust_reports
from models.errors import UserError
from models.report_scope import Scope
from models.snapshot import SnapshotReader, open_snapshot, open_version

FOLDER_VARIABLE = "INFERLEDGER_PUBLISHED"
# A rolling deployment shows the last version and the one before; more would only hold memory.
_READERS = 3
_ANSWERS = 512


@dataclass(frozen=True)
class Ledger:
    """The version that one run of a page reads from beginning to end; also the key of every cache.

    Args:
        published: Folder of the published versions.
        snapshot_id: The version.
    """

    published: str
    snapshot_id: str


class FolderNotNamedError(UserError):
    """Nobody has said where the published snapshots are."""


def current_ledger() -> Ledger:
    """Resolve the current version once; a page passes it on, so that it sees one snapshot only."""
    folder = os.environ.get(FOLDER_VARIABLE, "")
    if not folder:
        raise FolderNotNamedError(
            f"'{FOLDER_VARIABLE}' names no folder · environment · the folder `published` of your home · "
            "set it and start the pages again"
        )
    return Ledger(folder, open_snapshot(Path(folder)).id)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def covered_days(ledger: Ledger) -> pa.Table:
    """First and last usage day of the ledger."""
    return reports.covered_days(_reader(ledger))


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def dimension_values(ledger: Ledger, dimension: str) -> list[str]:
    """Every value of a dimension, in alphabetical order."""
    return reports.dimension_values(_reader(ledger), dimension)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def spend_totals(ledger: Ledger, scope: Scope) -> pa.Table:
    """One row: spend in USD of the period and the one before."""
    return reports.spend_totals(_reader(ledger), scope)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def spend_by(ledger: Ledger, dimension: str, scope: Scope) -> pa.Table:
    """Spend in USD per value of a dimension."""
    return reports.spend_by(_reader(ledger), dimension, scope)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def daily_spend(ledger: Ledger, scope: Scope, dimension: str | None = None) -> pa.Table:
    """Spend in USD per usage day and value of a dimension."""
    return reports.daily_spend(_reader(ledger), scope, dimension)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def unit_costs(ledger: Ledger, scope: Scope) -> pa.Table:
    """Cost in USD per million tokens by model."""
    return reports.unit_costs(_reader(ledger), scope)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def request_totals(ledger: Ledger, scope: Scope) -> pa.Table:
    """One row: requests of the period and the one before."""
    return reports.request_totals(_reader(ledger), scope)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def trust(ledger: Ledger, scope: Scope) -> pa.Table:
    """One row: versions, freshness, priced and assumed shares, rejects."""
    return trust_reports.trust(_reader(ledger), scope)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def unpriced_by_reason(ledger: Ledger, scope: Scope) -> pa.Table:
    """Lines of unknown cost by reason and model."""
    return trust_reports.unpriced_by_reason(_reader(ledger), scope)


@st.cache_data(max_entries=_ANSWERS, show_spinner=False)
def rejects_by_reason(ledger: Ledger) -> pa.Table:
    """Records that could not be read, by source and reason."""
    return trust_reports.rejects_by_reason(_reader(ledger))


@st.cache_resource(max_entries=_READERS, show_spinner=False)
def _reader(ledger: Ledger) -> SnapshotReader:
    return open_version(Path(ledger.published), ledger.snapshot_id).connect()
