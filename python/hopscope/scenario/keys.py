"""Every key of a scenario file, section by section.

``[radio]``, ``[mac]``, ``[link]``, ``[net]``, ``[routing]`` and ``[tcp]`` are made from the engine's own table of
parameters: a new engine parameter is a new key here without a line of Python. The engine's section of a routing
protocol, such as ``aodv``, stands in a file as ``[routing.aodv]``, beside the key that names its parameter set.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hopscope import _core
from hopscope.scenario.controls import CLASS, FILE_FORM, FORM
from hopscope.scenario.fields import NS, Field

#: Sections whose parameters belong to the engine.
ENGINE_SECTIONS = ("radio", "mac", "link", "net", "routing", "tcp")

#: Keys of a run that no sweep can vary.
NOT_SWEPT = ("title", "seed", "seeds", "series", "sweep")

#: More nodes are refused: their positions alone would fill the memory of an ordinary machine.
MAX_NODES = 2_000_000


#: Tables whose mistakes leave the network itself sound.
OF_FLOWS = ("flow", "outage", "series")


@functools.cache
def top() -> tuple[Field, ...]:
    """Keys at the top of the file."""
    return (
        Field("title", "text", "Name of the scenario; absent: that of its file.", default=""),
        Field("duration", "time", "End of the run.", "s", default=300 * NS, exclusive=True, source="fu2003.table1"),
        Field("warmup", "time", "Metrics count from here.", "s", default=0),
        Field("seed", "int", "First seed of the replications.", default=1),
        Field("seeds", "int", "Number of replications: seeds seed .. seed + seeds - 1.", default=1, minimum=1,
              maximum=1_000_000),
        Field("starved_after", "time", "A flow counts as starved while nothing of it has arrived for longer.", "s",
              default=NS, exclusive=True),
        Field("explain", "flag", "Keep the airtime ledger: where the time of nodes, links and packets goes.",
              default=False),
        Field("profile", "choice",
              'Behaviour: "standard" (IEEE and RFC rules), "ns2" (as ns-2.35 documents) or "as-ns3" (as ns-3.44 does).',
              default=_core.profiles()[0], choices=tuple(_core.profiles())),
    )  # fmt: skip


_SPACING = Field("spacing", "float", "Distance between neighbours.", "m", default=200.0, exclusive=True,
                 source="fu2003.table1")  # fmt: skip
_HOPS = Field("hops", "int", "Number of hops of the line.", "hops", required=True, minimum=1, maximum=MAX_NODES)

#: Topology kind -> (one line of description, keys).
TOPOLOGIES: dict[str, tuple[str, tuple[Field, ...]]] = {
    "chain": ("nodes 0..hops on a line", (_HOPS, _SPACING)),
    "cross": (
        "a horizontal and a vertical line that share their middle node",
        (Field("hops", "int", "Number of hops of each line.", "hops", required=True, minimum=2, maximum=MAX_NODES // 2),
         _SPACING),
    ),
    "parking-lot": (
        "a line to an exit, with a lane that joins at every inner node",
        (Field("hops", "int", "Number of hops of the line.", "hops", required=True, minimum=2, maximum=MAX_NODES // 2),
         _SPACING),
    ),
    "y": (
        "two branches that join into a stem",
        (Field("hops", "int", "Number of hops of each branch.", "hops", required=True, minimum=1,
               maximum=MAX_NODES // 2),
         Field("stem", "int", "Number of hops of the stem; absent: as many as a branch.", "hops", minimum=1,
               maximum=MAX_NODES),
         _SPACING),
    ),
    "star": (
        "arms that leave node 0 at equal angles",
        (Field("arms", "int", "Number of arms.", "", required=True, minimum=3, maximum=MAX_NODES),
         Field("hops", "int", "Number of hops of each arm.", "hops", default=1, minimum=1, maximum=MAX_NODES),
         _SPACING),
    ),
    "ring": (
        "nodes on a circle",
        (Field("nodes", "int", "Number of nodes.", "", required=True, minimum=3, maximum=MAX_NODES), _SPACING),
    ),
    "grid": (
        "rows of nodes, numbered row by row",
        (Field("rows", "int", "Number of rows.", "", required=True, minimum=1, maximum=MAX_NODES),
         Field("cols", "int", "Number of columns.", "", required=True, minimum=1, maximum=MAX_NODES), _SPACING),
    ),
    "random": (
        "nodes placed evenly at random over a rectangle",
        (Field("nodes", "int", "Number of nodes.", "", required=True, minimum=2, maximum=MAX_NODES),
         Field("area", "point", "Width and height of the rectangle.", "m", required=True, exclusive=True),
         Field("seed", "int", "Seed of the placement, apart from the seed of the run.", default=1),
         Field("connected", "flag", "Draw again until every node reaches every other over hops within radio.tx_range.",
               default=False)),
    ),
    "positions": (
        "nodes at the given positions",
        (Field("positions", "points", "Position of each node, in the order of their numbers.", "m", required=True,
               minimum=None),),
    ),
    "file": (
        "positions read from a file: CSV of x,y, ns-2 setdest, or BonnMotion",
        (Field("path", "text", "The file, relative to the scenario file.", required=True),
         Field("format", "choice", "Form of the file; \"auto\" tells it from the content.", default="auto",
               choices=("auto", "csv", "ns2", "bonnmotion"))),
    ),
}  # fmt: skip

#: Kinds that belong to the scenario format but not to this version.
LATER_TOPOLOGIES = ("access",)


@functools.cache
def topology() -> Field:
    """The key that names the kind of topology."""
    return Field("kind", "choice", "How the nodes are placed.", required=True, choices=tuple(TOPOLOGIES))


@functools.cache
def flow() -> tuple[Field, ...]:
    """Keys of one ``[[flow]]``."""
    transports, acks = _words(_core.transports()), _words(_core.ack_policies())
    first_tcp = "tcp-newreno" if "tcp-newreno" in transports else transports[0]
    return (
        Field("from", "node", "Sending node; needed where no `pattern` is given."),
        Field("to", "node", "Receiving node; needed where no `pattern` is given."),
        Field("pattern", "choice", "Ends of the flows instead of from and to: one flow for each of the copies. "
              + " ".join(f'"{name}": {text}.' for name, text in PATTERNS.items()), choices=tuple(PATTERNS)),
        Field("pattern_seed", "int", "Seed of a random pattern, apart from the seed of the run.", default=1),
        Field("transport", "transport", f"Transport protocol; {FORM} takes the congestion control from a Python class.",
              default=first_tcp, choices=transports),
        Field("from_port", "int", "Port at the sending node; absent: the lowest free one from 49152 on.", minimum=1,
              maximum=MAX_PORT, source="RFC 6335 6 (dynamic ports)"),
        Field("to_port", "int", "Port at the receiving node; absent: the lowest free one from 5001 on.", minimum=1,
              maximum=MAX_PORT),
        Field("app", "choice", "Application.", default="bulk", choices=tuple(APPS)),
        Field("packet", "int", "Transport payload of a packet.", "bytes", default=1460, minimum=1,
              source="fu2003.table1"),
        Field("max_window", "int", "Receiver window (MaxWin); TCP only.", "packets", default=32, minimum=1,
              source="fu2003.table1"),
        Field("start", "time", "When the application starts.", "s", default=0),
        Field("stop", "time", "When the application stops offering data; absent: at the end of the run.", "s",
              exclusive=True),
        Field("ack", "choice", "When a TCP receiver acknowledges.", default=acks[0], choices=acks),
        Field("ack_delay", "time", "Longest time an ACK is held back.", "s", default=NS // 5,
              source="RFC 9293 allows 500 ms; 200 ms is common"),
        *_APP_KEYS,
        Field("reply", "table", "Application at the receiving node that sends back over the same TCP connection; its "
              "results are those of a flow of its own, numbered after all others.", fields=reply()),
        Field("copies", "int", 'Number of flows that this table stands for; with pattern = "across" by default as many '
              "as are usual for the topology.", default=1, minimum=1, maximum=MAX_COPIES),
        Field("stagger", "time", "Time between the starts of the copies.", "s", default=0),
        Field("group", "name", "Name under which the results of flows are added up."),
        control(),
        Field("recovery", "choice", 'How losses are found and repaired; "own" leaves it to tcp.loss_recovery, and that '
              "to the congestion control.", default=OWN_RECOVERY, choices=_words(_core.recoveries())),
        Field("tcp", "table", "TCP parameters of this flow alone; keys as in [tcp].", fields=engine("tcp")),
    )  # fmt: skip


@functools.cache
def reply() -> tuple[Field, ...]:
    """Keys of the application that replies."""
    return (Field("app", "choice", "Application.", default="bulk", choices=tuple(APPS)), *_APP_KEYS)


@functools.cache
def control() -> Field:
    """The key that names the congestion control of a flow, or gives the parameters of one."""
    return Field(
        "control", "control",
        f'Congestion control of transport = "tcp", by default {controls()[0]}: a word, a Python class as {FILE_FORM}, '
        f"or a table with {CLASS} and parameters of that class. With transport = {FORM}: parameters of its class.",
        choices=controls(),
    )  # fmt: skip


@functools.cache
def controls() -> tuple[str, ...]:
    """The engine's congestion controls."""
    return _words(_core.controls())


#: Ports are 16 bits wide; 0 is none.
MAX_PORT = 65_535

#: Most copies of one flow.
MAX_COPIES = 100_000

#: Keys of a flow that only TCP has.
TCP_ONLY = ("max_window", "ack", "ack_delay", "control", "recovery", "reply", "tcp")

#: The recovery that leaves the choice to others.
OWN_RECOVERY = "own"

#: Kind of channel errors -> its own keys.
ERRORS: dict[str, tuple[str, ...]] = {
    "none": (),
    "uniform": ("per", "ber"),
    "gilbert-elliott": ("good_time", "bad_time", "good_per", "bad_per", "good_ber", "bad_ber"),
    "markov": ("transitions", "step", "state_per", "state_ber"),
    "sinr": ("cck", "ofdm", "per", "ber"),
}

#: Keys of every kind of channel errors that draws its losses.
_DRAWN_ERRORS = ("nodes", "links", "applies_to", "on_error")

#: Traffic pattern -> one line of description.
PATTERNS: dict[str, str] = {
    "across": "the flows usual for the topology, such as lines of a grid in both directions, spread evenly",
    "random": "pairs of nodes that reach each other over hops within radio.tx_range, drawn at random",
}

_APP_KEYS = (
    Field("bytes", "int", "Size of the file.", "bytes", minimum=1),
    Field("rate", "float", "Payload bits per second (while on).", "bit/s", exclusive=True),
    Field("on", "time", "Mean length of an on period.", "s", exclusive=True),
    Field("off", "time", "Mean length of an off period.", "s", exclusive=True),
    Field(
        "trace", "text", "CSV of a video trace, relative to the scenario file: time (s) or frame (number), and bytes."
    ),
    Field("frame_rate", "float", "Frames per second of a trace that numbers its frames.", "", exclusive=True),
)

