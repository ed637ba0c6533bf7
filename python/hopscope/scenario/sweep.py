"""Changes to a scenario by dotted keys, and the axes of a sweep.

``--set``, ``Scenario.replace`` and ``[sweep]`` share one grammar: ``mac.queue``, ``flow.0.max_window``,
``flow.*.max_window`` (every flow), ``outage.0.to``, ``radio.error.per``.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hopscope import _core
from hopscope.errors import InputError, did_you_mean, instead, listed, shown, visible
from hopscope.scenario import keys
from hopscope.scenario.document import Document, KeyPath
from hopscope.scenario.spreading import EXPECTED, steps, value_of, values_of
from hopscope.scenario.toml_writer import inline

#: More points in one sweep are refused.
MAX_POINTS = 100_000

#: ``[[sweep.together]]``: each table holds keys that change together instead of in every combination.
TOGETHER = "together"

#: The values of each swept key, in the order of the file; those of keys that change together are equally many.
Axes = dict[str, list[Any]]


class KeyProblem(ValueError):
    """A dotted key leads nowhere."""


def parse_set(text: str) -> tuple[str, Any]:
    """Reads ``key=value``; the value is TOML where it can be, else text.

    Raises:
        InputError: no equals sign or no key.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(f'--set {text}: expected key=value, for example "flow.0.max_window=3"')
    return key.strip(), value_of(value.strip())


def set_text(key: str, value: Any) -> str:
    """Returns what :func:`parse_set` reads as this key and value; text is left without quotes where it can be."""
    text = f"{key}={value}" if isinstance(value, str) else ""
    return text if text and parse_set(text) == (key, value) else f"{key}={inline(value)}"


