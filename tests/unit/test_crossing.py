"""Configurations and results cross between Python and the engine as values, never as text."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pyarrow as pa
import pytest

from hopscope import _core
from hopscope.results.columns import document, opened
from hopscope.results.finished import Finished
from hopscope.scenario import Scenario

CHAIN = {"kind": "chain", "hops": 3}
TCP = {"from": 0, "to": "last", "transport": "tcp-vegas"}
VOICE = {"from": 1, "to": 2, "transport": "udp", "app": "cbr", "rate": "64kbps", "group": "voice"}

CASES: dict[str, dict[str, Any]] = {
    "plain": {"topology": CHAIN, "flow": [TCP]},
    "ledger": {"topology": CHAIN, "flow": [TCP], "explain": True},
    "series": {"topology": CHAIN, "flow": [TCP], "series": {"keep": ["cwnd", "queue", "fairness"]}},
    "groups": {"topology": CHAIN, "flow": [TCP, VOICE, {**VOICE, "copies": 2}], "distributions": True},
    "wires": {"topology": {**CHAIN, "wired": 1}, "flow": [{**TCP, "to": 2}], "mac": {"link": "lred+pacing"}},
    "olsr": {"topology": CHAIN, "flow": [TCP], "routing": {"protocol": "olsr"}, "outage": [{"node": 1, "from": "1s"}]},
    "babel": {"topology": CHAIN, "flow": [TCP], "routing": {"protocol": "babel"}},
    "nothing arrives": {"topology": {"kind": "positions", "positions": [[0, 0], [200, 0]]},
                        "flow": [{"from": 0, "to": 1, "start": "1.9s"}], "outage": [{"node": 1, "from": 0}]},
    "random field": {"topology": {"kind": "random", "nodes": 12, "area": [600, 400], "seed": "run"}, "flow": [TCP]},
}  # fmt: skip


def kinds(value: Any) -> Any:
    """The types of a nested value, and the order of its keys."""
    if isinstance(value, dict):
        return [(name, kinds(inner)) for name, inner in value.items()]
    return [kinds(inner) for inner in value] if isinstance(value, list) else type(value)


def point_of(name: str) -> Any:
    return Scenario({"duration": "2s", "seed": 3, **CASES[name]}).points[0]


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_that_a_store_gives_back(name: str) -> None:
    outcome = _core.run(point_of(name).engine_config(3))
    direct = Finished(outcome).values()
    stored = opened(json.loads(document(outcome.text(), outcome.series)))
    assert direct == stored
    tables = {"series"} if "series" in direct else set()
    assert kinds({key: value for key, value in direct.items() if key not in tables}) == kinds(
        {key: value for key, value in stored.items() if key not in tables}
    )
    assert list(direct) == list(stored)
    assert all(isinstance(table, pa.Table) for table in direct.get("series", {}).values())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [3, 4])
def test_the_engine_has_the_configuration_that_python_reads(name: str, seed: int) -> None:
    point = point_of(name)
    made, read = point.engine_config(seed), _core.Config(point.config(seed))
    assert made.values() == read.values()
    again = pickle.loads(pickle.dumps(made))
    assert again.values() == made.values()
    assert len({_core.trajectory(config) for config in (made, read, again, point.config(seed))}) == 1


def test_a_mapping_that_is_no_configuration_is_refused_by_name() -> None:
    config = point_of("plain").config(3)
    for key, value in {"duration": "2s", "flows": [{}], "seed": -1, "nodes": [[0.0]], "radio": 2**70}.items():
        with pytest.raises(_core.EngineError) as caught:
            _core.run({**config, key: value})
        assert caught.value.key == "config"
        assert caught.value.message


def test_a_document_of_an_executor_elsewhere_gives_the_same() -> None:
    outcome = _core.run(point_of("series").engine_config(3))
    text = Finished(outcome).document()
    assert Finished(text).document() == text
    assert Finished(text).values() == Finished(outcome).values()
