"""``hopscope optimize`` and ``hs.optimize``: outcome, resume, cases, messages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.errors import InputError
from hopscope.optimum.driver import prepare_job
from runfiles import age, names, written_since

WINDOW = "flow.*.max_window=1..8"
PACKET = "flow.*.packet=200..1600:200"
TCP = (
    "--set",
    "flow.0.transport=tcp-newreno",
    "--set",
    "duration=20s",
    "--set",
    "topology.hops=4",
    "--set",
    "flow.0.packet=1000",
)


def test_the_report_has_one_section_for_each_case(hopscope: Any, folder: Path) -> None:
    over = ("--over", "flow.0.max_window=1..3", "--over", "mac.queue=5,50", *TCP)
    sizes = ("--set", "sweep.flow.0.packet=[500, 1000]")
    done = hopscope("optimize", "chain.toml", *over[:-2], *sizes, "--out", "a", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert hopscope("report", "a").returncode == 0
    page = (folder / "a" / "report.html").read_text()
    assert re.findall("<h2>(.*)</h2>", page) == [f"short chain, packet size {size}" for size in (500, 1000)]
    for case in document["cases"]:
        window, queue = case["best"]["flow.0.max_window"], case["best"]["mac.queue"]
        assert f"best at receiver&#39;s window {window}, queue length {queue};" in page
        assert f"{case['runs']} runs, {case['simulated_s']:g} s simulated" in page
    assert page.count("left out, undecided") + page.count("worse in shorter runs") > 0
    # The commands name scenarios that are there and run.
    commands = re.findall(r"hopscope run (\S+)", page)
    assert commands
    assert all((folder / file).is_file() for file in commands)
    assert hopscope("check", commands[0]).returncode == 0
    # Who asks for the runs of one seed sees the steps.
    assert hopscope("report", "a", "--seed", "1").returncode == 0
    assert len(re.findall("<h2>", (folder / "a" / "report.html").read_text())) > 2
    # A store that has been used for something else since is reported as what it is.
    assert hopscope("run", "chain.toml", "--out", "a", "--quick").returncode == 0
    assert hopscope("report", "a").returncode == 0
    assert re.findall("<h2>(.*)</h2>", (folder / "a" / "report.html").read_text()) == ["short chain"]


@pytest.fixture
def four_hops() -> hs.Scenario:
    return hs.Scenario(
        title="four hops", duration="20s", topology={"kind": "chain", "hops": 4}, flow=[{"from": 0, "to": 4}]
    )


def test_the_outcome_in_the_terminal(hopscope: Any, folder: Path) -> None:
    done = hopscope("optimize", "chain.toml", "--over", WINDOW, *TCP)
    assert done.returncode == 0, done.stderr
    assert "best at flow.*.max_window = " in done.stdout
    assert "% of the full sweep's" in done.stdout
    [store] = (folder / "results").iterdir()
    assert store.name.startswith("optimize-short-chain-")
    assert done.stderr == f"results: results/{store.name}\n"


def test_json_resume_and_jobs(hopscope: Any, folder: Path) -> None:
    first = hopscope("optimize", "chain.toml", "--over", WINDOW, *TCP, "--json", "--out", "a", "--jobs", "1")
    assert first.returncode == 0, first.stderr
    document = json.loads(first.stdout)
    [case] = document["cases"]
    assert document["metric"] == "network.aggregate_kbps"
    assert [entry["set"]["flow.*.max_window"] for entry in case["values"]] == list(range(1, 9))
    assert case["best"] in case["indistinguishable"]
    assert json.loads((folder / "a" / "optimization.json").read_text()) == document
    assert case["simulated_s"] <= document["budget_s"]
    assert case["runs"] == len(names(folder / "a"))
    before = age(folder / "a")
    assert hopscope("optimize", "chain.toml", "--over", WINDOW, *TCP, "--json", "--out", "a").stdout == first.stdout
    assert (names(folder / "a"), written_since(folder / "a")) == (before, set())
    two = hopscope("optimize", "chain.toml", "--over", WINDOW, *TCP, "--json", "--out", "b", "--jobs", "2")
    assert two.stdout == first.stdout
    shown = hopscope("show", "a")
    assert shown.returncode == 0
    assert "screening" in shown.stdout
    assert "final" in shown.stdout


def test_what_is_printed_of_an_optimization_is_the_text_of_the_command(four_hops: hs.Scenario) -> None:
    found = hs.optimize(four_hops, "flow.0.max_window=1..8")
    assert "best at flow.0.max_window = " in str(found)
    assert "% of the full sweep's" in str(found)
    assert "samples" not in repr(found)
    assert len(repr(found)) < 300
    marked = str(found).count("worse in shorter runs*")
    assert ("each by itself at 95 %" in str(found)) == (marked > 0)


def test_a_sweep_over_another_key_gives_cases(four_hops: hs.Scenario) -> None:
    swept = four_hops.replace({"sweep.flow.0.packet": [500, 1460]})
    found = hs.optimize(swept, "flow.0.max_window=1..6")
    assert [case.set for case in found.cases] == [{"flow.0.packet": 500}, {"flow.0.packet": 1460}]
    with pytest.raises(ValueError, match="2 cases"):
        found.best  # noqa: B018
    alone = hs.optimize(four_hops.replace({"flow.0.packet": 1460}), "flow.0.max_window=1..6")
    assert alone.cases[0].to_json()["values"] == found.cases[1].to_json()["values"]


def test_a_key_of_a_swept_table_is_varied_in_each(four_hops: hs.Scenario) -> None:
    errors = [{"kind": "uniform", "per": 0.5, "applies_to": what} for what in ("all", "data")]
    found = hs.optimize(four_hops.replace({"sweep.radio.error": errors}), "radio.error.per=0,0.3", seeds=2)
    assert [case.set for case in found.cases] == [{"radio.error": error} for error in errors]
    assert [case.best for case in found.cases] == [{"radio.error.per": 0.0}] * 2


def test_a_key_of_the_sweep_leaves_it(four_hops: hs.Scenario) -> None:
    swept = four_hops.replace({"sweep.flow.0.max_window": [1, 2, 3]})
    found = hs.optimize(swept, {"flow.*.max_window": range(1, 5)}, budget="100%")
    assert [case.set for case in found.cases] == [{}]
    assert [entry.value for entry in found.cases[0].found.tried] == [(1,), (2,), (3,), (4,)]


def test_the_best_is_that_of_the_full_sweep(four_hops: hs.Scenario) -> None:
    full = hs.run(four_hops.replace({"seeds": 5, "sweep.flow.0.max_window": list(range(1, 9))}))
    means = {p.set["flow.0.max_window"]: p.interval("flow.0.delay_ms").mean for p in full.points}
    found = hs.optimize(four_hops, "flow.0.max_window=1..8", metric="flow.0.delay_ms", minimize=True)
    assert found.best["flow.0.max_window"] == min(means, key=lambda w: means[w] or 0.0) == 1


def test_a_time_key_is_never_shortened(four_hops: hs.Scenario) -> None:
    found = hs.optimize(four_hops, "flow.0.start=0s..8s:4s", budget="100%", seeds=2)
    assert {request.rung.duration for request in found.cases[0].found.requests} == {20}


def test_python_takes_lists_ranges_and_text(four_hops: hs.Scenario) -> None:
    best = {"flow.0.max_window": 2}
    for over in ("flow.0.max_window=1,2", {"flow.0.max_window": [1, 2]}, {"flow.0.max_window": range(1, 3)}):
        assert hs.optimize(four_hops.replace({"topology.hops": 4}), over, seeds=3).best == best


@pytest.mark.parametrize(
    ("over", "more", "message"),
    [
        ([], {}, "nothing to vary: give --over KEY=RANGE"),
        (["flow.0.max_window"], {}, "expected KEY=RANGE"),
        (["flow.0.max_window="], {}, "expected values between commas"),
        (["flow.0.max_window=5..1"], {}, "runs backwards; write 1..5"),
        (["flow.0.max_window=5..5"], {}, "one value only"),
        (["flow.0.max_window=5"], {}, "a search needs two or more"),
        (["flow.0.max_window=0..5"], {}, "must be at least 1"),
        (["flow.0.max_windw=1..5"], {}, 'did you mean "max_window"?'),
        (["flow.3.max_window=1..5"], {}, "flow 3 does not exist"),
        (["flwo.0.max_window=1..5"], {}, 'did you mean "flow"?'),
        (["flow.0.transport=1..5"], {}, "a search needs a number"),
        (["profile=standard,ns2"], {}, "a search needs a number"),
        (["mac.link=plain,lred"], {}, "a search needs a number"),
        (["mac.rts_threshold=0,off"], {}, '"off" is no number'),
        (["seeds=1..5"], {}, "cannot be varied"),
        (["mac=1..5"], {}, "is a table"),
        ([PACKET, PACKET], {}, "is given twice"),
        ([PACKET], {"metric": "network.agregate_kbps"}, 'did you mean "aggregate_kbps"?'),
        ([PACKET], {"metric": "throughput"}, "starts with none of flow., group., node., wire., network."),
        ([PACKET], {"metric": "flow.4.delay_ms"}, "no flow 4"),
        ([PACKET], {"metric": "flow.0.transport"}, "is no number"),
        ([PACKET], {"budget": "1s"}, "the cheapest search of 8 values needs"),
        ([PACKET], {"budget": "much"}, 'expected simulated time such as "5000s"'),
        ([PACKET], {"budget": "0%"}, "must be above 0"),
        ([PACKET], {"shortest": "1h"}, "at most the duration"),
        (["topology.spacing=100..400:100"], {}, "--over topology.spacing=400.0: "),
        (["topology.hops=1..3000000"], {}, "must be at most"),
        (["flow.0.packet=100..70000:10"], {"set": {"duration": "9s"}}, "--over flow.0.packet=70"),
    ],
)
def test_bad_input_is_named(chain: Path, over: list[str], more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        prepare_job(chain, over, **more)


@pytest.mark.parametrize("arguments", [[], ["--over", "flow.0.max_window=5..1"], ["--over", PACKET, "--budget", "1s"]])
def test_bad_input_ends_with_2_and_writes_nothing(hopscope: Any, folder: Path, arguments: list[str]) -> None:
    done = hopscope("optimize", "chain.toml", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("hopscope: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert [p.name for p in folder.iterdir()] == ["chain.toml"]


def test_python_names_what_it_cannot_vary(four_hops: hs.Scenario) -> None:
    with pytest.raises(InputError, match="expected text such as"):
        hs.optimize(four_hops, {"flow.0.max_window": 3})
    with pytest.raises(InputError, match="nothing to vary"):
        hs.optimize(four_hops, [])
    with pytest.raises(InputError, match=r"--budget: found true|expected simulated time"):
        hs.optimize(four_hops, "flow.0.max_window=1..5", budget=True)


def test_a_metric_that_no_run_has(four_hops: hs.Scenario) -> None:
    file = four_hops.replace({"flow.0.app": "file", "flow.0.bytes": "1GB"})
    with pytest.raises(InputError, match=r"no run of .* has a value of it"):
        hs.optimize(file, "flow.0.max_window=1..5", metric="flow.0.completion_s", minimize=True)


def test_the_best_fixed_number_of_segments_for_an_ack_is_an_oracle(four_hops: hs.Scenario) -> None:
    """With a window of four the timer sends every ACK for more than four segments."""
    fixed = four_hops.replace({"flow.0.ack": "fixed", "flow.0.ack_delay": "200ms", "tcp.cwnd_limit": 4})
    found = hs.optimize(fixed, "flow.*.tcp.ack_every=1..8", budget="100%", seeds=2)
    [case] = found.cases
    best = case.best["flow.*.tcp.ack_every"]
    assert 1 <= best <= 4
    assert all(entry["flow.*.tcp.ack_every"] <= 4 for entry in case.indistinguishable)


# --- The oracle of ACK policies ---------------------------------------------------------------------------------------

POLICIES = ("--set", 'sweep.flow.0.ack=["every", "delayed"]', "--set", "profile=ns2", "--set", "flow.0.max_window=6")


def test_the_oracle_is_the_best_fixed_number_beside_the_file_s_own_policies(hopscope: Any, folder: Path) -> None:
    done = hopscope("optimize", "chain.toml", *TCP, *POLICIES, "--oracle", "--budget", "100%", "--json", "--out", "a")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    [case] = document["cases"]
    assert document["over"] == {"flow.*.tcp.ack_every": "1..6"}
    means = {value["set"]["flow.*.tcp.ack_every"]: value["mean"] for value in case["values"]}
    assert case["best"] == {"flow.*.tcp.ack_every": max(means, key=lambda number: means[number])}
    own = {rival["policy"]: rival for rival in case["own"]}
    assert [rival["set"] for rival in own.values()] == [{"flow.0.ack": "every"}, {"flow.0.ack": "delayed"}]
    # An ACK for every packet is what fixed does with one.
    assert own["every"]["mean"] == means[1]
    for rival in own.values():
        assert rival["pairs"] == rival["n"] == 5
        assert rival["difference"] == pytest.approx(case["mean"] - rival["mean"])
    reported = hopscope("optimize", "chain.toml", *TCP, *POLICIES, "--oracle", "--budget", "100%", "--out", "a")
    assert f"best at flow.*.tcp.ack_every = {case['best']['flow.*.tcp.ack_every']}\n" in reported.stdout
    assert "own policy, every: " in reported.stdout
    assert hopscope("verify", "a").returncode == 0
    assert hopscope("report", "a").returncode == 0
    page = (folder / "a" / "report.html").read_text()
    assert len(re.findall("<h2>", page)) == 1
    assert "Own policy, delayed: " in page


def test_each_place_has_an_oracle_of_its_own(four_hops: hs.Scenario) -> None:
    both = [{"from": 0, "to": 4}, {"from": 4, "to": 0, "transport": "udp", "app": "cbr", "rate": "10kbps"}]
    places = four_hops.replace({"flow": both, "sweep.topology.hops": [4, 5], "flow.0.ack": "mda", "flow.0.to": "last"})
    found = hs.optimize(places, oracle=True, seeds=2, shortest="10s", budget="100%", quick=True)
    assert found.over == {"tcp.ack_every": "1..16"}
    assert [case.set for case in found.cases] == [{"topology.hops": 4}, {"topology.hops": 5}]
    for case in found.cases:
        [rival] = case.rivals
        assert (rival.set, rival.policy, len(rival.samples)) == ({}, "mda", 2)
    assert found.cases[0].rivals[0].samples != found.cases[1].rivals[0].samples
    alone = hs.run(places.replace({"topology.hops": 5}), seeds=2, quick=True)
    assert alone.points[0].by_seed("network.aggregate_kbps") == found.cases[1].rivals[0].samples


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flow.0.transport": "udp", "flow.0.app": "cbr", "flow.0.rate": "1kbps"}, "no flow uses TCP"),
        ({"flow.0.max_window": 1}, "a max_window of 1"),
        (
            {"sweep.together": [{"flow.0.ack": ["every", "delayed"], "mac.queue": [10, 50]}]},
            "changes flow.0.ack together with mac.queue",
        ),
        (
            {"flow": [{"from": 0, "to": 4, "tcp": {"ack_every": 3}}, {"from": 4, "to": 0, "transport": "udp"}]},
            "flow.0.tcp.ack_every",
        ),
    ],
)
def test_where_there_is_no_oracle_it_is_said(four_hops: hs.Scenario, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        prepare_job(four_hops.replace(change), (), oracle=True)
