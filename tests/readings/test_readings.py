"""The search for readings without simulation: a synthetic study whose statements follow from the assumptions."""

from __future__ import annotations

import pytest

from hopscope.assuming import words
from hopscope.assuming.halves import chosen_half
from hopscope.assuming.search import Effort, Found, StageName, States, combinations, search
from hopscope.scenario.assumptions import Assumption, Choice, Reading, departing, plain_reading


def assumption(name: str, *values: tuple[str, str, float]) -> Assumption:
    plain = Choice(f"plain {name}", {})
    others = [Choice(v, {f"{name}.key": v}, ground=ground, because="so", weight=w) for v, ground, w in values]
    return Assumption(name, f"Which {name}?", (plain, *others))


ROUTING = assumption("routing", ("AODV", "paper", 1.0))
PACKET = assumption("packet", ("1000 bytes", "default", 1.0), ("512 bytes", "guess", 4.0))
CLOCK = assumption("clock", ("ticks", "practice", 2.0))
ALL = (ROUTING, PACKET, CLOCK)
STATEMENTS = [f"t{table}.c{number}" for table in range(4) for number in (1, 2)]
CHOSEN = chosen_half(STATEMENTS)


def evaluate(reading: Reading, stage: StageName) -> States:
    """Four statements hold with AODV and 1000 bytes together, and no others but the first of each table."""
    both = reading.key == {"routing": "AODV", "packet": "1000 bytes"}
    shown = STATEMENTS if stage == "full" else sorted(CHOSEN)
    return {name: "holds" if both or (name < "t1" and reading.departures) else "fails" for name in shown}


def found(**effort: int) -> Found:
    return search(ALL, CHOSEN, evaluate, effort=Effort(**effort))


def test_the_supported_reading_is_the_pair_that_acts_together() -> None:
    best = found().supported
    assert best.reading.key == {"routing": "AODV", "packet": "1000 bytes"}
    assert (best.reading.weight, best.count("holds")) == (2.0, 8)


def test_the_front_has_no_reading_that_another_one_equals_or_beats() -> None:
    front = found().front
    assert [one.reading.weight for one in front] == sorted({one.reading.weight for one in front})
    held = [one.count("holds", CHOSEN) for one in front]
    assert held == sorted(set(held))


def test_the_search_sees_the_chosen_half_alone_before_the_end() -> None:
    whole = found()
    assert all(set(one.states) == CHOSEN for one in (*whole.screened, *whole.joint))
    assert all(set(one.states) == set(STATEMENTS) for one in whole.finalists)


def test_an_assumption_that_changes_no_chosen_verdict_alone_stays_plain_where_room_is_short() -> None:
    def inert_clock(reading: Reading, stage: StageName) -> States:
        return evaluate(departing(ALL, {k: v for k, v in reading.key.items() if k != "clock"}), stage)

    whole = search(ALL, CHOSEN, inert_clock, effort=Effort(joint=11))
    assert [one.name for one in whole.inert] == ["clock"]
    assert not any("clock" in one.reading.key for one in whole.joint)


def test_of_values_that_do_the_same_alone_the_lightest_stays_where_room_is_short() -> None:
    whole = found(joint=11)
    # Packets of 512 bytes change what those of 1000 do; the plain reading and what does nothing are no values to try.
    assert {one.reading.key.get("packet") for one in whole.joint} == {None, "1000 bytes"}
    assert whole.combinations == 8
    assert {one.reading.key.get("packet") for one in found().joint} == {None, "1000 bytes", "512 bytes"}


def test_fewer_combinations_leave_fewer_for_the_later_stages() -> None:
    assert Effort.of(128) == Effort()
    assert Effort.of(24) == Effort(24, 3, 1)
    assert Effort.of(1) == Effort(1, 1, 1)


def test_the_plain_reading_takes_no_place_of_another_one() -> None:
    finalists = found(race=1, full=1).finalists
    assert [one.reading.key for one in finalists] == [{}, {"routing": "AODV", "packet": "1000 bytes"}]


