//! The sender of ATP: a rate that follows the feedback, and a list of what has not been reported received.
//!
//! | feedback's rate R, own rate S | phase | what is done |
//! |---|---|---|
//! | R > S (1 + threshold) | increase | S grows by (R - S) / divisor, at most to twice S |
//! | R < S | decrease | S becomes R |
//! | between | maintain | nothing |
//!
//! What is lost does not touch the rate. A packet is lost when packets sent later are reported received, when it is
//! older than an epoch and not reported, and when the answer to a later probe does not report it; it is sent again
//! before new data.

use std::collections::{BTreeSet, VecDeque};

use crate::config::AtpConfig;
use hopscope_core::units::{Span, Time};
use hopscope_packet::Body;
use hopscope_packet::atp::{AtpKind, AtpPacket};
use hopscope_tcp::SenderStats;
use hopscope_tcp::endpoint::{Cx, Note, Timer, TransportEffect};

/// First number for which the header has no room.
const LAST: u64 = u32::MAX as u64;

#[derive(Debug)]
pub(super) struct Source {
    cfg: AtpConfig,
    /// Payload bytes of a full packet.
    packet: u32,
    /// Bytes ready beyond what has been sent; `u64::MAX`: without end.
    backlog: u64,
    is_closed: bool,
    is_completed: bool,
    phase: Phase,
    /// Packets a second.
    rate: f64,
    /// First number not reported received, and what is known of it and of those sent behind it.
    una: u64,
    sent: VecDeque<Sent>,
    /// Numbers to be sent again.
    lost: BTreeSet<u64>,
    /// Transmissions so far; the latest one reported received, and that of the last probe.
    transmissions: u64,
    latest: u64,
    probe: u64,
    /// When data has left last.
    last_sent: Option<Time>,
    /// Nothing has been under way since.
    idle_since: Option<Time>,
    /// A feedback is waited for.
    is_timed: bool,
    /// Feedback packets missed in a row.
    missed: u32,
    stats: SenderStats,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing has been offered.
    Idle,
    /// A probe asks for the rate.
    Starting,
    /// There is a rate.
    Open,
}

/// A packet that has been sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    bytes: u32,
    /// Number of its last transmission, and when that was.
    transmission: u64,
    at: Time,
    is_received: bool,
}

impl Source {
    pub(super) fn new(cfg: &AtpConfig, packet: u32) -> Self {
        Source {
            cfg: cfg.clone(),
            packet,
            backlog: 0,
            is_closed: false,
            is_completed: false,
            phase: Phase::Idle,
            rate: 0.0,
            una: 0,
            sent: VecDeque::new(),
            lost: BTreeSet::new(),
            transmissions: 0,
            latest: 0,
            probe: 0,
            last_sent: None,
            idle_since: None,
            is_timed: false,
            missed: 0,
            stats: SenderStats::default(),
        }
    }

    // Inputs.

    pub(super) fn on_send(&mut self, bytes: u64, cx: &mut Cx<'_>) {
        self.backlog = self.backlog.saturating_add(bytes);
        let patience = Span(self.cfg.epoch.0.saturating_mul(self.cfg.idle_limit.into()));
        // The rate of a path that was not used for some epochs says nothing of it now.
        let is_stale = self.idle_since.is_some_and(|since| cx.now.saturating_since(since) >= patience);
        match self.phase {
            Phase::Idle => self.start(cx),
            Phase::Open if is_stale => self.start(cx),
            Phase::Open => self.pump(cx),
            Phase::Starting => {}
        }
    }

    /// An endless offer ends with what has been sent.
    pub(super) fn close(&mut self, cx: &mut Cx<'_>) {
        self.is_closed = true;
        if self.backlog == u64::MAX {
            self.backlog = 0;
        }
        self.finish(cx);
    }

    /// The receiver has reported what has come, and how fast the path is.
    pub(super) fn on_feedback(&mut self, packet: &AtpPacket, cx: &mut Cx<'_>) {
        self.take_reports(packet);
        let is_answer = packet.kind == AtpKind::Answer;
        self.detect_losses(packet, is_answer, cx.now);
        if packet.delay > 0 {
            self.follow(1e6 / f64::from(packet.delay), is_answer, cx);
        }
        if self.phase == Phase::Open {
            self.missed = 0;
            self.is_timed = false;
            self.watch(cx);
        }
        // From the feedback on that reports the last packet; `get_or_insert` keeps the first such instant.
        if self.sent.is_empty() {
            self.idle_since.get_or_insert(cx.now);
        }
        self.finish(cx);
        self.pump(cx);
    }

