"""``hopscope import``: scripts of the usual shape, through ns-2.35 and through an import and a run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import hopscope as hs
from hopscope.scenario.scripts import of_ns2

FILES = Path(__file__).parent / "scripts"
NS = shutil.which("ns")

#: Packets that agents receive in ns-2.35 (Debian 2.35+dfsg-5, ``ns SCRIPT``), by node, without ACKs and set-up.
COUNTS = {
    "chain": {4: 1208},
    "walk": {1: 679, 3: 219, 5: 332},
    "dense": {1: 6838, 2: 6689, 3: 6639},
}

#: Their means over eight seeds of ns-2 (``$defaultRNG seed 1`` to ``8``); one run of the chain varies by 2.3 % (sd).
MEANS = {
    "chain": {4: 1187.6},
    "walk": {1: 679.2, 3: 219, 5: 332},
    "dense": {1: 6750.4, 2: 6713, 3: 6756.8},
}

#: The mean of five seeds lies within so much of that of ns-2.
TOLERANCE = 0.05


@pytest.mark.skipif(NS is None, reason="ns-2 is not installed")
@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_are_those_of_ns2(name: str, tmp_path: Path) -> None:
    for file in FILES.glob("*.tcl"):
        shutil.copy(file, tmp_path)
    subprocess.run([str(NS), f"{name}.tcl"], check=True, capture_output=True, timeout=200, cwd=tmp_path)
    rows = [line.split() for line in (tmp_path / "trace.tr").read_text().splitlines() if line.startswith("r ")]
    of_data = [row for row in rows if row[3] == "AGT" and row[6] != "ack" and not (row[6] == "tcp" and row[7] == "40")]
    assert Counter(int(row[2].strip("_")) for row in of_data) == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_an_imported_script_delivers_what_it_delivers_in_ns2(name: str, tmp_path: Path) -> None:
    text, left = of_ns2(FILES / f"{name}.tcl")
    assert left == []
    (tmp_path / "f.toml").write_text(text)
    scenario = hs.load(tmp_path / "f.toml")
    assert scenario.warnings() == []
    flows = hs.run(scenario, seeds=5, jobs=1).flows
    sizes = [flow["packet"] for flow in scenario.points[0].config(1)["flows"]]
    received: Counter[int] = Counter()
    for flow, to, octets in zip(flows["flow"], flows["to"], flows["received_bytes"], strict=True):
        received[to] += octets / sizes[flow] / 5
    assert received.keys() == MEANS[name].keys()
    assert received == pytest.approx(MEANS[name], rel=TOLERANCE)


def test_the_configuration_of_nodes_becomes_keys(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(of_ns2(FILES / "dense.tcl")[0])
    scenario = hs.load(tmp_path / "f.toml")
    radio, mac = scenario.resolved["radio"], scenario.resolved["mac"]
    assert (scenario.resolved["profile"], scenario.resolved["routing"]["protocol"]) == ("ns2", "dsdv")
    assert (radio["data_rate"], radio["basic_rate"]) == (11e6, 2e6)
    # Friis: 0.125 m / (4 pi) * sqrt(0.1 W / threshold).
    assert (radio["propagation"], radio["tx_range"], radio["cs_range"]) == ("friis", 314.56, 629.12)
    assert (mac["rts_threshold"], mac["queue"]) == (3000, 20)
    tcp = scenario.resolved["flow"][-1]
    assert (tcp["transport"], tcp["max_window"], tcp["packet"]) == ("tcp-reno", 12, 1000)
    assert (tcp["ack"], tcp["ack_delay"], tcp["start"], tcp["stop"]) == ("ns2-delack", 0.1, 62, 75)


def hopscope(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hopscope", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def test_what_is_not_followed_is_listed_by_line(tmp_path: Path) -> None:
    script = (FILES / "chain.tcl").read_text()
    script = script.replace(
        "Mac/802_11 set dataRate_ 2Mb", "Mac/802_11 set dataRate_ 2Mb\nMac/802_11 set fancy_ 3\x1bx"
    )
    script = script.replace("-movementTrace OFF", "-energyModel EnergyModel")
    script = script.replace('puts "Starting', 'set loss [new ErrorModel]\nsource /etc/hostname\nputs "Starting')
    (tmp_path / "script.tcl").write_text(script)
    reported = hopscope(tmp_path, "import", "script.tcl")
    assert reported.returncode == 1
    for word, why in (
        ("fancy_", "the variable fancy_ of Mac/802_11 is not followed"),
        ("node-config", "-energyModel EnergyModel is not followed"),
        ("ErrorModel", "ErrorModel is not followed: set loss [new ErrorModel]"),
        ("/etc/hostname", "source /etc/hostname: lies outside of the folder of the script"),
    ):
        line = next(number for number, text in enumerate(script.splitlines(), 1) if word in text)
        assert f"script.tcl:{line}: {why}" in reported.stderr
    assert "script.tcl: 4 statements not followed; all stand at the beginning of the scenario" in reported.stderr
    assert "\x1b" not in reported.stderr + reported.stdout
    assert "#   script.tcl:77: ErrorModel is not followed" in reported.stdout
    (tmp_path / "f.toml").write_text(reported.stdout)
    assert "f.toml: good" in hopscope(tmp_path, "check", "f.toml").stdout


def test_no_tcl_is_executed(tmp_path: Path) -> None:
    script = (FILES / "chain.tcl").read_text()
    orders = "exec touch made\nset x [exec touch made]\neval {exec touch made}\nset f [open made w]\nputs $f x\n"
    (tmp_path / "script.tcl").write_text(orders + script.replace("$ns_ flush-trace", "exec touch made"))
    reported = hopscope(tmp_path, "import", "script.tcl")
    assert reported.returncode == 1
    assert "script.tcl:3: the statement eval is not followed" in reported.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["script.tcl"]


def test_a_scenario_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "chain.toml"
    hopscope(tmp_path, "import", str(FILES / "chain.tcl"), "--out", str(out))
    assert hs.load(out).resolved["title"] == "chain"
    again = hopscope(tmp_path, "import", str(FILES / "chain.tcl"), "--out", str(out))
    assert (again.returncode, again.stderr) == (2, f"hopscope: --out {out}: is there already; --force replaces it\n")
    (tmp_path / "none.tcl").write_text("set x 1\n")
    none = hopscope(tmp_path, "import", str(tmp_path / "none.tcl"), "--out", str(tmp_path / "none.toml"))
    assert none.returncode == 2
    assert "none.tcl: makes 0 nodes; a scenario needs two at least" in none.stderr
    assert not (tmp_path / "none.toml").exists()
