"""Reproducing and reporting from end to end: the command, its exit status, the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from hopscope import _core
from hopscope.cli.main import build
from hopscope.cli.verdicts import published_grid
from hopscope.errors import HopscopeError
from hopscope.reporting.chart import Chart, Panel
from hopscope.reporting.curves import curve
from hopscope.reporting.wording import scenarios
from hopscope.results.samples import Estimate
from hopscope.studies import registry
from hopscope.studies.entry import Entry, Quantity, Setting, Statement
from hopscope.studies.reproduce import EntryOutcome, Measured
from hopscope.studies.statements import evaluated
from hopscope.studies.verdict import Finding, Outcome
from runfiles import age, names, remove, rewrite, written_since

KEY = "flow.0.packet"
SCENARIO = {
    "title": "tiny",
    "duration": "2s",
    "seeds": 2,
    "topology": {"kind": "chain", "hops": 2, "spacing": "200m"},
    "flow": [{"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 1000}],
    "sweep": {KEY: [500, 1000]},
}


def tiny(key="tiny.entry", limit=1.0):
    """An entry whose statement holds when at least `limit` kbit/s arrive."""

    def found(table):
        return table.find("flow.0.throughput_kbps", {KEY: 1000})

    def enough(table):
        return table.mean("flow.0.throughput_kbps", {KEY: 1000}) >= limit, "words"

    return Entry(
        key=key,
        title="A tiny entry <with markup>",
        source="nobody & co",
        item="Table 0",
        description="Two packet sizes.",
        settings=[Setting("standard", SCENARIO)],
        quantities=[
            Quantity(
                "throughput",
                "kbps",
                lambda table: table.find("flow.0.throughput_kbps", {KEY: 1000}),
                100.0,
                "Table 0",
                spread=2.0,
            )
        ],
        statements=[
            Statement(
                "c1",
                f"At least {limit} kbps arrive.",
                lambda data: [evaluated(enough, table) for table in data],
            ),
            Statement("c2", "Nobody knows.", lambda _data: [Finding(Outcome.UNDECIDED, "", reason="no AODV")]),
        ],
        charts=lambda data: [
            Chart(
                "throughput",
                "Throughput over packet size.",
                "packet (B)",
                "throughput (kbit/s)",
                [Panel("", [curve(one, KEY, "flow.0.throughput_kbps", {}, label=one.label) for one in data])],
            )
        ],
        notes=["A note."],
    )


@pytest.fixture
def catalogue(monkeypatch):
    """Puts entries into the catalogue in place of its own."""

    def put(*found):
        monkeypatch.setattr(registry, "entries", lambda: found)

    return put


def hopscope(*words):
    """Runs the command as a shell would: exit status, standard output, standard error."""
    result = CliRunner().invoke(build(), [str(word) for word in words])
    if isinstance(result.exception, HopscopeError):
        return result.exception.exit_status, result.stdout, f"{result.stderr}{result.exception}"
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def self_contained(page):
    """No link, script, font, image or style from anywhere else."""
    assert not re.search(r"https?:|//[a-z]|<script|<link|@import", page)
    sources = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert all(source.startswith(("data:", "#")) for source in sources)
    return True


def test_reproduce_writes_a_self_contained_report_with_figures(tmp_path, catalogue):
    catalogue(tiny())
    status, out, err = hopscope("reproduce", "tiny.entry", "--out", tmp_path / "store", "--no-progress")
    assert status == 0
    assert "Of 2 statements 1 is reproduced, 1 is undecided." in out
    assert len(out.splitlines()) <= 12
    assert "no AODV." in " ".join(out.split())
    _, whole, _ = hopscope("reproduce", "tiny.entry", "--out", tmp_path / "store", "--no-progress", "--details")
    assert "2 statements: 1 reproduced, 1 undecided" in whole
    assert "Not decided by these runs: no AODV." in " ".join(whole.split())
    assert f"report: {tmp_path / 'store' / 'report.html'}" in err
    page = (tmp_path / "store" / "report.html").read_text()
    assert self_contained(page)
    assert "A tiny entry &lt;with markup&gt;" in page
    assert "100 ± 2" in page
    assert "no AODV" in page
    assert page.count("data:image/svg+xml;base64,") == 1
    assert {path.suffix for path in (tmp_path / "store" / "figures").iterdir()} == {".png", ".svg", ".pdf"}


def test_what_two_entries_show_is_drawn_once(tmp_path, catalogue, monkeypatch):
    from hopscope.reporting import plots

    draw, drawn = plots.draw, []
    monkeypatch.setattr(plots, "draw", lambda chart: drawn.append(chart.caption) or draw(chart))
    first = tiny()

    def charts(**changes):
        return lambda data: [replace(chart, **changes) for chart in first.charts(data)]

    retold = charts(name="retold", caption="Said in other words.")
    relabelled = charts(ylabel="something else")
    catalogue(first, replace(tiny("tiny.other"), charts=retold), replace(tiny("tiny.third"), charts=relabelled))
    status, _, _ = hopscope("reproduce", "tiny", "--quick", "--out", tmp_path / "store", "--no-progress")
    assert status == 0
    assert drawn == ["Throughput over packet size."] * 2
    figures = {path.name: path.read_bytes() for path in (tmp_path / "store" / "figures").iterdir()}
    for form in ("png", "svg"):
        same = figures[f"tiny.entry-throughput.{form}"]
        assert figures[f"tiny.other-retold.{form}"] == same != figures[f"tiny.third-throughput.{form}"]
    page = (tmp_path / "store" / "report.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == 3
    assert "Said in other words." in page


def test_only_a_failed_validation_is_exit_status_1(tmp_path, catalogue):
    catalogue(tiny(limit=1e9), tiny("validation.tiny", limit=1e9))
    status, out, _ = hopscope("reproduce", "tiny", "--out", tmp_path / "store", "--no-progress")
    assert status == 0
    assert "1 is not reproduced" in out
    status, out, _ = hopscope("reproduce", "validation", "--out", tmp_path / "store", "--no-progress")
    assert status == 1


def test_many_statements_are_a_line_each_and_more_a_line_an_entry(tmp_path, catalogue):
    words = ["--out", tmp_path / "store", "--no-progress"]
    catalogue(*(tiny(f"tiny.entry{n}") for n in range(10)))
    _, out, _ = hopscope("reproduce", "tiny", *words)
    assert sum(line.split()[1:2] == ["c1"] for line in out.splitlines()) == 10
    catalogue(*(tiny(f"tiny.entry{n}") for n in range(20)))
    _, out, _ = hopscope("reproduce", "tiny", *words)
    assert sum(line.startswith("tiny.entry") for line in out.splitlines()) == 20
    assert len(out.splitlines()) <= 22
    assert "tiny.entry7 1 of 2 c2 undecided A tiny entry" in " ".join(out.split())
    assert "Of 40 statements 20 are reproduced, 20 are undecided." in " ".join(out.split())


def test_a_page_has_the_figures_that_it_has_room_for_and_says_where_the_others_are(tmp_path, catalogue, monkeypatch):
    from hopscope.reporting import page

    catalogue(tiny("tiny.entry1"), tiny("tiny.entry2"))
    words = ["reproduce", "tiny", "--out", tmp_path / "store", "--no-progress"]
    hopscope(*words)
    whole = (tmp_path / "store" / "report.html").read_text()
    assert "<h3>Contents</h3>" in whole
    assert whole.count('src="data:') == 2
    assert "holds everything" in whole
    assert whole.count("<details>") == 2 * 4  # numbers, statements, notes, scenarios of each entry
    for limit, inside in ((len(whole) - 1000, 1), (1000, 0)):
        monkeypatch.setattr(page, "LARGEST", limit)
        hopscope(*words)
        text = (tmp_path / "store" / "report.html").read_text()
        assert text.count('src="data:') == inside
        assert text.count('src="figures/tiny.entry') == 2 - inside
        assert f"{2 - inside} of the figures are files in the folder figures" in text
        assert "holds everything" not in text
        assert all((tmp_path / "store" / name).is_file() for name in re.findall(r'src="(figures/[^"]*)"', text))


def test_scenarios_after_the_first_are_shown_by_what_differs():
    first = {"duration": "9s", "seeds": 2, "flow": [{"from": 0, "to": 3, "transport": "tcp-newreno", "packet": 1460}]}
    second = {**first, "flow": [{"from": 0, "to": 3, "transport": "tcp-vegas"}], "seeds": 3}
    found = scenarios({"a": first, "b": second, "c": {"duration": "9s"}})
    assert json.loads(found["a"]) == first
    assert found["b"].splitlines() == [
        "As a, and:", "seeds = 3", 'flow.0.transport = "tcp-vegas"', "flow.0.packet is not given",
    ]  # fmt: skip
    assert json.loads(found["c"]) == {"duration": "9s"}


def test_published_numbers_of_one_metric_stand_below_its_name_settings_across():
    numbers = [("throughput, window 2", 9.0), ("throughput, window 3", 8.0), ("loss", 7.0), ("drops, window 2", None)]
    quantities = [Quantity(label, "%", lambda _table: None, stated) for label, stated in numbers]
    settings = [Setting(label, SCENARIO) for label in ("a", "b")]
    mean = Estimate(1.0, 0.5, 0.5, 1.5, 3)
    measured = [
        Measured(one, (("a", mean), ("b", mean))[:count]) for one, count in zip(quantities, (2, 1, 2, 2), strict=True)
    ]
    outcome = EntryOutcome(replace(tiny(), settings=settings), tuple(measured), (), (), {})
    grid = published_grid(outcome)
    assert [column.name for column in grid.columns] == ["number", "a", "b", "published"]
    assert [row[0] for row in grid.rows] == ["throughput (%)", "  window 2", "  window 3", "loss (%)"]
    assert [row[-1] for row in grid.rows] == ["", "9", "8", "7"]
    assert grid.rows[2][2] == ""


def test_json_is_alone_on_standard_output(tmp_path, catalogue):
    catalogue(tiny())
    status, out, _ = hopscope("reproduce", "tiny", "--json", "--out", tmp_path / "store", "--no-progress")
    assert status == 0
    found = json.loads(out)
    [entry] = found["entries"]
    assert {word: count for word, count in found["counts"].items() if count} == {"reproduced": 1, "undecided": 1}
    assert len(found["counts"]) == 8
    assert all(statement["cause"] for statement in found["entries"][0]["statements"])
    assert [s["outcome"] for s in entry["statements"]] == ["reproduced", "undecided"]
    assert entry["quantities"][0]["measured"]["standard"]["n"] == 2
    assert [point["set"] for point in entry["settings"]["standard"]["points"]] == [{KEY: 500}, {KEY: 1000}]
    assert found["report"].endswith("report.html")


def test_quick_and_changes_are_said_everywhere(tmp_path, catalogue):
    catalogue(tiny())
    words = ["--quick", "--set", "mac.queue=5", "--out", tmp_path / "store", "--no-progress"]
    _, out, _ = hopscope("reproduce", "tiny", *words)
    page = (tmp_path / "store" / "report.html").read_text()
    for text in (out, page):
        assert "quick run" in text.lower()
        assert "mac.queue = 5" in text
    assert "hopscope reproduce tiny --quick --set mac.queue=5" in page
    _, out, _ = hopscope("reproduce", "tiny", *words, "--json")
    assert json.loads(out)["quick"] is True
    assert json.loads(out)["changes"] == {"mac.queue": 5}


def test_seeds_are_those_asked_for(tmp_path, catalogue):
    catalogue(tiny())
    _, out, _ = hopscope("reproduce", "tiny", "--seeds", "3", "--json", "--out", tmp_path / "store", "--no-progress")
    [entry] = json.loads(out)["entries"]
    assert entry["quantities"][0]["measured"]["standard"]["n"] == 3


def test_a_second_start_runs_only_what_is_missing(tmp_path, catalogue):
    catalogue(tiny())
    store = tmp_path / "store"
    hopscope("reproduce", "tiny", "--out", store, "--no-progress")
    before = names(store)
    gone = remove(store)
    age(store)
    hopscope("reproduce", "tiny", "--out", store, "--no-progress")
    assert names(store) == before
    assert written_since(store) == {gone}


def test_shards_wait_for_one_another(tmp_path, catalogue):
    catalogue(tiny())
    store = tmp_path / "store"
    status, out, err = hopscope("reproduce", "tiny", "--shard", "1/2", "--out", store, "--no-progress")
    assert (status, out) == (0, "")
    assert "2 runs are still missing" in err
    assert not (store / "report.html").exists()
    _, out, _ = hopscope("reproduce", "tiny", "--shard", "2/2", "--out", store, "--no-progress")
    assert "1 is reproduced" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reproduce", "tinny"], "did you mean 'tiny'"),
        (["reproduce", "tiny", "--set", "mac.queu=5"], "mac.queu"),
        (["reproduce", "tiny", "--shard", "3/2"], "--shard 3/2"),
    ],
)
def test_bad_input_is_exit_status_2_and_writes_nothing(tmp_path, catalogue, words, message):
    catalogue(tiny())
    status, out, err = hopscope(*words, "--out", tmp_path / "store")
    assert (status, out) == (2, "")
    assert message in err
    assert not (tmp_path / "store").exists()


def test_a_failed_run_makes_the_result_partial(tmp_path, catalogue, monkeypatch):
    from hopscope.studies.reproduce import reproduce

    catalogue(tiny())
    outcome = reproduce(["tiny"])
    assert outcome.exit_status == 0
    assert replace(outcome, failures=("a run failed",)).exit_status == 3


def test_report_of_a_reproduction_is_judged_again(tmp_path, catalogue):
    catalogue(tiny())
    store = tmp_path / "store"
    hopscope("reproduce", "tiny", "--out", store, "--no-progress")
    first = (store / "report.html").read_text()
    (store / "report.html").unlink()
    status, out, _ = hopscope("report", store)
    assert (status, out.strip()) == (0, str(store / "report.html"))
    assert (store / "report.html").read_text() == first


def test_report_of_a_run(tmp_path, chain):
    store = tmp_path / "store"
    hopscope("run", chain, "--out", store, "--no-progress")
    status, _, _ = hopscope("report", store)
    page = (store / "report.html").read_text()
    assert status == 0
    assert self_contained(page)
    assert "short chain" in page
    assert "seeds 1 to 2" in page
    assert page.count('<th title="flow.0.packet">packet size (bytes)</th>') == 3
    assert f"engine build {_core.build_id()}" in page
    # The command that the page names repeats a point.
    command = re.search(r"<code>hopscope (run [^<]*--set flow\.0\.packet=500)</code>", page)
    assert command is not None
    again = tmp_path / "again"
    status, out, _ = hopscope(*command.group(1).split(), "--out", again, "--json", "--no-progress")
    assert status == 0
    [point] = json.loads(out)["points"]
    assert point["runs"][0]["flows"][0]["received_packets"] > 0


def test_one_seed_is_not_called_a_mean_with_an_interval(tmp_path, chain):
    for seeds, said in ((1, False), (2, True)):
        hopscope("run", chain, "--seeds", seeds, "--out", tmp_path / str(seeds), "--no-progress")
        hopscope("report", tmp_path / str(seeds))
        page = (tmp_path / str(seeds) / "report.html").read_text()
        assert ("means with 95 % intervals" in page, "Intervals are 95 %" in page) == (said, said)
        assert ("one seed, which has no interval" in page) is not said


def test_the_commands_of_a_quick_run_repeat_it_and_do_not_cut_it_again(tmp_path, chain):
    hopscope("run", chain, "--quick", "--set", "duration=200s", "--out", tmp_path / "store", "--no-progress")
    hopscope("report", tmp_path / "store")
    page = (tmp_path / "store" / "report.html").read_text()
    words = re.search(r"<code>hopscope (run [^<]*--set flow\.0\.packet=500)</code>", page).group(1).split()
    before = names(tmp_path / "store")
    status, _, _ = hopscope(*words, "--out", tmp_path / "store", "--no-progress")
    assert (status, names(tmp_path / "store")) == (0, before)


def test_report_shows_time_series_that_were_kept(tmp_path):
    file = tmp_path / "tcp.toml"
    file.write_text(
        'title = "window"\nduration = "3s"\n[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\n'
        '[series]\nkeep = ["cwnd", "queue", "route"]\ninterval = "0.1s"\n'
    )
    hopscope("run", file, "--out", tmp_path / "store", "--no-progress")
    hopscope("report", tmp_path / "store")
    names = {path.name for path in (tmp_path / "store" / "figures").iterdir()}
    assert {"cwnd-over-time.svg", "queue-over-time.svg", "route-over-time.svg", "throughput-kbps-by-flow.svg"} <= names


def test_report_names_damaged_runs(tmp_path, chain):
    store = tmp_path / "store"
    hopscope("run", chain, "--out", store, "--no-progress")
    victim = rewrite(store, lambda line: line[:500] + b"\n")
    _, _, err = hopscope("report", store)
    assert victim in err
    assert victim in (store / "report.html").read_text()


def test_report_of_no_store_is_refused(tmp_path):
    status, _, err = hopscope("report", tmp_path / "nothing")
    assert status == 2
    assert "no such folder" in err


def test_a_page_that_cannot_be_written_is_refused(tmp_path, chain):
    store = tmp_path / "store"
    hopscope("run", chain, "--out", store, "--no-progress")
    (tmp_path / "file").write_text("in the way")
    status, _, err = hopscope("report", store, "--out", tmp_path / "file")
    assert status == 2
    assert "cannot write" in err


def test_a_published_entry_runs_from_end_to_end(tmp_path, catalogue):
    """A real entry, cut to one packet size and four windows, through the whole command."""
    entry = next(found for found in registry.entries() if found.key == "fu2003.fig2-left")
    study = entry.settings[0]
    small = Setting(
        study.label,
        {**study.scenario, "duration": "20s", "seeds": 2, "sweep": {KEY: [1460], "flow.0.max_window": [1, 2, 3, 32]}},
    )
    catalogue(replace(entry, settings=[small], quantities=[q for q in entry.quantities if "throughput" in q.label]))
    status, out, _ = hopscope("reproduce", "fu2003", "--json", "--out", tmp_path / "store", "--no-progress")
    [found] = json.loads(out)["entries"]
    measured = {q["label"]: q["measured"][study.label]["mean"] for q in found["quantities"]}
    assert status in (0, 1)
    assert len(found["statements"]) == 5
    # ns-2.35 gives 176 and 238 kbit/s over 300 s.
    assert measured["throughput, 1460 B, window 1"] == pytest.approx(176, rel=0.05)
    assert measured["throughput, 1460 B, window 3"] == pytest.approx(238, rel=0.1)
