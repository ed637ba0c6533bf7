"""Writes the generated pages: reference (from the engine's and the package's own tables) and validation (from runs).

Every number and name on these pages comes from the installed package, so they cannot drift from it. Runs are kept in
docs/_build/runs and are done again only when the engine changes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import hopscope as hs
from hopscope import _core, studies
from hopscope.cli.main import VERBS
from hopscope.errors import ranges
from hopscope.models.registry import MODELS
from hopscope.reference.keys import as_written, engine_keys, meaning
from hopscope.reference.words import words
from hopscope.reporting.air import air_chart
from hopscope.reporting.plots import save
from hopscope.reporting.sequence import read_exchange, sequence_chart
from hopscope.reporting.tables import table_of
from hopscope.results import metrics
from hopscope.results.comparisons import best
from hopscope.results.explain import GROUPS
from hopscope.scenario import keys
from hopscope.scenario.fields import Field

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference" / "generated"
VALIDATION = DOCS / "validation" / "generated"
RUNS = DOCS / "_build" / "runs"
CRATES = ROOT / "crates"
#: Where the walk-throughs of a transport stand.
TRANSPORTS = {"tcp": CRATES / "hopscope-tcp" / "src", "dccp": CRATES / "hopscope-transport" / "src" / "dccp"}
CAUSES = CRATES / "hopscope-engine" / "src" / "ledger" / "cause.rs"
#: Where the records are declared, a file a layer.
FACTS = CRATES / "hopscope-engine" / "src" / "record" / "facts"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; bars inside cells are escaped."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# --- Reference --------------------------------------------------------------------------------------------------------


#: Headings of the sections of the engine.
TITLES = {
    "radio": "Radio and channel", "mac": "802.11 DCF and queue", "link": "Link layers", "net": "Network layer",
    "routing": "Routing", "tcp": "TCP",
}  # fmt: skip


def engine_sections() -> str:
    """The keys of the engine's sections with their defaults in the profiles."""
    parts = []
    standard, *others = _core.profiles()
    head = ["key", "meaning", "unit", standard, *(f"{profile}, where it differs" for profile in others), "source"]
    own = [(f"routing.{protocol}", protocol.upper()) for protocol in keys.routing_protocols()]
    sections = [(section, TITLES.get(section, "")) for section in keys.ENGINE_SECTIONS]
    for section, title in [*sections[:-1], *own, sections[-1]]:
        rows = []
        for key in engine_keys(section):
            usual, *values = key.defaults.values()
            differing = ["" if value == usual else f"`{value}`" for value in values]
            name, field = key.name.removeprefix(f"{section}."), key.field
            first = f"`{usual}`" if usual else ""
            rows.append([f"`{name}`", meaning(field), field.unit, first, *differing, field.source])
        parts += [f"## `[{section}]` {title}\n", table(head, rows)]
    return "\n".join(parts)


def fields_table(fields: Iterable[Field]) -> str:
    """Keys of a section of the scenario file that is not the engine's."""
    rows = []
    for field in fields:
        default = "required" if field.required else ""
        if not field.required and field.default not in (None, "", []):
            default = f"`{as_written(field.default, field.kind, field.unit)}`"
        rows.append([f"`{field.name}`", meaning(field), field.unit, default, field.source])
    return table(["key", "meaning", "unit", "default", "source"], rows)


def scenario_page() -> str:
    parts = ["## Top level\n", fields_table(keys.top())]
    for kind, (text, fields) in keys.TOPOLOGIES.items():
        parts += [f'## `[topology]` kind = "{kind}"\n', text.capitalize() + ".\n", fields_table(fields)]
    for name in keys.NUMBERED:
        parts += [f"## `[[{name}]]`\n", fields_table(keys.table(name))]
    parts += ["## `[series]`\n", fields_table(keys.series())]
    parts.append(engine_sections())
    return "\n".join(parts)


