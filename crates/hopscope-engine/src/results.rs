//! Results of a run as plain data, in the units and under the names that users read.

mod groups;
mod notes;
mod tables;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::{App, Codec, Config, FlowConfig, Transport};
use crate::ledger::LedgerResult;
use crate::metrics::table::Applicability::{Several, Tcp};
use crate::metrics::table::MetricKind::{Counts, Label, Shares, Text};
use crate::metrics::table::Visibility::{Drawn, Report, Terminal};
use crate::metrics::table::{Metric, measured};
use crate::metrics::{Meter, PathLengths, RoutingMeter, jain, max_min, voice};
use crate::record::{DropReason, Recorder};
use crate::world::World;
use crate::world::flow::Flow;
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_net::config::link::LinkPart;
use hopscope_net::iface::WireEnd;
use hopscope_net::iface::wire::Sent;
use hopscope_tcp::SenderStats;

pub use tables::{DistributionResult, LinksResult, SeriesResult};

/// One run.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// Seed.
    pub seed: u64,
    /// One entry per flow.
    pub flows: Vec<FlowResult>,
    /// One entry per node.
    pub nodes: Vec<NodeResult>,
    /// One entry for each direction of each wire.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<WireResult>,
    /// Packets that went over each link of the air.
    #[serde(skip_serializing_if = "LinksResult::is_empty")]
    pub links: LinksResult,
    /// The network as a whole.
    pub network: NetworkResult,
    /// Flows of one group added up, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, GroupResult>,
    /// Series asked for, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<&'static str, SeriesResult>,
    /// Histograms of the flows by what they are of, `delay` and `gap`, where they were asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub distributions: BTreeMap<&'static str, DistributionResult>,
    /// What an airtime ledger says ([`crate::ledger::Ledger::result`]), where the caller kept one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerResult>,
    /// Work done.
    pub engine: EngineResult,
}

