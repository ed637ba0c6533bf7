"""What of a run is captured, and what a capture has come to: its file, the engine's counts, why it ended early."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, shown

if TYPE_CHECKING:
    from hopscope.scenario import Scenario


@dataclass(frozen=True)
class Choice:
    """What of a run is captured.

    Attributes:
        node: this node alone; None: all.
        flow: packets of this flow alone, and the frames that carry, announce or answer them; None: everything.
        radio: frames of 802.11 at the radios.
        host: IP packets at the hosts.
        lost: frames and packets that were lost, too, each with a comment that says why.
        monitor: frames for others that a radio could read, too.
    """

    node: int | None = None
    flow: int | None = None
    radio: bool = True
    host: bool = True
    lost: bool = False
    monitor: bool = False

    def check(self, scenario: Scenario, prefix: str = "") -> None:
        """Refuses nodes and flows that the scenario has not got; messages begin with ``prefix`` and the name.

        Raises:
            InputError: there is no such node or flow.
        """
        for point in scenario.points:
            config = point.config(scenario.seed)
            replies = sum(1 for flow in config["flows"] if flow.get("reply"))
            for name, found, count in (
                ("node", self.node, len(config["nodes"])),
                ("flow", self.flow, len(config["flows"]) + replies),
            ):
                if found is not None and (type(found) is not int or not 0 <= found < count):
                    allowed = f"{name}s 0 to {count - 1}" if count > 1 else f"{name} 0 alone"
                    raise InputError(f"{prefix}{name}: found {shown(found)}; the scenario has {allowed}")
            if self.node is None and self.flow is None:
                return


@dataclass(frozen=True)
class Captured:
    """A capture.

    Attributes:
        path: its file; ``-`` is standard output.
        packets: packets and frames in it.
        octets: its size before any compression, bytes.
        counted_otherwise: packets and frames whose octets the scenario counts with another size on the air; each says
            so in a comment.
        ended_s: simulated time at which it ended before the run, seconds; None: it is whole.
        reason: why it ended; empty: it is whole.
        broken_pipe: it ended because its reader went away.
        tally: the engine's own counts over all nodes, whatever was captured: ``frames`` by kind (of an
            A-MPDU each MPDU), ``retries``, ``ampdus``, ``routing`` messages on the air by kind, ``dccp`` packets by
            type, ``sack_blocks`` and ``ecn_echoes`` that transports sent.
        connections: the engine's own figures of each TCP connection at the host that opens it: ``flow``,
            ``sent_packets``, ``received_packets``, ``data_packets``, ``unique_bytes``, ``retransmitted_packets``,
            ``retransmitted_bytes``, ``duplicate_acks``, ``sack_blocks``, ``rtt_samples``, ``rtt_min_ms``,
            ``rtt_avg_ms``, ``rtt_max_ms`` (None without samples), ``elapsed_s``, ``throughput_kbps``.
    """

    path: Path
    packets: int
    octets: int
    counted_otherwise: int
    ended_s: float | None
    reason: str
    broken_pipe: bool
    tally: Mapping[str, Any]
    connections: Sequence[Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path, summary: Mapping[str, Any]) -> Captured:
        """A capture of the summary that the engine gives."""
        ended = summary["ended"] or {"at_s": None, "message": "", "broken_pipe": False}
        return cls(
            path=path,
            packets=summary["packets"],
            octets=summary["octets"],
            counted_otherwise=summary["counted_otherwise"],
            ended_s=ended["at_s"],
            reason=ended["message"].partition(" (os error")[0],
            broken_pipe=ended["broken_pipe"],
            tally=summary["tally"],
            connections=summary["connections"],
        )

    def __repr__(self) -> str:
        return f"Captured({self.sentence()!r})"

    @property
    def is_whole(self) -> bool:
        """Whether it reaches to the end of the run."""
        return self.ended_s is None

    @property
    def has_failed(self) -> bool:
        """Whether it ended before the run, and not as its reader went away."""
        return not self.is_whole and not self.broken_pipe

    def sentence(self) -> str:
        """What came of it, in words."""
        packets = f"{self.packets} packet{'s' * (self.packets != 1)}"
        if self.ended_s is not None:
            return f"{self.path}: the capture ended at {self.ended_s:.9g} s, the run did not: {self.reason}"
        if self.packets == 0:
            return f"{self.path}: nothing of the run matches; the capture has no packets"
        return f"{self.path}: {packets}"

    def to_json(self) -> dict[str, Any]:
        """Returns it as ``--json`` prints it."""
        return {
            "path": str(self.path),
            "packets": self.packets,
            "octets": self.octets,
            "counted_otherwise": self.counted_otherwise,
            "ended_s": self.ended_s,
            "reason": self.reason,
            "tally": dict(self.tally),
            "connections": [dict(connection) for connection in self.connections],
        }