#: Application -> (one line of description, keys it needs).
APPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bulk": ("always more to send", ()),
    "file": ("a file of `bytes` bytes", ("bytes",)),
    "cbr": ("one packet every packet * 8 / rate seconds", ("rate",)),
    "on-off": ("CBR during on periods, silence during off periods, both exponential", ("rate", "on", "off")),
    "poisson": ("packets with exponential gaps of mean packet * 8 / rate seconds", ("rate",)),
    "voice": ("telephone speech (G.711): on-off with the means of talk spurts and pauses", ("rate", "on", "off")),
    "video": ("the frames of a trace, each cut into packets of at most `packet` bytes", ("trace", "frame_rate")),
}

#: Defaults of an application, in engine form, where they differ from those of the keys or the key has none.
#: Voice: 64 kbit/s in packets of 20 ms (ITU-T G.711), mean talk spurt and pause of ITU-T P.59.
APP_DEFAULTS: dict[str, dict[str, Any]] = {
    "voice": {"packet": 160, "rate": 64_000.0, "on": 1_004 * NS // 1000, "off": 1_587 * NS // 1000},
    "video": {"frame_rate": 25.0},
}


#: Tables in double brackets; dotted keys name one by its number.
NUMBERED = ("flow", "outage", "layer")


def numbered(name: str) -> tuple[Field, ...]:
    """Keys of one table in double brackets."""
    return {"flow": flow, "outage": outage, "layer": layer}[name]()


def error_keys(kind: str) -> tuple[str, ...]:
    """Keys of ``[radio.error]`` that a kind of channel errors uses."""
    own = ERRORS[kind]
    return ("kind", *own, *(_DRAWN_ERRORS if own else ()))


@functools.cache
def outage() -> tuple[Field, ...]:
    """Keys of one ``[[outage]]``."""
    return (
        Field("node", "node", "The node whose radio neither sends nor hears.", required=True),
        Field("from", "time", "When the radio goes off.", "s", required=True),
        Field("to", "time", "When it comes back; absent: never.", "s", exclusive=True),
    )


@functools.cache
def layer() -> tuple[Field, ...]:
    """Keys of one ``[[layer]]``; those without a default have that of ``[link]``."""
    kind = next(f for f in engine("mac") if f.name == "link")
    return (
        Field("nodes", "nodes", "The nodes that have this layer; each node at most one.", required=True),
        replace(kind, doc=f"{kind.doc.removesuffix('.')}; absent: as in [mac].", source=""),
        *(replace(f, source="") for f in engine("link") if f.name != "nodes"),
    )


@functools.cache
def series() -> tuple[Field, ...]:
    """Keys of ``[series]``."""
    return (
        Field("keep", "words", "Time series to keep.", default=[], choices=_words(_core.series())),
        Field(
            "interval", "time", "Sampling interval of queue, throughput and fairness.", "s", default=NS, exclusive=True
        ),
    )


def homes(name: str) -> list[str]:
    """The dotted keys that end in a name, those of topologies left out; N stands for the number of a table."""
    tables: list[tuple[str, Iterable[Field]]] = [("", top()), ("flow.N.", flow()), ("outage.N.", outage())]
    tables += [("series.", series()), *((f"{section}.", engine(section)) for section in ENGINE_SECTIONS)]
    inner = [
        (f"{at}{f.name}.", f.fields) for at, fields in tables for f in fields if f.kind == "table" and at != "flow.N."
    ]
    return [f"{at}{name}" for at, fields in (*tables, *inner) if any(f.name == name for f in fields)]


@functools.cache
def engine(section: str) -> tuple[Field, ...]:
    """Keys of an engine section as the file holds them."""
    fields = [_engine_field(entry) for entry in parameters()[section]]
    if section == "radio":
        errors = tuple(_renamed(f, f.name.removeprefix("error_")) for f in fields if f.name.startswith("error_"))
        presets = tuple(name for name, _ in _core.presets())
        return (
            Field("preset", "choice", "Named radio settings; the other keys override them.", default=presets[0],
                  choices=presets),
            *(f for f in fields if not f.name.startswith("error_")),
            Field("error", "table", "Channel errors.", fields=errors),
        )  # fmt: skip
    if section == "routing":
        protocols = routing_protocols()
        sets = dict.fromkeys(name for protocol in protocols for name in routing_sets(protocol))
        return (
            *fields,
            Field("parameters", "choice", "Named parameter set of the protocol, by default that of the profile; keys "
                  f"of {' and '.join(f'[routing.{p}]' for p in protocols)} override it.", choices=tuple(sets)),
            *(Field(p, "table", f"Parameters of {p.upper()}.", fields=engine(p)) for p in protocols),
        )  # fmt: skip
    if section == "mac":
        layer = next(_engine_field(entry) for entry in parameters()["link"] if entry["name"] == "layer")
        return (*fields, _renamed(layer, "link"))
    if section == "link":
        return tuple(f for f in fields if f.name != "layer")
    return tuple(fields)


@functools.cache
def parameters() -> dict[str, list[dict[str, Any]]]:
    """The engine's table of parameters by section."""
    table: dict[str, list[dict[str, Any]]] = json.loads(_core.parameters())
    return table


@functools.cache
def routing_protocols() -> tuple[str, ...]:
    """Routing protocols with parameters of their own."""
    return tuple(protocol for protocol, _ in _core.routings() if routing_sets(protocol))


@functools.cache
def routing_sets(protocol: str) -> tuple[str, ...]:
    """Names of the parameter sets of a routing protocol; empty for one without parameters."""
    return _words(_core.routing_sets(protocol))


@functools.cache
def routing_set(protocol: str, name: str) -> dict[str, Any]:
    """The constants of a named parameter set, in engine form."""
    constants: dict[str, Any] = json.loads(_core.routing_set(protocol, name))
    return constants


def routing_set_of(protocol: str, constants: dict[str, Any]) -> str:
    """Returns the name of the parameter set with these constants: the profile's own set."""
    return next(name for name in routing_sets(protocol) if routing_set(protocol, name) == constants)


def routing(protocol: object) -> tuple[Field, ...]:
    """Keys of ``[routing]`` for a protocol: ``parameters`` takes its sets alone."""
    fields = engine("routing")
    sets = routing_sets(protocol) if isinstance(protocol, str) else ()
    return tuple(replace(f, choices=sets) if f.name == "parameters" else f for f in fields) if sets else fields


def to_engine_key(section: str, path: tuple[str, ...]) -> str:
    """Returns the engine's name of a key: ``radio.error.per`` is ``error_per`` there."""
    return "_".join(path) if section == "radio" else path[-1]


def from_engine_key(key: str) -> tuple[str, ...]:
    """Returns the scenario's name of a dotted engine key, for messages of the engine."""
    path = [part for part in key.split(".") if part]
    if not path:
        return ()
    if path[0] in {"flows", "outages", "layers"}:
        path[0] = path[0].removesuffix("s")
        if len(path) > 2 and path[2] == "app" and len(path) > 3:
            del path[2]
            path[2:] = ["trace"] if path[2] == "frames" else path[2:]
        elif path[2:4] == ["reply", "frames"]:
            path[3:] = ["trace"]
        elif path[0] == "layer" and path[2:] == ["layer"]:
            path[2] = "link"
    elif path == ["link", "layer"]:
        path = ["mac", "link"]
    elif path[0] == "nodes":
        path = ["topology"]
    elif path[0] == "radio" and len(path) > 1 and path[1].startswith("error_"):
        path[1:2] = ["error", path[1].removeprefix("error_")]
    return tuple(path)


def _engine_field(entry: dict[str, Any]) -> Field:
    signed = entry["unit"] in {"dBm", "dB"}
    return Field(
        entry["name"],
        entry["kind"],
        entry["doc"],
        entry["unit"],
        choices=tuple(entry["choices"]),
        apart=tuple((one, other, reason) for one, other, reason in entry.get("apart", ())),
        minimum=None if signed else 0,
        maximum=1.0 if entry["unit"] == "probability" else None,
        source=entry["source"],
    )


def _renamed(field: Field, name: str) -> Field:
    return replace(field, name=name)


def _words(pairs: list[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(word for word, _ in pairs)
