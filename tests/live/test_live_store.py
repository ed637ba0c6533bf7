"""The folder of a run on real stacks: the tables of a simulation, never taken for one; needs no namespaces."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from leftovers import CHAIN
from typer.testing import CliRunner

import hopscope as hs
from hopscope.cli.main import build
from hopscope.errors import HopscopeError, InputError, RunFailed, StoreError
from hopscope.live import outcome, plan, stored
from hopscope.live.measured import Measured
from hopscope.tracing import pick

RADIO: dict[str, Any] = {
    "lateness_us": {"count": 900, "p50": 30.0, "p99": 80.0, "max": 900.0},
    "share_above_1ms": 0.0, "core_share": 0.03, "scheduling": "SCHED_FIFO 50",
    "frames": {"in": 9, "out": 8, "lost": {}, "under_way": 1}, "verdict": "ok", "cause": "",
}  # fmt: skip
MISSED = {"verdict": "missed", "cause": "a delivery was 61.0 ms late; at most 50 ms are allowed"}

Keep = Callable[..., Path]


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Makes the folder of a run whose engine carried no flow, and whose flow over kernels carried nothing."""

    def make(verdict: dict[str, Any] | None = None, **keys: Any) -> Path:
        explain = keys.pop("explain", False)
        given = {**CHAIN, "title": "street", **keys}
        of = outcome.of_one(pick(given), {"explain": True} if explain else {})
        real = plan.plan(of.point, of.seed, simulated_flows=False)
        radio = {**RADIO, **(verdict or {})}
        simulated = hs.run({**given, "explain": explain}, progress=False).points[0].runs[0]
        if explain:
            simulated["ledger"]["flows"] = []
        measured = [Measured(flow, 0, 1) for flow in real.flows]
        found = outcome.tables(simulated, measured, [3] * len(measured), 1_000_000_000, radio)
        about = {
            "kernel": "Linux 6.1",
            "machine": "2 x core, x86_64",
            "begun": "2026-11-27T13:00:00+00:00",
            "clock": "real",
        }
        live = {**about, "seconds": 1.0, "verdict": radio["verdict"], "cause": radio["cause"]}
        result = outcome.result_of(of, found, live)
        folder = tmp_path / "real"
        stored.keep(folder, result, [], {"radio": radio})
        return folder

    return make


def said(*words: str) -> str:
    """What the command prints, or its message."""
    result = CliRunner().invoke(build(words[0]), list(words), env={"COLUMNS": "200"})
    return str(result.exception) if isinstance(result.exception, HopscopeError) else result.output


def test_its_tables_are_those_of_a_simulation_with_the_stack(keep: Keep) -> None:
    [real] = hs.open_store(keep()).results()
    simulated = hs.run(CHAIN, progress=False)
    assert set(real.flows.columns) - set(simulated.flows.columns) == {"stack"}
    assert set(real.flows.columns) >= set(simulated.flows.columns)
    assert real.flows["stack"].tolist() == ["kernel", "kernel"]
    for name in ("nodes", "network", "links", "summary"):
        assert list(getattr(real, name).columns) == list(getattr(simulated, name).columns), name
    assert real.network["aggregate_kbps"].tolist() == [0.0]
    assert real.live is not None
    assert real.points[0].runs[0]["engine"]["lateness_p99_us"] == 80


def test_simulated_flows_of_a_live_run_are_those_of_the_engine() -> None:
    simulated = hs.run(CHAIN, progress=False).points[0].runs[0]
    found = outcome.tables(simulated, [], [], 1, RADIO)
    assert [flow["stack"] for flow in found["flows"]] == ["engine", "engine"]
    assert found["network"] == simulated["network"]


def test_groups_add_up_flows_over_kernels() -> None:
    flows = [{**flow, "group": "both"} for flow in CHAIN["flow"]]
    of = pick({**CHAIN, "flow": flows})
    real = plan.plan(of.point, 1, simulated_flows=False)
    measured = [Measured(flow, 0, 1) for flow in real.flows]
    for one, octets in zip(measured, (3000, 1000), strict=True):
        one.arrivals.deliver(500_000_000, octets)
    simulated = hs.run(CHAIN, progress=False).points[0].runs[0]
    group = outcome.tables(simulated, measured, [3, 3], 1_000_000_000, RADIO)["groups"]["both"]
    assert (group["flows"], group["aggregate_kbps"], group["jain"]) == ([0, 1], 32, 0.8)


def test_manifest_title_report_and_table_say_that_it_was_real(keep: Keep) -> None:
    folder = keep()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["title"], manifest["live"]["kernel"]) == ("street, on real stacks", "Linux 6.1")
    place = "1 s of real time from 2026-11-27T13:00:00+00:00 on Linux 6.1, 2 x core, x86_64"
    for text in (said("show", str(folder)), hs.report(folder).read_text()):
        assert "Real stacks, verdict ok: the run may be trusted" in text
        assert place in text
    assert json.loads(said("show", str(folder), "--json"))["live"]["verdict"] == "ok"
    assert "hopscope live " in hs.report(folder).read_text()
    assert "hopscope run " not in hs.report(folder).read_text()
    assert hs.show(folder)["throughput_kbps"].tolist() == [0.0, 0.0]


