"""`hopscope readings` on a study folder: found, kept, continued; what is refused, before any run."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hopscope as hs
from hopscope.assuming.evaluating import Evaluator, claims, study_with_assumptions
from hopscope.cli.main import build
from hopscope.errors import HopscopeError
from hopscope.studies.build import read_study
from hopscope.studies.registry import studies
from runfiles import age, lines, remove, written_since

SHOWCASE = Path(__file__).resolve().parents[2] / "showcases" / "mystudy"

SO = 'ground = "paper", because = "So."'
QUEUE = f'set = {{ "mac.queue" = 3 }}, {SO}'

#: The load decides: what one hop carries easily, two carry as well.
ASSUMPTIONS = """
[assumption.load]
question = "How much is offered?"
[assumption.load.values]
"3 Mbit/s" = {}
[assumption.load.values."100 kbit/s"]
set = { "flow.*.rate" = "100kbps" }
where = { "flow.*.transport" = "udp" }
ground = "paper"
because = "Its abstract says so."

[assumption.packet]
question = "How large are packets?"
[assumption.packet.values]
"1480 bytes" = {}
"1400 bytes" = { set = { "flow.0.packet" = 1400 }, ground = "guess", because = "It is possible." }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHOWCASE, tmp_path / "mystudy"))


def add(folder: Path, text: str) -> Path:
    """The study with more tables; both its statements say that the second hop costs nothing."""
    file = folder / "study.toml"
    text = file.read_text().replace("[axis.rts]", f"{text}\n[axis.rts]", 1)
    file.write_text(text.replace("low = 40\nhigh = 60", "low = 95\nhigh = 105\npublished = false"))
    return folder


def hopscope(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(build(), [str(word) for word in words])
    if isinstance(result.exception, HopscopeError):
        return result.exception.exit_status, result.stdout, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_the_reading_that_the_statements_need_is_found_and_kept(folder: Path, tmp_path: Path) -> None:
    add(folder, ASSUMPTIONS)
    words = ["readings", folder, "--no-progress", "--out", tmp_path / "store"]
    status, text, _ = hopscope(*words, "--json")
    found = json.loads(text)
    assert status == 0
    states = {tuple(one["departures"].values()): one["states"] for one in found["finalists"]}
    assert set(states[()].values()) == {"fails"}
    assert set(states["100 kbit/s",].values()) == {"holds"}
    assert found["supported"] == {"load": "100 kbit/s"}
    assert len(found["chosen"]) == 1
    assert found["assumptions"]["load"]["values"]["100 kbit/s"]["weight"] == 1
    assert found["assumptions"]["packet"]["values"]["1400 bytes"]["ground"] == "guess"
    page = (tmp_path / "store" / "report.html").read_text()
    assert found["sentence"] in page
    assert "Its abstract says so." in page

    # A second search finds every run in the store, and one that was lost is done again.
    lost = remove(tmp_path / "store")
    age(tmp_path / "store")
    assert hopscope(*words, "--json")[1] == text
    assert written_since(tmp_path / "store") == {lost}


def test_the_last_stage_runs_the_settings_own_replications_at_most_the_studys_search_seeds(
    folder: Path, tmp_path: Path
) -> None:
    file = add(folder, ASSUMPTIONS) / "study.toml"

    def runs_by_seed(name: str) -> Counter[int]:
        assert hopscope("readings", folder, "--no-progress", "--out", tmp_path / name / "store", "--most", 1)[0] == 0
        return Counter(json.loads(run)["result"]["seed"] for run in lines(tmp_path / name / "store").values())

    own = runs_by_seed("own")
    file.write_text(file.read_text().replace("[study]\n", "[study]\nsearch_seeds = 2\n"))
    fewer = runs_by_seed("fewer")
    assert set(own - fewer) == {3}
    file.write_text(file.read_text().replace("search_seeds = 2", "search_seeds = 9"))
    assert runs_by_seed("own") == own


def test_a_reading_of_ones_own_is_evaluated_in_full_once(folder: Path, tmp_path: Path) -> None:
    words = ["readings", add(folder, ASSUMPTIONS), "--no-progress", "--out", tmp_path / "store", "--most", 1]
    own = [*words, "--reading", "packet=1400 bytes, load=3 Mbit/s", "--reading", "packet = 1400 bytes"]
    status, text, _ = hopscope(*own, "--json")
    found = json.loads(text)
    assert status == 0
    assert found["added"] == [{"packet": "1400 bytes"}]
    assert sum(one["departures"] == {"packet": "1400 bytes"} for one in found["finalists"]) == 1
    added = hs.readings(str(folder), tmp_path / "store", most=1, added=["packet=1400 bytes"], progress=False).added
    assert [one.reading.label for one in added] == ["1400 bytes"]
    answer = hopscope(*own)[1]
    assert "1400 bytes: gained: none; lost: none" in answer


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        ("lod=100 kbit/s", 'no assumption \'lod\' (did you mean "load"?); there are: "load", "packet"'),
        ("load=1 kbit/s", "load has no value '1 kbit/s'"),
        ("load=100 kbit/s, load=3 Mbit/s", "load stands twice"),
        ("", "no assumption ''"),
    ],
)
def test_a_reading_that_the_study_does_not_have_is_refused_before_any_run(
    folder: Path, tmp_path: Path, reading: str, words: str
) -> None:
    status, _, message = hopscope(
        "readings", add(folder, ASSUMPTIONS), "--out", tmp_path / "store", "--reading", reading
    )
    assert status == 2
    assert words in message
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("seeds", ["1", "-3", "2.5", "true", '"many"'])
def test_search_seeds_is_a_whole_number_from_two(folder: Path, seeds: str) -> None:
    file = add(folder, ASSUMPTIONS) / "study.toml"
    file.write_text(file.read_text().replace("[study]\n", f"[study]\nsearch_seeds = {seeds}\n"))
    status, _, message = hopscope("readings", folder)
    assert status == 2
    assert "search_seeds" in message
    assert "allowed: a whole number from 2" in message