measured! {
    /// One flow. `None` means that there was no sample.
    pub struct FlowResult of "flow" {
        /// Number.
        id: u32 = Metric::other(Label, "flow");
        /// Sending node.
        from: u32 = Metric::other(Label, "from");
        /// Receiving node.
        to: u32 = Metric::other(Label, "to");
        /// The flow that this one replies to, over the same connection.
        #[serde(skip_serializing_if = "Option::is_none")]
        reply_to: Option<u32> = Metric::other(Label, "reply to");
        /// Transport protocol.
        transport: TransportName = Metric::other(Label, "transport");
        /// Hops of the way under static routes.
        hops: u32 = Metric::sample("hops", "hops");
        /// Mean hops that the copies received have taken; only with `path_lengths`.
        mean_hops: Option<f64> = Metric::sample("hops", "hops taken");
        /// What they took beyond the shortest path by radio at their arrival, on average (Broch et al. 1998); only with `path_lengths`.
        extra_hops: Option<f64> = Metric::sample("hops", "hops beyond the shortest path");
        /// Payload handed up in order at the receiver, duplicates excluded, over the measured time.
        throughput_kbps: f64 = Metric::sample("kbit/s", "throughput").shown(Drawn).total("aggregate_kbps");
        /// The same without what came in retransmitted copies.
        goodput_kbps: f64 = Metric::sample("kbit/s", "goodput").shown(Report);
        /// Payload of all copies received, repeated ones included, over the flow's own time: from its start to its completion or
        /// the end (zhang2006, chapter 6: overall throughput).
        overall_kbps: Option<f64> = Metric::sample("kbit/s", "overall throughput");
        /// The same up to the completion of the flow that is first, in which all are active (zhang2006, chapter 6).
        shared_kbps: Option<f64> = Metric::sample("kbit/s", "throughput while all are active");
        /// Mean time of a packet copy from the sending to the receiving transport.
        delay_ms: Option<f64> = Metric::sample("ms", "delay").shown(Drawn).total("delay_ms");
        /// Median of those times, to 0.4 % (a histogram with classes that grow with the value, below 131 us of 0.5 us).
        delay_p50_ms: Option<f64> = Metric::sample("ms", "median delay");
        /// The time that 95 % of the copies received do not exceed, to 0.4 %.
        delay_p95_ms: Option<f64> = Metric::sample("ms", "95th percentile of the delay").short("delay p95").shown(Report).total("delay_p95_ms");
        /// The time that 99 % of the copies received do not exceed, to 0.4 %.
        delay_p99_ms: Option<f64> = Metric::sample("ms", "99th percentile of the delay").short("delay p99").shown(Report).total("delay_p99_ms");
        /// Median time between two copies received, to 0.4 %.
        gap_p50_ms: Option<f64> = Metric::sample("ms", "median gap between arrivals");
        /// The time between arrivals that 95 % do not exceed, to 0.4 %.
        gap_p95_ms: Option<f64> = Metric::sample("ms", "95th percentile of the gap between arrivals");
        /// The time between arrivals that 99 % do not exceed, to 0.4 %.
        gap_p99_ms: Option<f64> = Metric::sample("ms", "99th percentile of the gap between arrivals");
        /// Longest time without a delivery, from the flow's start to its end: the longest outage. Gaps at either end count.
        longest_outage_s: Option<f64> = Metric::sample("s", "longest outage");
        /// Rating of speech, 0 to 100 (E-model, ITU-T G.107 simplified); of flows with `app = "voice"`.
        r_factor: Option<f64> = Metric::sample("", "R-factor").shown(Report);
        /// Mean opinion score that the rating stands for, 1 (bad) to 4.5 (ITU-T G.107, Annex B).
        mos: Option<f64> = Metric::sample("", "mean opinion score").short("MOS").shown(Terminal).total("mos");
        /// Mean of the absolute differences of successive delays (afrakhteh2005).
        jitter_ms: Option<f64> = Metric::sample("ms", "jitter").shown(Report);
        /// The smoothed interarrival jitter of RFC 3550, A.8.
        jitter_rfc3550_ms: Option<f64> = Metric::sample("ms", "jitter (RFC 3550)").shown(Report);
        /// Share of copies lost (dropped at a queue or a retry limit, without a route, lost on a wire) among the copies received or
        /// lost. What is in flight at the end is left out.
        loss_pct: Option<f64> = Metric::sample("%", "loss").shown(Drawn).total("loss_pct");
        /// Retransmissions over non-duplicate copies received (anastasi2006).
        retransmission_index_pct: Option<f64> = Metric::sample("%", "retransmissions").short("retransmitted").shown(Terminal).applies(Tcp);
        /// Time-weighted mean of the usable window min(cwnd, `max_window`).
        mean_cwnd: Option<f64> = Metric::sample("segments", "mean window").short("cwnd").shown(Terminal).applies(Tcp);
        /// Share of the time in which the receiver's window (`max_window`) bounds what may be in flight, and no congestion window; not
        /// known of windows above 1022 packets.
        window_limited_pct: Option<f64> = Metric::sample("%", "limited by the receiver's window").applies(Tcp);
        /// Retransmission timeouts, those of the SYN included.
        timeouts: u64 = Metric::sample("", "timeouts").shown(Terminal).applies(Tcp);
        /// Fast retransmits.
        fast_retransmits: u64 = Metric::sample("", "fast retransmits").applies(Tcp);
        /// The part of the timeouts in which nothing was lost: the ACK of what timed out was held back or on its way. Known to who
        /// sees both ends.
        spurious_timeouts: u64 = Metric::sample("", "spurious timeouts").applies(Tcp);
        /// Timeouts that the sender found needless and undid: by F-RTO (RFC 5682), DSACK (RFC 3708) or timestamps (RFC 3522).
        undone_timeouts: u64 = Metric::sample("", "undone timeouts").applies(Tcp);
        /// Recoveries before the timer that the sender found needless and undid: by DSACK (RFC 3708) or timestamps (RFC 3522).
        undone_recoveries: u64 = Metric::sample("", "undone recoveries").applies(Tcp);
        /// Copies sent again of data that the receiver had by then, whatever the sender could know.
        needless_retransmissions: u64 = Metric::sample("packets", "needlessly sent again").applies(Tcp);
        /// Tail-loss probes (RFC 8985 7).
        tail_loss_probes: u64 = Metric::sample("", "tail-loss probes").applies(Tcp);
        /// Copies of data packets handed to the transport at the destination.
        received_packets: u64 = Metric::sample("packets", "received");
        /// Copies of data packets handed to the network by the source; TCP's SYN is one, as in ns-2, and counts in delay,
        /// jitter and loss.
        sent_packets: u64 = Metric::sample("packets", "sent");
        /// Copies of data packets lost on the way: sent, and neither received nor in flight at the end.
        lost_packets: u64 = Metric::sample("packets", "lost");
        /// Copies of data packets whose outcome is open at the end: they wait in a queue or for a route, or are on the air.
        in_flight: u64 = Metric::sample("packets", "in flight at the end").short("in flight");
        /// The part of the copies sent that was sent before.
        retransmitted_packets: u64 = Metric::sample("packets", "sent again");
        /// Segments without data that either end sent: ACKs, and what of set-up and tear-down carries none.
        acks_sent: u64 = Metric::sample("packets", "ACKs sent").applies(Tcp);
        /// The same over the copies of data packets received: 1 where each is acknowledged, less where ACKs are thinned out.
        acks_per_packet: Option<f64> = Metric::sample("", "ACKs per packet").applies(Tcp);
        /// Time-weighted mean of the segments that the receiver wants one ACK to stand for; of `ada`, which counts none, 1.
        mean_ack_window: Option<f64> = Metric::sample("segments", "mean delay window").applies(Tcp);
        /// Data segments that leave the source at one instant, on average (Allman and Blanton 2005).
        mean_burst: Option<f64> = Metric::sample("packets", "mean burst");
        /// Standard deviation over mean of the times between data segments that leave the source; 1 of a Poisson process (Gusella 1991).
        burstiness: Option<f64> = Metric::sample("", "burstiness");
        /// Payload handed up in order, the bytes behind `throughput_kbps`.
        received_bytes: u64 = Metric::sample("bytes", "received");
        /// The part of the copies received that was received before.
        duplicate_packets: u64 = Metric::sample("packets", "received again");
        /// Mean round-trip time of timed segments.
        mean_rtt_ms: Option<f64> = Metric::sample("ms", "round-trip time").applies(Tcp);
        /// From the flow's start until all of a file was acknowledged (TCP) or received (UDP); empty if it was not.
        completion_s: Option<f64> = Metric::sample("s", "completion").shown(Report);
        /// From the flow's start to the first payload handed up.
        first_delivery_s: Option<f64> = Metric::sample("s", "first delivery");
        /// Share of the flow's time in which its source had no route to its destination.
        no_route_share_pct: Option<f64> = Metric::sample("%", "without route");
        /// Times that the source took a route to the destination into use, changed its next hop, or lost it.
        route_changes: u64 = Metric::sample("", "route changes");
        /// Share of the flow's time that lies in gaps between deliveries longer than `starved_after`.
        starved_pct: Option<f64> = Metric::sample("%", "starved").shown(Terminal).applies(Several).total("starved_pct");
        /// Share of time at each whole window size.
        cwnd_share: BTreeMap<String, f64> = Metric::other(Shares, "shares of windows");
        /// Why nothing was carried.
        note: Option<String> = Metric::other(Text, "note");
    }
}

