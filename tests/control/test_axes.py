"""Protocol, congestion control and loss recovery as keys of their own, and what each reading of `control` means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import hopscope as hs
from hopscope.campaign.manifest import digest
from hopscope.reference.words import words as listing
from hopscope.scenario.keys import schema
from hopscope.scenario.toml_writer import to_toml

MINE = """\
import hopscope as hs
from hopscope.campaign.manifest import digest

class Gentle(hs.CongestionControl):
    decrease = 0.875

    def on_loss(self, flow):
        return max(self.decrease * flow.in_flight, 2.0)

class Fierce(Gentle):
    decrease = 0.95
"""

CHAIN: dict[str, Any] = {
    "title": "axes",
    "duration": "20s",
    "topology": {"kind": "chain", "hops": 4},
    "mac": {"queue": 6},
}


def chain(**flow: Any) -> dict[str, Any]:
    return {**CHAIN, "flow": [{"from": 0, "to": 4, **flow}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def load(folder: Path, **flow: Any) -> hs.Scenario:
    path = folder / "axes.toml"
    sweep = {"sweep": flow.pop("sweep")} if "sweep" in flow else {}
    path.write_text(to_toml({**chain(**flow), **sweep}))
    return hs.load(path)


def flows(result: hs.Result) -> list[dict[str, Any]]:
    return [run["flows"][0] for point in result.points for run in point.runs]


PAIRS = {
    "tcp-tahoe": ("newreno", "tahoe"),
    "tcp-reno": ("newreno", "reno"),
    "tcp-newreno": ("newreno", "own"),
    "tcp-sack": ("newreno", "sack"),
    "tcp-vegas": ("vegas", "own"),
    "tcp-cubic": ("cubic", "own"),
    "tcp-bbr": ("bbr", "rack"),
}


@pytest.mark.parametrize(("word", "pair"), PAIRS.items())
def test_an_older_word_is_the_pair_it_stands_for(word: str, pair: tuple[str, str]) -> None:
    control, recovery = pair
    alias = hs.run(chain(transport=word))
    axes = hs.run(chain(transport="tcp", control=control, recovery=recovery))
    assert flows(axes) == flows(alias)
    assert flows(axes)[0]["transport"] == word


def test_the_axes_are_chosen_one_by_one() -> None:
    runs = [hs.run(chain(transport="tcp", control="cubic", recovery=recovery)) for recovery in ("sack", "rack")]
    assert flows(runs[0]) != flows(runs[1])
    assert [flows(run)[0]["transport"] for run in runs] == ["tcp-cubic", "tcp-cubic"]
    as_before = hs.run(chain(transport="tcp-cubic", tcp={"loss_recovery": "rack"}))
    assert flows(runs[1]) == flows(as_before)


def test_what_is_left_out_is_newreno_with_its_own_recovery() -> None:
    scenario = hs.Scenario(chain(transport="tcp"))
    flow = scenario.resolved["flow"][0]
    assert (flow["transport"], flow["control"], flow["recovery"]) == ("tcp", "newreno", "own")
    assert hs.Scenario(scenario.resolved).resolved == scenario.resolved
    udp = hs.Scenario(chain(transport="udp")).resolved["flow"][0]
    assert not {"control", "recovery"} & udp.keys()


def test_a_control_alone_means_tcp() -> None:
    flow = hs.Scenario(chain(control="cubic")).resolved["flow"][0]
    assert (flow["transport"], flow["control"]) == ("tcp", "cubic")


def test_each_axis_is_swept() -> None:
    sweep = {"flow.0.control": ["newreno", "cubic"], "flow.0.recovery": ["sack", "rack"]}
    scenario = hs.Scenario({**chain(transport="tcp"), "sweep": sweep})
    found = [[point.config(1)["flows"][0][name] for name in ("control", "recovery")] for point in scenario.points]
    assert found == [["newreno", "sack"], ["newreno", "rack"], ["cubic", "sack"], ["cubic", "rack"]]
    result = hs.run(scenario)
    assert [f["transport"] for f in flows(result)] == ["tcp-sack", "tcp-newreno", "tcp-cubic", "tcp-cubic"]
    assert len({json.dumps(f) for f in flows(result)}) == 4


def test_a_transport_that_is_swept_excuses_what_one_point_uses() -> None:
    sweep = {"flow.0.transport": ["tcp", "tcp-vegas", "udp"]}
    scenario = hs.Scenario({**chain(control="cubic", recovery="own"), "sweep": sweep})
    used = [point.config(1)["flows"][0].get("control") for point in scenario.points]
    assert used == ["cubic", None, None]


# --- Classes of one's own -------------------------------------------------------------------------------------------


def test_a_file_is_named_in_three_ways(folder: Path) -> None:
    old = load(folder, transport="tcp:mine.py:Gentle", control={"decrease": 0.7})
    table = load(folder, transport="tcp", control={"class": "mine.py:Gentle", "decrease": 0.7})
    assert old.points[0].config(1) == table.points[0].config(1)
    word = load(folder, transport="tcp", control="mine.py:Gentle")
    [[control]] = word.points[0].controls()
    assert control is not None
    assert control.parameters == {"decrease": 0.875}
    assert word.points[0].config(1)["flows"][0]["control"]["name"] == "tcp:Gentle"
    resolved = table.resolved["flow"][0]
    assert (resolved["transport"], resolved["control"]) == ("tcp", {"class": "mine.py:Gentle", "decrease": 0.7})


def test_a_class_stands_for_itself_in_python() -> None:
    class Here(hs.CongestionControl):
        share = 0.5

        def on_loss(self, flow: hs.FlowState) -> float:
            return max(self.share * flow.in_flight, 2.0)

    for control in (Here, "Here", {"class": Here, "share": 0.5}):
        [[found]] = hs.Scenario(chain(transport="tcp", control=control)).points[0].controls()
        assert found is not None
        assert (found.control.cls, found.parameters) == (Here, {"share": 0.5})
    result = hs.run(chain(control=Here))
    assert flows(result)[0]["transport"] == "tcp:Here"


def test_words_classes_and_their_parameters_are_swept(folder: Path) -> None:
    values = ["cubic", "mine.py:Gentle", {"class": "mine.py:Gentle", "decrease": 0.5}]
    scenario = load(folder, transport="tcp", sweep={"flow.0.control": values})
    names = [point.config(1)["flows"][0]["control"] for point in scenario.points]
    assert names[0] == "cubic"
    assert [name["name"] for name in names[1:]] == ["tcp:Gentle", "tcp:Gentle"]
    assert names[1]["identity"] != names[2]["identity"]
    parts = load(
        folder,
        transport="tcp",
        control={"class": "mine.py:Gentle"},
        sweep={"flow.0.control.class": ["mine.py:Gentle", "mine.py:Fierce"], "flow.0.control.decrease": [0.5, 0.6]},
    )
    classes = [
        (c.control.class_name, c.parameters["decrease"]) for p in parts.points for own in p.controls() for c in own
    ]
    assert classes == [("Gentle", 0.5), ("Gentle", 0.6), ("Fierce", 0.5), ("Fierce", 0.6)]


def test_a_store_keeps_and_resumes_them(folder: Path) -> None:
    scenario = load(folder, transport="tcp", sweep={"flow.0.control": ["cubic", "mine.py:Gentle"]})
    result = hs.run(scenario, out=folder / "store")
    (folder / "mine.py").write_text("raise SystemExit('reading a store runs nobody')\n")
    store = hs.open_store(folder / "store")
    [again] = store.results()
    assert flows(again) == flows(result)
    assert store.problems == []
    manifest = folder / "store" / "manifest.json"
    document = json.loads(manifest.read_text())
    assert list(document["scenarios"][0].pop("controls")) == ["tcp:mine.py:Gentle"]
    manifest.write_text(json.dumps(document | {"sha256": digest(document)}))
    store = hs.open_store(folder / "store")
    store.results()
    assert "does not record the class of tcp:mine.py:Gentle" in store.problems[0]


# --- Refused --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ({"transport": "tcp", "control": "cubik"}, 'flow.0.control: found "cubik" (did you mean "cubic"?)'),
        ({"transport": "tcp", "control": "cubik"}, '(did you mean "cubic"?)'),
        ({"transport": "tcp", "control": "external"}, 'flow.0.control: found "external"; expected'),
        ({"transport": "tcp", "control": "tcp-cubic"}, 'flow.0.control: found "tcp-cubic" (did you mean "cubic"?)'),
        ({"transport": "tcp", "control": 3}, "flow.0.control: found 3; expected one of"),
        ({"transport": "tcp", "control": ""}, 'flow.0.control: found ""; expected'),
        ({"transport": "tcp", "control": {"decrease": 0.5}}, "flow.0.control: names no congestion control; expected"),
        ({"transport": "tcp", "control": {"class": 3}}, 'flow.0.control.class: found 3; expected "FILE.py:CLASS"'),
        ({"transport": "tcp", "control": "absent.py:A"}, "flow.0.control: absent.py: no such file"),
        ({"transport": "tcp", "control": "mine.py:Gentel"}, 'has no class "Gentel"; it holds "Gentle", "Fierce" (did'),
        ({"transport": "tcp", "control": {"class": "Gone"}}, 'flow.0.control.class: no congestion control "Gone" in'),
        (
            {"transport": "tcp", "control": {"class": "mine.py:Gentle", "decreas": 1.0}},
            'flow.0.control.decreas: no parameter of tcp:mine.py:Gentle; it has decrease (did you mean "decrease"?)',
        ),
        (
            {"transport": "tcp-cubic", "control": "newreno"},
            'flow.0.control: names a congestion control together with transport = "tcp-cubic"; it goes with "tcp"',
        ),
        (
            {"transport": "tcp:mine.py:Gentle", "control": "mine.py:Fierce"},
            'flow.0.control: names a congestion control together with transport = "tcp:mine.py:Gentle"',
        ),
        (
            {"transport": "tcp:mine.py:Gentle", "control": {"class": "mine.py:Fierce"}},
            'flow.0.control.class: names a congestion control together with transport = "tcp:mine.py:Gentle"',
        ),
        ({"transport": "tcp-cubic", "control": {"decrease": 0.5}}, 'flow.0.control: belongs to transport = "tcp:FILE'),
        ({"transport": "udp", "control": "cubic"}, 'flow.0.control: has no effect: it needs flow.0.transport = "tcp"'),
        ({"transport": "udp", "recovery": "rack"}, 'flow.0.recovery: has no effect: it needs flow.0.transport = "tcp"'),
        ({"transport": "tcp", "recovery": "rak"}, 'flow.0.recovery: found "rak" (did you mean "rack"?)'),
        ({"transport": "tcp", "recovery": "rak"}, '(did you mean "rack"?)'),
        (
            {"transport": "tcp", "control": "bbr", "recovery": "newreno"},
            'flow.0.recovery: found "newreno"; with control "bbr" allowed are "own", "sack", "rack"',
        ),
        ({"transport": "tcp-vegas", "recovery": "sack"}, 'flow.0.recovery: found "sack"; tcp-vegas is defined by'),
        (
            {"transport": "tcp", "recovery": "sack", "tcp": {"loss_recovery": "rack"}},
            'flow.0.recovery: found "sack" together with tcp.loss_recovery = "rack"; give one of them',
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(folder: Path, flow: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.ScenarioError) as caught:
        load(folder, **flow)
    text = str(caught.value)
    assert message in text
    assert "axes.toml:" in text


def test_every_form_fits_the_schema_and_a_typing_error_does_not(folder: Path) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    fits: list[Any] = ["cubic", "mine.py:Gentle", "mine.py", {"class": "mine.py:Gentle", "decrease": 0.5}]
    for control in fits:
        validator.validate(load(folder, control=control if control != "mine.py" else "cubic").document)
        assert validator.is_valid(chain(transport="tcp", control=control, recovery="rack"))
    for control in ("cubik", "external", "", 3):
        assert not validator.is_valid(chain(transport="tcp", control=control))
    assert not validator.is_valid(chain(transport="tcp", recovery="rak"))


def test_the_list_has_the_words_of_each_axis() -> None:
    found = listing()
    assert "cubic" in found["controls"]
    assert "external" not in found["controls"]
    assert {"own", "rack"} <= found["recoveries"].keys()
    assert {"tcp", "tcp-cubic"} <= found["transports"].keys()


@pytest.mark.parametrize("control", ["cubic", "newreno", "bbr"])
def test_the_wired_bottleneck_takes_the_axes(control: str) -> None:
    link: dict[str, Any] = {"rate": "2Mbps", "delay": "20ms", "queue": 10, "duration": "5s"}
    axes = hs.bottleneck("tcp", **link, control=control)
    assert axes.samples.equals(hs.bottleneck(f"tcp-{control}", **link).samples)
    assert not axes.samples.equals(hs.bottleneck("tcp", **link, control="veno").samples)
