"""validation.recovery: how long packets are missing when a node dies and when one comes back, under each protocol.

In the small network two ways lead from node 0 to node 2: over node 1, or over nodes 3, 4 and 5, which are out of node
1's reach. Node 1 dies; later node 4 goes off too, which cuts the network, and comes back, four times. The measured
times stand beside the timers of the protocols, which say how long a recovery may take there.

In the field of 50 nodes messages also get lost, in collisions and on long ways, and no sum of timers is a bound: there
every run has to recover, and the times stand beside the timers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hopscope.results.comparisons import Verdict
from hopscope.results.samples import Metric, Run, Table, show
from hopscope.results.stats import number
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.judge import Check, each, mean_of

SOURCE = "the timers of RFC 3561, RFC 3626, RFC 4728, and of Broch et al. 1998 for DSDV"

SEEDS = 20

DIES = 300
"""When the node on the way dies, in seconds."""

CUTS = ((400, 480), (560, 643.7), (720, 806.1), (880, 964.9))
"""When the other node goes off and comes back, in seconds: it is off for times of several lengths, as searches keep
step with the beginning of a cut."""

SPACE = 75
"""For how long packets are sent after a node came back, in seconds."""

PACKETS_PER_S = 10


@dataclass(frozen=True)
class Network:
    """Where packets go from `source` to `target`, and what goes off.

    Attributes:
        title: ending of the scenario's title.
        topology: the scenario's `[topology]`.
        source: node that sends.
        target: node that receives.
        dies: node on every shortest way; another, longer way remains.
        returns: node without which no way is left.
        cuts: when `returns` goes off and comes back, in seconds.
    """

    title: str
    topology: Mapping[str, Any]
    source: int
    target: int
    dies: int
    returns: int
    cuts: tuple[tuple[float, float], ...]

    @property
    def end(self) -> float:
        """End of the run, in seconds."""
        return self.cuts[-1][1] + SPACE

    def scenario(self, protocol: Protocol) -> dict[str, Any]:
        """The scenario of a protocol in this network."""
        return {
            "title": f"{self.title}, {protocol.label}",
            "duration": f"{self.end}s",
            "seeds": SEEDS,
            "topology": dict(self.topology),
            "routing": {"protocol": protocol.name, "parameters": protocol.parameters},
            "outage": [
                {"node": self.dies, "from": f"{DIES}s"},
                *({"node": self.returns, "from": f"{start}s", "to": f"{end}s"} for start, end in self.cuts),
            ],
            # The first flow keeps the route in use; the others are asked when their first packet arrived.
            "flow": [
                self._datagrams(100, self.end),
                self._datagrams(DIES, DIES + 100),
                *(self._datagrams(end, end + SPACE) for _, end in self.cuts),
            ],
        }

    def _datagrams(self, start: float, stop: float) -> dict[str, Any]:
        payload = 200
        return {
            "from": self.source,
            "to": self.target,
            "transport": "udp",
            "app": "cbr",
            "packet": payload,
            "rate": f"{payload * 8 * PACKETS_PER_S}bps",
            "start": f"{start}s",
            "stop": f"{stop}s",
        }


TWO_WAYS = Network(
    "validation.recovery",
    {"kind": "positions", "positions": [[0, 300], [200, 300], [400, 300], [0, 60], [200, 0], [400, 60]]},
    source=0,
    target=2,
    dies=1,
    returns=4,
    cuts=CUTS,
)

FIELD = Network(
    "validation.recovery-field",
    {"kind": "random", "nodes": 50, "area": ["1100m", "1100m"], "connected": True, "seed": 2},
    source=0,
    target=1,
    dies=38,
    returns=1,
    cuts=CUTS[:2],
)
"""The shortest ways take 5 hops, all of them over node 38; without it they take 7."""


@dataclass(frozen=True)
class Wait:
    """How long packets may be missing.

    Attributes:
        seconds: the longest time that the timers allow.
        timers: what adds up to it.
    """

    seconds: float
    timers: str


@dataclass(frozen=True)
class Protocol:
    """A protocol with a parameter set, and the waits its timers allow."""

    name: str
    parameters: str
    dies: Wait
    back: Wait

    @property
    def label(self) -> str:
        """Short name of the study."""
        return f"{self.name.upper()}, {self.parameters}"


_SEARCH = "one search, NET_TRAVERSAL_TIME 2.8 s"
_SEARCHES = "a search under way: its waits of 2.8 s, 5.6 s and 11.2 s"
_UPDATE = "update_interval 15 s"

PROTOCOLS = (
    Protocol("aodv", "rfc3561", Wait(2.8, f"the MAC's retries, then {_SEARCH}"), Wait(11.2, _SEARCHES)),
    Protocol(
        "aodv",
        "aodv-uu",
        Wait(4.85, f"ALLOWED_HELLO_LOSS 2 x HELLO_INTERVAL 1 s (and 50 ms), then {_SEARCH}"),
        Wait(11.2, _SEARCHES),
    ),
    Protocol("aodv", "aodv-uu-ll", Wait(2.8, f"the MAC's retries, then {_SEARCH}"), Wait(11.2, _SEARCHES)),
    Protocol(
        "aodv",
        "ns2",
        Wait(2.0, "the MAC's retries, then the wait of one search, at most 2 s"),
        Wait(20.0, "the longest wait for an answer, 10 s, and the pause after a failed search, 10 s"),
    ),
    Protocol(
        "olsr",
        "rfc3626",
        Wait(11.0, "NEIGHB_HOLD_TIME 6 s, then TC_INTERVAL 5 s"),
        Wait(15.0, "HELLO_INTERVAL 2 s five times (two of them for hysteresis), then TC_INTERVAL 5 s"),
    ),
    Protocol(
        "olsr",
        "olsr-unik",
        Wait(11.0, "NEIGHB_HOLD_TIME 6 s, then TC_INTERVAL 5 s"),
        Wait(11.0, "HELLO_INTERVAL 2 s three times, then TC_INTERVAL 5 s"),
    ),
    Protocol(
        "dsdv",
        "perkins1994",
        Wait(50.0, f"3 x {_UPDATE}, then trigger_gap 1 s at each of five nodes"),
        Wait(18.0, f"{_UPDATE}, then trigger_gap 1 s at each of three nodes"),
    ),
    Protocol(
        "dsdv",
        "perkins1994-ll",
        Wait(5.0, "the MAC's retries, then trigger_gap 1 s at each of five nodes"),
        Wait(18.0, f"{_UPDATE}, then trigger_gap 1 s at each of three nodes"),
    ),
    Protocol("dsdv", "ns2", Wait(90.0, f"3 x {_UPDATE}, then {_UPDATE} three times"), Wait(45.0, f"3 x {_UPDATE}")),
    Protocol(
        "dsr",
        "rfc4728",
        Wait(0.53, "the MAC's retries, NonpropRequestTimeout 30 ms, RequestPeriod 0.5 s"),
        Wait(10.0, "MaxRequestPeriod 10 s"),
    ),
)


def _after_death(run: Run) -> list[float | None]:
    return [run["flows"][1]["first_delivery_s"]]


def _after_cuts(run: Run) -> list[float | None]:
    return [flow["first_delivery_s"] for flow in run["flows"][2:]]


Times = Callable[[Run], list[float | None]]
"""How long after each event of a kind the first packet arrived, in seconds; `None`: never."""


def _mean(times: Times) -> Metric:
    def mean(run: Run) -> float | None:
        found = [time for time in times(run) if time is not None]
        return sum(found) / len(found) if found else None

    return mean


def _only(protocol: Protocol) -> Any:
    return lambda label: label == protocol.label


def _recovers(times: Times, limit: float | None) -> Check:
    """Packets arrive again in every case, and within `limit` seconds where there is one."""

    def check(table: Table) -> tuple[Verdict, str]:
        found = [time for run in table.runs() for time in times(run)]
        measured = [time for time in found if time is not None]
        if len(measured) < len(found):
            return False, f"no packet arrived again in {len(found) - len(measured)} of {len(found)} cases"
        words = f"{show(table.interval(_mean(times)), 's')}, longest {number(max(measured))} s"
        return limit is None or max(measured) <= limit, words

    return check


def _events(network: Network, protocol: Protocol) -> Iterable[tuple[str, Times, Wait]]:
    yield f"node {network.dies} dies", _after_death, protocol.dies
    yield f"node {network.returns} comes back", _after_cuts, protocol.back


def _statements(network: Network, say: Callable[[str, Wait], str], *, bounded: bool) -> list[Statement]:
    """One statement for each protocol and event; `bounded`: packets have to arrive within what the timers allow."""
    found: list[Statement] = []
    for protocol in PROTOCOLS:
        for event, times, wait in _events(network, protocol):
            judge = each(_recovers(times, wait.seconds if bounded else None), only=_only(protocol))
            found.append(Statement(f"c{len(found) + 1}", f"{protocol.label}: {say(event, wait)}", judge))
    return found


def _within_timers(event: str, wait: Wait) -> str:
    return f"packets arrive within {wait.seconds:g} s after {event} ({wait.timers})."


def _in_every_run(event: str, wait: Wait) -> str:
    timers = f"timers: {wait.seconds:g} s in the small network, {wait.timers}"
    return f"packets arrive again after {event}, in every run ({timers})."


def _studies(network: Network) -> list[Setting]:
    return [Setting(p.label, network.scenario(p), quick={"duration": f"{network.end}s"}) for p in PROTOCOLS]


def _quantities(network: Network) -> Iterable[Quantity]:
    for protocol in PROTOCOLS:
        for event, times, wait in _events(network, protocol):
            measure = mean_of(_mean(times))
            yield Quantity(
                f"until packets arrive after {event}", "s", measure, None, wait.timers, settings=_only(protocol)
            )


RECOVERY = Entry(
    key="validation.recovery",
    title="Recovery when a node dies and when one comes back",
    source=SOURCE,
    item="timers",
    description="Datagrams go from node 0 to node 2, ten a second. Node 1 on the short way dies at 300 s, so that the "
    "way over nodes 3, 4 and 5 is left; then node 4 is off four times for about 85 s. For each protocol and parameter "
    "set: the time until packets arrive again, over 20 seeds.",
    settings=_studies(TWO_WAYS),
    quantities=list(_quantities(TWO_WAYS)),
    statements=_statements(TWO_WAYS, _within_timers, bounded=True),
    notes=[
        "The bound is what the protocol's own timers add up to in this network, without lost messages; the longest "
        "time of all runs has to stay below it.",
        "While the network is cut, on-demand protocols go on searching and periodic ones go on telling; node 4 is off "
        "for long enough that its neighbours have given it up.",
    ],
)

RECOVERY_FIELD = Entry(
    key="validation.recovery-field",
    title="Recovery in a field of 50 nodes",
    source=SOURCE,
    item="timers",
    description="Datagrams go from node 0 to node 1 of a connected random field on 1100 m x 1100 m, ten a second. "
    "Node 38, which lies on every shortest way, dies at 300 s; then the destination is off twice for about 80 s. For "
    "each protocol and parameter set: the time until packets arrive again, over 20 seeds.",
    settings=_studies(FIELD),
    quantities=list(_quantities(FIELD)),
    statements=_statements(FIELD, _in_every_run, bounded=False),
    notes=[
        "The timers beside the times are those of the small network of validation.recovery: in a field broadcasts are "
        "lost in collisions, searches are repeated and news goes over more hops, so that the times are no bounds.",
        "Protocols that search do not always find a shortest way: where node 38 was not on the way, nothing is missing "
        "when it dies.",
    ],
)

ENTRIES = (RECOVERY, RECOVERY_FIELD)
