"""The tables of the page of zhang2006: changes are paired and say when nothing changed; goals stand next to ns-2."""

from __future__ import annotations

import sys
from pathlib import Path

from hopscope.results.samples import Table

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import fairness

AIRS = ("capture", "range 350 m")


def table(jains, rate=1500.0, second=600.0):
    runs = [
        {
            "seed": seed,
            "network": {"shared_jain": jain, "shared_kbps": rate},
            "flows": [{"shared_kbps": rate - second}, {"shared_kbps": second}],
        }
        for seed, jain in enumerate(jains)
    ]
    return Table("", [({}, runs)])


def test_changes_are_paired_by_seed() -> None:
    base, less = table([0.9, 0.8, 0.7]), table([0.8, 0.7, 0.6])
    assert fairness.change(less, base, "network.shared_jain") == "-0.100 ± 0.000"
    assert fairness.change(base, base, "network.shared_jain") == "="
    noise = fairness.change(table([0.9, 0.7, 0.75]), base, "network.shared_jain")
    assert noise.startswith("(")
    assert noise.endswith(")")


def test_share_is_that_of_the_second_flow() -> None:
    assert table([1.0]).mean(fairness.share) == 40
    assert table([1.0], rate=0.0, second=0.0).find(fairness.share) is None


def test_a_row_for_each_radio_and_reading() -> None:
    entries = {
        "sensitivity": {
            f"{ends}, {air}, {reading}": table([1.0, 0.98] if reading == "as read" else [0.9, 0.88])
            for ends in ("both IN at 110 ms", "IN and OUT at 60 ms")
            for air in AIRS
            for reading in ("as read", "rounded down")
        },
        "sensitivity-mixed": {
            f"TCP IN and DCCP OUT, {air}, {reading}": table([1.0, 1.0], second=600.0 if reading == "as read" else 900.0)
            for air in AIRS
            for reading in ("as read", "rounded down")
        },
    }
    head, rows = fairness.grid(entries)
    assert head[:3] == ["radio", "reading", "Jain: both IN at 110 ms"]
    assert head[-1] == "TCP's share (%): TCP IN and DCCP OUT"
    assert [row[:2] for row in rows] == [[air, reading] for air in AIRS for reading in ("as read", "rounded down")]
    assert rows[1][2:] == ["-0.100 ± 0.000", "-0.100 ± 0.000", "=", "=", "+20.0 ± 0.0"]
    ends = fairness.largest(entries)[1]
    assert ends[0] == ["Jain", "both IN at 110 ms", "capture", "0.99", "0.89 (rounded down)", "0.99 (as read)"]


def test_goals_stand_beside_tcp_and_ns2() -> None:
    tables = {
        f"{kind}, {ends}, {air}": table(
            [0.5, 0.52] if kind == "TCP" else [0.9, 0.92], rate=1600 if kind == "TCP" else 1500
        )
        for kind in ("TCP", "DCCP", "reliable DCCP")
        for ends in ("both OUT at 110 ms", "IN and OUT at 110 ms")
        for air in AIRS
    }
    rows = fairness.alone(tables)[1]
    assert [row[:2] for row in rows[:2]] == [["capture", "both OUT at 110 ms"], ["capture", "IN and OUT at 110 ms"]]
    assert (rows[0][5], rows[1][5]) == ("", "0.528")
    assert rows[1][-1] == "-0.100 ± 0.000"
    tables |= {
        f"TCP beside DCCP, {mix}, {air}": table([0.6, 0.62])
        for mix in ("TCP IN and DCCP OUT", "both OUT at 110 ms")
        for air in AIRS
    }
    rows = fairness.mixed(tables)[1]
    assert [row[0] for row in rows] == ["capture", "capture", "range 350 m", "range 350 m"]
    assert rows[0] == ["capture", "TCP IN and DCCP OUT", "DCCP", "40.0 ± 0.0", *rows[0][4:6], "0.528", "+0.100 ± 0.000"]
