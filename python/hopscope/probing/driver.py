"""Probing a path of a scenario by a method, and what the path really carries."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path as File
from typing import Any

from hopscope import _core
from hopscope.campaign.controls import failed, probing, run
from hopscope.errors import InputError, RunFailed, did_you_mean
from hopscope.probing import active, passive
from hopscope.probing.path import SIZE, Path, path_of
from hopscope.probing.trains import Echo, Estimate, Method, NoEstimateError, Train
from hopscope.probing.truth import Truth, truth
from hopscope.results import display
from hopscope.results.stats import Interval, interval
from hopscope.running.runner import prepare
from hopscope.scenario import Scenario

#: Replications without ``seeds``; a default.
SEEDS = 5
#: Seconds after which a probe counts as lost, and how often an end is called before probing; defaults.
PATIENCE, CALLS = 2.0, 5
#: Bytes of such a call.
CALL = 64
#: Bytes of an answer: ICMP with the header of what it answers (RFC 792).
REPLY = 56
#: Seconds that an estimator listens to a connection; a default.
LISTEN = 60.0

NS = 1_000_000_000

#: Method -> what it is, in one line.
METHODS = {
    "packet-pair": "capacity from how far apart two packets arrive that left back to back",
    "packet-pair-by-acks": "the same from how far apart their acknowledgements come back",
    "vps": "capacity of each hop from round trips of packets of many sizes (pathchar)",
    "slops": "available bandwidth from rates at which one-way delays rise (pathload)",
    "topp": "capacity and available bandwidth from pairs at rising rates (TOPP)",
    "westwood": "the estimate of TCP Westwood+, by the ACKs of a TCP flow",
    "westwood-by-acks": "the estimate of TCP Westwood with a sample for each ACK of a TCP flow",
    "tibet": "the estimate of TIBET, by the ACKs of a TCP flow",
    "tcp-ap": "the rate of TCP-AP, by the round trips of a TCP flow over radio",
}

#: Word for all methods that a path allows.
EVERY = "all"

_ACTIVE: Mapping[str, Callable[[Path, random.Random], Method]] = {
    "packet-pair": lambda path, rng: active.packet_pair(path.size, rng),
    "packet-pair-by-acks": lambda path, rng: active.packet_pair_by_acks(path.size, rng),
    "vps": lambda path, rng: active.vps(path.size, rng, path.ends[1]),
    "slops": lambda path, rng: active.slops(path.size, rng),
    "topp": lambda path, rng: active.topp(path.size, rng),
}


#: Numbers of a run by name: errors in per cent of the truth, the range that the method gives in per cent of its middle,
#: simulated seconds, probes.
VALUES = ("capacity_error", "available_error", "range", "seconds", "packets")


@dataclass(frozen=True)
class Probed:
    """One estimate and the true value.

    Attributes:
        method: how it was made.
        seed: of the run.
        estimate: what the method says; None where too little came back.
        truth: what the path carries.
        seconds: simulated time that it took.
        packets: probes sent, or ACKs heard.
        why: why there is no estimate.
    """

    method: str
    seed: int
    estimate: Estimate | None
    truth: Truth
    seconds: float
    packets: int
    why: str = ""

    def error(self, of: str) -> float | None:
        """By how many per cent an estimate is above the truth; None without one.

        Args:
            of: ``capacity`` or ``available``.
        """
        reported = getattr(self.estimate, of) if self.estimate else None
        real = getattr(self.truth, of)
        return None if reported is None or not real else round(100 * (reported / real - 1), 6)

    def value(self, name: str) -> float | None:
        """One of :data:`VALUES`; None without an estimate of that kind."""
        what, _, error = name.partition("_")
        if error:
            return self.error(what)
        if name != "range":
            return float(getattr(self, name)) if self.estimate else None
        low, high = (self.estimate.low, self.estimate.high) if self.estimate else (None, None)
        return 200 * (high - low) / (high + low) if high and low is not None else None


@dataclass(frozen=True)
class Probing(display.Shown):
    """The estimates of some methods over the same path.

    Attributes:
        path: what was probed.
        runs: one for each method and seed, method by method.
    """

    drawn = "probing"

    path: Path
    runs: tuple[Probed, ...]

    def __repr__(self) -> str:
        ends = " to ".join(map(str, self.path.ends))
        return f"Probing({self.path.scenario.title!r}, {ends}, methods={self.methods}, runs={len(self.runs)})"

    @property
    def methods(self) -> list[str]:
        """The methods, in their order."""
        return list(dict.fromkeys(run.method for run in self.runs))

    def of(self, method: str) -> list[Probed]:
        """The runs of a method."""
        return [run for run in self.runs if run.method == method]

    def summary(self, method: str, what: str) -> Interval:
        """Mean and interval over the seeds.

        Args:
            method: how it was estimated.
            what: ``capacity`` or ``available``; with ``_error`` behind it the error in per cent.
        """
        name, _, error = what.partition("_")
        runs = [run for run in self.of(method) if run.estimate is not None]
        reported = [run.error(name) if error else getattr(run.estimate, name) for run in runs]
        return interval([value for value in reported if value is not None])

    def truth(self, what: str) -> Interval:
        """Mean and interval over the seeds of the real ``capacity`` or what is ``available``."""
        real = {run.seed: getattr(run.truth, what) for run in self.runs}
        return interval(list(real.values()))

    def to_json(self) -> dict[str, Any]:
        """The outcome as ``--json`` prints it; rates in kbit/s."""
        return {
            "hopscope": _core.version(),
            "scenario": self.path.scenario.resolved,
            "from": self.path.ends[0],
            "to": self.path.ends[1],
            "size": self.path.size,
            "runs": [_run_json(run) for run in self.runs],
        }


def probe(
    what: str | File | Mapping[str, Any] | Scenario,
    methods: str | Sequence[str],
    *,
    ends: tuple[int | None, int | None] = (None, None),
    size: int = SIZE,
    seeds: int | None = None,
    after: float | None = None,
    switches: Sequence[int] = (),
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
) -> Probing:
    """Estimates what a path carries by methods of the literature, and compares it with what it really carries.

    Args:
        what: a scenario file, its keys as a mapping, or a :class:`Scenario`, without a sweep.
        methods: one or several of :data:`METHODS`; ``"all"``: those that the path allows.
        ends: node that sends the probes and node that they go to; without them those of the first flow, in whose place
            the probes stand.
        size: bytes of a probe with network header.
        seeds: replications; default: the scenario's, at least 5.
        after: seconds when probing begins; default: one after the warm-up and the start of every other flow.
        switches: hops, counted from 1, that end at a switch: it stores and forwards as a node does, but counts no hop
            and answers nothing.
        set: dotted keys to change, as with ``--set``.

    Raises:
        InputError: an unknown method, a path that cannot be probed, an end that does not answer.
        RunFailed: a run ended with an error.
    """
    chosen = [methods] if isinstance(methods, str) else list(methods)
    for method in chosen:
        if method not in METHODS and chosen != [EVERY]:
            allowed = ", ".join([*METHODS, EVERY])
            raise InputError(f"--method {method}: unknown method{did_you_mean(method, METHODS)}; allowed: {allowed}")
    scenario = prepare(what, seeds=seeds, set=set)
    number = max(scenario.seeds, SEEDS) if seeds is None else scenario.seeds
    path = replace(path_of(scenario, ends, size, after), switches=tuple(switches))
    if chosen == [EVERY]:
        chosen = [method for method in METHODS if method != "tcp-ap" or _all_radio(path)]
    if "tcp-ap" in chosen and not _all_radio(path):
        raise InputError("--method tcp-ap: counts hops over radio; this scenario has wires")
    replications = range(scenario.seed, scenario.seed + number)
    for seed in replications:
        with _session(path, seed):
            pass
    real = {seed: truth(path, seed) for seed in replications}
    return Probing(path, tuple(_probed(path, method, seed, real[seed]) for method in chosen for seed in replications))


def values(document: Mapping[str, Any], method: str, name: str, switches: Sequence[int] = ()) -> dict[int, float]:
    """One of :data:`VALUES` by seed, as a method finds it on the path of a scenario's first flow; each is probed once.

    Raises:
        InputError, RunFailed: as of :func:`probe`.
    """
    runs = _probed_once(json.dumps(dict(document), sort_keys=True), method, tuple(switches))
    return {run.seed: value for run in runs if (value := run.value(name)) is not None}


@cache
def _probed_once(document: str, method: str, switches: tuple[int, ...]) -> tuple[Probed, ...]:
    scenario = json.loads(document)
    return probe(scenario, method, seeds=scenario.get("seeds"), switches=switches).runs


# --- One estimate -----------------------------------------------------------------------------------------------------


def _probed(path: Path, method: str, seed: int, real: Truth) -> Probed:
    try:
        if method in _ACTIVE:
            estimate, seconds, packets = _send(path, method, seed)
        else:
            estimate, seconds, packets = _listen(path, method, seed)
    except NoEstimateError as error:
        return Probed(method, seed, None, real, 0.0, 0, str(error))
    return Probed(method, seed, estimate, real, seconds, packets)


@contextlib.contextmanager
def _session(path: Path, seed: int) -> Iterator[_core.Probing]:
    """The network of a seed when probing begins, its routes and addresses found.

    Raises:
        InputError: no answer comes back from the other end.
        RunFailed: code of the user's failed.
    """
    config, controls = path.without_probes(seed)
    try:
        session = probing(config, controls, seed)
        session.advance(_ns(path.begin))
        if all(session.echo(path.ends, CALL, REPLY, _ns(PATIENCE)) is None for _ in range(CALLS)):
            one, other = path.ends
            raise InputError(
                f"no answer of node {other} comes back to node {one} within {CALLS * PATIENCE:g} s from "
                f"{path.begin:g} s on (seed {seed}): an estimator needs a way back"
            )
        yield session
    except _core.ControlError as error:
        raise failed(error, controls) from None


def _send(path: Path, method: str, seed: int) -> tuple[Estimate, float, int]:
    with _session(path, seed) as session:
        begun, sent = session.now, 0
        steps = _ACTIVE[method](path, random.Random(f"{method} {seed}"))
        answer: Any = None
        while True:
            try:
                wanted = steps.send(answer)
            except StopIteration as stop:
                return stop.value, (session.now - begun) / NS, sent
            start = session.now + _ns(wanted.pause)
            if isinstance(wanted, Train):
                train = [(start + _ns(at), size) for at, size in wanted.packets]
                ends = path.ends[::-1] if wanted.back else path.ends
                seen = session.train(ends, train, _ns(PATIENCE))
                answer = [None if one is None else (one[0] - start) / NS for one in seen]
                sent += len(train)
            else:
                answer = _echoed(session, path, wanted, start)
                sent += 1


def _echoed(session: _core.Probing, path: Path, wanted: Echo, start: int) -> tuple[float, int] | None:
    session.advance(start)
    seen = session.echo(path.ends, wanted.bytes, REPLY, _ns(PATIENCE), path.hops_to(wanted.ttl))
    return None if seen is None else (seen[0] / NS, seen[1])


def _listen(path: Path, method: str, seed: int) -> tuple[Estimate, float, int]:
    listener: Any = {"class": passive.Paced, "link_rate": path.link_rate} if method == "tcp-ap" else passive.Listener
    scenario = path.with_tcp(seed, listener, LISTEN)
    point = scenario.points[0]
    passive.Listener.take()
    try:
        run(point.engine_config(seed), point.controls(), seed)
    except Exception as error:
        raise RunFailed(f"--method {method}, seed {seed}: {error}") from error
    acks = passive.Listener.take()
    if method == "westwood":
        reported = list(passive.westwood(acks))
    elif method == "westwood-by-acks":
        reported = list(passive.westwood_by_acks(acks))
    elif method == "tibet":
        reported = list(passive.tibet(acks))
    else:
        reported = list(passive.tcp_ap(acks, path.size, path.link_rate))
    settled = passive.over_time(reported)
    if settled is None:
        raise NoEstimateError(f"{len(acks)} ACKs in {LISTEN:g} s give no estimate")
    middle, low, high = settled
    carried = 8 * sum(ack.bytes for ack in acks) / LISTEN
    return Estimate(available=middle, low=low, high=high, detail={"carried": carried}), LISTEN, len(acks)


# --- Helpers ----------------------------------------------------------------------------------------------------------


def _all_radio(path: Path) -> bool:
    return not path.scenario.points[0].config(path.scenario.seed).get("wires")


def _ns(seconds: float) -> int:
    return round(seconds * NS)


def _run_json(run: Probed) -> dict[str, Any]:
    found: dict[str, Any] = {"method": run.method, "seed": run.seed, "seconds": run.seconds, "packets": run.packets}
    if run.estimate is None:
        found["why"] = run.why
    else:
        reported = run.estimate
        named = {name: getattr(reported, name) for name in ("capacity", "available", "low", "high")}
        found["estimate"] = {f"{name}_kbps": value / 1e3 for name, value in named.items() if value is not None}
        found["detail"] = reported.detail
    found["truth"] = {"capacity_kbps": run.truth.capacity / 1e3, "available_kbps": run.truth.available / 1e3}
    found["error_pct"] = {name: run.error(name) for name in ("capacity", "available") if run.error(name) is not None}
    return found
