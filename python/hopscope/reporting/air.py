"""Frames on the air of a chain, by node and time, from the lines in which a test reports them.

A line is when a frame begins and ends in microseconds, who sends it and for whom, what it is (``data``, ``tcp-ack``,
``rts``, ``cts``, ``mac-ack``) and what became of it there: ``received``, or why not. Lines that begin with ``#`` are
the title.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope.io.extras import need
from hopscope.reporting.plots import COLOURS, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colours of frames, and what the legend calls them.
_KINDS = {
    "data": (COLOURS[0], "data"),
    "tcp-ack": (COLOURS[1], "TCP's ACK"),
    "rts": ("#bbbbbb", "RTS, CTS, MAC's ACK"),
    "cts": ("#bbbbbb", "RTS, CTS, MAC's ACK"),
    "mac-ack": ("#bbbbbb", "RTS, CTS, MAC's ACK"),
}
_BAR = 0.34


@dataclass(frozen=True)
class OnAir:
    """A frame.

    Attributes:
        begin_us: when it begins.
        end_us: when it ends.
        sender: number of the node that sends it.
        receiver: number of the node that it is for.
        what: its kind.
        outcome: what became of it there.
    """

    begin_us: int
    end_us: int
    sender: int
    receiver: int
    what: str
    outcome: str

    @property
    def is_lost(self) -> bool:
        """Whether it was not received."""
        return self.outcome != "received"


def read_air(text: str) -> tuple[str, list[OnAir]]:
    """The title and the frames that the lines report.

    Raises:
        ValueError: a line that is none of a frame, or none at all.
    """
    title, frames = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            title.append(line.lstrip("# "))
            continue
        words = line.split()
        if len(words) != 6 or not all(word.isdigit() for word in words[:4]) or words[4] not in _KINDS:
            raise ValueError(
                f"line {number}: found {line!r}; a line is begin and end in us, sender, receiver, one of "
                f"{', '.join(_KINDS)}, and what became of it"
            )
        begin, end, sender, receiver = map(int, words[:4])
        frames.append(OnAir(begin, end, sender, receiver, words[4], words[5]))
    if not frames:
        raise ValueError("there are no frames to draw")
    return " ".join(title), frames


def air_chart(text: str) -> Figure:
    """The frames as bars at the node that sends them, with an arrow to the node they are for; what is lost is crossed.

    Raises:
        ValueError: as of :func:`read_air`.
    """
    need("matplotlib")
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    title, frames = read_air(text)
    nodes = sorted({node for frame in frames for node in (frame.sender, frame.receiver)})
    with styled():
        figure = Figure(figsize=(9.0, 0.75 * len(nodes) + 1.4), layout="constrained")
        ax = figure.subplots()
        for frame in frames:
            begin, end, y = frame.begin_us / 1000, frame.end_us / 1000, frame.sender
            colour = _KINDS[frame.what][0]
            edge = "#b00020" if frame.is_lost else colour
            hatch = "////" if frame.is_lost else ""
            ax.barh(y, end - begin, _BAR, left=begin, color=colour, edgecolor=edge, hatch=hatch, linewidth=0.8)
            towards = 1 if frame.receiver > frame.sender else -1
            tip = (end, frame.receiver - towards * _BAR / 2)
            style = {"arrowstyle": "->", "color": edge, "lw": 0.8, "ls": ":" if frame.is_lost else "-"}
            ax.annotate("", tip, (end, y + towards * _BAR / 2), arrowprops=style)
            if frame.is_lost:
                ax.plot(*tip, marker="x", color=edge, ms=6, mew=1.6)
        ax.set_yticks(nodes, [f"node {node}" for node in nodes])
        ax.invert_yaxis()
        ax.grid(visible=False)
        ax.set(xlabel="time (ms)", title=title)
        known = dict.fromkeys(_KINDS[frame.what] for frame in frames)
        handles = [Patch(facecolor=colour, label=name) for colour, name in known]
        handles.append(Patch(facecolor="white", edgecolor="#b00020", hatch="////", label="not received"))
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure
