//! One TCP flow over one wired bottleneck with a drop-tail queue: what the textbooks draw.
//!
//! Two nodes without radios and a wire between them. Packets leave the sender into the queue before the wire; ACKs come
//! back over a direction so fast that they take no time on it, after the same delay.

use serde::{Deserialize, Serialize};

use crate::config::{App, Config, FlowConfig, HostConfig, LONGEST, WireConfig, presets};
use crate::record::{Classes, NetworkView, Record, Recorder};
use crate::world::{Controls, World};
use hopscope_core::error::{BuildError, BuildErrors};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_tcp::config::tcp::TIMESTAMPS_OPTION;
use hopscope_tcp::{SenderStats, TcpSender};

/// The path and the flow on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BottleneckConfig {
    /// The flow, from time zero on; a bulk transfer or a file. What concerns the network below TCP is not read.
    pub flow: FlowConfig,
    /// Rate of the link, bit/s.
    pub rate: u64,
    /// Propagation delay, each way.
    pub delay: Span,
    /// Packets that can wait besides the one being sent.
    pub queue: u32,
    /// Bytes of a packet besides its payload and the options of TCP.
    pub header: u32,
    /// Hops that a packet counts for the link.
    pub hops: u8,
    /// End of the run.
    pub duration: Time,
    /// Least time between samples; zero: one at each ACK.
    pub sample: Span,
    /// Seed of the random numbers of BBR.
    pub seed: u64,
}

/// What an observer receives.
#[derive(Debug)]
pub enum Observation<'a> {
    /// A data segment has left the sender, whether the queue had room for it or not.
    Data {
        /// When.
        at: Time,
        /// It was dropped.
        dropped: bool,
    },
    /// The sender has dealt with an ACK; what it sends in answer follows.
    Ack {
        /// When.
        at: Time,
        /// In its new state.
        sender: &'a TcpSender,
        /// Time that what is in the queue and on the link will take to leave.
        waiting: Span,
    },
}