impl RunResult {
    /// Takes what an airtime ledger says.
    pub fn keep_ledger(&mut self, ledger: LedgerResult) {
        self.network.ack_airtime_pct = ledger.ack_airtime_pct();
        self.ledger = Some(ledger);
    }
}

/// Every entry of flows, nodes, wires, the network and groups.
pub fn metrics() -> Vec<Metric> {
    [
        FlowResult::describe(),
        NodeResult::describe(),
        WireResult::describe(),
        NetworkResult::describe(),
        GroupResult::describe(),
    ]
    .concat()
}

/// What a flow's transport is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TransportName {
    /// One of the engine's.
    BuiltIn(Transport),
    /// TCP with a congestion control from outside, by the name it was given.
    External(String),
}

measured! {
    /// One node.
    pub struct NodeResult of "node" {
        /// Number.
        id: u32 = Metric::other(Label, "node");
        /// Time-weighted mean length of the interface queue.
        queue_mean: f64 = Metric::sample("packets", "mean queue");
        /// Greatest length of the interface queue.
        queue_max: u32 = Metric::sample("packets", "longest queue");
        /// RTS frames sent, repetitions included.
        rts_sent: u64 = Metric::sample("", "RTS sent");
        /// Data frames sent, repetitions included.
        data_sent: u64 = Metric::sample("", "data frames sent");
        /// Data frames to single stations by rate in Mbit/s, repetitions included, where a rate control chooses it.
        data_rates: BTreeMap<&'static str, u64> = Metric::other(Counts, "data frames by rate");
        /// Mean rate of those frames.
        data_rate_mbps: Option<f64> = Metric::sample("Mbit/s", "mean data rate");
        /// Packets the MAC took on.
        mac_packets: u64 = Metric::sample("packets", "packets at the MAC");
        /// Exchanges tried again.
        mac_retries: u64 = Metric::sample("", "MAC retries");
        /// Packets given up at a retry limit.
        mac_retry_drops: u64 = Metric::sample("packets", "MAC retry drops");
        /// Packets that found the interface queue full.
        queue_drops: u64 = Metric::sample("packets", "queue drops");
        /// Packets that the link layer dropped to signal congestion.
        early_drops: u64 = Metric::sample("packets", "early drops");
        /// Marks of congestion experienced that the link layer set: two for a packet that was marked on arrival and again at
        /// the head of the queue.
        ecn_marks: u64 = Metric::sample("", "ECN marks");
        /// The same by the part of the layer.
        marks: BTreeMap<&'static str, u64> = Metric::other(Counts, "marks");
        /// All drops by reason.
        drops: BTreeMap<&'static str, u64> = Metric::other(Counts, "drops");
        /// Drops of packets with data (TCP's ACKs and routing messages left out) by reason.
        data_drops: BTreeMap<&'static str, u64> = Metric::other(Counts, "data drops");
        /// Time on the air.
        airtime_s: f64 = Metric::sample("s", "time on the air");
    }
}