def metrics_page(scope: str) -> str:
    """What a flow, a node, the network or a group of flows is measured by; labels of rows are left out."""
    ends = {"counts": ".<kind>"}
    rows = [
        [f"`{metric.name}{ends.get(metric.kind, '')}`", metric.doc, metric.unit]
        for metric in metrics.metrics(scope)
        if metric.kind != "label"
    ]
    return table(["metric", "meaning", "unit"], rows)


def series_page() -> str:
    """The time series that a run can keep."""
    reported = {
        "changes": "holds from `t_s` until the next, the last until the end of the run",
        "readings": "was read at `t_s`",
        "intervals": "belongs to the interval that ends at `t_s`",
        "samples": "was measured at `t_s`",
    }
    rows = [[f"`{one.name}`", one.owner or "network", one.doc, reported[one.course]] for one in metrics.all_series()]
    return table(["series", "of each", "meaning", "a value"], rows)


def words_page() -> str:
    parts = []
    for section, entries in words().items():
        if section != "catalogue":
            parts_of = section.split("-")
            title = " ".join(w.upper() if w in keys.routing_protocols() else w for w in parts_of)
            parts += [
                f"## {title[0].upper()}{title[1:]}\n",
                table(["word", "meaning"], [[f"`{w}`", t] for w, t in entries.items()]),
            ]
    return "\n".join(parts)


def controls_page() -> str:
    """The congestion controls of TCP, each with the transport that stands for it."""
    rows = [[f"`{word}`", f"`tcp-{word}`", text] for word, text in _core.controls()]
    return table(["`control`", "`transport`", "meaning, source, usual recovery"], rows)


