"""ACK policies in Python: those of the engine written out, what they are shown, and what ends a run."""

from __future__ import annotations

import itertools
import math
import struct
from pathlib import Path
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.campaign.store import open_store
from hopscope.cli import main
from hopscope.errors import ScenarioError

CHAIN: dict[str, Any] = {
    "title": "own",
    "duration": "20s",
    "topology": {"kind": "chain", "hops": 4},
    "mac": {"queue": 4},
    "flow": [{"from": 0, "to": 4, "packet": 1000, "max_window": 12}],
}


class Fixed(hs.AckPolicy):
    """One ACK for so many segments."""

    d = 2

    def on_data(self, receiver: hs.AckState) -> Any:
        return 0 if not receiver.in_order or receiver.held >= self.d else None, self.d


class Inherited(hs.AckPolicy):
    """Every method of the base, through Python."""

    def on_data(self, receiver: hs.AckState) -> Any:
        return super().on_data(receiver)

    def on_timer(self, receiver: hs.AckState) -> Any:
        return super().on_timer(receiver)


class Mda(hs.AckPolicy):
    """The engine's TCP-MDA with its defaults."""

    reads_path = True
    threshold = 0.25
    most = 4.0
    smoothing = 0.75
    tolerance = 0.2
    least_wait = 0.0
    longest_wait = 0.5
    regrowth = 1.0

    def __init__(self) -> None:
        self.window, self.held = 1.0, 0
        self.mean: float | None = None

    def on_data(self, receiver: hs.AckState) -> Any:
        if receiver.held == 1:
            self.held = 0
        if receiver.gap_s is not None and receiver.in_order:
            old = receiver.gap_s if self.mean is None else self.mean
            self.mean = (
                receiver.gap_s if self.mean is None else self.smoothing * old + (1 - self.smoothing) * receiver.gap_s
            )
        if not receiver.in_order:
            self.window = 2.0
            return 0, self.window
        assert receiver.non_collision is not None
        free = struct.unpack("f", struct.pack("f", 1 - self.threshold))[0]
        busy = receiver.non_collision <= free
        if busy:
            self.window = min(self.window, 2.0)
        self.held += 1
        is_due = self.held >= math.floor(self.window)
        self.window = min(self.window + (0.0 if busy else 1.0), self.most)
        if is_due:
            return 0, self.window
        wait = self.longest_wait if self.mean is None else (2 + self.tolerance) * self.mean
        wait = min(max(wait, self.least_wait), self.longest_wait)
        return min(wait, max(self.longest_wait - receiver.waited_s, 0.0)), self.window

    def on_timer(self, receiver: hs.AckState) -> Any:
        self.window = 2.0
        return None, self.window


def chain(ack: object, **changes: Any) -> hs.Scenario:
    flow = {**CHAIN["flow"][0], "ack": ack}
    return hs.Scenario({**CHAIN, "flow": [flow], **changes})


def without_key(result: hs.Result) -> list[dict[str, Any]]:
    return [
        {**run, "engine": {name: value for name, value in run["engine"].items() if name != "wall_s"}}
        for point in result.to_json()["points"]
        for run in point["runs"]
    ]


def assert_same(mine: hs.Scenario, built_in: hs.Scenario) -> hs.Result:
    found = hs.run(mine)
    assert without_key(found) == without_key(hs.run(built_in))
    return found


@pytest.mark.parametrize("profile", ["standard", "ns2"])
@pytest.mark.parametrize("d", [2, 3])
def test_a_fixed_number_in_python_is_the_engines(profile: str, d: int) -> None:
    kept = {"profile": profile, "series": {"keep": ["cwnd", "throughput"]}}
    mine = chain({"class": Fixed, "d": d}, **kept)
    found = assert_same(mine, chain("fixed", **kept, tcp={"ack_every": d}))
    assert 1 / d <= found.flows["acks_per_packet"][0] < 0.95 * (1 if d == 2 else 0.8)
    assert found.flows["mean_ack_window"][0] == d


