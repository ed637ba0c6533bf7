"""The models by name, with parameters that are read and checked like keys of a scenario.

``hopscope model`` and overlays of reports use this table; from Python the functions of the sister modules are shorter.
"""

from __future__ import annotations

from typing import Any

from hopscope.errors import InputError, instead, shown
from hopscope.models import bianchi, capacity, drops, edca, ppdu, response, tcp, window
from hopscope.models.formula import Model, Output
from hopscope.scenario.fields import Field


def model(name: str) -> Model:
    """Returns the model of this name.

    Raises:
        InputError: no such model.
    """
    if name not in MODELS:
        raise InputError(f"unknown model {shown(name)}{instead(name, MODELS, 'allowed: {}')}")
    return MODELS[name]


# --- Parameters that several models share ---------------------------------------------------------------------------

_PHY = Field("phy", "choice", "PHY with its slot, SIFS and contention window.", default="dsss",
             choices=tuple(capacity.PHYS))  # fmt: skip
_RATE = Field("rate", "int", "Data rate.", "bit/s", default=2_000_000, minimum=1)
_CONTROL = Field("control_rate", "int", "Rate of RTS, CTS and ACK.", "bit/s", default=1_000_000, minimum=1)
_RTS = Field("rts", "flag", "With RTS/CTS.", default=False)
_OVERHEAD = Field("overhead", "int", "Bytes that MAC and LLC add to an IP packet.", "bytes",
                  default=capacity.MAC_OVERHEAD + capacity.LLC_OVERHEAD, maximum=1000)  # fmt: skip
_PACKET = Field("packet", "int", "IP packet, which is also what counts as throughput.", "bytes", default=1500,
                minimum=1, maximum=65_535)  # fmt: skip
_MEDIUM = (_RATE, _CONTROL, _RTS, _PHY, _OVERHEAD)
_MSS = Field("mss", "int", "Payload of a segment.", "bytes", default=1460, minimum=1, maximum=65_535)
_RTT = Field("rtt", "float", "Round-trip time.", "s", required=True, exclusive=True)
_LOSS = Field("loss", "float", "Loss probability p.", "probability", required=True, exclusive=True, maximum=1.0)
_RTO = Field("rto", "float", "First retransmission time-out; absent: four round-trip times.", "s", exclusive=True)
_PER_ACK = Field("acked_per_ack", "int", "Segments that an ACK covers: 1, or 2 with delayed ACKs.", default=1,
                 minimum=1, maximum=1000)  # fmt: skip
_FORM_TCP = Field("form", "choice", "Full model, or the approximate one.", default="full",
                  choices=("full", "approximate"))  # fmt: skip
_RATE_OUT = Output("throughput_kbps", "kbit/s", "Throughput.")


def _hops(minimum: int = 1) -> Field:
    return Field("hops", "int", "Length of the path.", "hops", required=True, minimum=minimum)


# --- From parameters to outputs -------------------------------------------------------------------------------------


def _grid(hops: int) -> dict[str, float | None]:
    return {
        "window": window.optimal_window_grid(hops, "appendix"),
        "window_text": window.optimal_window_grid(hops, "text"),
    }


def _drops(
    backlogged: float, hops: int | None, concurrent: float | None, initiating: float | None, retry_limit: int, form: str
) -> dict[str, float | None]:
    if hops is not None:
        of_chain = drops.chain_limits(hops)
        concurrent = of_chain[0] if concurrent is None else concurrent
        initiating = of_chain[1] if initiating is None else initiating
    if concurrent is None or initiating is None:
        raise ValueError("give concurrent and initiating (B* and C*), or hops for those of a chain")
    found = drops.drops(backlogged, concurrent, initiating, retry_limit=retry_limit, form=form)
    return {
        "drop_probability": found.per_node,
        "any_drop_probability": found.any_node,
        "attempt_drop_probability": found.last_state,
        "hidden_probability": found.hidden,
        "starting": found.starting,
        "completing": found.completing,
    }


def _hop(packet: int, **medium: Any) -> dict[str, float | None]:
    found = capacity.exchange(packet, **medium)
    return {
        "throughput_kbps": 8000 * packet / found.total,
        "cycle_us": found.total,
        "data_us": found.data,
        "handshake_us": found.handshake,
        "ack_us": found.ack,
    }


