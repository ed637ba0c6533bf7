"""fu2003: what its entries share: the source, the default scenario, both profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hopscope.studies.entry import Setting

SOURCE = (
    "Fu, Zerfos, Xu, Luo, Lu, Zhang, Gerla: On TCP Performance in Multihop Wireless Networks "
    "(UCLA report; shorter at IEEE INFOCOM 2003)"
)

THROUGHPUT = "flow.0.throughput_kbps"
AGGREGATE = "network.aggregate_kbps"
JAIN = "network.jain"
OVERFLOW = "network.queue_drops"
CONTENTION = "network.mac_retry_drops"
DROP_PROBABILITY = "network.link_drop_probability"

WINDOW = "flow.0.max_window"
WINDOWS = "flow.*.max_window"
HOPS = "topology.hops"
PACKET = "flow.0.packet"
QUEUE = "mac.queue"
LAYER = "mac.link"
FIELD = "topology.seed"

PAYLOAD = 1460
"""Payload of a packet, bytes."""

UNPRINTED = "only drawn, no number printed"


def flow(start: int | str, end: int | str, **changes: Any) -> dict[str, Any]:
    """A long-lived NewReno flow with the defaults of Table 1."""
    defaults = {"transport": "tcp-newreno", "app": "bulk", "packet": PAYLOAD, "max_window": 32}
    return {"from": start, "to": end, **defaults, **changes}


CHAIN: dict[str, Any] = {
    "duration": "300s",
    "seeds": 10,
    "topology": {"kind": "chain", "hops": 7, "spacing": "200m"},
    "radio": {"preset": "wavelan-2M"},
    "mac": {"rts_threshold": 0, "queue": 50},
    "routing": {"protocol": "static"},
    "flow": [flow(0, "last")],
}
"""Table 1 of the paper: the default scenario of every experiment."""


def chain(hops: int) -> dict[str, Any]:
    """Neighbours 200 m apart on a line."""
    return {"kind": "chain", "hops": hops, "spacing": "200m"}


CROSS: dict[str, Any] = {"kind": "cross", "hops": 6, "spacing": "200m"}
GRID: dict[str, Any] = {"kind": "grid", "rows": 13, "cols": 13, "spacing": "200m"}
RANDOM: dict[str, Any] = {"kind": "random", "nodes": 200, "area": [1000, 2500], "seed": 1, "connected": True}


def across(**changes: Any) -> list[dict[str, Any]]:
    """The two flows of the 13-node cross, one along each line."""
    return [flow(0, 6, **changes), flow(7, 12, **changes)]


def evenly(count: int) -> list[int]:
    """Lines of the 13x13 grid, counted from 0, that cut its side into equal parts as nearly as they can."""
    return [round(12 * (line + 1) / (count + 1)) for line in range(count)]


CLOSE = (5, 7)
"""Lines of the grid on both sides of its middle, for flows close together."""


def over_grid(count: int, lines: Sequence[int] = (), **changes: Any) -> list[dict[str, Any]]:
    """Flows over the 13x13 grid, half along rows and half along columns: on `lines`, or spread evenly."""
    lines = lines or evenly(count // 2)
    rows = [flow(13 * row, 13 * row + 12, **changes) for row in lines]
    return rows + [flow(column, 12 * 13 + column, **changes) for column in lines]


def over_field(count: int, **changes: Any) -> list[dict[str, Any]]:
    """Flows over the random field: node numbers say nothing of the place, so each pair is a random one."""
    return [flow(2 * pair, 2 * pair + 1, **changes) for pair in range(count)]


PROFILE_NOTE = (
    "The paper does not give its ns-2 version. Profile ns2 repeats ns-2.35; profile standard follows IEEE 802.11 and "
    "the RFCs. Every statement is judged in both: profile ns2 decides it, with 10 seeds; profile standard is shown for "
    "contrast, with 5."
)
GRID_NOTE = (
    "Flows over the grid are said to be spaced evenly; they are assumed on rows and columns that divide the side into "
    "equal parts (4 and 8 of 0 to 12 for four flows). A drawing in the paper suggests four flows close together: on "
    "lines 5 and 7 they are shown for contrast."
)
FIELD_NOTE = (
    "The random field is read as 1000 m by 2500 m with uniform places, drawn again until it is connected. Ten fields "
    "with flow sets of their own stand in for replications: one run for each, compared field by field."
)
MULTIPLE_NOTE = "Several flows over one chain are assumed to share both ends and the direction, and to start together."
LAYER_NOTE = (
    "The thresholds of Link RED and the overhead of pacing are not published; Hopscope's defaults are used "
    "(fu2003.sensitivity varies them). Flows use ECN, so that Link RED marks their data; ACKs are dropped instead."
)
ACK_NOTE = "The ACK policy is not stated; one ACK for every packet is assumed. 1460 B is taken as TCP payload."


def profiles(
    scenario: Mapping[str, Any], quick: Mapping[str, Any] | None = None, label: str = "", *, decides: bool = True
) -> list[Setting]:
    """The scenario in both profiles; ns2 decides, since the paper used ns-2, and standard is shown for contrast.

    What does not decide has half the seeds.

    With `decides` false neither decides: a variant of the experiment beside the one that the statements are about.
    """
    tail = f", {label}" if label else ""
    studies = []
    for profile in ("ns2", "standard"):
        title = f"fu2003 {profile}{tail}"
        deciding = decides and profile == "ns2"
        seeds = scenario["seeds"] if deciding else max(1, scenario["seeds"] // 2)
        document = {**scenario, "title": title, "profile": profile, "seeds": seeds}
        shorter = dict(quick or {})
        if "seeds" in shorter and not deciding:
            shorter["seeds"] = (shorter["seeds"] + 1) // 2
        studies.append(Setting(f"{profile}{tail}", document, shorter, decides=deciding))
    return studies


def labelled(*labels: str) -> Callable[[str], bool]:
    """Whether a study, in whichever profile, has one of these labels."""
    return lambda label: label.partition(", ")[2] in labels
