"""ACK policies and channels in scenario files: what they cannot be is refused with place, value and what is allowed."""

from __future__ import annotations

import re

import pytest

from hopscope.errors import ScenarioError
from hopscope.running.runner import run
from hopscope.scenario import Scenario
from hopscope.scenario.document import parse

HEAD = """\
duration = "20s"
topology = { kind = "chain", hops = 2 }
"""


MARKOV = '[radio.error]\nkind = "markov"\n'


def refusal(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_document(parse(HEAD + text, "f.toml"))
    return str(caught.value)


def flow(keys: str) -> str:
    return f"[[flow]]\nfrom = 0\nto = 2\nmax_window = 8\n{keys}\n"


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        (flow('ack = "dba"'), "f.toml:7: flow.0.ack", 'found "dba"'),
        (flow('ack = "daa"\ntcp = { daa_most = 0 }'), "f.toml:8: flow.0.tcp.daa_most", "found 0"),
        (flow('ack = "mda"\ntcp = { daa_most = 9 }'), "f.toml:8: flow.0.tcp.daa_most", "1 to max_window, 8"),
        (flow('ack = "asym"\ntcp = { asym_most = 9 }'), "f.toml:8: flow.0.tcp.asym_most", "1 to max_window, 8"),
        (flow('ack = "fixed"\ntcp = { ack_every = 0 }'), "f.toml:8: flow.0.tcp.ack_every", "found 0"),
        (flow('ack = "mda"\ntcp = { mda_threshold = 1.5 }'), "f.toml:8: flow.0.tcp.mda_threshold", "found 1.5"),
        (flow('ack = "mda"\ntcp = { mda_threshold = -0.1 }'), "f.toml:8: flow.0.tcp.mda_threshold", "found -0.1"),
        (flow("") + '[mac]\ncollision_signal = "cts"', "f.toml:9: mac.collision_signal", 'found "cts"'),
        (flow("") + MARKOV + 'channel = "five"', "f.toml:10: radio.error.channel", 'found "five"'),
        (
            flow("") + MARKOV + 'channel = "four-state"\nstate_per = [0.1]',
            "f.toml:11: radio.error.state_per",
            'has no effect: it needs radio.error.channel = "given"',
        ),
        (
            flow("") + '[radio.error]\nkind = "uniform"\nchannel = "four-state"',
            "f.toml:10: radio.error.channel",
            "markov",
        ),
    ],
)  # fmt: skip
def test_what_no_policy_channel_or_estimator_can_be_is_refused(text: str, place: str, found: str) -> None:
    message = refusal(text)
    assert re.sub(r"(f\.toml:\d+):\d+", r"\1", message).startswith(f"{place}: "), message
    assert found in message
    assert any(
        word in message for word in ("allowed", "expected", "at least", "at most", "needs", "kind", "did you mean")
    )


def test_a_named_channel_reaches_the_engine_and_loses_frames() -> None:
    text = HEAD + flow("") + MARKOV + 'channel = "four-state-harsh"\napplies_to = "data"\n'
    scenario = Scenario.from_document(parse(text, "f.toml"))
    assert scenario.points[0].config(1)["radio"]["error_channel"] == "four-state-harsh"
    clean = Scenario.from_document(parse(HEAD + flow("")))
    retries = [sum(node["mac_retries"] for node in run(one).points[0].runs[0]["nodes"]) for one in (scenario, clean)]
    assert retries[0] > retries[1]


def test_the_delay_window_is_a_series_and_a_mean() -> None:
    text = HEAD + flow('ack = "daa"') + '[series]\nkeep = ["ack_window"]\n'
    result = run(Scenario.from_document(parse(text, "f.toml")))
    reported = result.series("ack_window", flow=0)["value"]
    assert reported.iloc[0] == 1.3
    assert reported.max() == 4.0
    assert 1.3 < result.flows["mean_ack_window"].iloc[0] <= 4.0
