"""Pictures of single runs in a report, from the records of runs done again: timelines of the air and sequence plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError, RunFailed, shown
from hopscope.reporting.series import Selection
from hopscope.tracing.wanted import Wanted

if TYPE_CHECKING:
    from hopscope.results import Result

#: Pictures of a report, and marks of one of them: at some 250 bytes a mark a report stays below 30 MB; defaults.
MOST_PICTURES = 12
MOST_MARKS = 10_000

_ZOOM = "Hold the control key and turn the wheel to zoom, drag to move; a double click shows everything again."


@dataclass(frozen=True)
class Span:
    """A time to draw: "1.5s" and the 50 ms that follow, or "1.5s..1.6s"."""

    start: str
    stop: str | None = None

    @classmethod
    def of(cls, text: str, option: str) -> Span:
        """Reads ``FROM`` or ``FROM..TO``.

        Raises:
            InputError: it is no such time; the message begins with the option that has it.
        """
        start, dots, stop = text.partition("..")
        if not start.strip() or (dots and not stop.strip()):
            raise InputError(f"{option}: found {shown(text)}; expected FROM or FROM..TO, such as 1.5s..1.6s")
        span = cls(start, stop if dots else None)
        try:
            Wanted.of(start=span.start, stop=span.stop)
        except InputError as error:
            raise InputError(f"{option} {text}: {error}") from None
        return span


@dataclass(frozen=True)
class Recorded:
    """What is drawn of each chosen run.

    Attributes:
        timelines: times of which the air is drawn.
        flows: flows whose sequence numbers are drawn.
        span: the time of which they are; None: the whole run.
    """

    timelines: Sequence[Span] = ()
    flows: Sequence[int] = ()
    span: Span | None = None

    def sections(self, results: Sequence[Result], selection: Selection | None) -> list[list[Mapping[str, Any]]]:
        """Draws the chosen runs of each result, by default the first: heading and HTML of each picture.

        Raises:
            InputError: there are too many pictures, or too much in one; or a run has no such flow.
            RunFailed: no run is there to draw.
        """
        runs = [(selection or Selection()).of(result) for result in results]
        count = sum(map(len, runs)) * (len(self.timelines) + len(self.flows))
        if count > MOST_PICTURES:
            raise InputError(
                f"--timeline, --sequence: ask for {count} pictures; a report holds {MOST_PICTURES} at most; choose "
                "runs with --point and --seed"
            )
        if count == 0:
            raise RunFailed("--timeline, --sequence: the store has no finished run to draw")
        sections, number = [], 0
        for result, chosen in zip(results, runs, strict=True):
            pictures: list[Mapping[str, Any]] = []
            for point, run in chosen:
                for picture in self._pictures(result, point.index, int(run["seed"])):
                    number += 1
                    pictures.append({"html": picture.part(f"picture-{number}"), "caption": _ZOOM})
            sections.append(pictures)
        return sections

    def _pictures(self, result: Result, point: int, seed: int) -> list[Any]:
        from hopscope.reporting.segments import sequence
        from hopscope.reporting.timeline import timeline

        of_run: dict[str, Any] = {"point": point, "seed": seed, "most": MOST_MARKS}
        span = self.span or Span("0s")
        of_flow = of_run | {"start": span.start, "stop": span.stop}
        return [
            *(timeline(result.scenario, start=time.start, stop=time.stop, **of_run) for time in self.timelines),
            *(sequence(result.scenario, flow=flow, **of_flow) for flow in self.flows),
        ]
