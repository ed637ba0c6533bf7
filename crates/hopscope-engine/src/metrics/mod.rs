//! The meter: a recorder that turns records into the metrics of a run.
//!
//! Definitions: throughput counts payload handed up in order, duplicates excluded; goodput leaves out what came in
//! retransmitted copies; delay runs per copy from the sending to the receiving transport; jitter is the mean of |d(i+1) - d(i)|
//! over received copies (afrakhteh2005 3.2.2) and the smoothed form of RFC 3550 A.8; loss is the share
//! of copies lost among those whose outcome is known at the end; the retransmission index is retransmissions over non-duplicate copies received (anastasi2006).

mod counters;
mod outcomes;
mod paths;
mod repairs;
mod routes;
pub mod series;
mod sharing;
mod sketch;
mod spread;
pub mod table;
pub mod voice;

use std::collections::BTreeMap;

use crate::config::{App, Config, FlowConfig, SeriesKind, Transport};
use crate::record::{Classes, DropReason, NetworkView, Record, Recorder};
use hopscope_core::ids::{FlowId, NodeId};
use hopscope_core::units::{Span, Time};
use hopscope_net::config::link::LinkPart;
use hopscope_net::routing::RoutingNote;
use hopscope_packet::dccp::ResetCode;

pub use counters::CounterSnapshot;
use counters::marks;
pub use outcomes::Outcomes;
pub use paths::PathLengths;
pub use repairs::SpuriousRetransmissions;
pub use routes::{FlowRoute, FlowRoutes};
pub use series::Series;
pub use sharing::{Fairness, Starvation, jain, max_min};
pub use sketch::{Bucket, Sketch};
pub use spread::{Departures, Level};

/// Largest window that has its own entry in the distribution; larger ones count there.
const CWND_CLASSES: usize = 1024;

/// What was measured of one flow. The first two cache lines hold what every packet changes: in a field of many flows, other
/// flows take the cache between two of its packets.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct FlowMeter {
    /// Copies of data packets sent, SYN included.
    pub sent: u64,
    /// Copies that repeat data sent before.
    pub retransmitted: u64,
    /// Segments without data that either end sent for it.
    pub acks: u64,
    /// Copies received.
    pub received: u64,
    /// Copies received that repeat data received before.
    pub duplicates: u64,
    /// Payload bytes handed up.
    pub delivered_bytes: u64,
    /// Payload bytes that came in copies sent for the first time.
    pub first_copy_bytes: u64,
    /// Payload bytes of all copies received.
    pub copy_bytes: u64,
    delay_ns: u128,
    jitter_ns: u128,
    last_delay: Option<Span>,
    /// Interarrival jitter of RFC 3550, nanoseconds.
    rfc_jitter: f64,
    interval_bytes: u64,
    /// Payload handed up from which on something is to be noted: the first, or all of a file over UDP.
    milestone: u64,
    /// Payload of a file over UDP, whose sender does not hear of its arrival; never reached by other flows.
    whole: u64,
    /// First payload handed up.
    pub first_delivery: Option<Time>,
    /// Everything carried.
    pub completed: Option<Time>,
    /// Why its connection ended with an error; the first reason reported.
    pub reset: Option<ResetCode>,
    rtt_ns: u128,
    rtt_samples: u64,
    cwnd: f64,
    cwnd_since: Time,
    cwnd_area: f64,
    cwnd_share: Vec<u64>,
    /// When its data segments left.
    pub departures: Departures,
    /// Segments that its receiver wants one ACK to stand for.
    pub ack_window: Level,
    last_arrival: Option<Time>,
    /// Delays of the copies received.
    pub delays: Sketch,
    /// Times between the copies received.
    pub gaps: Sketch,
    /// Hops of the copies received, where they are counted.
    pub paths: PathLengths,
}

