"""Bad and impossible scenarios: refused with every problem, its place, its key, what was found and what is allowed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hopscope.errors import ScenarioError
from hopscope.scenario import Scenario, load
from hopscope.scenario.document import parse

GOOD = """\
duration = "10s"
[topology]
kind = "chain"
hops = 3
[[flow]]
from = 0
to = 3
"""


def refusal(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_document(parse(text, "f.toml"))
    return str(caught.value)


def test_the_base_of_these_tests_is_good() -> None:
    assert len(Scenario.from_document(parse(GOOD)).points) == 1


def test_every_problem_is_told_at_once_in_the_order_of_the_file() -> None:
    text = """\
duraton = "30s"
[topology]
kind = "chian"
[mac]
queu = 3
rts_threshold = "on"
[[flow]]
from = 0
to = 9
transport = "tcp-newrno"
start = "5 lightyears"
tcp = { min_rto = -1 }
"""
    lines = refusal(text).splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["f.toml:1:1", "duraton"],
        ["f.toml:3:1", "topology.kind"],
        ["f.toml:5:1", "mac.queu"],
        ["f.toml:6:1", "mac.rts_threshold"],
        ["f.toml:10:1", "flow.0.transport"],
        ["f.toml:11:1", "flow.0.start"],
        ["f.toml:12:9", "flow.0.tcp.min_rto"],
    ]
    assert 'did you mean "duration"?' in lines[0]
    assert 'found "chian"; allowed: "chain", "cross"' in lines[1]
    assert 'did you mean "chain"?' in lines[1]
    assert 'did you mean "queue"?' in lines[2]
    assert 'expected a whole number in bytes or "off"' in lines[3]
    assert 'did you mean "tcp-newreno"?' in lines[4]
    assert "must be at least 0 s" in lines[6]


@pytest.mark.parametrize(
    ("change", "by", "message"),
    [
        ('duration = "10s"', "duration = 0", "f.toml:1:1: duration: found 0; must be above 0 s"),
        ('duration = "10s"', "duration = 10\nwarmup = 10", "f.toml:2:1: warmup: 10 s is not before the end of the run"),
        ('duration = "10s"', "seeds = 0", "f.toml:1:1: seeds: found 0; must be at least 1"),
        ("hops = 3", "hops = 0", "f.toml:4:1: topology.hops: found 0; must be at least 1"),
        ("hops = 3", "hops = -3", "f.toml:4:1: topology.hops: found -3"),
        ("hops = 3", "hops = 3\nspacing = 0", "f.toml:5:1: topology.spacing: found 0; must be above 0 m"),
        ("hops = 3", "hops = 3\nrows = 3", "f.toml:5:1: topology.rows: unknown key; allowed: hops, spacing"),
        ("hops = 3", "", "f.toml:2:1: topology.hops: is missing; expected a whole number"),
        ('kind = "chain"', "", "f.toml:2:1: topology.kind: is missing; expected one of"),
        ('kind = "chain"', 'kind = "access"', '"access" is not part of this version; allowed: "chain"'),
        ("to = 3", "to = 4", "f.toml:7:1: flow.0.to: node 4 does not exist; the topology has nodes 0 to 3"),
        ("to = 3", "to = 0", "f.toml:7:1: flow.0.to: node 0 is also the sender"),
        ("to = 3", 'to = "lst"', 'f.toml:7:1: flow.0.to: found "lst"; expected a node number, "first" or "last"'),
        ("to = 3", "", "f.toml:5:1: flow.0.to: is missing"),
        ("to = 3", "to = 3\nstart = 10", "f.toml:8:1: flow.0.start: the flow never starts"),
        ("to = 3", "to = 3\nstart = 2\nstop = 2", "f.toml:9:1: flow.0.stop: 2 s is not after the start"),
        ("to = 3", "to = 3\npacket = 3000", "f.toml:8:1: flow.0.packet: 3000 bytes and 48 bytes of headers exceed"),
        ("to = 3", "to = 3\npacket = 0", "f.toml:8:1: flow.0.packet: found 0; must be at least 1"),
        ("to = 3", "to = 3\nrate = 5", 'flow.0.rate: does not belong to app = "bulk"; it is used by "cbr", "on-off"'),
        ("to = 3", 'to = 3\napp = "file"', 'f.toml:5:1: flow.0.bytes: is missing; app = "file" needs bytes'),
        ("[[flow]]", "[flow]", "flow: found a single [flow] table; expected [[flow]] tables"),
        ("[[flow]]", "[[flw]]", 'f.toml:5:1: flw: unknown key'),
        ("[[flow]]", "[mac]\nqueue = 0\n[[flow]]", "f.toml:6:1: mac.queue"),
        ("[[flow]]", "[radio]\nerror = { per = 0.1 }\n[[flow]]", "f.toml:6:1: radio.error.kind: is missing"),
        ("[[flow]]", '[radio]\nerror = { kind = "uniform", per = 2 }\n[[flow]]', "per: found 2; must be at most 1"),
        ("[[flow]]", '[mac]\nlink = "led"\n[[flow]]', 'mac.link: found "led"; expected "plain", or one or more of'),
        ("[[flow]]", "[link]\nlred_max = 1.0\n[[flow]]", "link.lred_max: found 1; it must be more than lred_min, 1.8"),
        ("[[flow]]", "[link]\nlred_max_p = 1.5\n[[flow]]", "link.lred_max_p: found 1.5; must be at most 1"),
        ("[[flow]]", "[link]\nnodes = [9]\n[[flow]]", "link.nodes: node 9 does not exist; nodes are 0 to"),
        ("[[flow]]", '[routing]\nprotocol = "olsrd"\n[[flow]]', 'found "olsrd"; allowed: "static", "aodv"'),
        ("[[flow]]", '[series]\nkeep = ["cwmd"]\n[[flow]]', 'series.keep: found "cwmd"; allowed: "cwnd"'),
    ],
)  # fmt: skip
def test_impossible_scenarios(change: str, by: str, message: str) -> None:
    assert change in GOOD
    assert message in refusal(GOOD.replace(change, by, 1))


def test_unreachable_destination_is_told_at_its_key() -> None:
    message = refusal(GOOD.replace("hops = 3", 'hops = 3\nspacing = "300m"'))
    assert message.startswith("f.toml:8:1: flow.0.to: ")


def test_a_scenario_without_flows_is_refused() -> None:
    assert "a scenario has at least one [[flow]]" in refusal(GOOD.partition("[[flow]]")[0])


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        ('"flow.1.to" = [1]', "f.toml:9:1: sweep.flow.1.to: flow 1 does not exist; the scenario has flows 0 to 0"),
        ('"mak.queue" = [1]', 'f.toml:9:1: sweep.mak.queue: unknown sweep key'),
        ('"mac.queu" = [1]', 'did you mean "queue"?'),
        ('"mac.queue" = []', "f.toml:9:1: sweep.mac.queue: found an empty list"),
        ('"mac.queue" = 3', "found 3; expected a list of values or { start"),
        ('"mac.queue" = [1, 2, 1]', "the value 1 stands twice"),
        ('"mac.queue" = [10, -1]', "mac.queue: found -1"),
        ('"seeds" = [1, 2]', "cannot be swept; use seeds"),
        ('"duration.x" = [1]', '"duration" has no keys'),
        ('"topology.hops" = [3, 2]', "flow.0.to: node 3 does not exist; the topology has nodes 0 to 2"),
        ('mac.queue = { start = 1, stop = 9 }', "the range lacks step"),
        ('mac.queue = { start = 1, stop = 9, step = 0 }', "never reaches 9 from 1"),
        ('mac.queue = { start = 1, stop = 9, step = "1ms" }', "different units"),
        ('mac.queue = { start = 1, stop = 9e9, step = 1 }', "values; at most 100000"),
    ],
)  # fmt: skip
def test_bad_sweeps(sweep: str, message: str) -> None:
    assert message in refusal(f"{GOOD}[sweep]\n{sweep}\n")


def test_one_mistake_in_a_sweep_is_told_once() -> None:
    assert len(refusal(f'{GOOD}[sweep]\n"flow.0.paket" = [1, 2, 3]\n').splitlines()) == 1
    assert len(refusal(f'{GOOD}[sweep]\n"flow.0.packet" = [100, 0, -1]\n').splitlines()) == 2


def test_too_many_points_are_refused_before_they_are_made() -> None:
    axes = "".join(f'"flow.0.{k}" = {{ start = 1, stop = 900, step = 1 }}\n' for k in ("packet", "max_window"))
    assert "makes 810000 points; at most 100000" in refusal(f"{GOOD}[sweep]\n{axes}")


def test_changes_from_outside_are_named(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_text(GOOD)
    cases: dict[str, Any] = {
        "flow.2.to": ("3", "--set flow.2.to=3: flow 2 does not exist"),
        "mac.queu": (3, "--set mac.queu=3: mac.queu: unknown key"),
        "flow.0.to": (9, "--set flow.0.to=9: flow.0.to: node 9 does not exist"),
        "duration.x": (1, "--set duration.x=1: duration is no table"),
        "": (1, "unknown key"),
        "sweep.mac.queu": ([1, 2], "--set sweep.mac.queu=[1, 2]: sweep value 1: mac.queu: unknown key"),
    }
    for key, (value, message) in cases.items():
        with pytest.raises(ScenarioError, match=re.escape(message)):
            load(path, set={key: value})


def test_problems_of_a_python_scenario_have_no_file() -> None:
    with pytest.raises(ScenarioError, match=r"^topology.kind: found \"torus\""):
        Scenario(topology={"kind": "torus"}, flow=[{"from": 0, "to": 1}])
    with pytest.raises(ScenarioError, match="keys are text"):
        Scenario({1: 2})  # type: ignore[dict-item]
