"""``[[event]]`` tables, and the same from Python between two steps."""

from __future__ import annotations

from typing import Any

import pytest

import hopscope as hs

NS = 1_000_000_000
FLOW = {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": "100kbps", "packet": 1000}


def chain(*events: dict[str, Any], **keys: Any) -> hs.Scenario:
    return hs.Scenario(
        {"duration": "20s", "topology": {"kind": "chain", "hops": 3}, "flow": [FLOW], "event": list(events), **keys}
    )


def refused(**event: Any) -> str:
    with pytest.raises(hs.ScenarioError) as error:
        chain(event)
    return str(error.value)


def test_an_event_reaches_the_engine_with_numbers_for_words() -> None:
    event = {"at": "5s", "kind": "move", "node": "last", "position": [1, 2], "speed": "3mps"}
    scenario = chain({**event, "speed": 3})
    assert scenario.points[0].config(1)["events"] == [
        {"at": 5 * NS, "change": {"kind": "move", "node": 3, "position": [1.0, 2.0], "speed": 3.0}}
    ]
    assert scenario.points[0].resolved["event"] == [
        {"at": 5, "kind": "move", "node": 3, "position": [1.0, 2.0], "speed": 3.0}
    ]
    assert "events" not in chain().points[0].config(1)


def test_events_are_shortened_and_swept_with_the_run() -> None:
    scenario = chain({"at": "10s", "kind": "node-down", "node": 1})
    assert scenario.quick().points[0].config(1)["events"][0]["at"] == 5 * NS
    swept = scenario.replace({"sweep": {"event.0.node": [1, 2]}})
    assert [point.config(1)["events"][0]["change"]["node"] for point in swept.points] == [1, 2]


def test_what_no_event_can_be_is_refused_by_its_key() -> None:
    assert "event.0.node: node 9 does not exist; nodes are 0 to 3" in refused(at=1, kind="node-down", node=9)
    assert 'event.0.node: is missing; kind = "node-up" needs it' in refused(at=1, kind="node-up")
    assert "event.0.flow: flow 1 does not exist" in refused(at=1, kind="flow-stop", flow=1)
    assert "event.0.at: found 21 s; the run ends at 20 s" in refused(at=21, kind="node-down", node=1)
    assert "event.0.at: is missing" in refused(kind="node-down", node=1)
    assert 'did you mean "link-cut"' in refused(at=1, kind="link-cutt")
    assert "event.0.rate: found 0; must be above 0" in refused(at=1, kind="flow-rate", flow=0, rate=0)


EVENTS = [
    {"at": 4.0, "kind": "link-degrade", "from": 1, "to": 2, "attenuation": 9.0},
    {"at": 8.0, "kind": "link-restore", "from": 1, "to": 2},
    {"at": 9.0, "kind": "flow-rate", "flow": 0, "rate": 200_000.0},
    {"at": 12.0, "kind": "node-down", "node": 2},
    {"at": 14.0, "kind": "node-up", "node": 2},
    {"at": 15.0, "kind": "set", "key": "mac.rts_threshold", "value": 3000},
    {"at": 16.0, "kind": "move", "node": 3, "position": [900.0, 0.0], "speed": 50.0},
    {"at": 19.0, "kind": "flow-stop", "flow": 0},
]


def test_steps_from_python_do_what_events_do() -> None:
    by_event = hs.run(chain(*EVENTS), seeds=1, jobs=1)
    simulation = hs.Simulation(chain())
    for event in EVENTS:
        values = {name: value for name, value in event.items() if name not in {"at", "kind"}}
        simulation.run_until(float(event["at"]))
        simulation.change(str(event["kind"]), **values)
    before = simulation.positions[3]
    simulation.run_until("20s")
    assert simulation.is_over
    assert (before, simulation.positions[3]) == ((750.0, 0.0), (800.0, 0.0))
    by_step = simulation.result()
    kept = [name for name in by_event.flows.columns if name != "note"]
    assert by_step.flows[kept].equals(by_event.flows[kept])
    assert 0 < by_step.flows["received_packets"][0] < hs.run(chain(), seeds=1, jobs=1).flows["sent_packets"][0] * 2


def test_every_verb_has_its_effect() -> None:
    simulation = hs.Simulation(chain(), seed=3)
    got = []

    def step() -> None:
        simulation.run_until(simulation.now + 2)
        got.append(int(simulation.result().flows["received_packets"][0]))

    step()
    for act, undo in [
        (lambda: simulation.down(1), lambda: simulation.up(1)),
        (lambda: simulation.cut(1, 2), lambda: simulation.restore(1, 2)),
        (lambda: simulation.stop(0), lambda: simulation.start(0)),
        (lambda: simulation.power(1, "1mW"), lambda: simulation.power(1, 0.28183815)),
    ]:
        act()
        simulation.run_until(simulation.now + 0.3)  # what waits is given up
        before = int(simulation.result().flows["received_packets"][0])
        simulation.run_until(simulation.now + 0.7)
        assert simulation.result().flows["received_packets"][0] == before
        undo()
        step()
        assert got[-1] > before
    assert simulation.now == pytest.approx(14.0)


def test_what_a_step_cannot_be_is_refused() -> None:
    with pytest.raises(hs.InputError, match=r"sweep: found mac.queue; a run step by step has no sweep"):
        hs.Simulation(chain(sweep={"mac.queue": [5, 50]}))
    with pytest.raises(hs.InputError, match="explain"):
        hs.Simulation(chain(explain=True))
    simulation = hs.Simulation(chain())
    simulation.run_until(5)
    with pytest.raises(hs.InputError, match=r"time: found 4 s; it is 5 s, and the run ends at 20 s"):
        simulation.run_until(4)
    with pytest.raises(hs.InputError, match=r"found 30 s"):
        simulation.run_until("30s")
    with pytest.raises(hs.InputError, match=r"node 8 does not exist"):
        simulation.move(8, [0, 0])
    with pytest.raises(hs.InputError, match="flow 0 runs already"):
        simulation.start(0)
    with pytest.raises(hs.InputError, match=r"colour: unknown"):
        simulation.change("move", colour=3)
    assert simulation.now == 5
