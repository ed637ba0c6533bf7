"""A path of a scenario that is probed: its two ends, its packets, and who else is there."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hopscope.errors import InputError, ScenarioError
from hopscope.scenario import Scenario
from hopscope.scenario.controls import FlowControl

#: Bytes of a probe with network header where nothing says otherwise; a default.
SIZE = 1500
#: Seconds after the warm-up, and after the last start of another flow, when probing begins; a default.
AFTER = 1.0

UDP_HEADERS = 28
NS = 1_000_000_000


@dataclass(frozen=True)
class Path:
    """A path between two nodes of a scenario.

    Attributes:
        scenario: with the flows of others, and as its last one a flow of UDP from end to end.
        ends: node that sends the probes, node that they go to.
        size: bytes of a probe with network header.
        others: how many flows others have.
        begin: when probing begins, seconds.
        switches: hops, counted from 1, that end at a switch, which counts no hop.
    """

    scenario: Scenario
    ends: tuple[int, int]
    size: int
    others: int
    begin: float
    switches: tuple[int, ...] = ()

    def hops_to(self, ttl: int) -> int:
        """Hops to where a time to live is used up that switches do not lower."""
        hops = (hop for hop in itertools.count(1) if hop not in self.switches)
        return next(itertools.islice(hops, ttl - 1, None))

    @property
    def fastest(self) -> float:
        """Rate of the fastest link of the scenario, bit/s."""
        config = self.scenario.points[0].config(self.scenario.seed)
        radios = [config["radio"]["data_rate"]] if len(config["nodes"]) > _without_radio(config) else []
        wires = [wire["rate"] for wire in config.get("wires", [])]
        return float(max([*radios, *wires]))

    @property
    def link_rate(self) -> float:
        """Rate of data frames, bit/s."""
        return float(self.scenario.points[0].config(self.scenario.seed)["radio"]["data_rate"])

    def without_probes(self, seed: int) -> tuple[dict[str, Any], list[tuple[FlowControl, ...]]]:
        """The engine's configuration of the others alone, and the code that they name."""
        point = self.scenario.points[0]
        config = point.config(seed)
        del config["flows"][-1]
        return config, point.controls()[:-1]

    def with_rate(self, seed: int, rate: float | None) -> tuple[dict[str, Any], list[tuple[FlowControl, ...]]]:
        """The same with evenly spaced packets of a rate (bit/s with headers) from end to end; None: without."""
        if rate is None:
            return self.without_probes(seed)
        point = self.scenario.points[0]
        config = point.config(seed)
        config["flows"][-1]["app"]["rate"] = rate * (self.size - UDP_HEADERS) / self.size
        return config, point.controls()

    def with_tcp(self, seed: int, control: Any, seconds: float) -> Scenario:
        """The scenario with a greedy flow of TCP from end to end, with a congestion control of Python."""
        document = self.scenario.document
        document["flow"][-1] = {
            "from": self.ends[0],
            "to": self.ends[1],
            "transport": "tcp",
            "control": control,
            "packet": self.size - 40,
            "start": self.begin,
        }
        document |= {"duration": self.begin + seconds, "warmup": 0, "seed": seed}
        return _of(document, "a flow of TCP")


def path_of(
    scenario: Scenario,
    ends: tuple[int | None, int | None] = (None, None),
    size: int = SIZE,
    after: float | None = None,
) -> Path:
    """Returns the path between two nodes; without ends that of the first flow, in whose place the probes stand.

    Args:
        scenario: without a sweep.
        ends: node that sends, node that receives.
        size: bytes of a probe with network header.
        after: seconds when probing begins; None: a second after the warm-up and the start of every flow.

    Raises:
        InputError: a sweep, one end without the other, no such node, the same node twice, no way there or back, or a
            size that does not fit.
    """
    if scenario.axes:
        raise InputError(f"the file sweeps {', '.join(scenario.axes)}; take one value of each by --set")
    document = scenario.document
    # Wherever files are read from: node files and traces are absolute here.
    document = scenario.standalone() if document else document
    flows: list[dict[str, Any]] = list(document["flow"])
    resolved = scenario.points[0].resolved["flow"]
    if (ends[0] is None) != (ends[1] is None):
        raise InputError("--from and --to: give both, or neither for the path of the first flow")
    if ends[0] is None:
        if "from" not in flows[0] or flows[0].get("pattern"):
            raise InputError("the first flow is a pattern; name the ends of the path by --from and --to")
        at = (resolved[0]["from"], resolved[0]["to"])
        flows, resolved = flows[1:], resolved[1:]
    else:
        at = (int(ends[0]), int(ends[1] if ends[1] is not None else -1))
    number = len(scenario.points[0].config(scenario.seed)["nodes"])
    for option, node in zip(("--from", "--to"), at, strict=True):
        if not 0 <= node < number:
            raise InputError(f"{option} {node}: no such node; allowed are 0 to {number - 1}")
    if at[0] == at[1]:
        raise InputError(f"--from {at[0]} --to {at[1]}: a path has two ends")
    if size < 64:
        raise InputError(f"--size {size}: must be at least 64 bytes")
    own = {"transport": "udp", "app": "cbr", "packet": size - UDP_HEADERS, "rate": 1000}
    # There, and back, before anything is sent.
    for one, other, what in ((at[1], at[0], "an estimator needs a way back"), (*at, "the probes need a way")):
        document["flow"] = [*flows, {**own, "from": one, "to": other}]
        built = _of(document, f"{what} from node {one} to node {other}")
    starts = [float(flow.get("start", 0)) for flow in resolved]
    begin = max([scenario.points[0].resolved["warmup"], *starts]) + AFTER if after is None else after
    document["flow"][-1]["start"] = begin
    document["duration"] = max(begin + 100.0, scenario.points[0].duration_s)
    built = _of(document, "the path")
    others = len(built.points[0].config(built.seed)["flows"]) - 1
    return Path(built, at, size, others, begin)


def _of(document: dict[str, Any], what: str) -> Scenario:
    try:
        return Scenario(copy.deepcopy(document))
    except ScenarioError as error:
        raise InputError(f"{what}: {error}") from error


def _without_radio(config: dict[str, Any]) -> int:
    hosts: Sequence[dict[str, Any]] = config.get("hosts", [])
    return sum(len(host["nodes"]) for host in hosts if not host.get("wifi", True))
