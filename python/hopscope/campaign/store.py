"""The result store: a folder of finished runs that survives crashes and opens with ordinary tools.

::

    STORE/manifest.json          what was started last: scenarios, points and the keys of their runs
    STORE/runs/<key>.json        one finished run, with a checksum; written once, never changed
    STORE/flows.parquet ...      tables made from the runs; can be made again at any time
    STORE/tables.sha256          checksums of the tables

The runs are a pool: the manifest names those of the scenarios started last; runs of earlier ones, or of earlier builds
of the engine, stay and are used again when they fit.

A run file appears by an atomic rename after it is on the disk, so a killed process leaves either a whole run or none.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hopscope.campaign import manifest as manifests
from hopscope.campaign import tables
from hopscope.campaign.plan import Plan
from hopscope.errors import HopscopeError, RunFailed, StoreError
from hopscope.files import make_folder, not_written, read_whole, reason, remove_litter, write_whole
from hopscope.results import PointResult, Result, columns, shape
from hopscope.results.result import RunResult
from hopscope.scenario import Scenario
from hopscope.scenario.controls import from_told
from hopscope.scenario.document import from_store

#: Format of run files.
FORMAT = 1

MANIFEST = manifests.NAME

#: Larger run files are refused before they are read.
MAX_RUN_BYTES = 4_000_000_000


class Store:
    """A folder of runs.

    Attributes:
        path: the folder.
        problems: damaged runs, each named with the reason, which count as missing; and what the store does not tell.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.problems: list[str] = []
        self._manifest: dict[str, Any] | None = None

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

    def prepare(self, plan: Plan, title: str) -> None:
        """Creates the folder if needed and writes the manifest of a plan; finished runs stay.

        Raises:
            StoreError: the folder cannot be written, or holds something else than a store.
            RunFailed: the disk is full.
        """
        try:
            if self.path.exists() and not self.path.is_dir():
                raise StoreError(f"{self.path}: is a file; the result store is a folder")
            # One look: another shard may be creating the store at this moment.
            there = set(os.listdir(self.path)) if self.path.is_dir() else set()
            if there and not there & {"runs", MANIFEST}:
                raise StoreError(f"{self.path}: is a folder with other files in it; choose a new one with --out")
            make_folder(self.path / "runs")
            remove_litter(self.path)
            remove_litter(self.path / "runs")
            self._manifest = manifests.make(plan, title)
            write_whole(self.path / MANIFEST, json.dumps(self._manifest, indent=1).encode() + b"\n")
        except OSError as error:
            raise not_written(f"{self.path}: cannot be written", error, StoreError) from error

    def keep(self, key: str, result_json: str) -> None:
        """Writes a finished run.

        Raises:
            RunFailed: the disk is full or the folder can no longer be written; earlier runs are kept.
        """
        digest = hashlib.sha256(result_json.encode()).hexdigest()
        text = f'{{"format": {FORMAT}, "key": "{key}", "sha256": "{digest}", "result": {result_json}}}\n'
        try:
            write_whole(self._run_path(key), text.encode())
        except OSError as error:
            raise RunFailed(
                f"{self.path}: a run cannot be written: {reason(error)}; finished runs are kept, start again to go on"
            ) from error

    def read(self, key: str, seed: int | None = None) -> RunResult | None:
        """Returns a finished run, or None when it is missing or damaged (then it is named in ``problems``).

        Args:
            key: the key of the run.
            seed: the seed that it must have; None: any.
        """
        path = self._run_path(key)
        try:
            text = read_whole(path, MAX_RUN_BYTES).decode()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._damaged(path, error.strerror or str(error))
            return None
        except UnicodeDecodeError:
            self._damaged(path, "is no text")
            return None
        head, separator, rest = text.partition('"result": ')
        result_json = rest.removesuffix("}\n")
        expected = (
            f'{{"format": {FORMAT}, "key": "{key}", "sha256": "{hashlib.sha256(result_json.encode()).hexdigest()}", '
        )
        if not separator or head != expected:
            self._damaged(path, "truncated" if not text.endswith("}\n") else "its checksum does not fit")
            return None
        try:
            result: RunResult = json.loads(result_json)
        except (ValueError, RecursionError) as error:
            self._damaged(path, f"is no result: {error}")
            return None
        if wrong := shape.fault(result, seed):
            self._damaged(path, f"is no result: {wrong}")
            return None
        try:
            return columns.opened(result)
        except ValueError as error:
            self._damaged(path, f"is no result: {error}")
            return None

    def results(self) -> list[Result]:
        """Returns the result of every scenario of the manifest, with the runs that are there.

        No code is loaded, whatever the manifest names.

        Raises:
            StoreError: the manifest is damaged or of another format.
        """
        from hopscope.campaign.capture import capture_of
        from hopscope.runner import again

        results = []
        self.problems[:] = manifests.remarks(self.manifest, self.path)
        for entry in self.manifest["scenarios"]:
            try:
                document = from_store(entry["document"], from_told(entry.get("controls", {})))
                scenario = Scenario.from_document(document, is_quick=bool(entry.get("quick")))
                listed = manifests.keys_of(self.manifest, scenario, entry["points"])
                points = [
                    PointResult(point.index, point.set, self._runs(keys, scenario.seed))
                    for point, keys in zip(scenario.points, listed, strict=True)
                ]
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise StoreError(
                    f"{self.path / MANIFEST}: is damaged ({_reason(error)}); run the scenario again into this folder: "
                    "finished runs are kept"
                ) from error
            except HopscopeError as error:
                raise StoreError(
                    f"{self.path / MANIFEST}: its scenario is not accepted by this version:\n{error}"
                ) from error
            results.append(Result(scenario, points, again=again, capture=capture_of))
            for transport in (name for name, control in scenario.controls().items() if not control.is_known):
                self.problems.append(
                    f"{self.path / MANIFEST}: does not record the class of {transport}, which is shown by its name; "
                    "which code was run, and with which parameters left at their defaults, is unknown"
                )
        return results

    def write_tables(self, results: Sequence[Result]) -> None:
        """Writes the Parquet tables of results.

        Raises:
            RunFailed: the folder cannot be written; the runs themselves are kept.
        """
        tables.write(self.path, results, self._made_from(results))

    def mend_tables(self, results: Sequence[Result]) -> list[str]:
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
        return tables.faults(self.path, results, self._made_from(results))

    def _made_from(self, results: Sequence[Result]) -> str:
        return tables.made_from(manifests.checksum(self.manifest), results)

    def beside(self) -> int:
        """Number of runs in the folder that the manifest does not name: of other scenarios, seeds or builds."""
        named = {key for entry in self.manifest["scenarios"] for point in entry["points"] for key in point["keys"]}
        there = {name.removesuffix(".json") for name in os.listdir(self.path / "runs") if name.endswith(".json")}
        return len({key for key in there if manifests.is_key(key)} - named)

    def _runs(self, keys: Sequence[str], first_seed: int) -> list[RunResult]:
        """The runs of a point that are there, by seed; one that differs in shape from the first counts as damaged."""
        runs: list[RunResult] = []
        for seed, key in enumerate(keys, first_seed):
            if (run := self.read(key, seed)) is None:
                continue
            if runs and shape.outline(run) != shape.outline(runs[0]):
                self._damaged(self._run_path(key), "has other flows, nodes or metrics than the runs beside it")
                continue
            runs.append(run)
        return runs

    def _run_path(self, key: str) -> Path:
        return self.path / "runs" / f"{key}.json"

    def _damaged(self, path: Path, reason: str) -> None:
        self.problems.append(
            f"{path}: damaged ({reason}); this run counts as missing and is done again by the next start"
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
