"""Batches of runs for executors of other processes: their size, and what becomes of those that are lost."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.campaign import batches
from hopscope.campaign.batches import Batches, slots_of
from hopscope.campaign.plan import Run, make_plan

PAIR = {"topology": {"kind": "chain", "hops": 1}, "flow": [{"from": 0, "to": 1}]}


def runs_of(seeds: int, **keys: Any) -> list[Run]:
    return make_plan([hs.Scenario({**PAIR, "duration": "1s", "seeds": seeds, **keys})]).unique()


class Here(Executor):
    """Does what it is given at once, unless it is to lose it."""

    def __init__(self, slots: int, lose: Any = lambda tasks: None) -> None:
        self.slots = slots
        self.lose = lose
        self.batches: list[list[int]] = []
        self.configs = 0

    def submit(self, fn: Any, /, build: str, tasks: Any, report: Any) -> Future[Any]:
        self.batches.append([seed for task in tasks for _, seed in task.runs])
        self.configs += len(tasks)
        future: Future[Any] = Future()
        if (error := self.lose(self.batches[-1])) is not None:
            future.set_exception(error)
        else:
            try:
                future.set_result(fn(build, tasks, report))
            except hs.HopscopeError as refused:
                future.set_exception(refused)
        return future


def test_batches_take_about_a_second_and_become_smaller_towards_the_end() -> None:
    given = Batches(runs_of(1000), slots=2)
    first = given.next()
    assert len(first) == 1  # nothing is known yet
    given.took(first, 0.01)
    sizes = []
    while batch := given.next():
        sizes.append(len(batch))
    assert sum(sizes) == 999
    assert 98 <= sizes[0] <= max(sizes) <= 101  # runs of 10 ms
    assert sizes[-4:] == [1] * 4


def test_a_point_that_costs_more_comes_in_smaller_batches() -> None:
    runs = runs_of(200, sweep={"duration": ["1s", "100s"]})
    given = Batches(runs, slots=1)
    first = given.next()
    given.took(first, 0.01)
    small = given.next()
    while (large := given.next())[0].point is small[0].point:
        pass
    assert len(small) in (98, 99, 100)
    assert len(large) == 1


def test_runs_of_a_point_travel_with_one_configuration() -> None:
    here = Here(1)
    result = hs.run({**PAIR, "duration": "1s"}, seeds=50, executor=here)
    assert result.points[0].seeds == list(range(1, 51))
    assert len(here.batches) < 30
    assert here.configs == len(here.batches)
    own = Here(1)
    field = {"kind": "random", "nodes": 5, "area": [200, 200], "seed": "run"}
    hs.run({**PAIR, "topology": field, "duration": "1s"}, seeds=6, executor=own)
    assert own.configs == 6


def test_of_a_batch_that_is_lost_only_the_run_at_fault_fails() -> None:
    def lose(seeds: list[int]) -> Exception | None:
        return RuntimeError("the worker ended") if 30 in seeds else None

    here = Here(1, lose)
    result = hs.run({**PAIR, "duration": "1s"}, seeds=50, executor=here)
    assert [(one.seed, one.message) for one in result.failures] == [(30, "RuntimeError: the worker ended")]
    assert len(result.points[0].runs) == 49


def test_a_worker_of_another_build_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Here(1)
    monkeypatch.setattr(batches, "run_tasks", lambda _build, *rest: RUN_TASKS("0" * 16, *rest))
    result = hs.run({**PAIR, "duration": "1s"}, seeds=2, executor=here)
    assert {one.message for one in result.failures} == {
        f"a worker has engine build {_core.build_id()}, and {'0' * 16} asked for the run; install the same version "
        "of Hopscope where the workers are"
    }


def test_runs_that_nobody_waits_for_end() -> None:
    [one, *_] = runs_of(1, duration="1000000s")
    task = batches.Task(one.config(), [], [(one.key, 1), ("another", 2)])
    reported = []
    [first, second], _ = batches.run_tasks(_core.build_id(), [task], lambda *said: bool(reported.append(said)))
    assert first.document is None
    assert second.document is None
    assert {key for key, _ in reported} == {one.key}


RUN_TASKS = batches.run_tasks


def end_process(*_: Any) -> None:
    os._exit(1)


def test_a_pool_that_breaks_fails_its_runs_and_keeps_the_others(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert slots_of(pool) == 1
        hs.run(chain, seeds=1, executor=pool, out=tmp_path / "store")
        monkeypatch.setattr(batches, "run_tasks", end_process)
        result = hs.run(chain, seeds=2, executor=pool, out=tmp_path / "store")
    assert [one.seed for one in result.failures] == [2, 2]
    assert all("BrokenProcessPool" in one.message for one in result.failures)
    assert [point.seeds for point in result.points] == [[1], [1]]
