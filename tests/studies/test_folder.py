"""Study folders: what is refused with its place, how verdicts arise, and that a reader's own folder runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hopscope.cli.main import build
from hopscope.errors import HopscopeError, InputError, ScenarioError
from hopscope.results.samples import Data, Estimate, Table
from hopscope.studies.build import read_study
from hopscope.studies.figures import Figure
from hopscope.studies.registry import studies
from hopscope.studies.verdict import Finding, Outcome, Place, cell, conclude
from hopscope_studies import FOLDER

SHOWCASE = Path(__file__).resolve().parents[2] / "showcases" / "mystudy"
HELD, FAILED, OPEN, TREND = Outcome.REPRODUCED, Outcome.NOT_REPRODUCED, Outcome.UNDECIDED, Outcome.IN_TREND


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(SHOWCASE, tmp_path / "mystudy"))


def hopscope(*words):
    result = CliRunner().invoke(build(), [str(word) for word in words])
    if isinstance(result.exception, HopscopeError):
        return result.exception.exit_status, result.stdout, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


# --- A folder of one's own --------------------------------------------------------------------------------------------


def test_a_folder_of_ones_own_runs_is_recorded_and_checked(folder, tmp_path):
    words = ["reproduce", folder, "--quick", "--no-progress", "--out", tmp_path / "store"]
    status, out, _ = hopscope(*words, "--json", "--record")
    found = json.loads(out)
    verdicts = {s["id"]: (s["outcome"], s["cause"]) for s in found["entries"][0]["statements"]}
    assert status == 0
    assert verdicts["c1"][0] == "reproduced"
    assert verdicts["c2"][0] == "not reproduced"
    assert "share one channel" in verdicts["c2"][1]
    assert all(cause for _, cause in verdicts.values())
    page = (tmp_path / "store" / "report.html").read_text()
    assert "A made-up study that shows what a folder needs." in page
    main = page[page.index("Main claims") : page.index("Measured and published")]
    assert '<span class="mark pass">reproduced</span>' in main
    assert hopscope(*words, "--check")[0] == 0
    file = folder / "verdicts.json"
    file.write_text(file.read_text().replace("not reproduced", "undecided"))
    status, _, err = hopscope(*words, "--check")
    assert status == 1
    assert "changed: mystudy.two-hops.c2: undecided before, not reproduced now" in err


@pytest.mark.parametrize("old", ["mystudy", "two-hops"])
def test_the_names_of_a_study_lead_out_of_no_folder(folder, tmp_path, old):
    """A key with a path in it put figures wherever a stranger's study said."""
    study = folder / "study.toml"
    study.write_text(study.read_text().replace(old, f"{tmp_path}/outside"))
    status, _, err = hopscope("reproduce", folder, "--quick", "--no-progress", "--out", tmp_path / "store")
    assert status == 0, err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mystudy", "store"]
    assert list((tmp_path / "store" / "figures").glob("*.svg"))


