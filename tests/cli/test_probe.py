"""``hopscope probe``: its table, its JSON, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopscope import _core
from hopscope.probing import METHODS

#: Three wires, the second the narrowest, and a flow of others over it.
WIRES = {
    "duration": "60s",
    "topology": {"kind": "wired", "wired": 4},
    "wire": [{"from": n, "to": n + 1, "rate": rate, "delay": "2ms"} for n, rate in enumerate((10e6, 1e6, 4e6))],
    "flow": [{"from": 1, "to": 2, "transport": "udp", "app": "cbr", "rate": "378kbps", "packet": 472}],
}


def test_every_method_is_known_to_the_command(hopscope: Any, tmp_path: Path) -> None:
    file = tmp_path / "wires.toml"
    file.write_text(_core.to_toml(WIRES), encoding="utf-8")
    ends = ("--from", "0", "--to", "3", "--seeds", "1")
    done = hopscope("probe", str(file), *ends, "--method", "packet-pair", "--method", "tibet", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [run["method"] for run in document["runs"]] == ["packet-pair", "tibet"]
    assert document["runs"][0]["truth"]["capacity_kbps"] == pytest.approx(1000, rel=0.01)
    assert document["runs"][0]["estimate"]["capacity_kbps"] == pytest.approx(1000, rel=0.01)
    shown = hopscope("probe", str(file), *ends, "--method", "packet-pair")
    assert "the path itself" in shown.stdout
    assert "node 0 to node 3, 1500-byte packets" in shown.stdout
    listed = hopscope("probe", "--help").stdout
    assert all(method in listed for method in METHODS)
    everything = hopscope("probe", str(file), *ends, "--method", "all", "--json")
    reported = [run["method"] for run in json.loads(everything.stdout)["runs"]]
    assert reported == [method for method in METHODS if method != "tcp-ap"], "which counts hops over radio"


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, ("--method", "pathload"), "unknown method; allowed: packet-pair, packet-pair-by-acks, vps"),
        ({}, ("--method", "slop"), 'did you mean "slops"?'),
        ({}, ("--method", "tcp-ap"), "counts hops over radio"),
        ({}, ("--method", "vps", "--from", "0"), "--from and --to: give both"),
        ({}, ("--method", "vps", "--from", "0", "--to", "4"), "--to 4: no such node; allowed are 0 to 3"),
        ({}, ("--method", "vps", "--from", "2", "--to", "2"), "a path has two ends"),
        ({}, ("--method", "vps", "--size", "20"), "--size 20: must be at least 64 bytes"),
        ({}, ("--method", "vps", "--after", "soon"), "--after soon: expected a time"),
        ({"sweep": {"flow.0.packet": [100, 200]}}, ("--method", "vps"), "sweeps flow.0.packet"),
    ],
)
def test_what_cannot_be_probed_is_refused(
    hopscope: Any, tmp_path: Path, change: dict[str, Any], options: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "wires.toml"
    file.write_text(_core.to_toml({**WIRES, **change}), encoding="utf-8")
    done = hopscope("probe", str(file), *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
