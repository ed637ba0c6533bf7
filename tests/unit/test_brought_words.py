"""Words that users bring from ns-2, ns-3, INET, Mininet-WiFi and the literature are led to ours, at every door."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import hopscope as hs
from hopscope import _core
from hopscope.optimum import front
from hopscope.reporting import listing
from hopscope.results import metrics
from hopscope.scenario import Scenario, keys

BASE: dict[str, Any] = {"topology": {"kind": "chain", "hops": 2}, "flow": [{"from": 0, "to": 2}]}

#: Door, word and our name: chosen from knowledge of the tools after the table was written, then led to by the kind. The
#: first 60 (42 of which the first table knew), then 30 more (21).
CHOSEN = [
    ("mac", "RTSThreshold_", "rts_threshold"),
    ("mac", "CWMin_", "cw_min"),
    ("mac", "SlotTime_", "slot"),
    ("mac", "ShortRetryLimit_", "short_retry_limit"),
    ("mac", "ifqLen", "queue"),
    ("mac", "dataRate_", "data_rate"),
    ("radio", "RXThresh_", "tx_range"),
    ("radio", "Pt_", "tx_power"),
    ("radio", "CPThresh_", "capture_threshold"),
    ("radio", "freq_", "frequency"),
    ("radio", "bandwidth_", "data_rate"),
    ("tcp", "windowInit_", "initial_window"),
    ("tcp", "ssthresh_", "initial_ssthresh"),
    ("flow", "packetSize_", "packet"),
    ("flow", "random_", "jitter"),
    ("top", "opt(stop)", "duration"),
    ("top", "nn", "nodes"),
    ("link", "queue_in_bytes_", "queue"),
    ("tcp", "maxburst_", "pacing"),
    ("flow", "overhead_", "jitter"),
    ("radio", "CcaEdThreshold", "cs_range"),
    ("radio", "RxSensitivity", "tx_range"),
    ("radio", "TxPowerStart", "tx_power"),
    ("mac", "MaxSsrc", "short_retry_limit"),
    ("mac", "FragmentationThreshold", "fragmentation_threshold"),
    ("mac", "RtsCtsThreshold", "rts_threshold"),
    ("mac", "NonUnicastMode", "basic_rate"),
    ("flow", "SegmentSize", "packet"),
    ("flow", "RcvBufSize", "max_window"),
    ("tcp", "InitialCwnd", "initial_window"),
    ("flow", "DelAckCount", "ack"),
    ("tcp", "MinRto", "min_rto"),
    ("flow", "OnTime", "on"),
    ("flow", "OffTime", "off"),
    ("flow", "MaxBytes", "bytes"),
    ("topology", "DeltaX", "spacing"),
    ("transport", "ns3::TcpNewReno", "tcp-newreno"),
    ("ratecontrol", "ns3::AarfWifiManager", "aarf"),
    ("metric", "lostPackets", "lost_packets"),
    ("metric", "delaySum", "delay_ms"),
    ("top", "sim-time-limit", "duration"),
    ("topology", "numHosts", "hops"),
    ("flow", "messageLength", "packet"),
    ("flow", "sendInterval", "rate"),
    ("flow", "tcpAlgorithmClass", "control"),
    ("mac", "packetCapacity", "queue"),
    ("metric", "endToEndDelay", "delay_ms"),
    ("radio", "communicationRange", "tx_range"),
    ("radio", "propagationModel", "propagation"),
    ("radio", "noise_th", "noise_floor"),
    ("mobility", "max_v", "speed_max"),
    ("radio", "exp", "path_loss_exponent"),
    ("preset", "802.11g", "erp-ofdm"),
    ("metric", "packet loss rate", "loss_pct"),
    ("metric", "normalized routing overhead", "routing_packets"),
    ("metric", "end-to-end delay", "delay_ms"),
    ("topology.kind", "hidden terminal", "chain"),
    ("metric", "Jain's fairness index", "jain"),
    ("metric", "route discovery latency", "discovery_ms"),
    ("metric", "channel utilization", "airtime_s"),
    ("radio", "Gt_", "antenna_gain"),
    ("radio", "L_", "system_loss"),
    ("radio", "SystemLoss", "system_loss"),
    ("radio", "HeightAboveZ", "antenna_height"),
    ("radio", "ReferenceDistance", "reference_distance"),
    ("radio", "Exponent", "path_loss_exponent"),
    ("radio", "ErrorRate", "error"),
    ("flow", "MaxPackets", "packets"),
    ("mac", "RemoteStationManager", "rate_control"),
    ("flow", "StopTime", "stop"),
    ("mobility", "pause_time", "pause"),
    ("routing", "NetDiameter", "net_diameter"),
    ("routing", "TcInterval", "tc_interval"),
    ("tcp", "ReTxThreshold", "dupack_threshold"),
    ("flow", "Sack", "tcp-sack"),
    ("link", "MinTh", "red_min"),
    ("link", "MaxTh", "red_max"),
    ("link", "QW", "red_weight"),
    ("top", "seed-set", "seed"),
    ("mac", "retryLimit", "retry_limit"),
    ("mac", "cwMin", "cw_min"),
    ("mac", "Distance", "spacing"),
    ("radio", "transmitter.power", "tx_power"),
    ("radio", "fadingModel", "fading"),
    ("metric", "hopCount", "hops"),
    ("metric", "packetDeliveryRatio", "loss_pct"),
    ("metric", "numRetry", "mac_retries"),
    ("metric", "PLR", "loss_pct"),
    ("topology.kind", "linear,5", "chain"),
    ("transport", "TCP Reno", "tcp-reno"),
]


def message(door: str, word: str) -> str:
    """What is said of a word at a door: a table of the file, a key that takes words, or a metric."""
    if door == "metric":
        with pytest.raises(hs.InputError) as refused:
            listing.check_names([word])
        return str(refused.value)
    document = copy.deepcopy(BASE)
    values = {"transport": ("flow", "transport"), "ratecontrol": ("mac", "rate_control"), "preset": ("radio", "preset")}
    table, key = values.get(door, (door, word)) if door != "topology.kind" else ("topology", "kind")
    value: object = word if key != word else 1
    if table == "top":
        document[key] = value
    elif table == "flow":
        document["flow"][0][key] = value
    else:
        document[table] = {**document.get(table, {}), key: value}
    with pytest.raises(hs.ScenarioError) as refused_scenario:
        Scenario(document)
    return str(refused_scenario.value).splitlines()[0]


def test_the_table_knows_many_words_and_names_of_ours_alone() -> None:
    words = _core.brought_words()
    print(f"{len(words)} words")
    assert len(words) >= 150
    assert all(meant for _, meant in words)
    tables = {name: keys.engine(name) for name in keys.ENGINE_SECTIONS} | {
        "flow": keys.flow(),
        "wire": keys.table("wire"),
    }
    of_topologies = {field.name: field for _, fields in keys.TOPOLOGIES.values() for field in fields}
    of_metrics = {m.name for scope in ("flow", "node", "network") for m in metrics.metrics(scope)}
    for name in {name for _, meant in words for name in meant}:
        path, _, value = name.partition(" = ")
        parts = [part for part in path.split(".") if part != "N"]
        if parts[-1] in of_metrics and not value:
            continue
        if parts[0] == "topology":
            assert parts[1] == "kind" or parts[1] in of_topologies, name
            assert not value or value.strip('"') in keys.TOPOLOGIES, name
            continue
        fields = tables.get(parts[0], keys.top())
        for part in parts[1:] if parts[0] in tables else parts:
            assert part in {field.name for field in fields}, name
            field = keys.field(fields, part)
            fields = field.fields
        assert not value or value.strip('"') in field.choices, name


@pytest.mark.parametrize(("door", "word", "ours"), CHOSEN, ids=[word for _, word, _ in CHOSEN])
def test_a_word_that_was_chosen_is_led_to_our_name(door: str, word: str, ours: str) -> None:
    said = message(door, word)
    assert "did you mean" in said, said
    assert ours in said.split("did you mean")[1], said


def test_a_suggestion_stands_first_and_alone_where_there_are_many_choices() -> None:
    assert message("metric", "pdr") == 'no metric "pdr" (did you mean "loss_pct"?)'
    assert message("transport", "cubic") == 'flow.0.transport: found "cubic" (did you mean "tcp-cubic"?)'
    assert message("mac", "rts") == 'mac.rts: unknown key (did you mean "rts_threshold"?)'
    assert message("radio", "rate") == 'radio.rate: unknown key (did you mean "data_rate"?)'
    assert message("mac", "RngRun") == "mac.RngRun: unknown key (did you mean seeds?)"
    said = message("ratecontrol", "arff")
    allowed = '"fixed", "arf", "aarf", "minstrel", "minstrel-ht", "ideal"'
    assert said == f'mac.rate_control: found "arff" (did you mean "arf"?); allowed: {allowed}'


def test_other_doors_know_the_words_too() -> None:
    with pytest.raises(hs.InputError, match=r'no objective "pdr" \(did you mean'):
        front.objective("--objective", "pdr")
    with pytest.raises(hs.InputError, match=r'found "802.11a" \(did you mean "ofdm-54M"\?\)'):
        Scenario(BASE).replace({"radio.preset": "802.11a"})
    with pytest.raises(hs.InputError, match=r"did you mean seeds|did you mean .seeds"):
        Scenario({**BASE, "sweep": {"RngRun": [1, 2]}})
