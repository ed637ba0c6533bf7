"""The manifest of a store: the scenarios started last, their points, and the keys of their runs, under a checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscope import _core
from hopscope.campaign import kept
from hopscope.campaign.plan import Plan, point_keys
from hopscope.campaign.runline import is_key
from hopscope.errors import StoreError, shown
from hopscope.io.files import read_whole
from hopscope.scenario import Point, Scenario

NAME = "manifest.json"

#: Written by this version. One of format 2 is of a store whose runs are a file each; one of format 1 has no checksum.
FORMAT = 3

#: Larger manifests are refused before they are read.
MAX_BYTES = 2_000_000_000

_DAMAGED = "run the scenario again into this folder: finished runs are kept"


def make(plan: Plan, title: str, live: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the manifest of a plan, with its checksum; ``live`` says where real stacks ran it."""
    manifest = {
        "format": FORMAT,
        "hopscope": _core.version(),
        "engine": _core.build_id(),
        "title": title,
        **({"live": dict(live)} if live is not None else {}),
        "scenarios": [
            {
                "title": scenario.title,
                "quick": scenario.is_quick,
                "document": scenario.standalone(),
                **({"controls": controls} if (controls := _controls(scenario)) else {}),
                **({"files": names} if (names := kept.names(scenario)) else {}),
                "points": [
                    {"set": scenario.standalone_set(point), "keys": [run.key for run in runs]}
                    for point, runs in zip(scenario.points, point_runs, strict=True)
                ],
            }
            for scenario, point_runs in zip(plan.scenarios, plan.runs, strict=True)
        ],
    }
    return manifest | {"sha256": digest(manifest)}


def digest(manifest: dict[str, Any]) -> str:
    """Returns the checksum of a manifest: SHA-256 of its content without the checksum, as compact JSON, keys sorted."""
    content = {name: value for name, value in manifest.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def checksum(manifest: dict[str, Any]) -> str:
    """Returns the checksum in a manifest, which :func:`read` has compared; that of one without is computed."""
    return str(manifest.get("sha256") or digest(manifest))


def read(path: Path) -> dict[str, Any]:
    """Reads the manifest of a store.

    Raises:
        StoreError: the folder is no store, or its manifest is damaged, changed or of another format.
    """
    file = path / NAME
    if not path.exists():
        raise StoreError(f"{path}: no such folder")
    if not path.is_dir():
        raise StoreError(f"{path}: is a file; a result store is a folder")
    try:
        manifest = json.loads(read_whole(file, MAX_BYTES))
    except FileNotFoundError as error:
        raise StoreError(f"{path}: is no result store (it has no {NAME})") from error
    except OSError as error:
        raise StoreError(f"{file}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file}: is damaged ({error}); {_DAMAGED}") from error
    if not isinstance(manifest, dict) or not {"format", "title", "scenarios"} <= manifest.keys():
        raise StoreError(f"{file}: is no manifest of a result store")
    if manifest["format"] not in (1, 2, FORMAT):
        raise StoreError(
            f"{file}: has format {shown(manifest['format'])}; this version writes format {FORMAT} and reads 1 and 2 too"
        )
    if not isinstance(manifest["title"], str):
        raise StoreError(f"{file}: is damaged (its title is no text)")
    if not isinstance(manifest["scenarios"], list) or not manifest["scenarios"]:
        raise StoreError(f"{file}: is damaged (it lists no scenarios)")
    if not isinstance(manifest.get("live", {}), dict):
        raise StoreError(f"{file}: is damaged (it does not say where real stacks ran it)")
    if manifest["format"] != 1 and manifest.get("sha256") != digest(manifest):
        raise StoreError(f"{file}: its checksum does not fit: values were changed after it was written; {_DAMAGED}")
    return manifest


def is_live(path: Path) -> bool:
    """Whether a folder holds a run on real stacks; False of one without a manifest that can be read."""
    try:
        return "live" in read(path)
    except StoreError:
        return False


def not_again(path: str | Path) -> str:
    """Why something cannot be done with a run on real stacks, and what can."""
    return (
        f"{path}: holds a run on real stacks, which cannot be done again; hopscope show, report, explain and compare "
        "read it, and hopscope live --pcap captures the next one"
    )


def remarks(manifest: dict[str, Any], path: Path) -> list[str]:
    """What a manifest cannot prove, a line each."""
    if manifest["format"] != 1:
        return []
    return [f"{path / NAME}: has no checksum (made by an earlier version): a value changed in it would not be noticed"]


def keys_of(manifest: dict[str, Any], scenario: Scenario, points: list[dict[str, Any]]) -> list[list[str]]:
    """Returns the keys that a manifest lists for the points of a scenario, by point and seed.

    Keys of this build are compared with those that the points have. Those of another build cannot be: the key of a run
    distinguishes builds. Nor can those of a control whose code the store does not record, and that of a run on real
    stacks, which is drawn.

    Raises:
        ValueError: the points are not those of the scenario, or list something else than their own runs.
    """
    if len(points) != len(scenario.points):
        raise ValueError(f"{len(points)} points of {len(scenario.points)}")
    known = all(control.is_known for control in scenario.controls().values())
    provable = known and "live" not in manifest and manifest.get("engine") == _core.build_id()
    return [_keys(point, entry, scenario, provable) for point, entry in zip(scenario.points, points, strict=True)]


def _keys(point: Point, entry: dict[str, Any], scenario: Scenario, provable: bool) -> list[str]:
    if entry["set"] != json.loads(json.dumps(point.set)):
        raise ValueError(f"point {point.index} has other values than its scenario")
    listed = [str(key) for key in entry["keys"]]
    if len(listed) != scenario.seeds or not all(is_key(key) for key in listed):
        raise ValueError(f"point {point.index} does not list one run a seed")
    if provable and listed != point_keys(point, scenario, _core.build_id()):
        raise ValueError(f"point {point.index} lists runs that are not its own")
    return listed


def _controls(scenario: Scenario) -> dict[str, Any]:
    return {transport: control.reported() for transport, control in scenario.controls().items()}
