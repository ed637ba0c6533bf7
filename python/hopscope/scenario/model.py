"""A scenario: a checked document with its sweep, and what is made of it: other values, shorter runs."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import Problem, ScenarioError, counted, visible
from hopscope.scenario import document as documents
from hopscope.scenario import keys, shorter, sweep
from hopscope.scenario.controls import Control
from hopscope.scenario.document import Document, KeyPath
from hopscope.scenario.fields import NS
from hopscope.scenario.files import PARAMS, companion
from hopscope.scenario.points import Point, points_of, shown_value

#: Keys that decide the defaults of others, or which others there are.
DECIDING = frozenset(
    {"profile", "radio.preset", "radio.error.kind", "topology.kind", "routing.protocol", "routing.parameters"}
) | {"mobility.model"}

#: Keys that name a file of the scenario: first part, number of parts, last part.
FILES = frozenset(
    {("topology", 2, "path"), ("mobility", 2, "path"), ("flow", 3, "path"), ("flow", 3, "trace"), ("flow", 4, "trace")}
) | {("radio", 2, "rssi_trace"), ("radio", 2, "loss_trace")}

#: Keys of tables that can name a node in words.
_NAMED_NODES = {
    "flow": ("from", "to"),
    "event": ("node", "from", "to"),
    "outage": ("node",),
    "wire": ("from", "to"),
    "layer": ("nodes",),
    "interface": ("nodes",),
}


class Scenario:
    """A checked scenario.

    ``Scenario({...})`` and ``Scenario(topology={...}, flow=[{...}])`` take the keys of a scenario file; ``load`` reads
    one.  A scenario never changes: ``replace`` and ``quick`` return new ones.

    Raises:
        ScenarioError: with every problem found: unknown keys, values that do not fit, impossible scenarios.
    """

    def __init__(self, values: Mapping[str, Any] | None = None, /, **sections: Any) -> None:
        self._build(documents.from_mapping({**(values or {}), **sections}), is_quick=False)

    @classmethod
    def from_document(cls, document: Document, *, is_quick: bool = False) -> Scenario:
        """Returns the scenario of a read document."""
        scenario = cls.__new__(cls)
        scenario._build(document, is_quick=is_quick)
        return scenario

    def _build(self, document: Document, *, is_quick: bool) -> None:
        self._document = document
        self.is_quick = is_quick
        self.axes, self.together, self.points = points_of(document)
        self._top = self.points[0]._resolved.top

    @property
    def title(self) -> str:
        """Name of the scenario: as given, else that of its file, else the kind of its topology."""
        return visible(str(self._top["title"])) or self.points[0]._resolved.kind

    @property
    def seed(self) -> int:
        """First seed."""
        return int(self._top["seed"])

    @property
    def seeds(self) -> int:
        """Number of replications."""
        return int(self._top["seeds"])

    @functools.cached_property
    def resolved(self) -> dict[str, Any]:
        """Every key with its value in base units; swept keys as in the first point, and the axes under ``sweep``.

        Keys that only other points use are as in the first of these.  A default that follows a swept key, such as the
        timers of a swept ``profile`` or what a flow takes from a swept ``[tcp]``, is left out; so are the number of a
        node that is named in words and of flows across the topology when the topology is swept.
        """
        first = result = self.points[0].resolved
        if deciding := [axis for axis in self.axes if axis in DECIDING]:
            swept = {path for axis in self.axes for path in sweep.key_paths(self._document.values, axis)}
            distinct = {repr([point.set[axis] for axis in deciding]): point for point in self.points}
            every = [point.resolved for point in distinct.values()]
            result = _shared(first, every, swept, ())
            for protocol in keys.routing_protocols():
                if theirs := [values["routing"][protocol] for values in every if protocol in values["routing"]]:
                    result["routing"][protocol] = _shared(theirs[0], theirs, swept, ("routing", protocol))
        if deciding := [axis for axis in self.axes if axis.split(".")[-1] in {"transport", "app"}]:
            for point in {repr([point.set[axis] for axis in deciding]): point for point in self.points}.values():
                for table, theirs in zip(result["flow"], point.resolved["flow"], strict=True):
                    table |= {name: value for name, value in theirs.items() if name not in table}
        for path in self.points[0]._idle:
            _used_elsewhere(result, path, self.points)
        if any(axis.split(".")[0] == "topology" for axis in self.axes):
            for name, ends in _NAMED_NODES.items():
                for table, given in self._tables(result, name):
                    table |= {end: given[end] for end in ends if isinstance(given.get(end), (str, list))}
                    if given.get("pattern") == "across" and "copies" not in given:
                        del table["copies"]  # each topology has its own number of them
        for axis in self.axes:
            self._take_out_inherited(result, axis)
        if self.axes:
            result["sweep"] = sweep.as_table(self.axes, self.together)
        return result

    def _take_out_inherited(self, result: dict[str, Any], axis: str) -> None:
        """Takes out of the tables what they have from a swept section and not of their own."""
        section, _, key = axis.partition(".")
        if section == "tcp":
            for table, given in self._tables(result, "flow"):
                _take_out(table.get("tcp", {}), [key] if key else _names("tcp"), given.get("tcp", {}))
        if section == "link":
            for table, given in self._tables(result, "layer"):
                _take_out(table, [key] if key else _names("link"), given)
        if axis in {"mac", "mac.link"}:
            for table, given in self._tables(result, "layer"):
                _take_out(table, ["link"], given)

    def _tables(self, result: dict[str, Any], name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """The ``[[name]]`` tables of a result, each with its keys as given, which a sweep can vary as a whole."""
        return zip(result.get(name, []), self.points[0].set.get(name, self._document.values.get(name, [])), strict=True)

    @property
    def document(self) -> dict[str, Any]:
        """The keys as given, without defaults."""
        return copy.deepcopy(self._document.values)

    @property
    def has_flows(self) -> bool:
        """Whether every point has flows; one with programs alone (``[[node]]``) cannot be simulated."""
        return all(point._resolved.copies for point in self.points)

    def standalone(self) -> dict[str, Any]:
        """The keys as given, wherever they are read: node files become the positions they held, paths absolute."""
        values = self.document
        swept = any(axis.split(".")[0] == "topology" for axis in self.axes)
        if values["topology"].get("kind") == "file" and not swept:
            if values.get("mobility", {}).get("model") == "file" and "path" not in values["mobility"]:
                named = {name: values["topology"][name] for name in ("path", "format") if name in values["topology"]}
                values["mobility"] |= named
            values["topology"] = {"kind": "positions", "positions": self.points[0]._resolved.nodes}
            if unused := self.points[0]._resolved.unused:
                off = [{"node": node, "from": 0} for node in unused]
                values["outage"] = [*values.get("outage", []), *off]
        for name in {first for first, *_ in FILES} & values.keys():
            values[name] = self._anywhere((name,), values[name])
        axes = {axis: [self._anywhere(axis.split("."), value) for value in of] for axis, of in self.axes.items()}
        if axes != self.axes:
            values["sweep"] = sweep.as_table(axes, self.together)
        return values

    def files(self) -> dict[str, str]:
        """The text of the files that :meth:`standalone` names, by their absolute paths."""
        known = self._document.opened if self._document.kept is None else self._document.kept
        named = known.keys() & set(documents.texts(self.standalone()))
        named |= {str(companion(Path(path), PARAMS)) for path in named}
        return {path: text for path, text in known.items() if path in named}

    def swept_with(self, axis: str) -> tuple[str, ...]:
        """The swept keys that change together with a swept key."""
        return tuple(key for keys in self.together if axis in keys for key in keys if key != axis)

    def controls(self) -> dict[str, Control]:
        """The classes of a user's in all points, each by what names it: ``tcp:...`` or ``ack:...``."""
        own = (found for point in self.points for _, flow in sorted(point._own.items()) for found in flow.items())
        return {named: flow.control for named, flow in own}

    def standalone_set(self, point: Point) -> dict[str, Any]:
        """The swept keys of a point with their values, as in the sweep of :meth:`standalone`."""
        return {axis: self._anywhere(axis.split("."), value) for axis, value in point.set.items()}

    def alone(self, point: Point) -> dict[str, Any]:
        """The keys of a point as given, in the form of :meth:`standalone`, without the sweep.

        Keys that have an effect in other points alone are left out.
        """
        values = self.standalone()
        values.pop("sweep", None)
        for key, value in self.standalone_set(point).items():
            sweep.assign(values, key, value)
        for path in point._idle:
            with contextlib.suppress(LookupError):  # of a file of nodes, whose places stand there instead
                sweep.remove(values, path)
        return values

    def _anywhere(self, path: Sequence[str], value: Any) -> Any:
        """The value of a key with the names of node files and traces in it absolute."""
        if isinstance(value, dict):
            return {name: self._anywhere((*path, name), inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._anywhere((*path, "*"), inner) for inner in value]
        if (path[0], len(path), path[-1]) in FILES and isinstance(value, str):
            return str((self._document.folder / value).resolve())
        return value

    def replace(self, changes: Mapping[str, Any], *, origin: str = "") -> Scenario:
        """Returns a scenario with dotted keys changed; a swept key that is set leaves the sweep.

        Args:
            changes: for example ``{"duration": "30s", "flow.*.max_window": 3}``.
            origin: text that messages show in front of a changed key, such as ``--set``.

        Raises:
            ScenarioError: a key that leads nowhere or a value that does not fit.
        """
        return Scenario.from_document(changed(self._document, changes, origin), is_quick=self.is_quick)

    def sweeping(self, axes: Mapping[str, Any], *, origin: str = "") -> Scenario:
        """Returns a scenario that sweeps dotted keys as well, or over other values.

        Args:
            axes: for example ``{"flow.*.max_window": "1..32"}``.
            origin: text that messages show in front of a key, such as ``--sweep``.

        Raises:
            ScenarioError: a key that leads nowhere or a value that does not fit.
        """
        document = changed(self._document, axes, origin, table="sweep.")
        return Scenario.from_document(document, is_quick=self.is_quick)

    def quick(self, changes: Mapping[str, Any] | None = None) -> Scenario:
        """Returns a shorter scenario: a tenth of the duration but at least 10 s, and 2 to 10 seeds by its size.

        Warm-up, start, stop, stagger and start_jitter of flows, outages, events and pauses of nodes that move shrink by
        the same factor.

        Args:
            changes: dotted keys that are set afterwards. By a ``duration`` among them the times shrink; ``seeds`` among
                them are those of the shorter scenario.

        Raises:
            ScenarioError: a time is swept, or the shorter scenario is none.
        """
        own = dict(changes or {})
        duration = shorter.quick_duration(int(self._top["duration"]), own.get("duration"))
        if "seeds" not in own:
            nodes = sum(point._resolved.size for point in self.points)
            own["seeds"] = shorter.quick_seeds(self.seeds, nodes * duration / NS)
        return self._shortened(duration, own, " by quick")

    def shortened(self, seconds: float) -> Scenario:
        """Returns a scenario that ends after so many seconds, at most its own duration.

        Warm-up, start, stop, stagger and start_jitter of flows, outages, events and pauses of nodes that move shrink by
        the same factor.

        Raises:
            ScenarioError: a time is swept, or the shorter scenario is none.
        """
        return self._shortened(min(int(self._top["duration"]), round(seconds * NS)), None, "")

    def _shortened(self, duration: int, changes: Mapping[str, Any] | None, why: str) -> Scenario:
        """The scenario with a duration in nanoseconds, and then changes; refused where a time is swept."""
        if problems := [
            Problem(f"sweep.{axis}", f"a sweep over times cannot be shortened{why}")
            for axis, values in self.axes.items()
            if shorter.sets_times(axis, values)
        ]:
            raise ScenarioError(problems)
        values = shorter.with_times(self._document.values, self._top, self.points[0]._resolved.times, duration)
        values = shorter.with_pauses(values, self.axes, self.together, Fraction(duration, int(self._top["duration"])))
        document = changed(self._document.with_values(values), changes or {}, "")
        return Scenario.from_document(document, is_quick=self.is_quick or changes is not None)

    def warnings(self) -> list[str]:
        """Returns what is allowed but hardly meant: nodes at the same place, seeds whose network cannot carry a flow.

        Shadowing and fields that are drawn make another network of each seed; so many that it would take long are not
        looked at.
        """
        return [text for _, text in self.reported_warnings()]

    def reported_warnings(self) -> list[tuple[str, str]]:
        """Returns the same with what each is about: ``apart`` (a flow that cannot deliver), ``ranges``, or nothing."""
        found = dict.fromkeys(reported for point in self.points for reported in point._resolved.warnings())
        various = [point for point in self.points if point._resolved.by_seed]
        if sum(point._resolved.size for point in various) * self.seeds <= _core.MANY_NODES:
            reported = [(p, m) for p in various if (m := self._unable(p))]
            found |= dict.fromkeys(("apart", f"{sweep.in_words(p.set)}: {m}" if p.set else m) for p, m in reported)
        return list(found)

    def _unable(self, point: Point) -> str:
        """Reports how many seeds of a point the engine refuses."""
        problems = []
        for seed in range(self.seed, self.seed + self.seeds):
            try:
                _core.validate(point.engine_config(seed))
            except _core.EngineError as error:
                problems.append(f"seed {seed}: {point.reported(error.key)}: {error.message}")
        if not problems:
            return ""
        return (
            f"{len(problems)} of {counted(self.seeds, 'seed')} cannot run, so means will be those of the others "
            f"alone; {problems[0]}"
        )

    def __repr__(self) -> str:
        runs = len(self.points) * self.seeds
        return f"Scenario({self.title!r}, points={len(self.points)}, seeds={self.seeds}, runs={runs})"


def load(
    path: str | Path,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
    *,
    code: bool = True,
) -> Scenario:
    """Reads a scenario file.

    Args:
        path: the TOML file.
        set: dotted keys to change, as with ``--set``.
        code: False leaves code that it names a name: neither loaded nor checked, and not to be run.

    Raises:
        InputError: the file cannot be read.
        ScenarioError: everything that is wrong with it, with file, line and column.
    """
    document = documents.read(path)
    document.values.setdefault("title", Path(path).stem)
    document.loads_code = code
    return Scenario.from_document(changed(document, set or {}, "--set"))


def changed(document: Document, changes: Mapping[str, Any], origin: str, *, table: str = "") -> Document:
    """Returns a copy of a document with dotted keys changed, which messages name without the table that they lie in.

    Raises:
        ScenarioError: a key that leads nowhere.
    """
    result = document.with_values(copy.deepcopy(document.values))
    problems = []
    for key, value in changes.items():
        # An option of its own, such as --seeds, has no key with it.
        label = f"{origin} {shown_value(value)}" if origin == f"--{key}" else f"{origin} {key}={shown_value(value)}"
        label = label if origin else ""
        try:
            plain = documents.from_mapping({"value": value}).values["value"]
            paths = sweep.assign(result.values, f"{table}{key}", plain)
        except sweep.KeyProblem as error:
            problems.append(Problem("" if origin else f"{table}{key}", str(error), label))
            continue
        for path in paths:
            result.options[path] = label
            result.together[path] = tuple(paths)
    if problems:
        raise ScenarioError(problems)
    return result


def _shared(
    values: dict[str, Any], others: list[dict[str, Any]], swept: set[tuple[str, ...]], path: tuple[str, ...]
) -> dict[str, Any]:
    """Returns the swept keys of a resolved document and those of the rest that are the same in all others."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        at = (*path, name)
        if at in swept:
            result[name] = value
        elif all(name in other for other in others):
            theirs = [other[name] for other in others]
            if isinstance(value, dict):
                result[name] = _shared(value, theirs, swept, at)
            elif not path and name in keys.NUMBERED:  # an event has a key "node" as well
                result[name] = [
                    _shared(table, [tables[index] for tables in theirs], swept, (*at, str(index)))
                    for index, table in enumerate(value)
                ]
            elif all(other == value for other in theirs):
                result[name] = value
    return result


def _used_elsewhere(values: dict[str, Any], path: KeyPath, points: list[Point]) -> None:
    """Puts a key that the first point has no use for into a resolved document, as it is where it is used."""
    using: Any = next((point.resolved for point in points if path not in point._idle), None)
    *tables, name = path
    here: Any = values
    for part in tables:
        at: Any = int(part) if isinstance(here, list) else part
        if using is None or (isinstance(using, dict) and part not in using):
            return
        here = here[at] if isinstance(here, list) else here.setdefault(part, {})
        using = using[at]
    if using is not None and name in using:
        here.setdefault(name, using[name])


def _names(section: str) -> list[str]:
    return [field.name for field in keys.engine(section)]


def _take_out(table: dict[str, Any], names: Iterable[str], given: Mapping[str, Any]) -> None:
    """Takes keys out of a table that were not given there."""
    for name in names:
        if name not in given:
            table.pop(name, None)
