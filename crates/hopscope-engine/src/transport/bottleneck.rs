//! One TCP flow over one wired bottleneck with a drop-tail queue: what the textbooks draw.
//!
//! Packets leave the sender into a queue, which a link of fixed rate empties; the receiver is `delay` behind it. ACKs
//! come back after the same delay, uncounted.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::control::Control;
use super::tcp::{self, Expiries, TcpReceiver, TcpSender};
use super::{Timer, TransportEffect};
use crate::config::{App, FlowConfig, LONGEST, Transport};
use crate::error::{BuildError, require};
use crate::packet::Body;
use crate::packet::tcp::TcpSegment;
use crate::rng::{Purpose, Stream};
use crate::units::{Span, Time};

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
    /// Packets that can wait beside the one being sent.
    pub queue: u32,
    /// Bytes of a packet beside its payload.
    pub header: u32,
    /// Hops that an ACK says it has travelled.
    pub hops: u8,
    /// End of the run.
    pub duration: Time,
    /// Least time between samples; zero: one at each ACK.
    pub sample: Span,
    /// Seed of the random numbers of BBR.
    pub seed: u64,
}

/// What is told to an observer.
#[derive(Debug)]
pub enum Seen<'a> {
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
#[derive(Debug, Clone, Default, Serialize)]
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

/// Runs a flow over a bottleneck and takes samples; `control` is that of `tcp-external`.
///
/// # Errors
/// A [`BuildError`] names the parameter that cannot be run.
pub fn run(config: &BottleneckConfig, control: Option<Arc<dyn Control>>) -> Result<BottleneckResult, BuildError> {
    let mut result = BottleneckResult::default();
    let packet = f64::from(config.flow.packet);
    let service = service(config, config.flow.packet).as_secs();
    let mut next = Time::ZERO;
    let sender = drive(config, control, |seen| match seen {
        Seen::Data { at, dropped: true } => result.drops_s.push(at.as_secs()),
        Seen::Data { .. } => {}
        Seen::Ack { at, sender, waiting } if at >= next => {
            next = at + config.sample;
            result.t_s.push(at.as_secs());
            result.cwnd.push(sender.cwnd());
            result.ssthresh.push(sender.ssthresh());
            result.in_flight.push(sender.outstanding() as f64 / packet);
            result.queue.push(waiting.as_secs() / service);
            result.sent.push(sender.stats().segments_sent);
            result.acked.push(sender.stats().bytes_acked as f64 / packet);
        }
        Seen::Ack { .. } => {}
    })?;
    result.retransmissions = sender.stats().retransmissions;
    result.timeouts = sender.stats().timeouts;
    Ok(result)
}

/// Runs a flow over a bottleneck, telling `see` what happens; returns the sender at the end.
///
/// # Errors
/// A [`BuildError`] names the parameter that cannot be run.
pub fn drive(
    config: &BottleneckConfig,
    control: Option<Arc<dyn Control>>,
    mut see: impl FnMut(Seen<'_>),
) -> Result<TcpSender, BuildError> {
    check(config)?;
    let mut path = Path::new(config, control)?;
    path.start(&config.flow.app);
    while path.step(config.duration, &mut see) {}
    Ok(path.sender)
}

fn check(config: &BottleneckConfig) -> Result<(), BuildError> {
    let flow = &config.flow;
    require(flow.transport != Transport::Udp, "flow.transport", || "a TCP variant is needed".to_string())?;
    let known = matches!(flow.app, App::Bulk | App::File { .. });
    require(known, "flow.app", || "bulk and file are allowed".to_string())?;
    for (key, found, least, most) in [
        ("rate", config.rate, 1, 1_000_000_000_000),
        ("queue", u64::from(config.queue), 0, 1_000_000),
        ("header", u64::from(config.header), 0, 1_000),
        ("flow.packet", u64::from(flow.packet), 1, 65_535),
        ("flow.max_window", u64::from(flow.max_window), 1, 100_000),
    ] {
        require((least..=most).contains(&found), key, || format!("found {found}; allowed are {least} to {most}"))?;
    }
    require(config.delay <= Span::from_secs(100), "delay", || {
        format!("found {} s; at most 100 s are allowed", config.delay.as_secs())
    })?;
    require(config.duration > Time::ZERO && config.duration <= Time::ZERO + LONGEST, "duration", || {
        format!("found {} s; more than zero and at most 1e6 s is allowed", config.duration.as_secs())
    })?;
    config.flow.tcp.check(|name| format!("flow.tcp.{name}"))
}

/// Time that a packet of `bytes` bytes of payload takes on the link.
fn service(config: &BottleneckConfig, bytes: u32) -> Span {
    let bits = 8 * (u128::from(bytes) + u128::from(config.header));
    Span((bits * 1_000_000_000 / u128::from(config.rate)) as u64)
}

/// What happens next.
enum Next {
    Timer(usize, Timer),
    Data,
    Ack,
}

const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// Both ends and what is under way between them.
struct Path<'a> {
    config: &'a BottleneckConfig,
    sender: TcpSender,
    receiver: TcpReceiver,
    timers: [Expiries; 2],
    now: Time,
    /// Packets waiting or on the link: when each has left it.
    link: VecDeque<Time>,
    /// When the link is free.
    free: Time,
    data: VecDeque<(Time, TcpSegment)>,
    acks: VecDeque<(Time, TcpSegment)>,
    out: Vec<TransportEffect>,
}

