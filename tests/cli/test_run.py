"""``hopscope run``: output, exit statuses, resume, interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from runfiles import age, names, rewrite, written_since

FLOW_KEYS = {
    "id", "from", "to", "transport", "throughput_kbps", "goodput_kbps", "delay_ms", "jitter_ms", "loss_pct",
    "retransmission_index_pct", "mean_cwnd", "timeouts", "received_packets",
}  # fmt: skip


def without_wall(text: str) -> Any:
    document = json.loads(text)
    for point in document["points"]:
        for run in point["runs"]:
            assert run["engine"].pop("wall_s") >= 0
    return document


def test_the_table_stands_on_stdout_and_messages_on_stderr(hopscope: Any, folder: Path) -> None:
    done = hopscope("run", "chain.toml")
    assert done.returncode == 0, done.stderr
    assert "short chain" in done.stdout
    assert "throughput" in done.stdout
    assert done.stdout.count("0: 0 to 2 udp") == 2
    names, below = done.stdout.splitlines()[2:4]
    assert names.split()[0] == "flow.0.packet"
    assert below.split()[0] == "bytes"
    assert "\x1b" not in done.stdout + done.stderr
    [store] = (folder / "results").iterdir()
    assert store.name.startswith("short-chain-")
    assert done.stderr == f"results: results/{store.name}\n"


def test_a_narrow_terminal_gets_whole_columns(hopscope: Any) -> None:
    tcp = ("--set", "flow.0.transport=tcp-newreno")
    wide = hopscope("run", "chain.toml", "--out", "store", *tcp).stdout
    assert "wider terminal" not in wide
    narrow = hopscope("show", "store", COLUMNS="60").stdout
    assert "(a wider terminal also shows: " in narrow
    assert "throughput" in narrow
    assert max(map(len, narrow.splitlines()[:-1])) <= 60


def test_brackets_in_a_value_are_no_markup(hopscope: Any, folder: Path) -> None:
    (folder / "[red].csv").write_text("0,0\n200,0\n")
    axis = ("--set", "topology={ kind = 'file' }", "--set", "sweep.topology.path=['[red].csv']")
    done = hopscope("run", "chain.toml", *axis)
    assert done.returncode == 0, done.stderr
    assert "[red].csv" in done.stdout


def test_json_is_alone_on_stdout_with_the_keys_of_the_contract(hopscope: Any) -> None:
    done = hopscope("run", "chain.toml", "--json", "--seeds", "3", "--set", "flow.0.packet=800")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert list(document) == ["hopscope", "scenario", "points"]
    assert document["scenario"]["seeds"] == 3
    [point] = document["points"]
    assert list(point) == ["set", "runs", "summary"]
    assert [run["seed"] for run in point["runs"]] == [1, 2, 3]
    run = point["runs"][0]
    assert list(run) == ["seed", "flows", "network", "engine"]
    assert run["flows"][0].keys() >= FLOW_KEYS
    assert run["network"].keys() >= {
        "aggregate_kbps",
        "jain",
        "mac_retry_drops",
        "queue_drops",
        "link_drop_probability",
    }
    assert run["engine"].keys() >= {"events", "frames", "wall_s"}
    summary = point["summary"]["flow.0.throughput_kbps"]
    assert list(summary) == ["mean", "ci95", "min", "max", "n"]
    assert summary["n"] == 3


def test_the_number_of_jobs_does_not_change_a_byte(hopscope: Any) -> None:
    one = hopscope("run", "chain.toml", "--json", "--jobs", "1", "--out", "a")
    two = hopscope("run", "chain.toml", "--json", "--jobs", "2", "--out", "b")
    assert without_wall(one.stdout) == without_wall(two.stdout)


def test_quick_says_so_everywhere(hopscope: Any, folder: Path) -> None:
    (folder / "chain.toml").write_text((folder / "chain.toml").read_text().replace("seeds = 2", "seeds = 20"))
    text = hopscope("run", "chain.toml", "--quick")
    assert "quick: fewer seeds, shorter runs" in text.stdout
    document = json.loads(hopscope("run", "chain.toml", "--quick", "--json").stdout)
    assert document["quick"] is True
    assert [len(p["runs"]) for p in document["points"]] == [10, 10]
    [store] = (folder / "results").iterdir()
    assert "quick: fewer seeds" in hopscope("show", str(store)).stdout
    assert json.loads(hopscope("show", str(store), "--json").stdout)["quick"] is True


def test_a_second_start_does_nothing_again(hopscope: Any, folder: Path) -> None:
    first = hopscope("run", "chain.toml", "--json", "--out", "store")
    before = age(folder / "store")
    second = hopscope("run", "chain.toml", "--json", "--out", "store")
    assert second.stdout == first.stdout
    assert (names(folder / "store"), written_since(folder / "store")) == (before, set())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "absent.toml"], "absent.toml: no such file"),
        (["run", "."], "is a folder"),
        (["run", "chain.toml", "--set", "mac.queu=3"], "--set mac.queu=3: mac.queu: unknown key"),
        (["run", "chain.toml", "--set", "nonsense"], "expected key=value"),
        (["run", "chain.toml", "--shard", "3/2"], "--shard 3/2: expected i/n"),
        (["run", "chain.toml", "--out", "chain.toml"], "chain.toml: is a file"),
        (["run", "chain.toml", "--out", "/proc/x/y"], "cannot be written"),
        (["run", "chain.toml", "--seeds", "0"], "--seeds"),
        (["run", "chain.toml", "--jobs", "0"], "--jobs"),
        (["run", "chain.toml", "--bogus"], "No such option"),
        (["run"], "Missing argument"),
        (["chek"], 'hopscope: no verb "chek" (did you mean "check"?); all of them: hopscope --help\n'),
        (["run", "chain.toml", "--sedes", "3"], "--seeds"),
        (["show", "absent"], "absent: no such folder"),
        (["check", "absent.toml"], "no such file"),
    ],
)
def test_bad_input_ends_with_2_and_writes_nothing(
    hopscope: Any, folder: Path, arguments: list[str], message: str
) -> None:
    done = hopscope(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert [p.name for p in folder.iterdir()] == ["chain.toml"]


def test_a_bad_file_names_every_place(hopscope: Any, folder: Path) -> None:
    (folder / "bad.toml").write_text('[topology]\nkind = "chian"\n[[flow]]\nfrom = 0\nto = 1\npaket = 3\n')
    done = hopscope("run", "bad.toml", "--out", "store")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith(
        'hopscope: bad.toml:2:1: topology.kind: found "chian" (did you mean "chain"?)'
    )
    assert 'bad.toml:6:1: flow.0.paket: unknown key (did you mean "packet"?)' in done.stderr
    assert 'did you mean "packet"?' in done.stderr
    assert not (folder / "store").exists()


SHADOWED = ("--set", "radio.shadowing=static", "--set", "radio.shadowing_sigma=6", "--set", "flow.0.packet=800")


def test_seeds_that_cannot_run_leave_a_partial_result(hopscope: Any) -> None:
    done = hopscope("run", "chain.toml", "--json", "--seeds", "12", "--out", "store", *SHADOWED)
    assert done.returncode == 3
    refused = {line.partition(":")[0] for line in done.stderr.splitlines() if "cannot be reached" in line}
    seeds = [run["seed"] for run in json.loads(done.stdout)["points"][0]["runs"]]
    assert 0 < len(refused) < 12
    assert refused == {f"point 0, seed {seed}" for seed in range(1, 13) if seed not in seeds}
    assert done.stderr.splitlines()[-1].startswith(f"hopscope: {len(refused)} runs failed; the result is partial: its")
    assert all("flow.0.to: node" in line for line in done.stderr.splitlines() if "cannot be reached" in line)
    checked = hopscope("check", "chain.toml", "--seeds", "12", *SHADOWED)
    assert f"{len(refused)} of 12 seeds cannot run" in checked.stderr
    assert checked.returncode == 0
    assert hopscope("run", "chain.toml", "--seeds", "12", "--out", "store", *SHADOWED).returncode == 3
    swept = hopscope("run", "chain.toml", "--seeds", "12", *SHADOWED, "--set", "sweep.radio.shadowing_sigma=[0,6]")
    reported = {line.replace("point 0,", "point 1 (radio.shadowing_sigma = 6),") for line in refused}
    assert reported == {line.partition(":")[0] for line in swept.stderr.splitlines() if "cannot be reached" in line}


def test_a_damaged_run_is_named_by_the_next_start(hopscope: Any, folder: Path) -> None:
    hopscope("run", "chain.toml", "--out", "store")
    victim = rewrite(folder / "store", lambda line: line[:500] + b"\n")
    shown = hopscope("show", "store")
    assert shown.returncode == 0
    assert f"run {victim}: damaged (truncated)" in shown.stderr
    assert "3 of 4 runs are there" in shown.stderr
    again = hopscope("run", "chain.toml", "--out", "store")
    assert again.returncode == 0
    assert f"run {victim}: damaged (truncated)" in again.stderr
    assert hopscope("show", "store").stderr == ""


def test_a_full_output_is_an_error_not_a_traceback(hopscope: Any, folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hopscope", "schema"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr


def test_large_work_is_announced(hopscope: Any) -> None:
    done = hopscope("check", "chain.toml", "--set", "duration=31536000s", "--set", "flow.0.rate=2Mbps")
    assert done.returncode == 0
    assert "estimated cost: about" in done.stdout


# The short runs of this sweep end at once and the long ones never, each with a worker of its own: what is finished when
# a signal comes is no matter of speed.
ENDLESS = ("--set", 'sweep.duration=["2s", "1000000000s"]')

# A test started in the background inherits an ignored SIGINT; the command must see it as a terminal's would.
TAKE_INTERRUPTS = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


def stopped(folder: Path, kind: signal.Signals) -> tuple[int, str]:
    """Starts the endless sweep, sends a signal once its four short runs are kept; returns status and messages."""
    run = ["-m", "hopscope", "run", "chain.toml", "--out", "store", "--jobs", "8", *ENDLESS]
    command = [sys.executable, "-c", TAKE_INTERRUPTS, *run]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    with process:
        try:
            deadline = time.monotonic() + 1800
            while not (folder / "store" / "runs").exists() or len(names(folder / "store")) < 4:
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(kind)
            _, messages = process.communicate(timeout=1800)
        finally:
            process.kill()
    return process.returncode, messages


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_goes_on(hopscope: Any, folder: Path, kind: signal.Signals) -> None:
    status, messages = stopped(folder, kind)
    assert status == 130, messages
    assert "interrupted: 4 of 8 runs finished and are kept in store; the same command goes on from there" in messages
    assert "Traceback" not in messages
    kept = age(folder / "store")
    assert len(kept) == 4
    assert len(pd.read_parquet(folder / "store" / "flows.parquet")) == 4
    shown = hopscope("show", "store")
    assert "4 of 8 runs are there" in shown.stderr
    assert "parquet" not in shown.stderr
    again = hopscope("run", "chain.toml", "--out", "store", "--seeds", "3", "--json")
    assert again.returncode == 0, again.stderr
    assert written_since(folder / "store") == names(folder / "store") - kept
    assert len(names(folder / "store")) == 6


def test_a_killed_run_goes_on(hopscope: Any, folder: Path) -> None:
    status, _ = stopped(folder, signal.SIGKILL)
    assert status == -signal.SIGKILL
    shown = hopscope("show", "store", "--json")
    assert shown.returncode == 0, shown.stderr
    assert sum(len(p["runs"]) for p in json.loads(shown.stdout)["points"]) == 4
    assert "damaged" not in shown.stderr
    assert "flows.parquet is missing" in shown.stderr
    assert len(pd.read_parquet(folder / "store" / "flows.parquet")) == 4


def test_a_folder_with_runs_of_another_scenario_says_so(hopscope: Any) -> None:
    assert "also keeps" not in hopscope("run", "chain.toml", "--out", "store").stderr
    second = hopscope("run", "chain.toml", "--out", "store", "--set", "mac.queue=5")
    assert "the folder also keeps 4 runs of other settings, seeds or builds" in second.stderr
    assert "4 runs" not in second.stdout


BROKEN = """
import hopscope