#: The second check of the example, and the beginning of one of losses.
CHECK = 'verb = "at_least"\nmetric = "throughput"\nat = { hops = 2 }\nthan = { hops = 1 }\nlimit = 95\n'
LOSS = 'metric = "throughput"\nof = "loss"\nalong = "hops"\nat = { hops = 2 }\n'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("at = { hops = 2 }", "at = { hops = 7 }", "has no point topology.hops = 7; its sweep has 1, 2"),
        ("limit = 95", "limitt = 95", "verb at_least does not know 'limitt'"),
        ('verb = "at_least"', 'verb = "at_leest"', 'did you mean "at_least"?'),
        ('metric = "throughput"\nat', 'metric = "thruput"\nat', "no metric 'thruput'"),
        ('title = "Saturated', 'titel = "Saturated', "an experiment has no such key"),
        ('scenario = "chain"\naxes', 'scenario = "chein"\naxes', "no scenario 'chein'"),
        ('tables = ["figure1"]', 'tables = ["figure2"]', "published.csv has no table 'figure2'"),
        ('tables = ["figure1"]', 'reference = ["figure2"]', "reference.csv has no table 'figure2'"),
        ('path = "flow.0.throughput_kbps"', 'path = "flow.0.throughput_kbps"\nfirst = 2', "with a path that has *"),
    ],
)
def test_a_mistake_in_a_folder_is_named_with_file_line_and_key(folder, old, new, message):
    file = folder / "study.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    line = text[: text.index(old)].count("\n") + 1
    status, _, err = hopscope("reproduce", folder)
    assert status == 2
    assert message in err
    assert str(file) in err
    places = [int(part.split(":")[1]) for part in err.splitlines() if part.startswith(f"{file}:")]
    assert any(abs(place - line) <= 2 for place in places)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (f'{CHECK}of = "most"\n', "mean"),
        ('verb = "higher"\nmetric = "throughput"\nof = "median"\n', "allowed: loss"),
        (f'verb = "higher"\n{LOSS}times = 2\n', "goes with no of"),
        ('verb = "tracks"\nmetric = "throughput"\nto = "throughput"\nalong = "hops"\n', "needs one of share"),
        ('verb = "largest_of"\nmetrics = ["through"]\nvalue = ["throughput"]\n', "no metric 'through'"),
        ('verb = "bottleneck"\nlink = "fast"\nfrom = 0\n', "allowed: a table"),
        ('verb = "airtime"\nbytes = 14\nrate = 1000000\n', "needs settings with radio.preset"),
    ],
)
def test_arguments_that_a_verb_cannot_use_are_refused_at_their_statement(folder, check, message):
    file = folder / "study.toml"
    text = file.read_text()
    assert CHECK in text
    file.write_text(text.replace(CHECK, check))
    begin = text[: text.index('id = "c2"')].count("\n")
    status, _, err = hopscope("reproduce", folder)
    assert status == 2
    assert message in err
    places = [int(part.split(":")[1]) for part in err.splitlines() if part.startswith(f"{file}:")]
    assert any(begin <= place <= begin + 12 for place in places)


