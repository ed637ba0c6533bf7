"""multihop-ht: ns-3's cells next to the curves of a figure."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from hopscope.reporting.chart import Chart, Mark, Panel
from hopscope.reporting.curves import curve
from hopscope.results.samples import Data

#: ns-3's name for a mode: the attribute for the size of an A-MPDU.
MODES: Mapping[str, str] = {"single frames": "0", "64 kB": "65535"}


def next_to_ns3(data: Data, _wanted: str) -> list[Chart]:
    """Throughput over the window at 4 and 8 hops with ns-3's cells of one NewReno flow, MCS 7."""
    labels = [f"{mode}, MCS 7" for mode in ("single frames", "8 kB", "64 kB")]
    panels = []
    for hops in (4, 8):
        lines = [
            curve(
                data[label],
                "flow.0.max_window",
                "flow.0.throughput_kbps",
                {"flow.0.to": hops},
                label=label.partition(",")[0],
            )
            for label in labels
            if label in data
        ]
        marks = [_cells(hops, mode, labels.index(f"{mode}, MCS 7")) for mode in MODES]
        panels.append(Panel(f"{hops} hops", lines, marks))
    caption = (
        "Throughput of one NewReno flow over the window, MCS 7. Hollow: ns-3.44, smallest to largest of three runs."
    )
    name, xlabel = "throughput-over-window", "window (segments)"
    return [Chart(name, caption, xlabel, "throughput (kbit/s)", panels, log_x=True, own_axes=True)]


def _cells(hops: int, mode: str, style: int) -> Mark:
    """The means of ns-3 over the window, with the smallest and largest run."""
    kept = sorted(_rows(hops, mode), key=lambda row: int(row["window"]))
    extremes = [(float(row["min"]), float(row["max"])) for row in kept]
    windows, means = [float(row["window"]) for row in kept], [float(row["mean"]) for row in kept]
    return Mark(f"ns-3, {mode}", windows, means, extremes, style)


def _rows(hops: int, mode: str) -> Sequence[Mapping[str, str]]:
    """The cells of TCP over a chain of 15 m hops with an ACK for each segment and a limit on the window."""
    with (Path(__file__).parents[1] / "validation" / "ns3-ht.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(line for line in table if not line.startswith("#")))
    wanted = {
        "case": "g-chain-tcp",
        "topology": f"chain {hops} hops of 15 m",
        "mcs": "7",
        "ampdu_bytes": MODES[mode],
        "amsdu_bytes": "0",
        "rts": "0",
        "delack": "1",
        "transport": "TcpNewReno",
        "metric": "total_kbps",
    }
    return [row for row in rows if row["window"] and wanted.items() <= row.items()]