def cli_page() -> str:
    """The help text of every verb, as the terminal shows it."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}
    parts = []
    for verb in ["", *VERBS]:
        words = [Path(sys.executable).with_name("hopscope"), *([verb] if verb else []), "--help"]
        text = subprocess.run(words, capture_output=True, text=True, env=environment, check=True).stdout
        parts.append(f"## `hopscope{' ' + verb if verb else ''}`\n\n```text\n{text.strip()}\n```\n")
    return "\n".join(parts)


def catalogue_page() -> str:
    parts = []
    for entry in studies.entries():
        parts.append(f"## `{entry.key}`: {entry.title}\n\n{entry.source}; {entry.item}.\n\n{entry.description}\n")
        parts += [f"- **{statement.id}** {statement.text}" for statement in entry.statements]
        if entry.notes:
            parts.append("\nChoices and ambiguities:\n")
            parts += [f"- {note}" for note in entry.notes]
        parts.append("")
    return "\n".join(parts)


class Record(NamedTuple):
    """One record.

    Attributes:
        layer: the layer that reports it.
        name: as in the source.
        meaning: what it says.
        fields: name, type and meaning of each field.
        kind: the class of records that it belongs to.
    """

    layer: str
    name: str
    meaning: str
    fields: list[tuple[str, str, str]]
    kind: str


def records() -> list[Record]:
    """Every record in the order of the source."""
    layers = re.findall(r"(\w+)_records\b", (FACTS / "mod.rs").read_text(encoding="utf-8"))
    return [record for layer in layers for record in declared((FACTS / f"{layer}.rs").read_text(encoding="utf-8"))]


def declared(source: str) -> list[Record]:
    """The records that a layer declares."""
    head = re.match(r"//! Records of (.+)\.\n", source)
    assert head, "a file of records begins with its layer"
    found: list[Record] = []
    words: list[str] = []
    for line in (line.strip() for line in source.splitlines()):
        if line.startswith("///"):
            words.append(line[3:].strip())
        elif record := re.match(r"([A-Z]\w*) in ([A-Z_]+)\b", line):
            found.append(Record(head[1], record[1], " ".join(words), [], record[2]))
            words = []
        elif field := re.match(r"(\w+): (.+?)(?: as \w+(?:\(\w+\))?)?,$", line):
            found[-1].fields.append((field[1], field[2], " ".join(words)))
            words = []
    return found


def records_page() -> str:
    """Every record that the engine reports, by layer."""
    parts: dict[str, list[list[str]]] = {}
    for record in records():
        fields = [f"`{name}` ({kind}): {meaning}" for name, kind, meaning in record.fields]
        row = [f"`{record.name}`", f"`{record.kind}`", record.meaning, " ".join(fields)]
        parts.setdefault(record.layer, []).append(row)
    head = ["record", "class", "it says", "fields"]
    return "\n".join(f"## {layer[:1].upper()}{layer[1:]}\n\n{table(head, rows)}" for layer, rows in parts.items())


def enums(source: Path) -> dict[str, list[tuple[str, str]]]:
    """The closed sets of a file, with the word and the meaning of each member."""
    found: dict[str, list[tuple[str, str]]] = {}
    reported: list[str] = []
    name = ""
    for line in (line.strip() for line in source.read_text(encoding="utf-8").splitlines()):
        if opened := re.match(r"pub enum (\w+) \{", line):
            name, reported = opened[1], []
        elif line.startswith("///"):
            reported.append(line[3:].strip())
        elif member := re.match(r'\w+ = "([\w-]+)",', line):
            found.setdefault(name, []).append((member[1], " ".join(reported)))
            reported = []
    return found


def causes_page() -> str:
    """What the airtime ledger accounts to, and what tables and figures show together."""
    shown_as = {cause: group for group, causes in GROUPS.items() for cause in causes}
    sets = enums(CAUSES)
    headings = {
        "Cause": "Causes of a node", "LinkCause": "Causes of a link", "Failure": "Why attempts fail",
        "DelayPart": "Parts of the delay of a packet",
    }  # fmt: skip
    parts = []
    for name, heading in headings.items():
        rows = [
            [f"`{word}`", re.sub(r"See \[`Failure::\w+`\]", "Attempts that failed so", doc)] for word, doc in sets[name]
        ]
        head = ["word", "meaning"]
        if name == "Cause":
            head, rows = (
                [*head, "shown as"],
                [[*row, shown_as[word]] for row, (word, _) in zip(rows, sets[name], strict=True)],
            )
        parts.append(f"## {heading}\n\n{table(head, rows)}")
    return "\n".join(parts)


def models_page() -> str:
    """Every model with its source, parameters and outputs."""
    parts = []
    for model in MODELS.values():
        parts.append(f"## `{model.name}`\n\n{model.title[:1].upper()}{model.title[1:]}. Source: {model.source}.\n")
        if model.remark:
            parts.append(f"{model.remark}\n")
        rows = []
        for field in model.parameters:
            choices = " One of " + ", ".join(f"`{word}`" for word in field.choices) + "." if field.choices else ""
            default = "required" if field.required else f"`{field.default}`" if field.default is not None else ""
            rows.append([f"`{field.name}`", field.doc + choices, field.unit, default])
        parts.append(table(["parameter", "meaning", "unit", "default"], rows))
        rows = [[f"`{output.name}`", output.doc, output.unit] for output in model.outputs]
        parts.append(table(["output", "meaning", "unit"], rows))
    return "\n".join(parts)


def json_page() -> str:
    """A real result of a very small run."""
    scenario = hs.Scenario(
        title="one hop",
        duration="2s",
        topology={"kind": "chain", "hops": 1},
        flow=[{"from": 0, "to": 1, "app": "cbr", "rate": "100kbps", "transport": "udp"}],
    )
    document = hs.run(scenario).to_json()
    document["scenario"] = {"title": "one hop", "...": "every key with its value in base units"}
    text = json.dumps(document, indent=1)
    return f"```json\n{text}\n```\n"


# --- Validation -------------------------------------------------------------------------------------------------------


def optimize_table() -> str:
    """Best windows of fu2003.fig2-left: the full sweep, and what the search finds with which share of its time."""
    window, packet, metric = "flow.0.max_window", "flow.0.packet", "flow.0.throughput_kbps"
    rows = []
    [entry] = studies.find(["fu2003.fig2-left"])
    profiles = {"ns-2's radio": "ns2", "standard": "standard"}
    for study in (setting for setting in entry.settings if setting.label in profiles):
        profile = profiles[study.label]
        scenario = hs.Scenario(study.document())
        full = table_of(hs.run(scenario, out=RUNS / f"optimize-{profile}-full"))
        found = hs.optimize(scenario, f"{window}=1..32", metric=metric, out=RUNS / f"optimize-{profile}")
        for case in found.cases:
            peak = best(full, window, metric, case.set)
            top = case.best[window]
            verdict = "the same" if top == peak.at else "indistinguishable" if top in peak.ties else "another"
            others = [value for value in peak.ties if value != peak.at]
            size = f"{case.set[packet]} B"
            among = ranges(others) or "none"
            rows.append([f"`{profile}`", size, str(peak.at), among, str(top), verdict, f"{100 * case.share:.1f} %"])
    head = ["profile", "packet", "best of the sweep", "indistinguishable from it", "found", "it is", "share of time"]
    return table(head, rows)


def reproduced(key: str) -> list[dict[str, Any]]:
    """The entries that a key means, run and judged by the command."""
    command = [sys.executable, "-m", "hopscope", "reproduce", key, "--json", "--no-progress"]
    done = subprocess.run([*command, "--out", RUNS / key], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"hopscope reproduce {key}: status {done.returncode}\n{done.stderr}")
    entries: list[dict[str, Any]] = json.loads(done.stdout)["entries"]
    return entries


def counts(entries: Iterable[dict[str, Any]]) -> str:
    """How many statements have which outcome."""
    outcomes = [s["outcome"] for entry in entries for s in entry["statements"] if s["kind"] == "claim"]
    words = (f"{outcomes.count(word)} {word}" for word in studies.Outcome if word in outcomes)
    return f"{len(outcomes)} statements: {', '.join(words)}.\n\n"


def findings(statement: dict[str, Any], *, contrast: bool) -> Iterable[tuple[dict[str, Any], str]]:
    """The findings of a statement with what was measured."""
    for finding in statement["findings"]:
        if contrast or finding["decides"]:
            reason = f" ({finding['reason']})" if finding["reason"] else ""
            yield finding, finding["measured"] + reason


def setting(statement: dict[str, Any], finding: dict[str, Any]) -> str:
    """The setting of a finding, where a statement has several."""
    return f"{finding['setting']}: " if len({f["setting"] for f in statement["findings"]}) > 1 else ""


def named(quantity: dict[str, Any]) -> str:
    """A quantity with its unit."""
    return f"{quantity['label']} ({quantity['unit']})"


def figures_page(name: str, store: str, pattern: str) -> None:
    """The figures of a store but for those of its networks."""
    drawn = [f for f in sorted((RUNS / store / "figures").glob(pattern)) if "-network-" not in f.name]
    for figure in drawn:
        shutil.copy(figure, VALIDATION / figure.name)
    write(VALIDATION / f"{name}-figures.md", "\n\n".join(f"![{f.stem}](generated/{f.name})" for f in drawn) + "\n")


def validation_pages() -> None:
    """Every statement of the validation entries with what was measured."""
    entries = reproduced("validation")
    kernel_pages({entry["key"]: entry for entry in entries})
    for entry in entries:
        rows = [
            [statement["text"], setting(statement, finding) + measured, finding["outcome"]]
            for statement in entry["statements"]
            for finding, measured in findings(statement, contrast=True)
        ]
        name = entry["key"].partition(".")[2]
        write(VALIDATION / f"{name}.md", counts([entry]) + table(["statement", "measured", "outcome"], rows))
        figures_page(name, "validation", f"{entry['key']}-*.svg")
        values = [
            [named(q), *(f"{value:.4g}" for value in (v["mean"], q["published"])), f"{v['mean'] / q['published']:.2f}"]
            for q in entry["quantities"]
            for v in q["measured"].values()
            if q["source"] == "model"
        ]
        write(VALIDATION / f"{name}-values.md", table(["value", "measured", "formula", "measured / formula"], values))


def kernel_pages(entries: Mapping[str, dict[str, Any]]) -> None:
    """Flows of Linux kernels next to the engine's, and next to the tables of anastasi2006."""
    import stacks

    write(VALIDATION / "kernel-cells.md", table(*stacks.comparison(entries["validation.kernel"])))
    for name, grid in stacks.testbed(entries["validation.kernel-testbed"]).items():
        write(VALIDATION / f"anastasi2006-kernel-{name}.md", table(*grid))


