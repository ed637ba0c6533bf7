"""What a user asks of a run on real stacks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hopscope.errors import InputError
from hopscope.scenario import units


@dataclass(frozen=True)
class LiveOptions:
    """Options of ``hopscope live`` and ``hopscope shell``.

    Attributes:
        duration_s: end of the run in seconds; None: that of the scenario, for a shell none.
        on_late: "warn" goes on when real time is missed, "abort" ends the run.
        fifo: ask for SCHED_FIFO, for the radio and for the flows.
        net: the IPv4 net of the nodes, such as "10.99.0.0/16"; None: the first usual one that the host does not use.
        simulated_flows: leave the flows of the scenario in the engine.
        explain: keep the airtime ledger, as ``explain = true`` of the scenario does.
        pcap: file for the frames of all radios; None: none is written.
        force: replace that file where it is there.
        out: folder for the logs of programs, the tables and the result; None: none is kept.
        watch: show the run in a browser while it lives.
    """

    duration_s: float | None = None
    on_late: Literal["warn", "abort"] = "warn"
    fifo: bool = True
    net: str | None = None
    simulated_flows: bool = False
    explain: bool = False
    pcap: Path | None = None
    force: bool = False
    out: Path | None = None
    watch: bool = False


def seconds(duration: str | float | None, label: str) -> float | None:
    """The seconds of a duration; messages begin with ``label``.

    Raises:
        InputError: it is none, or not above 0.
    """
    if duration is None:
        return None
    try:
        found = float(units.parse(duration, "s") if isinstance(duration, str) else duration)
    except InputError as error:
        raise InputError(f"{label} {duration}: {error}") from None
    if found <= 0:
        raise InputError(f"{label} {duration}: must be above 0 s")
    return found