class Broken(hopscope.CongestionControl):
    def on_ack(self, flow):
        self.cwnd = flow.cwd
"""


def test_a_failure_of_every_seed_is_reported_once(hopscope: Any, folder: Path) -> None:
    (folder / "broken.py").write_text(BROKEN)
    (folder / "broken.toml").write_text(
        'duration = "2s"\nseeds = 4\ntopology = { kind = "chain", hops = 1 }\n'
        'flow = [{ from = 0, to = 1, transport = "tcp:broken.py:Broken" }]\n'
    )
    done = hopscope("run", "broken.toml", "--out", "store")
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert "the same: point 0, seeds 2 to 4" in done.stderr
    assert "FlowState has " in done.stderr
    assert "every run failed" in done.stdout
    assert "no run yet" not in done.stdout


def test_remarks_name_the_swept_values_of_a_point(hopscope: Any, folder: Path) -> None:
    (folder / "broken.py").write_text(BROKEN)
    (folder / "swept.toml").write_text(
        'duration = "2s"\nseeds = 2\ntopology = { kind = "chain", hops = 1 }\n'
        'flow = [{ from = 0, to = 1, start = "1999ms" }]\n'
        'sweep = { "flow.0.transport" = ["udp", "tcp-vegas", "tcp:broken.py:Broken"], "mac.queue" = [9] }\n'
    )
    done = hopscope("run", "swept.toml", "--out", "store", "--set", "outage=[{node=1,from=1}]")
    assert "point 1 (flow.0.transport = tcp-vegas, mac.queue = 9), flow 0, seed 1: " in " ".join(done.stdout.split())
    done = hopscope("run", "swept.toml", "--out", "store", "--set", "flow.0.start=0s")
    assert "point 2 (flow.0.transport = tcp:broken.py:Broken, mac.queue = 9), seed 1: " in done.stderr
    assert "hopscope: 2 runs failed; the result is partial" in done.stderr
    done = hopscope("run", "swept.toml", "--out", "store", "--set", "flow.0.start=0s", "--seeds", "1")
    assert "hopscope: 1 run failed; the result is partial" in done.stderr


def test_shards_meet_in_one_store(hopscope: Any) -> None:
    first = hopscope("run", "chain.toml", "--out", "store", "--shard", "1/2")
    assert "shard 1/2: the store holds 2 of 4 runs" in first.stderr
    second = hopscope("run", "chain.toml", "--out", "store", "--shard", "2/2", "--json")
    assert "shard 2/2: the store holds 4 of 4 runs" in second.stderr
    whole = hopscope("run", "chain.toml", "--out", "other", "--json")
    assert without_wall(second.stdout) == without_wall(whole.stdout)


def test_a_terminal_gets_progress_and_colour_unless_refused(folder: Path) -> None:
    import pty

    def screen(*arguments: str, **environment: str) -> str:
        controller, terminal = pty.openpty()
        command = [sys.executable, "-m", "hopscope", "run", "chain.toml", *arguments]
        env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", **environment}
        with subprocess.Popen(command, cwd=folder, stderr=terminal, stdout=subprocess.DEVNULL, env=env) as process:
            os.close(terminal)
            seen = b""
            while True:
                try:
                    data = os.read(controller, 4096)
                except OSError:
                    break
                if not data:
                    break
                seen += data
        os.close(controller)
        assert process.returncode == 0
        return seen.decode()

    assert "runs" in screen("--out", "a").partition("results:")[0]
    assert screen("--out", "b", "--no-progress").strip() == "results: b"
    plain = screen("--out", "c", NO_COLOR="1")
    assert "\x1b[3" not in plain