def paper_pages(paper: str) -> None:
    """The statements of a paper as judged, and its tables with measured and published numbers."""
    entries = reproduced(paper)
    readings_pages(paper, entries)
    figures_page(paper, paper, "*.svg")
    rows = [
        [f"`{entry['key'].partition('.')[2]}` {s['id']}", s["text"], s["outcome"], s["cause"]]
        for entry in entries
        for s in entry["statements"]
    ]
    head = ["entry", "statement", "verdict", "cause"]
    write(VALIDATION / f"{paper}-statements.md", counts(entries) + table(head, rows))
    cells = []
    for entry in entries:
        for quantity in entry["quantities"]:
            if not entry["key"].startswith(f"{paper}.table"):
                continue
            name = named(quantity)
            low, high = quantity["published_min"], quantity["published_max"]
            said = "" if quantity["published"] is None else f"{quantity['published']:g}"
            said += "" if low is None else f" ({low:g} to {high:g})"
            for label, v in quantity["measured"].items():
                cell = quantity["cells"].get(label)
                words = f"{cell['outcome']}: {cell['words']}" if cell else ""
                span = f"{v['mean']:.4g} ({v['min']:.4g} to {v['max']:.4g})"
                cells.append([name, label, span, said, words, quantity["source"]])
                name = said = ""
    head = ["cell", "setting", "measured", "published", "it is", "in"]
    write(VALIDATION / f"{paper}-tables.md", table(head, cells))