/// What the routing protocol did.
#[derive(Debug, Clone, Default)]
pub struct RoutingMeter {
    /// Messages sent by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Bytes of messages sent.
    pub bytes: u64,
    /// Routes taken into use or lost.
    pub changes: u64,
    /// Searches that found a route.
    pub discoveries: u64,
    /// Their time in all, nanoseconds.
    pub discovery_ns: u128,
    /// Searches given up.
    pub failed_discoveries: u64,
    /// Neighbours taken for gone.
    pub link_failures: u64,
    /// The part of them that were in range.
    pub false_link_failures: u64,
}

impl RoutingMeter {
    fn on_note(&mut self, note: RoutingNote, in_range: bool) {
        match note {
            RoutingNote::RouteUp { .. } | RoutingNote::RouteDown { .. } => self.changes += 1,
            RoutingNote::HopsChanged { .. } | RoutingNote::SearchStarted { .. } => {}
            RoutingNote::SearchDone { latency, .. } => {
                self.discoveries += 1;
                self.discovery_ns += u128::from(latency.0);
            }
            RoutingNote::SearchFailed { .. } => self.failed_discoveries += 1,
            RoutingNote::LinkLost { .. } => {
                self.link_failures += 1;
                self.false_link_failures += u64::from(in_range);
            }
        }
    }
}

/// Metrics of a run.
#[derive(Debug, Clone)]
pub struct Meter {
    start: Time,
    /// Counters of machines when the measured time began.
    pub before: CounterSnapshot,
    /// The same when the meter was closed.
    pub after: CounterSnapshot,
    /// Per flow.
    pub flows: Vec<FlowMeter>,
    /// Drops of each node by `DropReason::ALL`.
    pub drops: Vec<[u64; DropReason::COUNT]>,
    /// Those among them that carried data or opened a connection.
    pub data_drops: Vec<[u64; DropReason::COUNT]>,
    /// Packets that each node's link layer marked by `LinkPart::ALL`; none where no node has a layer.
    pub marks: Vec<[u64; LinkPart::ALL.len()]>,
    /// Routing protocol.
    pub routing: RoutingMeter,
    /// Routes of the flows.
    pub routes: FlowRoutes,
    /// Fairness over time.
    pub fairness: Fairness,
    /// Starvation of the flows.
    pub starvation: Vec<Starvation>,
    /// What was sent again for nothing.
    pub repairs: SpuriousRetransmissions,
    /// When the first flow had carried everything, and what had come of each by then.
    first_completion: Option<(Time, Vec<u64>)>,
    series: [Option<Series>; SeriesKind::ALL.len()],
    interval: Span,
}

impl Meter {
    /// A meter for a configuration; it counts from the start until `restart`.
    pub fn new(config: &Config) -> Self {
        let config = &*config.measured();
        let keep = |kind| config.series.keep.contains(&kind).then(Series::default);
        let mut meter = Meter {
            start: Time::ZERO,
            before: CounterSnapshot::default(),
            after: CounterSnapshot::default(),
            flows: config.flows.iter().map(|flow| FlowMeter::new(Time::ZERO, unheard_of(flow))).collect(),
            drops: vec![[0; DropReason::COUNT]; config.nodes.len()],
            data_drops: vec![[0; DropReason::COUNT]; config.nodes.len()],
            marks: vec![[0; LinkPart::ALL.len()]; if marks(config) { config.nodes.len() } else { 0 }],
            routing: RoutingMeter::default(),
            routes: FlowRoutes::new(config),
            fairness: Fairness::new(config),
            starvation: config.flows.iter().map(|flow| Starvation::new(flow, config.starved_after)).collect(),
            repairs: SpuriousRetransmissions::new(config.flows.iter().map(|flow| NodeId(flow.from))),
            first_completion: None,
            series: SeriesKind::ALL.map(keep),
            interval: config.series.interval,
        };
        let states: Vec<(FlowId, bool)> = meter.routes.states().collect();
        for (flow, is_up) in states {
            meter.push(SeriesKind::Route, flow.0, Time::ZERO, f64::from(u8::from(is_up)));
        }
        meter
    }

