"""Sequence charts of exchanges between two ends, from the lines in which tests report them.

A line is an instant in ms, who sends (``>`` the left end, ``<`` the right one), what, and ``lost`` where the path drops
it; or an instant, ``=``, and after it the name of a moment and what both ends know then, with ``;`` between them. Lines
that begin with ``#`` are the title.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopscope.io.extras import need
from hopscope.reporting.plots import COLOURS, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches of a line of the chart, and of its width.
_ROW, _WIDTH = 0.34, 8.0
#: Where the ends stand, and the colours of data, of what carries none, and of what is lost.
_LEFT, _RIGHT = 0.0, 1.0
#: Where on its way a packet is named, and where one is lost.
_PART, _LOST_AT = 0.3, 0.7
_DATA, _OTHER, _LOST = COLOURS[0], "#666666", COLOURS[1]


@dataclass(frozen=True)
class Message:
    """A packet from one end to the other.

    Attributes:
        ms: when it leaves.
        leftwards: it comes from the right end.
        text: what it is.
        lost: it does not arrive.
    """

    ms: float
    leftwards: bool
    text: str
    lost: bool


@dataclass(frozen=True)
class Moment:
    """What both ends know at an instant, and the name of that instant."""

    ms: float
    name: str
    left: str
    right: str


@dataclass(frozen=True)
class Exchange:
    """What happens between two ends."""

    title: str
    messages: tuple[Message, ...]
    moments: tuple[Moment, ...]


def read_exchange(text: str) -> Exchange:
    """The exchange that the lines report.

    Raises:
        ValueError: a line that is none of an exchange.
    """
    title, messages, moments = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            title.append(line.lstrip("# "))
            continue
        at, _, rest = line.partition(" ")
        mark, _, what = rest.partition(" ")
        if not at.isdigit() or mark not in {">", "<", "="} or not what:
            raise ValueError(
                f"line {number}: found {line!r}; a line is an instant in ms, one of > < =, and what happens"
            )
        if mark == "=":
            parts = [part.strip() for part in what.split(";")]
            if len(parts) != 3:
                raise ValueError(f"line {number}: found {line!r}; a moment has a name and what both ends know")
            moments.append(Moment(float(at), *parts))
            continue
        lost = what.endswith(" lost")
        messages.append(Message(float(at), mark == "<", what.removesuffix(" lost"), lost))
    return Exchange(" ".join(title), tuple(messages), tuple(moments))


def sequence_chart(exchange: Exchange, ends: tuple[str, str], delay_ms: float) -> Figure:
    """The exchange as a sequence chart: time runs downwards by the order of what happens, not to scale.

    Args:
        exchange: what happens.
        ends: names of the left and the right end.
        delay_ms: how long a packet is on its way.

    Raises:
        ValueError: an exchange without messages.
    """
    need("matplotlib")
    from matplotlib.figure import Figure

    if not exchange.messages:
        raise ValueError("the exchange has no messages to draw")
    instants = sorted(
        {at for m in exchange.messages for at in (m.ms, m.ms + delay_ms)} | {m.ms for m in exchange.moments}
    )
    # Packets that leave or arrive together need a row each; what is lost arrives nowhere.
    leaves, arrives = _places(exchange, 0.0), _places(exchange, delay_ms)
    height: dict[float, float] = {}
    row = 0.0
    for at in instants:
        height[at] = row
        moving = [
            place
            for message, first, last in zip(exchange.messages, leaves, arrives, strict=True)
            for when, place in ((message.ms, first), (message.ms + delay_ms, last))
            if when == at
        ]
        row += max((place + 1 for place in moving), default=1)
    with styled():
        figure = Figure(figsize=(_WIDTH, _ROW * (row + 2.5)))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set_xlim(-0.75, 1.75)
        ax.set_ylim(row + 0.3, -2.2)
        ax.axis("off")
        ax.text(0.5, -1.9, exchange.title, ha="center", va="center", weight="bold")
        for x, name in ((_LEFT, ends[0]), (_RIGHT, ends[1])):
            ax.plot([x, x], [-0.4, row], color="#444444", lw=1.2)
            ax.text(x, -0.9, name, ha="center", va="center")
        for message, first, last in zip(exchange.messages, leaves, arrives, strict=True):
            _arrow(ax, message, height[message.ms] + first, height[message.ms + delay_ms] + last)
        for moment in exchange.moments:
            y = height[moment.ms]
            ax.axhline(y, xmin=0.04, xmax=0.96, color="#bbbbbb", lw=0.7, ls=":")
            ax.text(-0.12, y, moment.left, ha="right", va="center", family="monospace", fontsize=9)
            ax.text(1.12, y, moment.right, ha="left", va="center", family="monospace", fontsize=9)
            ax.text(1.74, y, moment.name, ha="right", va="center", fontsize=9, color="#444444")
        for at in sorted({message.ms for message in exchange.messages if not message.leftwards}):
            ax.text(-0.74, height[at], f"{at:g} ms", ha="left", va="center", fontsize=8, color="#888888")
    return figure


def _places(exchange: Exchange, delay_ms: float) -> list[int]:
    """Of each message how many others of its direction leave at its instant before it, or with a delay arrive then."""
    seen: dict[tuple[float, bool], int] = {}
    places = []
    for message in exchange.messages:
        key = (message.ms, message.leftwards)
        places.append(seen.get(key, 0))
        seen[key] = places[-1] + (0 if delay_ms and message.lost else 1)
    return places


def _arrow(ax: Axes, message: Message, begins: float, ends: float) -> None:
    """Draws a packet on its way; a lost one ends in a cross half the way."""
    start, end = (_RIGHT, _LEFT) if message.leftwards else (_LEFT, _RIGHT)
    is_data = " B" in message.text or message.text.startswith("data")
    colour = _LOST if message.lost else _DATA if is_data else _OTHER
    if message.lost:
        end, ends = start + (end - start) * _LOST_AT, begins + (ends - begins) * _LOST_AT
        ax.plot([end], [ends], marker="x", color=colour, ms=7, mew=1.6)
    arrow = {"arrowstyle": "-" if message.lost else "-|>", "color": colour, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=(end, ends), xytext=(start, begins), arrowprops=arrow)
    part = _PART / abs(end - start)
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    ax.text(
        start + (end - start) * part, begins + (ends - begins) * part, message.text,
        ha="center", va="center", fontsize=8, color=colour, bbox=behind,
    )  # fmt: skip