measured! {
    /// One direction of a wire.
    pub struct WireResult of "wire" {
        /// Number: twice that of the wire, plus 1 for the way from its second node to its first.
        id: u32 = Metric::other(Label, "direction");
        /// Sending node.
        from: u32 = Metric::other(Label, "from");
        /// Receiving node.
        to: u32 = Metric::other(Label, "to");
        /// Bits sent over those that the rate allows.
        use_pct: f64 = Metric::sample("%", "use");
        /// Packets sent.
        sent_packets: u64 = Metric::sample("packets", "sent");
        /// Bytes sent, network headers included.
        sent_bytes: u64 = Metric::sample("bytes", "sent");
        /// Packets lost on the way.
        lost_packets: u64 = Metric::sample("packets", "lost on the way");
        /// Packets that its queue, or what stands before it, dropped.
        dropped_packets: u64 = Metric::sample("packets", "dropped");
        /// Time-weighted mean length of its queue, the packet being sent left out.
        queue_mean: f64 = Metric::sample("packets", "mean queue");
        /// Greatest length of its queue.
        queue_max: u32 = Metric::sample("packets", "longest queue");
    }
}

measured! {
    /// The network as a whole.
    pub struct NetworkResult of "network" {
        /// Sum of throughputs.
        aggregate_kbps: f64 = Metric::sample("kbit/s", "throughput of all flows").shown(Report);
        /// Jain's fairness index of the throughputs: (sum x)^2 / (n sum x^2).
        jain: f64 = Metric::sample("", "Jain index").shown(Report).applies(Several);
        /// Sum of the throughputs up to the completion of the flow that is first.
        shared_kbps: f64 = Metric::sample("kbit/s", "throughput while all are active");
        /// Jain's index of them.
        shared_jain: Option<f64> = Metric::sample("", "Jain index while all are active");
        /// Their max-min index: the farthest from an equal share, in equal shares.
        shared_max_min: Option<f64> = Metric::sample("", "max-min index while all are active");
        /// Mean of Jain's index over the intervals of the series `fairness`.
        jain_interval: Option<f64> = Metric::sample("", "Jain index of intervals");
        /// Packets given up at a MAC retry limit.
        mac_retry_drops: u64 = Metric::sample("", "MAC retry drops").shown(Report);
        /// Packets with data lost at a MAC retry limit; TCP's ACKs and routing messages are left out.
        data_retry_drops: u64 = Metric::sample("packets", "MAC retry drops of data");
        /// Packets that found an interface queue full.
        queue_drops: u64 = Metric::sample("", "queue drops").shown(Report);
        /// Packets with data that found an interface queue full.
        data_queue_drops: u64 = Metric::sample("packets", "queue drops of data");
        /// MAC retry drops over packets that MACs took on.
        link_drop_probability: f64 = Metric::sample("", "link drop probability").shown(Report);
        /// Packets that MACs took on.
        mac_packets: u64 = Metric::sample("packets", "packets at MACs");
        /// Routing messages sent, each hop counted.
        routing_packets: u64 = Metric::sample("", "routing messages");
        /// Bytes of routing messages sent, network headers included.
        routing_bytes: u64 = Metric::sample("bytes", "routing messages");
        /// Routing messages sent by kind.
        routing_kinds: BTreeMap<&'static str, u64> = Metric::other(Counts, "routing messages");
        /// Times that a node took a route into use or lost one.
        route_changes: u64 = Metric::sample("", "route changes");
        /// Searches for a route that found one.
        discoveries: u64 = Metric::sample("", "discoveries");
        /// Mean time of those searches.
        discovery_ms: Option<f64> = Metric::sample("ms", "time of a discovery");
        /// Searches that were given up.
        failed_discoveries: u64 = Metric::sample("", "failed discoveries");
        /// Times that a node took a neighbour for gone.
        link_failures: u64 = Metric::sample("", "link failures");
        /// The part of them in which the neighbour was in range.
        false_link_failures: u64 = Metric::sample("", "false link failures");
        /// Mean hops that the copies of data packets received have taken; only with `path_lengths`.
        mean_hops: Option<f64> = Metric::sample("hops", "hops taken");
        /// What they took beyond the shortest path by radio at their arrival, on average; only with `path_lengths`.
        extra_hops: Option<f64> = Metric::sample("hops", "hops beyond the shortest path");
        /// Share of all time on the air that frames with segments without data took in attempts that got them across; their RTS, CTS
        /// and MAC ACKs left out. Only where the airtime ledger is kept.
        ack_airtime_pct: Option<f64> = Metric::sample("%", "airtime of ACKs");
    }
}

