"""What the page of bandwidth estimation shows: errors of every method over three paths of wires and three of radio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import quantiles
from typing import Any

from hopscope.probing import Probed, Probing, probe

#: Seeds of each path.
SEEDS = 20


def _wires(rates: Sequence[float], *flows: dict[str, Any]) -> dict[str, Any]:
    return {
        "duration": "60s",
        "topology": {"kind": "wired", "wired": len(rates) + 1},
        "wire": [{"from": n, "to": n + 1, "rate": rate, "delay": "2ms"} for n, rate in enumerate(rates)],
        "flow": [{"from": 0, "to": "last"}, *flows],
    }


def _chain(hops: int, *flows: dict[str, Any], **others: Any) -> dict[str, Any]:
    topology = {"kind": "chain", "hops": hops}
    return {"duration": "60s", "topology": topology, "flow": [{"from": 0, "to": "last"}, *flows], **others}


def _udp(at: tuple[int, int], rate: str, app: str, **others: Any) -> dict[str, Any]:
    return {"from": at[0], "to": at[1], "transport": "udp", "app": app, "rate": rate, "packet": 472, **others}


#: Name -> scenario; the probes stand in place of the first flow.
PATHS: dict[str, dict[str, Any]] = {
    "wires 10, 1, 4 Mbit/s": _wires((10e6, 1e6, 4e6), _udp((1, 2), "378kbps", "poisson")),
    "tight before narrow": _wires((2e6, 1e6), _udp((0, 1), "1322kbps", "poisson")),
    "bursts": _wires((10e6, 1e6, 4e6), _udp((1, 2), "755kbps", "on-off", on="500ms", off="500ms")),
    "1 hop": _chain(1, _udp((1, 0), "200kbps", "poisson")),
    "4 hops": _chain(4, _udp((1, 2), "60kbps", "poisson")),
    "7 hops, 4 % of frames lost": _chain(
        7, profile="ns2", radio={"error": {"kind": "uniform", "per": 0.04, "applies_to": "all"}}
    ),
}


def probed() -> dict[str, Probing]:
    """Every method over every path."""
    return {name: probe(scenario, "all", seeds=SEEDS) for name, scenario in PATHS.items()}


def rows(name: str, found: Probing) -> Iterator[list[str]]:
    """A row for each method and quantity of a path: what is real, and how far off the estimates lie."""
    for method in found.methods:
        for what in ("capacity", "available"):
            if cells := _spread(found.of(method), what):
                yield [name, method, what, f"{(found.truth(what).mean or 0) / 1e3:.0f}", *cells]


def _spread(runs: Sequence[Probed], what: str) -> list[str]:
    errors = sorted(error for run in runs if (error := run.error(what)) is not None)
    if len(errors) < 2:
        return []
    low, middle, high = quantiles(errors, n=4)
    return [f"{middle:+.0f}", f"{low:+.0f} to {high:+.0f}", f"{errors[0]:+.0f} to {errors[-1]:+.0f}", str(len(errors))]


def table(every: dict[str, Probing]) -> str:
    """The distributions as a table in Markdown."""
    head = ["path", "method", "what", "truth (kbit/s)", "median error (%)", "middle half", "all", "of 20 seeds"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, found in every.items():
        lines += ["| " + " | ".join(row) + " |" for row in rows(name, found)]
    return "\n".join(lines) + "\n"
