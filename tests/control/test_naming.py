"""A scenario names a congestion control of the user's own: what is found, what is refused, what makes it another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import hopscope as hs
from hopscope.scenario.controls import Control, ControlError, digest, find, label, parameters
from hopscope.scenario.keys import schema

MINE = """\
import hopscope as hs

class Gentle(hs.CongestionControl):
    name = "gentle"
    decrease = 0.875
    probing = True
    mode = "slow"
    _seen = 3

    def on_loss(self, flow):
        return self.decrease * flow.in_flight

class Fierce(Gentle):
    decrease = 0.95
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def scenario(folder: Path, transport: object, **flow: Any) -> hs.Scenario:
    path = folder / "own.toml"
    text = json.dumps(transport)
    keys = "".join(f"{name} = {value}\n" for name, value in flow.items())
    path.write_text(f'[topology]\nkind = "chain"\nhops = 2\n[[flow]]\nfrom = 0\nto = 2\ntransport = {text}\n{keys}')
    return hs.load(path)


def test_a_class_of_a_file_is_found_beside_the_scenario(mine: Path) -> None:
    point = scenario(mine.parent, "tcp:mine.py:Fierce").points[0]
    [[control]] = point.controls()
    assert control is not None
    assert control.control.load().__name__ == "Fierce"
    assert control.parameters == {"decrease": 0.95, "probing": True, "mode": "slow"}
    flow = point.config(1)["flows"][0]
    assert flow["transport"] == "tcp-external"
    assert flow["control"]["name"] == "tcp:gentle"
    assert point.resolved["flow"][0]["transport"] == "tcp:mine.py:Fierce"
    assert point.resolved["flow"][0]["control"] == control.parameters


def test_the_class_may_be_left_out_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "from hopscope import CongestionControl\nclass One(CongestionControl):\n    def on_rtt(self, flow): pass\n"
    )
    assert find("tcp:one.py", tmp_path).name == "One"


def test_a_class_is_found_in_a_module_and_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "labs_controls.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    assert find("tcp:labs_controls:Fierce", Path()).name == "gentle"

    class Here(hs.CongestionControl):
        def on_ack(self, flow: hs.FlowState) -> None:
            pass

    assert find("tcp:Here", Path()).cls is Here
    by_class = hs.Scenario(topology={"kind": "chain", "hops": 1}, flow=[{"from": 0, "to": 1, "transport": Here}])
    assert by_class.document["flow"][0]["transport"] == "tcp:Here"
    assert by_class.replace({"duration": "3s"}).points[0].controls()[0][0].control.cls is Here


def test_what_lies_beside_the_file_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("SHARE = 0.25\n")
    (tmp_path / "own.py").write_text(
        "import hopscope as hs\nfrom beside_it import SHARE\nclass Own(hs.CongestionControl):\n    share = SHARE\n"
        "    def on_loss(self, flow): return self.share * flow.cwnd\n"
    )
    assert find("tcp:own.py", tmp_path).parameters == {"share": 0.25}


