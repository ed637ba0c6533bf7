"""The folder of a run on real stacks: a store of one run, which no simulation goes on in, with logs and result."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscope.campaign import manifest
from hopscope.campaign.plan import Plan, Run
from hopscope.campaign.store import Store
from hopscope.errors import InputError, StoreError
from hopscope.io import output
from hopscope.io.files import not_written, write_whole
from hopscope.results import Result, columns

#: All that ``--json`` prints.
NAME = "result.json"


def check(folder: Path, *, force: bool) -> None:
    """Refuses a folder that has something in it, before anything is made.

    Args:
        folder: where the run is to be kept.
        force: replace what an earlier run on real stacks has left there.

    Raises:
        InputError: it is no folder, not empty, or holds simulations.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not folder.is_dir():
        raise InputError(f"--out {folder}: is a file; expected a folder")
    if (folder / manifest.NAME).exists() and not manifest.is_live(folder):
        raise InputError(f"--out {folder}: holds simulations; name another folder")
    if not force:
        raise InputError(
            f"--out {folder}: is there and not empty; name another folder, or replace its run with --force"
        )


def check_places(out: Path | None, pcap: Path | None, *, force: bool) -> None:
    """Refuses a folder for results that has something in it, and a capture that is there, before anything is made.

    Raises:
        InputError: one is there, and was not meant to be replaced.
    """
    if out is not None:
        check(out, force=force)
    if pcap is not None:
        output.check(pcap, force=force)


def keep(folder: Path, result: Result, series: columns.Tables, document: Mapping[str, Any]) -> None:
    """Writes the store of a run, with its tables, and the document of all that it gave.

    Args:
        folder: where.
        result: what the run gave, one point and one seed.
        series: its time series.
        document: what ``--json`` prints.

    Raises:
        StoreError: the folder cannot be written.
        RunFailed: the disk is full.
    """
    scenario, [point] = result.scenario, result.points
    [run] = point.runs
    # Nothing determines what real stacks do: no other run has this key, so that none is taken for this one.
    planned = Run(secrets.token_hex(16), scenario.points[0], scenario.seed, 0.0)
    store = Store(folder)
    store.prepare(Plan((scenario,), (((planned,),),)), scenario.title, live=result.live)
    text = json.dumps({name: value for name, value in run.items() if name != "series"})
    with store.keeping():
        store.keep(planned.key, columns.document(text, series))
    store.write_tables([result])
    try:
        write_whole(folder / NAME, json.dumps(document, indent=1).encode() + b"\n")
    except OSError as error:
        raise not_written(f"{folder / NAME}: cannot be written", error, StoreError) from error
