"""What the page of performance shows of bench/history.jsonl: each figure over the commits that were measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.reporting.plots import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = Path(__file__).resolve().parents[1] / "bench" / "history.jsonl"

#: Commits of the table, from the last back.
MOST = 10

#: Panels of a row of the picture.
ACROSS = 3


def lines(file: Path = FILE) -> list[Mapping[str, Any]]:
    """What was measured, a commit each, in the order of measuring."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def rows(measured: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table: a figure each, with the last commits as columns."""
    last = measured[-MOST:]
    names = dict.fromkeys(name for line in last for name in line["figures"])
    shown = [[name, *(_shown(line["figures"].get(name)) for line in last)] for name in names]
    return ["figure", *(f"{line['commit']}, {line['date']}" for line in last)], shown


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def chart(measured: Sequence[Mapping[str, Any]]) -> Figure:
    """A panel for each figure, from zero, over the commits; the points of a machine are joined."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for line in measured for name in line["figures"]))
    machines = list(dict.fromkeys(line["machine"] for line in measured))
    places = range(len(measured))
    with styled():
        down = max(1, -(-len(names) // ACROSS))
        figure = Figure(figsize=(9.6, 1.9 * down), layout="constrained")
        grid = list(figure.subplots(down, ACROSS, squeeze=False).flat)
        for ax, name in zip(grid, names, strict=False):
            for of in machines:
                on = [n for n in places if measured[n]["machine"] == of and name in measured[n]["figures"]]
                ax.plot(on, [measured[n]["figures"][name] for n in on], marker="o", markersize=3)
            ax.set_title(name, loc="left", fontsize=8)
            ax.set_ylim(0, 1.15 * max(line["figures"].get(name, 0) for line in measured))
            ax.set_xticks(list(places), [measured[n]["commit"] for n in places], rotation=60, fontsize=6)
        for unused in grid[len(names) :]:
            unused.remove()
    return figure
