"""Points of a sweep: each combination of the swept values checked, and what is wrong with which of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from hopscope import _core
from hopscope.errors import Problem, ScenarioError
from hopscope.scenario import size, sweep
from hopscope.scenario.controls import FlowControl
from hopscope.scenario.document import Document, KeyPath
from hopscope.scenario.fields import NS
from hopscope.scenario.outside import Outside

#: After so many problems the rest of a sweep is not looked at any more.
ENOUGH_PROBLEMS = 20

#: What the place of a problem says before a swept value.
_SWEPT = "sweep value "


@dataclass(frozen=True)
class Point:
    """One combination of the sweep.

    Attributes:
        index: position in the sweep, the last axis fastest.
        set: the swept keys with their values as written; empty without a sweep.
    """

    index: int
    set: dict[str, Any]
    _resolved: _core.Resolved
    _own: Mapping[int, Mapping[str, FlowControl]]
    _idle: Mapping[KeyPath, Problem]

    def __repr__(self) -> str:
        return f"Point({self.index}, {self.set})"

    def config(self, seed: int) -> dict[str, Any]:
        """Returns the engine's configuration of a run of this point (times in ns, rates in bit/s, lengths in m)."""
        return self._resolved.config(seed)

    def engine_config(self, seed: int) -> _core.Config:
        """Returns the same as the engine takes it, without making Python objects of it first."""
        return self._resolved.engine_config(seed)

    def controls(self) -> list[tuple[FlowControl, ...]]:
        """Returns for each of the engine's flows the congestion control and the ACK policy that are a user's."""
        tables = [tuple(self._own.get(table, {}).values()) for table in range(len(self._resolved.copies))]
        return [own for own, copies in zip(tables, self._resolved.copies, strict=True) for _ in range(copies)]

    @property
    def resolved(self) -> dict[str, Any]:
        """Every key of this point with its value in base units (s, m, bit/s, bytes)."""
        return self._resolved.document()

    @property
    def remark_on_ranges(self) -> str:
        """That the receive range is that of another rate; empty where it is not."""
        return next((text for about, text in self._resolved.warnings() if about == "ranges"), "")

    @property
    def remark_on_programs(self) -> str:
        """That a simulation leaves out what ``[[node]]`` tables run; empty where there is nothing of it."""
        return next((text for about, text in self._resolved.warnings() if about == "left out"), "")

    @property
    def draws_field(self) -> bool:
        """Whether each seed has a field of its own (``topology.seed = "run"``)."""
        return self._resolved.by_seed == "field"

    def reported(self, engine_key: str) -> str:
        """Returns the key of the scenario that a key of the engine comes from."""
        return self._resolved.key_of(engine_key)

    @property
    def duration_s(self) -> float:
        """Simulated seconds of a run."""
        return float(self._resolved.top["duration"]) / NS

    @property
    def measured_s(self) -> float:
        """Simulated seconds that metrics count: those after the warm-up."""
        return float(self._resolved.top["duration"] - self._resolved.top["warmup"]) / NS


@dataclass(frozen=True)
class _Shared:
    """What points of a sweep have in common, and what was said of them."""

    engine: _core.Common = field(default_factory=_core.Common)
    announced: set[str] = field(default_factory=set)


def points_of(document: Document) -> tuple[sweep.Axes, list[tuple[str, ...]], list[Point]]:
    """Returns the axes of a document, those that change together, and its points.

    Raises:
        ScenarioError: a point cannot be run; the message says with which values.
    """
    axes, linked, findings = sweep.axes(document)
    problems = [document.problem(path, message) for path, message in findings]
    if problems:
        axes, linked = {}, []
    points: list[Point] = []
    shared = _Shared()
    together = dict(document.together)
    first: dict[tuple[str, str], Problem] = {}
    affected: dict[tuple[str, str], list[int]] = {}
    for index, combination in enumerate(sweep.combinations(axes, linked)):
        point, found = _point(document, index, combination, shared)
        points.append(point)
        for problem in found:
            name = (problem.key, problem.message)
            first.setdefault(name, problem)
            if index not in affected.setdefault(name, []):
                affected[name].append(index)
        if len(problems) + len(first) >= ENOUGH_PROBLEMS:
            break
    sound = set(range(len(points))).difference(*affected.values())
    problems += [_where(document, problem, affected[name], points, sound, shared) for name, problem in first.items()]
    idle = _idle(points)
    for axis in axes:
        together |= _together(document, axis)
    excused = {path for path in idle if any(member not in idle for member in _given_with(path, together))}
    if document.controls is None:  # what a store holds was run, by a version that accepted it
        problems += [problem for path, problem in idle.items() if path not in excused]
    if problems:
        raise ScenarioError(problems)
    for path in excused & document.together.keys():
        sweep.remove(document.values, path)
    return axes, linked, points


