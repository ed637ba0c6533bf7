//! The airtime ledger: what every nanosecond of every node and link went to, and where the delay of packets went.
//!
//! An observer beside the meter ([`Recorder::LEDGER`]); a run without it is compiled
//! without its hooks (`world/ledger.rs`), a run with it takes the same course.
//!
//! At each instant a node's time goes to the first of these that holds:
//!
//! 1. its radio is off (a frame or a SIFS begun before is finished);
//! 2. its transmitter is on: by kind of frame; RTS and data by the fate of their attempt;
//! 3. it receives a frame meant for it;
//! 4. it is inside a frame exchange: the gaps, or the wait for an answer that does not come;
//! 5. a packet waits in the MAC: medium busy, reserved (NAV), EIFS or DIFS, back-off;
//! 6. no packet waits: the medium is busy (overheard), or why there is nothing to send.
//!
//! The medium is busy around a node while a frame of a station in carrier-sense range is on the air there; a pause
//! shorter than DIFS, in which nobody may begin, belongs to the busy period.

mod cause;
mod flow;
mod link;
mod report;
mod timeline;

pub use cause::{Cause, DelayPart, Failure, LinkCause, Verdict};
pub use report::{FailureResult, LedgerResult, LinkLedger, LossResult};
pub use timeline::{Stage, Timeline};

use crate::config::Config;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::mac::contention::QuietPlan;
use crate::mac::dcf::{Frame, FrameKind, Phase, Reply};
use crate::mac::timing::Timing;
use crate::packet::{Body, Packet};
use crate::record::{DropReason, Record, Recorder};
use crate::units::{Span, Time};
use flow::{FlowAccount, Lost};
use timeline::{ATTEMPT_DATA, ATTEMPT_RTS, Attempt, Journey, Mode};

/// The copy of a packet that is being handed to its transport.
#[derive(Debug, Clone, Copy)]
struct Arriving {
    parts: [u64; DelayPart::COUNT],
    seq: u64,
    sent: Time,
}

/// The ledger of a run.
#[derive(Debug)]
pub struct Ledger {
    start: Time,
    /// Pauses shorter than this end no busy period.
    pause: Span,
    nodes: Vec<Timeline>,
    /// By packet of the arena.
    journeys: Vec<Journey>,
    flows: Vec<FlowAccount>,
    arriving: Arriving,
    /// What the idle time at the end of a run goes to at each source.
    limits: Vec<Cause>,
    sources: Vec<NodeId>,
}

impl Ledger {
    /// An empty ledger for a configuration.
    pub fn new(config: &Config) -> Self {
        let config = &*config.measured();
        let timing = Timing::new(&config.radio, &config.mac);
        let mut nodes: Vec<Timeline> = config.nodes.iter().map(|_| Timeline::new()).collect();
        for flow in &config.flows {
            nodes[flow.from as usize].is_source = true;
        }
        Ledger {
            start: Time::ZERO,
            pause: timing.difs,
            nodes,
            journeys: Vec::new(),
            flows: config.flows.iter().map(|_| FlowAccount::default()).collect(),
            arriving: Arriving { parts: [0; DelayPart::COUNT], seq: 0, sent: Time::ZERO },
            limits: vec![Cause::SenderLimited; config.flows.len()],
            sources: config.flows.iter().map(|flow| NodeId(flow.from)).collect(),
        }
    }

    // ---- the medium ------------------------------------------------------------------------------------------

    /// A sensed frame will be on the air at `node`. Where it begins a busy period, [`Timeline::begin_busy`] has to follow.
    #[inline(always)]
    pub fn hear(&mut self, node: NodeId, start: Time, end: Time) -> Option<&mut Timeline> {
        let line = &mut self.nodes[node.index()];
        if line.hear(start, end, self.pause) { None } else { Some(line) }
    }

    /// A frame for `node` will be in error for reasons of the channel.
    pub fn errored(&mut self, node: NodeId, slot: u32) {
        self.nodes[node.index()].errored = slot;
    }

    /// True when the channel hit that frame for `node`.
    pub fn is_errored(&self, node: NodeId, slot: u32) -> bool {
        self.nodes[node.index()].errored == slot
    }

