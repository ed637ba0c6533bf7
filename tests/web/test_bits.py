"""The engine of pages gives the bits of the native one: hash of every frame, and all results but the wall time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from configurations import ACKS, CONTROLS, PRESETS, ROUTINGS, TRANSPORTS, configurations

from hopscope import _core

ROOT = Path(__file__).resolve().parents[2]
WASM = ROOT / "python" / "hopscope" / "web" / "engine.wasm.gz"
SCRIPT = ROOT / "web" / "test" / "bits.mjs"
DRIVER = ROOT / "web" / "node_modules" / "playwright-core"

#: The continuous check runs all; on a desk these many take a few seconds.
ALL, FEW = 200, 30


@pytest.fixture(params=["node", "chromium"])
def command(request: pytest.FixtureRequest) -> list[str]:
    """What runs the engine of pages; where a part of it is missing the tests are left out, and say so."""
    programs = {name: shutil.which(name) for name in {"node", request.param}}
    there = {
        **{name: found is not None for name, found in programs.items()},
        "engine.wasm.gz (`make web`)": WASM.exists(),
        "web/node_modules (`make web`)": request.param == "node" or DRIVER.exists(),
    }
    missing = sorted(what for what, found in there.items() if not found)
    if missing and not os.environ.get("HOPSCOPE_ALL_TOOLS"):
        pytest.skip(f"left out: the engine of pages, which needs {' and '.join(missing)}")
    assert not missing, f"missing: {', '.join(missing)}"
    browser = [programs["chromium"]] if request.param == "chromium" else []
    return [str(part) for part in (programs["node"], SCRIPT, WASM, *browser)]


def _results(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    del found["engine"]["wall_s"]
    return found


def test_every_word_of_the_engine_occurs() -> None:
    words = set().union(*(words for words, _, _ in configurations(ALL, 42)))
    wanted = {*PRESETS, *TRANSPORTS, *ROUTINGS, *(f"control {name}" for name in CONTROLS)}
    wanted |= {f"ack {name}" for name in ACKS}
    wanted |= {"sinr", "rayleigh", "nakagami", "correlated", "qos", "minstrel-ht", "minstrel", "ideal", "explain"}
    wanted |= {"random-waypoint", "gauss-markov"}
    assert wanted <= words, sorted(wanted - words)


def test_results_and_frames_are_those_of_the_native_engine(command: list[str]) -> None:
    drawn = configurations(ALL if os.environ.get("HOPSCOPE_ALL_TOOLS") else FEW, 42)
    requests = "".join(json.dumps({"text": text}) + "\n" for _, text, _ in drawn)
    ran = subprocess.run(command, input=requests, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(answers) == len(drawn)
    differing = []
    for (words, text, scenario), answer in zip(drawn, answers, strict=True):
        config = scenario.points[0].engine_config(scenario.seed)
        native = f"{_core.trajectory(config):016x}", _results(_core.run(config).text())
        if native != (answer["hash"], _results(answer["results"])):
            differing.append(f"{sorted(words)}\n{text}")
    assert not differing, f"{len(differing)} of {len(drawn)} differ, the first:\n{differing[0]}"
