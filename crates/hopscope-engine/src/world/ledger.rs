//! What the airtime ledger is told. Nothing of this is compiled into a run that keeps none.

use super::World;
use crate::channel::Link;
use crate::ids::{NodeId, PacketId, SocketId};
use crate::iface::AirSlots;
use crate::iface::Wifi;
use crate::ledger::{Cause, Failure, LedgerResult, Stage, Timeline, Verdict};
use crate::mac::contention::Station;
use crate::mac::dcf::{Frame, FrameKind, Outcome, Phase};
use crate::mac::rules::StationRules;
use crate::packet::Body;
use crate::phy::Arrival;
use crate::record::{DropReason, Recorder};
use crate::transport::Timer;
use crate::transport::tcp::SenderStats;
use crate::units::{Span, Time};

/// What the ledger knows of a source before an input.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceBefore {
    has_data: bool,
    timeouts: u64,
}

/// A frame that a node has sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    /// First instant on the air.
    start: Time,
    /// Last instant.
    end: Time,
    /// Receiver.
    to: NodeId,
    /// A CTS or an ACK, which leaves after SIFS without listening.
    is_answer: bool,
}

/// A frame will be on the air at a station for a time of the given start and length.
#[inline(always)]
pub(super) fn hear<R: Recorder>(
    recorder: &mut R,
    station: &mut Station,
    rules: &StationRules,
    now: Time,
    node: NodeId,
    (start, airtime): (Time, Span),
    flags: u8,
) {
    if let Some(ledger) = recorder.ledger() {
        if flags & Arrival::SENSED != 0 {
            let end = start + airtime;
            if let Some(line) = ledger.hear(node, start, end) {
                begin_busy(line, station, rules, now, (start, end));
            }
        }
    }
}

/// A frame begins a busy period around a station.
#[inline(never)]
fn begin_busy(line: &mut Timeline, station: &mut Station, rules: &StationRules, now: Time, (start, end): (Time, Time)) {
    line.begin_busy(start, end, || {
        station.catch_up(now, rules);
        station.quiet_plan(rules)
    });
}

/// Remembers a frame that the channel hit on its way to its receiver.
pub(super) fn note_error<R: Recorder>(recorder: &mut R, node: NodeId, slot: u32, flags: u8) {
    if let Some(ledger) = recorder.ledger() {
        if flags & Arrival::FOR_ME != 0 && flags & Arrival::ERRORED != 0 {
            ledger.errored(node, slot);
        }
    }
}

impl<R: Recorder> World<R> {
    /// Accounts the time of a node up to `until`, before which nothing more happens.
    fn ledger_settle(&mut self, node: NodeId, until: Time) {
        if let Some(ledger) = self.recorder.ledger() {
            let Wifi { station, rules, .. } = &mut self.wifi[node];
            let rules = &self.rules.of(*rules).station;
            if ledger.contends(node) {
                station.catch_up(until, rules);
            }
            ledger.settle(until, node, || station.quiet_plan(rules));
        }
    }

    /// Starts the measured time of the ledger at `start`, before which nothing more happens.
    pub fn restart_ledger(&mut self, start: Time) {
        if R::LEDGER {
            self.settle_all(start);
            if let Some(ledger) = self.recorder.ledger() {
                ledger.restart(start);
            }
        }
    }

    /// What the ledger says of the time up to now; none where none is kept.
    pub fn ledger_result(&mut self) -> Option<LedgerResult> {
        if R::LEDGER {
            self.settle_all(self.now);
        }
        let listeners = &self.listeners;
        self.recorder.ledger().map(|ledger| ledger.result(self.now, |node| listeners.include(node)))
    }

    fn settle_all(&mut self, until: Time) {
        for node in 0..self.nodes() as u32 {
            self.ledger_settle(NodeId(node), until);
        }
    }

    // ---- MAC and medium --------------------------------------------------------------------------------------

    /// A station whose edges have been applied will act on its own: its access has come, or an answer has not.
    #[inline]
    pub(super) fn ledger_before_mac(&mut self, node: NodeId) {
        if let Some(ledger) = self.recorder.ledger() {
            let Wifi { station, rules, .. } = &self.wifi[node];
            ledger.settle(self.now, node, || station.quiet_plan(&self.rules.of(*rules).station));
        }
    }

