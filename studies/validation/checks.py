"""validation: places of stations, moving nodes, metrics over all flows or nodes, wires.

What no verb can say: the last look into samples of a window, not into results of scenarios.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.models.response import westwood_plus
from hopscope.reporting.chart import Chart, Line, Panel
from hopscope.results.samples import Data, Table
from hopscope.studies.verbs import Check, Evaluation

if TYPE_CHECKING:
    import pandas as pd

    from hopscope.running.wired import Bottleneck

Run = Mapping[str, Any]
Names = Mapping[str, str]


def mean_delay(run: Run) -> float | None:
    """Mean delay over the packets of all flows, milliseconds."""
    flows = [flow for flow in run["flows"] if flow["delay_ms"] is not None]
    packets = sum(flow["received_packets"] for flow in flows)
    return sum(flow["delay_ms"] * flow["received_packets"] for flow in flows) / packets if packets else None


def mean_delay_s(run: Run) -> float | None:
    """The same in seconds."""
    delay = mean_delay(run)
    return None if delay is None else delay / 1000


def delivered(run: Run) -> float | None:
    """Part of the packets of all flows that arrived."""
    sent = sum(flow["sent_packets"] for flow in run["flows"])
    return _arrived(run) / sent if sent else None


def routing_load(run: Run) -> float | None:
    """Routing messages sent, at every hop, for each packet that arrived."""
    arrived = _arrived(run)
    return run["network"].get("routing_packets", 0) / arrived if arrived else None


def over_westwood(run: Run) -> float | None:
    """Throughput of all flows over what Westwood+'s formula gives for their round trips and losses; formulas.

    Without a queue the round trip is two delays of 50 ms, and 1040 bytes there and 40 back at 12 Mbit/s. The flows
    share the queue and the wire that loses their packets, so round trips and losses are those of all: those of one flow
    are too few.
    """
    empty = 0.1 + 8 * (1040 + 40) / 12e6
    flows = run["flows"]
    if any(flow["mean_rtt_ms"] is None or flow["loss_pct"] is None for flow in flows):
        return None
    rtt = sum(flow["mean_rtt_ms"] for flow in flows) / len(flows) / 1000
    loss = sum(flow["loss_pct"] for flow in flows) / len(flows) / 100
    if rtt <= empty or loss <= 0:
        return None
    measured: float = sum(flow["throughput_kbps"] for flow in flows)
    return measured / (len(flows) * westwood_plus(1000, rtt, rtt - empty, loss) / 1000)


def mpdus_per_ppdu(run: Run) -> float | None:
    """Mean number of MPDUs in a data PPDU of all nodes."""
    return _of_network(run, "mpdus_per_ppdu")


def retried_mpdus(run: Run) -> float | None:
    """Share of the MPDUs of all nodes that have the retry bit."""
    return _of_network(run, "mpdu_repeat_ratio")


def ppdu_duration(run: Run) -> float | None:
    """Mean duration of the data PPDUs of all nodes, microseconds."""
    ppdus = sum(node.get("data_ppdus") or 0 for node in run["nodes"])
    return 1e6 * sum(node["data_airtime_s"] for node in run["nodes"]) / ppdus if ppdus else None


def _of_network(run: Run, name: str) -> float | None:
    """A metric of the network; none where no station has QoS."""
    found: float | None = run["network"].get(name)
    return found


def _arrived(run: Run) -> int:
    return sum(flow["received_packets"] - flow["duplicate_packets"] for flow in run["flows"])


def mobile(names: Names) -> dict[str, Any]:
    """Movement, routing and traffic of a cell among moving nodes."""
    files = Path(__file__).parent / "mobility"
    if names["transport"] == "CBR":
        with (files / "cbr.csv").open(encoding="utf-8") as table:
            rows = [row for row in csv.DictReader(table) if row["sources"] == names["sources"]]
        stream = {"transport": "udp", "app": "cbr", "rate": 512 * 8 * 4, "packet": 512}
        flows = [
            {"from": int(row["from"]), "to": int(row["to"]), "start": float(row["start_s"]), **stream} for row in rows
        ]
    else:
        start, end = names["transport"].removeprefix("NewReno-").split(">")
        flows = [{"from": int(start), "to": int(end), "start": "10s", "packet": 1460, "max_window": 32}]
    return {
        "topology": {"kind": "file", "path": str(files / f"rwp-{names['pattern']}.tcl")},
        "mobility": {"model": "file", "area": [1500, 300]},
        "routing": {"protocol": names["routing"].lower()},
        "flow": flows,
    }


def layout(names: Names) -> dict[str, Any]:
    """Positions and flows of a cell."""
    positions, ends = _layout(names["topology"])
    flows = [_flow(names, place, *pair) for place, pair in enumerate(ends)]
    return {"topology": {"kind": "positions", "positions": positions}, "flow": flows}


def _flow(names: Names, place: int, start: int, end: int) -> dict[str, Any]:
    packet = int(names["payload_bytes"])
    flow: dict[str, Any] = {"from": start, "to": end, "packet": packet}
    if names["transport"] != "udp":
        return flow
    # ns-3's flows begin at 0.1 s and a uniform fraction of an interval.
    rate = float(names["offered_kbps_per_flow"])
    phase = (0.5 + place * 0.618) % 1
    begin = 0.1 + phase * packet * 8 / (rate * 1e3)
    return flow | {"transport": "udp", "app": "cbr", "rate": f"{rate:g}kbps", "start": f"{begin:.9f}s"}


def ht_layout(names: Names) -> dict[str, Any]:
    """Positions and flows of a cell of 802.11n, ac or ax, and its MCS of one stream unless a rate control chooses it.

    HT's own index counts the streams in.
    """
    if match := re.match(r"chain (\d+) hops of 15 m", names["topology"]):
        made = _close_chain(names, int(match[1]))
    elif match := re.match(r"chain (\d+) hops of (25|35) m", names["topology"]):
        made = _late_chain(names, int(match[1]), float(match[2]))
    elif names["case"] == "d-edca":
        made = _categories(names, int(names["stations"]))
    else:
        made = layout(names)
    if names["mcs"].startswith("by ") or names["standard"] == "11a":
        return made
    mcs = int(names["mcs"])
    return made | {"radio": {"mcs": mcs % 8 if names["standard"] == "11n" else mcs}}


def _close_chain(names: Names, hops: int) -> dict[str, Any]:
    """Nodes that begin 45 m apart, where static routes are found, and move to 15 m at once."""
    positions = [[45.0 * i, 0.0] for i in range(hops + 1)]
    moves = [{"at": 0, "kind": "move", "node": i, "position": [15.0 * i, 0.0]} for i in range(1, hops + 1)]
    topology = {"kind": "positions", "positions": positions}
    return {"topology": topology, "event": moves, "flow": [_flow(names, 0, 0, hops)]}


def _late_chain(names: Names, hops: int, spacing: float) -> dict[str, Any]:
    """A chain whose traffic begins at 3 s, when a mesh has formed."""
    positions = [[spacing * i, 0.0] for i in range(hops + 1)]
    flow = _flow(names, 0, 0, hops)
    begin = float(flow.get("start", "0s").removesuffix("s")) + 3 - (0.1 if "start" in flow else 0)
    return {"topology": {"kind": "positions", "positions": positions}, "flow": [flow | {"start": f"{begin:.9f}s"}]}


DSCP: Mapping[str, int] = {"BK": 8, "BE": 0, "VI": 40, "VO": 48}
"""Class selectors whose three top bits are the priorities 1, 0, 5 and 6 (RFC 2474 4.2.2, IEEE 802.11-2020 10.2.4.2)."""


def _categories(names: Names, stations: int) -> dict[str, Any]:
    """Flows of one or several stations on a circle of 2 m to its centre, each with the access category of its name.

    Where stations are saturated, the last one has a small flow of 200 B packets.
    """
    found = re.findall(r"AC_(\w\w)", names["topology"])
    saturated = "saturated" in names["topology"]
    if saturated:
        found = [found[0]] * (stations - 1) + found[1:]
    flows = []
    for place, category in enumerate(found):
        small = saturated and place == stations - 1
        own = {**names, "payload_bytes": "200", "offered_kbps_per_flow": "80"} if small else names
        flows.append(_flow(own, place, min(place + 1, stations), 0) | {"dscp": DSCP[category]})
    positions = [[0.0, 0.0], *_circle(stations, 2.0)]
    return {"topology": {"kind": "positions", "positions": positions}, "flow": flows}


def _circle(stations: int, radius: float) -> list[list[float]]:
    """Positions around the origin, in metres."""
    angles = [2 * math.pi * i / stations for i in range(stations)]
    return [[round(radius * math.cos(angle), 6), round(radius * math.sin(angle), 6)] for angle in angles]


def _named(topology: str) -> list[tuple[int, int]]:
    """The flows that a topology names by their ends: `flows 1-0, 2-0`."""
    _, _, flows = topology.partition(", flows ")
    return [(int(start), int(end)) for start, end in re.findall(r"(\d+)-(\d+)", flows)]


def _layout(topology: str) -> tuple[list[list[float]], list[tuple[int, int]]]:
    """Positions of the nodes in metres and the ends of the flows, of a topology as the reference file calls it."""
    if match := re.match(r"pair ([\d.]+) m", topology):
        return [[0.0, 0.0], [float(match[1]), 0.0]], [(0, 1)]
    if match := re.match(r"circle (\d+) m, (\d+) stations to centre", topology):
        stations = int(match[2])
        return [[0.0, 0.0], *_circle(stations, float(match[1]))], [(i, 0) for i in range(1, stations + 1)]
    if topology.startswith("5 stations at 60 m and 5 at 195 m"):
        return [[0.0, 0.0], *_circle(5, 60.0), *_circle(5, 195.0)], [(i, 0) for i in range(1, 11)]
    if topology.startswith("three parallel pairs 400 m apart"):
        return [[x, 400.0 * i] for i in range(3) for x in (0.0, 200.0)], [(0, 1), (2, 3), (4, 5)]
    if topology.startswith("receiver out of reach"):
        return [[0.0, 0.0], [200.0, 0.0]], [(0, 1)]
    if match := re.match(r"cross of two (\d)-hop chains", topology):
        middle = int(match[1]) // 2
        across = [[200.0 * i, 0.0] for i in range(-middle, middle + 1)]
        down = [[0.0, 200.0 * i] for i in range(-middle, middle + 1) if i]
        return across + down, [(0, 2 * middle), (2 * middle + 1, 4 * middle)]
    if topology.startswith("two flows through a middle of 2 hops"):
        ends = [[x, y] for x in (-141.0, 541.0) for y in (141.0, -141.0)]
        return [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0], *ends], _named(topology)
    if match := re.match(r"gateway with (\d) arms of 2 hops", topology):
        near, far = (_circle(int(match[1]), radius) for radius in (200.0, 400.0))
        return [[0.0, 0.0], *(node for arm in zip(near, far, strict=True) for node in arm)], _named(topology)
    if topology.startswith("grid 5x5"):
        grid = [[200.0 * column, 200.0 * row] for row in range(5) for column in range(5)]
        lines = [2] if "row 2 and column 2" in topology else [1, 3]
        return grid, [(5 * i, 5 * i + 4) for i in lines] + [(i, 20 + i) for i in lines]
    if match := re.match(r"chain (\d+) hops", topology):
        hops = int(match[1])
        chain = [[200.0 * i, 0.0] for i in range(hops + 1)]
        all_to_0 = [(i, 0) for i in range(1, hops + 1)] if "to node 0" in topology else []
        return chain, all_to_0 or _named(topology) or [(0, hops)]
    places = re.findall(r"([A-Z])\((-?\d+)\)", topology)
    names = [name for name, _ in places]
    both = re.search(r"([A-Z]) and ([A-Z]) to ([A-Z])", topology)
    pairs = [(both[1], both[3]), (both[2], both[3])] if both else re.findall(r"([A-Z]) to ([A-Z])", topology)
    return [[float(x), 0.0] for _, x in places], [(names.index(a), names.index(b)) for a, b in pairs]


# --- Saturated cells --------------------------------------------------------------------------------------

ATTEMPTS = 7
"""Attempts after which the cells of validation.models give a frame up."""


def cell(names: Names) -> dict[str, Any]:
    """A receiver in the middle (node 0) and stations evenly on a circle of 5 m around it, which always send to it.

    Every station reaches the receiver with the same power, so no frame of a collision survives by capture.
    """
    stations, radius = int(names["stations"]), 5.0
    circle = [[round(radius + x, 6), round(radius + y, 6)] for x, y in _circle(stations, radius)]
    flows = [{"from": i, "to": 0, "transport": "udp", "app": "bulk", "packet": 1472} for i in range(1, stations + 1)]
    return {"topology": {"kind": "positions", "positions": [[radius, radius], *circle]}, "flow": flows}


def collision_probability(run: Run) -> float:
    """Collision probability of an attempt, from the share of frames given up after all attempts collided."""
    drops = float(run["network"]["mac_retry_drops"])
    received = sum(float(flow["received_packets"]) for flow in run["flows"])
    return float((drops / (drops + received)) ** (1 / ATTEMPTS))


# --- One wired bottleneck --------------------------------------------------------------------------------------------

RATE = 1000.0
"""Packets of 1500 bytes that the link sends in a second."""

RTT = 0.101
"""Round-trip time without a queue, in seconds: 50 ms each way and 1 ms on the link."""

LINK = round(RATE * 1500 * 8)

CUBIC_C, CUBIC_BETA = 0.4, 0.7
"""Constants of RFC 9438 (4.1 and 4.6)."""

FROM = 20.0
"""Instant (s) from which the flows are judged: slow start and its losses are over."""

_LINKS: Mapping[str, Mapping[str, Any]] = {
    # It loses at about 160 segments; each epoch returns to its plateau.
    "tcp-cubic": {"queue": 60, "duration": "120s", "tcp": {"cubic_fast_convergence": False}},
    # Nothing fills the queue.
    "tcp-bbr": {"queue": 1000, "duration": "60s"},
    # A round trip holds eleven packets: the queue hardly ever empties by itself.
    "slow tcp-bbr": {"queue": 1000, "duration": "60s", "rate": LINK // 10},
}


@cache
def _bottleneck(name: str) -> Bottleneck:
    from hopscope.running.wired import bottleneck

    return bottleneck(name.removeprefix("slow "), **{"rate": LINK, "packet": 1460, "delay": "50ms", **_LINKS[name]})


@cache
def _epochs() -> tuple[tuple[float, pd.DataFrame], ...]:
    """The plateau before each cut, and the samples from there to the next cut."""
    import numpy as np

    rows = _bottleneck("tcp-cubic").samples
    rows = rows[rows["t_s"] >= FROM].reset_index(drop=True)
    window = rows["cwnd"].to_numpy()
    cuts = np.flatnonzero(window[1:] < 0.85 * window[:-1]) + 1
    return tuple((float(window[a - 1]), rows[a:b]) for a, b in pairwise(cuts))


def _epoch_time(epoch: pd.DataFrame) -> pd.Series[float]:
    """Seconds since the epoch began: the first growth after the recovery (RFC 9438 4.1), and one round trip ahead."""
    grown = epoch[epoch["cwnd"] > float(epoch["cwnd"].iloc[0])]
    return epoch["t_s"] - float(grown["t_s"].iloc[0]) + RTT


def _plateau_time(plateau: float) -> float:
    """K of RFC 9438 equation 2."""
    return float(((1 - CUBIC_BETA) * plateau / CUBIC_C) ** (1 / 3))


def _textbook(plateau: float, time: pd.Series[float]) -> pd.Series[float]:
    """The window of RFC 9438 equation 1."""
    return CUBIC_C * (time - _plateau_time(plateau)) ** 3 + plateau


def cuts_to_seven_tenths(_check: Check, _table: Table) -> Evaluation:
    """What is kept is 0.7 of what is in flight, which is the window but for the segment that the ACK has released."""
    kept = [float(epoch["cwnd"].iloc[0]) / plateau for plateau, epoch in _epochs()]
    mean = sum(kept) / len(kept)
    return all(abs(share - CUBIC_BETA) < 0.01 for share in kept), f"{mean:.3f} in the mean of {len(kept)} cuts"


def regains_its_plateau(_check: Check, _table: Table) -> Evaluation:
    """The window is back where it was after K."""
    ratios = []
    for plateau, epoch in _epochs():
        back = _epoch_time(epoch)[epoch["cwnd"] >= 0.999 * plateau]
        if len(back):
            # The window nears the plateau slowly: 0.1 % below it the curve is this much before K.
            early = (0.001 * plateau / CUBIC_C) ** (1 / 3)
            ratios.append((float(back.iloc[0]) + early) / _plateau_time(plateau))
    words = f"{min(ratios):.3f} to {max(ratios):.3f} of K in {len(ratios)} epochs" if ratios else "never"
    return bool(ratios) and all(abs(ratio - 1) < 0.05 for ratio in ratios), words


def follows_its_function(_check: Check, _table: Table) -> Evaluation:
    """Between losses the window is that of equation 1."""
    worst = 0.0
    for plateau, epoch in _epochs():
        time = _epoch_time(epoch)
        worst = max(worst, float((epoch["cwnd"] / _textbook(plateau, time) - 1)[time > 5 * RTT].abs().max()))
    return worst < 0.03, f"within {100 * worst:.1f} %"


def _sending_rate(rows: pd.DataFrame, over: float) -> pd.Series[float]:
    """Segments sent a second over the `over` seconds before each sample, over the link's rate."""
    import numpy as np

    before = np.interp(rows["t_s"] - over, rows["t_s"], rows["sent"])
    rate: pd.Series[float] = (rows["sent"] - before) / over / RATE
    return rate


