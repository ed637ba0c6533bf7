"""Execution: workers, shards, other executors, failures, interruption."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import wait as wait_for_all
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hopscope as hs
from hopscope import _core
from hopscope.campaign import cost, execute
from hopscope.campaign.plan import make_plan, shard_of
from hopscope.campaign.progress import Tally
from hopscope.errors import InputError, Interrupted
from runfiles import names


def text(result: hs.Result) -> str:
    document = result.to_json()
    for point in document["points"]:
        for run in point["runs"]:
            run["engine"] = {k: v for k, v in run["engine"].items() if k != "wall_s"}
    return json.dumps(document)


def test_the_number_of_workers_does_not_change_the_result(chain: Path) -> None:
    assert text(hs.run(chain, jobs=1)) == text(hs.run(chain, jobs=2)) == text(hs.run(chain, jobs=7))


def test_another_executor_gives_the_same_result(chain: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert text(hs.run(chain, executor=pool)) == text(hs.run(chain, jobs=1))


def test_shards_are_disjoint_complete_and_merge_in_one_store(chain: Path, tmp_path: Path) -> None:
    runs = make_plan([hs.load(chain)]).unique()
    parts = [[run.key for run in shard_of(runs, (i, 3))] for i in (1, 2, 3)]
    assert sorted(key for part in parts for key in part) == sorted(run.key for run in runs)
    store = tmp_path / "store"
    for i in (1, 2, 3):
        result = hs.run(chain, out=store, shard=(i, 3))
        assert result.partial == (i < 3)
    assert text(result) == text(hs.run(chain))
    with pytest.raises(InputError, match=r"expected \(i, n\)"):
        hs.run(chain, shard=(4, 3))


def test_a_shard_sees_what_another_finished_meanwhile(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, nested = _core.run, []

    def run_with_neighbour(config: _core.Config, *rest: Any) -> _core.Outcome:
        if not nested:
            nested.append(True)
            hs.run(chain, out=tmp_path / "store", shard=(2, 2))
        return real(config, *rest)

    monkeypatch.setattr(_core, "run", run_with_neighbour)
    result = hs.run(chain, out=tmp_path / "store", shard=(1, 2), jobs=1)
    assert not result.partial
    assert len(pd.read_parquet(tmp_path / "store" / "flows.parquet")) == 4


def test_a_failed_run_is_reported_and_the_rest_kept(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _core.run

    def flaky(config: _core.Config, *rest: Any) -> _core.Outcome:
        if config.values()["seed"] == 2:
            raise RuntimeError("station 3 at 1.5 s: broken")
        return real(config, *rest)

    monkeypatch.setattr(_core, "run", flaky)
    result = hs.run(chain, out=tmp_path / "store")
    assert [(f.point, f.seed) for f in result.failures] == [(0, 2), (1, 2)]
    assert result.failures[0].message == "RuntimeError: station 3 at 1.5 s: broken"
    assert [[run["seed"] for run in p.runs] for p in result.points] == [[1], [1]]
    assert len(names(tmp_path / "store")) == 2
    monkeypatch.undo()
    assert hs.run(chain, out=tmp_path / "store").failures == []


def test_interruption_stops_running_work_and_keeps_the_rest(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, started, finished = _core.run, threading.Event(), []

    def slow(config: _core.Config, cancel: _core.CancelToken, progress: Any) -> _core.Outcome:
        if config.values()["seed"] == 1:
            return real(config, cancel, progress)
        started.set()
        while not cancel.is_set():
            threading.Event().wait(0.01)
        finished.append(config)
        raise _core.Cancelled

    def wait(futures: Any, **_: Any) -> Any:
        # The key comes when both short runs have ended, one of them collected and one not yet.
        short = [f for f, run in futures.items() if run.seed == 1]
        wait_for_all(short)
        assert started.wait(60)
        if len(short) == 2:
            return {short[0]}, set(futures) - {short[0]}
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "run", slow)
    monkeypatch.setattr(execute, "wait", wait)
    with pytest.raises(Interrupted, match="2 of 4 runs finished and are kept") as caught:
        hs.run(chain, out=tmp_path / "store", jobs=4)
    assert caught.value.exit_status == 130
    assert len(names(tmp_path / "store")) == 2
    assert finished
    monkeypatch.undo()
    assert not hs.run(chain, out=tmp_path / "store").partial


def test_jobs_below_one_are_refused(chain: Path) -> None:
    with pytest.raises(InputError, match="jobs: found 0"):
        hs.run(chain, jobs=0)


def test_progress_counts_simulated_seconds() -> None:
    scenario = hs.Scenario(topology={"kind": "chain", "hops": 1}, flow=[{"from": 0, "to": 1}], duration=4, seeds=2)
    tally, runs = Tally(), make_plan([scenario]).unique()
    tally.advanced(runs[0].key, 1.0)
    tally.advanced(runs[1].key, 3.0)
    assert tally.seconds == 4.0
    tally.finished(runs[0], None)
    tally.finished(runs[1], "broken")
    assert (tally.seconds, tally.runs, tally.failures) == (8.0, 2, 1)


def test_cost_grows_with_the_work(chain: Path) -> None:
    runs = make_plan([hs.load(chain)]).unique()
    long = make_plan([hs.load(chain, {"duration": "31536000s", "seeds": 4})]).unique()
    small, large = cost.estimate(runs, 1), cost.estimate(long, 1)
    assert not small.is_large
    assert large.is_large
    assert large.events > 1e6 * small.events
    assert cost.estimate(long, 2).wall_s == pytest.approx(large.wall_s / 2)


def test_cost_counts_flows(chain: Path) -> None:
    few, many = (
        cost.estimate(make_plan([hs.load(chain, {"flow.0.copies": copies, "sweep": {}})]).unique(), 1)
        for copies in (10, 10_000)
    )
    assert many.wall_s > few.wall_s + 9_990 * 20e-6
    assert many.memory_bytes > few.memory_bytes + 9_990 * 2_000
