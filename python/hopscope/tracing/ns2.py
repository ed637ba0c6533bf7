"""Files with the lines of ns-2, one for each run of a scenario, written while the runs are done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopscope.campaign.controls import Trace
from hopscope.campaign.plan import Run
from hopscope.errors import HopscopeError, counted
from hopscope.io.output import COMPRESSIONS, Output, check
from hopscope.scenario import Scenario
from hopscope.tracing.wanted import Wanted


class Ns2Files:
    """The traces of the runs of a scenario; a file that cannot be written is reported, and its run goes on.

    A scenario of one run has the file as named.  Of several, number of the point and seed stand before the ending:
    ``out.tr.gz`` becomes ``out.p0.s1.tr.gz``.
    """

    def __init__(self, path: Path, scenario: Scenario, *, style: str, force: bool) -> None:
        """Names the files.

        Args:
            path: the file.
            scenario: what is run.
            style: "old" or "new".
            force: write over files that exist.

        Raises:
            InputError: one of the files exists.
        """
        self._path = path
        self._form = f"ns2-{style}"
        self._force = force
        self._points, self._seeds = len(scenario.points), scenario.seeds
        self._lock = threading.Lock()
        self._problems: list[str] = []
        self._written: list[Path] = []
        for point in range(self._points):
            for seed in range(scenario.seed, scenario.seed + scenario.seeds):
                check(self._name(point, seed), force=force)

    def reported(self) -> list[str]:
        """What to say at the end: the files, and those that are not whole."""
        names = f"{self._written[0]}" if len(self._written) == 1 else f"{counted(len(self._written), 'file')}"
        first = min(self._written, default=None)
        where = "" if first is None or len(self._written) == 1 else f", the first {first}"
        return ([f"ns-2 trace: {names}{where}"] if self._written else []) + sorted(self._problems)

    @contextmanager
    def __call__(self, run: Run) -> Iterator[Trace | None]:
        """The trace of a run, while the run lasts."""
        path = self._name(run.point.index, run.seed)
        try:
            output = Output(path, force=self._force)
        except HopscopeError as error:
            with self._lock:
                self._problems.append(f"no trace: {error}")
            yield None
            return
        with output:
            yield Trace(self._form, Wanted().for_engine(), lambda text: output.write(text.encode()))
        with self._lock:
            if output.problem is None:
                self._written.append(path)
            else:
                self._problems.append(f"{path}: the trace ends early: {output.why()}; its run is whole")

    def _name(self, point: int, seed: int) -> Path:
        parts = [f"p{point}"] if self._points > 1 else []
        parts += [f"s{seed}"] if self._seeds > 1 else []
        if not parts:
            return self._path
        endings = self._path.suffixes[-2:] if self._path.suffix.lower() in COMPRESSIONS else self._path.suffixes[-1:]
        ending = "".join(endings)
        stem = self._path.name.removesuffix(ending)
        return self._path.with_name(".".join([stem, *parts]) + ending)