@pytest.mark.parametrize(
    ("transport", "message"),
    [
        ("tcp:mine.py:Gentel", 'mine.py: has no class "Gentel"; it holds "Gentle", "Fierce" (did you mean "Gentle"?)'),
        ("tcp:mine.py", 'mine.py: holds "Gentle", "Fierce"; name one, as in tcp:mine.py:Gentle'),
        ("tcp:mine.py:hs", "mine.py: hs is no subclass of hopscope.CongestionControl"),
        ("tcp:absent.py:Gentle", "absent.py: no such file"),
        ("tcp:.py:Gentle", ".py: no such file"),
        ("tcp:empty.py", "empty.py: holds no subclass of hopscope.CongestionControl"),
        ("tcp:syntax.py:A", "syntax.py: line 2: SyntaxError: "),
        ("tcp:broken.py:A", "broken.py: line 3: NameError: name 'nothing' is not defined"),
        ("tcp:exits.py:A", "exits.py: line 1: SystemExit: 3"),
        ("tcp:latin.py:A", "latin.py: "),
        ("tcp:odd.py", "Odd.on_ack is no method"),
        ("tcp:named.py", "Own.name is 3; expected text"),
        (
            "tcp:onack.py",
            "Own.onack is never called; the methods are on_ack, on_loss, on_timeout, on_rtt, ",
        ),
        (
            "tcp:ackk.py",
            "Own.on_ackk is never called; the methods are on_ack, on_loss, on_timeout, on_rtt, ",
        ),
        ("tcp:camel.py", "Own.onAck is never called"),
        ("tcp:lost.py", "Own.on_lost_segment is never called"),
        (
            "tcp:none.py",
            "Own overrides none of on_ack, on_loss, on_timeout, on_rtt, on_every_ack, on_sent, on_timer, on_round_trip",
        ),
        ("tcp:no.such.module:A", 'no module "no.such.module"'),
        ("tcp:json:A", 'json: has no class "A"'),
        ("tcp:Gentel", 'no congestion control "Gentel" in this process; expected "tcp:FILE.py:CLASS"'),
        ("tcp:a b", 'found "a b"; expected "tcp:FILE.py:CLASS"'),
        ("tcp-external", 'found "tcp-external" (did you mean'),
        ("tcp-newrno", 'found "tcp-newrno" (did you mean "tcp-newreno"?)'),
    ],
)
def test_what_cannot_be_used_is_refused(mine: Path, transport: str, message: str) -> None:
    folder = mine.parent
    (folder / "empty.py").write_text("")
    (folder / "syntax.py").write_text("import hopscope\nclass A(:\n")
    (folder / "broken.py").write_text("def f():\n    return 1\nnothing\n")
    (folder / "exits.py").write_text("raise SystemExit(3)\n")
    (folder / "latin.py").write_bytes(b"name = '\xe9'\n")
    (folder / "odd.py").write_text("import hopscope\nclass Odd(hopscope.CongestionControl):\n    on_ack = 3\n")
    own = "import hopscope\nclass Own(hopscope.CongestionControl):\n    "
    (folder / "named.py").write_text(f"{own}name = 3\n    def on_ack(self, flow): pass\n")
    for file, method in (("onack", "onack"), ("ackk", "on_ackk"), ("camel", "onAck"), ("lost", "on_lost_segment")):
        (folder / f"{file}.py").write_text(f"{own}def on_rtt(self, flow): pass\n    def {method}(self, flow): pass\n")
    (folder / "none.py").write_text(f"{own}gain = 3\n    def helper(self): pass\n")
    with pytest.raises(hs.ScenarioError) as caught:
        scenario(folder, transport)
    text = str(caught.value)
    assert message in text
    assert "own.toml:7:1: flow.0.transport: " in text
    assert "\n" not in text


def test_methods_may_be_set_when_an_object_is_made(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "import hopscope\nclass Late(hopscope.CongestionControl):\n    one = 1\n"
        "    def __init__(self): self.on_ack = lambda flow: self.one\n"
    )
    assert find("tcp:late.py", tmp_path).name == "Late"