def _where(
    document: Document,
    problem: Problem,
    affected: Sequence[int],
    points: Sequence[Point],
    sound: Set[int],
    shared: _Shared,
) -> Problem:
    """Adds to a problem of some points the swept values that bring it about, as few as single them out.

    Points with other problems report nothing: one problem can hide another.
    """
    here = points[affected[0]].set
    reported = {
        key: value for key, value in here.items() if _SWEPT in problem.place and _is_of(document, key, problem.key)
    }
    cause = {key: value for key, value in here.items() if key not in reported}
    others = [point.set for point in points if point.index in sound]
    if not others:
        if reported or not here or _without_sweep(document, problem, shared):
            return problem
        if 1 < len(points) == len(affected):
            return replace(problem, message=f"{problem.message} (at every point of the sweep)")
    for key in list(cause):
        rest = {name: value for name, value in cause.items() if name != key}
        if others and all(any(other[name] != value for name, value in (reported | rest).items()) for other in others):
            cause = rest
    words = sweep.in_words(cause)
    if len(cause) == 1:
        [key] = cause
        words = f"{key} = {', '.join(dict.fromkeys(sweep.written(points[at].set[key]) for at in affected))}"
    return replace(problem, message=f"{problem.message} (with {words})") if cause else problem


def _is_of(document: Document, axis: str, key: str) -> bool:
    """Whether a key is one that an axis varies, or lies in such a table."""
    return any(key == path or key.startswith(f"{path}.") for path in map(".".join, _together(document, axis)))


def _without_sweep(document: Document, problem: Problem, shared: _Shared) -> bool:
    """Whether a scenario has a problem also with nothing swept."""
    values = {name: value for name, value in document.values.items() if name != "sweep"}
    _, found = _point(document.with_values(values), 0, {}, shared)
    return (problem.key, problem.message) in {(other.key, other.message) for other in found}


def _idle(points: list[Point]) -> dict[KeyPath, Problem]:
    """The keys that have no effect in any point."""
    first, *others = (point._idle for point in points)
    return {path: problem for path, problem in first.items() if all(path in other for other in others)}


def _together(document: Document, axis: str) -> dict[KeyPath, tuple[KeyPath, ...]]:
    """The keys that an axis such as ``flow.*.max_window`` varies together, by each of them."""
    try:
        paths = tuple(sweep.key_paths(document.values, axis))
    except sweep.KeyProblem:
        return {}
    return dict.fromkeys(paths, paths)


def _given_with(path: KeyPath, together: Mapping[KeyPath, tuple[KeyPath, ...]]) -> set[KeyPath]:
    """The keys that were given together with one, or with one below it."""
    length = len(path)
    return {other[:length] for key, others in together.items() if key[:length] == path for other in others}


def _point(document: Document, index: int, combination: dict[str, Any], shared: _Shared) -> tuple[Point, list[Problem]]:
    """One point with everything that is wrong with it."""
    local = document
    if combination:
        # Without the sweep, whose copies would take as long as its points squared.
        fixed = {name: value for name, value in document.values.items() if name != "sweep"}
        local = document.with_values(copy.deepcopy(fixed))
        for key, value in combination.items():
            try:
                paths = sweep.assign(local.values, key, value)
            except sweep.KeyProblem as error:
                nothing = _core.resolve({}, Outside(document), shared.engine)
                problem = document.problem(("sweep", *_sweep_path(document, key)), str(error))
                return Point(index, combination, nothing, {}, {}), [problem]
            origin = document.problem(("sweep", *_sweep_path(document, key)), "").place
            for path in paths:
                local.options[path] = (f"{origin}: " if origin else "") + _SWEPT + shown_value(value)
    outside = Outside(local)
    resolved = _core.resolve(local.values, outside, shared.engine)
    problems = [local.problem(path, message) for path, message in resolved.problems]
    idle = {path: local.problem(path, reported) for path, reported in resolved.idle}
    point = Point(index, combination, resolved, outside.own, idle)
    many = {"nodes": resolved.size, "flows": sum(resolved.copies)}
    try:
        if not problems and (refusal := size.refusal(many, resolved.estimate, shared.announced)):
            return point, [local.problem(("topology",), refusal)]
    except _core.EngineError as error:  # wrong in another way, which is reported before a network so large is searched
        return point, [local.problem(tuple(point.reported(key).split(".")), message) for key, message in error.problems]
    problems += [local.problem(path, message) for path, message in resolved.check(shared.engine)]
    return point, problems


def _sweep_path(document: Document, key: str) -> tuple[str, ...]:
    """The path of a sweep key as the file spells it: quoted or bare, alone or among keys that change together."""
    return next(path for path, axis, _ in sweep.entries(document.values["sweep"]) if axis == key)


def shown_value(value: Any) -> str:
    """A changed value as a message shows it."""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
