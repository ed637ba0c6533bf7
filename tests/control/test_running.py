"""Congestion controls in Python at work: beside the engine's own, over seeds, sweeps, workers and stores."""

from __future__ import annotations

import json
import math
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscope as hs
from hopscope import _core
from hopscope.campaign import execute
from hopscope.campaign.store import open_store
from hopscope.errors import Interrupted

CHAIN: dict[str, Any] = {
    "title": "own",
    "duration": "20s",
    "topology": {"kind": "chain", "hops": 4},
    "mac": {"queue": 4},
    "flow": [{"from": 0, "to": 4, "packet": 1000}],
}


class NewReno(hs.CongestionControl):
    """RFC 5681 written out."""

    def on_ack(self, flow: hs.FlowState) -> float | None:
        if not flow.window_limited:
            return None
        return flow.cwnd + (min(flow.acked, 1.0) if flow.cwnd < flow.ssthresh else 1.0 / flow.cwnd)

    def on_loss(self, flow: hs.FlowState) -> float:
        return max(flow.in_flight / 2, 2.0)

    def on_timeout(self, flow: hs.FlowState) -> float:
        return 1.0


class Inherited(hs.CongestionControl):
    """Every method of the base, through Python."""

    def on_ack(self, flow: hs.FlowState) -> Any:
        return super().on_ack(flow)

    def on_loss(self, flow: hs.FlowState) -> Any:
        return super().on_loss(flow)

    def on_timeout(self, flow: hs.FlowState) -> Any:
        return super().on_timeout(flow)

    def on_rtt(self, flow: hs.FlowState) -> Any:
        return super().on_rtt(flow)


class Aimd(hs.CongestionControl):
    """With other constants."""

    increase = 1.0
    decrease = 0.5

    def on_ack(self, flow: hs.FlowState) -> float:
        return flow.cwnd + self.increase / flow.cwnd

    def on_loss(self, flow: hs.FlowState) -> float:
        return max(self.decrease * flow.in_flight, 1.0)


class Dice(hs.CongestionControl):
    """Draws its window."""

    def on_ack(self, flow: hs.FlowState) -> float:
        return self.random.uniform(1, 8)


def chain(transport: object, **changes: Any) -> hs.Scenario:
    flow = {**CHAIN["flow"][0], "transport": transport}
    return hs.Scenario({**CHAIN, "flow": [flow], **changes})


def text(result: hs.Result) -> str:
    document = result.to_json()
    for point in document["points"]:
        for run in point["runs"]:
            run["engine"] = {name: value for name, value in run["engine"].items() if name != "wall_s"}
    return json.dumps(document)


def without_name(result: hs.Result) -> list[dict[str, Any]]:
    return [{name: v for name, v in flow.items() if name != "transport"} for flow in result.points[0].runs[0]["flows"]]


@pytest.mark.parametrize("cls", [NewReno, Inherited])
@pytest.mark.parametrize("recovery", ["newreno", "sack", "rack"])
def test_newreno_in_python_is_newreno_in_rust(cls: type[hs.CongestionControl], recovery: str) -> None:
    more = {"series": {"keep": ["cwnd", "rtt"]}, "tcp": {"loss_recovery": recovery}}
    mine, built_in = hs.run(chain(cls, **more)), hs.run(chain("tcp-newreno", **more))
    for name in ("cwnd", "rtt"):
        assert mine.series(name, flow=0).equals(built_in.series(name, flow=0))
    assert without_name(mine) == without_name(built_in)
    losses = mine.flows["fast_retransmits"].sum()
    assert losses > 0
    assert mine.series("cwnd", flow=0)["value"].nunique() > 50
    assert mine.flows["transport"].unique().tolist() == [f"tcp:{cls.__name__}"]


def test_parameters_make_a_difference_and_are_swept() -> None:
    scenario = chain(Aimd, sweep={"flow.0.control.decrease": [0.5, 0.9], "flow.0.control.increase": [1.0, 0.1]})
    result = hs.run(scenario)
    windows = {tuple(p.set.values()): p.interval("flow.0.mean_cwnd").mean for p in result.points}
    assert len(set(windows.values())) == 4
    fixed = hs.run(chain(Aimd).replace({"flow.0.control": {"decrease": 0.9, "increase": 0.1}}))
    assert fixed.interval("flow.0.mean_cwnd").mean == windows[0.9, 0.1]


