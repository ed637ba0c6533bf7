"""``hopscope check FILE``: everything that is wrong with a scenario, or what it would run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import options, picture
from hopscope.cli.trusting import asking

if TYPE_CHECKING:
    from hopscope.scenario import Scenario


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    set_: options.Set = None,
    seeds: options.Seeds = None,
    resolved: Annotated[
        bool, typer.Option("--resolved", metavar="", help="Print the scenario with every default filled in.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="With --resolved: as JSON instead of TOML.")
    ] = False,
    picture_: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw nodes, links, ranges and flows: .png, .svg or .pdf."),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", metavar="", help="Also load the code that the scenario names, and check it.")
    ] = False,
) -> None:
    """Check a scenario."""
    from hopscope.api.scenarios import checked
    from hopscope.cli.console import echo, note
    from hopscope.running.runner import COMMAND_SEEDS, prepare

    if picture_ is not None:
        picture.check("--picture", picture_)
    with asking(trust):
        changes = options.parse_set(set_)
        scenario = prepare(file, seeds=seeds, set=changes, origin="--seeds", code=trust, usual_seeds=COMMAND_SEEDS)
    if picture_ is not None:
        _draw(scenario, picture_)
    if resolved or as_json:
        if as_json:
            typer.echo(json.dumps(scenario.resolved, indent=2))
        else:
            from hopscope.scenario.toml_writer import to_toml

            typer.echo(to_toml(scenario.resolved), nl=False)
        return
    found = checked(scenario)
    for transport in () if trust else scenario.controls():
        note(f"{file}: {transport} names code, which was not loaded and not checked; --trust loads it")
    for warning in found.warnings:
        note(f"{file}: {warning}")
    echo(f"{file}: {found}")


def _draw(scenario: Scenario, path: Path) -> None:
    """Draws the network of the first point."""
    from hopscope.cli.console import note
    from hopscope.reporting import network

    picture.write("--picture", path, network.draw(network.of_point(scenario.points[0], scenario.title)))
    others = " of the first point of the sweep" if len(scenario.points) > 1 else ""
    note(f"{path}: picture{others}")