measured! {
    /// The flows of one group.
    pub struct GroupResult of "group" {
        /// Their numbers.
        flows: Vec<u32> = Metric::other(Label, "flows");
        /// Sum of their throughputs.
        aggregate_kbps: f64 = Metric::sample("kbit/s", "throughput of the group");
        /// Jain's fairness index among them.
        jain: f64 = Metric::sample("", "Jain index");
        /// Mean of their one-way delays, each copy received counting once.
        delay_ms: Option<f64> = Metric::sample("ms", "delay");
        /// The delay that 95 % of all their copies received do not exceed, to 0.4 %.
        delay_p95_ms: Option<f64> = Metric::sample("ms", "95th percentile of the delay").short("delay p95");
        /// The delay that 99 % of all their copies received do not exceed, to 0.4 %.
        delay_p99_ms: Option<f64> = Metric::sample("ms", "99th percentile of the delay").short("delay p99");
        /// Mean of the mean opinion scores of those that are speech.
        mos: Option<f64> = Metric::sample("", "mean opinion score").short("MOS");
        /// Share of their copies lost among those received or lost.
        loss_pct: Option<f64> = Metric::sample("%", "loss");
        /// Mean of their shares of starved time.
        starved_pct: Option<f64> = Metric::sample("%", "starved");
    }
}