def numbers_page(paper: str) -> None:
    """Every published number of a paper against what the readings of what it does not publish give."""
    rows = []
    for entry in reproduced(paper):
        for quantity in entry["quantities"]:
            values = {label: v for label, v in quantity["measured"].items() if not label.startswith("fixed routes")}
            if quantity["published"] is None or not values:
                continue
            means = [v["mean"] for v in values.values()]
            met = [label for label in values if quantity["cells"].get(label, {}).get("outcome") == "reproduced"]
            said = f"{len(met)} of {len(values)}" if any(label in quantity["cells"] for label in values) else ""
            name = f"{quantity['label']} ({quantity['unit']})" if quantity["unit"] else quantity["label"]
            span = f"{min(means):.4g} to {max(means):.4g}"
            key = entry["key"].partition(".")[2]
            rows.append([f"`{key}`", name, f"{quantity['published']:g}", span, said, quantity["source"]])
    head = ["entry", "number", "published", "means of the readings", "readings that meet it", "in"]
    write(VALIDATION / f"{paper}-numbers.md", table(head, rows))


def walk_charts(transport: str, page: str) -> None:
    """The walk-throughs of a transport as sequence charts, of the exchanges that the engine's tests compare with."""
    images = []
    for walk in sorted((TRANSPORTS[transport] / "tests" / "walks").glob("*.txt")):
        exchange = read_exchange(walk.read_text(encoding="utf-8"))
        stem = f"walk-{transport}-{walk.stem}"
        save(sequence_chart(exchange, ("sender", "receiver"), 10), REFERENCE, stem, ["svg"])
        images.append(f"![{exchange.title}](../reference/generated/{stem}.svg)\n")
    write(REFERENCE / f"{page}.md", "\n".join(images))


