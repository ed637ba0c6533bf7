"""The sequence numbers of a flow over time as tcptrace draws them, seen from its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscope.errors import InputError
from hopscope.reporting.picture import Picture
from hopscope.scenario import Scenario
from hopscope.tracing import Wanted, pick, records
from hopscope.tracing.wanted import NS

#: More marks than these make a picture that no browser can draw.
MOST_MARKS = 60_000

_HEIGHT = 460
_LEGEND = (
    ("blue", "data sent"), ("red", "sent again"), ("green", "acknowledged"), ("amber", "end of the window"),
    ("purple", "SACK blocks"), ("orange", "duplicate ACK"),
)  # fmt: skip
_LEGEND_DATAGRAMS = (("blue", "datagram sent"), ("green", "arrived"))


def sequence(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    flow: int = 0,
    start: str | float | None = None,
    stop: str | float | None = None,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    most: int = MOST_MARKS,
) -> Picture:
    """Draws a flow: its data, what repeats, ACKs, SACK blocks and the window, by time and sequence number.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store.
        flow: number of the flow.
        start: first instant, in seconds or with a unit; default: the start of the run.
        stop: last instant; default: the end of the run.
        point: the point of the sweep, by its number from 0 or as ``key=value``.
        seed: the seed; default: the scenario's first.
        set: dotted keys to change.
        most: more marks are refused.

    Raises:
        InputError: the run cannot be done, has no such flow, or too much happens in that time to be drawn.
    """
    run = pick(what, point=point, seed=seed, set=set)
    flows = run.point.config(run.seed)["flows"]
    if not 0 <= flow < len(flows):
        raise InputError(f"flow {flow}: there is none; the flows are 0 to {len(flows) - 1}")
    span = Wanted.of(flows=[flow], kinds=["PacketMade", "PacketArrived"], start=start, stop=stop)
    found = records(run, span)
    source, target = flows[flow]["from"], flows[flow]["to"]
    return draw(found, (source, target), f"{run.title}, flow {flow}: node {source} to {target}", most)


def draw(found: Sequence[Mapping[str, Any]], ends: tuple[int, int], title: str, most: int = MOST_MARKS) -> Picture:
    """Draws records of packets that come into being and arrive.

    Args:
        found: the records of one flow, in order of time.
        ends: its source and its destination.
        title: what stands above.
        most: more packets are refused.

    Raises:
        InputError: there are too many, or none.
    """
    source, target = ends
    data = [r for r in found if r["record"] == "PacketMade" and r["src"] == source and (r["len"] or r.get("syn"))]
    if not data:
        raise InputError(f"{title}: sends nothing in that time")
    is_tcp = data[0]["kind"] == "tcp"
    acks = [r for r in found if r["record"] == "PacketArrived" and r["node"] == source and "ack" in r] if is_tcp else []
    came = [] if is_tcp else [r for r in found if r["record"] == "PacketArrived" and r["node"] == target]
    if len(data) + len(acks) + len(came) > most:
        raise InputError(f"more than {most} packets to draw; choose a shorter time")
    first, last = found[0]["time"], max(found[-1]["time"], found[0]["time"] + 1)
    low = min(r["seq"] for r in data)
    high = max(_end(r) for r in data)
    room = max((high - low) * 0.03, 1)
    picture = Picture(
        title,
        (0, -(high + room), (last - first) / 1e3, high - low + 2 * room),
        _HEIGHT,
        "seconds",
        offset=first / NS,
        scale=1e-6,
        both=True,
        legend=_LEGEND if is_tcp else _LEGEND_DATAGRAMS,
        rising="byte" if is_tcp else "number",
    )

    def x(record: Mapping[str, Any]) -> float:
        return float(record["time"] - first) / 1e3

    _staircase(picture, acks, x)
    for record in data:
        again = bool(record.get("retransmission"))
        reported = (
            f"{'sent again' if again else 'sent'}: {record['seq']} to {_end(record)}, {record['len']} bytes\n"
            + _at(record)
        )
        picture.line(
            "red" if again else "blue", [(x(record), -record["seq"]), (x(record), -_end(record))], reported, 2.5
        )
    for record in came:
        reported = f"arrived: {record['seq']}, {record['len']} bytes\n" + _at(record)
        picture.line("green", [(x(record), -record["seq"]), (x(record), -_end(record))], reported, 2.5)
    return picture


def _staircase(picture: Picture, acks: Sequence[Mapping[str, Any]], x: Any) -> None:
    """ACKs, the window that they leave open, what they repeat, and their SACK blocks."""
    ack: list[tuple[float, float]] = []
    edge: list[tuple[float, float]] = []
    for record in acks:
        at, level = x(record), -record["ack"]
        repeats = bool(ack) and ack[-1][1] == level and not record["len"]
        if ack:
            ack.append((at, ack[-1][1]))
            edge.append((at, edge[-1][1]))
        ack.append((at, level))
        edge.append((at, level - record.get("window", 0)))
        reported = (
            f"{'duplicate ACK' if repeats else 'ACK'} of {record['ack']}, window {record.get('window', 0)} bytes\n"
        )
        low, high = level, level - 0.004 * picture.box[3]
        picture.line("orange" if repeats else "green", [(at, low), (at, high)], reported + _at(record), 2.5)
        for begin, end in record.get("sack", []):
            picture.line("purple", [(at, -begin), (at, -end)], f"SACK {begin} to {end}\n{_at(record)}", 2.0)
    if ack:
        picture.line("green", ack)
        picture.line("amber", edge, "end of the receiver's window")


def _end(record: Mapping[str, Any]) -> int:
    """The number behind the last byte; one more for a SYN or FIN, and for a datagram, which is counted as a whole."""
    if record["kind"] != "tcp":
        return int(record["seq"]) + 1
    return int(record["seq"] + record["len"] + bool(record.get("syn")) + bool(record.get("fin")))


def _at(record: Mapping[str, Any]) -> str:
    return f"{record['time'] / NS:.9f} s, packet {record['packet']}"