/// Work done.
#[derive(Debug, Clone, Serialize)]
pub struct EngineResult {
    /// Queue events handled.
    pub events: u64,
    /// Radio edges applied: start and end of each frame at each hearer, which need no queue entry.
    pub edges: u64,
    /// Frames sent.
    pub frames: u64,
    /// Wall-clock seconds; filled in by the caller, the engine has no clock.
    pub wall_s: f64,
}

pub(crate) fn collect<R: Recorder>(config: &Config, world: &mut World<(Meter, R)>) -> RunResult {
    let now = world.now();
    world.observe(|(meter, _), now, view| meter.close(now, view));
    let start = world.recorder().0.start();
    let wires = world.wires().enumerate().map(|(n, end)| wire_result(n as u32, end, start, now)).collect();
    let meter = &world.recorder().0;
    let nodes: Vec<_> = (0..world.nodes() as u32).map(|n| node_result(meter, NodeId(n))).collect();
    let flows: Vec<_> =
        world.flows().iter().enumerate().map(|(n, flow)| flow_result(config, n, flow, meter, now)).collect();
    let paths = meter.flows.iter().fold(PathLengths::default(), |sum, flow| sum.and(&flow.paths));
    RunResult {
        seed: config.seed,
        network: network_result(&flows, &nodes, (&meter.routing, paths), meter.fairness.mean()),
        groups: groups::groups(config, &flows, meter),
        links: tables::links(meter),
        series: tables::series(config, meter),
        distributions: if config.distributions { tables::distributions(meter) } else { BTreeMap::new() },
        ledger: None,
        engine: EngineResult { events: world.events(), edges: world.edges(), frames: world.frames(), wall_s: 0.0 },
        flows,
        nodes,
        wires,
    }
}

