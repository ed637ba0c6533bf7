"""The classes of the guide do what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "control.md"


def classes() -> dict[str, type[hs.CongestionControl]]:
    space: dict[str, Any] = {"hs": hs, "__name__": "guide"}
    for cell in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        if "(hs.CongestionControl)" in cell:
            assert len(cell[cell.index("class ") :].splitlines()) <= 20
            exec(cell, space)
    return {name: v for name, v in space.items() if isinstance(v, type) and issubclass(v, hs.CongestionControl)}


def run(transport: object, **flow: Any) -> hs.Result:
    path = {"kind": "chain", "hops": 4}
    table = {"from": 0, "to": 4, "transport": transport, **flow}
    return hs.run({"duration": "60s", "topology": path, "flow": [table], "series": {"keep": ["cwnd"]}})


def test_aimd_with_the_constants_of_newreno_is_newreno() -> None:
    mine, built_in = run(classes()["Aimd"]), run("tcp-newreno")
    assert mine.series("cwnd").equals(built_in.series("cwnd"))
    other = run(classes()["Aimd"], control={"increase": 0.1})
    assert other.interval("flow.0.mean_cwnd").mean < built_in.interval("flow.0.mean_cwnd").mean


def test_the_delay_based_one_keeps_the_delay_low_at_the_same_throughput() -> None:
    mine, newreno = run(classes()["Backlog"]), run("tcp-newreno")
    assert not mine.failures
    rate, usual = (result.interval("flow.0.throughput_kbps").mean for result in (mine, newreno))
    assert rate == pytest.approx(usual, rel=0.1)
    delay, long = (result.interval("flow.0.delay_ms").mean for result in (mine, newreno))
    assert delay < 0.5 * long


ACKS = PAGE.with_name("acks.md")


def test_the_policies_of_the_guide_run_beside_the_engines() -> None:
    space: dict[str, Any] = {"hs": hs, "__name__": "guide"}
    for cell in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", ACKS.read_text(), flags=re.DOTALL):
        if "(hs.AckPolicy)" in cell:
            assert len(cell[cell.index("class ") :].rstrip().splitlines()) <= 20
            exec(cell, space)
    result = {name: run("tcp-newreno", ack=ack) for name, ack in
              (("fixed", "fixed"), ("Fixed", space["Fixed"]), ("Quiet", space["Quiet"]))}  # fmt: skip
    assert all(not found.failures for found in result.values())
    assert result["Fixed"].series("cwnd").equals(result["fixed"].series("cwnd"))
    assert result["Quiet"].flows["acks_per_packet"][0] < 0.9 * result["fixed"].flows["acks_per_packet"][0]
