//! Results of a run as plain data, in the units and under the names that users read.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::link::LinkPart;
use crate::config::{Config, SeriesKind, Transport};
use crate::ids::{FlowId, NodeId};
use crate::ledger::LedgerResult;
use crate::mac::dcf::Attempts;
use crate::metrics::{FlowMeter, Meter, RoutingMeter, jain, loss_pct};
use crate::record::{DropReason, Recorder};
use crate::transport::tcp::{SenderStats, TcpSender};
use crate::units::{Span, Time};
use crate::world::World;
use crate::world::flow::Flow;

/// One run.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// Seed.
    pub seed: u64,
    /// One entry per flow.
    pub flows: Vec<FlowResult>,
    /// One entry per node.
    pub nodes: Vec<NodeResult>,
    /// The network as a whole.
    pub network: NetworkResult,
    /// Flows of one group added up, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, GroupResult>,
    /// Series asked for, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<&'static str, SeriesResult>,
    /// What an airtime ledger says ([`crate::ledger::Ledger::result`]), where the caller kept one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerResult>,
    /// Work done.
    pub engine: EngineResult,
}

/// One flow. `None` means that there was no sample.
#[derive(Debug, Clone, Serialize)]
pub struct FlowResult {
    /// Number.
    pub id: u32,
    /// Sending node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// The flow that this one replies to, over the same connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u32>,
    /// Transport protocol.
    pub transport: TransportName,
    /// Hops under static routing.
    pub hops: u32,
    /// Payload handed up, duplicates excluded, over the measured time.
    pub throughput_kbps: f64,
    /// The part of it that came in copies sent for the first time.
    pub goodput_kbps: f64,
    /// Mean one-way delay of received copies.
    pub delay_ms: Option<f64>,
    /// Mean difference of consecutive delays (afrakhteh2005).
    pub jitter_ms: Option<f64>,
    /// Interarrival jitter (RFC 3550).
    pub jitter_rfc3550_ms: Option<f64>,
    /// Copies sent that did not arrive.
    pub loss_pct: Option<f64>,
    /// Retransmissions over non-duplicate copies received (anastasi2006).
    pub retransmission_index_pct: Option<f64>,
    /// Time-weighted mean of min(cwnd, max_window), segments.
    pub mean_cwnd: Option<f64>,
    /// Retransmission timeouts, those of the SYN included.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Timeouts that F-RTO found needless and undid (RFC 5682).
    pub spurious_timeouts: u64,
    /// Tail-loss probes (RFC 8985 7).
    pub tail_loss_probes: u64,
    /// Copies received.
    pub received_packets: u64,
    /// Copies sent.
    pub sent_packets: u64,
    /// Copies sent again.
    pub retransmitted_packets: u64,
    /// Payload bytes handed up.
    pub received_bytes: u64,
    /// Copies received again.
    pub duplicate_packets: u64,
    /// Mean round-trip time of timed segments.
    pub mean_rtt_ms: Option<f64>,
    /// From the flow's start to everything carried.
    pub completion_s: Option<f64>,
    /// From the flow's start to the first payload handed up.
    pub first_delivery_s: Option<f64>,
    /// Share of the flow's time in which its source had no route to its destination, per cent.
    pub no_route_share_pct: Option<f64>,
    /// Times that the source took a route to the destination into use, changed its next hop, or lost it.
    pub route_changes: u64,
    /// Share of the flow's time in which nothing of it had arrived for longer than `starved_after`.
    pub starved_pct: Option<f64>,
    /// Share of time at each whole window size.
    pub cwnd_share: BTreeMap<String, f64>,
    /// Why nothing was carried.
    pub note: Option<String>,
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

/// One node.
#[derive(Debug, Clone, Serialize)]
pub struct NodeResult {
    /// Number.
    pub id: u32,
    /// Mean interface-queue length, packets.
    pub queue_mean: f64,
    /// Greatest interface-queue length, packets.
    pub queue_max: u32,
    /// RTS frames sent.
    pub rts_sent: u64,
    /// Data frames sent.
    pub data_sent: u64,
    /// Packets the MAC took on.
    pub mac_packets: u64,
    /// Exchanges tried again.
    pub mac_retries: u64,
    /// Packets given up at a retry limit.
    pub mac_retry_drops: u64,
    /// Packets that found the interface queue full.
    pub queue_drops: u64,
    /// Packets that the link layer dropped to signal congestion.
    pub early_drops: u64,
    /// Marks of congestion experienced that the link layer set: two for a packet that was marked on arrival and again at
    /// the head of the queue.
    pub ecn_marks: u64,
    /// The same by the part of the layer.
    pub marks: BTreeMap<&'static str, u64>,
    /// All drops by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Time on the air, seconds.
    pub airtime_s: f64,
}

/// The network as a whole.
#[derive(Debug, Clone, Serialize)]
pub struct NetworkResult {
    /// Sum of throughputs.
    pub aggregate_kbps: f64,
    /// Jain's fairness index of the throughputs: (sum x)^2 / (n sum x^2).
    pub jain: f64,
    /// Mean of Jain's index over the intervals of the series `fairness`.
    pub jain_interval: Option<f64>,
    /// Packets given up at a MAC retry limit.
    pub mac_retry_drops: u64,
    /// Packets that found an interface queue full.
    pub queue_drops: u64,
    /// MAC retry drops over packets that MACs took on.
    pub link_drop_probability: f64,
    /// Packets that MACs took on.
    pub mac_packets: u64,
    /// Routing messages sent, each hop counted.
    pub routing_packets: u64,
    /// Bytes of routing messages sent, network headers included.
    pub routing_bytes: u64,
    /// Routing messages sent by kind.
    pub routing_kinds: BTreeMap<&'static str, u64>,
    /// Times that a node took a route into use or lost one.
    pub route_changes: u64,
    /// Searches for a route that found one.
    pub discoveries: u64,
    /// Mean time of those searches.
    pub discovery_ms: Option<f64>,
    /// Searches that were given up.
    pub failed_discoveries: u64,
    /// Times that a node took a neighbour for gone.
    pub link_failures: u64,
    /// The part of them in which the neighbour was in range.
    pub false_link_failures: u64,
}

/// The flows of one group.
#[derive(Debug, Clone, Serialize)]
pub struct GroupResult {
    /// Their numbers.
    pub flows: Vec<u32>,
    /// Sum of their throughputs.
    pub aggregate_kbps: f64,
    /// Jain's fairness index among them.
    pub jain: f64,
    /// Mean of their one-way delays, each copy received counting once.
    pub delay_ms: Option<f64>,
    /// Share of their copies sent that did not arrive.
    pub loss_pct: Option<f64>,
    /// Mean of their shares of starved time.
    pub starved_pct: Option<f64>,
}

/// A time series.
#[derive(Debug, Clone, Serialize)]
pub struct SeriesResult {
    /// Flow numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<Vec<u32>>,
    /// Node numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<Vec<u32>>,
    /// Instants, seconds.
    pub t_s: Vec<f64>,
    /// Values.
    pub value: Vec<f64>,
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

/// Counters of the machines at the start of the measured time.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    attempts: Vec<Attempts>,
    airtime: Vec<Span>,
    senders: Vec<Option<SenderStats>>,
}

impl Baseline {
    /// The counters as they stand now.
    pub(crate) fn of<R: Recorder>(world: &World<R>) -> Self {
        let nodes = || (0..world.nodes() as u32).map(NodeId);
        Baseline {
            attempts: nodes().map(|node| *world.attempts(node)).collect(),
            airtime: nodes().map(|node| world.airtime(node)).collect(),
            senders: world.flows().iter().map(|flow| world.sender(flow).map(|sender| *sender.stats())).collect(),
        }
    }
}

pub(crate) fn collect<R: Recorder>(config: &Config, world: &mut World<(Meter, R)>, baseline: &Baseline) -> RunResult {
    let now = world.now();
    world.observe(|(meter, _), now, _| meter.close(now));
    let start = world.recorder().0.start();
    let nodes: Vec<NodeResult> = (0..world.nodes()).map(|n| node_result(world, baseline, n, start)).collect();
    let meter = &world.recorder().0;
    let flows: Vec<FlowResult> = world
        .flows()
        .iter()
        .enumerate()
        .map(|(n, flow)| flow_result(config, n, (flow, world.sender(flow)), meter, baseline, now))
        .collect();
    RunResult {
        seed: config.seed,
        network: network_result(&flows, &nodes, &meter.routing, meter.fairness.mean()),
        groups: groups(config, &flows),
        series: series_results(config, meter),
        ledger: None,
        engine: EngineResult { events: world.events(), edges: world.edges(), frames: world.frames(), wall_s: 0.0 },
        flows,
        nodes,
    }
}

fn flow_result(
    config: &Config,
    number: usize,
    (flow, sender): (&Flow, Option<&TcpSender>),
    meter: &Meter,
    baseline: &Baseline,
    now: Time,
) -> FlowResult {
    let measured = now.saturating_since(meter.start());
    let route = meter.routes.of(FlowId(number as u32));
    let starved_pct = meter.starvation[number].pct(now);
    let meter = &meter.flows[number];
    let kbps = |bytes: u64| {
        if measured == Span::ZERO { 0.0 } else { bytes as f64 * 8.0 / measured.as_secs() / 1e3 }
    };
    let start = config.flows[number].start;
    let since_start = |at: Option<Time>| at.map(|t| t.saturating_since(start).as_secs());
    let before = baseline.senders.get(number).copied().flatten().unwrap_or_default();
    let counted = |count: fn(&SenderStats) -> u64| sender.map_or(0, |sender| count(sender.stats()) - count(&before));
    FlowResult {
        id: number as u32,
        from: flow.from.0,
        to: flow.to.0,
        reply_to: flow.reply_to.map(|flow| flow.0),
        transport: match config.flows[number].external() {
            Some(control) => TransportName::External(control.name.clone()),
            None => TransportName::BuiltIn(config.flows[number].told_as()),
        },
        hops: flow.hops,
        throughput_kbps: kbps(meter.delivered_bytes),
        goodput_kbps: kbps(meter.first_copy_bytes.min(meter.delivered_bytes)),
        delay_ms: meter.delay_ms(),
        jitter_ms: meter.jitter_ms(),
        jitter_rfc3550_ms: meter.rfc_jitter_ms(),
        loss_pct: meter.loss_pct(),
        retransmission_index_pct: meter.retransmission_index_pct(),
        mean_cwnd: meter.mean_cwnd(),
        timeouts: counted(|stats| stats.timeouts + stats.syn_retransmissions),
        fast_retransmits: counted(|stats| stats.fast_retransmits),
        spurious_timeouts: counted(|stats| stats.spurious_timeouts),
        tail_loss_probes: counted(|stats| stats.probes),
        received_packets: meter.received,
        sent_packets: meter.sent,
        retransmitted_packets: meter.retransmitted,
        received_bytes: meter.delivered_bytes,
        duplicate_packets: meter.duplicates,
        mean_rtt_ms: meter.mean_rtt_ms(),
        completion_s: since_start(meter.completed),
        first_delivery_s: since_start(meter.first_delivery),
        no_route_share_pct: route.without_pct(now),
        route_changes: route.changes,
        starved_pct,
        cwnd_share: meter.cwnd_share().map(|(w, share)| (w.to_string(), share)).collect(),
        note: note(config, flow, meter, route.without_pct(now)),
    }
}

/// What keeps a flow's figures from speaking for themselves: why it carried nothing, and outages of its ends.
fn note(config: &Config, flow: &Flow, meter: &FlowMeter, without_route_pct: Option<f64>) -> Option<String> {
    let nothing = (meter.delivered_bytes == 0).then(|| why_nothing(flow, meter.sent, without_route_pct));
    let off = config.outages.iter().filter(|o| o.from < config.duration && o.to.is_none_or(|to| to > config.warmup));
    let ends = off.filter_map(|o| {
        let end = (o.node == flow.from.0).then_some("source").or((o.node == flow.to.0).then_some("destination"))?;
        Some(o.note(end))
    });
    let notes: Vec<String> = nothing.into_iter().chain(ends).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Why nothing of `sent` packets was delivered.
fn why_nothing(flow: &Flow, sent: u64, without_route_pct: Option<f64>) -> String {
    let what = match sent {
        0 => return "nothing was sent in the measured time".to_string(),
        1 => "1 packet was".to_string(),
        several => format!("{several} packets were"),
    };
    let why = match without_route_pct {
        _ if flow.hops == 0 => ": no chain of neighbours joins the two nodes".to_string(),
        Some(share) if share > 0.0 => format!("; the source had no route for {share:.0} % of the time"),
        _ => String::new(),
    };
    format!("{what} sent, none was delivered in order{why}")
}

fn node_result<R: Recorder>(
    world: &mut World<(Meter, R)>,
    baseline: &Baseline,
    number: usize,
    start: Time,
) -> NodeResult {
    let node = NodeId(number as u32);
    let (queue_mean, queue_max) = world.queue_occupancy(node, start);
    let now = *world.attempts(node);
    let airtime = world.airtime(node) - baseline.airtime.get(number).copied().unwrap_or_default();
    let before = baseline.attempts.get(number).copied().unwrap_or_default();
    let meter = &world.recorder().0;
    let drops = &meter.drops[number];
    let marks = meter.marks.get(number).copied().unwrap_or_default();
    NodeResult {
        id: node.0,
        queue_mean,
        queue_max,
        rts_sent: now.rts - before.rts,
        data_sent: now.data - before.data,
        mac_packets: now.packets - before.packets,
        mac_retries: now.retries - before.retries,
        mac_retry_drops: now.given_up - before.given_up,
        queue_drops: drops[DropReason::QueueFull as usize],
        early_drops: DropReason::EARLY.iter().map(|&reason| drops[reason as usize]).sum(),
        ecn_marks: marks.iter().sum(),
        marks: LinkPart::ALL.iter().zip(marks).filter(|(_, n)| *n > 0).map(|(part, n)| (part.word(), n)).collect(),
        drops: DropReason::ALL.iter().map(|&r| (r.name(), drops[r as usize])).filter(|(_, n)| *n > 0).collect(),
        airtime_s: airtime.as_secs(),
    }
}

fn network_result(
    flows: &[FlowResult],
    nodes: &[NodeResult],
    routing: &RoutingMeter,
    jain_interval: Option<f64>,
) -> NetworkResult {
    let sum: f64 = flows.iter().map(|f| f.throughput_kbps).sum();
    let mac_packets: u64 = nodes.iter().map(|n| n.mac_packets).sum();
    let mac_retry_drops: u64 = nodes.iter().map(|n| n.mac_retry_drops).sum();
    NetworkResult {
        aggregate_kbps: sum,
        jain: jain_of(flows.iter()),
        jain_interval,
        mac_retry_drops,
        queue_drops: nodes.iter().map(|n| n.queue_drops).sum(),
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
    }
}

/// Jain's index of the throughputs; 1 when nothing was carried.
fn jain_of<'a>(flows: impl Iterator<Item = &'a FlowResult>) -> f64 {
    jain(flows.map(|f| f.throughput_kbps)).unwrap_or(1.0)
}

fn groups(config: &Config, flows: &[FlowResult]) -> BTreeMap<String, GroupResult> {
    let mut members: BTreeMap<&str, Vec<&FlowResult>> = BTreeMap::new();
    for (flow, result) in config.flows.iter().zip(flows) {
        if let Some(group) = &flow.group {
            members.entry(group).or_default().push(result);
        }
    }
    members.into_iter().map(|(name, flows)| (name.to_string(), group_result(&flows))).collect()
}

fn group_result(flows: &[&FlowResult]) -> GroupResult {
    let received: u64 = flows.iter().map(|f| f.received_packets).sum();
    let sent: u64 = flows.iter().map(|f| f.sent_packets).sum();
    let waited: f64 = flows.iter().filter_map(|f| Some(f.delay_ms? * f.received_packets as f64)).sum();
    let starved: Vec<f64> = flows.iter().filter_map(|f| f.starved_pct).collect();
    GroupResult {
        flows: flows.iter().map(|f| f.id).collect(),
        aggregate_kbps: flows.iter().map(|f| f.throughput_kbps).sum(),
        jain: jain_of(flows.iter().copied()),
        delay_ms: (received > 0).then(|| waited / received as f64),
        loss_pct: loss_pct(sent, received),
        starved_pct: (!starved.is_empty()).then(|| starved.iter().sum::<f64>() / starved.len() as f64),
    }
}

fn series_results(config: &Config, meter: &Meter) -> BTreeMap<&'static str, SeriesResult> {
    config
        .series
        .keep
        .iter()
        .filter_map(|&kind| {
            let series = meter.series(kind)?;
            let owner = || Some(series.owner.clone());
            let (flow, node) = match kind {
                SeriesKind::Cwnd | SeriesKind::Rtt | SeriesKind::Throughput | SeriesKind::Route => (owner(), None),
                SeriesKind::Queue => (None, owner()),
                SeriesKind::Fairness => (None, None),
            };
            let t_s = series.time.iter().map(|t| t.as_secs()).collect();
            Some((kind.word(), SeriesResult { flow, node, t_s, value: series.value.clone() }))
        })
        .collect()
}