def test_what_is_left_out_is_the_delayed_ack() -> None:
    class Silent(hs.AckPolicy):
        def __init__(self) -> None:
            pass

    assert_same(chain(Inherited), chain(Silent))
    # The base reports no window: all but what metrics make of that is the engine's policy.
    reported = [
        {name: value for name, value in run["flows"][0].items() if name != "mean_ack_window"}
        for ack in (Inherited, "delayed")
        for run in without_key(hs.run(chain(ack)))
    ]
    assert reported[0] == reported[1]


@pytest.mark.parametrize(("profile", "error"), [("standard", 0.05), ("ns2", 0.0)])
def test_mda_in_python_is_the_engines(profile: str, error: float) -> None:
    kept = {
        "profile": profile,
        "radio": {"error": {"kind": "uniform", "per": error}},
    }
    found = assert_same(chain(Mda, **kept), chain("mda", **kept, tcp={"mda_threshold": 0.25}))
    assert 1 < found.flows["mean_ack_window"][0] < 4


def test_a_policy_serves_beside_a_control_of_the_users() -> None:
    class Reno(hs.CongestionControl):
        def on_loss(self, flow: hs.FlowState) -> float:
            return max(flow.in_flight / 2, 2.0)

    flow = {**CHAIN["flow"][0], "transport": Reno, "ack": Fixed, "copies": 2}
    mine = hs.Scenario({**CHAIN, "flow": [flow]})
    assert [{one.control.name for one in own} for own in mine.points[0].controls()] == [{"Reno", "Fixed"}] * 2
    flow = {**CHAIN["flow"][0], "transport": "tcp-newreno", "ack": "fixed", "copies": 2}
    found, wanted = hs.run(mine), hs.run(hs.Scenario({**CHAIN, "flow": [flow]}))
    assert found.flows["throughput_kbps"].tolist() == wanted.flows["throughput_kbps"].tolist()


def test_the_state_is_what_it_says() -> None:
    seen: list[dict[str, Any]] = []

    class Watcher(hs.AckPolicy):
        reads_path = True
        reads_window = True

        def note(self, what: str, receiver: hs.AckState) -> None:
            names = [name for name in dir(receiver) if not name.startswith("_")]
            seen.append({"what": what, **{name: getattr(receiver, name) for name in names}})
            assert repr(receiver).startswith("AckState(now_s=")

        def on_data(self, receiver: hs.AckState) -> Any:
            self.note("data", receiver)
            return 0 if not receiver.in_order or receiver.held >= 3 else 0.05

        def on_timer(self, receiver: hs.AckState) -> Any:
            self.note("timer", receiver)

    found = hs.run(
        chain(Watcher, radio={"error": {"kind": "uniform", "per": 0.1}}, mac={"queue": 3, "long_retry_limit": 3})
    )
    assert found.failures == []
    data = [state for state in seen if state["what"] == "data"]
    assert len(data) > 100
    assert {state["what"] for state in seen} == {"data", "timer"}
    times = [state["now_s"] for state in seen]
    assert times == sorted(times)
    for name in ("in_order", "above_gap", "fills_gap"):
        assert any(state[name] for state in data), name
    for state in data:
        assert sum(state[name] for name in ("in_order", "above_gap", "fills_gap", "duplicate")) == 1
        assert (state["bytes"], state["packet"], state["hops"], state["ack_delay_s"]) == (1000, 1000, 4, 0.2)
        assert 1 <= state["held"] <= 3
        assert 0 <= state["non_collision"] <= 1
        assert 1 <= state["sender_window"] <= 12
        assert state["largest_delay_s"] > 0
        assert state["new_bytes"] >= 1000 or not (state["in_order"] or state["fills_gap"])
    assert data[0]["gap_s"] is None
    assert all(later["gap_s"] == pytest.approx(later["now_s"] - sooner["now_s"], abs=1e-9)
               for sooner, later in itertools.pairwise(data))  # fmt: skip
    assert all(state["waited_s"] + 1e-9 >= 0.05 for state in seen if state["what"] == "timer")


