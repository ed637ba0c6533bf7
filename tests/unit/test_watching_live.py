"""A run that goes at the pace of the clock, watched: its records for pages, and the server that hands them over."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hopscope import _core
from hopscope.errors import InputError
from hopscope.live import watching
from hopscope.live.watching import Watch

MS = 1_000_000
NAMES = ["FrameBegan", "LinkChanged", "Moved", "Power"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="live runs need Linux")


def config() -> dict[str, Any]:
    """Three nodes in a row, 200 m apart, with a datagram each 20 ms."""
    base = _core.base_config("standard", "wavelan-2M")
    flow = {
        "from": 0, "to": 2, "transport": "udp", "app": {"kind": "cbr", "rate": 200_000.0}, "packet": 500,
        "max_window": 4, "start": 0, "ack": "every", "ack_delay": 1, "tcp": base.pop("tcp"),
    }  # fmt: skip
    nodes = [[200.0 * node, 0.0] for node in range(3)]
    return {**base, "nodes": nodes, "duration": 60_000 * MS, "seed": 1, "flows": [flow]}


def live(**options: Any) -> _core.Live:
    return _core.Live(config(), [], fifo=False, **options)


def asked(run: Any, after: int | None = None, names: Sequence[str] = NAMES) -> dict[str, Any]:
    found = json.loads(run.records(names, after))
    assert isinstance(found, dict)
    return found


@linux
def test_a_page_gets_each_record_once_and_the_state() -> None:
    run = live(records="own")
    first = asked(run)
    assert (first["now_s"], first["over"], first["lost"], first["records"]) == (0, False, False, [])
    run.run(100 * MS)
    found = asked(run, first["next"])
    assert found["now_s"] == 0.1
    # 500 bytes at 200 kbit/s: the first at once, and one each 20 ms; each goes over two hops.
    began = [record for record in found["records"] if record["record"] == "FrameBegan" and record["frame"] == "data"]
    assert [record["src"] for record in began] == [0, 1] * 5
    assert began[0]["time"] < 1 * MS
    assert found["state"]["flows"][0]["received_packets"] == 5
    assert [node["x"] for node in found["state"]["nodes"]] == [0, 200, 400]
    run.run(140 * MS)
    later = asked(run, found["next"])
    assert later["records"][0]["time"] > found["records"][-1]["time"]
    assert asked(run, first["next"])["records"] == found["records"] + later["records"]


@linux
def test_changes_are_seen_also_by_who_comes_later() -> None:
    run = live(records="own")
    first = asked(run)
    run.change({"kind": "link-cut", "from": 2, "to": 1})
    run.change({"kind": "move", "node": 0, "position": [0.0, 90.0]})
    run.change({"kind": "node-down", "node": 2})
    found = asked(run, first["next"])
    assert [record["record"] for record in found["records"]] == ["LinkChanged", "Moved", "Power"]
    joined = asked(run)
    assert joined["links"] == [[1, 2, 0.0]]
    assert (joined["state"]["nodes"][0]["y"], joined["state"]["nodes"][2]["up"]) == (90, False)
    run.change({"kind": "link-restore", "from": 1, "to": 2})
    assert asked(run)["links"] == []


@linux
@pytest.mark.parametrize(("word", "hears"), [("own", False), ("all", True)])
def test_who_only_hears_is_reported_where_it_was_asked_for(word: str, hears: bool) -> None:
    run = live(records=word)
    first = asked(run, names=["FrameOverheard"])
    run.run(60 * MS)
    assert bool(asked(run, first["next"], ["FrameOverheard"])["records"]) == hears


@linux
def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ValueError, match='records: found "some"; allowed are own and all'):
        live(records="some")
    with pytest.raises(ValueError, match="records: this run was made without"):
        live().records(NAMES)
    with pytest.raises(ValueError, match='records: there is no record "Frame"'):
        live(records="all").records(["Frame"])


class Played:
    """A run that says what it was asked."""

    def records(self, names: Sequence[str], after: int | None = None) -> str:
        if "Nothing" in names:
            raise ValueError("records: there is no record")
        return json.dumps({"names": names, "after": after})


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch("<title>a run</title>", Played())
    yield watch
    watch.close()


def get(address: str, path: str = "", **headers: str) -> tuple[int, str]:
    """Status and body of what lies at an address."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request("GET", parts.path + path, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


