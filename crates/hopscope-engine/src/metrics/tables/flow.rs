//! The metrics of a flow.

use std::collections::BTreeMap;

use super::Applicability::{Several, Tcp};
use super::MetricKind::{Label, Shares, Text};
use super::Visibility::{Drawn, Report, Terminal};
use super::{Metric, measured};
use crate::metrics::{FlowCx, TransportName};

measured! {
    /// One flow. `None` means that there was no sample.
    pub struct FlowResult of "flow" by FlowCx { flow, run, label } {
        /// Number.
        id: u32 = label => Metric::other(Label, "flow");
        /// Sending node.
        from: u32 = label => Metric::other(Label, "from");
        /// Receiving node.
        to: u32 = label => Metric::other(Label, "to");
        /// The flow that this one replies to, over the same connection.
        #[serde(skip_serializing_if = "Option::is_none")]
        reply_to: Option<u32> = label => Metric::other(Label, "reply to");
        /// Transport protocol.
        transport: TransportName = label => Metric::other(Label, "transport");
        /// Hops of the way under static routes.
        hops: u32 = label => Metric::sample("hops", "hops");
        /// Mean hops that the copies received have taken; only with `path_lengths`.
        mean_hops: Option<f64> = flow.paths => Metric::sample("hops", "hops taken");
        /// What they took beyond the shortest path by radio at their arrival, on average (Broch et al. 1998); only with
        /// `path_lengths`.
        extra_hops: Option<f64> = flow.paths => Metric::sample("hops", "hops beyond the shortest path");
        /// Payload handed up in order at the receiver, duplicates excluded, over the measured time.
        throughput_kbps: f64 = flow.delivery => Metric::sample("kbit/s", "throughput").shown(Drawn).total("aggregate_kbps");
        /// The same without what came in retransmitted copies.
        goodput_kbps: f64 = flow.delivery => Metric::sample("kbit/s", "goodput").shown(Report);
        /// Payload of all copies received, repeated ones included, over the flow's own time: from its start to its
        /// completion or the end (zhang2006, chapter 6: overall throughput).
        overall_kbps: Option<f64> = flow.delivery => Metric::sample("kbit/s", "overall throughput");
        /// The same up to the completion of the flow that is first, in which all are active (zhang2006, chapter 6).
        shared_kbps: Option<f64> = run.all_active => Metric::sample("kbit/s", "throughput while all are active");
        /// Mean time of a packet copy from the sending to the receiving transport.
        delay_ms: Option<f64> = flow.delay => Metric::sample("ms", "delay").shown(Drawn).total("delay_ms");
        /// Median of those times, to 0.4 % (a histogram with classes that grow with the value, below 131 us of 0.5 us).
        delay_p50_ms: Option<f64> = flow.delay => Metric::sample("ms", "median delay");
        /// The time that 95 % of the copies received do not exceed, to 0.4 %.
        delay_p95_ms: Option<f64> = flow.delay => Metric::sample("ms", "95th percentile of the delay").short("delay p95").shown(Report).total("delay_p95_ms");
        /// The time that 99 % of the copies received do not exceed, to 0.4 %.
        delay_p99_ms: Option<f64> = flow.delay => Metric::sample("ms", "99th percentile of the delay").short("delay p99").shown(Report).total("delay_p99_ms");
        /// Median time between two copies received, to 0.4 %.
        gap_p50_ms: Option<f64> = flow.delay => Metric::sample("ms", "median gap between arrivals");
        /// The time between arrivals that 95 % do not exceed, to 0.4 %.
        gap_p95_ms: Option<f64> = flow.delay => Metric::sample("ms", "95th percentile of the gap between arrivals");
        /// The time between arrivals that 99 % do not exceed, to 0.4 %.
        gap_p99_ms: Option<f64> = flow.delay => Metric::sample("ms", "99th percentile of the gap between arrivals");
        /// Longest time without a delivery, from the flow's start to its end: the longest outage. Gaps at either end
        /// count.
        longest_outage_s: Option<f64> = flow.starvation => Metric::sample("s", "longest outage");
        /// Rating of speech, 0 to 100 (E-model, ITU-T G.107 simplified); of flows with `app = "voice"`.
        r_factor: Option<f64> = flow.voice => Metric::sample("", "R-factor").shown(Report);
        /// Mean opinion score that the rating stands for, 1 (bad) to 4.5 (ITU-T G.107, Annex B).
        mos: Option<f64> = flow.voice => Metric::sample("", "mean opinion score").short("MOS").shown(Terminal).total("mos");
        /// Mean of the absolute differences of successive delays (afrakhteh2005).
        jitter_ms: Option<f64> = flow.delay => Metric::sample("ms", "jitter").shown(Report);
        /// The smoothed interarrival jitter of RFC 3550, A.8.
        jitter_rfc3550_ms: Option<f64> = flow.delay => Metric::sample("ms", "jitter (RFC 3550)").shown(Report);
        /// Share of copies lost (dropped at a queue or a retry limit, without a route, lost on a wire) among the copies
        /// received or lost. What is in flight at the end is left out.
        loss_pct: Option<f64> = flow.delivery => Metric::sample("%", "loss").shown(Drawn).total("loss_pct");
        /// Retransmissions over non-duplicate copies received (anastasi2006).
        retransmission_index_pct: Option<f64> = flow.delivery => Metric::sample("%", "retransmissions").short("retransmitted").shown(Terminal).applies(Tcp);
        /// Time-weighted mean of the usable window min(cwnd, `max_window`).
        mean_cwnd: Option<f64> = flow.window => Metric::sample("segments", "mean window").short("cwnd").shown(Terminal).applies(Tcp);
        /// Share of the time in which the receiver's window (`max_window`) bounds what may be in flight, and no
        /// congestion window; not known of windows above 1022 packets.
        window_limited_pct: Option<f64> = flow.window => Metric::sample("%", "limited by the receiver's window").applies(Tcp);
        /// Retransmission timeouts, those of the SYN included.
        timeouts: u64 = run.repairs => Metric::sample("", "timeouts").shown(Terminal).applies(Tcp);
        /// Fast retransmits.
        fast_retransmits: u64 = run.repairs => Metric::sample("", "fast retransmits").applies(Tcp);
        /// The part of the timeouts in which nothing was lost: the ACK of what timed out was held back or on its way.
        /// Known to who sees both ends.
        spurious_timeouts: u64 = run.repairs => Metric::sample("", "spurious timeouts").applies(Tcp);
        /// Timeouts that the sender found needless and undid: by F-RTO (RFC 5682), DSACK (RFC 3708) or timestamps
        /// (RFC 3522).
        undone_timeouts: u64 = run.repairs => Metric::sample("", "undone timeouts").applies(Tcp);
        /// Recoveries before the timer that the sender found needless and undid: by DSACK (RFC 3708) or timestamps
        /// (RFC 3522).
        undone_recoveries: u64 = run.repairs => Metric::sample("", "undone recoveries").applies(Tcp);
        /// Copies sent again of data that the receiver had by then, whatever the sender could know.
        needless_retransmissions: u64 = run.repairs => Metric::sample("packets", "needlessly sent again").applies(Tcp);
        /// Tail-loss probes (RFC 8985 7).
        tail_loss_probes: u64 = run.repairs => Metric::sample("", "tail-loss probes").applies(Tcp);
        /// Copies of data packets handed to the transport at the destination.
        received_packets: u64 = flow.delivery => Metric::sample("packets", "received");
        /// Copies of data packets handed to the network by the source; TCP's SYN is one, as in ns-2, and counts in
        /// delay, jitter and loss.
        sent_packets: u64 = flow.delivery => Metric::sample("packets", "sent");
        /// Copies of data packets lost on the way: sent, and neither received nor in flight at the end.
        lost_packets: u64 = flow.delivery => Metric::sample("packets", "lost");
        /// Copies of data packets whose outcome is open at the end: they wait in a queue or for a route, or are on the
        /// air.
        in_flight: u64 = flow.delivery => Metric::sample("packets", "in flight at the end").short("in flight");
        /// The part of the copies sent that was sent before.
        retransmitted_packets: u64 = flow.delivery => Metric::sample("packets", "sent again");
        /// Segments without data that either end sent: ACKs, and what of set-up and tear-down carries none.
        acks_sent: u64 = flow.acks => Metric::sample("packets", "ACKs sent").applies(Tcp);
        /// The same over the copies of data packets received: 1 where each is acknowledged, less where ACKs are thinned
        /// out.
        acks_per_packet: Option<f64> = flow.acks => Metric::sample("", "ACKs per packet").applies(Tcp);
        /// Time-weighted mean of the segments that the receiver wants one ACK to stand for; of `ada`, which counts
        /// none, 1.
        mean_ack_window: Option<f64> = flow.acks => Metric::sample("segments", "mean delay window").applies(Tcp);
        /// Data segments that leave the source at one instant, on average (Allman and Blanton 2005).
        mean_burst: Option<f64> = flow.departures => Metric::sample("packets", "mean burst");
        /// Standard deviation over mean of the times between data segments that leave the source; 1 of a Poisson
        /// process (Gusella 1991).
        burstiness: Option<f64> = flow.departures => Metric::sample("", "burstiness");
        /// Payload handed up in order, the bytes behind `throughput_kbps`.
        received_bytes: u64 = flow.delivery => Metric::sample("bytes", "received");
        /// The part of the copies received that was received before.
        duplicate_packets: u64 = flow.delivery => Metric::sample("packets", "received again");
        /// Mean round-trip time of timed segments.
        mean_rtt_ms: Option<f64> = flow.rtt => Metric::sample("ms", "round-trip time").applies(Tcp);
        /// From the flow's start until all of a file was acknowledged (TCP) or received (UDP); empty if it was not.
        completion_s: Option<f64> = flow.completion => Metric::sample("s", "completion").shown(Report);
        /// From the flow's start to the first payload handed up.
        first_delivery_s: Option<f64> = flow.completion => Metric::sample("s", "first delivery");
        /// Share of the flow's time in which its source had no route to its destination.
        no_route_share_pct: Option<f64> = run.routes => Metric::sample("%", "without route");
        /// Times that the source took a route to the destination into use, changed its next hop, or lost it.
        route_changes: u64 = run.routes => Metric::sample("", "route changes");
        /// Share of the flow's time that lies in gaps between deliveries longer than `starved_after`.
        starved_pct: Option<f64> = flow.starvation => Metric::sample("%", "starved").shown(Terminal).applies(Several).total("starved_pct");
        /// Share of time at each whole window size.
        cwnd_share: BTreeMap<String, f64> = flow.window => Metric::other(Shares, "shares of windows");
        /// Why nothing was carried.
        note: Option<String> = label => Metric::other(Text, "note");
    }
}
