"""``hopscope readings KEY``: the fewest assumptions under which most statements of a study hold."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscope.cli import completing, options
from hopscope.cli.console import note, out
from hopscope.cli.trusting import asking

if TYPE_CHECKING:
    from collections.abc import Callable

    from hopscope.assuming.search import StageName
    from hopscope.scenario.assumptions import Reading

_STAGES = {
    "screen": "one departure at a time",
    "joint": "departures together",
    "race": "the best with more replications",
    "full": "the last ones in full length",
}


def command(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY",
            autocompletion=completing.studies,
            help="A study with assumptions: armaghani2008; or a study folder: ./mystudy.",
        ),
    ],
    jobs: options.Jobs = None,
    out_: options.Out = None,
    as_json: options.Json = False,
    no_progress: options.NoProgress = False,
    most: Annotated[
        int, typer.Option("--most", min=1, help="Combinations of assumptions that are tried, those of least weight.")
    ] = 128,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            "--reading",
            metavar="NAME=VALUE,...",
            help="A reading of your own, evaluated in full next to those that the search finds; may be repeated.",
        ),
    ] = None,
    record_: Annotated[
        bool, typer.Option("--record", help="Keep what was found in the study's folder, for its page.")
    ] = False,
    trust: options.Trust = False,
) -> None:
    """Find the fewest assumptions under which most statements of a study hold."""
    from hopscope.assuming import words
    from hopscope.assuming.evaluating import Evaluator, study_with_assumptions
    from hopscope.assuming.page import write_page
    from hopscope.assuming.record import record
    from hopscope.assuming.search import Effort, search
    from hopscope.campaign.nearby import FOLDER
    from hopscope.cli.verdicts import rich
    from hopscope.io.extras import need
    from hopscope.reporting.terminal import print_table
    from hopscope.scenario.assumptions import reading_of

    need("jinja2", "matplotlib")
    folder = out_ or FOLDER / f"readings-{Path(key).name}"
    with asking(trust):
        study = study_with_assumptions(key, trusted=trust)
        added = [reading_of(text, study.assumptions) for text in reading or ()]
        note(f"{words.space(study.assumptions)}; runs are kept in {folder}")
        evaluator = Evaluator(study, folder, jobs=jobs, progress=not no_progress, trusted=trust, begun=_announced())
        found = search(study.assumptions, evaluator.chosen, evaluator, effort=Effort.of(most), added=added)
    page = write_page(found, study.assumptions, study.title, folder)
    if record_:
        note(f"recorded: {record(study, found, evaluator.details)}")
    if as_json:
        typer.echo(json.dumps({**words.to_json(found, study.assumptions), "study": study.key, "report": str(page)}))
        return
    console = out()
    console.print(words.sentence(found), markup=False, highlight=False)
    print_table(console, rich(words.front(found)))
    console.print(words.difference(found), markup=False, highlight=False)
    note(f"report: {page}")


def _announced() -> Callable[[Reading, StageName], str]:
    """Titles of the bars: which reading of which stage, and for how long this has been going on."""
    begun = time.monotonic()
    counts: dict[str, int] = {}

    def title(reading: Reading, stage: StageName) -> str:
        counts[stage] = counts.get(stage, 0) + 1
        minutes = (time.monotonic() - begun) / 60
        return f"{_STAGES[stage]}, {counts[stage]} ({reading.label}; {minutes:.0f} min so far)"

    return title
