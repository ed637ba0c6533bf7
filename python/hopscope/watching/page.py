"""The page of one run, in which its reader runs it, step by step or as a film, and changes it."""

from __future__ import annotations

import html
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopscope.errors import InputError
from hopscope.io.files import make_folder, not_written, open_regular, read_whole, write_whole
from hopscope.io.output import check
from hopscope.scenario import Scenario
from hopscope.scenario.document import MAX_FILE_BYTES
from hopscope.scenario.sweep import set_text
from hopscope.tracing.pick import OneRun, pick
from hopscope.watching import bundle
from hopscope.watching.carried import carried

#: Height of a page inside a notebook, in pixels.
_HEIGHT = 720

#: What a page of this kind is known by; larger files are none.
_MOST_READ = 64_000_000
_OWN = re.compile(rb'<script\b[^<>]*\bid="hopscope-scenario"[^<>]*>')


@dataclass(frozen=True)
class WatchPage:
    """A page that holds the engine, a scenario and the view of it.

    A notebook shows it in a frame of its own, which reaches neither the notebook nor the network.

    Attributes:
        title: the run in words.
        remark: what a user should know, such as that a store is of another engine; empty.
        html: the page.
    """

    title: str
    remark: str
    html: str = field(repr=False)

    def write(self, path: str | Path, *, force: bool = False, replace: bool = False) -> Path:
        """Writes the page as a whole or not at all, and returns its path.

        Args:
            path: the file.
            force: replace any file that is there.
            replace: replace a page of this kind that is there.

        Raises:
            InputError: a file is there that is not to be replaced, or the place cannot be written.
            RunFailed: the disk is full.
        """
        path = Path(path)
        check_place(path, force=force, replace=replace)
        try:
            make_folder(path.parent)
            write_whole(path, self.html.encode())
        except OSError as error:
            raise not_written(f"{path}: cannot be written", error) from error
        return path

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts" width="100%" height="{_HEIGHT}" '
            f'style="border:0" srcdoc="{html.escape(self.html)}"></iframe>'
        )


def watch(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    point: int | str = 0,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (the name users type)
) -> WatchPage:
    """Returns a page in which a run can be watched: the engine runs in the browser, with the numbers that it has here.

    Nothing is run meanwhile, and no code that the scenario names is loaded.

    Args:
        what: a scenario file, its keys as a mapping, a :class:`Scenario`, or the folder of a store.
        point: the point of the sweep, by its number from 0 or as ``key=value``.
        seed: the seed; default: the scenario's first.
        set: dotted keys to change.

    Raises:
        InputError: there is no such run, no page can run it, or the pages were not built.
    """
    template, engine = bundle.read(bundle.WATCH).decode(), bundle.engine()
    run = pick(what, point=point, seed=seed, set=set, code=False)
    command = _command(what, run, point, set or {})
    found = carried(run.scenario, run.point, command, text=None if set else _text(what))
    scenario = {"name": run.scenario.title, "text": found.text, "set": {}, "seed": run.seed, "command": command}
    if found.files:
        scenario["files"] = dict(found.files)
    page = bundle.filled(template, {"hopscope-engine": engine, "hopscope-scenario": bundle.data(scenario)})
    return WatchPage(run.title, run.remark, page)


def check_place(path: Path, *, force: bool, replace: bool = False) -> None:
    """Refuses a file that is there and must stay.

    Args:
        path: the file.
        force: any file may be replaced.
        replace: a page of this kind may be replaced.

    Raises:
        InputError: it is there, or is a folder.
    """
    check(path, force=force or (replace and _is_page(path)))


def _is_page(path: Path) -> bool:
    """Whether a file is a page of a run that was written here."""
    try:
        with open_regular(path, _MOST_READ) as file:
            return _OWN.search(file.read()) is not None
    except OSError:
        return False


def _text(what: object) -> str | None:
    """The text of a scenario file; None for what is none."""
    if not isinstance(what, (str, Path)) or os.path.isdir(what):
        return None
    try:
        return read_whole(Path(what), MAX_FILE_BYTES).decode("utf-8-sig")
    except (OSError, ValueError) as error:  # it was there and was text a moment ago
        raise InputError(f"{what}: changed while it was read") from error


def _command(what: object, run: OneRun, point: int | str, changes: Mapping[str, Any]) -> str:
    """The command that does the same run here."""
    if not isinstance(what, (str, Path)):
        return "hopscope.run, with this scenario"
    words = ["hopscope", "run", str(what)]
    if os.path.isdir(what) or run.seed != run.scenario.seed:  # one run, where `run` does those of all seeds
        words = ["hopscope", "trace", str(what), "--point", str(point), "--seed", str(run.seed)]
    else:
        changes = {**changes, **run.point.set}
    for key, value in changes.items():
        words += ["--set", set_text(key, value)]
    return shlex.join(words)