fn flow_result(config: &Config, number: usize, flow: &Flow, meter: &Meter, now: Time) -> FlowResult {
    let measured = now.saturating_since(meter.start());
    let route = meter.routes.of(FlowId(number as u32));
    let (starved_pct, outage) = (meter.starvation[number].pct(now), meter.starvation[number].longest_outage(now));
    let (shared_end, shared_bytes) = meter.shared(FlowId(number as u32), now);
    let since = config.flows[number].start.max(meter.start());
    let over = |bytes: u64, end: Time| {
        let span = end.saturating_since(since);
        (span > Span::ZERO).then(|| bytes as f64 * 8.0 / span.as_secs() / 1e3)
    };
    let [before, after] = [&meter.before, &meter.after].map(|counted| counted.sender(FlowId(number as u32)));
    let counted = |count: fn(&SenderStats) -> u64| count(&after) - count(&before);
    let outcomes = meter.outcomes(FlowId(number as u32));
    let (repairs, meter) = (&meter.repairs, &meter.flows[number]);
    let r_factor = speech(&config.flows[number])
        .and_then(|(codec, packet_ms)| voice::rating(codec, packet_ms, outcomes.decided(), &meter.delays));
    let kbps = |bytes: u64| {
        if measured == Span::ZERO { 0.0 } else { bytes as f64 * 8.0 / measured.as_secs() / 1e3 }
    };
    let start = config.flows[number].start;
    let since_start = |at: Option<Time>| at.map(|t| t.saturating_since(start).as_secs());
    FlowResult {
        id: number as u32,
        from: flow.from.0,
        to: flow.to.0,
        reply_to: flow.reply_to.map(|flow| flow.0),
        transport: match config.flows[number].external() {
            Some(control) => TransportName::External(control.name.clone()),
            None => TransportName::BuiltIn(config.flows[number].reported_as()),
        },
        hops: flow.hops,
        mean_hops: meter.paths.mean_hops(),
        extra_hops: meter.paths.extra_hops(),
        throughput_kbps: kbps(meter.delivered_bytes),
        goodput_kbps: kbps(meter.first_copy_bytes.min(meter.delivered_bytes)),
        overall_kbps: over(meter.copy_bytes, meter.completed.unwrap_or(now)),
        shared_kbps: over(shared_bytes, shared_end),
        delay_ms: meter.delay_ms(),
        delay_p50_ms: meter.delays.percentile_ms(50.0),
        delay_p95_ms: meter.delays.percentile_ms(95.0),
        delay_p99_ms: meter.delays.percentile_ms(99.0),
        gap_p50_ms: meter.gaps.percentile_ms(50.0),
        gap_p95_ms: meter.gaps.percentile_ms(95.0),
        gap_p99_ms: meter.gaps.percentile_ms(99.0),
        longest_outage_s: outage.map(Span::as_secs),
        r_factor,
        mos: r_factor.map(voice::mos),
        jitter_ms: meter.jitter_ms(),
        jitter_rfc3550_ms: meter.rfc_jitter_ms(),
        loss_pct: outcomes.loss_pct(),
        retransmission_index_pct: meter.retransmission_index_pct(),
        mean_cwnd: meter.mean_cwnd(),
        window_limited_pct: config.flows[number]
            .transport
            .is_tcp()
            .then(|| meter.share_at(config.flows[number].max_window))
            .flatten()
            .map(|share| 100.0 * share),
        timeouts: counted(|stats| stats.timeouts + stats.syn_retransmissions),
        fast_retransmits: counted(|stats| stats.fast_retransmits),
        spurious_timeouts: repairs.spurious_timeouts(FlowId(number as u32)),
        undone_timeouts: counted(|stats| stats.spurious_timeouts),
        undone_recoveries: counted(|stats| stats.undone_recoveries),
        needless_retransmissions: repairs.needless_retransmissions(FlowId(number as u32)),
        tail_loss_probes: counted(|stats| stats.probes),
        received_packets: meter.received,
        sent_packets: meter.sent,
        lost_packets: outcomes.lost,
        in_flight: outcomes.in_flight,
        retransmitted_packets: meter.retransmitted,
        acks_sent: meter.acks,
        acks_per_packet: (meter.received > 0 && config.flows[number].transport.is_tcp())
            .then(|| meter.acks as f64 / meter.received as f64),
        mean_ack_window: meter.ack_window.mean(),
        mean_burst: meter.departures.mean_burst(),
        burstiness: meter.departures.burstiness(),
        received_bytes: meter.delivered_bytes,
        duplicate_packets: meter.duplicates,
        mean_rtt_ms: meter.mean_rtt_ms(),
        completion_s: since_start(meter.completed),
        first_delivery_s: since_start(meter.first_delivery),
        no_route_share_pct: route.without_pct(now),
        route_changes: route.changes,
        starved_pct,
        cwnd_share: meter.cwnd_share().map(|(w, share)| (w.to_string(), share)).collect(),
        note: notes::note(config, &config.flows[number], flow, meter, route.without_pct(now)),
    }
}

/// The codec of a flow of speech, and the milliseconds of it in a packet.
fn speech(flow: &FlowConfig) -> Option<(Codec, f64)> {
    match flow.app {
        App::OnOff { rate, codec: Some(codec), .. } => Some((codec, 8e3 * f64::from(flow.packet) / rate)),
        _ => None,
    }
}

