"""validation.recovery: how long packets are missing when a node dies and when one comes back, under each protocol.

Two ways lead from node 0 to node 2: over node 1, or over nodes 3, 4 and 5, which are out of node 1's reach. Node 1
dies; later node 4 goes off too, which cuts the network, and comes back, four times. The measured times stand beside the
timers of the protocols, which say how long a recovery may take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hopscope.catalog.entry import Entry, Quantity, Statement, Study
from hopscope.catalog.judge import Check, Verdict, each, mean_of, number, show
from hopscope.catalog.tables import Metric, Run, Table

SOURCE = "the timers of RFC 3561, RFC 3626, RFC 4728, and of Broch et al. 1998 for DSDV"

SEEDS = 20

DIES = 300
"""When node 1 dies, in seconds."""

CUTS = ((400, 480), (560, 643.7), (720, 806.1), (880, 964.9))
"""When node 4 goes off and comes back, in seconds: it is off for times of several lengths, as searches keep step with
the beginning of a cut."""

END = 1040
"""End of the run, in seconds."""

POSITIONS = [[0, 300], [200, 300], [400, 300], [0, 60], [200, 0], [400, 60]]

PACKETS_PER_S = 10


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

    def scenario(self) -> dict[str, Any]:
        """The scenario of the study."""
        return {
            "title": f"validation.recovery {self.label}",
            "duration": f"{END}s",
            "seeds": SEEDS,
            "topology": {"kind": "positions", "positions": POSITIONS},
            "routing": {"protocol": self.name, "parameters": self.parameters},
            "outage": [
                {"node": 1, "from": f"{DIES}s"},
                *({"node": 4, "from": f"{start}s", "to": f"{end}s"} for start, end in CUTS),
            ],
            # The first flow keeps the route in use; the others are asked when their first packet arrived.
            "flow": [
                _datagrams(100, END),
                _datagrams(DIES, DIES + 100),
                *(_datagrams(end, end + 75) for _, end in CUTS),
            ],
        }


def _datagrams(start: float, stop: float) -> dict[str, Any]:
    payload = 200
    return {
        "from": 0,
        "to": 2,
        "transport": "udp",
        "app": "cbr",
        "packet": payload,
        "rate": f"{payload * 8 * PACKETS_PER_S}bps",
        "start": f"{start}s",
        "stop": f"{stop}s",
    }


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


def _recovers(times: Times, wait: Wait) -> Check:
    def check(table: Table) -> tuple[Verdict, str]:
        found = [time for run in table.runs() for time in times(run)]
        measured = [time for time in found if time is not None]
        if len(measured) < len(found):
            return False, f"no packet arrived again in {len(found) - len(measured)} of {len(found)} cases"
        words = f"{show(table.interval(_mean(times)), 's')}, longest {number(max(measured))} s"
        return max(measured) <= wait.seconds, words

    return check


def _events(protocol: Protocol) -> Iterable[tuple[str, Times, Wait]]:
    yield "node 1 dies", _after_death, protocol.dies
    yield "node 4 comes back", _after_cuts, protocol.back


def _statements() -> Iterable[Statement]:
    for protocol in PROTOCOLS:
        for event, times, wait in _events(protocol):
            text = f"{protocol.label}: packets arrive within {wait.seconds:g} s after {event} ({wait.timers})."
            yield Statement("", text, each(_recovers(times, wait), only=_only(protocol)))


def _quantities() -> Iterable[Quantity]:
    for protocol in PROTOCOLS:
        for event, times, wait in _events(protocol):
            measure = mean_of(_mean(times))
            yield Quantity(
                f"until packets arrive after {event}", "s", measure, None, wait.timers, studies=_only(protocol)
            )


RECOVERY = Entry(
    key="validation.recovery",
    title="Recovery when a node dies and when one comes back",
    source=SOURCE,
    item="timers",
    description="Datagrams go from node 0 to node 2, ten a second. Node 1 on the short way dies at 300 s, so that the "
    "way over nodes 3, 4 and 5 is left; then node 4 is off four times for about 85 s. For each protocol and parameter "
    "set: the time until packets arrive again, over 20 seeds.",
    studies=[Study(p.label, p.scenario(), quick={"duration": f"{END}s"}) for p in PROTOCOLS],
    quantities=list(_quantities()),
    statements=[Statement(f"c{i}", s.text, s.judge) for i, s in enumerate(_statements(), 1)],
    notes=[
        "The bound is what the protocol's own timers add up to in this network, without lost messages; the longest "
        "time of all runs has to stay below it.",
        "While the network is cut, on-demand protocols go on searching and periodic ones go on telling; node 4 is off "
        "for long enough that its neighbours have given it up.",
    ],
)

ENTRIES = (RECOVERY,)
