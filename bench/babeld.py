"""Babel of the engine and the daemon babeld over the same five nodes: routes, metrics, time to heal, messages.

    python bench/babeld.py [--runs 3] [--keep DIR]

Nodes 0, 1 and 2 stand in a row; 3 and 4 are the longer path around 1, which goes off after two minutes.  Both speak
over the engine's air; what they say is read from the captures of both by the same rules.  The engine runs the set
``babeld`` with the Hello interval that ``hopscope live`` gives the daemon.  Exit status: 0 their routes and metrics are
equal and times to heal overlap, 1 they differ, 2 it cannot be measured here.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import hopscope as hs
from hopscope.errors import HopscopeError, InputError
from hopscope.live import LiveOptions, Session, daemons
from hopscope.tracing import pick
from measure import note, table

PLACES = [[0, 300], [200, 300], [400, 300], [80, 70], [320, 70]]
"""Metres; nodes hear each other up to 250 m, so that 0 reaches 2 over 1, or over 3 and 4."""
SETTLED_S = 120
"""Links have their 16 Hellos, and smoothed metrics are what they follow."""
PATIENCE_S = 60
HELLO_S = 2
NEVER = float("inf")
KINDS = {4: "Hello", 5: "IHU", 8: "update"}


@dataclass(frozen=True)
class Seen:
    """What a run showed.

    Attributes:
        before: next hop of node 0 to node 2 with all nodes, and the metric that node 0 advertised last.
        after: the same once node 1 is off.
        healed_s: seconds from then until node 0 had the other next hop.
        periods: kind of a TLV -> mean seconds between packets of node 0 that have one, while nothing changes.
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


def said(path: Path) -> list[tuple[float, list[bytes]]]:
    """Packets of Babel that node 0 has put on the air: instant, and TLVs from their types on."""
    chosen = 'frame.interface_name == "radio0" && frame.p2p_dir == 0 && udp.dstport == 6696'
    words = ["tshark", "-r", str(path), "-Y", chosen, "-T", "fields", "-e", "frame.time_relative", "-e", "udp.payload"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    packets = []
    for line in found.splitlines():
        at, payload = line.split("\t")
        octets, tlvs = bytes.fromhex(payload)[4:], []
        while octets:
            end = 1 if octets[0] == 0 else 2 + octets[1]
            tlvs.append(octets[:end])
            octets = octets[end:]
        packets.append((float(at), tlvs))
    return packets


def periods(packets: list[tuple[float, list[bytes]]]) -> dict[str, float]:
    """Kind of a TLV -> mean seconds between packets that have one, while nothing changes."""
    times = defaultdict(list)
    for at, tlvs in packets:
        for kind in {tlv[0] for tlv in tlvs} & KINDS.keys():
            if SETTLED_S / 2 < at < SETTLED_S:
                times[KINDS[kind]].append(at)
    return {kind: (at[-1] - at[0]) / (len(at) - 1) for kind, at in sorted(times.items()) if len(at) > 1}


def metric(packets: list[tuple[float, list[bytes]]], until: float) -> int:
    """The metric of node 2 that node 0 advertised last."""
    found = 0xFFFF
    for at, tlvs in packets:
        for tlv in tlvs:
            # Address encoding 1 (IPv4), a prefix of 32 bits, written in full; node 2 has the third address of the net.
            if at <= until and tlv[0] == 8 and tlv[2] == 1 and tlv[4] == 32 and tlv[15] == 3:
                found = int.from_bytes(tlv[10:12])
    return found


def seen(path: Path, next_hops: tuple[int | None, int | None], healed_s: float) -> Seen:
    packets = said(path)
    before, after = metric(packets, SETTLED_S), metric(packets, SETTLED_S + PATIENCE_S)
    return Seen((next_hops[0], before), (next_hops[1], after), healed_s, periods(packets))


def of_daemon(seed: int, path: Path) -> Seen:
    options = LiveOptions(pcap=path, force=True)
    document = scenario(node=[{"routing": "babeld"}])
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
        held.finish()
    return seen(path, (before, after), healed)


def of_engine(seed: int, path: Path) -> Seen:
    babel = {"hello_interval": HELLO_S, "update_interval": 4 * HELLO_S}
    document = scenario(
        routing={"protocol": "babel", "parameters": "babeld", "babel": babel},
        outage=[{"node": 1, "from": SETTLED_S}],
        # A flow is needed; it starts when all is over.
        flow=[{"from": 0, "to": 2, "start": SETTLED_S + PATIENCE_S - 0.1}],
    )
    next_hop: int | None = None
    before, healed = None, NEVER
    for record in hs.trace(document, seed=seed, nodes=[0], kinds=["Routing"]):
        if record.get("dst") != 2 or "next_hop" not in record:
            continue
        at = record["time"] / 1e9
        next_hop = record["next_hop"]
        if at < SETTLED_S:
            before = next_hop
        elif next_hop == 3 and healed == NEVER:
            healed = at - SETTLED_S
    hs.pcap(document, path, seed=seed, force=True)
    return seen(path, (before, next_hop), healed)


def row(name: str, runs: list[Seen]) -> list[str]:
    def each(values: list[Any]) -> str:
        return ", ".join(dict.fromkeys(str(value) for value in values))

    healed = ", ".join(f"{run.healed_s:.1f}" for run in runs)
    cells = [name, each([run.before for run in runs]), each([run.after for run in runs]), healed]
    for kind in ("Hello", "IHU", "update"):
        found = [run.periods[kind] for run in runs if kind in run.periods]
        cells.append(f"{sum(found) / len(found):.2f}" if found else "-")
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description="Babel of the engine and babeld over the same five nodes.")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (3)")
    parser.add_argument("--keep", type=Path, help="folder that keeps the captures")
    options = parser.parse_args()
    if lacking := daemons.missing("babeld"):
        note(f"babeld: {lacking}")
        return 2
    runs: dict[str, list[Seen]] = {"engine": [], "babeld": []}
    with tempfile.TemporaryDirectory() as folder:
        keep = options.keep or Path(folder)
        for seed in range(1, options.runs + 1):
            try:
                runs["engine"].append(of_engine(seed, keep / f"engine-{seed}.pcapng"))
                runs["babeld"].append(of_daemon(seed, keep / f"babeld-{seed}.pcapng"))
            except InputError as error:
                note(str(error))
                return 2
            except HopscopeError as error:
                note(f"seed {seed}: {error}")
                return 1
    heads = ["", "next hop, metric", "with node 1 off", "healed after s", "Hello s", "IHU s", "update s"]
    print(table(heads, [row(name, found) for name, found in runs.items()]))
    ends = {name: {(run.before, run.after) for run in found} for name, found in runs.items()}
    healed = {name: [run.healed_s for run in found] for name, found in runs.items()}
    overlap = max(map(min, healed.values())) <= min(map(max, healed.values()))
    return 0 if ends["engine"] == ends["babeld"] and overlap else 1


if __name__ == "__main__":
    sys.exit(main())