    /// The next packet may go.
    pub(super) fn on_pacing(&mut self, cx: &mut Cx<'_>) {
        self.pump(cx);
    }

    /// The answer to a probe, or a feedback, has not come.
    pub(super) fn on_silence(&mut self, cx: &mut Cx<'_>) {
        self.is_timed = false;
        match self.phase {
            Phase::Idle => {}
            Phase::Starting if self.has_work() => self.start(cx),
            // Nothing is left to send: the next offer asks anew.
            Phase::Starting => self.phase = Phase::Idle,
            Phase::Open if self.sent.is_empty() => {}
            Phase::Open => {
                self.missed += 1;
                self.stats.timeouts += 1;
                if self.missed >= self.cfg.silence_limit {
                    self.start(cx);
                } else {
                    self.set_rate(self.rate * self.cfg.silence_cut, cx);
                    self.wait(self.cfg.epoch, cx);
                    self.pump(cx);
                }
            }
        }
    }

    /// The route to the other end has ended.
    pub(super) fn on_route_ended(&mut self) {
        self.stats.route_failures += 1;
    }

    /// It has failed: it did not end for want of use.
    pub(super) fn on_route_failed(&mut self, cx: &mut Cx<'_>) {
        if self.cfg.elfn && self.phase == Phase::Open && self.has_work() {
            self.start(cx);
        }
    }

    // Queries.

    pub(super) fn backlog(&self) -> u64 {
        self.backlog
    }

    pub(super) fn stats(&self) -> &SenderStats {
        &self.stats
    }

    // Steps.

    /// Asks for the rate of the path, and again after an epoch.
    fn start(&mut self, cx: &mut Cx<'_>) {
        self.phase = Phase::Starting;
        self.missed = 0;
        self.probe = self.transmissions + 1;
        self.stats.probes += 1;
        if self.cfg.probe_data && self.has_work() {
            self.transmit(self.una, AtpKind::Probe, cx);
        } else {
            self.transmissions += 1;
            let next = self.una + self.sent.len() as u64;
            self.emit(AtpPacket { kind: AtpKind::Probe, number: next as u32, ..AtpPacket::default() }, cx);
        }
        self.wait(self.cfg.epoch, cx);
    }

    /// Marks what a feedback reports received.
    fn take_reports(&mut self, packet: &AtpPacket) {
        let Source { una, sent, lost, latest, stats, .. } = self;
        let mut mark = |sent: &mut Sent, number: u64| {
            if !sent.is_received {
                sent.is_received = true;
                *latest = (*latest).max(sent.transmission);
                stats.bytes_acked += u64::from(sent.bytes);
                lost.remove(&number);
            }
        };
        for (from, end) in packet.ranges() {
            for number in from.max(*una)..end.min(*una + sent.len() as u64) {
                mark(&mut sent[(number - *una) as usize], number);
            }
        }
        while *una < u64::from(packet.number) {
            let Some(mut first) = sent.pop_front() else { break };
            mark(&mut first, *una);
            *una += 1;
        }
    }

    /// Finds out what is lost. A feedback without room for all blocks says nothing of what is behind its last one.
    fn detect_losses(&mut self, packet: &AtpPacket, is_answer: bool, now: Time) {
        let next = self.una + self.sent.len() as u64;
        let reported =
            if packet.runs.is_partial { packet.ranges().last().map_or(self.una, |(_, end)| end) } else { next };
        for (number, sent) in (self.una..reported.min(next)).zip(&self.sent) {
            // By transmissions, not by numbers: a repetition is not overtaken by what was sent before it.
            let is_passed = sent.transmission + u64::from(self.cfg.lost_after) <= self.latest;
            let is_old = now.saturating_since(sent.at) >= self.cfg.epoch;
            // The answer to a probe reports all that came before it: the rest was lost.
            let is_before_probe = is_answer && sent.transmission < self.probe;
            if !sent.is_received && (is_passed || is_old || is_before_probe) {
                self.lost.insert(number);
            }
        }
    }

