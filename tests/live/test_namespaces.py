"""Real namespaces: set up, used and taken down, whatever ends the run.

A hub stands in the place of the engine, so that nothing depends on the speed of the machine.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import hub
import pytest
from leftovers import CHAIN, left_over

import hopscope as hs
from hopscope.errors import InputError, RunFailed
from hopscope.live import LiveOptions, Session, journal
from hopscope.live.control import Control, execute
from hopscope.live.prompt import Prompt
from hopscope.tracing import pick

pytestmark = pytest.mark.usefixtures("radio", "nothing_left")

#: Lines of the journal after which a run is killed: at its beginning, between namespaces, between programs, in the run.
MOMENTS = (1, 2, 4, 6, 8, 11)

#: The command with the hub in the place of the engine.
CODE = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background inherits that it is ignored
sys.path.insert(0, {str(Path(__file__).parent)!r})
import hub
hub.install()
from hopscope.cli.main import main
main()
"""


def session(options: LiveOptions | None = None, **keys: Any) -> Session:
    given = {name: value for name, value in {**CHAIN, **keys}.items() if value is not None}
    run = pick(given, needs_flows=False)
    return Session(run, options or LiveOptions(), endless="node" in keys)


def at(held: Session, node: int, command: str, folder: Path) -> str:
    """What a shell command at a node prints."""
    out = folder / "out"
    with out.open("wb") as file:
        from hopscope.live import programs

        streams = (0, file.fileno(), file.fileno())
        process = programs.attached(held.inside(node), ["sh", "-c", command], held.environment(node), streams)
        assert process.wait(20) == 0, out.read_text()
    return out.read_text()


def test_flows_run_over_the_routes_of_the_scenario(tmp_path: Path) -> None:
    with session(LiveOptions(duration_s=2)) as held:
        held.start()
        routes = at(held, 0, "ip route; ip neigh; ip link show rad0", tmp_path)
        held.wait()
        found = held.finish()
    assert "10.0.0.4 via 10.0.0.2 dev rad0" in routes or ".4 via " in routes
    assert "lladdr 02:00:00:00:00:03 PERMANENT" in routes
    assert "link/ether 02:00:00:00:00:00 " in routes
    tcp, udp = found["flows"]
    assert (tcp["stack"], udp["stack"]) == ("kernel", "kernel")
    assert tcp["throughput_kbps"] > 100
    assert tcp["mean_rtt_ms"] > 0
    assert udp["throughput_kbps"] == pytest.approx(80, rel=0.25)
    assert found["radio"]["frames"]["in"] > 100
    json.dumps(found)


def test_a_run_gives_a_result_and_keeps_it_in_a_folder(tmp_path: Path) -> None:
    table = {"node": 1, "run": "echo here", "on_exit": "go-on"}
    with session(LiveOptions(duration_s=1.5, out=tmp_path / "real", explain=True), node=[table]) as held:
        held.start()
        held.wait()
        document = held.finish()
    result = held.result
    assert result is not None
    tcp, udp = result.points[0].runs[0]["flows"]
    assert 0 <= tcp["sent_packets"] - tcp["received_packets"] <= 8  # the window may be under way
    assert tcp["received_packets"] > 20
    assert 0 < udp["delay_p50_ms"] <= udp["delay_p99_ms"] < 1000
    assert result.network["aggregate_kbps"][0] == pytest.approx(tcp["throughput_kbps"] + udp["throughput_kbps"])
    assert set(zip(result.links["from"], result.links["to"], strict=True)) >= {(0, 1), (1, 2), (2, 3)}
    assert result.explain().points[0].nodes[0]["bystander"].mean == 100
    [kept] = hs.open_store(tmp_path / "real").results()
    assert kept.flows.equals(result.flows)
    assert kept.live == result.live
    assert json.loads((tmp_path / "real" / "result.json").read_text()) == document
    assert {"flows", "nodes", "links", "network", "ledger", "radio", "programs", "kernel"} <= document.keys()
    [log] = (tmp_path / "real" / "logs").iterdir()
    assert log.read_text() == "here\n"


def test_a_kernel_has_no_table_of_what_it_was_asked_to_keep() -> None:
    with session(LiveOptions(duration_s=0.2), distributions=True) as held:
        assert "distributions: nothing is kept of flows over kernels" in held.remarks


def test_from_python_a_run_gives_a_result(tmp_path: Path) -> None:
    result = hs.run_live(CHAIN, duration="1s", out=tmp_path / "real")
    assert result.live is not None
    assert result.live["seconds"] == pytest.approx(1, abs=0.1)
    assert result.flows["throughput_kbps"].min() > 0
    with pytest.raises(InputError, match="is there and not empty"):
        hs.run_live(CHAIN, out=tmp_path / "real")
    with pytest.raises(InputError, match="duration -1: must be above 0 s"):
        hs.run_live(CHAIN, duration=-1)