    /// When the last two frames of `node` began and ended, by their place in the air slots.
    #[inline]
    pub fn sent(&self, node: NodeId) -> &[(Time, Time); 2] {
        &self.nodes[node.index()].sent
    }

    /// True while `node` is in an exchange of its own.
    pub fn is_exchanging(&self, node: NodeId) -> bool {
        self.nodes[node.index()].attempt.open
    }

    /// A frame for `node` has ended there, received.
    #[inline]
    pub fn received(&mut self, now: Time, node: NodeId, frame: &Frame) {
        let line = &mut self.nodes[node.index()];
        line.received(now, frame.airtime);
        if matches!(frame.kind, FrameKind::Rts | FrameKind::Data) {
            line.asked = (frame.src, now);
        }
    }

    /// What the attempt under way at `node` towards `to` will have failed of, if it fails.
    #[inline]
    pub fn judge(&mut self, node: NodeId, to: NodeId, verdict: Verdict) {
        let attempt = &mut self.nodes[node.index()].attempt;
        if attempt.open && attempt.to == to {
            attempt.verdict = verdict;
        }
    }

    /// Why the attempt under way at `node`, which has failed, did so, as far as its frames tell; and its receiver.
    pub fn verdict(&mut self, node: NodeId) -> (Verdict, NodeId) {
        let Attempt { to, since, mut verdict, .. } = self.nodes[node.index()].attempt;
        let is_question = matches!(verdict.frame, FrameKind::Rts | FrameKind::Data);
        if is_question && verdict == Verdict::unknown(verdict.frame) {
            let (asked_by, at) = self.nodes[to.index()].asked;
            if asked_by == node && at > since {
                // The receiver has had it, and no answer was sent.
                verdict.failure = Failure::NoAnswer;
                self.nodes[node.index()].attempt.verdict = verdict;
            }
        }
        (verdict, to)
    }

    // ---- the MAC ---------------------------------------------------------------------------------------------

    /// A packet waits for the medium at `node`: a [`QuietPlan`] is needed to account its time.
    pub fn contends(&self, node: NodeId) -> bool {
        self.nodes[node.index()].has_packet
    }

    /// Accounts the time of `node` up to `now`; `plan` tells how a waiting packet spent the quiet time at its end.
    #[inline]
    pub fn settle(&mut self, now: Time, node: NodeId, plan: impl FnOnce() -> QuietPlan) {
        self.nodes[node.index()].settle(now, plan);
    }

    /// `node`, settled up to now and not off, will send after SIFS, at `at`: an answer, or the data frame it asked for.
    #[inline]
    pub(crate) fn on_sifs_begins(&mut self, now: Time, node: NodeId, at: Time, phase: impl FnOnce() -> Phase) {
        let line = &mut self.nodes[node.index()];
        line.decide_wait(true);
        line.run_ahead(Cause::Sifs as usize, at);
        if line.attempt.open && phase() == Phase::SifsData {
            if matches!(line.attempt.verdict.frame, FrameKind::Data | FrameKind::Ack) {
                line.keep_fragment(now);
            }
            // Asked for, but the medium may be busy when it is due.
            line.attempt.verdict = Verdict { failure: Failure::NoAnswer, frame: FrameKind::Data, by: None };
        }
    }