    /// A frame begins in an air slot. Its transmitter is settled: by [`World::ledger_before_mac`], or by the SIFS before.
    #[inline(always)]
    pub(super) fn ledger_transmit(&mut self, frame: &Frame, slot: u32) {
        if let Some(ledger) = self.recorder.ledger() {
            let reply = || self.wifi[frame.src].mac.reply();
            ledger.on_transmit(self.now, Some((slot & 1) as usize), frame, reply);
            if !self.outages.never() {
                self.ledger_deaf(frame);
            }
        }
    }

    /// The MAC sends a frame, but the radio is off.
    #[cold]
    pub(super) fn ledger_transmit_off(&mut self, frame: &Frame) {
        if let Some(ledger) = self.recorder.ledger() {
            let reply = || self.wifi[frame.src].mac.reply();
            ledger.on_transmit(self.now, None, frame, reply);
        }
    }

    /// A frame begins whose receiver may be off.
    #[cold]
    fn ledger_deaf(&mut self, frame: &Frame) {
        if frame.dst != NodeId::BROADCAST && self.is_off(frame.dst) {
            if let Some(ledger) = self.recorder.ledger() {
                let verdict = Verdict { failure: Failure::NoAnswer, frame: frame.kind, by: None };
                ledger.judge(frame.src, frame.dst, verdict);
            }
        }
    }