def test_a_sweep_sets_it_beside_built_in_ones(tmp_path: Path) -> None:
    scenario = chain("tcp-newreno", sweep={"flow.0.transport": ["tcp-newreno", NewReno, "tcp-vegas"]})
    result = hs.run(scenario, out=tmp_path / "store")
    found = [(p.set["flow.0.transport"], p.runs[0]["flows"][0]["transport"]) for p in result.points]
    assert found == [("tcp-newreno", "tcp-newreno"), ("tcp:NewReno", "tcp:NewReno"), ("tcp-vegas", "tcp-vegas")]
    newreno, mine, vegas = (p.interval("flow.0.throughput_kbps").mean for p in result.points)
    assert newreno == mine != vegas
    import pandas as pd

    assert set(pd.read_parquet(tmp_path / "store" / "flows.parquet")["flow.0.transport"]) == {f for f, _ in found}


def test_random_numbers_follow_the_seed_alone() -> None:
    scenario = chain(Dice, seeds=6)
    one, three = hs.run(scenario, jobs=1), hs.run(scenario, jobs=3)
    assert text(one) == text(three)
    assert len({run["flows"][0]["received_bytes"] for run in one.points[0].runs}) > 3


def test_each_flow_of_each_run_has_an_object_of_its_own() -> None:
    made: list[Counting] = []

    class Counting(hs.CongestionControl):
        def __init__(self) -> None:
            self.seen: list[float] = []
            made.append(self)

        def on_ack(self, flow: hs.FlowState) -> None:
            self.seen.append(flow.now_s)

    flow = {"from": 0, "to": 4, "transport": Counting}
    hs.run({**CHAIN, "seeds": 2, "flow": [{**flow, "copies": 2}, {**flow, "from": 4, "to": 0}]}, jobs=2)
    assert len(made) == 6
    assert all(len(c.seen) > 10 and c.seen == sorted(c.seen) for c in made)