fn node_result(meter: &Meter, node: NodeId) -> NodeResult {
    let [before, after] = [&meter.before, &meter.after].map(|counted| counted.node(node));
    let (old, now) = (before.attempts, after.attempts);
    let rates = after.rates.since(before.rates);
    let drops = &meter.drops[node.index()];
    let marks = meter.marks.get(node.index()).copied().unwrap_or_default();
    NodeResult {
        id: node.0,
        queue_mean: after.queue_mean,
        queue_max: after.queue_max,
        rts_sent: now.rts - old.rts,
        data_sent: now.data - old.data,
        data_rates: rates.by_name(),
        data_rate_mbps: rates.mean(),
        mac_packets: now.packets - old.packets,
        mac_retries: now.retries - old.retries,
        mac_retry_drops: now.retry_drops - old.retry_drops,
        queue_drops: drops[DropReason::QueueFull as usize],
        early_drops: DropReason::EARLY.iter().map(|&reason| drops[reason as usize]).sum(),
        ecn_marks: marks.iter().sum(),
        marks: LinkPart::ALL.iter().zip(marks).filter(|(_, n)| *n > 0).map(|(part, n)| (part.word(), n)).collect(),
        drops: by_reason(drops),
        data_drops: by_reason(&meter.data_drops[node.index()]),
        airtime_s: (after.airtime - before.airtime).as_secs(),
    }
}

fn wire_result(id: u32, end: &mut WireEnd, start: Time, now: Time) -> WireResult {
    let (queue_mean, queue_max) = end.port.queue.occupancy(start, now);
    let allowed = end.rate() as f64 * now.saturating_since(start).as_secs();
    let Sent { packets, bytes, lost, dropped } = end.sent;
    WireResult {
        id,
        from: end.node.0,
        to: end.peer.0,
        use_pct: if allowed > 0.0 { 100.0 * 8.0 * bytes as f64 / allowed } else { 0.0 },
        sent_packets: packets,
        sent_bytes: bytes,
        lost_packets: lost,
        dropped_packets: dropped,
        queue_mean,
        queue_max,
    }
}

fn by_reason(drops: &[u64; DropReason::COUNT]) -> BTreeMap<&'static str, u64> {
    DropReason::ALL.iter().map(|&r| (r.name(), drops[r as usize])).filter(|(_, n)| *n > 0).collect()
}

fn network_result(
    flows: &[FlowResult],
    nodes: &[NodeResult],
    (routing, paths): (&RoutingMeter, PathLengths),
    jain_interval: Option<f64>,
) -> NetworkResult {
    let sum: f64 = flows.iter().map(|f| f.throughput_kbps).sum();
    let of_data = |reason: DropReason| nodes.iter().filter_map(|n| n.data_drops.get(reason.name())).sum();
    let mac_packets: u64 = nodes.iter().map(|n| n.mac_packets).sum();
    let mac_retry_drops: u64 = nodes.iter().map(|n| n.mac_retry_drops).sum();
    NetworkResult {
        aggregate_kbps: sum,
        jain: jain_of(flows.iter()),
        shared_kbps: flows.iter().filter_map(|f| f.shared_kbps).sum(),
        shared_jain: jain(flows.iter().filter_map(|f| f.shared_kbps)),
        shared_max_min: max_min(flows.iter().filter_map(|f| f.shared_kbps)),
        jain_interval,
        mac_retry_drops,
        data_retry_drops: of_data(DropReason::RetryLimit),
        queue_drops: nodes.iter().map(|n| n.queue_drops).sum(),
        data_queue_drops: of_data(DropReason::QueueFull),
        link_drop_probability: if mac_packets > 0 {
            (mac_retry_drops as f64 / mac_packets as f64).min(1.0)
        } else {
            0.0
        },
        mac_packets,
        routing_packets: routing.kinds.values().sum(),
        routing_bytes: routing.bytes,
        routing_kinds: routing.kinds.clone(),
        route_changes: routing.changes,
        discoveries: routing.discoveries,
        discovery_ms: (routing.discoveries > 0).then(|| routing.discovery_ns as f64 / routing.discoveries as f64 / 1e6),
        failed_discoveries: routing.failed_discoveries,
        link_failures: routing.link_failures,
        false_link_failures: routing.false_link_failures,
        mean_hops: paths.mean_hops(),
        extra_hops: paths.extra_hops(),
        ack_airtime_pct: None,
    }
}

/// Jain's index of the throughputs; 1 when nothing was carried.
fn jain_of<'a>(flows: impl Iterator<Item = &'a FlowResult>) -> f64 {
    jain(flows.map(|f| f.throughput_kbps)).unwrap_or(1.0)
}