def test_what_is_not_asked_for_is_not_on_the_air() -> None:
    seen: list[tuple[object, object, object]] = []

    class Plain(hs.AckPolicy):
        def on_data(self, receiver: hs.AckState) -> Any:
            seen.append((receiver.sender_window, receiver.non_collision, receiver.largest_delay_s))
            return 0

    assert_same(chain(Plain, tcp={"path_option": 8, "window_option": 4}), chain("every"))
    assert set(seen) == {(None, None, None)}


def answering(answer: object, method: str = "on_data") -> type[hs.AckPolicy]:
    def say(self: hs.AckPolicy, receiver: hs.AckState) -> object:
        return answer

    return type("Answering", (hs.AckPolicy,), {method: say})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (math.nan, "returned nan; a delay is 0 (at once) to 10 seconds"),
        (-0.1, "returned -0.1; a delay is 0"),
        (10.5, "returned 10.5; a delay is 0"),
        (math.inf, "returned inf; a delay is 0"),
        ("now", "returned 'now'; expected None, a delay in seconds"),
        (True, "returned True; expected None, a delay"),
        ((0, math.nan), "returned (0, nan); one ACK stands for a finite number of segments above 0"),
        ((0, 0), "returned (0, 0); one ACK stands for"),
        ((0,), "returned (0,); expected None"),
        ((0, 1, 2), "returned (0, 1, 2); expected None"),
    ],
)
@pytest.mark.parametrize("method", ["on_data", "on_timer"])
def test_nonsense_ends_the_run_with_reason_flow_and_time(answer: object, message: str, method: str) -> None:
    flow = {**CHAIN["flow"][0], "ack": answering(answer, method), "max_window": 1}
    [failure] = hs.run({**CHAIN, "flow": [flow]}).failures
    assert failure.message.startswith("flow 0 at 0.")
    assert f" s: Answering.{method} {message}" in failure.message


def test_an_exception_is_shown_with_traceback_flow_and_time() -> None:
    class Broken(hs.AckPolicy):
        def on_data(self, receiver: hs.AckState) -> Any:
            return receiver.cwnd  # type: ignore[attr-defined]

    [failure] = hs.run(chain(Broken)).failures
    reported = failure.message
    assert "flow 0 at 0." in reported
    assert "Broken.on_data raised AttributeError" in reported
    assert "return receiver.cwnd" in reported
    assert "AckState has above_gap, ack_delay_s, " in reported


@pytest.mark.parametrize("answer", [None, 10.0, (None, 3), 0.0])
def test_no_answer_keeps_a_flow_from_its_end(answer: object) -> None:
    flow = {**CHAIN["flow"][0], "ack": answering(answer), "app": "file", "bytes": 20_000, "max_window": 1}
    found = hs.run({**CHAIN, "duration": "300s", "flow": [flow]})
    assert found.flows["completion_s"][0] < 300


# --- Files ----------------------------------------------------------------------------------------------------------

CODE = """
import hopscope as hs

print("run")

class Fixed(hs.AckPolicy):
    d = 2
    def on_data(self, receiver):
        return 0 if not receiver.in_order or receiver.held >= self.d else None, self.d

class Control(hs.CongestionControl):
    def on_ack(self, flow):
        return 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(CODE, encoding="utf-8")
    scenario = tmp_path / "chain.toml"
    scenario.write_text(
        """