    /// Forgets everything counted so far and counts from `now`. Series are kept whole.
    fn restart(&mut self, now: Time, view: &mut impl NetworkView) {
        self.start = now;
        self.before = CounterSnapshot::read(view, (self.drops.len(), self.flows.len()), now);
        for flow in &mut self.flows {
            let left = if flow.whole == u64::MAX { u64::MAX } else { flow.whole.saturating_sub(flow.delivered_bytes) };
            *flow = FlowMeter {
                cwnd: flow.cwnd,
                completed: flow.completed,
                reset: flow.reset,
                first_delivery: flow.first_delivery,
                ack_window: flow.ack_window.restarted(now),
                ..FlowMeter::new(now, left)
            };
        }
        self.drops.fill([0; DropReason::COUNT]);
        self.data_drops.fill([0; DropReason::COUNT]);
        self.marks.fill([0; LinkPart::ALL.len()]);
        self.routing = RoutingMeter::default();
        self.routes.restart(now);
        self.fairness.restart(now);
        self.starvation.iter_mut().for_each(|s| s.restart(now));
        self.repairs.restart();
        self.first_completion = None;
    }

    /// Start of the measured time.
    pub fn start(&self) -> Time {
        self.start
    }

    /// A series that was asked for.
    pub fn series(&self, kind: SeriesKind) -> Option<&Series> {
        self.series[kind as usize].as_ref()
    }

    fn push(&mut self, kind: SeriesKind, owner: u32, time: Time, value: f64) {
        if let Some(series) = &mut self.series[kind as usize] {
            series.push(owner, time, value);
        }
    }

    /// A flow has carried everything.
    fn on_completed(&mut self, now: Time) {
        let flows = &self.flows;
        self.first_completion.get_or_insert_with(|| (now, flows.iter().map(|flow| flow.copy_bytes).collect()));
    }

    /// Until when all flows were active, and payload bytes of the copies of a flow that had come by then.
    pub fn shared(&self, flow: FlowId, now: Time) -> (Time, u64) {
        match &self.first_completion {
            Some((at, bytes)) => (*at, bytes[flow.index()]),
            None => (now, self.flows[flow.index()].copy_bytes),
        }
    }

    /// A node's route to `dst` came or went.
    fn on_route(&mut self, now: Time, node: NodeId, dst: NodeId, is_up: bool) {
        let series = &mut self.series[SeriesKind::Route as usize];
        self.routes.set(now, node, dst, is_up, |flow| {
            if let Some(series) = series {
                series.push(flow.0, now, f64::from(u8::from(is_up)));
            }
        });
    }

    /// What became of the copies of a flow; the meter is closed.
    pub fn outcomes(&self, flow: FlowId) -> Outcomes {
        let [before, after] = [&self.before, &self.after].map(|counted| counted.in_flight(flow));
        let FlowMeter { sent, received, .. } = self.flows[flow.index()];
        Outcomes::new(sent + before, received, after)
    }

    /// Accounts everything up to `now`.
    pub fn close(&mut self, now: Time, view: &mut impl NetworkView) {
        self.after = CounterSnapshot::read(view, (self.drops.len(), self.flows.len()), self.start);
        self.close_intervals(now);
        for flow in &mut self.flows {
            flow.close_cwnd(now);
            flow.ack_window.close(now);
        }
    }

    /// Closes the intervals of the fairness meter that are over.
    fn close_intervals(&mut self, now: Time) {
        while let Some((end, index)) = self.fairness.close(now) {
            if let Some(index) = index {
                self.push(SeriesKind::Fairness, 0, end, index);
            }
        }
    }

