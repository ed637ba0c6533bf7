"""What `hopscope optimize` found, as words, tables and a figure for each case; the steps of the search are one table.

Everything is read from the outcome that the search keeps in its store, which is also what `--json` prints.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.errors import counted, ranges
from hopscope.io.files import read_whole
from hopscope.reporting.axis import axis_of, headings
from hopscope.reporting.chart import Chart, Line, Mark, Panel
from hopscope.reporting.wording import Column, Grid
from hopscope.results import metrics
from hopscope.results.stats import interval_text, number, relative, rounded
from hopscope.scenario.naming import in_words, spoken
from hopscope.scenario.sweep import set_text, written

if TYPE_CHECKING:
    from hopscope.campaign.store import Store
    from hopscope.results import Result

Case = Mapping[str, Any]

#: File of a store that holds the outcome of a search, as ``--json`` prints it.
OUTCOME = "optimization.json"

#: Larger outcomes are not read.
MAX_BYTES = 500_000_000

#: Verdicts of the outcome, in words.
VERDICTS = {
    "best": "best",
    "top": "best mean",
    "indistinguishable": "indistinguishable from the best mean",
    "near": "within the margin of the best mean",
    "worse": "worse",
    "undecided": "left out, undecided",
    "dropped": "worse in shorter runs*",
}

# A legend with more lines than this cannot be read.
_LINES = 8


def outcome_of(store: Store) -> dict[str, Any] | None:
    """The outcome of the search that filled a store; None for any other store, or one that has been used since."""
    try:
        outcome: dict[str, Any] = json.loads(read_whole(store.path / OUTCOME, MAX_BYTES))
        scenario = outcome["scenario"]
        title = f"optimize {', '.join(outcome['over'])}: {scenario['title'] or scenario['topology']['kind']}"
        steps = sum(len(_groups(case, rung)) for case in outcome["cases"] for rung in case["rungs"])
        # The scenario itself, whose policies are compared with the best value.
        steps += any("own" in case for case in outcome["cases"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return outcome if (title, steps) == (store.title, len(store.manifest["scenarios"])) else None


def title(outcome: Mapping[str, Any]) -> str:
    """The title of a page: what was looked for, and where."""
    scenario = outcome["scenario"]
    return f"Best {', '.join(map(in_words, outcome['over']))}: {scenario['title'] or scenario['topology']['kind']}"


def by_case(outcome: Mapping[str, Any], results: Sequence[Result]) -> Iterator[tuple[Case, list[Result]]]:
    """Yields each case with the results of its last step: the full runs of those that were left."""
    rest = iter(results)
    for case in outcome["cases"]:
        for rung in case["rungs"]:
            last = [next(rest) for _ in _groups(case, rung)]
        yield case, last


def place(case: Case) -> str:
    """The swept keys that make the case, in words; empty for the only one."""
    return ", ".join(f"{key} = {plain(value)}" for key, value in case["set"].items())


def best(case: Case) -> str:
    """The best value in words."""
    return ", ".join(f"{key} = {plain(value)}" for key, value in case["best"].items())


def sentences(case: Case) -> list[str]:
    """The mean of the answer, its price against the best mean, and how sure the search is of it."""
    best = next(value for value in case["values"] if value["verdict"] == "best")
    lines = [f"mean {interval_text(best)} over {counted(best['n'], 'seed')} of {best['duration_s']:g} s{_delay(best)}"]
    lines += _price(best, next((value for value in case["values"] if value["verdict"] == "top"), None))
    if case.get("open_below"):
        below = _listed([list(value.values()) for value in case["open_below"]])
        lines.append(f"smaller values that may be as good had no full runs, as the budget was spent: {below}")
    lines += [_own(rival) for rival in case.get("own", ())]
    if len(_having(case, "best", "top", "indistinguishable", "near", "worse")) > 1:
        alike = _listed(_having(case, "indistinguishable"))
        lines.append(f"indistinguishable from the best mean in full runs (95 %, seed by seed): {alike}")
    if _having(case, "dropped", "undecided"):
        lines.append(
            f"left out by rank in shorter runs, not significantly worse there: {_listed(_having(case, 'undecided'))}"
        )
    if case["possible_gain"] is not None:
        gain = case["possible_gain"]
        more = f" by more than {gain:.4g}" if gain > 0 else ""
        lines.append(f"no other value run in full is better than the best mean{more} (95 %, all of them together)")
    if not case["neighbours_run"]:
        lines.append("its neighbours had no full runs: the budget was spent")
    lines.append(
        f"{case['runs']} runs, {case['simulated_s']:g} s simulated: "
        f"{100 * case['share']:.1f} % of the full sweep's {case['full_sweep_s']:g} s"
    )
    return lines


def _delay(value: Mapping[str, Any]) -> str:
    """The delay that goes with a value, where it is known."""
    return "" if value.get("delay_ms") is None else f", delay {number(value['delay_ms'])} ms"


def _price(best: Mapping[str, Any], top: Mapping[str, Any] | None) -> list[str]:
    """What the best mean has more than the answer, and what that costs in delay."""
    if top is None:
        return []
    more = f" ({relative(100 * (top['mean'] / best['mean'] - 1))})" if best["mean"] else ""
    longer, delay = top.get("delay_ms"), best.get("delay_ms")
    times = f", {longer / delay:.3g} times as long" if longer and delay else ""
    return [f"the best mean is {interval_text(top)}{more} at {spoken(top['set'])}{_delay(top)}{times}"]


def _own(rival: Mapping[str, Any]) -> str:
    """An ACK policy of the scenario compared with the best fixed number, its oracle."""
    line = f"own policy, {rival['policy']}: {interval_text(rival)}"
    if rival.get("difference") is None or not rival["mean"]:
        return line
    width = rival["difference_ci95"]
    reported = (
        f"best minus own {rounded(rival['difference'], width)} ({relative(100 * rival['difference'] / rival['mean'])})"
    )
    return f"{line}; {reported}" + (", within noise" if width is not None and abs(rival["difference"]) <= width else "")


def values(case: Case) -> Grid:
    """What was seen of every value."""
    keys = list(case["best"])
    names = headings({key: [value["set"][key] for value in case["values"]] for key in keys})
    columns = [
        *(Column(name, number=True, key=key) for key, name in names.items()),
        Column("mean", number=True),
        Column("runs", number=True),
    ]
    rows = [
        [
            *(plain(value["set"][key]) for key in keys),
            interval_text(value),
            str(value["n"]),
            f"{value['duration_s']:g}",
            VERDICTS[value["verdict"]],
        ]
        for value in case["values"]
    ]
    return Grid([*columns, Column("duration (s)", number=True), Column("verdict")], rows, "Values")


def footnote(case: Case) -> str:
    """What the asterisk of a verdict means; empty where none stands."""
    if not (dropped := [value["n"] for value in case["values"] if value["verdict"] == "dropped"]):
        return ""
    return f"* each by itself at 95 %, from as few as {min(dropped)} seeds: of many such verdicts some are wrong"


def winner(case: Case, file: str) -> Grid:
    """The command that runs the best value in full, from the scenario in `file`."""
    words = ["hopscope", "run", file]
    for key, value in {**case["set"], **case["best"]}.items():
        words += ["--set", set_text(key, value)]
    return Grid(
        [Column("best"), Column("command", code=True)], [[best(case), shlex.join(words)]], "The best value again"
    )


def steps(case: Case) -> Grid:
    """The steps of the search."""
    columns = [Column("step"), Column("values", number=True), Column("seeds", number=True)]
    rows = [
        [rung["purpose"], str(len(rung["values"])), str(rung["seeds"]), f"{rung['duration_s']:g}"]
        for rung in case["rungs"]
    ]
    return Grid([*columns, Column("duration (s)", number=True)], rows, "Steps of the search")


def chart(case: Case, metric: str) -> Chart:
    """The metric over the last key that was varied, by the length of the runs and the values of the other keys."""
    *others, along = case["best"]
    found: dict[str, list[dict[str, Any]]] = {}
    for value in sorted(case["values"], key=lambda value: (-value["duration_s"], value["set"][along])):
        if value["mean"] is not None:
            fixed = spoken({key: value["set"][key] for key in others})
            label = ", ".join(filter(None, [f"runs of {value['duration_s']:g} s", fixed]))
            found.setdefault(label, []).append(value)
    lines = [
        Line(label, [v["set"][along] for v in seen], [v["mean"] for v in seen], [v["ci95"] for v in seen], joined=False)
        for label, seen in list(found.items())[:_LINES]
    ]
    name = f"{metric}-over-{along}".replace("_", "-").replace(".", "-").replace("*", "all")
    over = f"{metrics.in_words(metric)} over {in_words(along)}"
    about = f"as last looked at, means with 95 % intervals; best: {spoken(case['best'])}"
    caption = f"{over[:1].upper()}{over[1:]} {about}."
    label = axis_of(along, [value["set"][along] for value in case["values"]]).label
    won = [v for v in case["values"] if v["verdict"] == "best" and v["mean"] is not None]
    marks = [Mark("best", [v["set"][along] for v in won], [v["mean"] for v in won])]
    return Chart(name, caption, label, metrics.label(metric), [Panel("", lines, marks)])


def plain(value: Any) -> str:
    """A value as a user would write it."""
    return f"{value:.6g}" if isinstance(value, float) else written(value)


def _groups(case: Case, rung: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The values of all keys but the last that a step looked at: each is a scenario of its own."""
    *others, _ = case["best"]
    return list(dict.fromkeys(tuple(value[key] for key in others) for value in rung["values"]))


def _having(case: Case, *verdicts: str) -> list[list[Any]]:
    return [list(value["set"].values()) for value in case["values"] if value["verdict"] in verdicts]


def _listed(entries: Sequence[Sequence[Any]]) -> str:
    if entries and len(entries[0]) == 1:
        return ranges([entry[0] for entry in entries])
    return ", ".join(" / ".join(map(plain, entry)) for entry in entries) or "none"