duration = "5s"
topology = { kind = "chain", hops = 2 }
[[flow]]
from = 0
to = 2
ack = "mine.py:Fixed"
[sweep]
"flow.0.ack" = ["every", "fixed", "mine.py:Fixed", { class = "mine.py:Fixed", d = 3 }]
""",
        encoding="utf-8",
    )
    return scenario


def test_words_classes_and_their_parameters_are_swept_and_kept(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = file.parent / "store"
    result = hs.run(file, out=out)
    ratios = result.flows["acks_per_packet"].tolist()
    assert ratios[0] > 0.99
    assert ratios[1] == ratios[2]
    assert ratios[3] < ratios[2] < 0.6
    assert capsys.readouterr().out.count("run") == 1
    (file.parent / "mine.py").write_text("raise SystemExit(3)", encoding="utf-8")
    [again] = open_store(out).results()
    assert again.flows["acks_per_packet"].tolist() == ratios
    assert again.scenario.points[3].resolved["flow"][0]["ack"] == {"class": "mine.py:Fixed", "d": 3}
    assert set(again.scenario.controls()) == {"ack:mine.py:Fixed"}
    failed = hs.run(again.scenario.replace({"seed": 7})).failures
    assert [failure.point for failure in failed] == [2, 3]


def test_the_command_checks_runs_and_shows(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["hopscope", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main()
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    status, said, remarks = command("check", str(file))
    assert (status, "run\n" in said) == (0, False), remarks
    assert "ack:mine.py:Fixed names code, which was not loaded" in remarks
    status, said, remarks = command("run", str(file), "--out", str(file.parent / "asked"))
    assert (status, "run\n" in said) == (2, False)
    assert "it runs with --trust" in remarks
    out = str(file.parent / "out")
    status, said, remarks = command("run", str(file), "--trust", "--out", out)
    assert (status, "run\n" in said) == (0, True), remarks
    (file.parent / "mine.py").write_text(CODE.replace("self.d else None", "self.d else -1"), encoding="utf-8")
    status, said, _ = command("show", out)
    assert (status, "run\n" in said) == (0, False)
    status, _, remarks = command("run", str(file), "--trust", "--out", str(file.parent / "bad"))
    assert status == 3  # two points of four have results
    assert "Fixed.on_data returned (-1, 2); a delay is 0 (at once) to 10 seconds" in remarks


@pytest.mark.parametrize(
    ("ack", "message"),
    [
        ("mine.py:Control", "mine.py: Control is no subclass of hopscope.AckPolicy"),
        ("mine.py:Fixd", 'mine.py: has no class "Fixd"; it holds "Fixed" (did you mean "Fixed"?)'),
        ("absent.py", "absent.py: no such file"),
        ("fixd", 'found "fixd" (did you mean "fixed"?)'),
        ({"d": 2}, "names no ACK policy; expected one of "),
        ({"class": "mine.py:Fixed", "e": 2}, "no parameter of ack:mine.py:Fixed; it has d"),
        ({"class": "mine.py:Fixed", "d": "two"}, 'found "two"; expected a number, as the class has 2'),
        ({"class": 3}, 'found 3; expected "FILE.py:CLASS"'),
        (hs.CongestionControl, "CongestionControl is no subclass of hopscope.AckPolicy"),
        (3, "found 3; expected one of "),
    ],
)
def test_what_cannot_be_used_is_refused(file: Path, ack: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    with pytest.raises(ScenarioError) as caught:
        chain(ack)
    assert "flow.0.ack" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def on_dta(self, receiver): return 0", "on_dta is never called; the methods are on_data, on_timer"),
        ("d = 2", 'overrides none of on_data, on_timer: it is the delayed ACK of RFC 5681'),
        ("reads_path = 1\n    def on_data(self, receiver): return 0", "reads_path is 1; expected True or False"),
        ("on_data = 3", "on_data is no method"),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_meant_is_refused(tmp_path: Path, body: str, message: str) -> None:
    (tmp_path / "mine.py").write_text(f"import hopscope as hs\nclass Mine(hs.AckPolicy):\n    {body}\n")
    with pytest.raises(ScenarioError) as caught:
        chain(f"{tmp_path}/mine.py")
    assert message in str(caught.value)


def test_the_bottleneck_takes_a_policy() -> None:
    mine, built_in = (hs.bottleneck("tcp-newreno", rate="2Mbps", delay="20ms", queue=30, ack=ack, duration="10s")
                      for ack in (Fixed, "fixed"))  # fmt: skip
    assert mine.samples.equals(built_in.samples)


def test_every_form_fits_the_schema() -> None:
    import jsonschema

    schema = _core.json_schema()
    for ack in ("mda", "mine.py:Fixed", {"class": "mine.py:Fixed", "d": 3}):
        jsonschema.validate({**CHAIN, "flow": [{**CHAIN["flow"][0], "ack": ack}]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**CHAIN, "flow": [{**CHAIN["flow"][0], "ack": "mdda"}]}, schema)