def test_from_python_a_network_is_held_open() -> None:
    with hs.shell({"topology": CHAIN["topology"], "node": [{"node": 0, "run": "sleep 60"}]}) as network:
        done = network.command(2, "echo $HOPSCOPE_NODE; exit 3")
        assert (done.returncode, done.stdout) == (3, "2\n")
        network.change("link-cut", **{"from": 0, "to": 1})
        with pytest.raises(InputError, match="node 9 does not exist; nodes are 0 to 3"):
            network.command(9, "true")


def test_a_window_of_the_scenario_is_that_of_the_kernel(tmp_path: Path) -> None:
    flow = {"from": 0, "to": 1, "transport": "tcp-newreno", "max_window": 2, "packet": 1000}
    with session(LiveOptions(duration_s=2), topology={"kind": "chain", "hops": 1}, flow=[flow]) as held:
        held.start()
        time.sleep(1)
        shown = at(held, 0, "ss -tin dst $n1", tmp_path)
        held.wait()
    assert "mss:1000" in shown
    assert " reno " in shown
    assert "snd_wnd:2000" in shown or "rwnd_limited" in shown


@pytest.mark.parametrize("window", [2, 3, 4, 8])
def test_a_kernel_never_offers_more_than_the_window(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sender remembers the largest window that it has seen: by it it cuts its data and sets PSH."""
    offered: list[int] = []
    carry = hub.Live._carry

    def seen(self: hub.Live, frame: bytes, source: int) -> None:
        if source == 1 and frame[23] == 6:  # TCP over IPv4 of the receiver
            offered.append(int.from_bytes(frame[48:50], "big"))
        carry(self, frame, source)

    monkeypatch.setattr(hub.Live, "_carry", seen)
    flow = {"from": 0, "to": 1, "transport": "tcp-newreno", "max_window": window, "packet": 1448}
    with session(LiveOptions(duration_s=2), topology={"kind": "chain", "hops": 1}, flow=[flow]) as held:
        held.start()
        held.wait()
    # So small a window is not scaled (RFC 7323).
    assert max(offered) == offered[-1] == window * 1448


def test_a_file_of_given_size_is_timed_to_its_last_octet() -> None:
    flow = {"from": 0, "to": 3, "transport": "tcp-newreno", "app": "file", "bytes": 20_000, "start": "100ms"}
    with session(LiveOptions(duration_s=2), flow=[flow]) as held:
        held.start()
        held.wait()
        [row] = held.finish()["flows"]
    assert 0 < row["completion_s"] < 1.9
    assert (row["loss_pct"], row["in_flight"]) == (0, 0)
    assert row["throughput_kbps"] == pytest.approx(80, rel=0.1)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"node": 1, "run": "echo bye; exit 3"},
            "node 1: node.0.run (echo bye; exit 3) ended with status 3; its log ends with: bye",
        ),
        ({"node": 2, "run": "no-such-program"}, "node 2: node.0.run (no-such-program) ended with status 127"),
    ],
)
def test_a_program_that_fails_ends_the_run_by_name(table: dict[str, Any], message: str) -> None:
    with session(flow=None, node=[table]) as held:
        held.start()
        with pytest.raises(RunFailed) as failed:
            held.wait()
    assert str(failed.value).startswith(message)


def test_a_run_goes_on_or_ends_as_the_table_says() -> None:
    tables = [{"node": 0, "run": "false", "on_exit": "go-on"}, {"node": 1, "run": "sleep 0.5", "on_exit": "end"}]
    with session(flow=None, node=tables) as held:
        held.start()
        held.wait()
        found = held.finish()
    assert 0.4 < found["seconds"] < 10
    assert [remark for remark in found["remarks"] if "ended with status 1" in remark]
    assert sorted(program["status"] for program in found["programs"]) == [0, 1]


def test_what_a_program_has_left_in_the_background_ends_with_the_run() -> None:
    with session(flow=None, node=[{"node": 0, "run": "setsid sleep 77 & sleep 0.3", "on_exit": "end"}]) as held:
        held.start()
        held.wait()
    assert not [one for one in Path("/proc").glob("[0-9]*/cmdline") if _words(one) == ["sleep", "77"]]


def _words(cmdline: Path) -> list[str]:
    try:
        return cmdline.read_text().split("\0")[:-1]
    except OSError:
        return []


def test_a_name_that_is_taken_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    taken = tmp_path / f"hs-{os.getpid()}-n2"
    taken.touch()
    said = f"^{taken.name}: a network namespace has this name; remove it with: ip netns delete"
    with monkeypatch.context() as patched:
        patched.setattr(journal, "NAMES", tmp_path)
        with pytest.raises(InputError, match=said), session():
            pass
    assert [path.name for path in tmp_path.iterdir()] == [taken.name]


def test_a_radio_that_cannot_be_made_takes_everything_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_name: str) -> None:
        raise PermissionError(1, "Operation not permitted", "/dev/net/tun")

    monkeypatch.setattr("hub.Tap.open", staticmethod(refuse))
    with (
        pytest.raises(RunFailed, match=r"^/dev/net/tun: Operation not permitted; everything was taken down"),
        session(),
    ):
        pass


def test_a_machine_that_is_too_slow_is_refused_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopscope._core.estimate", lambda _config: {"wall_s": 3.0})
    with (
        pytest.raises(InputError, match="this machine is too slow for the scenario: a second of it takes about 3 s"),
        session(),
    ):
        pass


def test_another_terminal_runs_commands_at_nodes(tmp_path: Path) -> None:
    with session(flow=None, node=[{"node": 0, "run": "sleep 60"}]) as held:
        held.start()
        control = Control(held)
        try:
            asked = [sys.executable, "-m", "hopscope", "exec", "3", "sh", "-c", "echo $HOPSCOPE_NODE $n0; exit 4"]
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (4, f"3 {held.addresses.of(0)}\n")
            with pytest.raises(InputError, match="node 9 does not exist; nodes are 0 to 3"):
                execute(9, ["true"])
        finally:
            control.close()
    with pytest.raises(InputError, match="no run is under way"):
        execute(0, ["true"])


def test_the_prompt_changes_the_network_and_goes_on_after_mistakes(capfd: pytest.CaptureFixture[str]) -> None:
    lines = ["n2", "echo at $HOPSCOPE_NODE", "n1 echo then $HOPSCOPE_NODE", "cut 0 1", "move 1 30 40", "move 1 30"]
    lines += ["n9", "set mac.cw_min 15", "report", "nodes", "exit", "echo no"]
    with session(flow=None, node=[{"node": 0, "run": "sleep 60"}]) as held:
        held.start()
        Prompt(held, io.StringIO("\n".join(lines) + "\n")).serve()
        changes = held._live.changes  # type: ignore[attr-defined]
    out, err = capfd.readouterr()
    assert out.index("at 2\n") < out.index("then 1\n")
    assert "n3  " in out
    assert "us;" in out
    assert "\nno\n" not in out
    assert err.splitlines() == ["expected y; help says what each word takes", "node 9 does not exist; nodes are 0 to 3"]
    assert changes == [
        {"kind": "link-cut", "from": 0, "to": 1},
        {"kind": "move", "node": 1, "position": [30.0, 40.0]},
        {"kind": "set", "key": "mac.cw_min", "value": 15.0},
    ]


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    text = 'duration = "60s"\n[topology]\nkind = "chain"\nhops = 4\n[[node]]\nrun = "setsid sleep 60 & ping -q $n0"\n'
    (tmp_path / "chain.toml").write_text(text)
    return tmp_path / "chain.toml"


def start(scenario: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CODE, "live", str(scenario), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_after_kills_at_any_moment_the_next_start_removes_everything(scenario: Path) -> None:
    before = left_over()
    for lines in MOMENTS:
        killed = start(scenario)
        written = journal.home() / f"hs-{killed.pid}" / "journal"
        while not (written.exists() and written.read_text().count("\n") >= lines):
            assert killed.poll() is None
            time.sleep(0.001)
        killed.kill()
        killed.communicate()
    done = start(scenario, "--duration", "200ms")
    _, said = done.communicate(timeout=120)
    assert done.returncode == 0, said
    assert left_over() == before


def test_ctrl_c_takes_everything_down(scenario: Path) -> None:
    run = start(scenario)
    assert run.stderr is not None
    assert "nodes, " in run.stderr.readline()
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert (run.returncode, said) == (130, "hopscope: interrupted\n")


def test_without_the_right_to_make_namespaces_one_line_says_what_to_do(scenario: Path) -> None:
    # Root without this capability is refused as any other user, and can read the environment of the test.
    words = ["setpriv", "--bounding-set=-sys_admin", sys.executable, "-c", CODE, "live", str(scenario)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "setpriv: " in done.stderr:
        pytest.skip("real stacks: this user cannot give a capability up")
    assert done.returncode == 2
    assert done.stderr.startswith("hopscope: hopscope live makes network namespaces: run it as root (sudo)")
    assert len(done.stderr.splitlines()) == 1


def test_in_a_user_namespace_everything_works_without_names(scenario: Path) -> None:
    words = ["unshare", "-Urn", sys.executable, "-c", CODE, "live", str(scenario), "--duration", "1s", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    if "unshare failed" in done.stderr:
        pytest.skip("real stacks: this kernel lets nobody make user namespaces")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["radio"]["frames"]["in"] > 0
