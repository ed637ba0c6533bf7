"""tshark dissects every frame of every transport and routing protocol, and counts what Hopscope counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from chains import MODERN, SCENARIOS, TCP, UDP, Capture, Tshark, chain, counts

import hopscope as hs

#: Where a checksum or FCS may stand; 0 is a bad one.
CHECKSUMS = ("wlan.fcs", "ip.checksum", "tcp.checksum", "udp.checksum", "dccp.checksum")

#: Protocols that may be seen.
KNOWN = frozenset(
    [
        "radiotap",
        "wlan_radio",
        "wlan",
        "wlan_aggregate",
        "llc",
        "raw",
        "ip",
        "tcp",
        "udp",
        "dccp",
        "icmp",
        "arp",
        "aodv",
        "olsr",
        "babel",
        "dsr",
        "batadv",
        "eth",
        "ethertype",
        "data",
        "wlan_mgt",
        "wlan.mgt",
    ]
)

#: Types of Babel's TLVs (RFC 8966 4.3).
BABEL = {
    "4": "hello",
    "5": "ihu",
    "6": "router-id",
    "7": "next-hop",
    "8": "update",
    "9": "route-request",
    "10": "seqno-request",
}

#: Severity of an error among tshark's remarks.
ERROR = "8388608"

#: What tshark says of the standard's usual willingness, of which it knows 0 and 7 alone.
UNKNOWN_TO_TSHARK = "Willingness to forward messages: Unknown (3)"
#: Numbers that it has no name for, by scenario: of the option of the way, of ATP (both for experiments), of batman-adv.
UNNAMED = {
    "tcp-mda": "Unknown (0x9e) (4 bytes)",
    "atp": "Protocol: Unknown (253)",
    "icmp-atp": "Protocol: Unknown (253)",
    # It dissects batman-adv, but has no name for its EtherType.
    "batman-iv": "Type: Unknown (0x4305)",
    "batman-v": "Type: Unknown (0x4305)",
}
#: It takes the content of a TCP option for experiments for the identifier of one (RFC 6994), whose number changes.
EXPERIMENT_OF_TCP = {"tcp-door": ("Experiment Identifier: Unknown", "TCP Option - Experimental: Unknown")}
#: tshark 4.0 fails on every OGM of version 2: its dissector hands the flags to a list of flags that is empty.
TSHARK_FAILS = {
    "batman-v": (
        "[Dissector bug, protocol BATADV: Illegal call of proto_item_add_bitmask_tree without fields],_ws.malformed",
    )
}
#: What the HE field of radiotap says nothing of, as a mode does not have it.
NOT_SAID = {"he": ("known: Unknown", "unknown: 0x0")}


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_frame_is_dissected(name: str, capture: Capture, tshark: Tshark, tmp_path: Path) -> None:
    captured = capture(SCENARIOS[name], lost=True, monitor=True)
    assert captured.is_whole
    path = captured.path
    assert captured.packets > 100
    fields = ["frame.protocols", "_ws.malformed", "_ws.expert.severity", *(f"{field}.status" for field in CHECKSUMS)]
    rows = [row.split("\t") for row in tshark(path, "-T", "fields", *(part for f in fields for part in ("-e", f)))]
    assert len(rows) == captured.packets, "every packet is read"
    assert {part for row in rows for part in row[0].split(":")} <= KNOWN
    assert {row[1] for row in rows} <= {"", *TSHARK_FAILS.get(name, ())}, "nothing is malformed"
    whole = [row for row in rows if not row[1]]
    assert ERROR not in {severity for row in whole for severity in row[2].split(",")}
    statuses = {status for row in rows for stack in row[3:] for status in stack.split(",")}
    # Of a datagram that ICMP quotes, the end and with it the checksum cannot be verified.
    unverified = {"2"} if name == "icmp-udp" else set()
    assert statuses == {"", "1"} | unverified, "every checksum and FCS is good"
    text = [line.strip() for line in tshark(path, "-V")]
    named = (
        "RREQ Unknown Sequence Number",
        "Target Sequence Number Unknown at Originator",
        "Mesh peering canceled for unknown reasons (0x0034)",
        *EXPERIMENT_OF_TCP.get(name, ()),
        *NOT_SAID.get(name, ()),
    )
    strange = [line for line in text if "nknown" in line and not any(known in line for known in named)]
    assert set(strange) <= {UNKNOWN_TO_TSHARK, UNNAMED.get(name, "")}


@pytest.mark.parametrize("name", ["icmp", "icmp-udp", "icmp-atp"])
def test_icmp_quotes_the_packet_that_failed(name: str, capture: Capture, tshark: Tshark) -> None:
    path = capture(SCENARIOS[name]).path
    fields = ("frame.interface_name", "frame.p2p_dir", "icmp.type", "icmp.code", "ip.src", "ip.dst", "ip.proto")
    lines = tshark(path, "-Y", "icmp", "-T", "fields", *(part for name in fields for part in ("-e", name)))
    rows = [line.split("\t") for line in lines]
    # The node before the break sends it to the source of the packet, and node 1 forwards it.
    made = [row for row in rows if row[0].startswith("host") and row[1] == "0" and row[4].startswith("10.0.0.3,")]
    assert made, rows
    protocol = {"icmp": "6", "icmp-udp": "17", "icmp-atp": "253"}[name]
    assert {tuple(row[2:]) for row in made} == {
        ("3", "1", "10.0.0.3,10.0.0.1", "10.0.0.1,10.0.0.5", f"1,{protocol}"),
    }
    sent = {row[0] for row in rows if row[0].startswith("radio") and row[1] == "0"}
    assert len(sent) >= 2, "the node that makes it and the one that forwards it"


def test_rfn_goes_from_node_to_node(capture: Capture, tshark: Tshark) -> None:
    path = capture(SCENARIOS["tcp-f"]).path
    fields = ("ip.src", "ip.dst", "data.data")
    wanted = ("-Y", "udp.port == 20563 && frame.p2p_dir == 0 && wlan.fc.retry == 0")
    lines = tshark(path, *wanted, "-T", "fields", *(part for name in fields for part in ("-e", name)))
    rows = [line.split("\t") for line in lines]
    hops = [(source, to) for source, to, data in rows if data.startswith("010000000a0000010a000005")]
    assert hops[:2] == [("10.0.0.3", "10.0.0.2"), ("10.0.0.2", "10.0.0.1")], rows


@pytest.mark.parametrize("name", SCENARIOS)
def test_tshark_counts_what_hopscope_counts(name: str, capture: Capture, tshark: Tshark) -> None:
    captured = capture(SCENARIOS[name])
    path, tally = captured.path, captured.tally

    names = ("frame.interface_name", "frame.p2p_dir", "wlan.fc.type_subtype", "wlan.fc.retry", "dccp.type")
    names += (
        "tcp.options.sack.count",
        "tcp.flags.ece",
        "aodv.type",
        "dsr.option.type",
        "olsr.message_type",
        "babel.message.type",
        "batadv.iv_ogm.seq",
        "batadv.elp.seq",
        "wlan.da",
        "udp.dstport",
        "wlan.tag.number",
        "wlan.fixed.selfprot_action",
    )
    lines = tshark(path, "-T", "fields", *(part for name in names for part in ("-e", name)))
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines]
    sent = [row for row in rows if row["frame.interface_name"].startswith("radio") and row["frame.p2p_dir"] == "0"]
    made = [row for row in rows if row["frame.interface_name"].startswith("host") and row["frame.p2p_dir"] == "0"]

    kinds = {0x18: "block-ack-req", 0x19: "block-ack", 0x1B: "rts", 0x1C: "cts", 0x1D: "ack", 0x1E: "cf-end"}
    kinds |= {0x0D: "action", 0x08: "beacon"}
    kinds |= {0x20: "data", 0x28: "data"}
    frames = counts([kinds[int(row["wlan.fc.type_subtype"], 0)] for row in sent])
    expected = {**tally["frames"], "beacon": tally["beacons"]}
    assert frames == {kind: number for kind, number in expected.items() if number}
    assert sum(row["wlan.fc.retry"] in ("1", "True") for row in sent) == tally["retries"]

    types = ["Request", "Response", "Data", "Ack", "DataAck", "CloseReq", "Close", "Reset", "Sync", "SyncAck"]
    found = counts([types[int(row["dccp.type"])] for row in made if row["dccp.type"]])
    assert found == {kind: number for kind, number in tally["dccp"].items() if number}
    assert sum(int(row["tcp.options.sack.count"] or 0) for row in made) == tally["sack_blocks"]
    assert sum(row["tcp.flags.ece"] in ("1", "True") for row in made) == tally["ecn_echoes"]

    messages = []
    for row in sent:
        messages += [{"1": "rreq", "2": "rrep", "3": "rerr"}[kind] for kind in row["aodv.type"].split(",") if kind]
        olsr = {"1": "hello", "2": "tc", "201": "hello", "202": "tc"}
        messages += [olsr[kind] for kind in row["olsr.message_type"].split(",") if kind]
        messages += [BABEL[kind] for kind in row["babel.message.type"].split(",") if kind]
        messages += mesh_message(row)
        messages += ["update"] if row["udp.dstport"] == "20561" else []
        messages += ["ogm" for number in row["batadv.iv_ogm.seq"].split(",") if number]
        if row["batadv.elp.seq"]:
            messages += ["elp" if row["wlan.da"] == "ff:ff:ff:ff:ff:ff" else "elp-probe"]
        options = [kind for kind in row["dsr.option.type"].split(",") if kind in ("1", "2", "3")]
        messages += [{"1": "rreq", "2": "rrep", "3": "rerr"}[kind] for kind in options[:1]]  # an error may follow
    # The OGMs on which tshark fails are not counted.
    assert counts(messages) == {kind: number for kind, number in tally["routing"].items() if kind != "ogm2"}


def mesh_message(row: dict[str, str]) -> list[str]:
    """What a management frame of a mesh says, by its type and its elements."""
    if row["wlan.fc.type_subtype"] and int(row["wlan.fc.type_subtype"], 0) == 0x08:
        return ["beacon"]
    if row["wlan.fixed.selfprot_action"]:
        return [("", "open", "confirm", "close")[int(row["wlan.fixed.selfprot_action"], 0)]]
    kinds = {"130": "preq", "131": "prep", "132": "perr", "126": "rann"}
    return [kinds[tag] for tag in row["wlan.tag.number"].split(",") if tag in kinds]


@pytest.mark.parametrize("name", MODERN)
def test_aggregates_are_counted_as_the_engine_counts_them(name: str, capture: Capture, tshark: Tshark) -> None:
    captured = capture(MODERN[name], lost=True)
    tally, nodes = captured.tally, hs.run(MODERN[name], seeds=1).points[0].runs[0]["nodes"]
    names = ("frame.interface_name", "frame.p2p_dir", "wlan.fc.type_subtype", "wlan.ra", "radiotap.flags.badfcs")
    names += ("radiotap.ampdu.reference", "wlan.qos.amsdupresent", "wlan_aggregate.a_mdsu.length")
    lines = tshark(captured.path, "-Y", "radiotap", "-T", "fields", *(part for name in names for part in ("-e", name)))
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines]
    station = {f"02:00:00:00:00:{node:02x}": f"radio{node}" for node in range(len(nodes))}
    data = [row for row in rows if int(row["wlan.fc.type_subtype"], 0) == 0x28 and row["wlan.ra"] in station]
    sent = [row for row in data if row["frame.p2p_dir"] == "0"]
    assert len(sent) == sum(node["mpdus_sent"] for node in nodes)

    aggregates = {row["radiotap.ampdu.reference"] for row in sent} - {""}
    assert len(aggregates) == tally["ampdus"]
    alone = sum(not row["radiotap.ampdu.reference"] for row in sent)
    assert len(aggregates) + alone == sum(node["data_ppdus"] for node in nodes)
    several = [row["wlan_aggregate.a_mdsu.length"] for row in sent if "," in row["wlan_aggregate.a_mdsu.length"]]
    assert len(several) == tally["amsdus"]

    # A station has what came to it and what it lost: all that was sent, but for what is on the air at the end.
    ended = [row for row in data if row["frame.p2p_dir"] == "1"]
    assert {row["frame.interface_name"] == station[row["wlan.ra"]] for row in ended} == {True}
    assert 0 <= len(sent) - len(ended) <= 256
    came = [row for row in ended if row["radiotap.flags.badfcs"] in ("0", "False")]
    # Each MPDU that was acknowledged has come, some of them more than once.
    assert sum(node["mpdus_acknowledged"] for node in nodes) <= len(came)
    if name == "qos":
        assert tally["frames"]["cf-end"] > 0
    else:
        assert len(came) < len(ended), "some MPDUs are lost"
        assert min(tally["ampdus"], tally["frames"]["block-ack"]) > 0


#: Options that tshark finds in a SYN and a SYN-ACK: maximum segment size, SACK permitted, window scale, time stamps.
SYNS = {
    "tcp-newreno": ({}, ("1460", "", "0", "")),
    "tcp-sack": ({"max_window": 100}, ("1460", "1", "2", "")),
    "stamped": ({"transport": "tcp-cubic", "max_window": 1000, "tcp": {"timestamps": True}}, ("1472", "1", "5", "1")),
    "none": ({"transport": "tcp-sack", "tcp": {"syn_options": "none"}}, ("", "", "", "")),
    "as-ns3": ({"transport": "tcp-sack", "max_window": 89}, ("", "1", "1", "1")),
}


@pytest.mark.parametrize("name", SYNS)
def test_a_syn_has_the_options_that_the_connection_uses(name: str, capture: Capture, tshark: Tshark) -> None:
    flow, (size, sack, scale, stamps) = SYNS[name]
    scenario = chain(1, flow={"transport": name, **flow} if name.startswith("tcp-") else flow)
    path = capture(scenario | ({"profile": name} if name == "as-ns3" else {}), radio=False, node=0).path
    names = ("mss_val", "sack_perm", "wscale.shift", "timestamp.tsval")
    fields = [part for field in names for part in ("-e", f"tcp.options.{field}")]
    rows = [line.split("\t") for line in tshark(path, "-Y", "tcp.flags.syn == 1", "-T", "fields", *fields)]
    reported = [(mss, "1" if sacks else "", shift, "1" if value else "") for mss, sacks, shift, value in rows]
    assert reported == [(size, sack, scale, stamps)] * 2, "SYN and SYN-ACK"


def test_ip_headers_have_the_dscp_of_their_flow(capture: Capture, tshark: Tshark) -> None:
    scenario = chain(2, flow={**TCP, "dscp": 46}, radio={"preset": "ht-20"})
    scenario["flow"].append({"from": 0, "to": 2, **UDP, "dscp": 8})
    path = capture(scenario).path
    fields = ("ip.proto", "ip.src", "ip.dsfield.dscp", "ip.dsfield.ecn")
    rows = counts(tshark(path, "-Y", "ip", "-T", "fields", *(part for field in fields for part in ("-e", field))))
    assert {tuple(row.split("\t")) for row in rows} == {
        ("6", "10.0.0.1", "46", "0"),
        ("6", "10.0.0.3", "46", "0"),
        ("17", "10.0.0.1", "8", "0"),
    }, "data and ACKs"
    # The user priority in the QoS Control field is the upper three bits.
    priorities = counts(
        tshark(path, "-Y", "ip and wlan", "-T", "fields", "-e", "ip.dsfield.dscp", "-e", "wlan.qos.priority")
    )
    assert set(priorities) == {"46\t5", "8\t1"}


@pytest.mark.parametrize("window", [32, 100, 1000])
def test_windows_are_what_the_receiver_has(window: int, capture: Capture, tshark: Tshark) -> None:
    scenario = chain(1, flow={"transport": "tcp-sack", "max_window": window})
    path = capture(scenario, radio=False, node=0).path
    reported = counts(tshark(path, "-Y", "tcp.flags.syn == 0", "-T", "fields", "-e", "tcp.window_size"))
    assert set(reported) == {str(1460 * window)}, "no shift rounds a multiple of 32"
    assert sum(reported.values()) > 100


#: Scenarios whose TCP loses segments, repeats them and gets duplicate ACKs.
LOSSY = {
    name: chain(7, flow={"transport": name, "max_window": 32}, duration="30s")
    for name in ("tcp-newreno", "tcp-sack", "tcp-reno")
}


@pytest.mark.parametrize("name", LOSSY)
def test_the_analysis_of_tcp_finds_what_hopscope_did(name: str, capture: Capture, tshark: Tshark) -> None:
    captured = capture(LOSSY[name], node=0, radio=False)
    [own] = captured.connections

    def count(condition: str) -> int:
        return len(tshark(captured.path, "-Y", condition, "-T", "fields", "-e", "frame.number"))

    assert own["retransmitted_packets"] > 0
    again = "tcp.len > 0 && (tcp.analysis.retransmission || tcp.analysis.out_of_order)"
    assert count(again) == own["retransmitted_packets"], "at the sender all that is out of order is sent again"
    assert count("tcp.analysis.duplicate_ack") == own["duplicate_acks"]
    assert count("tcp.srcport == 5001") == own["received_packets"]
    assert count("tcp.dstport == 5001") == own["sent_packets"]
    blocks = tshark(captured.path, "-Y", "tcp.options.sack.count", "-T", "fields", "-e", "tcp.options.sack.count")
    assert sum(int(block) for block in blocks) == own["sack_blocks"]
