"""Timelines and sequence plots: what is drawn is what the records say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hopscope as hs
from hopscope.reporting.picture import Picture, round_numbers
from hopscope.reporting.timeline import Waiting, draw

SVG = "{http://www.w3.org/2000/svg}"

#: Two senders that do not hear each other, and one receiver between them.
HIDDEN = {
    "duration": "2s",
    "topology": {"kind": "positions", "positions": [[0, 0], [240, 0], [480, 0]]},
    "radio": {"cs_range": "250m"},
    "flow": [
        {"from": 0, "to": 1, "transport": "udp", "app": "cbr", "rate": "600kbps", "packet": 1000},
        {"from": 2, "to": 1, "transport": "udp", "app": "cbr", "rate": "600kbps", "packet": 1000},
    ],
}
CHAIN = {
    "duration": "8s",
    "topology": {"kind": "chain", "hops": 4},
    "radio": {"error": {"kind": "uniform", "per": 0.1, "applies_to": "data", "on_error": "flag"}},
    "mac": {"long_retry_limit": 2},
    "flow": [{"from": 0, "to": 4, "transport": "tcp-sack"}],
}


def titles(svg: str, tag: str) -> list[str]:
    """The title of each mark."""
    root = ElementTree.fromstring(svg)
    plots = [part for part in root.iter(f"{SVG}svg") if part.get("class") == "plot"]
    return [mark.findtext(f"{SVG}title") or "" for mark in plots[0].iter(f"{SVG}{tag}")]


def test_mpdus_that_a_receiver_lost_and_block_acks_are_drawn() -> None:
    flow = {"from": 0, "to": "last", "max_window": 64, "start": 0}
    chain = {"duration": "1s", "topology": {"kind": "chain", "hops": 4}, "radio": {"preset": "ht-20"}, "flow": [flow]}
    reported = titles(hs.timeline(chain, stop="1s").svg(), "rect")
    records = hs.trace(chain)
    assert isinstance(records, list)
    ended = [r for r in records if r["record"] == "FrameEnded" and r["outcome"] == "received"]
    ranges = [(r["mpdus"], first, behind) for r in ended for first, behind in r.get("lost", [])]
    assert ranges
    assert all(0 <= first < behind <= mpdus for mpdus, first, behind in ranges)
    assert sum(" loses MPDU" in text for text in reported) == len(ranges)
    answers = [r for r in records if r["record"] == "FrameBegan" and r["frame"] == "block-ack"]
    assert answers
    assert sum("acknowledges" in text and " sends " in text for text in reported) == len(answers)


def test_every_frame_of_a_span_is_drawn_once_and_collisions_name_who_is_at_fault() -> None:
    picture = hs.timeline(HIDDEN, start="0.1s", stop="0.3s")
    reported = titles(picture.svg(), "rect")
    records = hs.trace(HIDDEN, stop="0.34s")
    assert isinstance(records, list)

    def on_air(record: dict[str, Any]) -> bool:
        begins, ends = record["time"], record["time"] + record["airtime"]
        return record["record"] == "FrameBegan" and begins <= 300_000_000 and ends >= 100_000_000

    frames = [record for record in records if record["record"] == "FrameBegan" and on_air(record)]
    assert len(frames) > 50
    assert sum(" sends " in text for text in reported) == len(frames)
    collided = [r for r in records if r["record"] == "FrameEnded" and r["outcome"] == "collided"]
    inside = [r for r in collided if r["time"] >= 100_000_000 and r["time"] - r["airtime"] <= 300_000_000]
    assert inside
    assert sum("node 1: collided with node" in text for text in reported) == len(inside)
    assert any("counts its back-off down" in text for text in reported)
    assert any("NAV, reserved by" in text for text in reported)


def test_bars_stand_where_their_instants_are() -> None:
    frame = {"frame": "rts", "src": 0, "dst": 1, "bytes": 20, "rate": 1_000_000, "airtime": 352_000, "duration": 1_000}
    found = [{"record": "FrameBegan", "time": 1_000_500, **frame}]
    picture = draw(found, [0, 1], 1_000_000, 2_000_000, "a run")
    [mark] = picture.marks
    assert re.search(r'x="0\.500" y="16" width="352\.000"', mark)
    assert 'fill="var(--purple)"' in mark
    assert "RTS of node 0 to node 1, 20 bytes at 1 Mbit/s" in mark
    assert draw(found, [1], 1_000_000, 2_000_000, "a run").marks == []
    assert draw(found, [0], 2_000_000, 3_000_000, "a run").marks == []


def test_waits_and_queues_from_before_the_left_edge_are_drawn() -> None:
    busy = {
        "record": "Busy",
        "time": 1_500_000,
        "node": 0,
        "from": 1_500_000,
        "until": 1_600_000,
        "ifs_until": 1_100_000,
    }
    gone = {"record": "Dequeued", "time": 1_750_000, "node": 0, "packet": 7, "via": 0}
    waiting = Waiting(since={0: 10}, queued={0: {7, 8}})
    marks = draw([busy, gone], [0], 1_000_000, 2_000_000, "a run", waiting=waiting).marks
    [count] = [mark for mark in marks if "counts its back-off down" in mark]
    assert 'x="100.000"' in count
    assert 'width="400.000"' in count
    two, one = (mark for mark in marks if "in the queue" in mark)
    assert "2 packets" in two
    assert 'x="0.000" y="57" width="750.000" height="12"' in two
    assert "1 packet in" in one
    assert 'x="750.000" y="63" width="250.000" height="6"' in one
    assert not draw([busy], [0], 1_000_000, 2_000_000, "a run").marks


def test_a_picture_of_a_part_shows_what_the_whole_picture_shows_there() -> None:
    # Twelve saturated stations in one cell: a wait for the medium takes ten exchanges of 14 ms and more.
    stations = {
        "duration": "1s",
        "topology": {"kind": "positions", "positions": [[0, 0], *([10 * n, 10] for n in range(12))]},
        "radio": {"data_rate": "1Mbps"},
        "flow": [
            {"from": n + 1, "to": 0, "transport": "udp", "app": "cbr", "rate": "1Mbps", "packet": 1472}
            for n in range(12)
        ],
    }

    def inside(picture: Picture) -> set[str]:
        reported = [text for text in titles(picture.svg(), "rect") if "counts its back-off" in text]
        spans = {text: [float(word) for word in re.findall(r"(\d+\.\d+) s", text)] for text in reported}
        return {text for text, (begin, end) in spans.items() if begin >= 0.6 and end <= 0.8}

    part = inside(hs.timeline(stations, start="0.6s", stop="0.8s"))
    assert len(part) > 50
    assert part == inside(hs.timeline(stations, start=0, stop="0.8s"))


def test_a_sequence_plot_has_every_segment_sent_and_what_was_sent_again() -> None:
    picture = hs.sequence(CHAIN, flow=0)
    reported = titles(picture.svg(), "path")
    [run] = hs.run(CHAIN, seeds=1).points[0].runs
    made = hs.trace(CHAIN, kinds=["PacketMade"], flows=[0])
    assert isinstance(made, list)
    data = [record for record in made if record["src"] == 0 and record["len"]]
    again = [record for record in data if record.get("retransmission")]
    assert len(data) > 100
    assert run["flows"][0]["retransmitted_packets"] == len(again) > 0
    assert sum(text.startswith("sent again: ") for text in reported) == len(again)
    assert sum(text.startswith("sent: ") for text in reported) == len(data) - len(again) + 1  # and the SYN
    acks = [r for r in hs.trace(CHAIN, kinds=["PacketArrived"], flows=[0]) if r["node"] == 0]  # type: ignore[union-attr]
    assert sum(text.startswith(("ACK of ", "duplicate ACK of ")) for text in reported) == len(acks)
    blocks = sum(len(record.get("sack", [])) for record in acks)
    assert sum(text.startswith("SACK ") for text in reported) == blocks > 0


def test_datagrams_are_drawn_as_they_are_sent_and_as_they_arrive() -> None:
    reported = titles(hs.sequence(HIDDEN, flow=1, stop="1s").svg(), "path")
    sent = sum(text.startswith("sent: ") for text in reported)
    came = sum(text.startswith("arrived: ") for text in reported)
    assert 50 < came <= sent


def test_a_page_can_be_zoomed_and_stands_alone() -> None:
    page = hs.timeline(HIDDEN, stop="10ms").html()
    assert "wheel" in page
    assert "viewBox" in page
    assert not re.search(r'(?:src|href)="', page)
    fragment = hs.timeline(HIDDEN, stop="10ms")._repr_html_()
    assert fragment.startswith("<div")
    assert len(set(re.findall(r"hopscope-[0-9a-f]{8}", fragment))) == 1


@pytest.mark.parametrize(
    ("draw_it", "message"),
    [
        (lambda: hs.timeline(HIDDEN, nodes=[7]), "node 7: there is none; the nodes are 0 to 2"),
        (lambda: hs.timeline(HIDDEN, start="5s"), "there is nothing after 5 s"),
        (lambda: hs.sequence(HIDDEN, flow=2), "flow 2: there is none; the flows are 0 to 1"),
        (lambda: hs.sequence(HIDDEN, start="1.995s", stop="1.996s"), "sends nothing in that time"),
        (lambda: hs.timeline(HIDDEN).write("picture.png"), "picture.png: the ending names the format; allowed: .html"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw_it: Any, message: str) -> None:
    with pytest.raises(hs.InputError, match=re.escape(message)):
        draw_it()


def test_too_much_for_a_picture_is_refused() -> None:
    with pytest.raises(hs.InputError, match="more than 10 packets to draw"):
        hs.sequence(HIDDEN, flow=0, most=10)


@pytest.mark.parametrize("verb", ["timeline", "sequence"])
def test_the_verbs_write_a_file_and_leave_an_old_one_alone(verb: str, tmp_path: Path, chain: Path) -> None:
    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hopscope", verb, str(chain), *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)

    done = start("--to", "0.02s", "--out", "p.svg")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "picture: p.svg\n")
    ElementTree.fromstring((tmp_path / "p.svg").read_text())
    refused = start("--to", "0.02s", "--out", "p.svg")
    assert (refused.returncode, refused.stderr) == (2, "hopscope: p.svg: is there already; --force replaces it\n")
    assert start("--to", "0.02s", "--out", "p.svg", "--force").returncode == 0


@pytest.mark.parametrize(
    ("low", "high", "about", "numbers", "digits"),
    [
        (1.2341, 1.2613, 8, [1.235, 1.24, 1.245, 1.25, 1.255, 1.26], 3),
        (3.17, 5.93, 8, [3.5, 4.0, 4.5, 5.0, 5.5], 1),
        (0, 100, 5, [0, 20, 40, 60, 80, 100], 0),
        (68_285, 131_737, 5, [80_000, 100_000, 120_000], 0),
    ],
)
def test_axes_have_round_numbers(low: float, high: float, about: int, numbers: list[float], digits: int) -> None:
    found, places = round_numbers(low, high, about)
    assert found == pytest.approx(numbers)
    assert places == digits