def test_the_command_names_every_mistake_with_file_and_line_and_ends_with_2(folder):
    file, numbers = folder / "study.toml", folder / "published.csv"
    lines = file.read_text().splitlines()
    here = lines.index("at = { hops = 2 }")
    there = lines.index("limit = 95")
    lines[here], lines[there] = "at = { hops = 7 }", "limitt = 95"
    file.write_text("\n".join(lines))
    numbers.write_text(numbers.read_text().replace("770,kbit/s", "770,"))
    words = [sys.executable, "-m", "hopscope", "reproduce", str(folder)]
    ended = subprocess.run(words, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    reported = ended.stderr
    assert f"{file}:{here + 1}:" in reported
    assert "has no point topology.hops = 7; its sweep has 1, 2" in reported
    assert f"{file}:{there + 1}:" in reported
    assert "verb at_least does not know 'limitt'" in reported
    assert f"{numbers}:3:1: unit is missing" in reported
    assert "Traceback" not in reported
    numbers.write_text(numbers.read_text().replace(",unit,", ",units,"))
    ended = subprocess.run(words, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f"{numbers}:1:1: column 'unit' is missing" in ended.stderr


def test_a_check_may_count_in_several_ways_look_elsewhere_and_look_up(folder):
    file = folder / "study.toml"
    text = file.read_text()
    text = text.replace(
        "[scenario.chain]",
        """[metric."sent, RTS on"]
path = "flow.0.sent_packets"
[metric."sent, RTS off"]
path = "flow.0.received_packets"
[scenario.chain]""",
    )
    file.write_text(
        text
        + """
[[experiment]]
key = "counted"
title = "Counted"
item = "Figure 1"
[[experiment.setting]]
scenario = "chain"
axes = ["rts"]
sweep = { hops = [1, 2] }
[[experiment.setting]]
scenario = "chain"
label = "bare"
run = false
[[experiment.statement]]
id = "c1"
text = "Both ways of counting are looked up."
in = "RTS*"
verb = "at_least"
metric = "sent, {rts}"
at = { hops = 1 }
limit = 600
[[experiment.statement]]
id = "c2"
text = "Elsewhere."
in = "RTS on"
verb = "higher"
metric = "throughput"
on = "RTS off"
at = { hops = 1 }
than = { hops = 2 }
[[experiment.statement]]
id = "c3"
text = "Retries."
in = "bare"
kind = "default"
verb = "is_set"
key = "mac.short_retry_limit"
value = 7
"""
    )
    entry = read_study(folder, trusted=False).entries[-1]
    assert [setting.label for setting in entry.settings] == ["RTS on", "RTS off"]

    def rows(label, first, second):
        runs = [
            {"flows": [{"sent_packets": first, "received_packets": second, "throughput_kbps": first / h}]}
            for h in (1, 2)
        ]
        return Table(label, [({"topology.hops": h}, [{"seed": 1, **run}]) for h, run in zip((1, 2), runs, strict=True)])

    data = Data([rows("RTS on", 700, 500), rows("RTS off", 700, 500)])
    c1, c2, c3 = ([f.outcome for f in statement.evaluate(data)] for statement in entry.statements)
    assert (c1, c2, c3) == ([HELD, FAILED], [HELD], [HELD])
    file.write_text(file.read_text().replace('metric = "sent, {rts}"', 'metric = "sent, {rst}"'))
    with pytest.raises(ScenarioError, match="allowed in braces: rts"):
        read_study(folder, trusted=False)


def test_a_published_number_needs_its_unit(folder):
    file = folder / "published.csv"
    file.write_text(file.read_text().replace("770,kbit/s", "770,"))
    with pytest.raises(ScenarioError, match=r"published\.csv:3:1: unit is missing"):
        read_study(folder, trusted=False)


def test_python_of_a_folder_runs_only_where_it_is_allowed(folder):
    (folder / "checks.py").write_text("def f(): ...\n")
    with pytest.raises(InputError, match="--trust"):
        read_study(folder, trusted=False)
    assert read_study(folder, trusted=True).key == "mystudy"


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such study folder"):
        read_study(tmp_path / "nothing", trusted=False)
    with pytest.raises(InputError, match=r"has no study\.toml"):
        read_study(tmp_path, trusted=False)


# --- The studies of the catalogue -------------------------------------------------------------------------------------


# A validation has no recorded verdicts: a statement of it that fails is a defect, and ends the command with 1.
@pytest.mark.parametrize("study", [s for s in studies() if s.key != "validation"], ids=lambda s: s.key)
def test_what_is_not_reproduced_has_a_cause_and_every_verdict_is_recorded(study):
    whole = json.loads((FOLDER / study.key / "verdicts.json").read_text())["full"]
    for entry in study.entries:
        if not entry.statements:
            continue
        verdicts = whole[entry.key]
        assert set(verdicts) == {statement.id for statement in entry.statements}, entry.key
        for statement in entry.statements:
            if verdicts[statement.id] in (FAILED.value, TREND.value):
                assert statement.because, f"{entry.key}.{statement.id}"


def test_the_catalogue_still_gives_the_recorded_verdicts(tmp_path):
    keys = ["anastasi2006.fig4", "anastasi2006.fig9", "afrakhteh2005.exp06", "afrakhteh2005.exp08"]
    keys += ["fu2003.table3", "fu2003.sec6-vegas"]
    status, _, err = hopscope("reproduce", *keys, "--quick", "--check", "--no-progress", "--out", tmp_path)
    assert (status, [line for line in err.splitlines() if line.startswith("changed")]) == (0, [])


@pytest.mark.parametrize(
    "place", [*(FOLDER / study.key for study in studies()), SHOWCASE], ids=lambda place: place.name
)
def test_no_line_of_a_figure_joins_two_settings(place, monkeypatch):
    found, init = [], Figure.__init__
    monkeypatch.setattr(
        Figure, "__init__", lambda self, *args, **more: (found.append(self), init(self, *args, **more))[1]
    )
    read_study(place, trusted=True)
    for figure in found:
        # Along another metric the settings are the points; a swept key, a metric or a place is in each setting alike.
        if figure.over is None and "setting" not in (axes := (figure.panels, figure.by, figure.x)):
            places = [tuple(str(built.names.get(name, "")) for name in axes) for built in figure.chosen]
            assert len(places) == len(set(places)), figure.chart.name


def test_ci_checks_every_study_against_its_recorded_verdicts():
    root = SHOWCASE.parents[1]
    assert "make check-catalogue" in (root / ".ci" / "run").read_text()
    words = ["make", "-n", "check-catalogue"]
    reported = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout
    [line] = [line for line in reported.splitlines() if line.startswith("for study in")]
    checked = line.removeprefix("for study in").partition(";")[0].split()
    assert {*checked, "validation"} == {study.key for study in studies()}
    assert "reproduce validation " in reported
    for study in studies():
        if study.key != "validation":
            forms = json.loads((FOLDER / study.key / "verdicts.json").read_text())
            assert set(forms["quick"]) == {entry.key for entry in study.entries if entry.statements}


# --- Verdicts ---------------------------------------------------------------------------------------------------------


READINGS = {"a": Place("", "a"), "b": Place("", "b")}


def verdict(first, second, **more):
    return conclude([Finding(first, "1", "a"), Finding(second, "2", "b")], READINGS, **more)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (HELD, HELD, HELD),
        (HELD, FAILED, Outcome.DEPENDS),
        (HELD, TREND, Outcome.DEPENDS),
        (FAILED, FAILED, FAILED),
        (FAILED, OPEN, OPEN),
        (HELD, OPEN, OPEN),
        (TREND, TREND, TREND),
        (TREND, FAILED, FAILED),
    ],
)
def test_readings_of_what_is_not_published_are_weighed(first, second, outcome):
    found = verdict(first, second)
    assert found.outcome is outcome
    assert found.cause.endswith(".")


