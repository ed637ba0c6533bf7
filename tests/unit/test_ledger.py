"""The airtime ledger from Python: it adds up in every scenario of the catalogue, and says who is at fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.results.explain import CAUSES, GROUPS, has_ledger
from hopscope.scenario import Scenario
from hopscope.studies.registry import entries

CHAIN = {
    "duration": "10s",
    "topology": {"kind": "chain", "hops": 7},
    "flow": [{"from": 0, "to": "last"}],
}


#: Longest simulated time, and latest start of a flow, in nanoseconds.
LONGEST, LATEST = 600_000_000, 100_000_000


def studies() -> list[tuple[str, Scenario]]:
    """Every study of the catalogue; equal ones once."""
    found = {}
    for entry in entries():
        for study in entry.settings:
            document = {**study.document(quick=True), "seeds": 1}
            found.setdefault(
                json.dumps(document, sort_keys=True, default=str), (f"{entry.key} {study.label}", document)
            )
    return [(name, Scenario(document)) for name, document in found.values()]


def ledger(config: dict[str, Any]) -> dict[str, Any]:
    """The ledger of a configuration, much shortened."""
    duration = min(config["duration"], LONGEST)
    flows = [{**flow, "start": min(flow["start"], LATEST), "start_jitter": 0} for flow in config["flows"]]
    warmup = min(config["warmup"], LATEST)
    short = {**config, "flows": flows, "duration": duration, "warmup": warmup, "explain": True}
    short["events"] = [event for event in config.get("events", []) if event["at"] < duration]
    if moving := config.get("mobility"):
        short["mobility"] = {**moving, "pause": min(moving.get("pause", 0), duration)}
    run: dict[str, Any] = _core.run(short).values()
    return run["ledger"] | {
        "measured": short["duration"] - short["warmup"],
        "delays": [f["delay_ms"] for f in run["flows"]],
    }


def test_the_ledger_adds_up_in_every_scenario_of_the_catalogue() -> None:
    checked = 0
    for name, scenario in studies():
        for point in {0: scenario.points[0], -1: scenario.points[-1]}.values():
            found = ledger(point.config(scenario.seed))
            assert found["duration_ns"] == found["measured"], name
            for account in found["nodes"] + found["links"]:
                assert sum(account["ns"].values()) == found["duration_ns"], (name, account)
            for flow, delay in zip(found["flows"], found["delays"], strict=True):
                parts = sum(ns for part, ns in flow["ns"].items() if part != "timeout")
                mean = parts / flow["copies"] / 1e6 if flow["copies"] else None
                assert mean == (None if delay is None else pytest.approx(delay, rel=1e-12)), (name, flow)
            checked += len(found["nodes"])
    assert checked > 1000


def test_every_cause_has_a_group() -> None:
    grouped = [cause for causes in GROUPS.values() for cause in causes]
    assert sorted(grouped) == sorted(CAUSES["nodes"])


def test_a_result_without_a_ledger_is_run_again_and_takes_the_same_course() -> None:
    result = hs.run(CHAIN)
    assert not has_ledger(result)
    explanation = result.explain()
    assert has_ledger(explanation.result)
    assert result.samples("flow.0.received_packets") == explanation.result.samples("flow.0.received_packets")
    kept = hs.run({**CHAIN, "explain": True})
    assert has_ledger(kept)
    assert kept.explain().result is kept
    assert kept.explain().to_json() == explanation.to_json()


def test_the_culprit_of_a_chain_is_the_node_three_hops_on() -> None:
    [point] = hs.run({**CHAIN, "duration": "30s", "profile": "ns2"}).explain().points
    [link] = [link for link in point.links if (link.source, link.target) == (0, 1)]
    worst = link.failures[0]
    assert (worst.cause, worst.frame, worst.by) == ("hidden", "rts", 3)
    sentence = (
        "of the time of all attempts on hop 1 is lost to RTS retries caused by node 3, out of its carrier-sense range."
    )
    assert any(sentence in line for line in point.sentences())
    assert all(share.mean is not None for share in point.nodes[0].values())
    assert sum(point.grouped(0).values()) == pytest.approx(100)


def test_mpdus_of_a_chain_are_accounted_one_by_one() -> None:
    flow = {"from": 0, "to": "last", "max_window": 64, "start": 0}
    chain = {"duration": "2s", "topology": {"kind": "chain", "hops": 4}, "radio": {"preset": "ht-20"}, "flow": [flow]}
    result = hs.run(chain, seeds=1)
    [point] = result.explain().points
    node = result.points[0].runs[0]["nodes"][0]
    assert (point.ppdus[0].ppdus, point.ppdus[0].mpdus) == (node["data_ppdus"], node["mpdus_sent"])
    shares = (point.ppdus[0].preamble_pct, point.ppdus[0].payload_pct, point.ppdus[0].overhead_pct)
    assert sum(shares) == pytest.approx(100)
    [link] = [link for link in point.links if (link.source, link.target) == (0, 1)]
    assert link.mpdus is not None
    assert link.mpdus.sent == link.mpdus.came + sum(lost.count for lost in link.mpdus.lost)
    assert (link.mpdus.lost[0].cause, link.mpdus.lost[0].by) == ("hidden", 3)
    said = point.sentences()
    lost = f"{link.mpdus.lost[0].share_pct:.2g} % of the MPDUs on hop 1 are lost to a hidden terminal, node 3."
    assert lost in said
    assert any(line.startswith("Node ") and "MPDUs in a data PPDU on average" in line for line in said)
    document = result.explain().to_json()
    assert document["links"][0]["mpdus"]["sent"] == link.mpdus.sent


def test_a_source_that_others_lock_out_is_named() -> None:
    # Nodes 0 and 4 do not hear each other, node 2 hears both.
    ends = [[x, y] for x in (0, 450, 900) for y in (0, 200)]
    flows = [{"from": node, "to": node + 1, "transport": "udp"} for node in (0, 2, 4)]
    scenario = {**CHAIN, "topology": {"kind": "positions", "positions": ends}, "flow": flows}
    [point] = hs.run(scenario).explain().points
    [sentence] = [line for line in point.sentences() if "others keep the medium busy" in line]
    share = sum(point.nodes[2][cause].mean or 0 for cause in GROUPS["defer"])
    assert sentence.startswith(f"Of its time, node 2 (a source) spends {share:.0f} % with a packet while")
    assert share > 80


def test_seeds_give_means_with_intervals_and_a_sweep_gives_points() -> None:
    scenario = {**CHAIN, "seeds": 3, "sweep": {"flow.0.max_window": [2, 32]}}
    explanation = hs.run(scenario).explain()
    assert [point.set for point in explanation.points] == [{"flow.0.max_window": 2}, {"flow.0.max_window": 32}]
    small, large = explanation.points
    closed = [point.nodes[0]["window-closed"] for point in (small, large)]
    assert all(found.n == 3 and found.ci95 is not None for found in closed)
    assert (closed[0].mean or 0) > (closed[1].mean or 0), "a small window is closed more often"
    assert "flow.0.max_window = 32:" in str(explanation)


def test_packets_are_delivered_lost_or_under_way_and_what_was_only_unconfirmed_is_no_loss() -> None:
    [point] = hs.run({**CHAIN, "duration": "30s", "seeds": 2}).explain().points
    [packets] = point.packets
    for kind, found in packets.items():
        assert found.sent == found.delivered + found.lost + found.under_way
        assert found.lost == sum(loss.count for loss in point.losses if loss.kind == kind)
    assert packets["data"].delivered > 100
    [flow] = point.to_json()["flows"]
    assert flow["packets"]["data"]["sent"] == packets["data"].sent
    assert len(flow["unconfirmed"]) == len(point.unconfirmed)