def test_of_readings_of_one_weight_the_promising_come_first() -> None:
    bands = [assumption(name, ("other", "paper", 1.0)) for name in ("a", "b", "c")]

    def evaluate(reading: Reading, stage: StageName) -> States:
        held = {"a": 0, "b": 3, "c": 1}
        holds = sorted(CHOSEN)[: sum(held[name] for name in reading.key)]
        return {name: "holds" if name in holds else "fails" for name in STATEMENTS}

    whole = search(bands, CHOSEN, evaluate, effort=Effort(joint=8))
    assert ["".join(one.reading.key) for one in whole.joint] == ["", "b", "c", "a", "bc", "ab", "ac", "abc"]


def test_a_pair_that_does_more_than_its_parts_is_an_interaction() -> None:
    ((strongest, *_), base) = (found().interactions, found().joint[0].count("holds", CHOSEN))
    assert {strongest.first, strongest.second} == {"AODV", "1000 bytes"}
    assert strongest.together == len(CHOSEN) - base
    assert strongest.strength > 0


def test_a_guess_is_on_the_front_but_not_supported() -> None:
    def guess(reading: Reading, stage: StageName) -> States:
        held = reading.key == {"packet": "512 bytes"}
        return dict.fromkeys(STATEMENTS if stage == "full" else CHOSEN, "holds" if held else "fails")

    whole = search(ALL, CHOSEN, guess)
    assert whole.supported.reading.key == {}
    assert [one.reading.is_ad_hoc for one in whole.front] == [False, True]
    assert "ad hoc" in str(words.front(whole).rows)


def test_what_is_undecided_keeps_a_reading_in_the_race() -> None:
    def noisy(reading: Reading, stage: StageName) -> States:
        pair = reading.key == {"routing": "AODV", "clock": "ticks"}
        if stage == "full":
            return dict.fromkeys(STATEMENTS, "holds" if pair else "fails")
        return dict.fromkeys(CHOSEN, "open" if pair else "fails")

    assert search(ALL, CHOSEN, noisy, effort=Effort(race=3, full=2)).supported.reading.weight == 3


def test_combinations_come_by_weight() -> None:
    weights = [reading.weight for reading in combinations(ALL, ALL)]
    assert weights == sorted(weights)
    assert len(weights) == 12


def test_halves_divide_every_table_and_do_not_move() -> None:
    for table in range(4):
        assert sum(name.startswith(f"t{table}.") for name in CHOSEN) == 1
    more = [*STATEMENTS, "t9.c1"]
    assert chosen_half(more) - {"t9.c1"} == CHOSEN
    assert sorted(CHOSEN) == HALF


#: The half that is chosen from eight statements of four tables: fixed for good.
HALF = ["t0.c2", "t1.c1", "t2.c1", "t3.c1"]


def test_a_value_about_some_flows_changes_those() -> None:
    choice = Choice("large", {"flow.*.packet": 1000}, where={"flow.*.transport": "tcp-*"})
    scenario = {"flow": [{"transport": "udp"}, {"transport": "tcp-sack", "packet": 1460}]}
    assert choice.applied(scenario) == {"flow": [{"transport": "udp"}, {"transport": "tcp-sack", "packet": 1000}]}


def test_a_value_about_some_settings_comes_after_them_and_others_before() -> None:
    usual = Choice("AODV", {"routing.protocol": "aodv"}, weight=1.0)
    special = Choice("alone", {"tcp.cwnd_limit": 0}, only={"scheme": ["DAA*"]}, weight=1.0)
    plain = Choice("plain", {})
    reading = Reading(tuple((Assumption(c.name, "?", (plain, c)), c) for c in (usual, special)))
    assert reading.before({"routing": {"protocol": "static"}}) == {"routing": {"protocol": "aodv"}}
    assert reading.after({"tcp": {"cwnd_limit": 4}}, {"scheme": "DAAp"}) == {"tcp": {"cwnd_limit": 0}}
    assert reading.after({"tcp": {"cwnd_limit": 4}}, {"scheme": "MDA"}) == {"tcp": {"cwnd_limit": 4}}


def test_the_sentence_says_what_is_assumed_and_both_counts() -> None:
    text = words.sentence(found())
    assert "AODV for the routing, 1000 bytes for the packet (weight 2)" in text
    assert "4 of 4 of the statements hold on which it was chosen and 4 of 4 of the others" in text


def test_a_name_that_no_assumption_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        departing(ALL, {"routing": "OLSR"})
    assert plain_reading(ALL).label == "plain"