def test_a_run_that_may_not_be_trusted_says_so_before_its_numbers(keep: Keep) -> None:
    folder = keep(MISSED)
    text = f"Real stacks, verdict missed: the run may not be trusted ({MISSED['cause']})"
    assert said("show", str(folder)).startswith(text)
    page = hs.report(folder).read_text()
    assert 0 < page.index(text) < page.index("<table")
    [result] = hs.open_store(folder).results()
    assert 0 < result._repr_html_().index("may not be trusted") < result._repr_html_().index("<table")


def test_no_simulation_goes_on_in_it_and_it_is_put_over_none(keep: Keep, tmp_path: Path) -> None:
    folder = keep()
    with pytest.raises(StoreError, match=r"real: holds a run on real stacks; choose another folder with --out"):
        hs.run({**CHAIN, "title": "street"}, out=folder, progress=False)
    hs.run(CHAIN, out=tmp_path / "simulated", progress=False)
    for force in (False, True):
        with pytest.raises(InputError, match=r"--out .*simulated: holds simulations; name another folder"):
            stored.check(tmp_path / "simulated", force=force)
    with pytest.raises(
        InputError, match="is there and not empty; name another folder, or replace its run with --force"
    ):
        stored.check(folder, force=False)
    stored.check(folder, force=True)
    stored.check(tmp_path / "new", force=False)
    with pytest.raises(InputError, match="is a file; expected a folder"):
        stored.check(folder / "manifest.json", force=True)


def test_two_runs_of_one_scenario_have_keys_of_their_own(keep: Keep) -> None:
    keys = []
    for _ in range(2):
        manifest = json.loads((keep() / "manifest.json").read_text())
        keys += manifest["scenarios"][0]["points"][0]["keys"]
    assert len(set(keys)) == 2
    [point] = hs.open_store(keep()).results()[0].points
    assert len(point.runs) == 1  # the one that was written last


def test_what_runs_again_is_refused_by_name(keep: Keep, tmp_path: Path) -> None:
    folder = keep()
    why = "holds a run on real stacks, which cannot be done again; hopscope show, report, explain and compare read it"
    asked: list[Callable[[], Any]] = [
        lambda: hs.verify(folder),
        lambda: hs.trace(folder),
        lambda: hs.pcap(folder, tmp_path / "x.pcapng"),
        lambda: hs.report(folder, timelines=["0s..10ms"]),
        lambda: hs.report(folder, sequences=[0]),
        lambda: hs.report(folder, interactive=True),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=why):
            ask()
    [result] = hs.open_store(folder).results()
    for again in (result.timeline, result.sequence):
        with pytest.raises(RunFailed, match="a run on real stacks cannot be done again"):
            again()
    with pytest.raises(RunFailed, match="kept no airtime ledger"):
        result.explain()


def test_its_ledger_is_shown_and_one_without_is_refused(keep: Keep, tmp_path: Path) -> None:
    refused = "its runs kept no airtime ledger; explain = true, or hopscope live --explain, keeps it"
    assert said("explain", str(keep())).endswith(refused)
    shown = said("explain", str(keep(explain=True)))
    assert shown.startswith("Real stacks, verdict ok")
    assert "Where the time of each node goes (%)" in shown
    assert "Where the time of each link goes" in shown
    [result] = hs.open_store(tmp_path / "real").results()
    assert len(result.explain().points[0].nodes) == 4
    assert result.explain().points[0].delays == []
    assert "is a store, whose runs are as they are; --seeds is for a scenario file" in said(
        "explain", str(tmp_path / "real"), "--seeds", "3"
    )


def test_simulated_and_real_stand_side_by_side(keep: Keep) -> None:
    [real] = hs.open_store(keep()).results()
    simulated = hs.run({**CHAIN, "title": "street"}, progress=False)
    assert hs.compare(simulated, real, "flow.1.throughput_kbps").mean_difference > 0
    assert "real stacks" in str(hs.contrasts(simulated, real)._repr_html_())


def test_what_is_kept_of_simulated_flows_alone_is_said() -> None:
    keys = {"distributions": True, "series": {"keep": ["cwnd"]}}
    assert outcome.left_empty(keys, kernel_flows=True) == [
        "distributions and series.keep: nothing is kept of flows over kernels"
    ]
    assert outcome.left_empty(keys, kernel_flows=False) == outcome.left_empty({}, kernel_flows=True) == []


def test_a_point_of_a_sweep_becomes_a_scenario_of_its_own() -> None:
    swept = {**CHAIN, "seeds": 5, "sweep": {"flow.0.max_window": [2, 4]}}
    of = outcome.of_one(pick(swept, point=1, seed=3), {"duration": 7.5})
    assert (of.scenario.seeds, of.scenario.seed, of.scenario.axes) == (1, 3, {})
    assert of.point.resolved["flow"][0]["max_window"] == 4
    assert of.point.duration_s == 7.5
    assert outcome.of_one(of, {}).scenario.title == of.scenario.title
