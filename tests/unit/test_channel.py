"""The channel in scenario files: shadowing, fading and errors reach the engine, or are refused at their place."""

from __future__ import annotations

from typing import Any

import pytest

from hopscope.errors import ScenarioError
from hopscope.running.runner import run
from hopscope.scenario import Scenario
from hopscope.scenario.document import parse

BASE: dict[str, Any] = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}]}
HEAD = 'topology = { kind = "chain", hops = 2 }\nflow = [{ from = 0, to = 2 }]\n'


def radio(**keys: Any) -> dict[str, Any]:
    config: dict[str, Any] = Scenario({**BASE, "radio": keys}).points[0].config(1)["radio"]
    return config


def test_a_channel_in_words_and_units() -> None:
    config = radio(
        propagation="log-distance", path_loss_exponent=3.2, reference_distance="2m", shadowing="correlated",
        shadowing_sigma="6dB", shadowing_time="500ms", fading="nakagami", nakagami_m=2, coherence_time="20ms",
    )  # fmt: skip
    assert config["propagation"] == "log-distance"
    assert config["reference_distance"] == 2.0
    assert config["shadowing_sigma"] == 6.0
    assert config["shadowing_time"] == 500_000_000
    assert config["coherence_time"] == 20_000_000


def test_a_markov_process_and_its_links() -> None:
    error = {
        "kind": "markov", "transitions": [[0.9, "10%"], [0.5, 0.5]], "step": "5ms", "state_per": [0, "80%"],
        "state_ber": [0, 1e-6], "nodes": [2], "links": [[0, 1], [1, 0]],
    }  # fmt: skip
    config = radio(error=error)
    assert config["error_transitions"] == [[0.9, 0.1], [0.5, 0.5]]
    assert config["error_step"] == 5_000_000
    assert config["error_state_per"] == [0.0, 0.8]
    assert config["error_nodes"] == [2]
    assert config["error_links"] == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'shadowing = "static"\nshadowing_sigma = -2',
            "f.toml:5:1: radio.shadowing_sigma: found -2; must be at least 0 dB",
        ),
        (
            'fading = "nakagami"\nnakagami_m = 0.3',
            "f.toml:5:1: radio.nakagami_m: found 0.3; must be at least 0.5 and at most 1000",
        ),
        ('fading = "rice"\n', 'f.toml:4:1: radio.fading: found "rice"; allowed: "none", "rayleigh", "nakagami"'),
        ("coherence_time = 0", "f.toml:4:1: radio.coherence_time: found 0; must be at least 1e-05 s"),
        ('error = { kind = "uniform", ber = 2 }', "radio.error.ber: found 2; must be at most 1"),
        ('error = { kind = "markov" }', "radio.error.transitions: found 0 rows"),
        (
            '[radio.error]\nkind = "markov"\nstate_per = [0, 1]\ntransitions = [\n  [0.5, 0.5],\n  [0.2, 0.7],\n]',
            "f.toml:9:3: radio.error.transitions.1: row 1 sums to 0.9; each row must sum to 1",
        ),
        (
            'error = { kind = "markov", transitions = [[1, "x"]] }',
            'f.toml:4:28: radio.error.transitions: row 0: "x" is no number with a unit',
        ),
        ('error = { kind = "uniform", per = 0.1, links = [[0, 1, 2]] }', "expected a list of [from, to]"),
        ('error = { kind = "uniform", per = 0.1, links = [[0, 7]] }', "f.toml:4:49: radio.error.links.0: node 7 does"),
        ('error = { kind = "sinr" }', 'radio.error.kind: found sinr; it needs interference = "sinr"'),
    ],
)
def test_a_channel_that_cannot_be_is_refused_at_its_place(text: str, expected: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_document(parse(f"{HEAD}[radio]\n{text}\n", "f.toml"))
    assert expected in str(caught.value)


def test_a_seed_without_a_way_fails_by_name_and_the_others_run() -> None:
    scenario = Scenario(
        {
            **BASE, "duration": "2s", "seeds": 12, "topology": {"kind": "chain", "hops": 2, "spacing": 235},
            "radio": {"shadowing": "static", "shadowing_sigma": 3}, "seed": first_seed_with_a_way(),
        }
    )  # fmt: skip
    result = run(scenario)
    failed = [failure for failure in result.failures if "under the shadowing of this seed" in str(failure)]
    assert failed
    assert 0 < len(result.flows) < 12


def first_seed_with_a_way() -> int:
    """The scenario as such is checked with its first seed."""
    for seed in range(100):
        values = {**BASE, "topology": {"kind": "chain", "hops": 2, "spacing": 235}, "seed": seed}
        try:
            Scenario({**values, "radio": {"shadowing": "static", "shadowing_sigma": 3}})
        except ScenarioError:
            continue
        return seed
    raise AssertionError("no seed has a way")