def test_rows_have_to_hold_all():
    rows = {"a": Place("row 1"), "b": Place("row 2")}
    found = conclude([Finding(HELD, "1", "a"), Finding(FAILED, "2", "b")], rows)
    assert found.outcome is FAILED
    assert "1 of 2 rows" in found.cause


def test_published_numbers_that_deny_a_statement_and_a_reference_that_does():
    no = Finding(FAILED, "4.4 against 4.58")
    assert verdict(HELD, HELD, published=no).outcome is Outcome.CONTRADICTION
    assert verdict(FAILED, FAILED, reference=no).outcome is Outcome.REFERENCE_AGREES
    assert "4.4 against 4.58" in verdict(FAILED, FAILED, reference=no).cause
    assert verdict(FAILED, FAILED, reference=Finding(HELD, "")).outcome is FAILED
    assert verdict(HELD, HELD, reference=no).outcome is HELD


@pytest.mark.parametrize(
    ("mean", "half", "outcome"), [(100, 1, HELD), (119, 1, HELD), (121, 2, OPEN), (130, 2, FAILED), (70, 2, FAILED)]
)
def test_a_cell_is_judged_by_the_published_extremes(mean, half, outcome):
    found = cell(Estimate(mean, half, mean, mean, 5), 100, extremes=(80, 120))
    assert found is not None
    assert found.outcome is outcome


def test_a_single_run_is_judged_by_where_it_lies_among_ours():
    ours = Estimate(100, 5, 80, 120, 20)
    assert cell(ours, 119, single=True).outcome is HELD
    assert cell(ours, 130, single=True).outcome is FAILED
    assert "above all 20 of ours by 8 %" in cell(ours, 130, single=True).measured
    assert cell(ours, 130) is None


def test_the_files_of_a_study_give_each_name_once():
    """A name that two files of a study give would mean in both what the later one says."""
    for folder in sorted({study.folder for study in studies()}):
        given = [
            (section, name)
            for file in sorted(folder.glob("*.toml"))
            for section, names in tomllib.loads(file.read_text(encoding="utf-8")).items()
            if section in ("keys", "notes", "metric", "scenario", "axis", "named", "model")
            for name in names
        ]
        assert len(given) == len(set(given)), (folder.name, [name for name in given if given.count(name) > 1])
