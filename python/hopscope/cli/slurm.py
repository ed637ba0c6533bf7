"""``hopscope slurm FILE``: scripts that do a campaign on a Slurm cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscope.cli import options


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario file (TOML).")],
    tasks: Annotated[
        int | None,
        typer.Option("--tasks", metavar="N", help="Tasks of the array, a shard each; default: half an hour each."),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="LIMIT", help="Time limit of a task: 30 (minutes), 01:30:00, 1-12:00."),
    ] = None,
    cpus: Annotated[int, typer.Option("--cpus", metavar="N", help="Processors of a task, and its runs at a time.")] = 1,
    partition: Annotated[
        str | None, typer.Option("--partition", metavar="NAME", help="Partition of the cluster.")
    ] = None,
    sbatch: Annotated[
        list[str] | None,
        typer.Option("--sbatch", metavar="OPTION", help='Another option of sbatch: "--account=NAME"; repeatable.'),
    ] = None,
    before: Annotated[
        list[str] | None,
        typer.Option(
            "--before", metavar="LINE", help='Line of shell before the command: "module load python"; repeatable.'
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Where the scripts go; default: the store's name with -slurm behind."),
    ] = None,
    out_: options.Out = None,
    seeds: options.Seeds = None,
    set_: options.Set = None,
    sweep: options.Sweep = None,
    quick: options.Quick = False,
    trust: options.Trust = False,
    force: options.Force = False,
) -> None:
    """Write scripts for Slurm."""
    from hopscope.campaign.cost import duration
    from hopscope.cli.console import echo
    from hopscope.cli.trusting import asking
    from hopscope.errors import counted
    from hopscope.running.slurm import slurm

    with asking(trust):
        jobs = slurm(
            file,
            out=out_,
            folder=to,
            tasks=tasks,
            time=time,
            cpus=cpus,
            partition=partition,
            sbatch=sbatch or [],
            before=before or [],
            seeds=seeds,
            set=options.parse_set(set_),
            sweep=options.parse_sweep(sweep),
            quick=quick,
            trust=trust,
            force=force,
        )
    for written in jobs.files:
        echo(str(written))
    echo(f"{counted(jobs.tasks, 'task')} for {counted(jobs.runs, 'run')}, about {duration(max(1.0, jobs.task_s))} each")
    echo(f"submit with: {jobs.command}")