    /// A frame begins in a place of the air slots of its transmitter, which is settled up to now; nowhere if that is off.
    /// `reply` is what the MAC owes to another exchange.
    #[inline(always)]
    pub(crate) fn on_transmit(
        &mut self,
        now: Time,
        place: Option<usize>,
        frame: &Frame,
        reply: impl FnOnce() -> Reply,
    ) {
        let line = &mut self.nodes[frame.src.index()];
        let end = now + frame.airtime;
        if let Some(place) = place {
            line.sent[place] = (now, end);
        }
        let goes_to = |account| if place.is_some() { account } else { Cause::Off as usize };
        match frame.kind {
            FrameKind::Cts | FrameKind::Ack => {
                let is_cts = frame.kind == FrameKind::Cts;
                line.run_ahead(goes_to(if is_cts { Cause::Cts } else { Cause::MacAck } as usize), end);
                match reply() {
                    Reply::AwaitData { until, .. } if is_cts => line.wait_until(until),
                    _ => line.leave_wait(),
                }
                // The answer is on its way: unless it is heard, the channel has lost it.
                self.judge(frame.dst, frame.src, Verdict::unknown(frame.kind));
                return;
            }
            FrameKind::Rts => line.run_ahead(goes_to(ATTEMPT_RTS), end),
            FrameKind::Data => {
                if frame.dst == NodeId::BROADCAST {
                    line.run_ahead(goes_to(line.attempt.class as usize), end);
                    self.journeys[frame.body.index()].enter(now, Stage::Attempt);
                    return;
                }
                line.run_ahead(goes_to(ATTEMPT_DATA), end);
            }
        }
        line.wait_until(Time::NEVER);
        let attempt = &mut line.attempt;
        (attempt.since, attempt.verdict) = (now, Verdict::unknown(frame.kind));
        if !attempt.open {
            (attempt.open, attempt.to, attempt.packet) = (true, frame.dst, frame.body);
            line.links.begin_attempt(now);
            self.journeys[frame.body.index()].enter(now, Stage::Attempt);
        }
    }

    /// The MAC of `node`, settled up to now, is done with its packet.
    pub fn on_done(&mut self, now: Time, node: NodeId) {
        let line = &mut self.nodes[node.index()];
        if line.attempt.open {
            line.links.succeed(now);
            line.close_attempt(None);
        }
        line.has_packet = false;
        line.leave_wait();
    }

    /// The attempt under way at `node`, settled up to now, has failed: no answer came in time, or the medium was busy when
    /// the data frame was due.
    pub fn on_failure(&mut self, now: Time, node: NodeId, given_up: bool) {
        let line = &mut self.nodes[node.index()];
        let verdict = line.attempt.verdict;
        line.links.fail(now, verdict, given_up);
        line.close_attempt(Some(verdict.failure));
        line.leave_wait();
        let journey = &mut self.journeys[line.attempt.packet.index()];
        journey.spend(now, DelayPart::Retries);
        journey.stage = if given_up { Stage::GivenUp } else { Stage::Contention };
    }

    /// A node's radio goes off or comes back; its time up to `now` is accounted.
    pub fn power(&mut self, node: NodeId, is_off: bool) {
        self.nodes[node.index()].is_off = is_off;
    }

    // ---- packets ---------------------------------------------------------------------------------------------

    /// A packet comes into being.
    pub fn created(&mut self, now: Time, packet: PacketId) {
        self.keep(packet, Journey::new(now));
    }

    /// A receiver gets `copy` of `packet`, whose attempt brought it across.
    pub fn copied(&mut self, now: Time, packet: PacketId, copy: PacketId) {
        let mut journey = self.journeys[packet.index()];
        journey.enter(now, Stage::Processing);
        self.keep(copy, journey);
    }

    fn keep(&mut self, packet: PacketId, journey: Journey) {
        match self.journeys.get_mut(packet.index()) {
            Some(kept) => *kept = journey,
            None => self.journeys.resize(packet.index() + 1, journey),
        }
    }

    /// A packet at `node` enters another stage of its way.
    #[inline]
    pub fn enter(&mut self, now: Time, node: NodeId, packet: PacketId, stage: Stage) {
        let journey = &mut self.journeys[packet.index()];
        if journey.stage == stage {
            return;
        }
        let was_held = journey.stage == Stage::Held;
        journey.enter(now, stage);
        if was_held != (stage == Stage::Held) {
            self.hold(now, node, stage == Stage::Held);
        }
    }

    /// The MAC of `node` takes a packet.
    pub fn offered(&mut self, now: Time, node: NodeId, id: PacketId, packet: &Packet) {
        self.enter(now, node, id, Stage::Contention);
        let line = &mut self.nodes[node.index()];
        line.attempt.class = class(packet);
        line.settle_if_idle(now);
        line.link_waits = false;
        line.has_packet = true;
        if line.mode == Mode::Idle {
            line.mode = Mode::Contend;
        }
        line.links.take(now, packet.next_hop);
    }

