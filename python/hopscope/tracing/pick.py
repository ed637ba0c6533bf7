"""One run out of a scenario or a store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.store import open_store
from hopscope.errors import InputError
from hopscope.results.result import point_words
from hopscope.runner import prepare
from hopscope.scenario import Point, Scenario


@dataclass(frozen=True)
class OneRun:
    """A point of a scenario with a seed.

    Attributes:
        scenario: the scenario.
        point: the point.
        seed: the seed.
        remark: what a user should know, such as that the store is of another engine; empty.
    """

    scenario: Scenario
    point: Point
    seed: int
    remark: str = ""

    @property
    def title(self) -> str:
        """Title, point and seed in words."""
        point = f", {point_words(self.point.index, self.point.set)}" if self.point.set else ""
        return f"{self.scenario.title}{point}, seed {self.seed}"


def pick(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    point: int = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
) -> OneRun:
    """Returns one run.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store.
        point: number of the point in the sweep, from 0.
        seed: the seed; default: the scenario's first.
        set: dotted keys to change.

    Raises:
        InputError: there is no such point, or the scenario cannot be run.
    """
    remark = ""
    if isinstance(what, (str, Path)) and os.path.isdir(what):
        store = open_store(what)
        if set:
            raise InputError(f"{what}: is a store, whose runs are as they are; --set changes a scenario file")
        scenarios = [result.scenario for result in store.results()]
        if store.manifest.get("engine") != _core.build_id():
            remark = f"{what}: was made by another build of the engine; this run can differ from the one that is kept"
        place = point
        for scenario in scenarios:
            if place < len(scenario.points):
                break
            place -= len(scenario.points)
        else:
            raise _no_point(point, sum(len(scenario.points) for scenario in scenarios))
    else:
        scenario, place = prepare(what, set=set), point
    if not 0 <= place < len(scenario.points):
        raise _no_point(point, len(scenario.points))
    first = scenario.seed
    return OneRun(scenario, scenario.points[place], first if seed is None else seed, remark)


def _no_point(point: int, count: int) -> InputError:
    return InputError(f"point {point}: there is none; the points are 0 to {count - 1}")
