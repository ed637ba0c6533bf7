"""Runs as a page carries them: the text of their scenario, and the texts of the files that this names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.errors import InputError
from hopscope.scenario import Point, Scenario, sweep
from hopscope.scenario.files import PARAMS, companion
from hopscope.scenario.toml_writer import to_toml

#: Most bytes of a scenario with the files that it names; a default of ours: a browser reads so much within a second.
MOST_BYTES = 20_000_000

#: Most memory that a run may need; a default of ours: WebAssembly has 4 GB of addresses, a phone less memory.
MOST_MEMORY = 2_000_000_000


@dataclass(frozen=True)
class Carried:
    """What a page needs for the runs of one point.

    Attributes:
        text: the scenario (TOML), without a sweep.
        files: the texts of the files that it names, by the names it has for them.
    """

    text: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CarriedSweep:
    """What a page needs for the runs of all points, and of others like them.

    Attributes:
        texts: scenarios (TOML) without a sweep; those of points with the same keys are one.
        points: for each point the number of its text, and the swept keys that have an effect there.
        files: the texts of the files that they name, by the names that the texts and the values have for them.
    """

    texts: Sequence[str]
    points: Sequence[tuple[int, Mapping[str, Any]]]
    files: Mapping[str, str]


def carried(scenario: Scenario, point: Point, command: str, *, text: str | None = None) -> Carried:
    """Returns a point of a scenario as a page carries it.

    Args:
        scenario: the scenario.
        point: its point.
        command: what runs it where a page cannot.
        text: the file of the scenario, taken as it is where it says all by itself.

    Raises:
        InputError: no page can run it; the message ends with the command.
    """
    check(scenario, point, command)
    values = scenario.alone(point)
    if text is None or point.set or values != scenario.document:
        files = scenario.files()
        names = _names(files)
        found = Carried(to_toml(_renamed(values, names)), {names[path]: files[path] for path in files})
    else:
        found = Carried(text)
    _check_size([found.text, *found.files.values()], command)
    return found


def carried_sweep(scenario: Scenario, command: str) -> CarriedSweep:
    """Returns all points of a scenario as a page carries them.

    Args:
        scenario: the scenario.
        command: what runs it where a page cannot.

    Raises:
        InputError: no page can run a point of it; the message ends with the command.
    """
    files = scenario.files()
    names = _names(files)
    first = scenario.standalone_set(scenario.points[0])
    texts: dict[str, int] = {}
    points = []
    for point in scenario.points:
        check(scenario, point, command)
        values = scenario.alone(point)
        here = {key: value for key, value in scenario.standalone_set(point).items() if sweep.has(values, key)}
        for key in here:
            sweep.assign(values, key, first[key])
        number = texts.setdefault(to_toml(_renamed(values, names)), len(texts))
        points.append((number, _renamed(here, names)))
    _check_size([*texts, *files.values()], command)
    return CarriedSweep(list(texts), points, {names[path]: files[path] for path in files})


def check(scenario: Scenario, point: Point, command: str) -> None:
    """Refuses what no page can run whatever its size.

    Raises:
        InputError: a control of the user's own, or too much memory.
    """
    own = [flow.control.name for controls in point.controls() for flow in controls]
    if own:
        raise InputError(f"{scenario.title}: {own[0]} is code in Python, which no page runs; use: {command}")
    try:
        need = _core.estimate(point.engine_config(scenario.seed))["memory_bytes"]
    except _core.EngineError as error:
        key, _, message = str(error).partition(": ")
        raise InputError(f"{point.reported(key)}: {message}") from None
    if need > MOST_MEMORY:
        raise InputError(
            f"{scenario.title}: needs about {need / 1e9:.1f} GB of memory; a page has at most {MOST_MEMORY / 1e9:.0f} "
            f"GB; use: {command}"
        )


def _check_size(texts: Iterable[str], command: str) -> None:
    size = sum(len(text.encode(errors="surrogatepass")) for text in texts)
    if size > MOST_BYTES:
        raise InputError(
            f"the scenario and its files have {size / 1e6:.1f} MB; a page holds at most {MOST_BYTES / 1e6:.0f} MB; "
            f"use: {command}"
        )


def _names(files: Mapping[str, str]) -> dict[str, str]:
    """Names of files without their folders, which are nobody's business in a page that is passed on."""
    with_another = {str(companion(Path(path), PARAMS)): path for path in files}
    names: dict[str, str] = {}
    for path in sorted(files.keys() - with_another.keys()):
        name, number = Path(path).name, 1
        while name in names.values():
            number += 1
            name = f"{number}-{Path(path).name}"
        names[path] = name
    for path in sorted(files.keys() & with_another.keys()):
        names[path] = str(companion(Path(names[with_another[path]]), PARAMS))
    return names


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The values of a scenario with other names of its files."""
    if isinstance(value, dict):
        return {name: _renamed(inner, names) for name, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value
