"""Recovery from failures is judged on times that keep to the timers, on late ones, and on packets that never come."""

from __future__ import annotations

import math
import re

from synthetic import outcomes

from hopscope.scenario import Scenario
from hopscope.studies.registry import find

PASS, FAIL = {"reproduced"}, {"not reproduced"}
[RECOVERY] = find(["validation.recovery"])
[FIELD] = find(["validation.recovery-field"])


def bounds(label):
    """What the timers allow after the death and after the return, in seconds, as the statements print it."""
    texts = [s.text for s in RECOVERY.statements if s.text.startswith(f"{label}: ")]
    return [float(re.search(r"within ([\d.]+) s after", text)[1]) for text in texts]


def run(dies, *backs):
    """Seconds until the first packet, of the times that the timers of a protocol allow."""

    def model(label, _where):
        death, back = bounds(label)
        times = [dies(death), *(found(back) for found in backs)]
        return {f"flow.{number}.first_delivery_s": seconds for number, seconds in enumerate(times, 1)}

    return model


def exactly(seconds):
    return seconds


def never(_seconds):
    return None


def test_recovery_must_keep_to_the_timers_in_every_run():
    ids = [s.id for s in RECOVERY.statements]
    assert len(ids) == 2 * len(RECOVERY.settings) == 20
    assert outcomes(RECOVERY, run(exactly, *[exactly] * 4)) == dict.fromkeys(ids, PASS)
    one_late = outcomes(RECOVERY, run(exactly, *[exactly] * 3, lambda seconds: seconds + 0.01))
    assert [one_late[i] for i in ids] == [PASS, FAIL] * len(RECOVERY.settings)
    assert outcomes(RECOVERY, run(never, exactly, exactly, exactly, never)) == dict.fromkeys(ids, FAIL)


def test_recovery_in_the_field_needs_a_packet_in_every_run():
    ids = [s.id for s in FIELD.statements]
    assert outcomes(FIELD, run(lambda _s: 200.0, lambda _s: 60.0, lambda _s: 60.0)) == dict.fromkeys(ids, PASS)
    never_back = outcomes(FIELD, run(exactly, exactly, never))
    assert [never_back[i] for i in ids] == [PASS, FAIL] * len(FIELD.settings)


def test_the_node_that_dies_in_the_field_is_on_every_shortest_way_and_another_way_is_left():
    scenario = FIELD.settings[0].scenario
    positions = Scenario(scenario).points[0].config(1)["nodes"]
    source, target = scenario["flow"][0]["from"], scenario["flow"][0]["to"]
    dies = scenario["outage"][0]["node"]

    def hops(without=None):
        left, found = set(range(50)) - {source, without}, {source: 0}
        frontier = [source]
        while frontier:
            at = frontier.pop(0)
            near = {n for n in left if math.dist(positions[at], positions[n]) <= 250}
            left -= near
            found |= dict.fromkeys(near, found[at] + 1)
            frontier += sorted(near)
        return found

    assert hops()[target] == 5
    assert hops(without=dies)[target] == 7
    assert len(hops(without=dies)) == 49