def written(value: Any, limit: int = 60) -> str:
    """Returns a value as a file has it, text without quotes, shortened for a table."""
    text = visible(value) if isinstance(value, str) else inline(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def is_named(text: str, index: int, values: Mapping[str, Any]) -> bool:
    """Whether ``text`` names a point, by its number or as ``KEY=VALUE`` by a swept value as written or as shown."""
    key, equals, value = text.partition("=")
    if not equals:
        return text.strip() == str(index)
    if key.strip() not in values:
        return False
    found, wanted = values[key.strip()], value.strip().strip('"')
    return wanted in (str(found), written(found, len(wanted) + 3))


def in_words(values: Mapping[str, Any]) -> str:
    """Returns swept keys with their values: ``mac.queue = 5, profile = ns2``."""
    return ", ".join(f"{key} = {written(value)}" for key, value in values.items())


def assign(values: dict[str, Any], key: str, value: Any) -> list[KeyPath]:
    """Sets a dotted key in nested values and returns the key paths that were set.

    Raises:
        KeyProblem: the key names a flow or outage that does not exist, or goes through something that is no table.
    """
    parts = key.split(".")
    if parts[0] == "sweep" and len(parts) > 1:
        axis = ".".join(parts[1:])
        sweep = values.setdefault("sweep", {})
        if not isinstance(sweep, dict):
            raise KeyProblem("sweep is no table")
        for path in [path for path, key, _ in entries(sweep) if key == axis != path[0]]:
            _take_out(sweep, path)  # the same key without quotes, or among those that change together
        sweep[axis] = value
        return [("sweep", axis)]
    paths = key_paths(values, key)
    for path in paths:
        _put(values, path, copy.deepcopy(value))
    if isinstance(sweep := values.get("sweep"), dict):
        _end_axes(values, sweep, set(paths))
    return paths


def _end_axes(values: Mapping[str, Any], sweep: dict[str, Any], fixed: set[KeyPath]) -> None:
    """Takes axes out of a sweep whose keys have been given fixed values."""
    for path, axis, _ in reversed(list(entries(sweep))):  # from the end, so that tables keep their numbers
        try:
            swept = set(key_paths(values, axis))
        except KeyProblem:
            continue  # the sweep itself will be refused
        if is_inside(fixed, swept):
            raise KeyProblem(f"is part of what is swept as {axis}; set that key instead")
        if swept & fixed and not swept <= fixed:
            raise KeyProblem(f"is swept together with others as {axis}; set that key instead")
        if swept & fixed:
            _take_out(sweep, path)


def _take_out(sweep: dict[str, Any], path: KeyPath) -> None:
    """Takes an axis out of a sweep; of those that changed with it, rows that are now alike become one."""
    rest = sweep[TOGETHER][int(path[1])] if path[0] == TOGETHER else {}
    remove(sweep, path)
    others = list(_flat(rest, ()))
    if not others or not all(isinstance(values, list) and len(values) == len(others[0][1]) for _, values in others):
        return
    rows = [repr(row) for row in zip(*(values for _, values in others), strict=True)]
    kept = [place for place, row in enumerate(rows) if row not in rows[:place]]
    for at, values in others:
        _put(rest, at, [values[place] for place in kept])


def is_inside(paths: Iterable[KeyPath], tables: Iterable[KeyPath]) -> bool:
    """Whether one of the keys lies inside one of the tables."""
    known = set(tables)
    return any(path[:length] in known for path in paths for length in range(1, len(path)))


def remove(table: Any, path: KeyPath) -> None:
    """Takes a key out of nested values, and tables that it leaves empty."""
    at = int(path[0]) if isinstance(table, list) else path[0]
    if len(path) > 1:
        remove(table[at], path[1:])
    if len(path) == 1 or not table[at]:
        del table[at]


def has(values: Mapping[str, Any], key: str) -> bool:
    """Returns whether a dotted key, or one of those that it stands for, is given in nested values."""
    return any(_is_given(values, path) for path in key_paths(values, key))


def _is_given(values: Any, path: KeyPath) -> bool:
    for part in path:
        if isinstance(values, list) and part.isdecimal() and int(part) < len(values):
            values = values[int(part)]
        elif isinstance(values, Mapping) and part in values:
            values = values[part]
        else:
            return False
    return True


def key_paths(values: Mapping[str, Any], key: str) -> list[KeyPath]:
    """Returns the key paths a dotted key stands for: one, or one a flow or outage.

    Raises:
        KeyProblem: the key names a flow or outage that does not exist.
    """
    tables = {name: values.get(name) for name in keys.NUMBERED}
    counts = {name: len(found) if isinstance(found, list) else 0 for name, found in tables.items()}
    try:
        return [tuple(path) for path in _core.key_paths(key, counts)]
    except ValueError as error:
        raise KeyProblem(str(error)) from None


def _put(values: dict[str, Any], path: KeyPath, value: Any) -> None:
    table: Any = values
    for depth, part in enumerate(path[:-1]):
        if isinstance(table, list):
            if not part.isdecimal() or int(part[:9]) >= len(table):
                raise KeyProblem(f"{'.'.join(path[:depth])} has no element {shown(part)}")
            table = table[int(part)]
        else:
            table = table.setdefault(part, {})
        if not isinstance(table, (dict, list)):
            raise KeyProblem(f"{'.'.join(path[: depth + 1])} is no table")
    if isinstance(table, list):
        if not path[-1].isdecimal() or int(path[-1][:9]) >= len(table):
            raise KeyProblem(f"{'.'.join(path[:-1])} has no element {shown(path[-1])}")
        table[int(path[-1])] = value
    else:
        table[path[-1]] = value


def known_key(key: str) -> str | None:
    """Returns what is wrong with a dotted key as such, or None; flow numbers are checked by :func:`assign`."""
    parts = key.split(".")
    tops = [f.name for f in keys.top()]
    if parts == ["flow"]:  # the results number flows in a column of this name
        return "all flows as a whole cannot be swept; name one, such as flow.0, or a key of all, such as flow.*.packet"
    if parts[0] in keys.NOT_SWEPT:
        return f'"{parts[0]}" cannot be swept' + ("; use seeds for replications" if parts[0].startswith("seed") else "")
    if parts[0] in tops:
        return None if len(parts) == 1 else f'"{parts[0]}" has no keys'
    tables = ["topology", *keys.ENGINE_SECTIONS, *keys.NUMBERED]
    if parts[0] not in tables:
        examples = [*(name for name in tops if name not in keys.NOT_SWEPT), *tables]
        starts = f"a key starts with one of {listed(examples)}"
        return f"unknown sweep key{instead(parts[-1] if len(parts) == 1 else parts[0], examples, starts)}"
    return None


def axes(document: Document) -> tuple[Axes, list[tuple[str, ...]], list[tuple[KeyPath, str]]]:
    """Returns the axes of ``[sweep]`` in the order of the file, the keys that change together, and what is wrong."""
    table = document.values.get("sweep", {})
    if not isinstance(table, Mapping):
        return {}, [], [(("sweep",), f"found {shown(table)}; expected a table of keys and lists")]
    result: Axes = {}
    findings: list[tuple[KeyPath, str]] = []
    varied: dict[KeyPath, str] = {}
    groups: dict[str, list[str]] = {}
    if (message := _no_tables(table.get(TOGETHER, []))) is not None:
        findings.append((("sweep", TOGETHER), message))
    for path, key, spec in entries(table):
        place = ("sweep", *path)
        if (message := known_key(key)) is not None:
            findings.append((place, message))
            continue
        try:
            paths = key_paths(document.values, key)
            values = axis_values(spec, distinct=path[0] != TOGETHER)
        except ValueError as error:
            findings.append((place, str(error)))
            continue
        if twice := next((path for path in paths if path in varied), None):
            findings.append((place, f"would undo {varied[twice]}, which stands before it; vary a key once"))
            continue
        varied |= {part[:length]: key for part in paths for length in range(1, len(part) + 1)}
        result[key] = values
        if path[0] == TOGETHER:
            groups.setdefault(path[1], []).append(key)
    together = [tuple(names) for names in groups.values()]
    unfit = [(("sweep", TOGETHER, number), _unfit(names, result)) for number, names in groups.items()]
    findings += [(place, message) for place, message in unfit if message is not None]
    size = math.prod(len(rows) for _, rows in _rows(result, together))
    if size > MAX_POINTS:
        findings.append((("sweep",), f"makes {size} points; at most {MAX_POINTS}"))
    return result, together, findings


def _no_tables(found: Any) -> str | None:
    """Returns what is wrong with the keys that change together as a whole, or None."""
    if isinstance(found, list) and all(isinstance(table, Mapping) and table for table in found):
        return None
    what = "an empty table" if isinstance(found, list) and {} in found else shown(found)
    return f"found {what}; expected [[sweep.{TOGETHER}]], a table of keys and lists for each set of keys"


def _unfit(names: Sequence[str], axes: Axes) -> str | None:
    """Returns why keys cannot change together, or None."""
    if len({len(axes[key]) for key in names}) > 1:
        lengths = ", ".join(f"{len(axes[key])} of {key}" for key in names)
        return f"found {lengths}; keys that change together need equally many values"
    before = set()
    for place in range(len(axes[names[0]])):
        row = {key: axes[key][place] for key in names}
        if repr(row) in before:
            return f"{in_words(row)} stands twice"
        before.add(repr(row))
    return None


def combinations(sweep: Axes, together: Sequence[Sequence[str]] = ()) -> Iterator[dict[str, Any]]:
    """Yields every combination, the last axis fastest; keys that change together are one axis."""
    axes = list(_rows(sweep, together))
    order = [key for names, _ in axes for key in names]
    for rows in itertools.product(*(rows for _, rows in axes)):
        yield dict(zip(order, itertools.chain(*rows), strict=True))


def _rows(sweep: Axes, together: Sequence[Sequence[str]]) -> Iterator[tuple[Sequence[str], list[tuple[Any, ...]]]]:
    """The keys of each axis with their values, row by row."""
    found = {key: names for names in together for key in names}
    for key in sweep:
        names = found.get(key, (key,))
        if key == names[0]:
            yield names, list(zip(*(sweep[name] for name in names), strict=False))  # unequal lengths are refused


def as_table(sweep: Axes, together: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Returns what :func:`axes` reads as these axes."""
    result: dict[str, Any] = {}
    for names, _ in _rows(sweep, together):
        if names in together:
            result.setdefault(TOGETHER, []).append({key: sweep[key] for key in names})
        else:
            result[names[0]] = sweep[names[0]]
    return copy.deepcopy(result)


def entries(sweep: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str, Any]]:
    """Yields the path inside ``[sweep]``, the dotted key and the values of each axis."""
    for name, value in sweep.items():
        if name == TOGETHER:
            tables = [(str(place), t) for place, t in enumerate(value)] if isinstance(value, list) else []
            for number, inner in tables:
                if isinstance(inner, Mapping):
                    yield from (((name, number, *path), ".".join(path), spec) for path, spec in _flat(inner, ()))
        else:
            yield from ((path, ".".join(path), spec) for path, spec in _flat({name: value}, ()))


def _flat(table: Mapping[str, Any], path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """Undoes nesting: ``mac.queue = [1, 2]`` without quotes is a table ``mac`` for TOML."""
    for name, value in table.items():
        if isinstance(value, Mapping) and not {"start", "stop", "step"} & value.keys():
            if not value:
                yield (*path, name), value
            yield from _flat(value, (*path, name))
        else:
            yield (*path, name), value


def axis_values(spec: Any, *, distinct: bool = True) -> list[Any]:
    """Returns the values of one axis: a list, ``distinct`` or not, a text, or a range in steps up to its stop.

    Raises:
        ValueError: neither, or a range that has no end; the message says what is allowed.
    """
    if isinstance(spec, Mapping):
        return _range(spec)
    values = values_of(spec) if isinstance(spec, str) else spec
    if not isinstance(values, list):
        raise ValueError(f"found {shown(spec)}; expected {EXPECTED}")
    if not values:
        raise ValueError("found an empty list; expected at least one value")
    labels = [repr(value) for value in values]
    if distinct and len(set(labels)) < len(labels):
        twice = next(value for value, label in zip(values, labels, strict=True) if labels.count(label) > 1)
        raise ValueError(f"the value {shown(twice)} stands twice")
    if len(values) > MAX_POINTS:
        raise ValueError(f"has {len(values)} values; at most {MAX_POINTS}")
    return values


def _range(spec: Mapping[str, Any]) -> list[Any]:
    names = ("start", "stop", "step")
    for name in spec:
        if name not in names:
            raise ValueError(f'unknown key "{name}" in a range; allowed: start, stop, step{did_you_mean(name, names)}')
    for name in names:
        if name not in spec:
            raise ValueError(f"the range lacks {name}; expected {{ start = .., stop = .., step = .. }}")
        value = spec[name]
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError(f"{name}: found {shown(value)}; expected a number or text with a unit")
    return steps(*(spec[name] for name in names))
