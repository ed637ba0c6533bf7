"""``hopscope check FILE``: everything that is wrong with a scenario, or what it would run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options


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
) -> None:
    """Check a scenario."""
    from hopscope.campaign.cost import estimate
    from hopscope.campaign.execute import default_jobs
    from hopscope.campaign.plan import make_plan
    from hopscope.runner import prepare

    scenario = prepare(file, seeds=seeds, set=options.parse_set(set_))
    if resolved or as_json:
        if as_json:
            typer.echo(json.dumps(scenario.resolved, indent=2))
        else:
            from hopscope.scenario.toml_writer import to_toml

            typer.echo(to_toml(scenario.resolved), nl=False)
        return
    runs = make_plan([scenario]).unique()
    cost = estimate(runs, default_jobs())
    points, seeds_ = len(scenario.points), scenario.seeds
    typer.echo(f"{file}: good: {points} points x {seeds_} seeds; estimated cost: {cost}")
