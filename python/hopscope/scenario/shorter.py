"""Shorter runs of a scenario: what gives times of the run shrinks with its duration."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hopscope.scenario import sweep, units
from hopscope.scenario.fields import NS

#: ``quick`` divides the duration by this and keeps at least this many seconds.
QUICK_DIVISOR, QUICK_SECONDS = 10, 10

#: ``quick`` keeps from two to ten seeds, as many as simulate so many seconds of a node together. Two decide little:
#: half of their interval is nine standard deviations, of that of five 1.2, of that of ten 0.7.
QUICK_SEEDS, QUICK_NODE_SECONDS = (2, 10), 10_000

#: Times of the run as a whole, which shortening changes, by the first part of their keys.
TIMES = {
    "duration": {"duration"},
    "warmup": {"warmup"},
    "flow": {"start", "stop", "stagger", "start_jitter"},
    "outage": {"from", "to"},
    "event": {"at"},
}

#: Times of nodes that move, which may not be longer than the run; swept values shrink too.
PAUSES = ("pause", "pause_jitter")


def quick_duration(duration: int, wanted: Any = None) -> int:
    """Returns by which duration the times of a quick run shrink, in nanoseconds, at most that of the whole run.

    Args:
        duration: that of the whole run in nanoseconds.
        wanted: that of the quick run, as a file has it, where it is given; one that is no time is refused later.
    """
    try:
        given = None if wanted is None else int(Fraction(units.parse(str(wanted), "s")) * NS)
    except units.QuantityError:
        given = None
    return min(duration, max(duration // QUICK_DIVISOR, QUICK_SECONDS * NS) if given is None else max(1, given))


def quick_seeds(seeds: int, node_seconds: float) -> int:
    """Returns how many seeds a quick form keeps.

    Args:
        seeds: those of the whole scenario.
        node_seconds: simulated seconds of all nodes and points of one seed of the quick form.
    """
    fewest, most = QUICK_SEEDS
    return min(seeds, max(fewest, min(most, int(QUICK_NODE_SECONDS / node_seconds))))


def sets_times(key: str, values: Sequence[Any] = ()) -> bool:
    """Whether a swept key, or one in the tables that it takes as values, is a time that shortening changes."""
    parts = key.split(".")
    times = TIMES.get(parts[0], set())
    tables = [table for value in values for table in (value if isinstance(value, list) else [value])]
    return parts[-1] in times or any(isinstance(table, Mapping) and times & table.keys() for table in tables)


def with_times(
    values: Mapping[str, Any], top: Mapping[str, Any], times: Iterable[tuple[str, int, str, int]], shorter: int
) -> dict[str, Any]:
    """Returns keys as given with another duration, and with warm-up, flows, outages and events in proportion.

    Args:
        values: the keys as given.
        top: duration and warm-up in nanoseconds.
        times: those of flows, outages and events: table, number, key, nanoseconds.
        shorter: the duration in nanoseconds.
    """
    result = copy.deepcopy(dict(values))
    factor = shorter / int(top["duration"])
    result["duration"] = f"{shorter}ns"
    result["warmup"] = f"{int(top['warmup'] * factor)}ns"
    for table, index, name, time in times:
        if name in result[table][index]:
            result[table][index][name] = f"{max(1, int(time * factor))}ns"
    return result


def with_pauses(
    values: dict[str, Any], axes: sweep.Axes, together: Sequence[Sequence[str]], factor: Fraction
) -> dict[str, Any]:
    """Returns keys as given with the pauses of nodes that move in proportion, given or swept."""
    if "mobility" in values:
        values = {**values, "mobility": _table(values["mobility"], factor)}
    swept = {"mobility": _table, **{f"mobility.{name}": _pause for name in PAUSES}}
    shorter = {key: [swept[key](value, factor) for value in of] if key in swept else of for key, of in axes.items()}
    return values if shorter == axes else {**values, "sweep": sweep.as_table(shorter, together)}


def _table(keys: Any, factor: Fraction) -> Any:
    if not isinstance(keys, Mapping):
        return keys
    return {name: _pause(value, factor) if name in PAUSES else value for name, value in keys.items()}


def _pause(value: Any, factor: Fraction) -> Any:
    time = int(Fraction(units.parse(str(value), "s")) * NS * factor)
    return value if factor == 1 or time == 0 else units.whole(time)
