"""Pictures of networks: nodes, links, the ranges of one node, and the flows as arrows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hopscope.io.extras import need
from hopscope.reporting.plots import COLOURS, LEGEND_ROW, legend_columns, styled
from hopscope.scenario.fields import NS
from hopscope.scenario.naming import spoken

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hopscope import _core
    from hopscope.scenario import Point

# With more nodes than these their numbers stand next to small dots; only the ends of flows are numbered; no links are
# drawn.
_INSIDE, _NUMBERED, _LINKED = 50, 300, 3000
# A caption names so many flows; a picture shows so many arrows.
_NAMED, _ARROWS = 6, 200
# A network is flat whose shorter side is at most this share of the longer.
_FLAT = 0.25
# Nodes up to this number have room for larger numbers.
_LARGE = 20
# Colour of the circles, and their dashes.
_CIRCLE = "#0072B2"
# Colour of the links that carried packets.
_CARRIED = "#E69F00"
# Colour of the ways of nodes.
_PATH = "#009E73"
# Ways of more nodes than these are drawn only as long as half of the area, so that each can be followed.
_WHOLE_PATHS = 6
_CS, _TX = (0, (1, 2)), (0, (5, 3))
# Longer and shorter side of a picture in inches.
_LONG, _SHORT = 8.6, 2.4

# Fills of nodes with link layers of their own, light enough for a number on them.
_SHADES = ("#f2c14e", "#8fd3b6", "#f4a6a6", "#b9b5f0", "#cfd8dc")


@dataclass(frozen=True)
class Network:
    """What a picture of a network shows.

    Attributes:
        name: file stem of the figure.
        title: what the network is, for the caption.
        positions: of the nodes, in metres.
        flows: (from, to) of every flow.
        tx_range: longest link, in metres.
        cs_range: distance at which a frame is sensed, in metres.
        layers: (link layer, its nodes) of every ``[[layer]]``.
        wires: the two nodes of each wire.
        wired: nodes without a radio; their places have no meaning.
        used: (node, node, packets delivered between them) of each link that carried any, where the runs show.
        carried: the point of which ``used`` reports, in words, where there are several.
        further: whether there are networks besides those that are drawn.
        paths: the places that each node which moves passes, in metres; `positions` are those of time zero.
        paths_s: seconds that the paths take.
    """

    name: str
    title: str
    positions: Sequence[Sequence[float]]
    flows: Sequence[tuple[int, int]]
    tx_range: float
    cs_range: float
    layers: Sequence[tuple[str, Sequence[int]]] = ()
    wires: Sequence[tuple[int, int]] = ()
    wired: frozenset[int] = frozenset()
    used: Sequence[tuple[int, int, float]] = ()
    carried: str = ""
    further: bool = False
    paths: Sequence[Sequence[Sequence[float]]] = ()
    paths_s: float = 0.0

    @property
    def centre(self) -> int:
        """The radio node nearest the middle of them, whose ranges are drawn; the first of several."""
        radios = [node for node in range(len(self.positions)) if node not in self.wired] or [0]
        xs, ys = zip(*(self.positions[node] for node in radios), strict=True)
        middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
        return min(radios, key=lambda node: (math.dist(self.positions[node], middle), node))

    @property
    def has_radios(self) -> bool:
        """Whether any node has a radio."""
        return len(self.wired) < len(self.positions)

    @property
    def caption(self) -> str:
        """The text under the picture: the size, the ranges and the flows."""
        pairs = list(dict.fromkeys(self.flows))
        named = ", ".join(f"{source} → {target}" for source, target in pairs[:_NAMED])
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        shown = self.has_radios and len(self.positions) <= _LINKED
        links = "Lines join nodes that receive each other. " if shown else ""
        if self.paths:
            links += f"Nodes stand where they begin; green lines are their paths in the first {self.paths_s:.3g} s. "
        at = f" at {self.carried}" if self.carried else ""
        carried = f"Thick lines are where packets went{at}, the more the thicker. " if self.used else ""
        wires = "Squares have no radio, double lines are wires. " if self.wires else ""
        circles = (
            f"Circles: node {self.centre} is received up to {self.tx_range:g} m away and sensed up to "
            f"{self.cs_range:g} m. "
        )
        return (
            f"{self.title}: {len(self.positions)} nodes. {links}{carried}{wires}{circles if self.has_radios else ''}"
            f"Flows: {named}{more}.{self._shaded}" + (" The sweep has further networks." if self.further else "")
        )

    @property
    def _shaded(self) -> str:
        """The nodes with link layers of their own, in words."""
        reported = [f"{layer} at {_listed(nodes)}" for layer, nodes in self.layers[:_NAMED]]
        more = f"; and {len(self.layers) - _NAMED} more" if len(self.layers) > _NAMED else ""
        return f" Shaded: link layers of their own, {'; '.join(reported)}{more}." if reported else ""


def of_point(point: Point, title: str, name: str = "network") -> Network:
    """The network of one point of a scenario."""
    seed = point.resolved["seed"]
    config = point.config(seed)
    radio = config["radio"]
    flows = [(flow["from"], flow["to"]) for flow in config["flows"]]
    layers = [(layer["layer"], layer["nodes"]) for layer in config["layers"]]
    wires = [tuple(wire["ends"]) for wire in config.get("wires", [])]
    wired = frozenset(node for host in config.get("hosts", []) if not host["wifi"] for node in host["nodes"])
    network = Network(name, title, config["nodes"], flows, radio["tx_range"], radio["cs_range"], layers, wires, wired)
    moves = config.get("mobility", {}).get("model", "static") != "static"
    return _moving(network, point.engine_config(seed), config["duration"] / NS) if moves else network


def _moving(network: Network, config: _core.Config, seconds: float) -> Network:
    """The network with its nodes where they begin, and their paths in so many seconds."""
    from hopscope._core import node_paths

    found = node_paths(config, seconds)
    fastest = max((_speed(path) for _, path in found), default=0.0)
    if len(found) > _WHOLE_PATHS and fastest > 0:
        xs, ys = zip(*((x, y) for _, path in found for _, x, y in path), strict=True)
        seconds = min(seconds, 0.5 * max(max(xs) - min(xs), max(ys) - min(ys)) / fastest)
        found = [(node, _until(path, seconds)) for node, path in found]
    positions = list(network.positions)
    for node, path in found:
        positions[node] = path[0][1:]
    return replace(network, positions=positions, paths=[[at[1:] for at in path] for _, path in found], paths_s=seconds)


def _until(path: list[list[float]], seconds: float) -> list[list[float]]:
    """The part of a path, instants with places, that ends after so many seconds."""
    passed = [at for at in path if at[0] < seconds]
    last, following = passed[-1], path[min(len(passed), len(path) - 1)]
    share = (seconds - last[0]) / (following[0] - last[0]) if following[0] > last[0] else 0.0
    end = [a + share * (b - a) for a, b in zip(last[1:], following[1:], strict=True)]
    return [*passed, [seconds, *end]]


def _speed(path: Sequence[Sequence[float]]) -> float:
    """The greatest speed on a path, m/s."""
    legs = [(b[0] - a[0], math.dist(a[1:], b[1:])) for a, b in pairwise(path)]
    return max((metres / seconds for seconds, metres in legs if seconds > 0), default=0.0)


def _listed(nodes: Sequence[int]) -> str:
    more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
    return f"{', '.join(map(str, nodes[:_NAMED]))}{more}"


def distinct(
    points: Sequence[Point], title: str, most: int, used: Mapping[int, Sequence[tuple[int, int, float]]] | None = None
) -> list[Network]:
    """The networks of the points without repetition, at most so many, in their order; captions distinguish them.

    ``used`` has the links that carried packets by the number of the point, where the runs show.
    """
    found: list[tuple[Network, dict[str, Any]]] = []
    seen: list[object] = []
    for point in points:
        network = of_point(point, title, f"network-{len(found) + 1}")
        what = (
            network.positions,
            network.paths,
            network.flows,
            network.tx_range,
            network.cs_range,
            network.layers,
            network.wires,
        )
        if what in seen:
            continue
        if len(found) == most:
            found[-1] = (replace(found[-1][0], further=True), found[-1][1])
            break
        seen.append(what)
        of = spoken(point.set) if len(points) > 1 else ""
        found.append((replace(network, used=(used or {}).get(point.index, ()), carried=of), point.set))
    differing = [key for key in (found[0][1] if found else ()) if any(v[key] != found[0][1][key] for _, v in found)]
    named = [(network, spoken({key: values[key] for key in differing})) for network, values in found]
    return [replace(network, title=f"{title}, {words}" if words else title) for network, words in named]


def links(network: Network) -> Iterator[tuple[int, int]]:
    """Yields the pairs of radio nodes at most ``tx_range`` apart, each once, the smaller number first."""
    from hopscope._core import near

    for node, others in enumerate(near(network.positions, network.tx_range)):
        if node not in network.wired:
            yield from ((node, other) for other in others if other > node and other not in network.wired)


def draw(network: Network) -> Figure:
    """Draws the network to scale."""
    need("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as MatplotlibFigure

    with styled():
        left, right, bottom, top = _frame(network)
        scale = _LONG / max(right - left, top - bottom)
        size = (max(_SHORT, scale * (right - left)) + 0.8, max(_SHORT, scale * (top - bottom)) + 0.6)
        figure = MatplotlibFigure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        ax.set_xlim(left, right)
        ax.set_ylim(bottom, top)
        ax.set_aspect("equal")
        ax.grid(visible=False)
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)")
        _ranges(ax, network)
        _links(ax, network)
        _paths(ax, network)
        _used(ax, network)
        _flows(ax, network)
        _nodes(ax, network)
        _legend(figure, network)
        return figure


# --- Parts ----------------------------------------------------------------------------------------------------------


def _frame(network: Network) -> tuple[float, float, float, float]:
    """The limits of the axes: every node and the circles around one of them.

    Across a flat network, such as a chain, the wide circle is cut: it would leave no room for the nodes.
    """
    places = [*network.positions, *(place for path in network.paths for place in path)]
    xs, ys = zip(*places, strict=True)
    x, y = network.positions[network.centre]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    edge = 0.04 * max(width, height, 1.0)
    wide, narrow = 1.03 * network.cs_range, min(1.15 * network.tx_range, 1.03 * network.cs_range)
    across = narrow if width > 0 and height <= _FLAT * width else wide
    along = narrow if height > 0 and width <= _FLAT * height else wide
    return (
        min(min(xs) - edge, x - along),
        max(max(xs) + edge, x + along),
        min(min(ys) - edge, y - across),
        max(max(ys) + edge, y + across),
    )


def _ranges(ax: Axes, network: Network) -> None:
    from matplotlib.patches import Circle

    if not network.has_radios:
        return
    x, y = network.positions[network.centre]
    for radius, style, fill in ((network.cs_range, _CS, 0.05), (network.tx_range, _TX, 0.08)):
        ax.add_patch(Circle((x, y), radius, fc=_CIRCLE, ec="none", alpha=fill, zorder=0))
        ax.add_patch(Circle((x, y), radius, fill=False, ec=_CIRCLE, lw=1.0, ls=style, zorder=0.5))


def _legend(figure: Figure, network: Network) -> None:
    """What the circles and lines are, below the picture."""
    from matplotlib.lines import Line2D

    entries: list[tuple[str, str, float, Any]] = []
    if network.has_radios:
        entries = [
            (f"transmission range of node {network.centre}: {network.tx_range:g} m", _CIRCLE, 1.0, _TX),
            (f"its carrier-sense range: {network.cs_range:g} m", _CIRCLE, 1.0, _CS),
        ]
        if len(network.positions) <= _LINKED:
            entries.append(("link", "#bbbbbb", 1.0, "-"))
    if network.paths:
        entries.append((f"path of a node, {network.paths_s:.3g} s", _PATH, 1.2, "-"))
    if network.wires:
        entries.append(("wire", "#333333", 3.0, "-"))
    if network.used:
        entries.append(("packets went here", _CARRIED, 4.0, "-"))
    if network.flows:
        entries.append(("flow", COLOURS[0], 1.6, "-"))
    handles = [Line2D([], [], color=colour, lw=width, ls=style, label=label) for label, colour, width, style in entries]
    for index, (layer, _) in enumerate(network.layers[:_NAMED]):
        shade, label = _SHADES[index % len(_SHADES)], f"link layer {layer}"
        handles.append(Line2D([], [], ls="none", marker="o", ms=8, mfc=shade, mec="#333333", label=label))
    columns = legend_columns([str(handle.get_label()) for handle in handles], figure.get_figwidth())
    figure.set_figheight(figure.get_figheight() + LEGEND_ROW * (-(-len(handles) // columns) - 1))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=8.5)


def _links(ax: Axes, network: Network) -> None:
    if len(network.positions) > _LINKED:
        return
    from matplotlib.collections import LineCollection

    ends = [[network.positions[a], network.positions[b]] for a, b in links(network)]
    width = 1.0 if len(network.positions) <= _INSIDE else 0.5
    ax.add_collection(LineCollection(ends, colors="#bbbbbb", linewidths=width, zorder=1), autolim=False)
    wires = [[network.positions[a], network.positions[b]] for a, b in network.wires]
    for colour, thick in (("#333333", 3.0 * width), ("white", 1.4 * width)) if wires else ():
        ax.add_collection(LineCollection(wires, colors=colour, linewidths=thick, zorder=1.5), autolim=False)


def _paths(ax: Axes, network: Network) -> None:
    """The paths of nodes that move, with an arrow at the end."""
    for path in network.paths:
        turns = [place for place, following in pairwise(path) if place != following] + [path[-1]]
        if len(turns) < 2:
            continue
        xs, ys = zip(*turns, strict=True)
        ax.plot(xs, ys, color=_PATH, lw=1.2, alpha=0.75, zorder=1.6)
        (x, y), (from_x, from_y) = turns[-1], turns[-2]
        ax.annotate("", (x, y), (from_x, from_y), arrowprops={"arrowstyle": "->", "color": _PATH}, zorder=1.7)


def _used(ax: Axes, network: Network) -> None:
    """The links that carried packets, as wide as they carried much."""
    if not network.used:
        return
    from matplotlib.collections import LineCollection

    most = max(packets for _, _, packets in network.used)
    ends = [[network.positions[a], network.positions[b]] for a, b, _ in network.used]
    widths = [1.0 + 6.0 * packets / most for _, _, packets in network.used]
    lines = LineCollection(ends, colors=_CARRIED, linewidths=widths, alpha=0.6, zorder=1.8)
    ax.add_collection(lines, autolim=False)


def _flows(ax: Axes, network: Network) -> None:
    from matplotlib.patches import FancyArrowPatch

    counts = Counter(network.flows)
    small = len(network.positions) <= _INSIDE
    gap, bend = (7.0, 0.12) if small else (2.5, 0.05)
    for index, ((source, target), copies) in enumerate(list(counts.items())[:_ARROWS]):
        start, end = network.positions[source], network.positions[target]
        colour = COLOURS[index % len(COLOURS)]
        ax.add_patch(
            FancyArrowPatch(
                (start[0], start[1]),
                (end[0], end[1]),
                connectionstyle=f"arc3,rad=-{bend}",
                arrowstyle="-|>",
                mutation_scale=11,
                shrinkA=gap,
                shrinkB=gap,
                lw=1.6 if len(counts) <= 30 else 0.8,
                color=colour,
                alpha=0.85,
                zorder=2.5,
            )
        )
        if copies > 1:
            # The middle of the arc lies half of `bend` times the chord to its left.
            middle = (
                (start[0] + end[0] - bend * (end[1] - start[1])) / 2,
                (start[1] + end[1] + bend * (end[0] - start[0])) / 2,
            )
            ax.annotate(f"{copies} flows", middle, fontsize=8.5, color=colour, ha="center", va="bottom", zorder=4)


def _nodes(ax: Axes, network: Network) -> None:
    count = len(network.positions)
    xs, ys = zip(*network.positions, strict=True)
    ends = {node for flow in network.flows for node in flow}
    shades = _shades(network, "white" if count <= _INSIDE else "#333333")
    if count <= _INSIDE:
        area, font = (260, 9.5) if count <= _LARGE else (150, 7)
        radios = [node for node in range(count) if node not in network.wired]
        for marker, nodes in (("o", radios), ("s", sorted(network.wired))):
            if not nodes:
                continue
            across, up, shade = [xs[n] for n in nodes], [ys[n] for n in nodes], [shades[n] for n in nodes]
            ax.scatter(across, up, s=area, c=shade, marker=marker, edgecolors="#333333", linewidths=1.0, zorder=3)
        for node, (x, y) in enumerate(network.positions):
            ax.annotate(str(node), (x, y), fontsize=font, ha="center", va="center_baseline", zorder=4)
        return
    from matplotlib.transforms import offset_copy

    ax.scatter(xs, ys, s=12 if count <= _NUMBERED else 3, c=shades, linewidths=0, zorder=3)
    next_to_it = offset_copy(ax.transData, ax.get_figure(root=True), 2, 2, units="points")
    for node in range(count) if count <= _NUMBERED else sorted(ends)[:_NUMBERED]:
        x, y = network.positions[node]
        weight = "bold" if node in ends else "normal"
        ax.text(
            x,
            y,
            str(node),
            transform=next_to_it,
            in_layout=False,  # within the axes anyhow, and hundreds of them take long to measure
            fontsize=6.5 if node in ends else 5,
            weight=weight,
            color="#111111" if node in ends else "#555555",
            zorder=4,
        )


def _shades(network: Network, usual: str) -> list[str]:
    """The colour of each node: that of the link layer of its own, if it has one."""
    shades = [usual] * len(network.positions)
    for index, (_, nodes) in enumerate(network.layers):
        for node in nodes:
            shades[node] = _SHADES[index % len(_SHADES)]
    return shades