def history_page() -> None:
    """The figures that `make bench` has kept of commits."""
    import benchmarks

    measured = benchmarks.lines()
    save(benchmarks.chart(measured), REFERENCE, "history", ["svg"])
    picture = "![Figures of the commits that were measured](reference/generated/history.svg)\n"
    write(REFERENCE / "history.md", f"{picture}\n{table(*benchmarks.rows(measured))}")


def air_page() -> None:
    """Frames on the air where data and ACKs of one flow collide, of the run that a test of the engine compares with."""
    frames = (CRATES / "hopscope-engine" / "tests" / "it" / "air.txt").read_text(encoding="utf-8")
    stem = "armaghani2008-air"
    save(air_chart(frames), VALIDATION, stem, ["svg"])
    write(VALIDATION / f"{stem}.md", f"![Data and ACKs of one flow on the air](generated/{stem}.svg)\n")


def thinning_page() -> None:
    """All schemes of armaghani2008 compared with delayed ACKs, its best windows, parts and causes."""
    from thinning import FIGURES, STUDY, thinning

    for name, (head, rows) in thinning(RUNS, VALIDATION).items():
        write(VALIDATION / f"armaghani2008-{name}.md", table(head, rows))
    for name, what in FIGURES.items():
        stem = f"{STUDY}-{name}"
        write(VALIDATION / f"{stem}-figure.md", f"![{what}](generated/{stem}.svg)\n")


def coverage_page() -> str:
    """What of the five studies is shown where, with which verdict."""
    import coverage

    return "\n".join(f"## {study}\n\n{table(head, rows)}" for study, head, rows in coverage.grids())


def fairness_page() -> None:
    """The goals of zhang2006 in figures, and how far each reading of its control moves them."""
    from fairness import STUDY, fairness

    for name, (head, rows) in fairness(RUNS).items():
        write(VALIDATION / f"{STUDY}-{name}.md", table(head, rows))


def readings_pages(paper: str, entries: Sequence[dict[str, Any]]) -> None:
    """The first table of a paper's page, and what a recorded search for its readings found."""
    import readings

    search = readings.searched(paper)
    if rows := readings.headlines(paper, entries, search):
        write(VALIDATION / f"{paper}-headlines.md", table(*rows))
    for name, part in readings.pages(paper, search, VALIDATION).items() if search else ():
        write(VALIDATION / f"{paper}-{name}.md", part if isinstance(part, str) else table(*part))


def undecodable_page() -> None:
    """The 7-hop chain with each treatment of undecodable frames, in both profiles."""
    from undecodable import undecodable

    write(VALIDATION / "undecodable.md", table(*undecodable(RUNS)))


def probes_page() -> None:
    """Errors of every method of bandwidth estimation over six paths."""
    import probes

    write(VALIDATION / "probes.md", probes.table(probes.probed()))


def main() -> None:
    pages = {
        "scenario": scenario_page,
        "words": words_page,
        "controls": controls_page,
        "cli": cli_page,
        "catalogue": catalogue_page,
        "json": json_page,
        "models": models_page,
        "records": records_page,
        "series": series_page,
        "causes": causes_page,
    }
    for name, page in pages.items():
        write(REFERENCE / f"{name}.md", page())
    for scope in ("flow", "node", "wire", "network", "group"):
        write(REFERENCE / f"metrics-{scope}.md", metrics_page(scope))
    write(REFERENCE / "coverage.md", coverage_page())
    undecodable_page()
    write(VALIDATION / "optimize.md", optimize_table())
    probes_page()
    write(VALIDATION / "peers.md", (ROOT / "bench" / "peers" / "results.md").read_text(encoding="utf-8"))
    walk_charts("dccp", "walks")
    walk_charts("tcp", "walks-tcp")
    validation_pages()
    papers = ("anastasi2006", "zhang2006", "armaghani2008", "afrakhteh2005", "fu2003", "broch1998")
    for paper in (*papers, "multihop-ht", "mesh-routing"):
        paper_pages(paper)
    fairness_page()
    thinning_page()
    air_page()
    history_page()
    numbers_page("afrakhteh2005")


if __name__ == "__main__":
    main()