    /// One packet more, or less, waits at `node` for a route or an address.
    fn hold(&mut self, now: Time, node: NodeId, more: bool) {
        let line = &mut self.nodes[node.index()];
        line.settle_if_idle(now);
        line.held = if more { line.held + 1 } else { line.held - 1 };
    }

    /// The link layer of `node` holds its queue back until it offers the next packet.
    pub fn wait_for_link(&mut self, now: Time, node: NodeId) {
        let line = &mut self.nodes[node.index()];
        line.settle_if_idle(now);
        line.link_waits = true;
    }

    /// A packet is lost at `node`.
    pub fn dropped(&mut self, now: Time, node: NodeId, id: PacketId, packet: &Packet, reason: DropReason) {
        let stage = self.journeys[id.index()].stage;
        if stage == Stage::Held {
            self.enter(now, node, id, Stage::Processing);
        }
        if let Some(account) = self.flows.get_mut(packet.flow.index()) {
            if is_of_flow(packet) {
                let is_ack = packet.src != self.sources[packet.flow.index()];
                let verdict = (stage == Stage::GivenUp).then_some(self.nodes[node.index()].attempt.verdict);
                account.drop(Lost { is_ack, hop: u32::from(packet.hops) + 1, node, reason, verdict });
            }
        }
    }

    /// A packet comes to its destination; the record [`Record::DataReceived`] tells what it was worth.
    pub fn arrives(&mut self, now: Time, id: PacketId, packet: &Packet) {
        let journey = &mut self.journeys[id.index()];
        journey.enter(now, Stage::Processing);
        let seq = if let Body::Tcp(segment) = packet.body { segment.seq } else { 0 };
        self.arriving = Arriving { parts: journey.parts, seq, sent: packet.sent };
    }

    // ---- transport -------------------------------------------------------------------------------------------

    /// A data segment of a flow leaves its source, everything below `una` being acknowledged.
    pub fn segment_sent(&mut self, now: Time, flow: FlowId, seq: u64, una: u64, again: bool) {
        self.flows[flow.index()].sent(now, seq, una, again);
    }

    /// Something happened at the source of a flow that tells why it was idle; `limit` is what limits it now.
    pub fn source_event(&mut self, now: Time, flow: FlowId, why: Cause, limit: Cause) {
        self.limits[flow.index()] = limit;
        self.nodes[self.sources[flow.index()].index()].explain_idle(now, why);
    }

    // ---- the run ---------------------------------------------------------------------------------------------

    /// The measured time begins at `now`, up to which every node is settled.
    pub fn restart(&mut self, now: Time) {
        self.start = now;
        self.nodes.iter_mut().for_each(|line| line.restart(now));
        self.flows.iter_mut().for_each(FlowAccount::restart);
    }
}

/// What the airtime of a packet counts as.
fn class(packet: &Packet) -> Cause {
    match packet.body {
        Body::Tcp(segment) if segment.len == 0 => Cause::TransportAck,
        Body::Tcp(segment) if segment.retransmission => Cause::DataAgain,
        Body::Tcp(_) | Body::Udp { .. } | Body::Opaque { .. } => Cause::Data,
        Body::Arp { .. } | Body::Aodv(_) | Body::Routing | Body::Notice(_) => Cause::Routing,
    }
}

fn is_of_flow(packet: &Packet) -> bool {
    matches!(packet.body, Body::Tcp(_) | Body::Udp { .. })
}

impl Recorder for Ledger {
    const LEDGER: bool = true;

    fn ledger(&mut self) -> Option<&mut Ledger> {
        Some(self)
    }

    #[inline]
    fn record(&mut self, _now: Time, record: &Record) {
        if let Record::DataReceived { flow, duplicate, retransmission, delay, .. } = *record {
            let Arriving { mut parts, seq, sent } = self.arriving;
            debug_assert_eq!(parts.iter().sum::<u64>(), delay.0, "the parts of a delay are the delay");
            let account = &mut self.flows[flow.index()];
            if retransmission && !duplicate {
                parts[DelayPart::Timeout as usize] = account.wait_until(seq, sent);
            }
            account.received(&parts);
        }
    }
}
