"""Campaigns on the workers of Dask: the same results, workers that are killed, schedulers that do not answer."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope.campaign import cluster
from hopscope.campaign.execute import execute
from hopscope.campaign.plan import Run, make_plan
from hopscope.errors import Interrupted

distributed = pytest.importorskip("distributed")

LONG = {
    "title": "long chain",
    "duration": "200s",
    "seeds": 6,
    "topology": {"kind": "chain", "hops": 7},
    "flow": [{"from": 0, "to": 7}],
}


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    quiet = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_TEMPORARY_DIRECTORY": str(folder)}
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, **quiet}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


class Workers:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.folder = folder
        options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-jupyter"]
        self.scheduler = start(folder, "distributed.cli.dask_scheduler", *options)
        self.workers: list[subprocess.Popen[bytes]] = []

    def add(self, number: int) -> None:
        options = [self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        self.workers += [start(self.folder, "distributed.cli.dask_worker", *options) for _ in range(number)]
        with distributed.Client(self.address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(len([one for one in self.workers if one.poll() is None]), timeout=60)

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    made = Workers(tmp_path)
    try:
        made.add(2)
        yield made
    finally:
        made.end()


def values(result: hs.Result) -> str:
    runs = [dict(run) for point in result.points for run in point.runs]
    return json.dumps([{name: run[name] for name in ("seed", "flows", "network")} for run in runs], default=str)


class Noted:
    """Notes what is reported of the work."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.ended: list[str] = []
        self.began = threading.Event()

    def advanced(self, key: str, seconds: float) -> None:
        self.seconds.setdefault(key, []).append(seconds)
        self.began.set()

    def finished(self, run: Run, failure: str | None) -> None:
        assert failure is None
        self.ended.append(run.key)


def test_workers_of_dask_give_the_same_results_and_a_killed_one_loses_none(workers: Workers, chain: Path) -> None:
    expected = values(hs.run(chain, jobs=1))
    assert values(hs.run(chain, executor=workers.address)) == expected
    with distributed.Client(workers.address, set_as_default=False) as client:
        assert values(hs.run(chain, executor=client)) == expected
        assert values(hs.run(chain, executor=client.get_executor())) == expected

    # Workers report how far they are; the runs of one that is killed are done by the other.
    runs, noted, documents = make_plan([hs.Scenario(LONG)]).unique(), Noted(), {}
    killer = threading.Thread(target=lambda: (noted.began.wait(60), workers.workers[0].send_signal(signal.SIGKILL)))
    killer.start()
    with cluster.cluster(workers.address) as pool:
        assert pool.slots == 2
        execute(
            runs, lambda run, found: documents.update({run.key: found.document()}), fail, executor=pool, watcher=noted
        )
    killer.join()
    assert workers.workers[0].wait(10) == -signal.SIGKILL
    assert sorted(documents) == sorted(noted.ended) == sorted(run.key for run in runs)
    assert max(max(seconds) for seconds in noted.seconds.values()) > 1

    # What the client takes back ends.
    ended: list[Run] = []

    def interrupt(run: Run, found: object) -> None:
        ended.append(run)
        if len(ended) == 1:
            raise KeyboardInterrupt

    short_and_long = make_plan([hs.Scenario(LONG | {"seeds": 1, "sweep": {"duration": ["2s", "10000000s"]}})]).unique()
    with distributed.Client(workers.address, set_as_default=False) as client:
        pool = cluster.Cluster(client, workers.address)
        with pytest.raises(Interrupted):
            execute(short_and_long, interrupt, fail, executor=pool)
        waited = time.monotonic()
        while any(client.run(lambda dask_worker: len(dask_worker.active_threads)).values()):
            assert time.monotonic() - waited < 30
            time.sleep(0.2)


def fail(run: Run, message: str) -> None:
    raise AssertionError(message)


def test_a_scheduler_that_is_lost_fails_the_rest_and_keeps_what_is_done(workers: Workers, tmp_path: Path) -> None:
    ended = threading.Timer(1.5, workers.scheduler.kill)
    ended.start()
    result = hs.run({**LONG, "seeds": 400}, executor=workers.address, out=tmp_path / "store")
    assert result.failures
    assert {failure.message for failure in result.failures} == {
        "the executor gave it up: its scheduler was lost, or somebody cancelled it"
    }
    there = sum(len(point.runs) for point in result.points)
    assert there + len(result.failures) == 400
    assert hs.verify(tmp_path / "store", sample=0).problems == ()


def test_an_address_that_does_not_answer_is_one_line_and_writes_nothing(
    tmp_path: Path, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.3)
    for address in ("tcp://127.0.0.1:1", "nowhere.invalid:8786", "no address", "http://127.0.0.1:1", ""):
        begin = time.monotonic()
        with pytest.raises(hs.InputError, match="no Dask scheduler answers there") as refused:
            hs.run(chain, executor=address, out=tmp_path / "store")
        assert "\n" not in str(refused.value)
        assert refused.value.exit_status == 2
        assert time.monotonic() - begin < 30
    assert not (tmp_path / "store").exists()
    with pytest.raises(hs.InputError, match="executor: found int"):
        hs.run(chain, executor=3)


def test_a_worker_of_another_build_is_refused() -> None:
    class Client:
        def __init__(self, found: Any) -> None:
            self.found = found

        def get_executor(self, **_: Any) -> None:
            return None

        def nthreads(self) -> dict[str, int]:
            return {"tcp://a:1": 2}

        def run(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"tcp://a:1": self.found}

    with pytest.raises(hs.InputError, match="worker tcp://a:1 has engine build 0, not"):
        cluster.Cluster(Client("0"), "--dask x")
    with pytest.raises(hs.InputError, match="cannot load Hopscope: No module named 'hopscope'; install it there"):
        cluster.Cluster(Client(ModuleNotFoundError("No module named 'hopscope'")), "--dask x")
