"""Link layers: parts joined with ``+``, and nodes with layers of their own (``[[layer]]``)."""

from __future__ import annotations

import itertools
import re
import tomllib
from typing import Any

import jsonschema
import pytest

import hopscope as hs
from hopscope.errors import InputError, ScenarioError
from hopscope.optimum import axes
from hopscope.scenario import Scenario, keys
from hopscope.scenario.document import parse
from hopscope.scenario.keys import schema
from hopscope.scenario.toml_writer import to_toml

NS = 1_000_000_000
BASE: dict[str, Any] = {
    "duration": "20s",
    "topology": {"kind": "chain", "hops": 4},
    "flow": [{"from": 0, "to": "last"}],
}
TEXT = """\
duration = "20s"
[topology]
kind = "chain"
hops = 4
[mac]
link = "lred+pacing"
[link]
lred_min = 0.5
[[flow]]
from = 0
to = 4
[[layer]]
nodes = [0, "last"]
link = "fq-codel + red"
codel_target = "3ms"
[[layer]]
nodes = [1]
lred_max_p = "50%"
"""


def layers_of(point: hs.Point) -> list[dict[str, Any]]:
    layers: list[dict[str, Any]] = point.config(1)["layers"]
    return layers


def test_the_order_of_the_parts_makes_no_difference() -> None:
    one = Scenario({**BASE, "mac": {"link": "pacing + lred"}}).points[0]
    other = Scenario({**BASE, "mac": {"link": "lred+pacing"}}).points[0]
    assert one.config(1) == other.config(1)
    assert one.config(1)["link"]["layer"] == one.resolved["mac"]["link"] == "lred+pacing"


def test_loader_schema_and_engine_agree_on_every_two_parts() -> None:
    check = jsonschema.Draft202012Validator(schema()["properties"]["mac"]["properties"]["link"])
    words = next(f.choices for f in keys.engine("mac") if f.name == "link")
    refused = set()
    for one, other in itertools.product(words, repeat=2):
        text = f"{one}+{other}"
        try:
            Scenario({**BASE, "mac": {"link": text}})
        except ScenarioError:
            refused.add(text)
        assert check.is_valid(text) == (text not in refused), text
    exclusive = [("codel", "fq-codel"), ("timer", "pacing")]
    assert refused == {
        f"{a}+{b}" for a in words for b in words
        if a == b or "plain" in (a, b) or (a, b) in exclusive or (b, a) in exclusive
    }  # fmt: skip
    for text, sound in (("red+nred+lred+codel+timer", True), ("codel+red+fq-codel", False), ("lred+red+lred", False)):
        assert check.is_valid(text) == sound, text
    for text in words:
        assert check.is_valid(text)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("lredd", 'found "lredd" (did you mean "lred"?)'),
        ("red+lerd", 'found "red+lerd" with the part "lerd" (did you mean "lred"?)'),
        ("red+red", 'found "red+red"; red stands twice'),
        ("plain+red", 'found "plain+red"; "plain" stands alone'),
        (
            "pacing+timer",
            'found "pacing+timer"; timer and pacing exclude each other, as both set the time between packets',
        ),
        ("fq-codel+codel", 'found "fq-codel+codel"; codel and fq-codel exclude each other, as FQ-CoDel orders'),
        (3, "found 3; expected"),
        ("", 'found ""; expected'),
    ],
)
def test_what_is_no_layer_is_refused(link: Any, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(f"mac.link: {message}").replace(r"\.\*", ".*")):
        Scenario({**BASE, "mac": {"link": link}})


