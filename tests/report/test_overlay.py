"""Models over the figures of a store."""

from __future__ import annotations

from pathlib import Path

import pytest

import hopscope as hs
from hopscope.errors import InputError
from hopscope.models.registry import model
from hopscope.reporting import overlay, tables
from hopscope.reporting.page import store_page

WINDOWS = [1, 2, 4]
CHAIN = {
    "title": "chains",
    "duration": "3s",
    "topology": {"kind": "chain", "hops": 4},
    "flow": [{"from": 0, "to": "last", "packet": 1000}],
}


@pytest.fixture(scope="module")
def windows() -> hs.Result:
    return hs.run({**CHAIN, "seeds": 2, "sweep": {"topology.hops": [2, 4], "flow.0.max_window": WINDOWS}})


@pytest.fixture(scope="module")
def sizes() -> hs.Result:
    return hs.run({**CHAIN, "radio": {"preset": "dsss-2M"}, "sweep": {"flow.0.packet": ["500B", 1000]}})


def drawn(result: hs.Result, *texts: str) -> dict[str, object]:
    charts, fitted = overlay.draw(tables.charts(result), result, [overlay.parse(text) for text in texts])
    assert fitted == {text.split()[0] for text in texts}
    return {chart.name: chart for chart in charts}


def references(chart: object) -> list[object]:
    return [line for panel in chart.panels for line in panel.lines if line.reference]  # type: ignore[attr-defined]


def test_a_window_is_a_vertical_line_and_a_figure_of_best_windows(windows: hs.Result) -> None:
    charts = drawn(windows, "optimal-window")
    [panel] = charts["throughput-kbps-over-flow-0-max_window"].panels  # type: ignore[attr-defined]
    assert panel.guides == [(0.5, "0.5"), (1.0, "optimal-window: 1")]
    for metric in ("delay-ms", "loss-pct"):
        [panel] = charts[f"{metric}-over-flow-0-max_window"].panels  # type: ignore[attr-defined]
        assert not panel.guides
    best = charts["best-window-over-topology-hops"]
    [line] = references(best)
    assert (line.x, line.y) == ([2, 4], [0.5, 1.0])
    [panel] = best.panels  # type: ignore[attr-defined]
    assert set(panel.lines[0].y) <= set(WINDOWS)
    assert all(0 <= below <= y - 1 for (below, _), y in zip(panel.lines[0].error, panel.lines[0].y, strict=True))


def test_a_throughput_is_a_curve_for_each_different_path(windows: hs.Result) -> None:
    lines = references(drawn(windows, "stop-and-wait")["throughput-kbps-over-flow-0-max_window"])
    assert [line.label for line in lines] == ["stop-and-wait, hops 2", "stop-and-wait, hops 4"]
    for hops, line in zip((2, 4), lines, strict=True):
        expected = model("stop-and-wait")(hops=hops, payload=1000, rts=True)["throughput_kbps"]
        assert line.y == [expected] * len(WINDOWS)


def test_parameters_come_from_each_point_and_throughput_counts_payload(sizes: hs.Result) -> None:
    [line] = references(drawn(sizes, "chain-capacity control_rate=2Mbps")["throughput-kbps-over-flow-0-packet"])
    for size, value in zip((500, 1000), line.y, strict=True):
        whole = model("chain-capacity")(hops=4, packet=size + 40, rts=True, control_rate="2Mbps")["throughput_kbps"]
        assert value == pytest.approx(whole * size / (size + 40))


@pytest.mark.parametrize("name", ["mathis", "padhye", "tfrc"])
def test_a_model_of_tcp_over_udp_has_its_own_defaults(name: str) -> None:
    flow = {"from": 0, "to": "last", "transport": "udp", "app": "cbr", "rate": "100kbps"}
    result = hs.run({**CHAIN, "flow": [flow], "sweep": {"flow.0.packet": [500, 1000]}})
    [line] = references(drawn(result, f"{name} rtt=100ms loss=0.01")["throughput-kbps-over-flow-0-packet"])
    assert line.y == [
        model(name)(rtt="100ms", loss=0.01, **sized)["throughput_kbps"] for sized in ({"mss": 500}, {"mss": 1000})
    ]


def test_a_loss_is_the_channels_only_where_nothing_is_sent_again() -> None:
    lossy = hs.Scenario(
        {
            **CHAIN,
            "radio": {"error": {"kind": "uniform", "per": 0.02, "applies_to": "data"}},
            "mac": {"rts_threshold": 0},
        }
    )
    mathis = overlay.parse("mathis rtt=100ms")
    with pytest.raises(InputError, match="loss is missing"):
        mathis.at(lossy.points[0].resolved)
    once = lossy.replace({"mac.long_retry_limit": 1})
    expected = model("mathis")(mss=1000, rtt=0.1, loss=0.02)
    assert mathis.at(once.points[0].resolved) == expected


def test_two_models_and_a_page(windows: hs.Result, tmp_path: Path) -> None:
    overlays = [overlay.parse("optimal-window"), overlay.parse("chain-capacity")]
    page = store_page([windows], tmp_path, title="t", store="s", engine="e", overlays=overlays)
    assert "best-window-over-topology-hops" in page.read_text()
    assert (tmp_path / "figures" / "best-window-over-topology-hops.svg").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("optimal-windw", 'did you mean "optimal-window"'),
        ("mathis rrt=1", 'did you mean "rtt"'),
        ("mathis rtt", "expected key=value"),
        ("mathis rtt=0", "must be above 0"),
        ("mathis loss=0.1", "rtt is missing"),
        ("drop-probability backlogged=3", "no figure of this store shows that"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_written(
    windows: hs.Result, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        store_page([windows], tmp_path, title="t", store="s", engine="e", overlays=[overlay.parse(text)])
    assert list(tmp_path.iterdir()) == []