    /// The MAC of `node` has handled a frame and will send after SIFS.
    #[inline]
    pub(super) fn ledger_sifs(&mut self, node: NodeId, at: Time) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.on_sifs_begins(self.now, node, at, || self.wifi[node].mac.phase());
        }
    }

    /// The MAC of `node` has neither sent nor armed a SIFS: its attempt may have failed, though the packet is not given up.
    #[inline]
    pub(super) fn ledger_retry(&mut self, node: NodeId) {
        if let Some(ledger) = self.recorder.ledger() {
            if ledger.is_exchanging(node) && self.wifi[node].mac.phase() == Phase::Contend {
                self.ledger_failure(node, false);
            }
        }
    }

    /// The MAC of `node` is done with its packet.
    #[inline]
    pub(super) fn ledger_done(&mut self, node: NodeId, outcome: Outcome) {
        if R::LEDGER {
            match outcome {
                Outcome::Incomplete => return,
                Outcome::Sent => {}
                Outcome::RetryLimit => self.ledger_failure(node, true),
            }
            if let Some(ledger) = self.recorder.ledger() {
                ledger.on_done(self.now, node);
            }
        }
    }

    /// The attempt under way at `node` has failed.
    #[inline(never)]
    fn ledger_failure(&mut self, node: NodeId, given_up: bool) {
        let Some(ledger) = self.recorder.ledger() else { return };
        let (verdict, to) = ledger.verdict(node);
        if verdict == (Verdict { failure: Failure::NoAnswer, frame: FrameKind::Rts, by: None }) {
            self.find_silencer(node, to);
        }
        if let Some(ledger) = self.recorder.ledger() {
            ledger.on_failure(self.now, node, given_up);
        }
    }

    /// A frame for `node` has ended there, received.
    #[inline]
    pub(super) fn ledger_received(&mut self, node: NodeId, frame: &Frame) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.received(self.now, node, frame);
        }
    }

    /// A frame for `node` has ended there, lost.
    #[cold]
    pub(super) fn ledger_lost(&mut self, node: NodeId, slot: u32) {
        let Frame { kind, src, dst, airtime, .. } = self.sent_in(slot);
        if dst == node {
            let (failure, by) = self.diagnose(node, slot, src, airtime);
            let (asked, other) = if matches!(kind, FrameKind::Rts | FrameKind::Data) { (src, dst) } else { (dst, src) };
            if let Some(ledger) = self.recorder.ledger() {
                ledger.judge(asked, other, Verdict { failure, frame: kind, by });
            }
        }
    }

    /// Why a frame of `src` that ends now at `node` was lost there, and whose fault it was.
    #[inline]
    fn diagnose(&mut self, node: NodeId, slot: u32, src: NodeId, airtime: Span) -> (Failure, Option<NodeId>) {
        let now = self.now;
        let begun = Time(now.0 - airtime.0);
        let is_off = self.is_off(node);
        let Some(ledger) = self.recorder.ledger() else { return (Failure::Channel, None) };
        if ledger.is_errored(node, slot) {
            return (Failure::Channel, None);
        }
        if is_off {
            return (Failure::NoAnswer, None);
        }
        let slot_time = self.rules.of(0).station.timing.slot;
        let mut own = last_frames(&self.wifi[node].air, ledger.sent(node)).into_iter();
        if let Some(own) = own.find(|own| own.start < now && own.end > begun) {
            let is_same_slot = own.start.0.abs_diff(begun.0) < slot_time.0;
            return if is_same_slot { (Failure::Collision, Some(node)) } else { (Failure::NoAnswer, Some(node)) };
        }
        let Some((by, start)) = self.loudest(node, src, begun, now) else { return (Failure::Channel, None) };
        let (failure, by) = self.blame(src, by, Failure::Overlap);
        let is_same_slot = failure == Failure::Overlap && start.0.abs_diff(begun.0) < slot_time.0;
        (if is_same_slot { Failure::Collision } else { failure }, Some(by.0))
    }

    /// The strongest frame on the air at `node` between two instants that is not from `src`, and when it began there.
    fn loudest(&mut self, node: NodeId, src: NodeId, from: Time, until: Time) -> Option<((NodeId, Sent), Time)> {
        let ledger = self.recorder.ledger()?;
        let mut loudest: Option<&Link> = None;
        // Who is heard at `node` hears it: links have the same power both ways.
        for link in self.medium.hearers(node) {
            let delay = link.delay();
            let overlaps = |&(start, end): &(Time, Time)| start + delay < until && end + delay > from;
            if loudest.is_none_or(|other| link.power > other.power)
                && link.to != src
                && ledger.sent(link.to).iter().any(overlaps)
            {
                loudest = Some(link);
            }
        }
        let link = loudest?;
        let delay = link.delay();
        let mut sent = last_frames(&self.wifi[link.to].air, ledger.sent(link.to)).into_iter();
        let frame = sent.find(|frame| frame.start + delay < until && frame.end + delay > from)?;
        Some(((link.to, frame), frame.start + delay))
    }

    /// Whom a frame of another station is to be blamed on that got in the way of `src`: its transmitter, or the station
    /// that it answers, if `src` cannot sense that one. `otherwise` where both can be sensed.
    fn blame(&self, src: NodeId, (by, frame): (NodeId, Sent), otherwise: Failure) -> (Failure, (NodeId, Sent)) {
        let senses = |other| {
            let mut hearers = self.medium.hearers(src).iter();
            other == src || hearers.any(|link| link.to == other && link.flags & Arrival::SENSED != 0)
        };
        if !senses(by) {
            (Failure::Hidden, (by, frame))
        } else if frame.is_answer && !senses(frame.to) {
            (Failure::Hidden, (frame.to, frame))
        } else {
            (otherwise, (by, frame))
        }
    }

    /// Finds out who kept `to` from answering the RTS of `src`: who was on the air when the answer was due, or else who
    /// of those it can decode had sent last.
    #[cold]
    fn find_silencer(&mut self, src: NodeId, to: NodeId) {
        if self.is_off(to) {
            return;
        }
        let Some(ledger) = self.recorder.ledger() else { return };
        let [_, request] = last_frames(&self.wifi[src].air, ledger.sent(src));
        let due = request.end + self.rules.of(0).station.timing.sifs;
        let is_exchanging = ledger.is_exchanging(to);
        let on_air = self.loudest(to, src, due, due + self.rules.of(0).station.timing.slot).map(|(frame, _)| frame);
        let (failure, by) = if is_exchanging {
            (Failure::NoAnswer, to)
        } else if let Some(frame) = on_air.or_else(|| self.last_decodable(to, src, due)) {
            let (failure, (by, _)) = self.blame(src, frame, Failure::NoAnswer);
            (failure, by)
        } else {
            return;
        };
        if let Some(ledger) = self.recorder.ledger() {
            ledger.judge(src, to, Verdict { failure, frame: FrameKind::Rts, by: Some(by) });
        }
    }

    /// The last frame before `before` of a station that `node` can decode and that is not `src`: it will have reserved
    /// the medium.
    fn last_decodable(&mut self, node: NodeId, src: NodeId, before: Time) -> Option<(NodeId, Sent)> {
        let ledger = self.recorder.ledger()?;
        let near = self.medium.neighbours(node).filter(|&other| other != src);
        let sent = |other: NodeId| last_frames(&self.wifi[other].air, ledger.sent(other));
        let frames = near.flat_map(|other| sent(other).map(|frame| (other, frame)));
        frames.filter(|(_, frame)| frame.end > Time::ZERO && frame.end <= before).max_by_key(|(_, frame)| frame.end)
    }

    /// The radio of a node has gone off or come back.
    pub(super) fn ledger_power(&mut self, node: NodeId) {
        if R::LEDGER {
            self.ledger_settle(node, self.now);
            let is_off = self.is_off(node);
            if let Some(ledger) = self.recorder.ledger() {
                ledger.power(node, is_off);
            }
        }
    }

    // ---- packets ---------------------------------------------------------------------------------------------

    #[inline]
    pub(super) fn ledger_new(&mut self, id: PacketId) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.created(self.now, id);
        }
    }

    #[inline]
    pub(super) fn ledger_copy(&mut self, packet: PacketId, copy: PacketId) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.copied(self.now, packet, copy);
        }
    }

    #[inline]
    pub(super) fn ledger_stage(&mut self, node: NodeId, id: PacketId, stage: Stage) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.enter(self.now, node, id, stage);
        }
    }

    #[inline]
    pub(super) fn ledger_offer(&mut self, node: NodeId, id: PacketId) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.offered(self.now, node, id, self.packets.get(id));
        }
    }

    #[inline]
    pub(super) fn ledger_link_waits(&mut self, node: NodeId) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.wait_for_link(self.now, node);
        }
    }

    #[inline]
    pub(super) fn ledger_drop(&mut self, node: NodeId, id: PacketId, reason: DropReason) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.dropped(self.now, node, id, self.packets.get(id), reason);
        }
    }

    #[inline]
    pub(super) fn ledger_arrival(&mut self, node: NodeId, id: PacketId) {
        if let Some(ledger) = self.recorder.ledger() {
            let packet = self.packets.get(id);
            if packet.dst == node {
                ledger.arrives(self.now, id, packet);
            }
        }
    }

    // ---- transport -------------------------------------------------------------------------------------------

    #[inline]
    pub(super) fn ledger_segment(&mut self, socket: SocketId, body: &Body) {
        let Some(ledger) = self.recorder.ledger() else { return };
        let socket = &self.sockets[socket];
        if let (Some(sender), Body::Tcp(segment)) = (socket.endpoint.sender(), body) {
            ledger.segment_sent(self.now, socket.sends, segment.seq, sender.una(), segment.retransmission);
        }
    }

    #[inline]
    pub(super) fn ledger_source(&mut self, socket: SocketId) -> SourceBefore {
        if !R::LEDGER {
            return SourceBefore::default();
        }
        match self.sockets[socket].endpoint.sender() {
            Some(sender) => SourceBefore { has_data: sender.backlog() > 0, timeouts: timeouts(sender.stats()) },
            None => SourceBefore::default(),
        }
    }

    /// A socket has handled an ACK, a call of its application, or a timer.
    #[inline]
    pub(super) fn ledger_source_event(&mut self, socket: SocketId, before: SourceBefore, timer: Option<Timer>) {
        let flow = self.sockets[socket].sends;
        if !R::LEDGER || self.flows[flow.index()].socket != socket {
            return; // not a source
        }
        let after = self.ledger_source(socket);
        let waiting = |has_data| if has_data { Cause::WindowClosed } else { Cause::SenderLimited };
        let why = match timer {
            _ if after.timeouts > before.timeouts => Cause::Timeout,
            Some(Timer::Pacing) => Cause::Paced,
            Some(_) => return,
            None => waiting(before.has_data),
        };
        if let Some(ledger) = self.recorder.ledger() {
            ledger.source_event(self.now, flow, why, waiting(after.has_data));
        }
    }
}

/// The last two frames of a node, in order.
fn last_frames(air: &AirSlots, sent: &[(Time, Time); 2]) -> [Sent; 2] {
    let next = air.next();
    [next, next ^ 1].map(|slot| {
        let (start, end) = sent[slot as usize];
        let (kind, to) = air.addressed(slot);
        Sent { start, end, to, is_answer: matches!(kind, FrameKind::Cts | FrameKind::Ack) }
    })
}

/// Times that a timer made the sender send again, or probe.
fn timeouts(stats: &SenderStats) -> u64 {
    stats.timeouts + stats.syn_retransmissions + stats.probes
}