def test_a_layer_has_its_own_parameters_and_else_the_common_ones() -> None:
    scenario = Scenario.from_document(parse(TEXT))
    ends, second = layers_of(scenario.points[0])
    assert (ends["nodes"], ends["layer"], ends["codel_target"]) == ([0, 4], "red+fq-codel", 3 * NS // 1000)
    assert (second["nodes"], second["layer"], second["lred_max_p"]) == ([1], "lred+pacing", 0.5)
    assert ends["lred_min"] == second["lred_min"] == scenario.points[0].config(1)["link"]["lred_min"] == 0.5
    assert scenario.resolved["layer"][0]["link"] == "red+fq-codel"
    assert "layer" not in scenario.resolved["layer"][0]


def test_layers_are_set_and_swept_like_other_keys() -> None:
    scenario = Scenario.from_document(parse(TEXT))
    changed = scenario.replace({"layer.0.link": "red+codel", "layer.1.nodes": [2, 3], "layer.*.acks": False})
    assert [(x["layer"], x["nodes"], x["acks"]) for x in layers_of(changed.points[0])] == [
        ("red+codel", [0, 4], False),
        ("lred+pacing", [2, 3], False),
    ]
    swept = scenario.replace({"sweep.layer.0.link": ["codel", "plain"], "sweep.layer.1.lred_min": [0.5, 1]})
    found = [(layers_of(p)[0]["layer"], layers_of(p)[1]["lred_min"]) for p in swept.points]
    assert found == [("codel", 0.5), ("codel", 1.0), ("plain", 0.5), ("plain", 1.0)]
    axis = axes.parse("layer.1.lred_min=0.2..1", scenario.document)
    assert axis.values[0] == 0.2
    with pytest.raises(InputError, match=r"takes .* with \+ between them, and a search needs a number"):
        axes.parse("layer.0.link=codel,red", scenario.document)


@pytest.mark.parametrize(
    "sweep",
    [
        {"mac.link": ["lred", "plain"]},
        {"link.lred_min": [0.4, 1.0]},
        {"topology.hops": [4, 6], "layer.1.link": ["lred", "codel"]},
        {"profile": ["standard", "ns2"], "tcp.min_rto": ["200ms", "1s"]},
    ],
)
def test_the_resolved_scenario_means_the_same(sweep: dict[str, Any]) -> None:
    scenario = Scenario.from_document(parse(TEXT)).replace({f"sweep.{key}": values for key, values in sweep.items()})
    again = Scenario.from_document(parse(to_toml(scenario.resolved)))
    jsonschema.Draft202012Validator(schema()).validate(scenario.resolved)
    assert [p.config(1) for p in again.points] == [p.config(1) for p in scenario.points]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nodes = [1]", "nodes = [1, 4]", "17:1: layer.1.nodes: node 4 is in layer 0 as well"),
        ("nodes = [1]", "nodes = [1, 1]", "17:1: layer.1.nodes: node 1 stands twice"),
        ("nodes = [1]", "nodes = [5]", "17:1: layer.1.nodes: node 5 does not exist; nodes are 0 to 4"),
        ("nodes = [1]", "nodes = []", "17:1: layer.1.nodes: is empty; a layer of its own needs at least one node"),
        ("nodes = [1]", "", "16:1: layer.1.nodes: is missing; expected a list of node numbers"),
        ("nodes = [1]", 'nodes = ["lst"]', '17:1: layer.1.nodes: found "lst"; expected a node number'),
        ("lred_min = 0.5", "nodes = [1]", "8:1: link.nodes: node 1 is in layer 1 as well"),
        ("lred_max_p", "lred_maxp", '18:1: layer.1.lred_maxp: unknown key (did you mean "lred_max_p"?)'),
        ('"50%"', "1.5", "18:1: layer.1.lred_max_p: found 1.5; must be at most 1"),
        ('"3ms"', "0", "15:1: layer.0.codel_target: found 0; must be above 0 s"),
        ("fq-codel + red", "fq-codel + codel", "14:1: layer.0.link: found"),
        ("[[layer]]\nnodes = [1]", "[layer]\nnodes = [1]", "is no TOML"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(old: str, new: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        Scenario.from_document(parse(TEXT.replace(old, new), "layers.toml"))


def test_a_layer_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ScenarioError, match="layer 2 does not exist; the scenario has layers 0 to 1"):
        Scenario.from_document(parse(TEXT)).replace({"layer.2.link": "red"})
    with pytest.raises(ScenarioError, match=re.escape("expected [[layer]] tables (two brackets)")):
        Scenario({**BASE, "layer": {"nodes": [1]}})


def test_each_node_counts_what_its_own_layer_did() -> None:
    sure = {"red_min": 0.2, "red_max": 1.0, "red_weight": 0.5, "lred_min": 0.2}
    flow = {"from": 0, "to": 4, "transport": "udp", "app": "cbr", "rate": "2Mbps"}
    layers = [{"nodes": [0], "link": "red"}, {"nodes": [1], "link": "codel+lred"}, {"nodes": [2], "link": "plain"}]
    values = {**BASE, "flow": [flow], "mac": {"link": "red"}, "link": sure, "layer": layers, "explain": True}
    result = hs.run(Scenario(values))
    nodes = result.points[0].runs[0]["nodes"]
    early = [{reason for reason in node["drops"] if reason.startswith("early-")} for node in nodes]
    assert early == [{"early-red"}, {"early-lred", "early-codel"}, set(), {"early-red"}, set()]
    assert nodes[0]["early_drops"] == nodes[0]["drops"]["early-red"] > 10
    reasons = {(loss.node, loss.reason) for loss in result.explain().points[0].losses}
    assert {(0, "early-red"), (1, "early-lred")} <= reasons
    assert not {(1, "early-red"), (2, "early-lred")} & reasons


def test_a_file_is_read_as_it_stands() -> None:
    jsonschema.Draft202012Validator(schema()).validate(tomllib.loads(TEXT))
