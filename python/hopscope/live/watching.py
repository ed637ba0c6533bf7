"""``--watch``: a run on real stacks in a browser while it lives, by HTTP on 127.0.0.1.

The page is that of ``hopscope watch``; in the place of its engine it asks this server for state and records, again and
again.  Who does not know the random part of the address gets nothing.
"""

from __future__ import annotations

import errno
import secrets
import socketserver
import sys
import threading
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from hopscope import _core
from hopscope.errors import InputError
from hopscope.watching import bundle

#: Only programs of this machine reach it.
_HOST = "127.0.0.1"

#: Seconds before an answer: the server sets the pace of the pages, so that they never hold up the radio.
_PERIOD_S = 0.1

#: Seconds that a connection may stay silent.
_PATIENCE_S = 2.0

#: With so many nodes a page takes in who only hears a frame, at the pace of the clock (``isAffordable`` of
#: ``web/src/view/clock.ts``).
_MOST_HEARD = 15

#: What a page may fetch besides what it carries: nothing, unless it is served with an addition.
_CLOSED, _OPENED = "default-src 'none'", "default-src 'none'; connect-src 'self'"


class Run(Protocol):
    """What is asked of a run: ``_core.Live`` has it."""

    def records(self, names: Sequence[str], after: int | None = None) -> str:
        """State and records, as JSON."""


def kept(nodes: int) -> str:
    """The records that a run of so many nodes keeps for pages, in the word of ``_core.Live``."""
    return "all" if nodes <= _MOST_HEARD else "own"


def page(title: str, config: Mapping[str, Any], preset: str) -> str:
    """The page of a run.

    Args:
        title: the run in words.
        config: the engine's configuration.
        preset: that of its radio.

    Raises:
        InputError: the pages were not built.
    """
    template = bundle.read(bundle.WATCH).decode()
    if template.count(_CLOSED) != 1:
        raise InputError(f"{bundle.folder() / bundle.WATCH}: is of another version; `make web` builds it anew")
    live = {"setup": _core.page_setup(config, preset), "hears": kept(len(config["nodes"])) == "all"}
    given = {"name": title, "text": "", "command": "", "live": live}
    return bundle.filled(template.replace(_CLOSED, _OPENED), {"hopscope-scenario": bundle.data(given)})


class Watch:
    """Shows a run as long as it is open.

    Args:
        page: the page.
        run: the run.

    Raises:
        InputError: there is no 127.0.0.1 here.

    Attributes:
        address: where a browser finds it.
    """

    def __init__(self, page: str, run: Run) -> None:
        token = secrets.token_urlsafe(16)
        try:
            self._server = _Server(page.encode(), run, f"/{token}/")
        except OSError as error:
            if error.errno != errno.EADDRNOTAVAIL:
                raise
            raise InputError(
                f"--watch: {_HOST} is not there; a network namespace of one's own (unshare -n) has none that a browser "
                "reaches: take unshare -Ur"
            ) from None
        self.address = f"http://{_HOST}:{self._server.server_address[1]}/{token}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answers what has been asked, and nothing more."""
        self._server.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    """Not that of http.server, which looks up the name of its host, with whatever resolver there is."""

    def __init__(self, page: bytes, run: Run, root: str) -> None:
        super().__init__((_HOST, 0), _Handler)
        self.page = page
        self.run = run
        self.root = root
        self.closing = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that has gone away is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _PATIENCE_S

    def do_GET(self) -> None:
        """Answers with the page, or with what is new."""
        address = urlsplit(self.path)
        root, _, what = address.path.rpartition("/")
        # In the same time for every address, and for no other host: a page of elsewhere may have pointed a name here.
        is_known = secrets.compare_digest(f"{root}/".encode(), self.server.root.encode())
        host = f"{_HOST}:{self.server.server_address[1]}"
        if not is_known or self.headers.get("Host") != host or what not in {"", "records"}:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"not here\n")
        elif not what:
            self._answer(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        else:
            self._records(parse_qs(address.query))

    def _records(self, asked: Mapping[str, list[str]]) -> None:
        names = asked.get("names", [""])[0].split(",")
        after = asked.get("after", [None])[0]
        try:
            if after is not None:
                self.server.closing.wait(_PERIOD_S)
            found = self.server.run.records(names, None if after is None else int(after))
        except (ValueError, OverflowError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, "text/plain", f"{error}\n".encode())
        else:
            self._answer(HTTPStatus.OK, "application/json", found.encode())

    def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the library)
        """Says nothing: the terminal belongs to the run."""
