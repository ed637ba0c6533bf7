"""A user's own measurements next to a result: what columns mean, which units, what is refused, differences."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hopscope as hs
from hopscope.errors import InputError
from hopscope.reporting.measured import over
from hopscope.reporting.tables import of_metrics
from hopscope.results.measured import read

CHAIN: dict[str, Any] = {
    "title": "chain",
    "duration": "3s",
    "topology": {"kind": "chain", "hops": 2},
    "flow": [{"from": 0, "to": "last", "max_window": 8}],
    "radio": {"error": {"kind": "uniform", "per": 0.1}},
    "sweep": {"flow.0.max_window": [1, 4, 8], "mac.queue": [5, 50]},
}


@pytest.fixture(scope="module")
def result() -> hs.Result:
    return hs.run(CHAIN, seeds=3, progress=False)


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("head", "cell", "metric", "value"),
    [
        ("throughput_kbps", "300", "flow.0.throughput_kbps", 300),
        ("throughput (Mbit/s)", "0.3", "flow.0.throughput_kbps", 300),
        ("Throughput_Mbps", "0.3", "flow.0.throughput_kbps", 300),
        ("throughput", "0.3 Mbit/s", "flow.0.throughput_kbps", 300),
        ("flow.0.delay (s)", "0.05", "flow.0.delay_ms", 50),
        ("delay_us", "2000", "flow.0.delay_ms", 2),
        ("loss (%)", "5", "flow.0.loss_pct", 5),
        ("received (kB)", "2", "flow.0.received_bytes", 2000),
        ("received_bytes (MB)", "2", "flow.0.received_bytes", 2e6),
        ("timeouts", "3", "flow.0.timeouts", 3),
        ("jain", "0.9", "network.jain", 0.9),
        ("aggregate (bit/s)", "1500", "network.aggregate_kbps", 1.5),
    ],
)  # fmt: skip
def test_a_column_is_found_by_its_name_and_converted(
    result: hs.Result, tmp_path: Path, head: str, cell: str, metric: str, value: float
) -> None:
    path = file(tmp_path, f"max_window,{head}\n4,{cell}\n")
    [row] = read(path, result.scenario).rows
    assert row.place == {"flow.0.max_window": 4}
    assert row.values == {metric: pytest.approx(value)}


def test_semicolons_tabs_byte_order_marks_and_tables_are_read(result: hs.Result, tmp_path: Path) -> None:
    for text in ("\ufeffqueue;delay_ms\n5;1.5\n\n", "queue\tdelay_ms\n5\t1.5\n", 'queue,"delay_ms"\r\n5,1.5\r\n'):
        [row] = read(file(tmp_path, text), result.scenario).rows
        assert (row.place, row.values) == ({"mac.queue": 5}, {"flow.0.delay_ms": 1.5})
    table = pd.DataFrame({"mac.queue": [5, 50], "delay_ms": [1.5, None]})
    assert [row.line for row in read(table, result.scenario).rows] == [2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_window,thrughput_kbps\n1,2\n", '1: column "thrughput_kbps": no key or metric (did you mean "throughput_'),
        ("max_windw,delay_ms\n1,2\n", '1: column "max_windw": no key or metric (did you mean "max_window"?)'),
        ("foo bar,delay_ms\n1,2\n", "keys: flow.0.max_window, mac.queue; metrics: hopscope list metrics; leave it out: "
         "--map 'foo bar=-'"),
        ("max_window,delay\n1,2\n", '1: column "delay": has no unit; name it "delay (ms)", with one of ns, us, ms, s'),
        ("max_window,delay\n1,2 ms\n4,1 s\n", '3: column "delay": mixed units: "ms" in line 2, "s" here'),
        ("max_window,delay\n1,2 ms\n4,1\n", '3: column "delay": mixed units: "ms" in line 2, no unit here'),
        ("max_window,delay_ms\n1,2 s\n", '2: column "delay_ms": mixed units: "ms" in its name and "s" here'),
        ("max_window,delay (mss)\n1,2\n", '2: column "delay (mss)": found the unit "mss"; allowed: ns, us, ms, s, min'),
        ("max_window (ms),delay_ms\n1,2\n", '1: column "max_window (ms)": found the unit "ms"; allowed: packets'),
        ("max_window,delay_ms\n1,x\n", '2: column "delay_ms": found "x"; expected a number, or an empty cell'),
        ("max_window;delay_ms\n1;2,5\n", '2: column "delay_ms": found "2,5"; numbers have a decimal point'),
        ("max_window,delay_ms\nbig,2\n", 'column "max_window": found "big"; expected a number; the sweep has 1, 4, 8'),
        ("max_window,delay_ms\n1,2,3\n", "2: found 3 cells; the first line names 2 columns"),
        ("max_window,delay_ms,delay (s)\n1,2,3\n", 'columns "delay_ms" and "delay (s)" both hold delay_ms'),
        ("max_window,jitter_ms.ci95,delay_ms\n1,2,3\n", 'column "jitter_ms.ci95": no column holds jitter_ms itself'),
        ("max_window,queue\n1,5\n", '1: no column holds a metric; found "max_window", "queue"'),
        ("flow,delay_ms\n2,5\n", '2: column "flow": found "2"; allowed: 0 to 0'),
        ("max_window\n", "expected a line of names and at least one measurement"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_in_one_line(result: hs.Result, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as found:
        result.measured(file(tmp_path, text))
    assert "\n" not in str(found.value)
    assert "m.csv" in str(found.value)


def test_columns_are_named_by_hand_or_left_out(result: hs.Result, tmp_path: Path) -> None:
    path = file(tmp_path, "w,speed,note\n4,0.3,windy\n")
    with pytest.raises(InputError, match='column "w"'):
        read(path, result.scenario)
    columns = {"w": "flow.0.max_window", "speed": "throughput (Mbit/s)", "note": "-"}
    [row] = read(path, result.scenario, columns).rows
    assert row.values == {"flow.0.throughput_kbps": pytest.approx(300)}
    with pytest.raises(InputError, match=r'm.csv:1: no column "sped" \(did you mean "speed"\?\)'):
        read(path, result.scenario, {**columns, "sped": "delay_ms"})
    with pytest.raises(InputError, match=r'column "speed" as "thruput_kbps": no key or metric \(did you mean'):
        read(path, result.scenario, {**columns, "speed": "thruput_kbps"})


def test_values_with_units_of_the_sweep_are_found(tmp_path: Path) -> None:
    rates = {"flow.0.rate": ["100kbps", "200kbps"]}
    udp = {"from": 0, "to": 2, "transport": "udp", "app": "cbr", "rate": "1kbps"}
    scenario = hs.Scenario({**CHAIN, "flow": [udp], "sweep": rates})
    text = "offered rate (Mbit/s),loss_pct\n0.1,1\n0.15,2\n"
    assert [row.place for row in read(file(tmp_path, text), scenario).rows] == [
        {"flow.0.rate": "100kbps"},
        {"flow.0.rate": "150kbps"},
    ]
    worded = hs.Scenario({**CHAIN, "sweep": {"flow.0.transport": ["tcp-vegas", "tcp-newreno"]}})
    assert [row.place for row in read(file(tmp_path, "transport,delay_ms\nTCP-Vegas,3\n"), worded).rows] == [
        {"flow.0.transport": "tcp-vegas"}
    ]
    with pytest.raises(InputError, match=r'found "tcp-vegs" \(did you mean "tcp-vegas"\?\)'):
        read(file(tmp_path, "transport,delay_ms\ntcp-vegs,3\n"), worded)


def test_the_interval_of_a_difference_is_that_of_both(result: hs.Result, tmp_path: Path) -> None:
    mean = result.find({"flow.0.max_window": 4, "mac.queue": 50}).interval("flow.0.delay_ms")
    assert mean.mean is not None
    assert mean.ci95 is not None
    text = f"max_window,queue,delay_ms,delay_ms.ci95\n4,50,{mean.mean + 1},5\n8,50,1000,1\n3,50,9,1\n"
    found = result.measured(file(tmp_path, text))
    near, far = found.rows
    assert near.difference.mean == pytest.approx(-1)
    assert near.difference.ci95 == pytest.approx(math.hypot(mean.ci95, 5))
    assert (near.verdict, far.verdict) == ("within noise", "lower")
    assert near.samples == "3 seeds, 1 measurement with its interval"
    assert found.headline.startswith("1 of 2 measured values cannot be distinguished from the simulation; farthest off")
    assert found.remarks == ["measured, not simulated: receiver's window 3, queue length 50"]
    assert found.to_json()["comparisons"][0]["samples"] == near.samples


def test_repetitions_have_an_interval_of_their_own(result: hs.Result, tmp_path: Path) -> None:
    text = "seed,max_window,queue,delay_ms\n1,4,5,10\n2,4,5,12\n3,4,5,14\n"
    [row] = result.measured(file(tmp_path, text)).rows
    assert (row.theirs.mean, row.theirs.n) == (12, 3)
    assert row.theirs.ci95 == pytest.approx(4.303 * 2 / math.sqrt(3), rel=1e-3)
    with pytest.raises(InputError, match=r"lines 2, 3 are of one place, and have intervals of flow.0.delay_ms"):
        result.measured(file(tmp_path, "max_window,delay_ms,delay_ms_ci95\n4,10,1\n4,12,1\n"))


def test_a_key_without_a_column_is_open(result: hs.Result, tmp_path: Path) -> None:
    found = result.measured(file(tmp_path, "max_window,throughput_kbps\n4,300\n"))
    assert [row.place["mac.queue"] for row in found.rows] == [5, 50]
    assert any('has no column "mac.queue"' in remark for remark in found.remarks)


def test_what_was_measured_at_no_point_is_refused(result: hs.Result, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of its places was simulated; chain has receiver's window 1"):
        result.measured(file(tmp_path, "max_window,delay_ms\n2,3\n"))
    with pytest.raises(InputError, match=r'has no "flow.0.loss_pct"; it has "flow.0.delay_ms"'):
        result.measured(file(tmp_path, "max_window,delay_ms\n4,3\n"), only=["loss_pct"])


def test_measurements_stand_over_the_lines_that_they_belong_to(result: hs.Result, tmp_path: Path) -> None:
    text = "max_window,queue,delay_ms\n1,5,10\n2,5,11\n4,50,12\n"
    measured = read(file(tmp_path, text), result.scenario)
    [chart] = over(of_metrics(result, [("delay_ms", "delay (ms)")]), result, measured)
    [panel] = chart.panels
    labels = [line.label for line in panel.lines]
    assert [(mark.label, list(mark.x), list(mark.y), mark.style) for mark in panel.marks] == [
        ("measured, queue length 5", [1, 2], [10, 11], labels.index("queue length 5")),
        ("measured, queue length 50", [4], [12], labels.index("queue length 50")),
    ]
    [other] = over(of_metrics(result, [("loss_pct", "loss (%)")]), result, measured)
    assert not other.panels[0].marks
