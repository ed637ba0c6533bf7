"""The stores that lie where the command writes them: `results` in the working directory."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from hopscope.campaign.manifest import NAME
from hopscope.campaign.segments import Segments
from hopscope.campaign.store import open_store
from hopscope.errors import HopscopeError, StoreError
from hopscope.scenario import Scenario

#: Where a verb writes its store unless `--out` says otherwise.
FOLDER = Path("results")

LAST = "last"
"""The word that means the newest store."""


@dataclass(frozen=True)
class Nearby:
    """A store.

    Attributes:
        path: its folder.
        written: when it was last begun, seconds since 1970.
        title: of what it holds; what is wrong with it where it cannot be read.
        runs: how many it has; 0 where they cannot be read.
    """

    path: Path
    written: float
    title: str
    runs: int


def nearby(folder: Path = FOLDER) -> list[Nearby]:
    """The stores of a folder, the newest first."""
    found = []
    for path in _folders(folder):
        try:
            title = open_store(path).title
        except HopscopeError as error:
            title = f"cannot be read: {str(error).splitlines()[0]}"
        try:
            runs = len(Segments(path / "runs").places)
        except StoreError:
            runs = 0
        found.append(Nearby(path, (path / NAME).stat().st_mtime, title, runs))
    return found


def default_out(scenario: Scenario, prefix: str = "") -> Path:
    """Returns ``results/<title>-<hash>``; the number of seeds does not change it, so more seeds add to a store."""
    document = {name: value for name, value in scenario.standalone().items() if name != "seeds"}
    text = json.dumps([document, scenario.is_quick], sort_keys=True, default=str)
    slug = re.sub(r"[^a-z0-9]+", "-", scenario.title.lower()).strip("-")[:48].strip("-") or "scenario"
    return FOLDER / f"{prefix}{slug}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def store_meant(text: str, folder: Path = FOLDER) -> Path:
    """The folder that a word of the command line means; `last` is the newest store, unless something has that name.

    Raises:
        StoreError: there is none.
    """
    if text != LAST or Path(text).exists():
        return Path(text)
    newest = next(iter(_folders(folder)), None)
    if newest is None:
        raise StoreError(f"{LAST}: no store in {folder}; hopscope run FILE writes one")
    return newest


def _folders(folder: Path) -> list[Path]:
    """The folders with a manifest, the newest first."""
    if not folder.is_dir():
        return []
    found = [(-(path / NAME).stat().st_mtime, path) for path in folder.iterdir() if (path / NAME).is_file()]
    return [path for _, path in sorted(found)]
