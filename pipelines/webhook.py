"""Telling somebody that a load failed or is late: one JSON object, posted to the address in the settings.

Lives here: its shape, the posting and its few tries. Does not live here: when a load counts as failed or
late (alarms.py and the command line). The address may carry a secret, so no message names more than its host.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pipelines.errors import UserError
from pipelines.settings import Settings

TRIES = 4
_ANSWER_SECONDS = 10
_MOST_TEXT = 4000


@dataclass(frozen=True)
class Alarm:
    """What is told.

    Args:
        event: load_failed or load_late.
        text: For people: what went wrong, with the rows that offend. Chat systems show this field.
        home: The ledger's folder.
        load: Id of the run, or the process that ran it.
        snapshot_id: The snapshot that stays published; null when there is none.
        at: When, ISO 8601 in UTC.
    """

    event: str
    text: str
    home: str
    load: str
    snapshot_id: str | None
    at: str


def make_alarm(settings: Settings, event: str, text: str, load: str) -> Alarm:
    """The alarm about a load of this home, now."""
    pointer = settings.published / "CURRENT"
    snapshot_id = pointer.read_text(encoding="ascii").strip() if pointer.is_file() else None
    told = text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + " …"
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    return Alarm(event, told, str(settings.home), load, snapshot_id, moment)


def post(
    settings: Settings,
    alarm: Alarm,
    *,
    tries: int = TRIES,
    sleep: Callable[[float], object] = time.sleep,
) -> bool:
    """Post the alarm once; False when no address is set. Busy receivers are tried again after 1, 2, 4 s."""
    url = settings.nightly.webhook
    if url is None:
        return False
    problem = _problem_of(url, alarm)
    for number in range(tries - 1):
        if problem is None:
            break
        sleep(2.0**number)
        problem = _problem_of(url, alarm)
    if problem is None:
        return True
    raise UserError(
        f"the webhook at '{urlsplit(url).hostname}' did not take the alarm · {settings.settings_file}, key "
        f"nightly.webhook · {problem} · next: correct the address or mend the receiver"
    )


def _problem_of(url: str, alarm: Alarm) -> str | None:
    body = json.dumps(asdict(alarm), ensure_ascii=False).encode()
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:
            answer.read(1)
    except urllib.error.HTTPError as error:
        return f"it answered {error.code}"
    except (urllib.error.URLError, OSError) as error:
        return f"it was not reached: {error}"
    return None


@contextmanager
def told_of_failure(settings: Settings, load: str) -> Generator[None]:
    """Post an alarm when the block raises, and let the error go on; for loads that no scheduler watches."""
    try:
        yield
    except Exception as error:
        try:
            post(settings, make_alarm(settings, "load_failed", str(error), load))
        except UserError as silent:
            error.add_note(str(silent))
        raise