#: An experiment over TCP, of which an assumption about UDP flows says nothing.
UNTOUCHED = """
[[experiment]]
key = "tcp"
title = "TCP over one hop"
item = "Figure 2"
[[experiment.setting]]
scenario = "chain"
set = { "flow.0.transport" = "tcp-newreno", "flow.0.app" = "bulk" }
without = ["flow.0.rate"]
[[experiment.statement]]
id = "c1"
text = "TCP carries something."
criterion = "more than nothing"
verb = "at_least"
metric = "throughput"
limit = 1
"""


def test_what_no_assumption_touches_is_left_out_of_the_search(folder: Path, tmp_path: Path) -> None:
    load = ASSUMPTIONS.partition("[assumption.packet]")[0]
    (add(folder, load) / "more.toml").write_text(UNTOUCHED)
    status, text, _ = hopscope("readings", folder, "--no-progress", "--out", tmp_path / "store", "--json")
    assert status == 0
    found = json.loads(text)
    assert {name for one in found["finalists"] for name in one["states"]} == {"two-hops.c1", "two-hops.c2"}
    transports = [json.loads(run)["result"]["flows"][0]["transport"] for run in lines(tmp_path / "store").values()]
    assert set(transports) == {"udp"}


def test_the_answer_is_a_sentence_and_a_small_table(folder: Path, tmp_path: Path) -> None:
    status, text, notes = hopscope("readings", add(folder, ASSUMPTIONS), "--no-progress", "--out", tmp_path / "store")
    assert status == 0
    assert text.splitlines()[0].startswith(("With ", "No reading "))
    assert "plain" in text
    assert len(text.splitlines()) < 25
    assert "report:" in notes


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (f'{{ set = {{ "radio.colour" = 3 }}, {SO} }}', "a scenario refuses it"),
        (f'{{ set = {{ "mac.queue" = -3 }}, {SO} }}', "a scenario refuses it"),
        (f"{{ {QUEUE}, weight = -1 }}", "weight: found -1"),
        (f'{{ set = {{ "mac.queue" = 3, "mac.queue" = 4 }}, {SO} }}', "mac.queue"),
        ('{ set = { "mac.queue" = 3 }, ground = "rumour", because = "So." }', "rumour"),
        ('{ set = { "mac.queue" = 3 }, ground = "paper" }', "because is missing"),
        (f"{{ {SO} }}", "set is missing"),
        (f'{{ {QUEUE}, where = {{ "routing.protocol" = "olsr" }} }}', "changes no setting"),
        (f"{{ {QUEUE}, colour = 3 }}", "a value of an assumption has no such key"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place_before_any_run(
    folder: Path, tmp_path: Path, value: str, words: str
) -> None:
    add(
        folder,
        f'[assumption.queue]\nquestion = "How long is it?"\n[assumption.queue.values]\nusual = {{}}\nodd = {value}\n',
    )
    line = (folder / "study.toml").read_text().splitlines().index(f"odd = {value}") + 1
    status, _, message = hopscope("readings", folder, "--out", tmp_path / "store")
    assert status == 2
    assert words in message
    assert f"study.toml:{line}" in message
    assert not (tmp_path / "store").exists()


def test_an_assumption_needs_two_values_and_a_plain_one_first(folder: Path) -> None:
    add(
        folder, '[assumption.queue]\nquestion = "?"\n[assumption.queue.values]\nusual = { set = { "mac.queue" = 3 } }\n'
    )
    status, _, message = hopscope("readings", folder)
    assert status == 2
    assert "the plain one first" in message
    assert "changes nothing" in message


def test_two_assumptions_that_set_one_key_are_refused_with_the_place_before_any_run(
    folder: Path, tmp_path: Path
) -> None:
    value = f"{{ {QUEUE} }}"
    add(folder, "".join(
        f'[assumption.{name}]\nquestion = "?"\n[assumption.{name}.values]\nusual = {{}}\nother = {value}\n'
        for name in ("queue", "buffer")
    ))  # fmt: skip
    lines = (folder / "study.toml").read_text().splitlines()
    second = lines.index("[assumption.buffer]") + 5
    status, _, message = hopscope("readings", folder, "--out", tmp_path / "store")
    assert status == 2
    assert f"study.toml:{second}" in message
    assert "sets mac.queue, which a value of assumption.queue sets as well" in message
    assert not (tmp_path / "store").exists()


def test_two_assumptions_that_set_one_key_in_one_scenario_are_refused_however_they_say_where(
    folder: Path, tmp_path: Path
) -> None:
    about = {"queue": '"flow.*.transport" = "udp"', "buffer": '"topology.kind" = "chain"'}
    add(folder, "".join(
        f'[assumption.{name}]\nquestion = "?"\n[assumption.{name}.values]\nusual = {{}}\n'
        f'other = {{ set = {{ "flow.*.packet" = {size} }}, where = {{ {where} }}, {SO} }}\n'
        for (name, where), size in zip(about.items(), (1000, 1200), strict=True)
    ))  # fmt: skip
    second = (folder / "study.toml").read_text().splitlines().index("[assumption.buffer]") + 5
    status, _, message = hopscope("readings", folder, "--out", tmp_path / "store")
    assert status == 2
    assert f"study.toml:{second}" in message
    assert "sets flow.*.packet in mystudy.two-hops, which a value of assumption.queue sets there as well" in message
    assert not (tmp_path / "store").exists()


def test_a_study_without_assumptions_and_an_unknown_one_are_refused(folder: Path) -> None:
    assert hopscope("readings", folder)[0] == 2
    status, _, message = hopscope("readings", "armaghani")
    assert status == 2
    assert "armaghani2008" in message


def test_the_assumptions_that_ship_can_be_run_and_their_claims_are_divided() -> None:
    shipped = [study for study in studies() if study.assumptions]
    assert shipped
    for study in shipped:
        assert study_with_assumptions(study.key, trusted=True) is study
        assert Evaluator(study, Path("unused"), trusted=False).touched
        assert len(claims(study)) > 10


def test_a_plain_reading_changes_no_setting(folder: Path) -> None:
    plain = read_study(folder, trusted=False)
    with_assumptions = read_study(add(folder, ASSUMPTIONS), trusted=False)
    assert [s.scenario for e in plain.entries for s in e.settings] == [
        s.scenario for e in with_assumptions.entries for s in e.settings
    ]