    /// Takes the rate of a feedback; the answer to a probe gives the first one.
    fn follow(&mut self, rate: f64, is_answer: bool, cx: &mut Cx<'_>) {
        match self.phase {
            Phase::Starting if is_answer => {
                self.phase = Phase::Open;
                self.set_rate(rate, cx);
            }
            Phase::Idle | Phase::Starting => {}
            Phase::Open if rate > self.rate * (1.0 + self.cfg.increase_threshold) => {
                let step = (rate - self.rate) / self.cfg.increase_divisor;
                // Never more than twice, however far the path's rate is ahead.
                self.set_rate(self.rate + step.min(self.rate), cx);
            }
            Phase::Open if rate < self.rate => {
                self.stats.window_cuts += 1;
                self.set_rate(rate, cx);
            }
            Phase::Open => {}
        }
    }

    fn set_rate(&mut self, rate: f64, cx: &mut Cx<'_>) {
        self.rate = rate;
        cx.out.push(TransportEffect::Note(Note::Rate(rate)));
    }

    /// Sends what the rate lets go.
    fn pump(&mut self, cx: &mut Cx<'_>) {
        if self.phase != Phase::Open {
            return;
        }
        // At most some 30 years: a rate near nothing must not overflow the clock.
        let gap = Span((1e9 / self.rate).min(1e18).round() as u64);
        let due = |last: Option<Time>| last.map_or(Time::ZERO, |last| last + gap);
        if due(self.last_sent) <= cx.now {
            if let Some(number) = self.next_number() {
                self.transmit(number, AtpKind::Data, cx);
                self.watch(cx);
            }
        }
        if !self.lost.is_empty() || self.backlog > 0 {
            cx.out.push(TransportEffect::Arm(Timer::Pacing, due(self.last_sent).max(cx.now)));
        }
    }

    /// The number that goes next: lost data first. New data has numbers as long as the header has room for them.
    fn next_number(&mut self) -> Option<u64> {
        let next = self.una + self.sent.len() as u64;
        self.lost.pop_first().or_else(|| (self.backlog > 0 && next < LAST).then_some(next))
    }

    /// Sends data under a number: new data where that is the next one.
    fn transmit(&mut self, number: u64, kind: AtpKind, cx: &mut Cx<'_>) {
        let place = (number - self.una) as usize;
        let retransmission = place < self.sent.len();
        self.transmissions += 1;
        let (transmission, at) = (self.transmissions, cx.now);
        if retransmission {
            self.lost.remove(&number);
            let sent = &mut self.sent[place];
            (sent.transmission, sent.at) = (transmission, at);
        } else {
            let bytes = self.backlog.min(u64::from(self.packet)) as u32;
            if self.backlog != u64::MAX {
                self.backlog -= u64::from(bytes);
            }
            self.sent.push_back(Sent { bytes, transmission, at, is_received: false });
        }
        self.stats.segments_sent += 1;
        self.stats.retransmissions += u64::from(retransmission);
        self.idle_since = None;
        self.last_sent = Some(cx.now);
        let len = self.sent[place].bytes;
        self.emit(AtpPacket { kind, number: number as u32, len, retransmission, ..AtpPacket::default() }, cx);
    }

    fn emit(&self, packet: AtpPacket, cx: &mut Cx<'_>) {
        cx.out.push(TransportEffect::Emit(Body::Atp(packet)));
    }

    /// While something is under way a feedback is waited for.
    fn watch(&mut self, cx: &mut Cx<'_>) {
        if !self.is_timed && !self.sent.is_empty() {
            self.wait(Span((self.cfg.epoch.0 as f64 * self.cfg.patience) as u64), cx);
        }
    }

    fn wait(&mut self, span: Span, cx: &mut Cx<'_>) {
        self.is_timed = true;
        cx.out.push(TransportEffect::Arm(Timer::Rto, cx.now + span));
    }

    fn has_work(&self) -> bool {
        !self.sent.is_empty() || self.backlog > 0
    }

    /// All is sent and has come.
    fn finish(&mut self, cx: &mut Cx<'_>) {
        if self.is_closed && !self.is_completed && !self.has_work() {
            self.is_completed = true;
            cx.out.push(TransportEffect::Note(Note::Completed));
        }
    }
}
