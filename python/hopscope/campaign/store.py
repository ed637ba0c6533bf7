"""The result store: a folder of finished runs that survives crashes and opens with ordinary tools.

::

    STORE/manifest.json          what was started last: scenarios, points and the keys of their runs
    STORE/runs/<time>-*.jsonl    segments: finished runs, a line each with a checksum; only appended to
    STORE/files/<sha256>         the text of a file that a scenario names: a trace, a movement; written once
    STORE/flows.parquet ...      tables made from the runs; can be made again at any time
    STORE/tables.sha256          checksums of the tables

The runs are a pool: the manifest names those of the scenarios started last; runs of earlier ones, or of earlier builds
of the engine, stay and are used again when they fit.

What a process that is killed had finished is there. A machine that loses power keeps what was committed: all but the
runs of the last half second (:mod:`hopscope.campaign.writer`). A line that was cut off is named, and dropped by the
next start.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hopscope.campaign import kept, runline, tables
from hopscope.campaign import manifest as manifests
from hopscope.campaign.plan import Plan
from hopscope.campaign.segments import Segments
from hopscope.campaign.writer import Writer
from hopscope.errors import HopscopeError, RunFailed, StoreError
from hopscope.io.extras import is_there
from hopscope.io.files import make_folder, not_written, reason, remove_litter, reports_damage, write_whole
from hopscope.results import PointResult, Result, columns, shape
from hopscope.results.stored import RunResult, StoredRuns
from hopscope.scenario import Point, Scenario
from hopscope.scenario.controls import from_reported
from hopscope.scenario.document import from_store

MANIFEST = manifests.NAME

#: Fewer bytes of runs than these are read sooner than what reads their tables is loaded.
_FEW_BYTES = 2_000_000


class Store:
    """A folder of runs.

    Attributes:
        path: the folder.
        problems: damaged runs, each named with the reason, which count as missing; and what the store does not report.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.problems: list[str] = []
        self._manifest: dict[str, Any] | None = None
        self._segments = Segments(self.path / "runs")
        self._writer = Writer(self.path / "runs")
        self._sums: dict[str, bytes] = {}  # of the runs that were read or written, by key

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest: title, scenarios, points, keys of the runs.

        Raises:
            StoreError: the folder is no store, or its manifest is damaged.
        """
        if self._manifest is None:
            self._manifest = manifests.read(self.path)
        return self._manifest

    @property
    def title(self) -> str:
        """Title of the store."""
        return str(self.manifest["title"])

    def prepare(self, plan: Plan, title: str, *, live: Mapping[str, Any] | None = None) -> None:
        """Creates the folder if needed and writes the manifest of a plan; finished runs stay.

        Args:
            plan: the runs.
            title: of the store.
            live: where real stacks ran it; None: simulations.

        Raises:
            StoreError: the folder cannot be written, or holds something else than a store of this kind.
            RunFailed: the disk is full.
        """
        try:
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"{self.path}: is a file; the result store is a folder")
            # One look: another shard may be creating the store at this moment.
            there = set(os.listdir(self.path)) if self.path.is_dir() else set()
            if live is None and manifests.is_live(self.path):
                raise StoreError(f"{self.path}: holds a run on real stacks; choose another folder with --out")
            if live is None and there and not there & {"runs", MANIFEST}:
                raise StoreError(f"{self.path}: is a folder with other files in it; choose a new one with --out")
            make_folder(self.path / "runs")
            remove_litter(self.path)
            remove_litter(self.path / "runs")
            remove_litter(self.path / kept.FOLDER)
            self.problems += self._segments.drop_faults()
            kept.write(self.path, plan.scenarios)
            self._manifest = manifests.make(plan, title, live)
            write_whole(self.path / MANIFEST, json.dumps(self._manifest, indent=1).encode() + b"\n")
        except OSError as error:
            raise not_written(f"{self.path}: cannot be written", error, StoreError) from error

    def keep(self, key: str, result_json: str) -> None:
        """Writes a finished run; it outlives this process, and once it is committed, within half a second, the machine.

        Raises:
            RunFailed: the disk is full or the folder can no longer be written; earlier runs are kept.
        """
        line, digest = runline.text(key, result_json)
        try:
            self._writer.append(line)
        except OSError as error:
            raise self._not_kept(error) from error
        self._sums[key] = digest
        self._segments.look_again()

    @contextlib.contextmanager
    def keeping(self) -> Iterator[None]:
        """Runs are kept in the body; at its end they are all committed.

        Raises:
            RunFailed: they cannot be.
        """
        try:
            yield
        finally:
            try:
                self._writer.close()
            except OSError as error:
                raise self._not_kept(error) from error

    def look_again(self) -> None:
        """Sees the runs that other processes have added."""
        self._segments.look_again()

    def read(self, key: str, seed: int | None = None) -> RunResult | None:
        """Returns a finished run, or None when it is missing or damaged (then it is named in ``problems``).

        Args:
            key: the key of the run.
            seed: the seed that it must have; None: any.

        Raises:
            StoreError: it is there and may not be read.
        """
        try:
            line = self._segments.line(key)
        except OSError as error:
            if not reports_damage(error):
                raise StoreError(f"{self._place(key)}: cannot be read: {error.strerror or error}") from error
            self._damaged(key, error.strerror or str(error))
            return None
        if line is None:
            return None
        whole = runline.result(key, line)
        if whole is None:
            self._damaged(key, "truncated" if runline.is_cut(line) else "its checksum does not fit")
            return None
        try:
            result: RunResult = json.loads(whole[0].decode())
        except (ValueError, RecursionError) as error:
            self._damaged(key, f"is no result: {error}")
            return None
        if wrong := shape.fault(result, seed):
            self._damaged(key, f"is no result: {wrong}")
            return None
        try:
            found = columns.opened(result)
        except ValueError as error:
            self._damaged(key, f"is no result: {error}")
            return None
        self._sums[key] = whole[1]
        return found

    def results(self, *, lazily: bool = False) -> list[Result]:
        """Returns the result of every scenario of the manifest, with the runs that are there.

        No code is loaded, whatever the manifest names.

        Args:
            lazily: when the runs are many and the tables are proved to be theirs, compare the checksum of each run
                alone, take means and notes from the tables, and read a run when it is asked for.

        Raises:
            StoreError: the manifest is damaged or of another format, or a run may not be read.
        """
        from hopscope.campaign.work import as_result

        found = []
        self.problems[:] = [*manifests.remarks(self.manifest, self.path), *self._segments.faults]
        for entry in self.manifest["scenarios"]:
            try:
                files = kept.Kept(self.path, entry.get("files", {}))
                document = from_store(entry["document"], from_reported(entry.get("controls", {})), files)
                scenario = Scenario.from_document(document, is_quick=bool(entry.get("quick")))
                found.append((scenario, manifests.keys_of(self.manifest, scenario, entry["points"])))
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise StoreError(
                    f"{self.path / MANIFEST}: is damaged ({_reason(error)}); run the scenario again into this folder: "
                    "finished runs are kept"
                ) from error
            except HopscopeError as error:
                raise StoreError(
                    f"{self.path / MANIFEST}: its scenario is not accepted by this version:\n{error}"
                ) from error
            for transport in (name for name, control in scenario.controls().items() if not control.is_known):
                self.problems.append(
                    f"{self.path / MANIFEST}: does not record the class of {transport}, which is shown by its name; "
                    "which code was run, and with which parameters left at their defaults, is unknown"
                )
        points = self._reported(found) if lazily else None
        if points is None:
            points = [
                [PointResult(p.index, p.set, self._runs(k, s.seed)) for p, k in zip(s.points, keys, strict=True)]
                for s, keys in found
            ]
        live = self.manifest.get("live")
        return [as_result(scenario, of, live=live) for (scenario, _), of in zip(found, points, strict=True)]

    def complete(self, plan: Plan) -> list[list[PointResult]] | None:
        """The points of each scenario of a plan, when all runs are there and the tables are proved to be theirs.

        Their runs are read when they are asked for. None where a run is missing or damaged, or where they are few.
        """
        listed = [
            (of, [[run.key for run in runs] for runs in keys])
            for of, keys in zip(plan.scenarios, plan.runs, strict=True)
        ]
        if not all(run.key in self._segments.places for run in plan.unique()):
            return None
        before = len(self.problems)
        points = self._reported(listed)
        wanted = [[len(runs) for runs in of] for of in plan.runs]
        if points is None or [[len(point.runs) for point in of] for of in points] != wanted:
            del self.problems[before:]  # named when the runs are read
            return None
        return points

    def write_tables(self, results: Sequence[Result]) -> None:
        """Writes the Parquet tables of results, while runs that wait are committed.

        Raises:
            RunFailed: the folder cannot be written; the runs themselves are kept.
        """
        self._writer.commit_soon()
        tables.write(self.path, results, self._made_from(results))

    def repair_tables(self, results: Sequence[Result]) -> list[str]:
        """Writes the tables again when one is absent, damaged or made from other runs than those that are there.

        A start that was killed leaves them so.

        Returns:
            What was found and done, a line each; nothing when the tables were in order.
        """
        wrong = self.table_faults(results)
        if not wrong:
            return []
        try:
            self.write_tables(results)
        except RunFailed as error:
            return [f"{self.path}: {', '.join(wrong)}", str(error)]
        runs = sum(len(point.runs) for result in results for point in result.points)
        return [f"{self.path}: {', '.join(wrong)}: the tables were made again from the {runs} runs that are there"]

    def table_faults(self, results: Sequence[Result]) -> list[str]:
        """What is wrong with the tables, a line each; nothing when they are those of the results."""
        return tables.faults(self.path, self._made_from(results))

    def _made_from(self, results: Sequence[Result]) -> str:
        """The checksum of what tables are made from: the manifest, and each of its runs that is there."""
        there = [
            key if seed in seeds else None
            for entry, result in zip(self.manifest["scenarios"], results, strict=True)
            for listed, point in zip(entry["points"], result.points, strict=True)
            for seeds in [frozenset(point.seeds)]
            for seed, key in enumerate(listed["keys"], result.scenario.seed)
        ]
        unknown = [key for key in there if key is not None and key not in self._sums]
        self._sums |= self._segments.sums(unknown)
        return self._digest(there)

    def _digest(self, keys: Sequence[str | None]) -> str:
        return tables.made_from(manifests.checksum(self.manifest), [self._sums.get(key or "") for key in keys])

    def _reported(self, found: Sequence[tuple[Scenario, list[list[str]]]]) -> list[list[PointResult]] | None:
        """The points of scenarios whose tables are proved to be those of the runs; None where they are not.

        A run that is not what it should be is named then, or when all are read.
        """
        keys = [key for _, points in found for of in points for key in of]
        if not (self.path / tables.CHECKSUMS).is_file() or self._segments.bytes_of(keys) < _FEW_BYTES:
            return None
        self._sums = self._segments.sums(keys)
        made = self._digest(keys)
        if tables.faults(self.path, made):
            return None
        points, before = [], len(self.problems)
        for scenario, listed in found:
            points.append([self._stored(p, k, scenario.seed) for p, k in zip(scenario.points, listed, strict=True)])
        # Without what reads tables, means are those of the runs, read when one is asked for.
        reported = tables.reported(self.path, points) if is_there("pyarrow") else []
        if reported is None or self._digest(keys) != made:
            del self.problems[before:]
            return None
        for point, about in reported:
            point.reported = about
        return points

    def _stored(self, point: Point, keys: Sequence[str], first_seed: int) -> PointResult:
        """A point whose runs are read when they are asked for; those that are damaged are named now."""
        by_seed = dict(enumerate(keys, first_seed))
        for seed, key in by_seed.items():
            if key not in self._sums:
                self.read(key, seed)

        def read(seed: int) -> RunResult:
            before = self._sums[by_seed[seed]]
            run = self.read(by_seed[seed], seed)
            if run is None or self._sums[by_seed[seed]] != before:
                raise StoreError(f"{self._place(by_seed[seed])}: was changed while the store was read; start again")
            return run

        there = [seed for seed, key in by_seed.items() if key in self._sums]
        return PointResult(point.index, point.set, StoredRuns(there, read))

    def other_runs(self) -> int:
        """Number of runs in the folder that the manifest does not name: of other scenarios, seeds or builds."""
        named = {key for entry in self.manifest["scenarios"] for point in entry["points"] for key in point["keys"]}
        try:
            return len(self._segments.places.keys() - named)
        except StoreError:  # of none it can be said that it lies there
            return 0

    def _runs(self, keys: Sequence[str], first_seed: int) -> list[RunResult]:
        """The runs of a point that are there, by seed; one that differs in shape from the first counts as damaged."""
        runs: list[RunResult] = []
        outline: object = None
        for seed, key in enumerate(keys, first_seed):
            if (run := self.read(key, seed)) is None:
                continue
            outline = shape.outline(run) if outline is None else outline
            if shape.outline(run) != outline:
                self._damaged(key, "has other flows, nodes or metrics than the other runs of its point")
                continue
            runs.append(run)
        return runs

    def _place(self, key: str) -> str:
        """Where a run lies, in words."""
        found = self._segments.places[key]
        path = self._segments.folder / found.file
        return str(path) if found.size is None else f"{path}: run {key}"

    def _damaged(self, key: str, reason: str) -> None:
        self.problems.append(
            f"{self._place(key)}: damaged ({reason}); this run counts as missing and is done again by the next start"
        )

    def _not_kept(self, error: OSError) -> RunFailed:
        return RunFailed(
            f"{self.path}: a run cannot be written: {reason(error)}; finished runs are kept, start again to go on"
        )


def open_store(path: str | Path) -> Store:
    """Opens a store for reading.

    Raises:
        StoreError: no store there, or its manifest is damaged.
    """
    store = Store(path)
    store.manifest  # noqa: B018 (read now, so that errors come now)
    return store


def missing(results: Sequence[Result]) -> list[str]:
    """Says of which scenarios runs are missing, a line each."""
    return [
        f"{result.scenario.title}: incomplete: {sum(len(point.runs) for point in result.points)} of "
        f"{len(result.points) * result.scenario.seeds} runs are there"
        for result in results
        if result.partial
    ]


def _reason(error: Exception) -> str:
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)