def goes_through_its_gains(_check: Check, _table: Table) -> Evaluation:
    """The fastest and the slowest round trip of each cycle of eight."""
    rows = _bottleneck("tcp-bbr").samples
    rate = _sending_rate(rows, 0.8 * RTT)
    cycle = ((rows["t_s"] - FROM) // (8 * RTT)).astype(int)
    cycles = rate[(cycle >= 0) & (cycle < cycle.max())].groupby(cycle)
    high, low = float(cycles.max().median()), float(cycles.min().median())
    words = f"median over {len(cycles)} cycles: fastest {high:.3f}, slowest {low:.3f} of the link's rate"
    return abs(high - 1.25) < 0.04 and abs(low - 0.75) < 0.04, words


def probes_the_round_trip(_check: Check, _table: Table) -> Evaluation:
    """Times with a window of four segments (PROBE_RTT): how often, how far apart, how long."""
    rows = _bottleneck("slow tcp-bbr").samples
    low = rows["cwnd"] <= 4.0
    begins = rows["t_s"][low & ~low.shift(fill_value=False)]
    ends = rows["t_s"][~low & low.shift(fill_value=False)]
    found = [(float(a), float(b)) for a, b in zip(begins, ends, strict=False) if a > 1.0]
    gaps = [b[0] - a[0] for a, b in pairwise(found)]
    lasting = [end - begin for begin, end in found]
    words = f"{len(found)} times, every {min(gaps):.2f} to {max(gaps):.2f} s, for {min(lasting):.2f} s and more"
    return 4 <= len(found) <= 6 and min(gaps) >= 10 and min(lasting) >= 0.2, words


def keeps_the_queue_short(_check: Check, _table: Table) -> Evaluation:
    """Less than a tenth of the bandwidth-delay product stands in the queue, and nothing is dropped."""
    run = _bottleneck("tcp-bbr")
    mean = float(run.samples["queue"][run.samples["t_s"] >= FROM].mean())
    words = f"{mean:.1f} packets in the mean, {len(run.drops_s)} dropped"
    return mean < 0.1 * RATE * RTT and not run.drops_s, words


def _steps(name: str, caption: str, ylabel: str, panel: Panel) -> list[Chart]:
    return [Chart(f"bottleneck-{name}", caption, "time (s)", ylabel, [panel], kind="steps")]


def cubic_window(_data: Data, _label: str) -> list[Chart]:
    """The window of CUBIC against equation 1."""
    rows = _bottleneck("tcp-cubic").samples.iloc[::20]
    rows = rows[rows["t_s"] < 60]
    times: list[float] = []
    model: list[float] = []
    for plateau, epoch in _epochs():
        shown = epoch[epoch["t_s"] < 60].iloc[::100]
        times += list(shown["t_s"])
        model += list(_textbook(plateau, _epoch_time(epoch)[shown.index]))
    textbook = Line("C (t - K)³ + W_max", times, model, reference=True)
    caption = "CUBIC over a link of 1000 packets/s with 101 ms of round trip and a queue of 60 packets."
    window = Line("CUBIC", list(rows["t_s"]), list(rows["cwnd"]))
    return _steps("cubic", caption, "window (segments)", Panel("", [window, textbook]))


def bbr_window(_data: Data, _label: str) -> list[Chart]:
    """Window and flight of BBR where PROBE_RTT occurs."""
    rows = _bottleneck("slow tcp-bbr").samples.iloc[::2]
    caption = (
        "BBR over a link of 100 packets/s: the window is two bandwidth-delay products (of 11 packets) and three "
        "packets, but for four segments every ten seconds."
    )
    lines = [Line(n, list(rows["t_s"]), list(rows[of])) for n, of in (("window", "cwnd"), ("in flight", "in_flight"))]
    return _steps("bbr-window", caption, "segments", Panel("", lines))


def bbr_rate(_data: Data, _label: str) -> list[Chart]:
    """The gain cycle of BBR over four seconds."""
    rows = _bottleneck("tcp-bbr").samples
    near = rows[rows["t_s"].between(32, 36)]
    rate = _sending_rate(rows, 0.5 * RTT)[near.index].iloc[::5]
    caption = "The gain cycle of BBR, 1000 packets/s: what it sends in half a round trip, over the rate of the link."
    panel = Panel("", [Line("BBR", list(near["t_s"].iloc[::5]), list(rate))], band=(0.75, 1.25))
    return _steps("bbr-rate", caption, "sending rate / link rate", panel)