    fn end_interval(&mut self, now: Time) {
        if self.series[SeriesKind::Throughput as usize].is_none() {
            return;
        }
        for flow in 0..self.flows.len() {
            let bytes = std::mem::take(&mut self.flows[flow].interval_bytes);
            let kbps = bytes as f64 * 8.0 / self.interval.as_secs() / 1e3;
            self.push(SeriesKind::Throughput, flow as u32, now, kbps);
        }
    }
}

impl FlowMeter {
    /// Nothing yet; `whole` bytes complete the flow.
    fn new(now: Time, whole: u64) -> Self {
        FlowMeter {
            sent: 0,
            retransmitted: 0,
            acks: 0,
            received: 0,
            duplicates: 0,
            delivered_bytes: 0,
            first_copy_bytes: 0,
            copy_bytes: 0,
            delay_ns: 0,
            jitter_ns: 0,
            last_delay: None,
            rfc_jitter: 0.0,
            interval_bytes: 0,
            milestone: 0,
            whole,
            first_delivery: None,
            completed: None,
            reset: None,
            rtt_ns: 0,
            rtt_samples: 0,
            cwnd: 0.0,
            cwnd_since: now,
            cwnd_area: 0.0,
            cwnd_share: Vec::new(),
            departures: Departures::default(),
            ack_window: Level::new(now),
            last_arrival: None,
            delays: Sketch::default(),
            gaps: Sketch::default(),
            paths: PathLengths::default(),
        }
    }

    /// Payload has reached the milestone.
    #[cold]
    fn on_milestone(&mut self, now: Time) {
        self.first_delivery.get_or_insert(now);
        self.milestone = self.whole;
        if self.delivered_bytes >= self.whole {
            self.completed.get_or_insert(now);
            self.milestone = u64::MAX;
        }
    }

    fn on_received(&mut self, now: Time, bytes: u32, delay: Span, duplicate: bool, retransmission: bool) {
        self.received += 1;
        self.copy_bytes += u64::from(bytes);
        self.duplicates += u64::from(duplicate);
        if !duplicate && !retransmission {
            self.first_copy_bytes += u64::from(bytes);
        }
        self.delay_ns += u128::from(delay.0);
        if let Some(last) = self.last_delay {
            let difference = delay.0.abs_diff(last.0);
            self.jitter_ns += u128::from(difference);
            self.rfc_jitter += (difference as f64 - self.rfc_jitter) / 16.0;
        }
        self.last_delay = Some(delay);
        self.delays.record(delay);
        if let Some(last) = self.last_arrival.replace(now) {
            self.gaps.record(now.saturating_since(last));
        }
    }

    fn on_cwnd(&mut self, now: Time, cwnd: f64) {
        self.close_cwnd(now);
        self.cwnd = cwnd;
    }

    /// Accounts the window up to `now`.
    fn close_cwnd(&mut self, now: Time) {
        let span = now.saturating_since(self.cwnd_since).0;
        self.cwnd_since = now;
        if self.cwnd <= 0.0 || span == 0 {
            return;
        }
        self.cwnd_area += self.cwnd * span as f64;
        let class = (self.cwnd as usize).min(CWND_CLASSES - 1);
        if self.cwnd_share.len() <= class {
            self.cwnd_share.resize(class + 1, 0);
        }
        self.cwnd_share[class] += span;
    }

    /// Mean one-way delay of received copies, milliseconds.
    pub fn delay_ms(&self) -> Option<f64> {
        (self.received > 0).then(|| self.delay_ns as f64 / self.received as f64 / 1e6)
    }

    /// Mean difference of consecutive delays, milliseconds (afrakhteh2005).
    pub fn jitter_ms(&self) -> Option<f64> {
        (self.received > 1).then(|| self.jitter_ns as f64 / self.received as f64 / 1e6)
    }

    /// Smoothed interarrival jitter at the end of the run, milliseconds (RFC 3550 A.8).
    pub fn rfc_jitter_ms(&self) -> Option<f64> {
        (self.received > 1).then_some(self.rfc_jitter / 1e6)
    }

