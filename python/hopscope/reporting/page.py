"""HTML reports: one self-contained file each, light and dark, printable.

Figures are embedded, so a report can be mailed or archived as it is; of a large study those that it has room for.
`store_page` reports on the results of any store; the same figures lie next to it as PNG, SVG and PDF (after a quick run
without PDF). `hopscope.studies.page` puts the page of a reproduction together with the same parts.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from hopscope.errors import StoreError, printable
from hopscope.io.extras import need
from hopscope.io.files import make_folder, not_written, write_whole
from hopscope.reporting import wording
from hopscope.reporting.chart import Chart
from hopscope.reporting.heatmap import HeatMap
from hopscope.reporting.network import Network, distinct
from hopscope.results import metrics
from hopscope.results.remarks import around
from hopscope.scenario.naming import spoken

if TYPE_CHECKING:
    from hopscope.reporting.interactive import Interactive
    from hopscope.reporting.listing import Listing
    from hopscope.reporting.measured import Measurement
    from hopscope.reporting.overlay import Overlay
    from hopscope.reporting.recorded import Recorded
    from hopscope.reporting.series import Selection
    from hopscope.results import Result
    from hopscope.results.contrasts import Contrasts

# A store with more scenarios than this gets one figure for each instead of several.
_MANY = 12

#: A page has at most so many bytes: figures for which there is no room stay files next to it.
LARGEST = 2_000_000

#: Names of files are cut to so many letters, so that every file system takes them with their endings.
_LONGEST_NAME = 200

Picture = Chart | Network | HeatMap
"""What becomes a figure of a page."""

# Pictures of networks for one scenario; a sweep over the topology has more.
NETWORKS = 3
# Columns of a heat map for which half the width of a page suffices.
_HALF = 10


@dataclass(frozen=True)
class Image:
    """A figure of a page.

    Attributes:
        source: data URI, or the name of its file next to the page.
        caption: text under it.
        wide: takes the whole width of the page.
        shaded: its colours are a scale, which a dark page must not turn round.
        files: names of the same figure next to the page.
        again: by what the page knows the figure when it runs it again; empty: it cannot.
    """

    source: str
    caption: str
    wide: bool
    shaded: bool
    files: tuple[str, ...]
    again: str = ""


def store_page(
    results: Sequence[Result],
    folder: Path,
    *,
    title: str,
    store: str,
    engine: str,
    problems: Sequence[str] = (),
    overlays: Sequence[Overlay] = (),
    selection: Selection | None = None,
    outcome: Mapping[str, Any] | None = None,
    shown: Listing | None = None,
    recorded: Recorded | None = None,
    measured: Measurement | None = None,
    interactive: Interactive | None = None,
) -> Path:
    """Write `report.html` and the figures of the results of a store into `folder`; return the path of the page.

    Args:
        results: one result for each scenario of the store.
        folder: where the page goes.
        title: title of the store.
        store: the store as the user named it.
        engine: version and build that made the runs.
        problems: damaged or missing runs, in words.
        overlays: models to draw over the curves.
        selection: the runs whose time series are drawn; default: the first of each scenario.
        outcome: what the search found that filled the store: one section for each of its cases instead of one for each
            scenario of its steps.
        shown: the chosen metrics, in figures and in a table in place of that of the flows.
        recorded: pictures of single runs to draw.
        measured: what the user has measured of the only scenario.
        interactive: with it, figures of means and of distributions can be run again in the page.

    Raises:
        InputError: a model that fits no figure, or a run that is not there; nothing is written.
        StoreError: the folder cannot be written.
        RunFailed: the disk is full.
    """
    from hopscope.reporting import heatmap, search, tables

    about: dict[str, Any] = {"folder": store, "problems": list(problems)}
    if outcome is not None:
        context = {"title": search.title(outcome), "several": True, "studies": _cases(outcome, results, folder, engine)}
        return write_page(folder / "report.html", "store.html.j2", {**about, **context, "again": {}})
    if selection is not None:
        selection.check(results)
    recordings = [[] for _ in results] if recorded is None else recorded.sections(results, selection)
    drawn = _charts(results, overlays, selection, shown)
    maps = [[] if len(results) > _MANY else heatmap.of_result(result) for result in results]
    stems = [f"{number}-" if len(results) > 1 else "" for number in range(1, len(results) + 1)]
    again = None if interactive is None else interactive.rerun(results, _joined(maps, drawn), stems, folder)
    studies = []
    for number, (result, charts, pictures) in enumerate(zip(results, drawn, recordings, strict=True)):
        reason = None if again is None else again.reasons[number]
        options: _Options = {"brief": len(results) > _MANY, "shown": shown, "measured": measured, "again": reason == ""}
        about_runs = {"summary": tables.describe(result, engine), "recorded": pictures, "reason": reason}
        studies.append({**_section(result, maps[number], charts, folder, stems[number], **options), **about_runs})
    about |= {"title": title, "several": any(map(tables.has_several_seeds, results)), "studies": studies}
    return write_page(folder / "report.html", "store.html.j2", {**about, "again": again.parts() if again else {}})


# --- Parts ----------------------------------------------------------------------------------------------------------


def _charts(
    results: Sequence[Result], overlays: Sequence[Overlay], selection: Selection | None, shown: Listing | None
) -> list[Sequence[Chart]]:
    """The figures of each result, with models drawn over them."""
    from hopscope.reporting import overlay, tables

    chosen = None if shown is None else [name for name in shown.names if "." not in name]
    brief = len(results) > _MANY
    found = [tables.charts(result, brief=brief, selection=selection, chosen=chosen) for result in results]
    drawn = [overlay.draw(charts, result, overlays) for charts, result in zip(found, results, strict=True)]
    overlay.check(overlays, {name for _, fitted in drawn for name in fitted})
    return [charts for charts, _ in drawn]


def _joined(maps: Sequence[Sequence[HeatMap]], charts: Sequence[Sequence[Chart]]) -> list[list[Chart | HeatMap]]:
    """The figures of each result, as a page has them."""
    return [[*of_two, *of_one] for of_two, of_one in zip(maps, charts, strict=True)]


class _Options(TypedDict):
    """What a section is made with."""

    brief: bool
    shown: Listing | None
    measured: Measurement | None
    again: bool


def _section(
    result: Result,
    maps: Sequence[HeatMap],
    charts: Sequence[Chart],
    folder: Path,
    stem: str,
    *,
    brief: bool,
    shown: Listing | None,
    measured: Measurement | None,
    again: bool,
) -> dict[str, Any]:
    """A section for one scenario: figures, tables, comparisons of what it sweeps, and how to repeat it."""
    from hopscope.reporting import heatmap, tables

    scenario = result.scenario
    gallery = Gallery(folder, quick=scenario.is_quick, again=again)
    used = {} if brief else tables.used_links(result)
    networks = distinct(scenario.points, scenario.title, 1 if brief else NETWORKS, used)
    file = _scenario_file(result, folder / f"{stem}scenario.toml")
    compared = [] if brief else _comparisons(result, folder, stem)
    if measured is not None:
        from hopscope.reporting import measured as own

        charts = own.over(charts, result, measured.measured)
        compared.insert(0, _measurement(result, measured, folder, charts))
    return {
        "title": scenario.title,
        "sentences": around(result, [*tables.headline(result), *heatmap.sentences(result)]),
        "quick": scenario.is_quick,
        "images": gallery.images([*maps, *charts], stem),
        "networks": gallery.images(networks, stem),
        "comparisons": compared,
        "tables": tables.grids(result, str(file), None if shown is None else shown.of(result)),
        "scenario": pretty(scenario.resolved),
    }


def _cases(outcome: Mapping[str, Any], results: Sequence[Result], folder: Path, engine: str) -> list[dict[str, Any]]:
    """A section for each case of a search: what it found, all values, its steps, and how to repeat its full runs."""
    from hopscope.reporting import search, tables

    sections = []
    metric, resolved = outcome["metric"], outcome["scenario"]
    goal = f"{outcome['goal']} {metrics.in_words(metric)}"
    title = resolved["title"] or resolved["topology"]["kind"]
    for number, (case, last) in enumerate(search.by_case(outcome, results), 1):
        stem = f"{number}-" if len(outcome["cases"]) > 1 else ""
        scenario = last[0].scenario
        place = spoken(case["set"])
        gallery = Gallery(folder, quick=scenario.is_quick)
        networks = distinct(scenario.points, title, 1, tables.used_links(last[0]))
        files = [_scenario_file(r, folder / f"{stem}full-{n}.toml") for n, r in enumerate(last, 1)]
        sections.append(
            {
                "title": f"{title}, {place}" if place else title,
                "summary": f"Goal: {goal}; best at {spoken(case['best'])}; {engine}.",
                "sentences": [*search.sentences(case), *filter(None, [search.footnote(case)])],
                "quick": scenario.is_quick,
                "images": gallery.images([search.chart(case, metric)], stem),
                "networks": gallery.images(networks, stem),
                "recorded": [],
                "reason": None,
                "comparisons": [],
                "tables": [
                    search.winner(case, str(files[0])),
                    search.values(case),
                    search.steps(case),
                    *(tables.commands(r, str(file)) for r, file in zip(last, files, strict=True)),
                ],
                "scenario": pretty(scenario.resolved),
            }
        )
    return sections


def comparison(found: Contrasts, folder: Path, charts: Sequence[Chart], *, heading: str, quick: bool) -> dict[str, Any]:
    """A section of a page with a comparison: verdicts, figures, table."""
    from hopscope.reporting import contrasts

    return {
        "heading": heading,
        "sentences": contrasts.sentences(found),
        "images": Gallery(folder, quick=quick).images(charts, ""),
        "table": contrasts.grid(found, contrasts.MOST_ROWS if heading else None),
    }


def _measurement(result: Result, measured: Measurement, folder: Path, charts: Sequence[Chart]) -> dict[str, Any]:
    """A section with the result set against what was measured; ``charts`` of the page have some of it."""
    from hopscope.reporting import measured as own

    drawn = own.charts(measured.found, result, measured.measured, charts)
    heading, quick = f"Compared with {measured.measured.name}", result.scenario.is_quick
    return comparison(measured.found, folder, drawn, heading=heading, quick=quick)


def _comparisons(result: Result, folder: Path, stem: str) -> list[dict[str, Any]]:
    """A section for each swept key whose values are words: the others against the first."""
    from hopscope.reporting import contrasts

    sections = []
    for number, found in enumerate(contrasts.of_result(result), 1):
        charts = [contrasts.differences(found, f"{stem}compare-{number}")]
        drawn = [chart for chart in charts if not chart.is_empty]
        quick = result.scenario.is_quick
        sections.append(comparison(found, folder, drawn, heading=f"Compared: {found.title}", quick=quick))
    return sections


def _scenario_file(result: Result, path: Path) -> Path:
    """Write the scenario of a result as a file that `hopscope run` takes; the commands of the report name it."""
    from hopscope.scenario.toml_writer import to_toml

    return _put(path, to_toml(result.scenario.standalone()))


def _file_name(name: str) -> str:
    """A name for a file in one folder, whatever a stranger's study calls its entries and metrics."""
    return re.sub(r"[/\\:\x00-\x1f]|^\.", "-", name)[:_LONGEST_NAME]


class Gallery:
    """The figures of one page; what has been drawn before is copied, such as the grid that many entries share."""

    def __init__(self, folder: Path, *, quick: bool, embed: bool = True, again: bool = False) -> None:
        self._folder = folder / "figures"
        self._again = again
        self._quick = quick
        self._embed = embed
        self._drawn: dict[str, dict[str, Path]] = {}

    def images(self, charts: Iterable[Picture], stem: str) -> list[Image]:
        """Write the figures under names that begin with `stem`; return them as the page shows them.

        Raises:
            StoreError: the folder cannot be written.
            RunFailed: the disk is full.
        """
        from hopscope.reporting.again import runs_again

        images = []
        for chart in charts:
            try:
                files = self._save(chart, _file_name(f"{stem}{chart.name}"))
                source = _embedded(files["svg"]) if self._embed else f"figures/{files['svg'].name}"
            except OSError as error:
                raise not_written(f"{self._folder}: cannot write the figures", error, StoreError) from error
            names = tuple(f"figures/{path.name}" for path in files.values())
            again = f"{stem}{chart.name}" if self._again and runs_again(chart) else ""
            images.append(Image(source, chart.caption, _is_wide(chart), isinstance(chart, HeatMap), names, again))
        return images

    def _save(self, chart: Picture, stem: str) -> dict[str, Path]:
        from hopscope.reporting import heatmap, network, plots
        from hopscope.reporting.style import wanted_style

        content = _content(chart)
        if (known := self._drawn.get(content)) is not None:
            files = {form: path.with_name(f"{stem}.{form}") for form, path in known.items()}
            for form, path in files.items():
                if path != known[form]:
                    write_whole(path, known[form].read_bytes())
            return files
        if isinstance(chart, HeatMap):
            figure = heatmap.draw(chart)
        else:
            figure = network.draw(chart) if isinstance(chart, Network) else plots.draw(chart)
        short = self._quick and wanted_style().width is None
        files = plots.save(figure, self._folder, stem, plots.QUICK_FORMATS if short else plots.FORMATS)
        self._drawn[content] = files
        return files


def _is_wide(chart: Picture) -> bool:
    """Whether half the width of a page is too little for a picture."""
    if isinstance(chart, HeatMap):
        return len(chart.columns) > _HALF
    return isinstance(chart, Network) or len(chart.panels) > 1 or chart.kind == "dots"


def _embedded(file: Path) -> str:
    """An SVG as a data URI."""
    return f"data:image/svg+xml;base64,{base64.b64encode(file.read_bytes()).decode('ascii')}"


def _content(chart: Picture) -> str:
    """All that a picture shows: neither its name nor its caption."""
    if isinstance(chart, Network):
        return repr(replace(chart, name="", title="", carried="", further=False))
    return repr(replace(chart, name="", caption=""))


def pretty(document: Mapping[str, Any]) -> str:
    """A scenario as indented JSON with short lists on one line."""
    return wording.compact_json(json.loads(json.dumps(document)))


def write_page(path: Path, template: str, context: Mapping[str, Any]) -> Path:
    """Write a page from a template of this room; return its path.

    Raises:
        StoreError: it cannot be written.
        RunFailed: the disk is full.
    """
    text = rendered(template, context)
    if context.get("again"):
        from hopscope.reporting.interactive import with_policy

        text = with_policy(text)
    return _put(path, text)


def write_large_page(path: Path, template: str, context: Mapping[str, Any], images: Sequence[Image]) -> Path:
    """Write a page of which no more than `LARGEST` bytes are wanted; return its path.

    Its figures are put into it in their order while there is room. The template says that the others, `outside`, are
    files next to it.

    Raises:
        StoreError: it cannot be written.
        RunFailed: the disk is full.
    """
    from markupsafe import escape

    room = LARGEST - len(rendered(template, {**context, "outside": len(images)}).encode())
    inside: dict[str, str] = {}
    for source in dict.fromkeys(image.source for image in images):
        inside[source] = _embedded(path.parent / source)
        room -= len(inside[source])
        if room < 0:
            del inside[source]
            break
    text = rendered(template, {**context, "outside": len({image.source for image in images}) - len(inside)})
    for source, data in inside.items():
        text = text.replace(f'src="{escape(source)}"', f'src="{data}"', 1)
    return _put(path, text)


def rendered(template: str, context: Mapping[str, Any]) -> str:
    """The text of a template of this room."""
    need("jinja2")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from hopscope import _core

    environment = Environment(
        loader=PackageLoader("hopscope.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_readable,
    )
    return environment.get_template(template).render(version=_core.version(), **context)


def _readable(value: Any) -> Any:
    """A value as a page shows it: text without characters that control a terminal or turn the direction of writing."""
    return printable(value) if type(value) is str else value


def _put(path: Path, text: str) -> Path:
    try:
        make_folder(path.parent)
        write_whole(path, text.encode(errors="backslashreplace"))  # names of files may be no UTF-8
    except OSError as error:
        raise not_written(f"{path}: cannot write the report (--out puts it elsewhere)", error, StoreError) from error
    return path
