"""A radio without air, in place of the engine: a hub over real TAP devices that hands each frame to whom it names.

With it the set-up, the programs and the flows are tried without the speed of a machine being part of the test.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import time
from typing import Any

from hopscope.results.metrics import metrics

#: TUNSETIFF, IFF_TAP without a header of its own (linux/if_tun.h).
_SET, _TAP = 0x400454CA, 0x1002


class Tap:
    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)

    @staticmethod
    def open(name: str) -> Tap:
        found = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(found, _SET, struct.pack("16sH22x", name.encode(), _TAP))
        return Tap(found)


class LiveError(Exception):
    """As ``hopscope._core.LiveError``."""


class Outcome:
    """As ``hopscope._core.Outcome``: a run without flows, of which the hub knows the frames alone."""

    series: tuple[()] = ()

    def __init__(self, config: Any, now: int, carried: dict[tuple[int, int], int]) -> None:
        self._config, self._now, self._carried = config, now, carried

    def values(self) -> dict[str, Any]:
        nodes = range(len(self._config["nodes"]))
        sent = [sum(count for (source, _), count in self._carried.items() if source == node) for node in nodes]
        ends = [list(side) for side in zip(*self._carried, strict=True)] or [[], []]
        found = {
            "seed": self._config["seed"],
            "flows": [],
            "nodes": [{**_empty("node"), "id": node, "mac_packets": sent[node]} for node in nodes],
            "links": {"from": ends[0], "to": ends[1], "packets": list(self._carried.values())},
            "network": {**_empty("network"), "mac_packets": sum(sent)},
            "engine": {"events": 0, "edges": 0, "frames": sum(sent), "wall_s": 0.0},
        }
        if self._config["explain"]:
            idle = [{"ns": {"bystander": self._now}} for _ in nodes]
            found["ledger"] = {"duration_ns": self._now, "nodes": idle, "links": [], "flows": []}
        return found


def _empty(scope: str) -> dict[str, Any]:
    return {metric.name: {} if metric.kind == "counts" else 0 for metric in metrics(scope)}


class Live:
    """As ``hopscope._core.Live``: frames arrive at once, whatever the distance."""

    verdict, cause = "ok", ""

    def __init__(
        self,
        config: Any,
        taps: list[Tap],
        *,
        fifo: bool = True,
        on_late: str = "warn",
        layer: str = "link",
        capture: Any = None,
        records: Any = None,
    ) -> None:
        self.config = config
        self.changes: list[dict[str, Any]] = []
        self._taps = taps
        self._until = 0
        self._begun = 0
        self._stopped = False
        self._in = self._out = 0
        self._carried: dict[tuple[int, int], int] = {}

    def run(self, nanoseconds: int) -> None:
        self._begun = time.monotonic_ns()
        by_descriptor = {tap.descriptor: node for node, tap in enumerate(self._taps)}
        while not self._stopped and time.monotonic_ns() - self._begun < nanoseconds:
            for descriptor in select.select(list(by_descriptor), [], [], 0.01)[0]:
                self._carry(os.read(descriptor, 4096), by_descriptor[descriptor])
        self._until = min(nanoseconds, time.monotonic_ns() - self._begun)

    def _carry(self, frame: bytes, source: int) -> None:
        self._in += 1
        to = range(len(self._taps)) if frame[0] & 1 else [int.from_bytes(frame[4:6], "big")]
        for node in to:
            if node != source and node < len(self._taps):
                os.write(self._taps[node].descriptor, frame)
                self._out += 1
                self._carried[source, node] = self._carried.get((source, node), 0) + 1

    def stop(self) -> None:
        self._stopped = True

    def change(self, change: dict[str, Any]) -> None:
        self.changes.append(change)

    @property
    def now(self) -> int:
        return self._until or time.monotonic_ns() - self._begun

    def positions(self) -> list[list[float]]:
        return list(self.config["nodes"])

    def report(self) -> dict[str, Any]:
        late = {"count": self._out, "p50": 1, "p90": 1, "p99": 2, "p999": 2, "max": 3}
        frames = {"in": self._in, "out": self._out, "lost": {}, "under_way": 0, "unknown_destination": {}}
        return {
            "lateness_us": late, "share_above_1ms": 0.0, "core_share": 0.01, "scheduling": "other",
            "frames": frames, "verdict": self.verdict, "cause": self.cause,
        }  # fmt: skip

    def end_capture(self) -> None:
        return None

    def results(self) -> Outcome:
        return Outcome(self.config, self.now, dict(sorted(self._carried.items())))


def install() -> None:
    """Puts the hub into the place of the engine, as a test in another process does."""
    from hopscope import _core

    _core.Live, _core.Tap, _core.LiveError = Live, Tap, LiveError  # type: ignore[misc, assignment]
