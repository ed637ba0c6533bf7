"""The result store: a folder of finished runs that survives crashes and opens with ordinary tools.

::

    STORE/manifest.json          what was started last: scenarios, points and the keys of their runs
    STORE/runs/<key>.json        one finished run, with a checksum; written once, never changed
    STORE/flows.parquet ...      tables made from the runs; can be made again at any time

The runs are a pool: the manifest names those of the scenarios started last; runs of earlier ones, or of earlier builds
of the engine, stay and are used again when they fit.

A run file appears by an atomic rename after it is on the disk, so a killed process leaves either a whole run or none.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign.plan import Plan
from hopscope.errors import HopscopeError, RunFailed, StoreError
from hopscope.files import not_written, reason, write_whole
from hopscope.results import PointResult, Result
from hopscope.results.result import RunResult
from hopscope.scenario import Point, Scenario
from hopscope.scenario.controls import from_told
from hopscope.scenario.document import from_store

FORMAT = 1
MANIFEST = "manifest.json"

_KEY = re.compile("[0-9a-f]{32}")

#: Tables of a store, by file name.
TABLES = ("flows", "nodes", "wires", "network", "runs", "summary", "series")


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
            self._manifest = _read_manifest(self.path)
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
            (self.path / "runs").mkdir(parents=True, exist_ok=True)
            self._manifest = _manifest(plan, title)
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

    def read(self, key: str) -> RunResult | None:
        """Returns a finished run, or None when it is missing or damaged (then it is named in ``problems``)."""
        path = self._run_path(key)
        try:
            text = path.read_bytes().decode()
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
        result: RunResult = json.loads(result_json)
        return result

    def results(self) -> list[Result]:
        """Returns the result of every scenario of the manifest, with the runs that are there.

        No code is loaded, whatever the manifest names.

        Raises:
            StoreError: the manifest is damaged or of another format.
        """
        from hopscope.runner import again

        results = []
        self.problems.clear()
        for entry in self.manifest["scenarios"]:
            try:
                document = from_store(entry["document"], from_told(entry.get("controls", {})))
                scenario = Scenario.from_document(document, is_quick=bool(entry.get("quick")))
                if len(entry["points"]) != len(scenario.points):
                    raise ValueError(f"{len(entry['points'])} points of {len(scenario.points)}")
                points = [
                    PointResult(point.index, point.set, self._runs(_keys_of(point, told, scenario.seeds)))
                    for point, told in zip(scenario.points, entry["points"], strict=True)
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
            results.append(Result(scenario, points, again=again))
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
        import pyarrow as pa
        import pyarrow.parquet as pq

        from hopscope.results import tables

        frames = {
            "flows": tables.flows, "nodes": tables.nodes, "wires": tables.wires, "network": tables.network,
            "runs": tables.runs, "summary": tables.summary, "series": tables.all_series,
        }  # fmt: skip
        for name in TABLES:
            frame = frames[name](results)
            if name in {"series", "wires"} and frame.empty:
                (self.path / f"{name}.parquet").unlink(missing_ok=True)  # that of other scenarios
                continue
            for column in _swept(results) & set(frame.columns):
                if frame[column].map(type).nunique() > 1:  # a column of a Parquet file has one type
                    frame[column] = frame[column].map(str)
            table = pa.Table.from_pandas(frame, preserve_index=False)
            # What is empty in every row is text: the tables give columns of numbers their type themselves.
            types = [pa.field(f.name, pa.large_string()) if pa.types.is_null(f.type) else f for f in table.schema]
            try:
                sink = pa.BufferOutputStream()
                pq.write_table(table.cast(pa.schema(types, table.schema.metadata)), sink)
                write_whole(self.path / f"{name}.parquet", sink.getvalue().to_pybytes())
            except OSError as error:
                raise RunFailed(
                    f"{self.path}: {name}.parquet cannot be written: {reason(error)}; the runs are kept"
                ) from error

    def mend_tables(self, results: Sequence[Result]) -> list[str]:
        """Writes the tables again when one is absent, unreadable or lacks runs that are there.

        A start that was killed leaves them so.

        Returns:
            What was found and done, a line each; nothing when the tables were in order.
        """
        runs = sum(len(point.runs) for result in results for point in result.points)
        rare = {"series": _keeps_series, "wires": _has_wires}
        wanted = [name for name in TABLES if name not in rare or any(rare[name](result) for result in results)]
        wrong = [f"{name}.parquet {why}" for name in wanted if (why := self._wrong(name, runs))]
        if not wrong:
            return []
        try:
            self.write_tables(results)
        except RunFailed as error:
            return [f"{self.path}: {', '.join(wrong)}", str(error)]
        return [f"{self.path}: {', '.join(wrong)}: the tables were made again from the {runs} runs that are there"]

    def _wrong(self, name: str, runs: int) -> str:
        """What is wrong with a table; empty when nothing is."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            rows = pq.read_metadata(self.path / f"{name}.parquet").num_rows
        except FileNotFoundError:
            return "is missing"
        except (OSError, pa.ArrowException):
            return "is damaged"
        return "is not up to date" if name == "runs" and rows != runs else ""

    def beside(self) -> int:
        """Number of runs in the folder that the manifest does not name: of other scenarios, seeds or builds."""
        named = {key for entry in self.manifest["scenarios"] for point in entry["points"] for key in point["keys"]}
        there = {name.removesuffix(".json") for name in os.listdir(self.path / "runs") if name.endswith(".json")}
        return len({key for key in there if _KEY.fullmatch(key)} - named)

    def _runs(self, keys: Sequence[str]) -> list[RunResult]:
        return [run for key in keys if (run := self.read(key)) is not None]

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