FILE = """\
import hopscope as hs

class Own(hs.CongestionControl):
    share = 0.5

    def on_loss(self, flow):
        return max(self.share * flow.in_flight, 2.0)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(FILE)
    path = tmp_path / "own.toml"
    path.write_text(
        'title = "own"\nduration = "5s"\nseeds = 2\n[topology]\nkind = "chain"\nhops = 4\n[mac]\nqueue = 4\n'
        '[[flow]]\nfrom = 0\nto = 4\n[sweep]\n"flow.0.transport" = ["tcp-newreno", "tcp:own.py:Own"]\n'
    )
    return path


def test_an_executor_of_processes_reads_the_file_itself(file: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert text(hs.run(file, executor=pool)) == text(hs.run(file, jobs=1))


def test_a_changed_class_is_run_anew_and_nothing_else(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, done = _core.run, []

    def counted(config: _core.Config, *rest: Any) -> _core.Outcome:
        done.append(config.values()["flows"][0]["transport"])
        return real(config, *rest)

    monkeypatch.setattr(_core, "run", counted)
    store = file.parent / "store"
    first = hs.run(file, out=store)
    assert sorted(done) == ["tcp-external"] * 2 + ["tcp-newreno"] * 2
    done.clear()
    assert text(hs.run(file, out=store)) == text(first)
    assert done == []
    source = file.with_name("own.py")
    source.write_text(FILE.replace("0.5", "0.9"))
    hs.run(file, out=store)
    assert done == ["tcp-external"] * 2
    done.clear()
    source.write_text(FILE)
    assert text(hs.run(file, out=store)) == text(first)
    hs.run(file, out=store, set={"flow.0.transport": "tcp:own.py:Own", "flow.0.control.share": 0.5})
    assert done == []


def test_a_store_is_read_without_the_class_and_says_when_it_is_needed(file: Path) -> None:
    store = file.parent / "store"
    result = hs.run(file, out=store)
    file.with_name("own.py").write_text("raise SystemExit('reading a store runs nobody')\n")
    [again] = open_store(store).results()
    assert text(again) == text(result)
    source = file.with_name("own.py")
    failed = hs.run(again.scenario, seeds=3).failures
    assert [f.seed for f in failed] == [1, 2, 3]
    assert "reading a store runs nobody" in failed[0].message
    source.write_text(FILE.replace("0.5", "0.6"))
    assert "Own has changed; run the scenario itself" in hs.run(again.scenario, seeds=3).failures[0].message
    source.write_text(FILE)
    assert not hs.run(again.scenario, seeds=3).failures


class Returns(hs.CongestionControl):
    """Returns what it is set to, from the tenth ACK on."""

    what: Any = None

    def __init__(self) -> None:
        self.acks = 0

    def on_ack(self, flow: hs.FlowState) -> Any:
        self.acks += 1
        return type(self).what if self.acks >= 10 else None


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (math.nan, "on_ack returned nan; a window is a finite number of segments above 0"),
        (math.inf, "on_ack returned inf; a window is"),
        (-1, "on_ack returned -1; a window is"),
        (0, "on_ack returned 0; a window is"),
        (10**400, "on_ack returned 1000"),
        (1j, "on_ack returned 1j; expected None, a window in segments, or (window, pacing rate"),
        (True, "on_ack returned True; expected None"),
        ("4", "on_ack returned '4'; expected None"),
        ([4], "on_ack returned [4]; expected None"),
        ((4,), "on_ack returned (4,); expected None"),
        ((4, 5, 6), "on_ack returned (4, 5, 6); expected None"),
        ((4, 0), "on_ack returned (4, 0); a pacing rate is 0.001 to 1e9 segments per second"),
        ((4, math.nan), "on_ack returned (4, nan); a pacing rate"),
        ((4, math.inf), "on_ack returned (4, inf); a pacing rate"),
        ((math.nan, 4), "on_ack returned (nan, 4); a window"),
        (("a", 4), "on_ack returned ('a', 4); expected None"),
        ((4, "fast"), "on_ack returned (4, 'fast'); expected None"),
        ("x" * 500, "...; expected None"),
    ],
)
def test_what_is_no_window_ends_the_run(what: object, message: str) -> None:
    class Wrong(Returns):
        pass

    Wrong.what = what
    [failure] = hs.run(chain(Wrong)).failures
    assert failure.message.startswith("flow 0 at ")
    assert " s: Wrong." in failure.message
    assert message in failure.message
    assert len(failure.message) < 300


@pytest.mark.parametrize(
    "what", [None, 4, 4.5, np.float32(4), np.int64(4), (4, 100), (None, 100.0), (4, None), (None, None)]
)
def test_what_is_a_window_is_taken(what: object) -> None:
    class Right(Returns):
        pass

    Right.what = what
    result = hs.run(chain(Right))
    assert not result.failures
    assert result.flows["received_packets"].min() > 100


@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.floats() | st.integers() | st.booleans() | st.text(max_size=5),
        lambda inner: st.tuples(inner, inner) | st.lists(inner, max_size=3),
        max_leaves=3,
    )
)
def test_whatever_a_method_returns_the_run_ends_well_or_with_its_reason(what: object) -> None:
    class Anything(hs.CongestionControl):
        def on_ack(self, flow: hs.FlowState) -> Any:
            assert 1 <= flow.cwnd <= flow.max_window == 32
            return what

        on_loss = on_timeout = on_rtt = on_every_ack = on_sent = on_timer = on_round_trip = on_ack

    result = hs.run(chain(Anything, duration="3s", series={"keep": ["cwnd"]}))
    if result.failures:
        assert " returned " in result.failures[0].message
    else:
        assert result.series("cwnd", flow=0)["value"].between(1, 32).all()


def test_a_round_trip_ends_about_once_in_a_round_trip_time() -> None:
    class Rounds(hs.CongestionControl):
        """Keeps the window at four."""

        def __init__(self) -> None:
            self.last: tuple[float, float] | None = None

        def on_ack(self, flow: hs.FlowState) -> None:
            return None

        def on_round_trip(self, flow: hs.FlowState) -> float:
            if self.last is not None and flow.rtt_s is not None and not flow.in_recovery:
                past, delivered = self.last
                # A round lasts as long as the newest segment of its start was under way, and delivers a window.
                assert 0 < flow.now_s - past <= 2 * flow.rtt_s
                assert 0 < flow.delivered - delivered <= 5
            self.last = flow.now_s, flow.delivered
            return 4.0

    result = hs.run(chain(Rounds, duration="5s"))
    assert not result.failures, result.failures[0].message
    assert result.flows["mean_cwnd"].iloc[0] == pytest.approx(4, abs=0.2)


def test_an_exception_is_shown_with_traceback_flow_and_time() -> None:
    class Raises(hs.CongestionControl):
        def on_rtt(self, flow: hs.FlowState) -> float:
            if flow.now_s > 2:
                return self.helper(0)
            return flow.cwnd

        def helper(self, count: int) -> float:
            return 1 / count

    result = hs.run(chain(Raises, seeds=2, sweep={"flow.0.transport": ["tcp-newreno", Raises]}))
    assert [len(p.runs) for p in result.points] == [2, 0]
    message = result.failures[0].message
    first, *trace = message.splitlines()
    assert first.startswith("flow 0 at 2.")
    assert first.endswith(" s: Raises.on_rtt raised ZeroDivisionError")
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[1].startswith(f'  File "{__file__}", line ')
    assert "return 1 / count" in message
    assert message.endswith("ZeroDivisionError: division by zero")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError, RecursionError])
def test_no_exception_of_a_control_reaches_the_campaign(error: type[BaseException]) -> None:
    class Raises(hs.CongestionControl):
        def on_ack(self, flow: hs.FlowState) -> None:
            raise error

    [failure] = hs.run(chain(Raises)).failures
    assert f"Raises.on_ack raised {error.__name__}" in failure.message


def test_an_object_that_cannot_be_made_fails_its_runs() -> None:
    class Needs(hs.CongestionControl):
        def __init__(self, what: int) -> None:
            self.what = what

    [failure] = hs.run(chain(Needs)).failures
    assert failure.message.startswith("flow 0 at 0 s: Needs cannot be made\nTypeError: ")
    assert "missing 1 required positional argument: 'what'" in failure.message


def test_the_state_is_what_it_says() -> None:
    seen: list[tuple[str, dict[str, Any]]] = []
    names = [n for n in dir(hs.FlowState) if not n.startswith("_")]

    class Looks(hs.CongestionControl):
        def note(self, what: str, flow: hs.FlowState) -> None:
            seen.append((what, {name: getattr(flow, name) for name in names}))
            assert repr(flow).startswith("FlowState(now_s=")
            with pytest.raises(AttributeError):
                flow.cwnd = 3.0  # type: ignore[misc]

        def on_ack(self, flow: hs.FlowState) -> Any:
            self.note("ack", flow)
            cwnd = super().on_ack(flow)
            return cwnd, 200.0

        def on_loss(self, flow: hs.FlowState) -> Any:
            self.note("loss", flow)
            return super().on_loss(flow)

        def on_rtt(self, flow: hs.FlowState) -> None:
            self.note("rtt", flow)

    result = hs.run(chain(Looks, tcp={"loss_recovery": "sack"}))
    acks = [state for what, state in seen if what == "ack"]
    assert acks[0]["ssthresh"] == math.inf
    assert acks[0]["rtt_s"] > 0.02
    assert (acks[0]["pacing_rate"], acks[1]["pacing_rate"]) == (None, 200.0)
    assert {state["packet"] for _, state in seen} == {1000}
    assert {state["hops"] for state in acks} == {4}
    assert acks[-1]["delivered"] * 1000 == pytest.approx(result.flows["received_bytes"][0], rel=0.02)
    assert sum(state["acked"] for state in acks) <= acks[-1]["delivered"]
    rate = np.median([state["delivery_rate"] for state in acks])
    assert rate * 8 == pytest.approx(result.flows["throughput_kbps"][0], rel=0.2)
    losses = [state for what, state in seen if what == "loss"]
    assert losses
    assert all(state["acked"] == 0 and not state["in_recovery"] for state in losses)
    assert any(state["in_recovery"] for what, state in seen if what == "rtt")
    assert all(state["min_rtt_s"] <= state["rtt_s"] for _, state in seen)


def test_the_command_runs_a_file_and_shows_what_failed(file: Path) -> None:
    import os
    import subprocess
    import sys

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hopscope", *arguments]
        return subprocess.run(
            command, cwd=file.parent.parent, capture_output=True, text=True, check=False, timeout=1800, env=os.environ
        )

    good = start("run", str(file), "--out", str(file.parent / "store"))
    assert good.returncode == 0, good.stderr
    assert "tcp:own.py:Own" in good.stdout
    assert "tcp:Own" in good.stdout
    file.with_name("own.py").write_text(FILE.replace("max(self.share", "max(self.shard"))
    part = start("run", str(file), "--out", str(file.parent / "store"))
    assert part.returncode == 3
    assert "AttributeError: 'Own' object has no attribute 'shard'" in part.stderr
    assert "return max(self.shard * flow.in_flight, 2.0)" in part.stderr
    none = start("run", str(file), "--out", str(file.parent / "other"), "--set", "flow.0.transport=tcp:own.py:Own")
    assert none.returncode == 1
    file.with_name("own.py").write_text("class Own: pass\n")
    bad = start("run", str(file), "--out", str(file.parent / "third"))
    assert bad.returncode == 2
    assert (
        "sweep value tcp:own.py:Own: flow.0.transport: own.py: Own is no subclass of hopscope.CongestionControl"
        in bad.stderr
    )
    assert "Traceback" not in bad.stderr
    assert not (file.parent / "third").exists()


class Endless(hs.CongestionControl):
    """Comes back after a minute, and not at all as far as its users know."""

    entered = threading.Event()
    ends: ClassVar[list[str]] = []

    def on_ack(self, flow: hs.FlowState) -> None:
        self.entered.set()
        try:
            for _ in range(6_000):
                time.sleep(0.01)
            self.ends.append("by itself")
        except KeyboardInterrupt:
            self.ends.append("interrupted")
            raise


def test_an_endless_control_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(*_: Any, **__: Any) -> Any:
        assert Endless.entered.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(execute, "wait", wait)
    with pytest.raises(Interrupted):
        hs.run(chain(Endless))
    assert Endless.ends == ["interrupted"]
