"""Runs that stay in a store until they are asked for, and what its tables say of them meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

RunResult = dict[str, Any]


def links_of(run: RunResult) -> Iterator[tuple[int, int, int]]:
    """The links of the air that carried packets to a single station: from, to, packets. Older runs report none."""
    if "links" in run:
        yield from zip(*run["links"].values(), strict=True)


def are_one_run(runs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether several replications took the same course: nothing in them is random."""
    if len(runs) < 2:
        return False
    first, *others = (_course(run) for run in runs)
    return all(other == first for other in others)


def _course(run: Mapping[str, Any]) -> dict[str, Any]:
    """What a run gave, without its seed and what the machine adds."""
    return {name: value for name, value in run.items() if name not in {"seed", "engine"}}


class StoredRuns(Sequence[RunResult]):
    """The runs of a point, by seed; each is read when it is asked for, and kept then."""

    def __init__(self, seeds: Sequence[int], read: Callable[[int], RunResult]) -> None:
        """Takes the seeds of the runs that are there, and what reads the run of a seed."""
        self.seeds = tuple(seeds)
        self._read = read
        self._found: dict[int, RunResult] = {}

    @overload
    def __getitem__(self, index: int) -> RunResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[RunResult]: ...
    def __getitem__(self, index: int | slice) -> RunResult | list[RunResult]:
        found = self.seeds[index]
        return self._of(found) if isinstance(found, int) else [self._of(seed) for seed in found]

    def __len__(self) -> int:
        return len(self.seeds)

    def _of(self, seed: int) -> RunResult:
        if seed not in self._found:
            self._found[seed] = self._read(seed)
        return self._found[seed]


@dataclass(frozen=True)
class Reported:
    """What the tables of a store say of a point.

    Attributes:
        summary: mean, half width of the 95 % interval, smallest, largest and number of samples of each metric.
        notes: what the engine has to say about flows: the first seed that has a note, and the note, by flow.
    """

    summary: Mapping[str, dict[str, float | int | None]]
    notes: Mapping[int, tuple[int, str]]
