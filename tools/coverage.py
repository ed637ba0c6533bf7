"""The page of coverage: what the five studies have, where the project shows it, and with which verdict.

Entries of the catalogue come from the catalogue itself, with the verdicts recorded for them. What has no entry under
its own name stands in `ROWS`: figures that another entry covers, and the systems and schemes of the studies.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from hopscope import studies
from hopscope_studies import FOLDER

STUDIES = ("fu2003", "afrakhteh2005", "anastasi2006", "zhang2006", "armaghani2008")

#: Where tests stand that rows name.
NET, TCP = "crates/hopscope-net/src", "crates/hopscope-tcp/src"
CONTROL = f"{TCP}/control"
DCCP, ATP = "crates/hopscope-transport/src/dccp", "crates/hopscope-transport/src/atp"
IT = "crates/hopscope-engine/tests/it"


class Row(NamedTuple):
    """Something of a study that is no catalogue entry under its own name.

    Attributes:
        study: key of the study.
        kind: "experiment", "system" or "scheme".
        item: name in the study; of an experiment the part of its key after the dot.
        what: in words.
        shown: keys of entries, or `file::test`; none: it is not shown, and `open` says why.
        open: why nothing shows it.
    """

    study: str
    kind: str
    item: str
    what: str
    shown: tuple[str, ...]
    open: str = ""


def _z(item: str, what: str, *shown: str, missing: str = "") -> Row:
    return Row("zhang2006", "experiment", item, what, shown, missing)


def _s(study: str, item: str, what: str, *shown: str, missing: str = "") -> Row:
    return Row(study, "scheme", item, what, shown, missing)


ROWS = (
    # --- Figures and sections of zhang2006 under other keys
    _z("fig2-1", "slow start, then congestion avoidance", f"{TCP}/tests/window.rs"),
    _z("fig2-6", "hidden and exposed nodes next to a gateway", "zhang2006.table6-3"),
    _z("fig3-3", "Jain's index of FAST, Reno, HighSpeed and Scalable TCP", "zhang2006.fig3-2"),
    _z("sec2-2-2-wlan-updown", "upstream and downstream flows in a WLAN", "zhang2006.sec2-2-2"),
    _z(
        "sec3-2-layer-rates",
        "capacity from layer to layer",
        "tests/unit/test_closed_forms.py::test_the_limits_that_zhang2006_prints",
    ),
    _z("sec4-2-alt-window", "the window once a round trip", "zhang2006.sec4-2"),
    _z(
        "sec6-1-dcf-limits",
        "limits of one DCF link",
        "tests/unit/test_closed_forms.py::test_the_limits_that_zhang2006_prints",
    ),
    _z("sec6-1-chain-capacity", "a long chain carries 1/7 of a hop", "validation.models"),
    _z("sec6-6-goals", "the goals", "zhang2006.sec6-6"),
    _z("sec7-3-comparison", "TCP, DCCP and reliable DCCP compared", "zhang2006.sec7-3"),
    _z("sec8-future", "more runs, mobility, ECN, a test bed", missing="named as future work, not simulated"),
    *(_z(f"fig6-{n}", what, "zhang2006.fig6-3", "zhang2006.table6-2") for n, what in ((4, "one DCCP flow over time"),)),
    *(
        _z(f"fig6-{n}", f"two TCP flows over time, {what}", "zhang2006.fig6-5", "zhang2006.table6-3")
        for n, what in ((6, "both OUT"), (7, "IN and OUT at 110 ms"), (8, "IN and OUT at 60 ms"))
    ),
    *(
        _z(f"fig6-{n}", f"two DCCP flows over time, {what}", "zhang2006.fig6-9", "zhang2006.table6-4")
        for n, what in ((10, "both OUT"), (11, "IN and OUT at 110 ms"), (12, "IN and OUT at 60 ms"))
    ),
    *(
        _z(f"fig6-{n}", f"DCCP with TCP, {what}", "zhang2006.table6-5")
        for n, what in (
            (13, "both IN at 110 ms"),
            (14, "both IN at 60 ms"),
            (19, "both OUT"),
            (20, "DCCP IN and TCP OUT"),
            (21, "TCP IN and DCCP OUT"),
        )
    ),
    *(_z(f"fig6-{n}", "windows of DCCP and TCP, both IN", "zhang2006.fig6-15") for n in (16, 17, 18)),
    _z("fig6-23", "TCP with UDP", "zhang2006.fig6-22"),
    *(
        _z(f"fig7-{n}", "the lists of reliable DCCP", f"{DCCP}/tests/walks.rs::{test}")
        for ns, test in (
            ((1, 2, 3), "figures_7_1_to_7_3_a_packet_goes_through_both_lists"),
            ((4, 5, 6), "figures_7_4_to_7_6_lost_data_goes_before_new_data"),
            ((7,), "figure_7_7_a_lost_acknowledgement_at_a_window_of_one"),
            ((8,), "figure_7_8_a_lost_acknowledgement_at_a_larger_window"),
        )
        for n in ns
    ),
    _z("fig7-9", "one reliable DCCP flow over time", "zhang2006.fig6-3", "zhang2006.table7-1"),
    *(_z(f"fig7-{n}", "two reliable DCCP flows", "zhang2006.table7-2") for n in (10, 11, 12)),
    *(_z(f"fig7-{n}", "TCP with reliable DCCP", "zhang2006.table7-3") for n in (13, 14, 15, 16)),
    _z("sec3-1-1-atp", "ATP's deviation 40 % below TCP's", "zhang2006.appA-1", f"{IT}/atp.rs"),
    _z("sec3-2-2-1-vegas", "Vegas against Reno", "zhang2006.sec3-2-2-1", f"{CONTROL}/vegas.rs", "afrakhteh2005.exp04"),
    _z("sec3-2-2-2-westwood", "Westwood", "zhang2006.sec3-2-2-2", f"{CONTROL}/westwood.rs"),
    _z("sec3-2-2-3-tibet", "TIBET", "zhang2006.sec3-2-2-3", f"{CONTROL}/tibet.rs"),
    _z(
        "appA-1-1-elfn",
        "TCP-ELFN",
        "zhang2006.appA-1",
        f"{TCP}/tests/route_failure.rs",
        f"{IT}/route_failures.rs",
        f"{IT}/notices.rs",
    ),
    _z(
        "appA-1-2-tcpf",
        "TCP-F",
        "zhang2006.appA-1",
        f"{TCP}/tests/route_failure.rs",
        f"{IT}/route_failures.rs",
        f"{IT}/notices.rs",
    ),
    _z("appA-1-3-fixedrto", "Fixed RTO", "zhang2006.appA-1", "zhang2006.appA-1-3", f"{IT}/route_failures.rs"),
    _z(
        "appA-1-4-atcp",
        "ATCP",
        "zhang2006.appA-1",
        "zhang2006.appA-1-4",
        f"{TCP}/tests/route_failure.rs",
        f"{IT}/route_failures.rs",
    ),
    _z("appA-1-5-door", "TCP-DOOR", "zhang2006.appA-1", f"{TCP}/tests/route_failure.rs", f"{IT}/door.rs"),
    _z("appA-2-1-bn", "the gateway advertises its buffer over the number of flows", "zhang2006.sec2-2-2"),
    _z("appA-2-2-optwnd", "a bound on the window", "zhang2006.appA-2-2"),
    _z("appA-2-3-timer", "a timer holds packets back", "zhang2006.appA-2-3"),
    # --- The two diagrams of armaghani2008 without data
    Row("armaghani2008", "experiment", "fig4-1", "the chain of the simulations, a drawing", ("armaghani2008.fig4-4",)),
    Row("armaghani2008", "experiment", "fig4-2", "the channel's error model, a drawing", ("armaghani2008.fig4-4",)),
    # --- Schemes and systems
    _s(
        "fu2003",
        "best window",
        "h/4 and its forms for cross and grid",
        "fu2003.fig2-middle",
        "fu2003.cross-window",
        "fu2003.grid-window",
    ),
    _s("fu2003", "drop model", "equations (1) to (5)", "fu2003.fig7"),
    _s("fu2003", "Link RED", "drops by the MAC's retries", "fu2003.fig8-left", f"{NET}/link/lred.rs"),
    _s("fu2003", "adaptive pacing", "a back-off longer by one packet", "fu2003.fig9-left"),
    _s("fu2003", "RED", "drops by the length of the queue", "fu2003.fig6", "validation.wires"),
    _s("fu2003", "NewReno, Vegas", "the transports", "fu2003.sec6-vegas", "validation.ns2"),
    _s(
        "afrakhteh2005",
        "Tahoe, Reno, NewReno, SACK, Vegas, delayed ACK",
        "TCP versions",
        "afrakhteh2005.exp04",
        "validation.ns2",
    ),
    _s("afrakhteh2005", "AODV", "routing", "afrakhteh2005.exp01", "validation.ns2"),
    _s("afrakhteh2005", "RTS/CTS", "on and off", "afrakhteh2005.exp03"),
    _s("afrakhteh2005", "channel errors", "frames lost at random", "afrakhteh2005.exp09", "afrakhteh2005.exp10"),
    _s("anastasi2006", "AODV with link layer or HELLO detection", "routing", "anastasi2006.fig8", "anastasi2006.fig9"),
    _s("anastasi2006", "OLSR", "routing", "anastasi2006.table3", "tests/unit/test_olsr.py"),
    _s(
        "anastasi2006",
        "ACKs of Linux 2.6",
        "every segment at a window of two",
        "anastasi2006.sec4.1-dack",
        f"{TCP}/tests/linux.rs",
    ),
    _s(
        "armaghani2008",
        "DA, limited DA, LDA, ADA, DCA, DAA, DAAp, MDA",
        "ways to thin ACKs out",
        "armaghani2008.schemes",
    ),
    _s("armaghani2008", "parts of MDA and DAA", "what each earns", "armaghani2008.parts"),
    _s("zhang2006", "DCCP", "RFC 4340: packets, features, options", f"{IT}/dccp.rs", "validation.dccp"),
    _s("zhang2006", "CCID 2, CCID 3", "TCP-like and TCP-friendly control", "validation.dccp", "validation.tfrc"),
    _s("zhang2006", "the delay-based control", "two and four states", "zhang2006.table6-4", "zhang2006.sensitivity"),
    _s("zhang2006", "reliable DCCP", "lists and timer over any control", "zhang2006.table7-2"),
    _s(
        "zhang2006",
        "FAST",
        "keeps packets queued",
        "zhang2006.fig3-2",
        f"{CONTROL}/fast.rs::each_flow_keeps_alpha_packets_queued",
    ),
    _s(
        "zhang2006",
        "Scalable TCP",
        "growth and cut by shares",
        "zhang2006.fig3-2",
        f"{CONTROL}/scalable.rs::the_round_trips_to_recover_do_not_hang_on_the_window",
    ),
    _s(
        "zhang2006",
        "HighSpeed TCP",
        "growth and cut by the window",
        "zhang2006.fig3-2",
        f"{CONTROL}/highspeed.rs::the_table_of_rfc_3649_appendix_b",
    ),
    _s("zhang2006", "TCP-AP", "paced by the delay of four hops", "zhang2006.sec3-2-2-ap", f"{CONTROL}/ap.rs"),
    _s(
        "zhang2006",
        "Vegas, Westwood, TIBET",
        "estimates of the path",
        f"{CONTROL}/vegas.rs",
        f"{CONTROL}/westwood.rs",
        f"{CONTROL}/tibet.rs",
    ),
    _s("zhang2006", "ATP", "rates from the nodes of the path", f"{ATP}/tests.rs", f"{IT}/atp.rs"),
    _s(
        "zhang2006",
        "VPS, packet pair, SLoPS, TOPP",
        "bandwidth estimators, `hopscope probe`",
        "zhang2006.sec3-2-1",
        "tests/probe/test_methods.py",
        "tests/cli/test_probe.py",
    ),
    _s("zhang2006", "TCP-ELFN, TCP-F, Fixed RTO, ATCP", "answers to failed routes", f"{IT}/route_failures.rs"),
    _s(
        "zhang2006",
        "TCP-DOOR",
        "order of arrival shows failed routes",
        f"{TCP}/tests/route_failure.rs",
        f"{IT}/door.rs",
    ),
    _s(
        "zhang2006",
        "I-TCP",
        "the connection split at the gateway",
        missing="it breaks the end-to-end semantics; the study names it as what not to do",
    ),
    _s("zhang2006", "B/N", "the gateway lowers windows", "zhang2006.sec2-2-2", f"{NET}/net/gateway.rs"),
    _s("zhang2006", "timer scheduler", "packets held back by a timer", "zhang2006.appA-2-3", f"{NET}/link/timer.rs"),
    _s(
        "zhang2006",
        "max-min, proportional, potential delay, throughput",
        "criteria of fairness",
        "tests/unit/test_shares.py::test_no_feasible_rates_are_fairer",
    ),
    _s(
        "zhang2006",
        "Jain's and max-min index",
        "measures of fairness",
        "zhang2006.table6-3",
        "tests/unit/test_shares.py::test_the_index_of_unfairness",
    ),
    _s(
        "zhang2006",
        "random waypoint",
        "nodes that move",
        "validation.mobility",
        "crates/hopscope-phy/src/mobility/tests.rs",
        f"{IT}/mobility.rs",
    ),
)


@cache
def verdicts(study: str) -> Mapping[str, Mapping[str, str]]:
    """The recorded verdicts of a study in full length, by entry and statement."""
    found: Mapping[str, Mapping[str, str]] = json.loads((FOLDER / study / "verdicts.json").read_text(encoding="utf-8"))[
        "full"
    ]
    return found


def verdict(key: str) -> str:
    """What the statements of an entry gave, counted."""
    study = key.partition(".")[0]
    if study not in STUDIES:
        return "see its page"
    counted = Counter(verdicts(study).get(key, {}).values())
    return ", ".join(f"{n} {word}" for word, n in counted.items()) or "no statement"


def rows() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yields study, kind, item, what it is, where it is shown, and its verdict."""
    for entry in studies.entries():
        study, _, item = entry.key.partition(".")
        if study in STUDIES:
            yield study, "experiment", item, entry.title, f"`{entry.key}`", verdict(entry.key)
    for row in ROWS:
        places = ", ".join(f"`{place}`" for place in row.shown)
        entries = [place for place in row.shown if "/" not in place]
        found = "; ".join(dict.fromkeys(verdict(key) for key in entries)) or "tested"
        yield row.study, row.kind, row.item, row.what, places or "-", row.open or found


def grids() -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yields each study with the head and the cells of its table."""
    found = list(rows())
    for study in STUDIES:
        mine = sorted((row for row in found if row[0] == study), key=lambda row: row[1])
        yield study, ["kind", "item", "what", "shown by", "verdict"], [list(row[1:]) for row in mine]