def _chain(hops: int, packet: int, reuse: int, **medium: Any) -> dict[str, float | None]:
    hop = 8000 * packet / capacity.exchange(packet, **medium).total
    share = capacity.chain_share(hops, reuse)
    return {"throughput_kbps": hop * share, "one_hop_kbps": hop, "share": share}


def _stop_and_wait(hops: int, payload: int, **medium: Any) -> dict[str, float | None]:
    forward = capacity.exchange(payload + capacity.TCP_HEADERS, **medium)
    back = capacity.exchange(capacity.TCP_HEADERS, **medium)
    rate = capacity.stop_and_wait(hops, payload, forward, back)
    return {"throughput_kbps": rate / 1000, "round_trip_ms": 8000 * payload / rate}


def _bianchi(
    stations: int,
    packet: int,
    doublings: int,
    retry_limit: int | None,
    back_to_back: bool,
    phy: str,
    **medium: Any,
) -> dict[str, float | None]:
    found = capacity.exchange(packet, phy=phy, **medium)
    layer = capacity.PHYS[phy]
    timing = bianchi.Timing(layer.slot, found.success + found.difs, found.first + found.difs)
    cell = bianchi.saturation(
        stations,
        timing,
        8 * packet,
        cw_min=layer.cw_min,
        doublings=doublings,
        retry_limit=retry_limit,
        back_to_back=back_to_back,
    )
    return {
        "throughput_kbps": cell.throughput * 1000,
        "limit_kbps": bianchi.saturation_limit(timing, 8 * packet) * 1000,
        "collision_probability": cell.collision_probability,
        "attempt_probability": cell.tau,
        "drop_probability": cell.drop_probability,
    }


def _edca(
    stations: int, packet: int, standard: str, width: int, mcs: int, streams: int, guard: float, band: str,
    ampdu: int | None, window: int | None, longest: float, missing_block_ack: str, **rest: Any,
) -> dict[str, float | None]:  # fmt: skip
    mode = ppdu.Mode(standard, width, mcs, streams, round(guard * 1e9), band)
    has = ppdu.STANDARDS[standard]
    found = edca.cell(
        stations,
        packet,
        mode,
        ampdu=has.longest if ampdu is None else ampdu,
        window=has.window if window is None else window,
        longest_ns=round(longest * 1e9),
        request=missing_block_ack == "request",
        **rest,
    )
    return {
        "throughput_kbps": found.throughput * 1000,
        "rate_kbps": mode.rate * 1000,
        "packets": found.carried.packets,
        "mpdus": found.carried.mpdus,
        "psdu_bytes": found.carried.psdu,
        "ppdu_us": found.ppdu,
        "response_us": found.response,
        "cycle_us": found.cycle,
        "collision_probability": found.collision_probability,
    }


def _mathis(**values: Any) -> dict[str, float | None]:
    return {"throughput_kbps": tcp.mathis(**values) / 1000}


def _padhye(loss: float, acked_per_ack: int, **values: Any) -> dict[str, float | None]:
    rate = tcp.padhye(loss=loss, acked_per_ack=acked_per_ack, **values)
    return {"throughput_kbps": rate / 1000, "mean_window": tcp.mean_window(loss, acked_per_ack=acked_per_ack)}


def _tfrc(**values: Any) -> dict[str, float | None]:
    return {"throughput_kbps": tcp.tfrc(**values) / 1000}


def _response(control: str, mss: int, rtt: float, loss: float, **values: Any) -> dict[str, float | None]:
    mean = response.mean_window(control, loss, rtt, **values)
    return {"throughput_kbps": 8 * mss * (1 - loss) * mean / rtt / 1000, "mean_window": mean}


def _westwood(**values: Any) -> dict[str, float | None]:
    return {"throughput_kbps": response.westwood_plus(**values) / 1000}


_FU = 'Fu et al., "On TCP Performance in Multihop Wireless Networks" (fu2003)'
_WINDOW = Output("window", "packets", "Window of a flow with the best throughput.")