def test_the_page_and_the_records_lie_behind_the_address(watch: Watch) -> None:
    assert watch.address.startswith("http://127.0.0.1:")
    assert get(watch.address) == (200, "<title>a run</title>")
    assert json.loads(get(watch.address, "records?names=A,B")[1]) == {"names": ["A", "B"], "after": None}
    begun = time.monotonic()
    assert json.loads(get(watch.address, "records?names=A&after=7")[1]) == {"names": ["A"], "after": 7}
    assert time.monotonic() - begun >= 0.1, "the server sets the pace"


def test_nothing_lies_anywhere_else(watch: Watch) -> None:
    root = watch.address.rpartition("/")[0].rpartition("/")[0]
    for address in (f"{root}/", f"{root}/records?names=A", f"{root}/guessed/", f"{watch.address}etc", f"{root}/%FF/"):
        assert get(address)[0] == 404, address
    assert get(watch.address, Host="evil.example")[0] == 404, "a name of elsewhere that was pointed here"
    for wrong in ("records?names=A&after=x", "records?names=A&after=1_0_", "records?names=Nothing"):
        assert get(watch.address, wrong)[0] == 400, wrong


def test_other_machines_do_not_reach_it(watch: Watch) -> None:
    assert watch._server.server_address[0] == "127.0.0.1"


def test_a_page_that_goes_away_leaves_no_words(watch: Watch, capfd: pytest.CaptureFixture[str]) -> None:
    parts = urlsplit(watch.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as page:
        page.sendall(f"GET {parts.path}records?names=A&after=1 HTTP/1.0\r\nHost: {parts.netloc}\r\n\r\n".encode())
        # Sent away at once, and not at the end of what it has asked for.
        page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    time.sleep(0.3)
    assert get(watch.address)[0] == 200
    assert capfd.readouterr() == ("", "")


def test_a_server_that_is_closed_answers_what_was_asked_and_nothing_more() -> None:
    watch = Watch("a page", Played())
    found: list[tuple[int, str]] = []
    asking = threading.Thread(target=lambda: found.append(get(watch.address, "records?names=A&after=1")))
    asking.start()
    time.sleep(0.05)
    watch.close()
    asking.join(5)
    assert found[0][0] == 200
    with pytest.raises(ConnectionRefusedError):
        get(watch.address)


def test_a_page_holds_the_setup_and_may_ask_its_own_server_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching.bundle, "folder", lambda: tmp_path)
    with pytest.raises(InputError, match="make web"):
        watching.page("a run", config(), "wavelan-2M")
    place = '<script type="application/json" id="hopscope-scenario"></script>'
    (tmp_path / "watch.html").write_text(f"<meta content=\"default-src 'none'; img-src data:\">{place}")
    page = watching.page("</script>", config(), "wavelan-2M")
    assert "default-src 'none'; connect-src 'self'; img-src data:" in page
    given = json.loads(page.partition('id="hopscope-scenario">')[2].partition("</script>")[0])
    assert given["name"] == "</script>"
    assert given["live"]["hears"] is True
    setup = given["live"]["setup"]
    assert (setup["nodes"], setup["radio"]["preset"]) == ([[0, 0], [200, 0], [400, 0]], "wavelan-2M")
    many = {**config(), "nodes": [[0.0, 100.0 * node] for node in range(16)]}
    assert '"hears":false' in watching.page("a run", many, "wavelan-2M")
    (tmp_path / "watch.html").write_text(place)
    with pytest.raises(InputError, match="another version"):
        watching.page("a run", config(), "wavelan-2M")
