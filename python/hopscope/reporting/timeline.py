"""Who was on the air, who heard it, and what each node waited for: a row for each node, from the records of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope.errors import InputError, counted
from hopscope.reporting.picture import Picture
from hopscope.scenario import Scenario
from hopscope.tracing import OneRun, Wanted, follow, pick, records
from hopscope.tracing.wanted import NS

#: Records that the picture is made of.
KINDS = ("FrameBegan", "FrameEnded", "FrameOverheard", "Busy", "AccessGranted", "Offered", "AttemptFailed",
         "ExchangeEnded", "Dropped", "Queued", "Dequeued")  # fmt: skip
#: Those among them that show what a node still waits for, however long ago they happened.
STATE = ("AccessGranted", "Offered", "AttemptFailed", "ExchangeEnded", "Dropped", "Queued", "Dequeued")

#: Shown where no end is given, in ns; a default.
USUAL_NS = 50_000_000
#: The longest frame and reservation that reach into the picture from before it, in ns; a default.
BEFORE_NS = 40_000_000
#: More marks than these make a picture that nobody can read and no browser can draw.
MOST_MARKS = 60_000

#: Heights of a row in pixels: its name, what the node sends, what it hears, NAV, back-off, queue.
_NAME, _SENT, _HEARD, _NAV, _WAIT, _QUEUE, _GAP = 16, 14, 14, 5, 8, 12, 6
_ROW = _NAME + _SENT + _HEARD + _NAV + _WAIT + _QUEUE + _GAP

_SENDS = {
    "rts": "purple", "cts": "orange", "data": "blue", "ack": "green", "block-ack": "green", "block-ack-req": "purple",
    "cf-end": "orange",
}  # fmt: skip
_LEGEND = (
    ("purple", "sends RTS, Block Ack request"), ("orange", "sends CTS, CF-End"), ("blue", "sends data"),
    ("green", "sends ACK, Block Ack"),
    ("pale", "hears (framed: for others)"), ("grey", "senses energy alone"), ("red", "loses a frame, drops"),
    ("amber", "NAV"), ("ink", "counts back-off down"), ("faint", "packets in the queue"),
)  # fmt: skip


def timeline(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    start: str | float = 0,
    stop: str | float | None = None,
    nodes: Sequence[int] | None = None,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    most: int = MOST_MARKS,
) -> Picture:
    """Draws what happens on the air in a part of a run.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store.
        start: first instant, in seconds or with a unit ("1.2s").
        stop: last instant; default: 50 ms later.
        nodes: rows for these nodes alone.
        point: the point of the sweep, by its number from 0 or as ``key=value``.
        seed: the seed; default: the scenario's first.
        set: dotted keys to change.
        most: more marks are refused.

    Raises:
        InputError: the run cannot be done, has no such nodes, or does too much in that time to be drawn.
    """
    run = pick(what, point=point, seed=seed, set=set)
    span = Wanted.of(start=start, stop=stop)
    first = span.start_ns
    last = min(first + USUAL_NS if span.stop_ns is None else span.stop_ns, int(run.point.duration_s * NS))
    if last <= first:
        raise InputError(f"to {last / NS:.9g} s: there is nothing after {first / NS:.9g} s")
    count = len(run.point.config(run.seed)["nodes"])
    rows = list(range(count)) if nodes is None else list(dict.fromkeys(nodes))
    if absent := [node for node in rows if not 0 <= node < count]:
        raise InputError(f"node {absent[0]}: there is none; the nodes are 0 to {count - 1}")
    begin = max(0, first - BEFORE_NS)
    wanted = Wanted(kinds=KINDS, start_ns=begin, stop_ns=min(last + BEFORE_NS, 2**63))
    return draw(records(run, wanted), rows, first, last, run.title, most, _before(run, begin))


@dataclass
class Waiting:
    """What nodes wait for at an instant.

    Attributes:
        since: since when a node waits for the medium, in ns.
        queued: the packets in the queue of a node, by their number; of a QoS station all that are in its MAC.
        qos: stations have QoS: they wait for the medium while a packet is in their MAC.
    """

    since: dict[int, int] = field(default_factory=dict)
    queued: dict[int, set[int]] = field(default_factory=dict)
    qos: bool = False

    def take(self, record: Mapping[str, Any]) -> None:
        """Follows a record."""
        name, node = record["record"], int(record.get("node", -1))
        if name in ("Offered", "AttemptFailed"):
            self.since[node] = record["time"]
        elif name in ("AccessGranted", "ExchangeEnded"):
            self.since.pop(node, None)
            if self.qos and name == "ExchangeEnded":
                self.queued.get(node, set()).discard(record["packet"])
                if self.queued.get(node):
                    self.since[node] = record["time"]
        elif name == "Queued" and not record.get("via"):
            self.queued.setdefault(node, set()).add(record["packet"])
            if self.qos:
                self.since.setdefault(node, record["time"])
        elif name in ("Dequeued", "Dropped"):
            self.queued.get(node, set()).discard(record["packet"])


def _before(run: OneRun, until: int) -> Waiting:
    """What nodes wait for at an instant of a run; the wait may have begun long before."""
    found = Waiting(qos=run.point.config(run.seed)["mac"]["qos"])
    if until > 0:
        follow(run, Wanted(kinds=STATE, stop_ns=until - 1), found.take)
    return found


def draw(
    found: Sequence[Mapping[str, Any]],
    nodes: Sequence[int],
    first: int,
    last: int,
    title: str,
    most: int = MOST_MARKS,
    waiting: Waiting | None = None,
) -> Picture:
    """Draws records between two instants.

    Args:
        found: records in order of time, also of what begins before and ends after.
        nodes: the rows.
        first: first instant in ns.
        last: last instant in ns.
        title: what stands above.
        most: more marks are refused.
        waiting: what nodes wait for when the records begin; default: nothing.

    Raises:
        InputError: there are too many.
    """
    picture = Picture(
        f"{title}: {first / NS:.9g} s to {last / NS:.9g} s",
        (0, 0, (last - first) / 1e3, len(nodes) * _ROW),
        len(nodes) * _ROW,
        "seconds",
        offset=first / NS,
        scale=1e-6,
        legend=_LEGEND,
    )
    tops = {node: place * _ROW for place, node in enumerate(nodes)}
    drawing = _Drawing(picture, tops, first, last, waiting or Waiting())
    for node, top in drawing.tops.items():
        picture.labels.append((top + 12, f"node {node}"))
        picture.rules.append(top)
    for record in found:
        drawing.take(record)
        if len(picture.marks) > most:
            raise InputError(f"more than {most} marks to draw; choose a shorter time or fewer nodes")
    drawing.close()
    return picture


class _Drawing:
    """Marks on a picture, record by record."""

    def __init__(self, picture: Picture, tops: Mapping[int, float], first: int, last: int, waiting: Waiting) -> None:
        self.picture = picture
        self.tops = tops
        self._first, self._last = first, last
        self._waiting = waiting
        #: Lengths of the queue of a node: instants from which they hold, and packets.
        self._lengths = {node: [(0, len(waiting.queued.get(node, ())))] for node in tops}

    def take(self, record: Mapping[str, Any]) -> None:
        """Draws what a record says."""
        name, now, node = record["record"], record["time"], int(record.get("node", -1))
        if name == "FrameBegan":
            end = now + record["airtime"]
            reported = f"node {record['src']} sends {_frame(record)}\n{_times(now, end)}"
            self._bar(record["src"], _SENDS[record["frame"]], now, end, _NAME, _SENT, reported)
        elif name in ("FrameEnded", "FrameOverheard"):
            self._heard(record)
        elif name == "AccessGranted":
            self._counted(node, record, now)
        elif name == "Busy":
            self._counted(node, record, record["from"])
        elif name == "Dropped":
            reported = f"node {node} drops packet {record['packet']} ({record['kind']}): {record['reason']}\n{_at(now)}"
            self._bar(node, "red", now, now, _NAME, _SENT + _HEARD, reported, "thin")
        self._waiting.take(record)
        length = len(self._waiting.queued.get(node, ()))
        if node in self._lengths and length != self._lengths[node][-1][1]:
            self._lengths[node].append((now, length))

    def close(self) -> None:
        """Draws the queues, each as high as its length, the longest one as high as there is room."""
        most = max((length for lengths in self._lengths.values() for _, length in lengths), default=0)
        for node, lengths in self._lengths.items():
            ends = [begin for begin, _ in lengths[1:]] + [self._last]
            for (begin, length), end in zip(lengths, ends, strict=True):
                if length and end > begin:
                    height = _QUEUE * length / most
                    reported = (
                        f"node {node}: {counted(length, 'packet')} in the queue\n{_times(max(begin, self._first), end)}"
                    )
                    self._bar(node, "faint", begin, end, _ROW - _GAP - height, height, reported)

    def _heard(self, record: Mapping[str, Any]) -> None:
        node, end, outcome = record["node"], record["time"], record["outcome"]
        begin = end - record["airtime"]
        blame = f" with node {record['by']}" if "by" in record else ""
        reported = f"node {node}: {outcome}{blame}\n{_frame(record)}\n{_times(begin, end)}"
        colour = {"received": "pale", "out-of-reach": "grey"}.get(outcome, "red")
        is_own = record["record"] == "FrameEnded"
        # What another node was to get, and this one could not read either, is no loss of its own.
        if colour == "red" and not is_own:
            colour = "grey"
        self._bar(node, colour, begin, end, _NAME + _SENT, _HEARD, reported, "" if is_own else "hollow")
        if is_own and outcome == "received":
            self._lost_mpdus(node, record, begin, end)
        if outcome == "received" and record["duration"] and record["dst"] not in (node, None):
            until = end + record["duration"]
            reported = f"node {node}: NAV, reserved by {_frame(record)}\n{_times(end, until)}"
            self._bar(node, "amber", end, until, _NAME + _SENT + _HEARD, _NAV, reported)

    def _lost_mpdus(self, node: int, record: Mapping[str, Any], begin: int, end: int) -> None:
        """Marks the MPDUs of a PPDU that did not come, each with an equal share of its time."""
        for first, behind in record.get("lost", []):
            from_, until = (begin + (end - begin) * place // record["mpdus"] for place in (first, behind))
            numbers = f"MPDU {first + 1}" if behind == first + 1 else f"MPDUs {first + 1} to {behind}"
            reported = f"node {node} loses {numbers} of {record['mpdus']}\n{_frame(record)}\n{_times(from_, until)}"
            self._bar(node, "red", from_, until, _NAME + _SENT, _HEARD, reported)

    def _counted(self, node: int, record: Mapping[str, Any], until: int) -> None:
        """A quiet time of a node that waits for the medium ends: it has counted slots since the inter-frame space."""
        if node in self._waiting.since and "ifs_until" in record:
            begin = max(record["ifs_until"], self._waiting.since[node])
            if begin < until:
                reported = f"node {node} counts its back-off down\n{_times(begin, until)}"
                self._bar(node, "ink", begin, until, _NAME + _SENT + _HEARD + _NAV, _WAIT, reported, "hollow")

    def _bar(
        self, node: int, colour: str, begin: int, end: int, below: float, height: float, reported: str, kind: str = ""
    ) -> None:
        if node not in self.tops or end < self._first or begin > self._last:
            return
        begin, end = max(begin, self._first), min(end, self._last)
        place = (begin - self._first) / 1e3
        self.picture.bar(colour, place, self.tops[node] + below, (end - begin) / 1e3, height, reported, kind)


def _frame(record: Mapping[str, Any]) -> str:
    """A frame in words."""
    to = "all" if record["dst"] is None else f"node {record['dst']}"
    words = f"{record['frame'].upper()} of node {record['src']} to {to}, {record['bytes']} bytes"
    words += f" at {record['rate'] / 1e6:g} Mbit/s"
    if "mpdus" in record:
        words += f", {record['mpdus']} MPDUs"
    if "acked" in record:
        words += f", acknowledges {counted(record['acked'], 'MPDU')} from {record['ssn']} on"
    elif "ssn" in record:
        words += f", from {record['ssn']} on"
    if record.get("retry"):
        words += ", a retry"
    if "packet" in record:
        first = "first packet" if "mpdus" in record else "packet"
        flow = f" of flow {record['flow']}" if "flow" in record else ""
        words += f"; {first} {record['packet']}{flow}, {record['kind']}"
    return words


def _at(instant: int) -> str:
    return f"{instant / NS:.9f} s"


def _times(begin: int, end: int) -> str:
    return f"{_at(begin)} to {_at(end)}, {(end - begin) / 1e3:.3f} us"
