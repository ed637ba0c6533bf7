"""The tables of the page of armaghani2008: gains are paired, noise is reported, ledgers are added up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hopscope.results.samples import Estimate, Table

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import thinning


def run(seed, kbps, **flow):
    usual = {"goodput_kbps": kbps, "received_packets": 100, "acks_sent": 50, "timeouts": 0}
    return {"seed": seed, "flows": [{**usual, **flow}, {**usual, "goodput_kbps": 0.0, **flow}]}


def table(*rates):
    return Table("", [({thinning.FLOWS: 2}, [run(seed, rate) for seed, rate in enumerate(rates)])])


def test_gains_are_paired_by_seed() -> None:
    base, more = table(100.0, 200.0, 400.0), table(110.0, 220.0, 440.0)
    found = thinning.gain(more, base, {thinning.FLOWS: 2}, thinning.throughput)
    assert (found.mean, found.ci95, found.n) == (pytest.approx(10), pytest.approx(0, abs=1e-9), 3)
    assert not thinning.is_noise(found)


def test_noise_stands_in_brackets() -> None:
    assert thinning.shown(Estimate(5.04, 1.2, 0, 0, 10)) == "+5.04 ± 1.20"
    assert thinning.shown(Estimate(-1.0, 1.2, 0, 0, 10)) == "(-1.00 ± 1.20)"


def test_packets_for_an_ack_are_those_of_all_flows() -> None:
    assert thinning.merged(run(1, 1.0, acks_sent=25)) == 4
    assert thinning.merged(run(1, 1.0, acks_sent=0)) is None


def test_time_of_a_cause_is_that_of_all_nodes_for_a_packet() -> None:
    nodes = [{"ns": {"data": 3_000_000, "data-again": 1_000_000}}, {"ns": {"data": 4_000_000, "rts": 9}}]
    ledger = {"duration_ns": 16_000_000, "nodes": nodes}
    assert thinning.spent(["data", "data-again"])({**run(1, 1.0), "ledger": ledger}) == pytest.approx(8 / 200)
    assert thinning.waiting({"ledger": {**ledger, "nodes": [{"ns": {"timeout": 4_000_000}}]}}) == 25


def test_a_ceiling_is_what_the_time_of_acks_gives() -> None:
    at = {thinning.FLOWS: 2}
    every = Table("", [(at, [run(1, 1.0, acks_sent=100)])])
    second, fourth = table(1.0), Table("", [(at, [run(1, 1.0, acks_sent=25)])])
    # 10.7 and 5.6 % for an ACK exchange of 0.24 of that of data.
    assert thinning.ceiling(second, every, at) == pytest.approx(10.7, abs=0.1)
    assert thinning.ceiling(fourth, second, at) == pytest.approx(5.7, abs=0.1)
    assert thinning.exceeds(Estimate(9.0, 2.0, 0, 0, 10), 5.7)
    assert not thinning.exceeds(Estimate(7.0, 2.0, 0, 0, 10), 5.7)