    /// Retransmissions over non-duplicate copies received, per cent.
    pub fn retransmission_index_pct(&self) -> Option<f64> {
        let fresh = self.received - self.duplicates;
        (fresh > 0).then(|| 100.0 * self.retransmitted as f64 / fresh as f64)
    }

    /// Mean round-trip time of timed segments, milliseconds.
    pub fn mean_rtt_ms(&self) -> Option<f64> {
        (self.rtt_samples > 0).then(|| self.rtt_ns as f64 / self.rtt_samples as f64 / 1e6)
    }

    /// Time-weighted mean window, segments, over the time a window existed.
    pub fn mean_cwnd(&self) -> Option<f64> {
        let span: u64 = self.cwnd_share.iter().sum();
        (span > 0).then(|| self.cwnd_area / span as f64)
    }

    /// Share of time at a whole window size; of the largest classes, which hold several sizes, it is not known.
    pub fn share_at(&self, window: u32) -> Option<f64> {
        let (span, class) = (self.cwnd_share.iter().sum::<u64>(), window as usize);
        let known = span > 0 && class < CWND_CLASSES - 1;
        known.then(|| self.cwnd_share.get(class).copied().unwrap_or(0) as f64 / span as f64)
    }

    /// Share of time at each whole window size.
    pub fn cwnd_share(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span: u64 = self.cwnd_share.iter().sum();
        self.cwnd_share.iter().enumerate().filter(|(_, t)| **t > 0).map(move |(w, t)| (w, *t as f64 / span as f64))
    }
}

/// Bytes of a file over UDP, which is complete when all have been handed up; more than can be for other flows.
fn unheard_of(flow: &FlowConfig) -> u64 {
    match flow.app {
        App::File { bytes } if flow.transport == Transport::Udp => bytes,
        _ => u64::MAX,
    }
}

impl Recorder for Meter {
    const WANTS: Classes = Classes::DROPS
        .and(Classes::TRANSPORT)
        .and(Classes::WINDOWS)
        .and(Classes::ROUTING)
        .and(Classes::SAMPLES)
        .and(Classes::RUN);

