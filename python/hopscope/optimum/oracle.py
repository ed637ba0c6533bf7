"""The oracle of ACK thinning: the best fixed number of segments for one ACK, against the scenario's own policies.

A policy that adapts is held against the number that somebody who knew path, flows and channel would have chosen. The
search is that of :mod:`hopscope.optimum.driver` over ``tcp.ack_every`` with ``ack = "fixed"``; a sweep over ACK
policies makes no cases but rivals, each of which runs in full length with all seeds and is compared seed by seed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError
from hopscope.optimum import decide
from hopscope.results.stats import paired

if TYPE_CHECKING:
    from hopscope.results import Result
    from hopscope.scenario import Scenario

#: Most segments for one ACK that are tried without ``--over``; a default.
MOST = 16

_OF_ACK = re.compile(r"flow\.(\*|\d+)\.ack(\..*)?")


@dataclass(frozen=True)
class Rival:
    """A policy of the scenario compared with the best fixed number of its case.

    Attributes:
        set: the swept keys that choose it; empty where the scenario sweeps no ACK policy.
        policy: what the flows do, in words.
        samples: seed -> metric, in full runs.
    """

    set: dict[str, Any]
    policy: str
    samples: decide.Samples

    def to_json(self, best: decide.Samples) -> dict[str, Any]:
        """The rival as plain data: its mean, and by how much the best number lies above it, paired by seed."""
        seeds = sorted(self.samples.keys() & best.keys())
        found: dict[str, Any] = {"set": self.set, "policy": self.policy, **decide.summary(self.samples).as_dict()}
        if seeds:
            compared = paired([best[seed] for seed in seeds], [self.samples[seed] for seed in seeds])
            found |= {"difference": compared.mean_difference, "difference_ci95": compared.ci95, "pairs": compared.n}
        return found


@dataclass(frozen=True)
class Yardstick:
    """What a search for the oracle varies, and what it is the yardstick of.

    Attributes:
        base: the scenario with ``ack = "fixed"`` in every flow of TCP and no sweep over policies.
        over: the number of segments, as ``--over`` has it.
        own: the scenario itself.
        keys: its swept keys that choose policies.
    """

    base: Scenario
    over: str
    own: Scenario
    keys: tuple[str, ...]

    def rivals(self, case: Mapping[str, Any], result: Result, metric: str) -> list[Rival]:
        """The policies of a case, from the runs of the scenario itself."""
        found = []
        for point in result.points:
            chosen = {key: value for key, value in point.set.items() if key in self.keys}
            if {key: value for key, value in point.set.items() if key not in self.keys} == case:
                samples = point.by_seed(metric) if point.runs else {}
                found.append(Rival(chosen, _policies(self.own.points[point.index].resolved), samples))
        return found


def yardstick(own: Scenario) -> Yardstick:
    """Returns what the search for the oracle of a scenario runs.

    Raises:
        InputError: it has no flow of TCP, or a window of one, which leaves nothing to choose.
    """
    resolved = [point.resolved["flow"] for point in own.points]
    tcp = [number for number, _ in enumerate(resolved[0]) if all("ack" in flows[number] for flows in resolved)]
    if not tcp:
        raise InputError("--oracle: no flow uses TCP everywhere in the sweep, and only TCP acknowledges by number")
    keys = tuple(key for key in own.axes if _OF_ACK.fullmatch(key))
    for key in keys:
        if others := [other for other in own.swept_with(key) if other not in keys]:
            raise InputError(f"--oracle: the sweep changes {key} together with {', '.join(others)}; sweep them apart")
    everywhere = len(tcp) == len(resolved[0])
    for number in tcp:
        if not everywhere and "ack_every" in own.document["flow"][number].get("tcp", {}):
            raise InputError(
                f"--oracle: varies tcp.ack_every for all flows of TCP; take out flow.{number}.tcp.ack_every"
            )
    most = min(MOST, *(int(flows[number]["max_window"]) for flows in resolved for number in tcp))
    if most < 2:
        raise InputError("--oracle: a max_window of 1 leaves one number of segments for an ACK; allowed: 2 or more")
    first = {key: own.axes[key][0] for key in keys}
    base = own.replace(first).replace({f"flow.{number}.ack": "fixed" for number in tcp}, origin="--oracle")
    return Yardstick(base, f"{'flow.*.' if everywhere else ''}tcp.ack_every=1..{most}", own, keys)


def _policies(resolved: Mapping[str, Any]) -> str:
    named = [_named(flow["ack"], flow) for flow in resolved["flow"] if "ack" in flow]
    return ", ".join(dict.fromkeys(named))


def _named(ack: Any, flow: Mapping[str, Any]) -> str:
    if isinstance(ack, Mapping):
        own = ", ".join(f"{key} = {value}" for key, value in ack.items() if key != "class")
        return f"{ack['class']}" + (f" ({own})" if own else "")
    every = flow.get("tcp", {}).get("ack_every")
    return f"fixed at {every}" if ack == "fixed" and every is not None else str(ack)
