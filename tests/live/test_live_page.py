"""A run on real namespaces, watched while it lives: the engine itself is the radio, and a test stands for the page."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from leftovers import CHAIN

from hopscope.live import LiveOptions, Session, watching
from hopscope.tracing import pick

pytestmark = pytest.mark.usefixtures("nothing_left")

PAGE = b'<meta content="default-src \'none\'"><script id="hopscope-scenario"></script>'


def get(address: str, query: str = "") -> str:
    """What lies at an address."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request("GET", parts.path + query)
    body = connection.getresponse().read().decode()
    connection.close()
    return body


def records(address: str, after: int | None = None) -> dict[str, Any]:
    """What the run says of itself."""
    since = "" if after is None else f"&after={after}"
    found = json.loads(get(address, f"records?names=FrameBegan,LinkChanged{since}"))
    assert isinstance(found, dict)
    return found


def test_a_run_is_watched_while_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching.bundle, "read", lambda name: PAGE)
    run = pick(CHAIN, needs_flows=False)
    with Session(run, LiveOptions(duration_s=20, watch=True)) as held:
        assert held.watch is not None
        address = held.watch.address
        assert '"preset":"' in get(address)
        first = records(address)
        held.start()
        held.change("link-cut", **{"from": 2, "to": 3})
        kinds: set[str] = set()
        frames, last = 0, first
        until = time.monotonic() + 15
        while (frames < 20 or "LinkChanged" not in kinds) and time.monotonic() < until:
            last = records(address, last["next"])
            kinds.update(record["record"] for record in last["records"])
            frames += sum(record["record"] == "FrameBegan" for record in last["records"])
            assert not last["lost"]
        assert frames >= 20, "frames of the kernels"
        assert records(address)["links"] == [[2, 3, 0.0]]
        assert last["now_s"] > first["now_s"]
        assert held.finish()["radio"]["verdict"] in ("ok", "degraded", "missed")
    with pytest.raises(ConnectionRefusedError):
        get(address)


def test_a_run_that_nobody_asked_to_watch_has_no_server() -> None:
    with Session(pick(CHAIN, needs_flows=False), LiveOptions(duration_s=1)) as held:
        held.start()
        assert held.watch is None
