"""A receiver of webhooks on loopback.

Lives here: one server that keeps what is posted to it and answers as it is told. Does not live here: any
expectation.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Receiver(ThreadingHTTPServer):
    """Keeps the JSON objects posted to it; answers with `statuses` in turn, the last one for ever."""

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.posts: list[dict[str, Any]] = []
        self.statuses = list(statuses or (200,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hooks/secret-part"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append(json.loads(body))
        statuses = self.server.statuses
        self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@contextmanager
def receiving(*statuses: int) -> Generator[Receiver]:
    """A receiver for the length of the block."""
    with Receiver(*statuses) as receiver:
        thread = Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()