/// Samples, a column each, and totals.
#[derive(Debug, Clone, Default)]
pub struct BottleneckResult {
    /// Instants of the samples, seconds.
    pub t_s: Vec<f64>,
    /// Congestion window, segments.
    pub cwnd: Vec<f64>,
    /// Slow-start threshold, segments.
    pub ssthresh: Vec<f64>,
    /// Segments sent and not acknowledged.
    pub in_flight: Vec<f64>,
    /// Packets in the queue and on the link, in parts of a full one.
    pub queue: Vec<f64>,
    /// Segments sent so far, again or for the first time.
    pub sent: Vec<u64>,
    /// Segments acknowledged so far.
    pub acked: Vec<f64>,
    /// Instants of the drops, seconds.
    pub drops_s: Vec<f64>,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

/// Where the sender is.
const SENDER: NodeId = NodeId(0);
/// Bit rate of the way back: an ACK takes less than a nanosecond.
const UNCOUNTED: u64 = 1_000_000_000_000;

/// Runs a flow over a bottleneck and takes samples; `controls` is what its flow, number 0, has from outside.
///
/// # Errors
/// A [`BuildError`] names the parameter that cannot be run.
pub fn run(config: &BottleneckConfig, controls: &Controls) -> Result<BottleneckResult, BuildError> {
    let mut result = BottleneckResult::default();
    let packet = f64::from(config.flow.packet);
    let service = service(config, config.flow.packet).as_secs();
    let mut next = Time::ZERO;
    let stats = drive(config, controls, |seen| match seen {
        Observation::Data { at, dropped: true } => result.drops_s.push(at.as_secs()),
        Observation::Data { .. } => {}
        Observation::Ack { at, sender, waiting } if at >= next => {
            next = at + config.sample;
            result.t_s.push(at.as_secs());
            result.cwnd.push(sender.cwnd());
            result.ssthresh.push(sender.ssthresh());
            result.in_flight.push(sender.outstanding() as f64 / packet);
            result.queue.push(waiting.as_secs() / service);
            result.sent.push(sender.stats().segments_sent);
            result.acked.push(sender.stats().bytes_acked as f64 / packet);
        }
        Observation::Ack { .. } => {}
    })?;
    result.retransmissions = stats.retransmissions;
    result.timeouts = stats.timeouts;
    Ok(result)
}

/// Runs a flow over a bottleneck, calling `see` with what happens; returns what the sender counted.
///
/// # Errors
/// A [`BuildError`] names the parameter that cannot be run.
pub fn drive(
    config: &BottleneckConfig,
    controls: &Controls,
    mut see: impl FnMut(Observation<'_>),
) -> Result<SenderStats, BuildError> {
    problems(config).into_iter().next().map_or(Ok(()), Err)?;
    let network = network(config);
    let mut world = World::controlled(&network, Watch::default(), controls).map_err(without_prefix)?;
    while let Some(at) = world.next_event().filter(|&at| at < config.duration) {
        world.run_until(at);
        let Watch { acked, sent } = world.observe(|watch, _, _| std::mem::take(watch));
        if acked {
            let joined = sent.iter().filter(|data| data.after_ack && !data.dropped);
            // The queue as the ACK found it: what that has let out is taken off again.
            let answer = joined.fold(Span::ZERO, |sum, data| sum + service(config, data.bytes));
            let waiting = world.wire_backlog(0).saturating_sub(answer);
            if let Some(sender) = world.sender(&world.flows()[0]) {
                see(Observation::Ack { at, sender, waiting });
            }
        }
        sent.iter().filter(|data| data.bytes > 0).for_each(|data| see(Observation::Data { at, dropped: data.dropped }));
    }
    Ok(world.sender(&world.flows()[0]).map(|sender| *sender.stats()).unwrap_or_default())
}

/// Two nodes, a wire, a flow.
fn network(config: &BottleneckConfig) -> Config {
    // Any radio will do: the nodes have none.
    let base = presets::base("standard", "wavelan-2M").unwrap_or_default();
    let mut network = base.config(vec![[0.0, 0.0], [1.0, 0.0]], config.duration - Time::ZERO);
    network.seed = config.seed;
    network.hosts = vec![HostConfig { wifi: false, ..HostConfig::of(&[0, 1]) }];
    network.wires = vec![WireConfig {
        // ACKs wait for nothing on their way back, as in the textbooks.
        back_rate: Some(UNCOUNTED),
        hops: config.hops,
        ..WireConfig::between([0, 1], config.rate, config.delay, config.queue)
    }];
    let mut flow = FlowConfig { from: 0, to: 1, start: Time::ZERO, stop: None, ..config.flow.clone() };
    // What TCP does not take of the header is IP's, so that their sum is as given.
    flow.tcp.header = flow.tcp.header.min(config.header);
    network.net.ip_header = config.header - flow.tcp.header;
    // 0 stands for the rate of the radio, which is not there.
    if flow.tcp.ap_link_rate == 0 {
        flow.tcp.ap_link_rate = config.rate;
    }
    network.flows = vec![flow];
    network
}

/// Names the flow as the caller does.
fn without_prefix(error: BuildError) -> BuildError {
    let key = error.key.replacen("flows.0.", "flow.", 1);
    BuildError { key, ..error }
}

/// Everything that is wrong with a path and the flow on it, each key at most once.
pub fn problems(config: &BottleneckConfig) -> Vec<BuildError> {
    let flow = &config.flow;
    let mut wrong = BuildErrors::default();
    wrong.require(flow.transport.is_tcp(), "flow.transport", || "a TCP variant is needed".to_string());
    let known = matches!(flow.app, App::Bulk | App::File { .. });
    wrong.require(known, "flow.app", || "bulk and file are allowed".to_string());
    for (key, found, least, most) in [
        ("rate", config.rate, 1, 1_000_000_000_000),
        ("queue", u64::from(config.queue), 0, 1_000_000),
        ("header", u64::from(config.header), 0, 1_000),
        ("flow.packet", u64::from(flow.packet), 1, 65_535),
        ("flow.max_window", u64::from(flow.max_window), 1, 100_000),
    ] {
        wrong.require((least..=most).contains(&found), key, || format!("found {found}; allowed are {least} to {most}"));
    }
    wrong.require(config.delay <= Span::from_secs(100), "delay", || {
        format!("found {} s; at most 100 s are allowed", config.delay.as_secs())
    });
    wrong.require(config.duration > Time::ZERO && config.duration <= Time::ZERO + LONGEST, "duration", || {
        format!("found {} s; more than zero and at most 1e6 s is allowed", config.duration.as_secs())
    });
    let mut outside = Vec::new();
    flow.tcp.outside("flow.tcp", &mut outside);
    wrong.note_all(outside);
    wrong.note_all(flow.tcp.check(|name| format!("flow.tcp.{name}")));
    wrong.0
}

/// Time that a packet with so many bytes of payload takes on the link.
fn service(config: &BottleneckConfig, payload: u32) -> Span {
    let stamps = if config.flow.tcp.timestamps { TIMESTAMPS_OPTION } else { 0 };
    let bits = 8 * (u128::from(payload) + u128::from(config.header) + u128::from(stamps));
    Span((bits * 1_000_000_000 / u128::from(config.rate)) as u64)
}

/// A segment of the sender.
#[derive(Debug)]
struct Data {
    bytes: u32,
    after_ack: bool,
    dropped: bool,
}

/// What has happened since it was looked at last.
#[derive(Debug, Default)]
struct Watch {
    acked: bool,
    sent: Vec<Data>,
}

impl Recorder for Watch {
    const WANTS: Classes = Classes::TRANSPORT.and(Classes::DROPS);

    fn record(&mut self, _now: Time, record: &Record, _view: &mut impl NetworkView) {
        match record {
            Record::SegmentReceived { node: SENDER, .. } => self.acked = true,
            Record::SegmentSent { node: SENDER, header, .. } => {
                self.sent.push(Data { bytes: header.len, after_ack: self.acked, dropped: false });
            }
            Record::Dropped { .. } => {
                // A drop-tail queue drops what has just come.
                if let Some(last) = self.sent.last_mut() {
                    last.dropped = true;
                }
            }
            _ => {}
        }
    }
}
