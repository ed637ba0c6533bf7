"""Routing of the engine and real daemons over the same five nodes: routes, metrics, time to heal, messages.

    python bench/routes.py [--only babeld] [--runs 3] [--seeds 20] [--keep DIR]

Nodes 0, 1 and 2 stand in a row; 3 and 4 are the longer path around 1, which goes off after two minutes.  Both speak
over the engine's air; what they say is read from the captures of both by the same rules.  The engine runs the set of
parameters that has the daemon's name, with the intervals that ``hopscope live`` gives the daemon.

Exit status: 0 their routes and metrics are equal, times to heal overlap, and messages are of the same kinds, with
periods that differ by at most a quarter, the jitter of both; 1 something differs; 2 it cannot be measured here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import hopscope as hs
from hopscope.errors import HopscopeError, InputError, RunFailed
from hopscope.live import LiveOptions, Session, daemons
from hopscope.results.stats import interval, interval_text
from hopscope.tracing import pick
from measure import note, table

PLACES = [[0, 300], [200, 300], [400, 300], [80, 70], [320, 70]]
"""Metres; nodes hear each other up to 250 m, so that 0 reaches 2 over 1, or over 3 and 4."""
FIRST_S = 30
"""By then routes have come to rest: messages count from here."""
SETTLED_S = 120
"""Links have their 16 Hellos or their window of 32 s, and smoothed metrics are what they follow."""
PATIENCE_S = 60
NEVER = float("inf")
JITTER = 0.25

Part = tuple[str, bytes]
"""Kind of a message, and its octets from the type on."""
Packets = list[tuple[float, list[Part]]]
"""What node 0 has put on the air: instants, and what each packet carries."""


def babel_parts(payload: bytes) -> Iterator[Part]:
    """The TLVs of a packet of Babel (RFC 8966 4)."""
    kinds = {2: "acknowledgment request", 4: "Hello", 5: "IHU", 8: "update", 9: "route request", 10: "seqno request"}
    octets = payload[4:]
    while octets:
        size = 1 if octets[0] == 0 else 2 + octets[1]
        # Router-Ids and next hops belong to updates, and babeld puts both addresses of IPv6 and IPv4 there.
        if octets[0] in kinds:
            yield kinds[octets[0]], octets[:size]
        octets = octets[size:]


def babel_metric(packets: Packets, until: float, next_hop: int) -> int:
    """The metric of node 2 that node 0 advertised last."""
    del next_hop
    found = 0xFFFF
    for at, parts in packets:
        for kind, tlv in parts:
            # Address encoding 1 (IPv4), a prefix of 32 bits, written in full; node 2 has the third address of the net.
            if at <= until and kind == "update" and tlv[2] == 1 and tlv[4] == 32 and tlv[15] == 3:
                found = int.from_bytes(tlv[10:12])
    return found


def olsr_parts(payload: bytes) -> Iterator[Part]:
    """The messages of a packet of OLSR (RFC 3626 3.4), with those of olsrd that carry qualities."""
    kinds = {1: "HELLO by hops", 2: "TC by hops", 3: "MID", 4: "HNA", 201: "HELLO", 202: "TC"}
    octets = payload[4:]
    while octets:
        size = int.from_bytes(octets[2:4])
        own = octets[7] == 1
        yield kinds.get(octets[0], f"type {octets[0]}") if own else "relayed", octets[:size]
        octets = octets[size:]


def olsr_metric(packets: Packets, until: float, next_hop: int) -> int:
    """ETX of the link to the next hop in parts of 1/1024, by what node 0 announced of it last (olsrd's LQ_HELLO)."""
    found = 0xFFFF
    for at, parts in packets:
        for groups in (message[16:] for kind, message in parts if kind == "HELLO" and at <= until):
            rest = groups
            while rest:
                size = int.from_bytes(rest[2:4])
                for entry in (rest[begin : begin + 8] for begin in range(4, size, 8)):
                    if entry[3] == next_hop + 1 and entry[4] and entry[5]:
                        found = 1024 * 255 * 255 // (entry[4] * entry[5])
                rest = rest[size:]
    return found


@dataclass(frozen=True)
class Pair:
    """A daemon and the engine's own protocol.

    Attributes:
        daemon: value of ``routing`` of ``[[node]]``.
        routing: ``[routing]`` of the engine.
        port: of UDP.
        parts: what a packet carries.
        metric: what node 0 says of its route to node 2, or of that route's first link: packets, until when, next hop.
    """

    daemon: str
    routing: dict[str, Any]
    port: int
    parts: Callable[[bytes], Iterator[Part]]
    metric: Callable[[Packets, float, int], int]


PAIRS = [
    Pair(
        "babeld",
        {"protocol": "babel", "parameters": "babeld", "babel": {"hello_interval": 2, "update_interval": 8}},
        6696,
        babel_parts,
        babel_metric,
    ),
    Pair("olsrd", {"protocol": "olsr", "parameters": "olsrd"}, 698, olsr_parts, olsr_metric),
]


@dataclass(frozen=True)
class Seen:
    """What a run showed.

    Attributes:
        before: next hop of node 0 to node 2 with all nodes, and the metric.
        after: the same once node 1 is off.
        healed_s: seconds from then until node 0 had the other next hop.
        periods: kind of a message -> mean seconds between packets of node 0 that have one, while nothing changes.
    """

    before: tuple[int | None, int]
    after: tuple[int | None, int]
    healed_s: float
    periods: dict[str, float]


def scenario(**more: Any) -> dict[str, Any]:
    return {
        "duration": f"{SETTLED_S + PATIENCE_S}s",
        "topology": {"kind": "positions", "positions": PLACES},
        **more,
    }


def said(pair: Pair, path: Path) -> Packets:
    chosen = f'frame.interface_name == "radio0" && frame.p2p_dir == 0 && udp.dstport == {pair.port}'
    words = ["tshark", "-r", str(path), "-Y", chosen, "-T", "fields", "-e", "frame.time_relative", "-e", "udp.payload"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    lines = (line.split("\t") for line in found.splitlines())
    return [(float(at), list(pair.parts(bytes.fromhex(payload)))) for at, payload in lines]


def periods(packets: Packets) -> dict[str, float]:
    """Kind of a message -> mean seconds between packets that have one, while nothing changes."""
    times = defaultdict(list)
    for at, parts in packets:
        for kind in {kind for kind, _ in parts}:
            if FIRST_S < at < SETTLED_S:
                times[kind].append(at)
    spans = {kind: (at[-1] - at[0]) / (len(at) - 1) if len(at) > 1 else NEVER for kind, at in times.items()}
    return dict(sorted(spans.items()))


def seen(pair: Pair, path: Path, next_hops: tuple[int | None, int | None], healed_s: float) -> Seen:
    packets = said(pair, path)
    before, after = (
        (hop, -1 if hop is None else pair.metric(packets, until, hop))
        for hop, until in zip(next_hops, (SETTLED_S, SETTLED_S + PATIENCE_S), strict=True)
    )
    return Seen(before, after, healed_s, periods(packets))


def of_daemon(pair: Pair, seed: int, path: Path) -> Seen:
    """What the daemon does.

    Raises:
        RunFailed: the machine was too slow for the air.
    """
    options = LiveOptions(pcap=path, force=True)
    document = scenario(node=[{"routing": pair.daemon}])
    with Session(pick(document, seed=seed, needs_flows=False), options) as held:
        addresses = {str(held.addresses.of(node)): node for node in range(len(PLACES))}
        held.start()

        def next_hop() -> int | None:
            held.check_radio()
            words = held.command(0, f"ip route get {held.addresses.of(2)}").stdout.split()
            return addresses.get(words[words.index("via") + 1]) if "via" in words else None

        while held.now_s < SETTLED_S:
            time.sleep(0.1)
        before = next_hop()
        held.change("node-down", node=1)
        cut = held.now_s
        healed = NEVER
        while held.now_s < SETTLED_S + PATIENCE_S - 1:
            if healed == NEVER and next_hop() == 3:
                healed = held.now_s - cut
            time.sleep(0.2)
        after = next_hop()
        if (verdict := held.finish()["verdict"]) == "missed":
            raise RunFailed(f"{pair.daemon}: the verdict of the run is {verdict}; try again on a quiet machine")
    return seen(pair, path, (before, after), healed)


def of_engine(pair: Pair, seed: int, path: Path) -> Seen:
    """What the engine's own protocol does."""
    document = scenario(
        routing=pair.routing,
        outage=[{"node": 1, "from": SETTLED_S}],
        # A flow is needed; it starts when all is over.
        flow=[{"from": 0, "to": 2, "start": SETTLED_S + PATIENCE_S - 0.1}],
    )
    next_hop: int | None = None
    before, healed = None, NEVER
    records = hs.trace(document, seed=seed, nodes=[0], kinds=["Routing"])
    assert not isinstance(records, int)  # only with a file is it a count
    for record in records:
        if record.get("dst") != 2 or "next_hop" not in record:
            continue
        at = record["time"] / 1e9
        next_hop = record["next_hop"]
        if at < SETTLED_S:
            before = next_hop
        elif next_hop == 3 and healed == NEVER:
            healed = at - SETTLED_S
    hs.pcap(document, path, seed=seed, force=True)
    return seen(pair, path, (before, next_hop), healed)


def means(runs: list[Seen]) -> dict[str, float]:
    """Kind of a message -> its period, over the runs."""
    kinds = sorted({kind for run in runs for kind in run.periods})
    found = {kind: [run.periods[kind] for run in runs if kind in run.periods] for kind in kinds}
    return {kind: sum(each) / len(each) for kind, each in found.items()}


def row(name: str, runs: list[Seen]) -> list[str]:
    def each(values: list[Any]) -> str:
        return ", ".join(dict.fromkeys(str(value) for value in values))

    healed = [run.healed_s for run in runs]
    span = f"{interval_text(interval(healed).as_dict())} ({min(healed):.1f} to {max(healed):.1f})"
    spoken = ", ".join(f"{kind} {period:.2f}" for kind, period in means(runs).items())
    return [name, str(len(runs)), each([run.before for run in runs]), each([run.after for run in runs]), span, spoken]


def differences(engine: list[Seen], daemon: list[Seen]) -> list[str]:
    """In what the two differ, in words."""
    found = []
    if {(run.before, run.after) for run in engine} != {(run.before, run.after) for run in daemon}:
        found.append("routes or metrics")
    healed = [[run.healed_s for run in runs] for runs in (engine, daemon)]
    if max(map(min, healed)) > min(map(max, healed)):
        found.append("times to heal")
    ours, theirs = means(engine), means(daemon)
    found += [f"only one says: {kind}" for kind in sorted(ours.keys() ^ theirs.keys())]
    both = sorted(ours.keys() & theirs.keys())
    return found + [f"period: {kind}" for kind in both if abs(ours[kind] - theirs[kind]) > JITTER * theirs[kind]]


def compare(pair: Pair, runs: int, seeds: int, keep: Path) -> bool:
    """Measures both, prints what was seen, and says whether they are alike."""
    note(f"measuring {pair.daemon}")
    engine = [of_engine(pair, seed, keep / f"engine-{pair.daemon}-{seed}.pcapng") for seed in range(1, seeds + 1)]
    daemon = [of_daemon(pair, seed, keep / f"{pair.daemon}-{seed}.pcapng") for seed in range(1, runs + 1)]
    heads = ["", "runs", "next hop, metric", "with node 1 off", "healed after s", "seconds between messages"]
    print(table(heads, [row("engine", engine), row(pair.daemon, daemon)]), flush=True)
    differing = differences(engine, daemon)
    for text in differing:
        note(f"{pair.daemon}: differs: {text}")
    return not differing


def main() -> int:
    parser = argparse.ArgumentParser(description="Routing of the engine and real daemons over the same five nodes.")
    parser.add_argument("--only", choices=[pair.daemon for pair in PAIRS], help="only this daemon")
    parser.add_argument("--runs", type=int, default=3, help="runs of each daemon (3), three minutes each")
    parser.add_argument("--seeds", type=int, default=20, help="runs of the engine (20)")
    parser.add_argument("--keep", type=Path, help="folder that keeps the captures")
    options = parser.parse_args()
    chosen = [pair for pair in PAIRS if options.only in (None, pair.daemon)]
    there = [pair for pair in chosen if not daemons.missing(pair.daemon)]
    for pair in chosen:
        if pair not in there:
            note(f"{pair.daemon}: left out: {daemons.missing(pair.daemon)}")
    if not there:
        return 2
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        try:
            alike = [compare(pair, options.runs, options.seeds, keep) for pair in there]
        except InputError as error:
            note(str(error))
            return 2
        except HopscopeError as error:
            note(str(error))
            return 1
    return 0 if all(alike) else 1


if __name__ == "__main__":
    sys.exit(main())
