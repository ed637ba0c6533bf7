"""The engine, compiled from Rust.  Configurations and results are values; times are integer nanoseconds."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, TypeAlias, final

_Hooks: TypeAlias = Sequence[Callable[[Any], object] | None] | None
_Code: TypeAlias = tuple[_Hooks, _Hooks]
_Table: TypeAlias = tuple[str, list[tuple[str, str, bytes]]]
_Config: TypeAlias = "Config | Mapping[str, Any]"
_Placed: TypeAlias = tuple[list[list[float]], int, list[dict[str, Any]]]

#: From so many nodes on the cost of a run is reported where a scenario is read.
MANY_NODES: Final[int]

class EngineError(ValueError):
    """A configuration is refused.

    Attributes:
        key: dotted engine key, such as ``flows.0.to`` or ``radio.cs_range``.
        message: what was found and what is allowed.
        problems: everything that is wrong, as pairs of key and message; this one first.
    """

    key: str
    message: str
    problems: list[tuple[str, str]]

class Cancelled(Exception):
    """The run was stopped by its :class:`CancelToken`."""

class ControlError(Exception):
    """Code written in Python raised, or returned what makes no sense; the cause says what.

    Attributes:
        flow: number of the flow.
        time_s: simulated time.
        hook: the method.
    """

    flow: int
    time_s: float
    hook: str

class LiveError(Exception):
    """A live run cannot go on."""

class FieldError(ValueError):
    """The value does not fit its key; the message says what was found and what is allowed."""

class QuantityError(ValueError):
    """The text is no quantity of the wanted kind; the message says what is allowed."""

class TomlError(ValueError):
    """The text is no scenario file; ``args`` is a list of what is wrong, with line and column from 1."""

class PlaceError(ValueError):
    """Nodes cannot be placed or flows not be laid; ``key`` is the key at fault inside its table."""

    key: str

@final
class Field:
    """One key: what it takes, what it means, and how a value is read.

    ``kind`` is ``time``, ``int``, ``float``, ``flag``, ``choice``, ``int-or-off``, ``int-list``, ``float-list``,
    ``float-rows`` (list of lists), ``node-pairs``, ``text``, ``texts`` (one or a list), ``name``, ``node``,
    ``point`` (two lengths), ``points``, ``nodes``, ``words`` (list of choices), ``parts`` (choices joined by ``+``,
    the first of which stands alone), ``transport`` (a choice, or a control of the user's), ``control`` and
    ``policy`` (those, or tables) or ``table``.

    Attributes:
        name, kind, doc, unit: name inside its table, what it takes, what it means, base unit (empty: counts and words).
        default: default in engine form (times in nanoseconds); None: none.
        choices: allowed words.
        minimum, maximum, exclusive: smallest number, which is refused itself when ``exclusive``, and largest one.
        required: the key must be given.
        when: what other keys must be for it to have an effect; None: it always has one.
        source: where the default comes from.
        fields: keys of a table.
    """

    name: Final[str]
    kind: Final[str]
    doc: Final[str]
    unit: Final[str]
    default: Final[Any]
    choices: Final[tuple[str, ...]]
    minimum: Final[float | None]
    maximum: Final[float | None]
    exclusive: Final[bool]
    required: Final[bool]
    when: Final[str | None]
    source: Final[str]
    fields: Final[tuple[Field, ...]]

    def __init__(
        self,
        name: str,
        kind: str,
        doc: str,
        unit: str = "",
        *,
        default: Any = None,
        choices: Sequence[str] = (),
        minimum: float | None = 0,
        maximum: float | None = None,
        exclusive: bool = False,
        required: bool = False,
        source: str = "",
    ) -> None: ...
    def read(self, value: object) -> Any:
        """The value in engine form.

        Raises:
            FieldError: it does not fit.
        """

    def show(self, value: Any) -> Any:
        """An engine value in the base unit of the key, as a scenario file would hold it."""
    def expected(self) -> str:
        """What the key takes, for messages."""

@final
class AckState:
    """The receiver of a flow as an :class:`AckPolicy` sees it.

    One object for the whole run: its values are those of the call it is handed to.  In ``on_timer`` they report the
    last segment.

    Attributes:
        now_s: simulated time in seconds.
        in_order: the segment extended the data in order, and nothing was or is missing above it.
        above_gap: it lies above a gap.
        fills_gap: it filled a gap, or a part of one.
        duplicate: it brought nothing new.
        new_bytes: bytes that it made complete in order.
        bytes: its payload in bytes.
        packet: payload of a full segment in bytes.
        pushed: it carries PSH.
        marked: it was marked on its way (ECN), and marks are understood.
        held: segments with data since the last ACK left, this one included.
        held_bytes: bytes in order since the last ACK left.
        waited_s: seconds since the first segment that is held came.
        gap_s: seconds from the segment before to this one; None at the first.
        ack_delay_s: how long an ACK waits where the policy does not say, in seconds (``ack_delay``).
        sender_window: segments that the sender may have in flight; None unless ``reads_window`` is set.
        hops: hops that the segment has travelled.
        non_collision: product over the hops of the probability that a transmission does not collide; needs
            ``reads_path``.
        largest_delay_s: longest time of a hop in seconds, its queue included; needs ``reads_path``.
        set_up_s: round-trip time of the set-up in seconds; None where SYN-ACK or ACK were sent again, or there was
            none.
    """

    now_s: Final[float]
    in_order: Final[bool]
    above_gap: Final[bool]
    fills_gap: Final[bool]
    duplicate: Final[bool]
    new_bytes: Final[int]
    bytes: Final[int]
    packet: Final[int]
    pushed: Final[bool]
    marked: Final[bool]
    held: Final[int]
    held_bytes: Final[int]
    waited_s: Final[float]
    gap_s: Final[float | None]
    ack_delay_s: Final[float]
    sender_window: Final[int | None]
    hops: Final[int]
    non_collision: Final[float | None]
    largest_delay_s: Final[float | None]
    set_up_s: Final[float | None]

@final
class FlowState:
    """The sender of a flow as a :class:`CongestionControl` sees it.

    One object for the whole run: its values are those of the call it is handed to.  Windows and amounts are segments of
    ``packet`` bytes, times seconds.

    Attributes:
        now_s: simulated time in seconds.
        cwnd: congestion window in segments, at most the receiver's window.
        ssthresh: slow-start threshold, infinite for none; may be set above 0 (below two segments it counts as two).
        in_flight: segments sent and not known to have arrived; in ``on_loss`` and ``on_timeout`` FlightSize (RFC 5681).
        max_window: receiver's window in segments.
        packet: payload of a full segment in bytes.
        acked: segments newly acknowledged by this ACK; 0 in ``on_loss`` and ``on_timeout``.
        delivered: segments known to have arrived since the start.
        delivery_rate: segments per second over the last round trip (draft-cheng-iccrg-delivery-rate-estimation).
        rtt_s: the last round-trip time in seconds, never of a segment sent twice; None before the first.
        new_rtt_s: that of this ACK in seconds; None where it gave none.
        srtt_s: smoothed round-trip time in seconds (RFC 6298); None before the first.
        min_rtt_s: smallest round-trip time so far in seconds; None before the first.
        hops: hops that the last ACK has travelled.
        pacing_rate: the pace in use in segments per second; None: as fast as the window allows.
        in_recovery: a loss is being repaired; only ``on_rtt`` and ``on_every_ack`` are called then.
        window_limited: the window was filled when the ACK came; one that is not used says nothing about the path.
        marked, repeated: a mark (ECN), no loss, in ``on_loss``; a segment's second timeout or later in ``on_timeout``.
        newly_delivered, newly_sacked, newly_lost: by this ACK; lost ones since the last call, with RACK-TLP alone.
        ece: this ACK echoes a mark (ECE, RFC 3168).
        sample_delivered, interval_s, prior_delivered, app_limited, sample_in_flight, sample_lost: of the delivery rate.
        sent: in ``on_sent``: number of the segment that leaves, from 0.
        queue: packets in the interface queue of the sender's node; None where there is no node (a bottleneck alone).
        mac: counters of the sender's MAC: rts, data, packets, retries, given_up, data_failures; None without a node.
    """

    now_s: Final[float]
    cwnd: Final[float]
    ssthresh: float
    in_flight: Final[float]
    max_window: Final[float]
    packet: Final[int]
    acked: Final[float]
    delivered: Final[float]
    delivery_rate: Final[float | None]
    rtt_s: Final[float | None]
    new_rtt_s: Final[float | None]
    srtt_s: Final[float | None]
    min_rtt_s: Final[float | None]
    hops: Final[int]
    pacing_rate: Final[float | None]
    in_recovery: Final[bool]
    window_limited: Final[bool]
    marked: Final[bool]
    repeated: Final[bool]
    newly_delivered: Final[float]
    newly_sacked: Final[float]
    newly_lost: Final[float]
    ece: Final[bool]
    sample_delivered: Final[float]
    interval_s: Final[float | None]
    prior_delivered: Final[float | None]
    app_limited: Final[bool]
    sample_in_flight: Final[float | None]
    sample_lost: Final[float]
    sent: Final[float]
    queue: Final[int | None]
    mac: Final[dict[str, int] | None]

    def wake(self, at_s: float) -> None:
        """Asks for a call of ``on_timer`` at this instant in seconds, after now, in place of one asked for earlier."""

@final
class Config:
    """What the engine runs, of a mapping of its keys; can be pickled. EngineError: the engine does not read it."""

    def __init__(self, values: Mapping[str, Any]) -> None: ...
    def values(self) -> dict[str, Any]:
        """Its keys and values: times in nanoseconds, rates in bit/s, lengths in metres."""
    def with_seed(self, seed: int) -> Config:
        """The same with another seed."""

@final
class Outcome:
    """The results of a run, and its time series: of each column its name, its type in Arrow, its values."""

    series: Final[list[_Table]]
    def values(self) -> dict[str, Any]:
        """Its entries without the time series."""
    def text(self) -> str:
        """The same as a store keeps it, JSON."""

@final
class Locations:
    """Where the keys of a scenario file and the items of its lists stand."""

    def at(self, path: Sequence[str]) -> tuple[int, int] | None:
        """Line and column (from 1) of a key, by its parts; None where the file has it not."""

    def nearest(self, path: Sequence[str]) -> tuple[int, int]:
        """Line and column of the closest key that the file has: of a path itself, or of a table that it lies in."""

@final
class Date:
    """A date or a time of TOML, as it was written; no key takes one."""

@final
class CancelToken:
    """Stops runs from another thread."""

    def __init__(self) -> None: ...
    def set(self) -> None:
        """Stops every run that was given this token."""
    def is_set(self) -> bool:
        """Whether the runs are to stop."""

@final
class Probing:
    """A network under way that is probed: trains of packets go in at one node, and what comes out is noted.

    Times are nanoseconds since the start of the run, sizes bytes with network header.
    """

    def __init__(self, config: _Config, controls: Sequence[_Code] | None = None) -> None: ...
    @property
    def now(self) -> int:
        """Current instant."""
    def advance(self, until: int) -> None:
        """Lets the network go on until then."""
    def train(
        self, ends: tuple[int, int], train: Sequence[tuple[int, int]], patience: int, ttl: int = 0
    ) -> list[tuple[int, int] | None]:
        """Sends packets at instants that rise, and waits until all have come out, at most ``patience`` after the last.

        ``ends``: node that sends, node that receives; ``train``: instant and bytes of each packet; ``ttl``: hops that
        they may take, 0: as many as any other. Returns instant and node where each came out: the receiver, or where its
        time to live was used up; None for what is lost.
        """

    def echo(
        self,
        ends: tuple[int, int],
        bytes: int,  # noqa: A002
        reply: int,
        patience: int,
        ttl: int = 0,
    ) -> tuple[int, int] | None:
        """Sends one packet now, and ``reply`` bytes back from where it comes out.

        Returns the time until they are back, and the node that answered; None after ``patience``.
        """

@final
class Steps:
    """A run under way, changed between its steps; arguments, errors and results as of :func:`run`."""

    def __init__(self, config: _Config, controls: Sequence[_Code] | None = None) -> None: ...
    def run_until(self, nanoseconds: int) -> None: ...
    @property
    def now(self) -> int: ...
    def change(self, change: Mapping[str, Any]) -> None: ...
    def positions(self) -> list[list[float]]: ...
    def results(self) -> Outcome: ...

@final
class Tap:
    """An open TAP device: the interface is there until this is closed or gone, or the run that has it is gone."""

    @staticmethod
    def open(name: str) -> Tap:
        """Makes an interface with this name in the network namespace of the calling thread.

        It is down and has no addresses. OSError with ``errno``: ENOENT, there are no TAP devices; EPERM, they are not
        permitted; EEXIST, there is an interface with the name; EINVAL, it is no name of an interface.
        """

    @property
    def name(self) -> str: ...
    def close(self) -> None:
        """Takes the interface away, unless a run has it."""

@final
class Live:
    """A simulation at wall-clock time, with real stacks behind TAP devices (Linux; elsewhere NotImplementedError).

    Frames go to the link layer of the node whose device they come from; addresses of nodes are 02:00 and the node's
    number in four octets. All methods but ``run`` may be called from other threads while it runs.
    """

    def __init__(
        self,
        config: _Config,
        taps: Sequence[Tap | None],
        *,
        fifo: bool = True,
        on_late: str = "warn",
        layer: str = "link",
        capture: tuple[str | PathLike[str], Mapping[str, Any], str, bool] | None = None,
        records: str | None = None,
    ) -> None:
        """Takes the devices over, one for each node; None: the node is simulated alone.

        ``fifo``: ask for real-time scheduling; ``on_late``: ``warn`` or ``abort`` where the run misses its time;
        ``layer``: the stacks choose the next hop (``link``), or have all others as neighbours, and the engine routes
        their packets (``network``); ``capture``: path, choice, title and force of :func:`capture`; ``records``: pages
        may ask for records, also of those who only hear a frame (``all``) or not (``own``). EngineError: the
        configuration is refused, or a node with a device has no radio; ValueError: another run has a device; OSError:
        cannot open the capture.
        """

    def run(self, nanoseconds: int) -> None:
        """Runs up to an instant of the simulation, at most to its end; after ``stop`` it returns early.

        The wall clock counts from the first call on, also between calls. LiveError: a device is gone, or the run has
        missed its time and was to be aborted.
        """

    def stop(self) -> None:
        """Has ``run`` return soon; where it does not run, the next call returns at once."""

    def change(self, change: Mapping[str, Any]) -> None:
        """Changes something now, as ``Steps.change``."""

    @property
    def now(self) -> int: ...
    def positions(self) -> list[list[float]]: ...
    def report(self) -> dict[str, Any]:
        """What the run has come to.

        ``lateness_us`` {count, p50, p90, p99, p999, max} of deliveries, ``share_above_1ms``, ``core_share``,
        ``scheduling``, ``frames`` {in, out, delivered, lost {reason: count}, under_way, unknown_destination {address:
        count}} with in = out + lost + under_way, ``verdict`` (ok, degraded, missed) and its ``cause``.
        """

    def results(self) -> Outcome:
        """Results from the end of the warm-up to now."""

    def records(self, names: Sequence[str], after: int | None = None) -> str:
        """State and records for a page: JSON, as ``LiveAnswer`` of ``web/src/engine/live.ts``.

        ``names``: of the records that are written from now on; ``after``: ``next`` of the answer before, None: from now
        on. Five seconds without a question, and none are written any more. ValueError: there is no such record, or the
        run was made without ``records``.
        """

    def end_capture(self) -> dict[str, Any] | None:
        """Ends the capture and gives what it has come to, as :func:`capture`; None without one."""

def page_setup(config: _Config, preset: str) -> dict[str, Any]:
    """What a page knows of a run before it begins: ``Setup`` of ``web/src/engine/api.ts``."""

@final
class Common:
    """What the points of a sweep have in common, such as placed nodes: made once."""

    def __init__(self) -> None: ...

@final
class Resolved:
    """One point of a scenario, complete: engine form (times in nanoseconds), all defaults filled in.

    Attributes:
        problems: what is wrong, with the key at fault; then the point is incomplete.
        idle: keys without effect, with what to say unless they have one in another point.
        top: the keys at the top of the file.
        kind: the kind of topology; empty where the topology is at fault.
        nodes: positions of the nodes in metres; their order gives the node numbers.
        unused: numbers of a file of positions that no node has.
        size: how many nodes there are.
        copies: how many of the engine's flows each ``[[flow]]`` table stands for.
        times: times of flows and outages above 0: table, number, key, nanoseconds.
        by_seed: what makes another network of each seed: ``field``, where it is drawn, or ``shadowing``; or empty.
    """

    problems: Final[list[tuple[tuple[str, ...], str]]]
    idle: Final[list[tuple[tuple[str, ...], str]]]
    top: Final[dict[str, Any]]
    kind: Final[str]
    nodes: Final[list[list[float]]]
    unused: Final[list[int]]
    size: Final[int]
    copies: Final[list[int]]
    times: Final[list[tuple[str, int, str, int]]]
    by_seed: Final[str]

    def check(self, common: Common) -> list[tuple[tuple[str, ...], str]]:
        """What only the engine can report, such as a destination that no static route reaches.

        Flows at fault are left out, and nothing is looked at where the network itself is.
        """

    def estimate(self) -> dict[str, float] | None:
        """Rough cost of a run (events, wall_s, memory_bytes); None without a configuration; EngineError: refused."""

    def config(self, seed: int) -> dict[str, Any]:
        """The engine's configuration of a run."""
    def engine_config(self, seed: int) -> Config:
        """The same as the engine takes it; EngineError: the engine does not read it."""
    def document(self) -> dict[str, Any]:
        """Every key with its value in base units, as a scenario document."""
    def key_of(self, engine_key: str) -> str:
        """The dotted key of the scenario that a key of the engine comes from."""
    def warnings(self) -> list[tuple[str, str]]:
        """What is allowed but hardly meant: what it is about (``apart``, ``ranges`` or nothing), and in words."""

def resolve(document: Mapping[str, Any], outside: object, common: Common) -> Resolved:
    """Reads a document without its sweep; ``outside`` opens files and finds classes (``hopscope.scenario.outside``)."""

def version() -> str:
    """Version of the package."""

def build_id() -> str:
    """Hash that changes with the code of the engine; part of the key of a stored run."""

def is_guided() -> bool:
    """Whether this build is profile-guided; results are those of a plain one."""

def profiles() -> list[str]:
    """Names of the behaviour profiles."""

def presets() -> list[tuple[str, str]]:
    """Radio presets, each with one line of description."""

def transports() -> list[tuple[str, str]]:
    """Transport protocols, each with one line of description."""

def controls() -> list[tuple[str, str]]:
    """Congestion controls of TCP with one line and usual recovery each, without those of the user's own code."""

def recoveries() -> list[tuple[str, str]]:
    """Ways of loss recovery of TCP with one line each."""

def ack_policies() -> list[tuple[str, str]]:
    """ACK policies of TCP receivers, each with one line of description."""

def link_layers() -> list[tuple[str, str]]:
    """Parts of link layers with one line each, after the word for none."""

def series() -> list[dict[str, Any]]:
    """Time series that a run can keep, each {name, doc, unit, heading, owner, course}."""

def metrics() -> list[dict[str, Any]]:
    """Entries of results, each {scope, name, doc, unit, heading, short, kind, applies, shown, total}."""

def routings() -> list[tuple[str, str]]:
    """Routing protocols, each with one line of description."""

def ledger_causes() -> list[tuple[str, list[str]]]:
    """Names of the airtime ledger's causes in order: those of ``nodes``, ``links``, ``delay`` and ``failures``."""

def routing_sets(protocol: str) -> list[tuple[str, str]]:
    """Parameter sets of a routing protocol, each with one line of description; empty for one without parameters."""

def routing_set(protocol: str, name: str) -> dict[str, Any]:
    """Constants of a parameter set of a routing protocol, {name: value}; ValueError where there is none."""

def parameters(section: str) -> tuple[Field, ...]:
    """Parameters of an engine section or of a routing protocol, under the engine's names; none for another word."""

def tables() -> list[tuple[tuple[str, str, tuple[Field, ...]], bool]]:
    """Every table of a file but the topology and the sweep: ((name, doc, keys), it stands in double brackets)."""

def topologies() -> list[tuple[str, str, tuple[Field, ...]]]:
    """Kinds of topologies: word, one line of description, keys besides ``kind``."""

def topology_kind() -> Field:
    """The key that names the kind of topology."""

def apps() -> list[tuple[str, str, tuple[str, ...]]]:
    """Applications: word, description, keys used."""

def patterns() -> list[tuple[str, str]]:
    """Traffic patterns with one line each."""

def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the scenario file."""

def did_you_mean(word: str, choices: Sequence[str]) -> str:
    """What a message says of the choice that a word means; empty: it means none.

    A choice is meant in another writing, as a word of other tools, or by likeness.
    """

def instead(word: str, choices: Sequence[str], allowed: str) -> str:
    """What a message says after a word that is none of the choices.

    Which one it means, with ``allowed`` where the choices are few; else what it means elsewhere, and ``allowed``; else
    ``allowed``.
    """

def brought_words() -> list[tuple[str, list[str]]]:
    """Every word of other tools that is known, with what it means here."""

def quantity(text: str, unit: str) -> str:
    """A quantity in a base unit, as the text of a decimal number; QuantityError for no number or another unit."""

def split_quantity(text: str) -> tuple[str, str]:
    """The number of a quantity, as the text of a decimal number, and its unit; QuantityError for no number."""

def read_toml(octets: bytes) -> tuple[dict[str, Any], Locations]:
    """The values of a scenario file (TOML 1.1 in UTF-8), and where they stand; TomlError: it is none."""

def key_paths(key: str, counts: dict[str, int]) -> list[list[str]]:
    """The key paths that a dotted key stands for; `counts` has the number of tables of each name in double brackets.

    Raises:
        ValueError: the key names a table that does not exist.
    """

def toml_value(text: str) -> Any:
    """The value that a text is behind an equals sign in TOML; None where it is none."""

def to_toml(document: Mapping[str, Any]) -> str:
    """A scenario document as TOML: values first, then tables, then ``[[flow]]``; long inner tables apart."""

def inline(value: object) -> str:
    """A value as TOML in one line."""

def place(table: dict[str, Any], tx_range: float, found: list[list[float]] = ...) -> _Placed:
    """The places of the nodes in metres by number, how many, the last ones, have no radio, and the wires.

    ``table``: the read ``[topology]``; ``tx_range``: receive range in metres, for ``connected``; ``found``: the
    positions of a file. PlaceError: too many or no nodes, or no connected placement.
    """

def across(table: dict[str, Any], flows: int | None = None) -> list[tuple[int, int]]:
    """The (from, to) of flows across a topology, as many as are usual for its kind; PlaceError: it has not so many."""

def drawn(positions: Sequence[Sequence[float]], reach: float, flows: int, seed: int) -> list[tuple[int, int]]:
    """Distinct (from, to) that reach each other over hops of ``reach``, equally likely; PlaceError: there are fewer."""

def components(
    positions: Sequence[Sequence[float]], reach: float, wired: int = 0, wires: Sequence[Sequence[int]] = ...
) -> list[list[int]]:
    """The sets of nodes that reach each other over hops of at most ``reach`` metres or wires, in rising order.

    Positions and reach in metres; ``wired``: how many nodes, the last ones, have no radio; ``wires``: pairs of nodes.
    """

def near(positions: Sequence[Sequence[float]], reach: float) -> list[list[int]]:
    """For every node the others at most ``reach`` metres (above 0) away, in rising order."""

def node_paths(config: _Config, until_s: float) -> list[tuple[int, list[list[float]]]]:
    """The way of every node that moves up to an instant: its number, then instants (s) with places (m); EngineError."""

def positions(text: str, name: str, form: str) -> list[list[float]]:
    """The positions in a text: ``csv``, ``ns2``, ``bonnmotion``, ``auto``; ValueError: none, with ``name`` and line."""

def import_ns2(text: str, name: str, title: str, opener: Callable[[str], tuple[str, str]]) -> tuple[str, list[str]]:
    """The scenario file of an ns-2 script, and what is not followed; ValueError: no scenario can be made of it."""

def frames(text: str, name: str, frame_rate: float) -> list[tuple[int, int]]:
    """The frames in the text of a trace: nanoseconds and bytes; ValueError: no frame, with ``name`` and line."""

def base_config(profile: str, preset: str) -> dict[str, Any]:
    """Defaults of a profile with a radio preset, section -> {name: value}; ValueError for unknown ones."""

def capture(
    config: _Config,
    path: str | PathLike[str],
    choice: Mapping[str, Any],
    title: str,
    force: bool = False,
    cancel: CancelToken | None = None,
    progress: Callable[[float], object] | None = None,
    controls: Sequence[_Code] | None = None,
) -> tuple[Outcome, dict[str, Any]]:
    """What :func:`run` gives, and what the pcapng file written meanwhile has come to; OSError: cannot open it.

    ``path``: the file, compressed as its name says (``.gz``, ``.zst``), ``-``: standard output; ``choice``: what is
    captured; ``title``: stands in the head of the file; ``force``: replace a file that is there.
    """

def bottleneck(config: _Config, code: _Code = (None, None)) -> tuple[int, int, list[_Table]]:
    """Runs one flow over a wired bottleneck; ``code`` as of one flow in ``run``, which raises the same.

    Gives retransmissions, timeouts, and the tables ``samples`` and ``drops``, columns as those of ``Outcome.series``.
    """

def validate(config: _Config) -> None:
    """Builds a run without running it; EngineError: the configuration is refused."""

def estimate(config: _Config) -> dict[str, float]:
    """Rough cost of a run: events, wall_s, memory_bytes; EngineError: the configuration is refused."""

def static_hops(config: _Config) -> list[int]:
    """Hops of each flow under static routing; EngineError: the configuration is refused."""

def next_hops(config: _Config) -> list[list[int | None]]:
    """The next hop from every node to every other under static routing; None: to itself, or there is no way.

    EngineError: the configuration is refused.
    """

def frame_airtime_ns(radio: Mapping[str, Any], bytes: int, rate: int) -> int:  # noqa: A002
    """Nanoseconds of a frame of so many MAC bytes at a rate in bit/s; EngineError: the radio section is refused."""

def trajectory(config: _Config, eager: bool = False) -> int:
    """Hash of every frame a configuration sends; equal hashes mean equal runs; EngineError: it is refused.

    ``eager`` makes every edge of a frame at every station an event of its own; the hash must not change.
    """

def trace(
    config: _Config,
    form: str,
    wanted: Mapping[str, Any],
    write: Callable[[Any], bool],
    cut: bool = False,
    cancel: CancelToken | None = None,
    progress: Callable[[float], object] | None = None,
    controls: Sequence[_Code] | None = None,
) -> Outcome:
    """Runs a configuration as ``run`` does, and hands its records to ``write``, some thousand at a time.

    ``form``: "text", "json", "ns2-old" or "ns2-new", whole lines; "values", a list of dictionaries; ``wanted``:
    ``nodes``, ``flows`` and ``kinds``, each a list or None for all; ``from_ns``, and ``until_ns``, None for the end;
    ``write``: takes them and says whether it takes more; the run goes on where it does not; ``cut``: end the run at
    ``until_ns``; what is returned is of the run so far.
    """

def record_kinds() -> list[str]:
    """The names of all records."""

def run(
    config: _Config,
    cancel: CancelToken | None = None,
    progress: Callable[[float], object] | None = None,
    controls: Sequence[_Code] | None = None,
) -> Outcome:
    """Runs a configuration and returns what it gave; other Python threads go on meanwhile.

    Args:
        config: the configuration, or a mapping of its keys.
        cancel: stops the run when it is set.
        progress: called a few times a second at most with the simulated seconds so far.
        controls: for each flow the methods ``on_ack``, ``on_loss``, ``on_timeout``, ``on_rtt``, ``on_every_ack``,
            ``on_sent`` and ``on_timer`` of its congestion control, and ``on_data`` and ``on_timer`` of its ACK policy;
            None for what is left to the engine.

    Raises:
        EngineError: the configuration is refused.
        Cancelled: ``cancel`` was set.
        ControlError: a method of ``controls`` failed.
    """
