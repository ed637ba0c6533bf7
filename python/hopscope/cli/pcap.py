"""``hopscope pcap STORE|FILE``: do one run, or a stored one again, and write its capture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import note
from hopscope.cli.run import default_out
from hopscope.cli.trusting import asking
from hopscope.errors import InputError, RunFailed, ranges

if TYPE_CHECKING:
    from hopscope.results.captured import Captured, Choice
    from hopscope.results.stored import RunResult
    from hopscope.scenario import Point, Scenario


def command(
    what: Annotated[
        Path, typer.Argument(metavar="STORE|FILE", help="Folder that a run has written, or a scenario file (TOML).")
    ],
    point: Annotated[
        str, typer.Option("--point", metavar="POINT", help="Point of the sweep, by its number from 0 or as KEY=VALUE.")
    ] = "0",
    seed: options.Seed = None,
    node: options.PcapNode = None,
    flow: options.PcapFlow = None,
    radio: options.PcapRadio = False,
    host: options.PcapHost = False,
    lost: options.PcapLost = False,
    monitor: options.PcapMonitor = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where it goes, compressed as the name says (.gz, .zst); - is standard output; default: named after "
            "scenario, point and seed, in the current folder.",
        ),
    ] = None,
    force: options.Force = False,
    set_: options.Set = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="Print what came of it, with the engine's own counts, as JSON.")
    ] = False,
    trust: options.Trust = False,
) -> None:
    """Write the capture of a run for Wireshark."""
    choice = options.parse_choice(node, flow, radio=radio, host=host, lost=lost, monitor=monitor)
    if as_json and out == Path("-"):
        raise InputError("--json: standard output has the capture itself, with --out -; name a file there")
    with asking(trust):
        scenario, stored = _opened(what, set_, point, seed)
        chosen = _point(scenario, point)
        choice.check(scenario, "--")
        number = scenario.seed if seed is None else _seed(scenario, seed)
        path = out or Path(f"{default_out(scenario).name}-point-{chosen.index}-seed-{number}.pcapng")
        captured = _write(scenario, chosen, number, path, choice, stored=stored, force=force)
    if as_json:
        typer.echo(json.dumps(captured.to_json()))
    note(captured.sentence())
    if not captured.is_whole and not captured.broken_pipe:
        raise RunFailed("the capture is not whole")


def _opened(what: Path, set_: list[str] | None, point: str, seed: int | None) -> tuple[Scenario, RunResult | None]:
    """The scenario of a file, or of a store with its stored run of this point and seed, if that is there."""
    from hopscope.campaign.store import open_store
    from hopscope.runner import prepare

    if not what.is_dir():
        return prepare(what, set=options.parse_set(set_)), None
    if set_:
        raise InputError("--set: changes a scenario file; a store has been run as it is")
    results = open_store(what).results()
    if len(results) != 1:
        raise InputError(f"{what}: holds {len(results)} scenarios; a capture is made of a store with one")
    [result] = results
    index = _point(result.scenario, point).index
    wanted = result.scenario.seed if seed is None else seed
    runs = next(found.runs for found in result.points if found.index == index)
    return result.scenario, next((run for run in runs if run["seed"] == wanted), None)


def _point(scenario: Scenario, text: str) -> Point:
    """The point that is named by its number or by one of its values.

    Raises:
        InputError: none or several.
    """
    from hopscope.scenario.sweep import written

    fits = [
        point
        for point in scenario.points
        if str(point.index) == text or text in [f"{key}={written(value)}" for key, value in point.set.items()]
    ]
    if len(fits) == 1:
        return fits[0]
    raise InputError(f"--point {text}: found {len(fits)} such points; the scenario has 0 to {len(scenario.points) - 1}")


def _seed(scenario: Scenario, seed: int) -> int:
    """A seed of the scenario.

    Raises:
        InputError: it has no such seed.
    """
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    if seed not in seeds:
        raise InputError(f"--seed {seed}: found no such run; allowed: {ranges(seeds)}")
    return seed


def _write(
    scenario: Scenario,
    point: Point,
    seed: int,
    path: Path,
    choice: Choice,
    *,
    stored: RunResult | None,
    force: bool,
) -> Captured:
    """Does the run; says where it differs from the stored one."""
    from hopscope.campaign.capture import STDOUT, refuse_existing, run_captured
    from hopscope.campaign.verify import difference
    from hopscope.files import make_way
    from hopscope.results.columns import opened

    refuse_existing(path, force=force, prefix="--out ")
    if path != STDOUT and not path.exists():
        make_way(f"--out {path}", path)
    document, captured = run_captured(point, seed, path, choice, force=force)
    if stored is not None and (where := difference(stored, opened(json.loads(document)))) is not None:
        note(f"the run is not the stored one: {where}; another build has made the store")
    return captured