    // The caller's kind of record is known where it is written: of the choice nothing is left.
    #[inline(always)]
    fn record(&mut self, now: Time, record: &Record, view: &mut impl NetworkView) {
        match *record {
            Record::SegmentSent { flow, ref header, .. } => {
                if header.is_data {
                    let meter = &mut self.flows[flow.index()];
                    meter.sent += 1;
                    meter.departures.on_departure(now);
                    if header.retransmission {
                        meter.retransmitted += 1;
                        self.repairs.on_again(now, flow, header, view);
                    }
                } else {
                    self.flows[flow.index()].acks += 1;
                }
            }
            Record::SegmentReceived { node, flow, answers, ref header, delay } => {
                self.repairs.on_segment((now, Time(now.0 - delay.0)), node, (flow, answers), header);
            }
            Record::DataReceived { flow, bytes, delay, duplicate, retransmission } => {
                self.flows[flow.index()].on_received(now, bytes, delay, duplicate, retransmission);
            }
            Record::PathTaken { flow, hops, shortest } => self.flows[flow.index()].paths.on_packet(hops, shortest),
            Record::Delivered { flow, bytes } => {
                let meter = &mut self.flows[flow.index()];
                meter.delivered_bytes += u64::from(bytes);
                meter.interval_bytes += u64::from(bytes);
                if meter.delivered_bytes >= meter.milestone {
                    meter.on_milestone(now);
                    if meter.completed == Some(now) {
                        self.on_completed(now);
                    }
                }
                self.close_intervals(now);
                self.fairness.on_delivered(flow, bytes);
                self.starvation[flow.index()].on_delivered(now);
            }
            Record::Window { flow, cwnd, .. } => {
                let meter = &mut self.flows[flow.index()];
                if meter.cwnd != cwnd {
                    meter.on_cwnd(now, cwnd);
                    self.push(SeriesKind::Cwnd, flow.0, now, cwnd);
                }
            }
            Record::AckWindow { flow, segments } => {
                self.flows[flow.index()].ack_window.set(now, segments);
                self.push(SeriesKind::AckWindow, flow.0, now, segments);
            }
            Record::SendingRate { flow, rate } => self.push(SeriesKind::Rate, flow.0, now, rate),
            Record::Rtt { flow, rtt } => {
                let meter = &mut self.flows[flow.index()];
                meter.rtt_ns += u128::from(rtt.0);
                meter.rtt_samples += 1;
                self.push(SeriesKind::Rtt, flow.0, now, rtt.as_secs());
            }
            Record::Completed { flow } => {
                let meter = &mut self.flows[flow.index()];
                if meter.whole == u64::MAX {
                    meter.completed.get_or_insert(now);
                    self.on_completed(now);
                }
                self.routes.end(now, flow);
                self.fairness.end(now, flow);
                self.starvation[flow.index()].end(now);
            }
            Record::Reset { flow, code } => {
                self.flows[flow.index()].reset.get_or_insert(code);
            }
            Record::Dropped { node, reason, packet } => {
                self.drops[node.index()][reason as usize] += 1;
                let is_data = view.packet(packet).body.carries_data();
                self.data_drops[node.index()][reason as usize] += u64::from(is_data);
            }
            Record::Marked { node, by, .. } => self.marks[node.index()][by as usize] += 1,
            Record::RoutingSent { kind, bytes, .. } => {
                *self.routing.kinds.entry(kind).or_default() += 1;
                self.routing.bytes += u64::from(bytes);
            }
            Record::Routing { node, note, in_range } => {
                self.routing.on_note(note, in_range);
                match note {
                    RoutingNote::RouteUp { dst, .. } => self.on_route(now, node, dst, true),
                    RoutingNote::RouteDown { dst, .. } => self.on_route(now, node, dst, false),
                    _ => {}
                }
            }
            Record::QueueLength { node: NodeId(node), packets } => {
                self.push(SeriesKind::Queue, node, now, f64::from(packets));
            }
            Record::SampleEnd => self.end_interval(now),
            Record::MeasureBegan => self.restart(now, view),
            Record::FrameBegan { .. }
            | Record::FrameUnsent { .. }
            | Record::Busy { .. }
            | Record::FrameEnded { .. }
            | Record::FrameOverheard { .. }
            | Record::Power { .. }
            | Record::Moved { .. }
            | Record::SetOut { .. }
            | Record::LinkChanged { .. }
            | Record::LinkTraced { .. }
            | Record::RateSet { .. }
            | Record::ParameterSet { .. }
            | Record::PowerSet { .. }
            | Record::AccessGranted { .. }
            | Record::ResponseTimeout { .. }
            | Record::SifsBegan { .. }
            | Record::AttemptFailed { .. }
            | Record::RateChanged { .. }
            | Record::ExchangeEnded { .. }
            | Record::PacketMade { .. }
            | Record::PacketCopied { .. }
            | Record::PacketReceived { .. }
            | Record::PacketRouted { .. }
            | Record::PacketHeld { .. }
            | Record::PacketArrived { .. }
            | Record::Queued { .. }
            | Record::Dequeued { .. }
            | Record::WireBegan { .. }
            | Record::WireEnded { .. }
            | Record::Offered { .. }
            | Record::HeldBack { .. }
            | Record::AppSent { .. }
            | Record::AppClosed { .. }
            | Record::TimerArmed { .. }
            | Record::TimerExpired { .. }
            | Record::TimerStopped { .. }
            | Record::RoutingTimerArmed { .. }
            | Record::RoutingTimerExpired { .. }
            | Record::RouteInstalled { .. } => {}
        }
    }
}
