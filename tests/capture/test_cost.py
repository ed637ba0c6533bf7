"""What a capture costs, in processor time."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path

from hopscope import Scenario, _core

CHAIN = {
    "duration": "60s",
    "topology": {"kind": "chain", "hops": 7, "spacing": "200m"},
    "flow": [{"from": 0, "to": 7, "transport": "tcp-newreno", "max_window": 32}],
}

#: A capture slows a run at most so many times (issue: captures).
MOST = 3.0


def test_a_capture_of_the_chain_slows_the_run_at_most_three_times(tmp_path: Path) -> None:
    config = Scenario(CHAIN).points[0].config_json(1)
    paths = (tmp_path / f"{number}.pcapng" for number in itertools.count())

    def least(work: Callable[[], object]) -> float:
        times = []
        for _ in range(7):
            begun = time.thread_time()
            work()
            times.append(time.thread_time() - begun)
        return min(times)

    plain = least(lambda: _core.run(config))
    captured = least(lambda: _core.capture(config, next(paths), json.dumps({}), "chain"))
    assert (tmp_path / "0.pcapng").stat().st_size > 50_000_000
    assert captured <= MOST * plain, f"{captured:.3f} s with a capture, {plain:.3f} s without"
