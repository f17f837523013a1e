"""What the steps of a run share: retries, the writer's pool, and errors that no retry can mend.

Lives here: those three. Does not live here: any step.
"""

from collections.abc import Generator
from contextlib import contextmanager

import dagster as dg

from models.errors import UserError as ModelUserError
from pipelines.checks import CheckError
from pipelines.errors import UserError
from pipelines.verify import PublishError
from pricing.errors import PriceBookError

# One writer of the warehouse at a time, over all runs.
POOL = "duckdb_writer"
# A range of days is one run; `dg launch` asks it of every asset, also of those without days.
ONE_RUN = dg.BackfillPolicy.single_run()
# A full disk or a busy file may be gone a little later: after 5, 10 and 20 seconds.
RETRIES = dg.RetryPolicy(max_retries=3, delay=5, backoff=dg.Backoff.EXPONENTIAL)
_NOT_MENDED_BY_WAITING = (UserError, ModelUserError, PriceBookError, CheckError, PublishError)


@contextmanager
def plain_failures() -> Generator[None]:
    """Turn an error that a person has to mend into a failure that is not tried again."""
    try:
        yield
    except _NOT_MENDED_BY_WAITING as error:
        raise dg.Failure(description=str(error), allow_retries=False) from error
