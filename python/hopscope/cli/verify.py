"""``hopscope verify STORE``: prove a store by its checksums and by doing a sample of its runs again."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import options
from hopscope.cli.console import echo, note
from hopscope.cli.trusting import asking
from hopscope.errors import RunFailed, counted

if TYPE_CHECKING:
    from hopscope.campaign.verify import Verification


def command(
    store: options.Stored,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="Runs to do again and compare to the last digit.")
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the draw of the sample.")] = 1,
    jobs: options.Jobs = None,
    trust: Annotated[
        bool, typer.Option("--trust", metavar="", help="Also do runs again that load code which the store names.")
    ] = False,
    as_json: options.Json = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Verify a store."""
    from hopscope.campaign.store import open_store
    from hopscope.campaign.verify import verify

    with asking(trust):
        found = verify(open_store(store), sample=sample, seed=seed, jobs=jobs, trust=trust, progress=not no_progress)
    if as_json:
        typer.echo(json.dumps(asdict(found) | {"is_proved": found.is_proved}))
    else:
        for line in lines(found):
            echo(line)
    for problem in (*found.problems, *found.differing):
        note(problem)
    if not found.is_proved:
        raise RunFailed(f"{store}: {_verdict(found)}")


def lines(found: Verification) -> list[str]:
    """What was verified, a line each."""
    build = "the build that verifies" if found.same_build else "another build than the one that verifies"
    again = f"{counted(found.sampled, 'run')} done again: {len(found.differing)} differ"
    if found.not_sampled:
        again += f" ({counted(found.not_sampled, 'run')} left out: they name code, which --trust runs)"
    return [
        f"made by Hopscope {found.version}, engine build {found.engine}: {build}",
        f"{found.there} of {counted(found.wanted, 'run')} there with the right checksum",
        again,
    ]


def _verdict(found: Verification) -> str:
    parts = []
    if found.differing:
        cause = "" if found.same_build else "; another build may well give other results"
        parts.append(f"{counted(len(found.differing), 'run')} gave another result{cause}")
    if found.problems:
        parts.append(f"{counted(len(found.problems), 'problem')} found")
    if found.there < found.wanted:
        parts.append(f"{counted(found.wanted - found.there, 'run')} not there")
    return "; ".join(parts)