MODELS: dict[str, Model] = {
    entry.name: entry
    for entry in (
        Model(
            "optimal-window",
            "best window of one flow over a chain: h/4",
            f"{_FU}, section 3",
            (_hops(),),
            (_WINDOW,),
            lambda hops: {"window": window.optimal_window_chain(hops)},
            "Neglects acknowledgements and assumes ideal scheduling; the source finds 3 at 7 hops, where it says 1.75.",
        ),
        Model(
            "optimal-window-cross",
            "best window of each of two crossing flows: ceil((h + 4) / 8)",
            f"{_FU}, section 3",
            (_hops(4),),
            (_WINDOW,),
            lambda hops: {"window": window.optimal_window_cross(hops)},
        ),
        Model(
            "optimal-window-grid",
            "best window of each of four flows over a grid, in both printed forms",
            f"{_FU}, section 3 and appendix",
            (_hops(5),),
            (
                Output("window", "packets", "ceil((h + 9) / 14), the appendix's form, which is derived there."),
                Output("window_text", "packets", "ceil((h + 5) / 10), the form of the main text."),
            ),
            _grid,
            "The two forms contradict one another; both give 2 at the 12 hops of the source's experiment.",
        ),
        Model(
            "pipe-bound",
            "upper bound of a path's bandwidth-delay product in packets",
            "Chen, Xue, Nahrstedt, IEEE ICC 2003",
            (
                _hops(),
                Field("share", "float", "Share of the round-trip hop count that 802.11 can use.", "probability",
                      default=window.PIPE_SHARE, exclusive=True, maximum=1.0),
            ),
            (
                Output("window", "packets", "share * 2h, the bound over 802.11."),
                Output("window_any_mac", "packets", "2h, the bound for any MAC: one packet on each link."),
            ),
            lambda hops, share: {
                "window": window.pipe_bound(hops, share),
                "window_any_mac": window.pipe_bound(hops),
            },
            "The bound counts data and acknowledgements, both ways.",
        ),
        Model(
            "drop-probability",
            "link-layer drops over the number of backlogged nodes: equations (1) to (5)",
            f"{_FU}, section 4",
            (
                Field("backlogged", "float", "m, nodes with a packet to send.", required=True),
                Field("hops", "int", "Takes B* and C* of a chain of this length.", "hops", minimum=1),
                Field("concurrent", "float", "B*, most DATA transmissions that succeed together.", minimum=1),
                Field("initiating", "float", "C*, most RTS that start together without colliding.", minimum=1),
                Field("retry_limit", "int", "r, RTS attempts after the first.", default=drops.RETRY_LIMIT, minimum=1,
                      maximum=1000),
                Field("form", "choice", "Limits as minima, or the printed floors (a saw-tooth).", default="smooth",
                      choices=drops.FORMS),
            ),
            (
                Output("drop_probability", "", "L_f(m) of one backlogged node in a slot, (1), (3) and (4)."),
                Output("any_drop_probability", "", "L(m), at least one drop, (5)."),
                Output("attempt_drop_probability", "", "p_r, of an attempt."),
                Output("hidden_probability", "", "H_f, (2)."),
                Output("starting", "nodes", "c(m), nodes that start an RTS together."),
                Output("completing", "nodes", "b(m), nodes that complete their DATA."),
            ),
            _drops,
            "Beyond C* the source calls the drop probability constant; (1) falls there as 1/m, p_r is constant.",
            exemplary=("hops",),
        ),
        Model(
            "printed-limit",
            "limit of one link with the sizes that zhang2006 prints",
            "zhang2006, section 6.1",
            (
                Field("counted", "int", "Bytes of a packet that count.", "bytes", default=1500, minimum=1),
                Field("packet", "int", "Its IP packet.", "bytes", default=1540, minimum=1),
                Field("acknowledgement", "int", "IP packet of the transport's acknowledgement; 0: none.", "bytes",
                      default=0, minimum=0),
            ),
            (Output("throughput_kbps", "kbit/s", "Bytes that count, over the time of the exchanges."),),
            lambda counted, packet, acknowledgement: {
                "throughput_kbps": capacity.printed_limit(counted, packet, acknowledgement) / 1000
            },
            "RTS, CTS and ACK are larger than the standard's, and no preamble is charged; the source's own arithmetic.",
        ),
        Model(
            "dcf-throughput",
            "throughput of one hop without contention",
            "IEEE 802.11-2020, clauses 10.3 and 15 to 17",
            (_PACKET, *_MEDIUM),
            (
                _RATE_OUT,
                Output("cycle_us", "us", "Mean time from one data frame to the next."),
                Output("data_us", "us", "The data frame."),
                Output("handshake_us", "us", "RTS, CTS and two SIFS."),
                Output("ack_us", "us", "SIFS and ACK."),
            ),
            _hop,
        ),
        Model(
            "chain-capacity",
            "throughput of an ideally scheduled chain: one hop / min(h, 4)",
            "Li et al., ACM MobiCom 2001; IEEE 802.11-2020, clause 10.3",
            (
                _hops(),
                _PACKET,
                Field("reuse", "int", "Hops between nodes that can send together: 4, or 3 without interference beyond "
                      "reception.", "hops", default=window.REUSE_HOPS, minimum=1),
                *_MEDIUM,
            ),
            (
                _RATE_OUT,
                Output("one_hop_kbps", "kbit/s", "Throughput of one hop."),
                Output("share", "", "Share of it that the chain carries."),
            ),
            _chain,
            "802.11 reaches about 1/7 of one hop over long chains (Li et al.). The mean back-off of a lone sender is "
            "counted; stations that contend count down together and gain a few per cent.",
        ),
        Model(
            "stop-and-wait",
            "TCP with a window of one packet over a chain",
            "IEEE 802.11-2020, clause 10.3: h exchanges of a packet and h of its acknowledgement",
            (
                _hops(),
                Field("payload", "int", "TCP payload of a packet.", "bytes", default=1460, minimum=1, maximum=65_495),
                *_MEDIUM,
            ),
            (
                _RATE_OUT,
                Output("round_trip_ms", "ms", "Time of a round."),
            ),
            _stop_and_wait,
            "Exact in the mean: only one exchange is under way at any time.",
        ),
        Model(
            "bianchi",
            "saturation throughput of one cell, with or without a retry limit",
            "Bianchi, IEEE JSAC 18(3), 2000; retry limit: Chatzimisios, Boucouvalas, Vitsas, IEEE GLOBECOM 2003",
            (
                Field("stations", "int", "Saturated stations that all hear one another.", required=True, minimum=1,
                      maximum=1_000_000),
                _PACKET,
                Field("doublings", "int", "How often the contention window can double.", default=5, maximum=30),
                Field("retry_limit", "int-or-off", "Attempts before a frame is given up.", minimum=1, maximum=1000),
                Field("back_to_back", "flag", "Correct for a winner that draws zero and sends again at once.",
                      default=False),
                *_MEDIUM,
            ),
            (
                _RATE_OUT,
                Output("limit_kbps", "kbit/s", "Limit for many stations with the best window; a few may get more."),
                Output("collision_probability", "", "p, that a transmission collides."),
                Output("attempt_probability", "", "tau, that a station sends in a slot."),
                Output("drop_probability", "", "p^attempts, that a frame is given up."),
            ),
            _bianchi,
            "A collision takes the first frame and DIFS for everybody.",
        ),
        Model(
            "edca-throughput",
            "throughput of one cell of 802.11n, ac or ax with frame aggregation",
            "IEEE 802.11-2020, clauses 9.7, 10.12, 10.23, 10.25, 19 and 21; 802.11ax-2021, clause 27; Bianchi 2000",
            (
                Field("standard", "choice", "802.11n, 802.11ac or 802.11ax.", default="ht",
                      choices=tuple(ppdu.STANDARDS)),
                Field("width", "int", "Width of the channel: 20, 40, 80 or 160.", "MHz", default=20, minimum=20),
                Field("mcs", "int", "Modulation and coding, 0 to 7 (ht), 9 (vht), 11 (he).", default=7, maximum=11),
                Field("streams", "int", "Spatial streams.", default=1, minimum=1, maximum=4),
                Field("guard", "float", "Guard interval.", "s", default=800e-9, exclusive=True),
                Field("band", "choice", "Band in GHz.", default="5", choices=tuple(ppdu.BANDS)),
                _PACKET,
                Field("headers", "int", "Bytes of the packet that do not count: 28 for UDP, 40 for TCP.", "bytes",
                      default=0),
                Field("ampdu", "int", "Largest A-MPDU; 0: none; absent: what the standard has.", "bytes"),
                Field("amsdu", "int", "Largest A-MSDU; 0: none.", "bytes", default=0),
                Field("window", "int", "MPDUs of the Block Ack agreement; absent: what the standard has.", minimum=1),
                Field("longest", "float", "Longest PPDU.", "s", default=ppdu.LONGEST_NS / 1e9, exclusive=True),
                Field("category", "choice", "Access category.", default="be", choices=tuple(edca.CATEGORIES)),
                _RTS,
                Field("missing_block_ack", "choice", "After a collision of A-MPDUs without RTS: ask, or send again.",
                      default="request", choices=("request", "resend")),
                Field("stations", "int", "Saturated stations that all hear one another.", default=1, minimum=1,
                      maximum=1_000_000),
            ),
            (
                _RATE_OUT,
                Output("rate_kbps", "kbit/s", "Data rate of the PHY."),
                Output("packets", "packets", "IP packets of a PPDU."),
                Output("mpdus", "", "MPDUs of a PPDU."),
                Output("psdu_bytes", "bytes", "The A-MPDU with delimiters and padding, or the MPDU alone."),
                Output("ppdu_us", "us", "The PPDU."),
                Output("response_us", "us", "Its Block Ack or ACK."),
                Output("cycle_us", "us", "Mean time from one PPDU of a lone station to its next."),
                Output("collision_probability", "", "p, that a transmission collides."),
            ),
            _edca,
            "One exchange an access, without a TXOP limit, and every PPDU as full as it can be. A collision takes the "
            "first frame and AIFS. The A-MPDU that collided goes again after a Block Ack request has been answered.",
        ),
        Model(
            "mathis",
            "TCP in congestion avoidance: MSS / RTT * sqrt(3 / (2 b p))",
            "Mathis, Semke, Mahdavi, Ott, ACM CCR 27(3), 1997",
            (_MSS, _RTT, _LOSS, _PER_ACK),
            (_RATE_OUT,),
            _mathis,
            "Without time-outs or a limited window.",
        ),
        Model(
            "padhye",
            "TCP Reno with time-outs and a limited window",
            "Padhye, Firoiu, Towsley, Kurose, ACM SIGCOMM 1998, equations 32 and 33",
            (
                _MSS,
                _RTT,
                _LOSS,
                _RTO,
                Field("max_window", "int", "Receiver window; absent: no limit.", "packets", minimum=1),
                _PER_ACK,
                _FORM_TCP,
            ),
            (_RATE_OUT, Output("mean_window", "segments", "E[W] without a limit.")),
            _padhye,
        ),
        Model(
            "tfrc",
            "rate of TFRC: the approximate model without its minima",
            "RFC 5348, section 3.1",
            (_MSS, _RTT, _LOSS, _RTO, _PER_ACK),
            (_RATE_OUT,),
            _tfrc,
        ),
        Model(
            "tcp-response",
            "mean window of a congestion control under losses, and its throughput",
            "Mathis et al. 1997; RFC 9438 5.1; Leith and Shorten 2004; Fu and Liew 2003; Liu et al. 2008; Kelly 2003; "
            "RFC 3649 5",
            (
                Field("control", "choice", "The control.", required=True, choices=response.CONTROLS),
                Field("form", "choice", "The source's formula, or its rules followed in time.", default="closed",
                      choices=response.FORMS),
                Field("losses", "choice", "Every 1/p-th packet, or each for itself.", default="periodic",
                      choices=response.LOSSES),
                _MSS, _RTT, Field("loss", "float", "Loss probability p.", "probability", required=True, exclusive=True,
                                  maximum=0.1),
                _PER_ACK,
            ),
            (_RATE_OUT, Output("mean_window", "segments", "Mean window over time.")),
            _response,
            "The closed form of the source, or its rules in time with whole segments and a round trip each until a "
            "loss is known and repaired. Without time-outs or queues.",
        ),
        Model(
            "westwood-plus",
            "TCP Westwood+: MSS / sqrt(RTT T_q) * sqrt((1 - p) / p)",
            "Grieco, Mascolo, ACM CCR 34(2), 2004",
            (_MSS, _RTT, Field("queueing", "float", "Part of the round-trip time spent in queues.", "s", required=True,
                               exclusive=True), _LOSS),
            (_RATE_OUT,),
            _westwood,
            "Without queues it has no limit.",
        ),
    )
}  # fmt: skip
"""Every model by name."""
