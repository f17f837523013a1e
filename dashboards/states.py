"""What a page shows when it cannot show numbers: empty, replaced, damaged, failed; never a traceback.

What lives here: the guard around every page and the words of each state. What does not: deciding that data
is old (`views.py`).
"""

import logging
from collections.abc import Callable

import streamlit as st

from dashboards.queries import FolderNotNamedError
from models.errors import UserError
from models.manifest import NoSnapshotError, SnapshotGoneError

LOG = logging.getLogger(__name__)
_RETRIED = "_retried_after_replacement"


def guarded(render: Callable[[], None]) -> Callable[[], None]:
    """Wrap a page: whatever it raises becomes a calm message with the next step, and goes to the log."""

    def run() -> None:
        slot = st.empty()
        try:
            with slot.container():
                render()
            st.session_state.pop(_RETRIED, None)
        except Exception as error:  # the last place where a failure can be caught before a person sees it
            # What was drawn before the failure would look like a whole page.
            slot.empty()
            LOG.exception("page failed")
            show_error(error)

    return run


def show_error(error: Exception) -> None:
    """Show the state that an error stands for."""
    if isinstance(error, NoSnapshotError | FolderNotNamedError):
        show_empty(error)
    elif isinstance(error, SnapshotGoneError):
        show_replaced()
    elif isinstance(error, UserError):
        show_failure("The published snapshot cannot be shown.", str(error))
    else:
        show_failure("This page could not be shown.")


def show_empty(error: UserError) -> None:
    """Nothing has been published yet: what to run."""
    st.subheader("Nothing to show yet")
    st.write("Pages read the last published snapshot, and there is none in this folder.")
    st.code("inferledger ingest <your logs>\ninferledger run", language="bash")
    st.caption("Then reload this page. Details:")
    st.text(str(error))


def show_replaced() -> None:
    """The snapshot was removed while the page was drawn: draw it again once, then say so."""
    if not st.session_state.get(_RETRIED):
        st.session_state[_RETRIED] = True
        st.rerun()
    st.warning("The snapshot was replaced while this page was drawn. Reload the page to see the new one.")


def show_failure(headline: str, detail: str = "") -> None:
    """Something is wrong that a reload does not mend: where to look. `detail` is shown as plain text."""
    st.error(headline, icon=":material/error:")
    if detail:
        st.text(detail)
    st.write(
        "The ledger itself is untouched. The log of the dashboard server has the details; "
        "`inferledger check` tests the numbers, and `inferledger publish` writes the snapshot again."
    )
