"""Fair shares: closed forms, optimality conditions, cliques, the region of a scenario, and what users see."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import pytest
from scipy.optimize import linprog

import hopscope as hs
from hopscope import _core
from hopscope.errors import InputError
from hopscope.models import region, shares
from hopscope.models.shares import Region
from hopscope.results import fairness


def parking_lot(links: int) -> Region:
    """One flow over so many links of 1 bit/s, and one over each."""
    return Region(
        [[1.0, *(1.0 if other == link else 0.0 for other in range(links))] for link in range(links)],
        [f"link {link}" for link in range(links)],
    )


@pytest.mark.parametrize("links", [1, 2, 4, 9])
def test_the_parking_lot_as_massoulie_and_roberts_have_it(links: int) -> None:
    lot = parking_lot(links)
    assert shares.max_min(lot) == pytest.approx([0.5] * (links + 1))
    long = 1 / (links + 1)
    assert shares.proportional(lot) == pytest.approx([long] + [1 - long] * links, abs=1e-5)
    long = 1 / (1 + math.sqrt(links))
    assert shares.potential_delay(lot) == pytest.approx([long] + [1 - long] * links, abs=1e-5)
    assert sum(shares.most(lot)) == pytest.approx(links)


def drawn(seed: int) -> Region:
    """A random region: three to eight flows under two to six bounds of very different sizes."""
    rng = random.Random(seed)
    flows, bounds = rng.randint(3, 8), rng.randint(2, 6)
    rows = [
        [rng.choice([0.0, rng.uniform(0.1, 3)]) * 10 ** rng.uniform(-7, -5) for _ in range(flows)]
        for _ in range(bounds)
    ]
    return Region([*rows, [1e-6] * flows], [str(row) for row in range(bounds + 1)])


@pytest.mark.parametrize("seed", range(25))
def test_no_feasible_rates_are_fairer(seed: int) -> None:
    bounds = drawn(seed)
    for rates, power in ((shares.proportional(bounds), 1), (shares.potential_delay(bounds), 2)):
        assert bounds.use(rates) <= 1 + 1e-9
        # At the best rates no feasible direction gains (Kelly et al. 1998, equation 3).
        unit = max(rates)
        gain = [(unit / rate) ** power for rate in rates]
        rows = [[cost * unit for cost in row] for row in bounds.costs]
        best = -linprog([-g for g in gain], A_ub=rows, b_ub=[1.0] * len(rows)).fun
        now = sum(g * rate / unit for g, rate in zip(gain, rates, strict=True))
        assert best <= now * (1 + 2e-4)


@pytest.mark.parametrize("seed", range(25))
def test_each_max_min_share_has_a_full_bound_in_which_none_has_more(seed: int) -> None:
    bounds = drawn(seed)
    rates = shares.max_min(bounds)
    assert bounds.use(rates) <= 1 + 1e-9
    for flow, rate in enumerate(rates):
        full = [
            row for row in bounds.costs if row[flow] and sum(map(math.prod, zip(row, rates, strict=True))) > 1 - 1e-9
        ]
        assert any(
            all(rate >= other * (1 - 1e-9) for cost, other in zip(row, rates, strict=True) if cost) for row in full
        )
    assert sum(rates) <= sum(shares.most(bounds)) * (1 + 1e-9)


def test_a_region_bounds_every_flow() -> None:
    with pytest.raises(InputError, match=r"flow 1 takes \[0.0\]"):
        Region([[1.0, 0.0]], ["a"])
    with pytest.raises(InputError, match="one flow and one bound"):
        Region([], [])


def test_the_index_of_unfairness() -> None:
    assert shares.unfairness([1.0, 3.0], [2.0, 2.0]) == 0.5
    assert shares.unfairness([2.0, 2.0], [2.0, 2.0]) == 0
    with pytest.raises(ValueError, match="as many of both"):
        shares.unfairness([1.0], [2.0, 2.0])


@pytest.mark.parametrize("seed", range(20))
def test_cliques_are_those_that_trying_all_sets_finds(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 8)
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for a, b in itertools.combinations(range(count), 2):
        if rng.random() < 0.5:
            neighbours[a].add(b)
            neighbours[b].add(a)
    sets = [set(s) for size in range(1, count + 1) for s in itertools.combinations(range(count), size)]
    complete = [s for s in sets if all(b in neighbours[a] for a, b in itertools.combinations(s, 2))]
    maximal = sorted(sorted(s) for s in complete if not any(s < other for other in complete))
    assert region.cliques(neighbours) == maximal


def chain(hops: int, **flow: object) -> hs.Scenario:
    made = {"from": 0, "to": hops, "transport": "udp", "packet": 1472, **flow}
    return hs.Scenario({"duration": "2s", "topology": {"kind": "chain", "hops": hops}, "flow": [made]})


def test_a_long_chain_carries_a_quarter_of_a_hop() -> None:
    rates = {hops: fairness.of_point(chain(hops).points[0]).fair["max_min"][0] for hops in (1, 2, 3, 4, 5, 9)}
    # Nodes at 200 m sense 550 m: four links in a row conflict (fu2003; Li et al. 2001).
    assert [rates[1] / rates[h] for h in (2, 3, 4, 5, 9)] == pytest.approx([2, 3, 4, 4, 4])


def test_an_exchange_is_that_of_the_closed_form() -> None:
    from hopscope.models.capacity import exchange

    config = chain(1).points[0].config(0)
    expected = exchange(1500, 2_000_000, rts=True).total / 1e6
    assert region.exchange(config, 1500) == pytest.approx(expected, abs=2e-6)
    rate = fairness.of_point(chain(1).points[0]).fair["max_min"][0]
    assert rate == pytest.approx(8 * 1472 / expected / 1000, rel=1e-3)


def test_acknowledgements_and_loads_count() -> None:
    alone = fairness.of_point(chain(1, transport="tcp-newreno", packet=1460).points[0]).fair["max_min"][0]
    fewer = fairness.of_point(chain(1, transport="tcp-newreno", packet=1460, ack="delayed").points[0]).fair["max_min"][
        0
    ]
    none = fairness.of_point(chain(1, packet=1472).points[0]).fair["max_min"][0]
    assert alone < fewer < none
    slow = fairness.of_point(chain(1, app="cbr", rate="100kbps").points[0])
    assert slow.fair["max_min"] == pytest.approx([100])
    assert slow.bounds == ["load of flow 0"]


def test_paths_are_as_long_as_static_routes() -> None:
    field = {"kind": "random", "nodes": 40, "area": [1000, 600], "seed": 3, "connected": True}
    flows = [{"from": 0, "to": n, "transport": "udp", "packet": 500} for n in (5, 17, 23, 39)]
    point = hs.Scenario({"duration": "2s", "topology": field, "flow": flows}).points[0]
    config = point.config(0)
    assert [len(path) - 1 for path in region.of_point(point)[1]] == _core.static_hops(config)


def test_wires_are_bounds_of_their_own() -> None:
    scenario = hs.Scenario(
        {
            "duration": "2s",
            "topology": {"kind": "access", "arms": 2, "hops": 2, "wire_rate": "100kbps"},
            "flow": [{"from": 5, "to": 0, "transport": "udp"}, {"from": 5, "to": 4, "transport": "udp"}],
        }
    )
    found = fairness.of_point(scenario.points[0])
    assert found.bounds == ["wire 5 to 2"]
    assert found.paths == [[5, 2, 1, 0], [5, 2, 3, 4]]
    assert sum(found.fair["max_min"]) < 100


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fair") / "store"
    flows = [{"from": 0, "to": 3}, {"from": 0, "to": 1}]
    hs.run(
        hs.Scenario({"duration": "3s", "seeds": 2, "topology": {"kind": "chain", "hops": 3}, "flow": flows}), out=folder
    )
    return folder


def test_measured_and_fair_stand_side_by_side(store: Path) -> None:
    result = hs.open_store(store).results()[0]
    table = hs.fair_shares(result)
    assert list(table.flow) == [0, 1]
    mean = result.summary  # the same number as in the summary
    assert table.measured_kbps[0] == pytest.approx(mean.query("metric == 'flow.0.throughput_kbps'")["mean"].iloc[0])
    # One clique: a flow over three links takes three times as much of it.
    assert table.max_min_kbps[0] == pytest.approx(table.max_min_kbps[1])
    assert table.proportional_kbps[1] == pytest.approx(3 * table.proportional_kbps[0], rel=1e-4)
    assert table.potential_delay_kbps[1] == pytest.approx(math.sqrt(3) * table.potential_delay_kbps[0], rel=1e-4)
    assert list(hs.fair_shares(result.scenario).columns) == list(table.columns)[:-2]


def test_reports_have_a_table_of_fair_shares(store: Path) -> None:
    from hopscope.reporting import tables

    result = hs.open_store(store).results()[0]
    found = [grid for grid in tables.grids(result, "scenario.toml") if grid.caption.startswith("Fair shares")]
    assert [row[1] for row in found[0].rows] == ["0: 0 → 3", "1: 0 → 1"]
    alone = hs.run(chain(2))
    assert not [grid for grid in tables.grids(alone, "scenario.toml") if grid.caption.startswith("Fair shares")]


def test_means_over_fields_have_no_fair_shares_of_one_field() -> None:
    import hopscope as hs

    area = {"kind": "random", "nodes": 8, "area": [400, 400], "connected": True, "seed": "run"}
    flow = {"pattern": "random", "copies": 2, "transport": "udp", "app": "cbr", "rate": "20kbps"}
    scenario = {"duration": "1s", "topology": area, "flow": [flow]}
    assert len(hs.fair_shares(hs.run(scenario))) == 2
    with pytest.raises(hs.InputError, match="each seed has a field of its own"):
        hs.fair_shares(hs.run(scenario, seeds=2))
