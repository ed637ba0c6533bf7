"""One TCP flow over one wired bottleneck with a drop-tail queue: what the textbooks draw of a congestion control.

>>> import hopscope as hs
>>> run = hs.bottleneck("tcp-cubic", rate="10Mbps", delay="50ms", queue=60)     # doctest: +SKIP
>>> run.samples.plot("t_s", "cwnd")                                            # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope import _core
from hopscope.campaign import controls
from hopscope.errors import InputError
from hopscope.results import columns
from hopscope.scenario import Scenario
from hopscope.scenario.fields import Field, FieldError
from hopscope.usercode.congestion import CongestionControl

if TYPE_CHECKING:
    import pandas as pd

#: Bytes of IPv4 and TCP headers of a packet on the wire (RFC 791, RFC 9293).
HEADERS = 40

#: The slow-start threshold that the engine starts from: none.
NO_THRESHOLD = 2**32 - 1

_PATH = (
    Field("rate", "int", "Rate of the link.", "bit/s", default=10_000_000, minimum=1, maximum=1e12),
    Field("delay", "time", "Propagation delay, each way.", "s", maximum=100),
    Field("queue", "int", "Packets that can wait.", "packets", minimum=0, maximum=1_000_000),
    Field("interval", "time", "Least time between samples.", "s"),
)


@dataclass(frozen=True, repr=False)
class Bottleneck:
    """What one flow did over a wired bottleneck.

    Attributes:
        transport: what the flow used.
        samples: one row a sample: ``t_s`` (s); ``cwnd``, ``ssthresh`` (infinite before the first loss), ``in_flight``
            (segments); ``queue`` (packets in the queue and on the link, in parts of a full one); ``sent`` and ``acked``
            (segments so far).
        drops_s: instants of the drops in seconds.
        retransmissions: segments sent again.
        timeouts: retransmission timeouts.
        packet: payload of a segment in bytes.
    """

    transport: str
    samples: pd.DataFrame
    drops_s: list[float]
    retransmissions: int
    timeouts: int
    packet: int

    def __repr__(self) -> str:
        return (
            f"Bottleneck({self.transport!r}, samples={len(self.samples)}, drops={len(self.drops_s)}, "
            f"retransmissions={self.retransmissions}, timeouts={self.timeouts})"
        )

    def goodput_kbps(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Payload acknowledged between two instants (s) over the time between, in kbit/s.

        Raises:
            ValueError: fewer than two samples lie between them.
        """
        rows = self.samples[self.samples["t_s"].between(start, end)]
        if len(rows) < 2:
            raise ValueError(f"no two samples lie between {start:g} s and {end:g} s")
        first, last = rows.iloc[0], rows.iloc[-1]
        return float((last["acked"] - first["acked"]) * self.packet * 8e-3 / (last["t_s"] - first["t_s"]))


def bottleneck(
    transport: str | type[CongestionControl] = "tcp-newreno",
    *,
    rate: str | float = "10Mbps",
    delay: str | float = "20ms",
    queue: int = 100,
    duration: str | float = "60s",
    interval: str | float = 0,
    seed: int = 1,
    profile: str = "standard",
    tcp: Mapping[str, Any] | None = None,
    **flow: Any,
) -> Bottleneck:
    """Runs one flow over a link with a queue before it and the same delay both ways; ACKs take no room.

    Args:
        transport: a TCP variant as in a scenario, or a congestion control of your own.
        rate: rate of the link (bit/s); a packet takes its payload and 40 bytes of headers.
        delay: propagation delay each way (s).
        queue: packets that can wait behind the one being sent.
        duration: end of the run (s).
        interval: least time between samples (s); 0: one at each ACK.
        seed: seed of the random numbers that a congestion control draws.
        profile: rules of TCP, ``"standard"`` or ``"ns2"``.
        tcp: keys of ``[tcp]``.
        flow: further keys of a flow: ``packet``, ``max_window`` (default here: 100000), ``ack``, ``app = "file"`` with
            ``bytes``, ``control``.

    Raises:
        InputError: a value that does not fit.
        RunFailed: a congestion control of your own failed.
    """
    path = _read({"rate": rate, "delay": delay, "queue": queue, "interval": interval})
    table = {**flow, "from": 0, "to": 1, "transport": transport}
    if transport != "udp":  # which the engine refuses here
        table |= {"max_window": flow.get("max_window", 100_000), "tcp": dict(tcp or {})}
    scenario = Scenario(
        duration=duration, seed=seed, profile=profile, topology={"kind": "chain", "hops": 1}, flow=[table]
    )
    alone = _alone(scenario.points[0].config(seed))
    document = {
        "flow": alone["flows"][0],
        "rate": path["rate"],
        "delay": path["delay"],
        "queue": path["queue"],
        "header": HEADERS,
        "hops": 1,
        "duration": alone["duration"],
        "sample": path["interval"],
        "seed": seed,
    }
    try:
        again, timeouts, found = controls.run_bottleneck(document, scenario.points[0].controls()[0], seed)
    except _core.EngineError as error:
        reported = [f"{key.removeprefix('flow.')}: {message}" for key, message in error.problems]
        raise InputError("\n".join(reported)) from error
    samples, drops = (columns.table(one).to_pandas() for _, one in found)
    samples["ssthresh"] = samples["ssthresh"].where(samples["ssthresh"] < NO_THRESHOLD, float("inf"))
    named = scenario.resolved["flow"][0]["transport"]
    return Bottleneck(str(named), samples, drops["t_s"].tolist(), again, timeouts, alone["flows"][0]["packet"])


def _alone(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration, if its flow is the only one and has no reply.

    Raises:
        InputError: it is not.
    """
    if len(config["flows"]) != 1:
        raise InputError("copies: one flow alone uses the bottleneck")
    if "reply" in config["flows"][0]:
        raise InputError("reply: the bottleneck carries data one way")
    return config


def _read(values: Mapping[str, object]) -> dict[str, int]:
    result, wrong = {}, []
    for field in _PATH:
        try:
            result[field.name] = field.read(values[field.name])
        except FieldError as error:
            wrong.append(f"{field.name}: {error}")
    if wrong:
        raise InputError("\n".join(wrong))
    return result