impl<'a> Path<'a> {
    fn new(config: &'a BottleneckConfig, control: Option<Arc<dyn Control>>) -> Result<Self, BuildError> {
        let mut flow = config.flow.clone();
        if flow.tcp.ap_link_rate == 0 {
            flow.tcp.ap_link_rate = config.rate;
        }
        let (mut sender, receiver) = tcp::ends(&flow, Stream::derive(config.seed, 0, 0, Purpose::Clock));
        if flow.transport == Transport::TcpExternal {
            let missing = || BuildError::new("flow.transport", "tcp-external needs its congestion control");
            sender.set_control(control.ok_or_else(missing)?);
        }
        Ok(Path {
            config,
            sender,
            receiver,
            timers: Default::default(),
            now: Time::ZERO,
            link: VecDeque::new(),
            free: Time::ZERO,
            data: VecDeque::new(),
            acks: VecDeque::new(),
            out: Vec::new(),
        })
    }

    fn start(&mut self, app: &App) {
        let bytes = if let App::File { bytes } = app { *bytes } else { u64::MAX };
        self.sender.offer(bytes, self.now, &mut self.out);
        if bytes < u64::MAX {
            self.sender.close(self.now, &mut self.out);
        }
        self.sender.open(self.now, &mut self.out);
        self.carry_out(SENDER, &mut |_| {});
    }

    /// The earliest of all that is to come; at one instant timers go first, then data, then ACKs.
    fn next(&self) -> Option<(Time, Next)> {
        let timer = |end: usize| self.timers[end].earliest(Time::NEVER).map(|(kind, at)| (at, Next::Timer(end, kind)));
        let data = self.data.front().map(|(at, _)| (*at, Next::Data));
        let ack = self.acks.front().map(|(at, _)| (*at, Next::Ack));
        [timer(SENDER), timer(RECEIVER), data, ack].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// Takes the next step; false when there is none before `end`.
    fn step(&mut self, end: Time, see: &mut impl FnMut(Seen<'_>)) -> bool {
        let Some((at, next)) = self.next().filter(|(at, _)| *at < end) else { return false };
        self.now = at;
        match next {
            Next::Timer(side, kind) => {
                self.timers[side].take(kind);
                if side == SENDER {
                    self.sender.on_timer(kind, at, &mut self.out);
                } else {
                    self.receiver.on_timer(kind, at, &mut self.out);
                }
                self.carry_out(side, see);
            }
            Next::Data => {
                if let Some((_, segment)) = self.data.pop_front() {
                    self.receiver.on_segment(&segment, at, &mut self.out);
                }
                self.carry_out(RECEIVER, see);
            }
            Next::Ack => {
                if let Some((_, segment)) = self.acks.pop_front() {
                    self.sender.on_segment(&segment, self.config.hops, at, &mut self.out);
                }
                see(Seen::Ack { at, sender: &self.sender, waiting: self.free.saturating_since(at) });
                self.carry_out(SENDER, see);
            }
        }
        true
    }

    fn carry_out(&mut self, end: usize, see: &mut impl FnMut(Seen<'_>)) {
        let mut out = std::mem::take(&mut self.out);
        for effect in out.drain(..) {
            self.timers[end].note(&effect);
            let TransportEffect::Emit(Body::Tcp(segment)) = effect else { continue };
            if end == RECEIVER {
                self.acks.push_back((self.now + self.config.delay, segment));
                continue;
            }
            let dropped = !self.enqueue(segment);
            if segment.len > 0 {
                see(Seen::Data { at: self.now, dropped });
            }
        }
        self.out = out;
    }

    /// Puts a segment of the sender into the queue; false when it has no room.
    fn enqueue(&mut self, segment: TcpSegment) -> bool {
        while self.link.front().is_some_and(|left| *left <= self.now) {
            self.link.pop_front();
        }
        if self.link.len() > self.config.queue as usize {
            return false;
        }
        self.free = self.free.max(self.now) + service(self.config, segment.len);
        self.link.push_back(self.free);
        self.data.push_back((self.free + self.config.delay, segment));
        true
    }
}