def _manifest(plan: Plan, title: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "hopscope": _core.version(),
        "engine": _core.build_id(),
        "title": title,
        "scenarios": [
            {
                "title": scenario.title,
                "quick": scenario.is_quick,
                "document": scenario.standalone(),
                **({"controls": controls} if (controls := _controls(scenario)) else {}),
                "points": [
                    {"set": scenario.standalone_set(point), "keys": [run.key for run in runs]}
                    for point, runs in zip(scenario.points, point_runs, strict=True)
                ],
            }
            for scenario, point_runs in zip(plan.scenarios, plan.runs, strict=True)
        ],
    }


def _controls(scenario: Scenario) -> dict[str, Any]:
    return {transport: control.told() for transport, control in scenario.controls().items()}


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not path.exists():
        raise StoreError(f"{path}: no such folder")
    if not path.is_dir():
        raise StoreError(f"{path}: is a file; a result store is a folder")
    try:
        manifest = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise StoreError(f"{path}: is no result store (it has no {MANIFEST})") from error
    except OSError as error:
        raise StoreError(f"{file}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(
            f"{file}: is damaged ({error}); run the scenario again into this folder: finished runs are kept"
        ) from error
    if not isinstance(manifest, dict) or not {"format", "title", "scenarios"} <= manifest.keys():
        raise StoreError(f"{file}: is no manifest of a result store")
    if manifest["format"] != FORMAT:
        raise StoreError(f"{file}: has format {manifest['format']}; this version reads format {FORMAT}")
    if not isinstance(manifest["title"], str):
        raise StoreError(f"{file}: is damaged (its title is no text)")
    if not isinstance(manifest["scenarios"], list) or not manifest["scenarios"]:
        raise StoreError(f"{file}: is damaged (it lists no scenarios)")
    return manifest


def _keys_of(point: Point, told: dict[str, Any], seeds: int) -> list[str]:
    """Returns the run keys that a manifest lists for a point.

    Raises:
        ValueError: the entry does not belong to the point, or lists something else than one key a seed.
    """
    if told["set"] != json.loads(json.dumps(point.set)):
        raise ValueError(f"point {point.index} has other values than its scenario")
    listed = [str(key) for key in told["keys"]]
    if len(listed) != seeds or not all(_KEY.fullmatch(key) for key in listed):
        raise ValueError(f"point {point.index} does not list one run a seed")
    return listed


def _has_wires(result: Result) -> bool:
    return any(run.get("wires") for point in result.points for run in point.runs)


def _keeps_series(result: Result) -> bool:
    return any(
        any(columns["t_s"] for columns in run.get("series", {}).values()) for p in result.points for run in p.runs
    )


def _reason(error: Exception) -> str:
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


def _swept(results: Sequence[Result]) -> set[str]:
    return {key for result in results for key in result.scenario.axes}