def test_a_sweep_over_transports_may_set_parameters_of_one(mine: Path) -> None:
    swept = scenario(
        mine.parent,
        "tcp-newreno",
        control='{ decrease = 0.5 }\n[sweep]\n"flow.0.transport" = ["tcp-newreno", "tcp:mine.py:Gentle"]',
    )
    assert [point.resolved["flow"][0].get("control") for point in swept.points] == [
        None,
        {"decrease": 0.5, "probing": True, "mode": "slow"},
    ]
    assert swept.resolved["flow"][0]["control"]["decrease"] == 0.5
    with pytest.raises(hs.ScenarioError, match=r"flow.0.control: belongs to transport"):
        swept.replace({"flow.0.transport": "tcp-reno"})


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        (
            {"control": "{ decreas = 0.5 }"},
            "no parameter of tcp:mine.py:Gentle; it has decrease, probing, mode (did you",
        ),
        ({"control": '{ decrease = "0.5" }'}, 'found "0.5"; expected a number, as the class has 0.875'),
        ({"control": "{ decrease = true }"}, "found true; expected a number"),
        ({"control": "{ probing = 1 }"}, "found 1; expected true or false"),
        ({"control": "{ mode = 1 }"}, "found 1; expected text"),
        ({"control": "{ _seen = 1 }"}, "no parameter of"),
        ({"control": "{ name = 'x' }"}, "no parameter of"),
        ({"control": "{ decrease = nan }"}, "expected a number"),
        ({"control": "{ decrease = [1] }"}, "expected a number, true or false, or text"),
        ({"control": "3"}, "or a table of parameters, with class = "),
    ],
)
def test_parameters_that_do_not_fit_are_refused(mine: Path, flow: dict[str, str], message: str) -> None:
    with pytest.raises(hs.ScenarioError) as caught:
        scenario(mine.parent, "tcp:mine.py:Gentle", **flow)
    assert message in str(caught.value)


def test_parameters_belong_to_a_control(mine: Path) -> None:
    with pytest.raises(
        hs.ScenarioError, match=r'belongs to transport = "tcp:FILE.py:CLASS"; found transport = "tcp-ve'
    ):
        scenario(mine.parent, "tcp-vegas", control="{ decrease = 0.5 }")


def test_the_schema_takes_both_kinds_of_transport(mine: Path) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    document = scenario(mine.parent, "tcp:mine.py:Gentle", control="{ decrease = 0.7, mode = 'x' }").document
    validator.validate(document)
    for transport in ("tcp-external", "tcp:", "tcp-newrno"):
        document["flow"][0]["transport"] = transport
        assert not validator.is_valid(document)


def made(text: str, folder: Path, file: str = "made.py") -> Control:
    (folder / file).write_text(text)
    return find(f"tcp:{file}:Gentle", folder)


def test_the_digest_follows_the_code_and_not_the_place(tmp_path: Path) -> None:
    first = made(MINE, tmp_path)
    (tmp_path / "other").mkdir()
    assert made(MINE, tmp_path / "other", "renamed.py").digest == first.digest
    assert made(MINE.replace("0.875", "0.876"), tmp_path).digest != first.digest
    assert made(MINE + "\ndef helper(): ...\n", tmp_path).digest != first.digest
    assert made(MINE, tmp_path).digest == first.digest


def test_the_digest_follows_what_a_class_made_at_run_time_holds() -> None:
    def make(share: float, step: float = 1.0) -> type[hs.CongestionControl]:
        class Made(hs.CongestionControl):
            decrease = share

            def on_ack(self, flow: hs.FlowState, by: float = step) -> float:
                return flow.cwnd + share * by

        return Made

    assert digest(make(0.5)) == digest(make(0.5))
    assert len({digest(make(0.5)), digest(make(0.6)), digest(make(0.5, 2.0))}) == 3


def test_the_digest_sees_a_class_without_source() -> None:
    def run(text: str) -> type[hs.CongestionControl]:
        space: dict[str, Any] = {"__name__": "nowhere"}
        exec(f"import hopscope\nclass A(hopscope.CongestionControl):\n    def on_ack(self, flow): {text}\n", space)
        made: type[hs.CongestionControl] = space["A"]
        return made

    assert digest(run("return 2")) == digest(run("return 2"))
    assert len({digest(run("return 2")), digest(run("return 3")), digest(run("return flow.cwnd"))}) == 3


def test_labels_and_parameters() -> None:
    class Base(hs.CongestionControl):
        a = 1
        b = 2.5
        hidden = (1, 2)

    class Sub(Base):
        name = "sub"
        b = False
        c = "x"

    assert (label(Base), label(Sub)) == ("Base", "sub")
    assert parameters(Sub) == {"a": 1, "b": False, "c": "x"}


def test_a_control_of_another_process_is_asked_for_in_words() -> None:
    with pytest.raises(ControlError, match="belongs to another process"):
        Control("mine", "0" * 64).load()
