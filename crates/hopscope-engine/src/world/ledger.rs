//! What the airtime ledger is told. Nothing of this is compiled into a run that keeps none.

use super::World;
use super::flow::Endpoint;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::ledger::{Cause, Failure, LedgerResult, Sent, Stage, Verdict};
use crate::mac::contention::{QuietPlan, Station, StationRules};
use crate::mac::dcf::{Frame, FrameKind, MacEffects, Phase};
use crate::packet::tcp::TcpSegment;
use crate::phy::Arrival;
use crate::record::{DropReason, Recorder};
use crate::transport::tcp::{SenderStats, TcpTimer};
use crate::units::{Span, Time};

/// What the ledger knows of a source before an input.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceBefore {
    has_data: bool,
    timeouts: u64,
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
        if flags & Arrival::SENSED != 0 && !ledger.hear(node, start, start + airtime) {
            let plan = if ledger.contends(node) {
                station.catch_up(now, rules);
                station.quiet_plan(rules)
            } else {
                QuietPlan::NONE
            };
            ledger.begin_busy(node, start, start + airtime, plan);
        }
    }
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
    #[inline(never)]
    fn ledger_settle(&mut self, node: NodeId, until: Time) {
        if let Some(ledger) = self.recorder.ledger() {
            let plan = if ledger.contends(node) {
                let station = &mut self.stations[node.index()];
                station.catch_up(until, &self.rules.station);
                station.quiet_plan(&self.rules.station)
            } else {
                QuietPlan::NONE
            };
            ledger.settle(until, node, &plan);
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

    #[inline]
    pub(super) fn ledger_before_mac(&mut self, node: NodeId) {
        if self.recorder.ledger().is_some_and(|ledger| !ledger.is_settled(self.now, node)) {
            self.ledger_settle(node, self.now);
        }
    }

    #[inline]
    pub(super) fn ledger_after_mac(&mut self, node: NodeId, out: &MacEffects) {
        if !R::LEDGER {
            return;
        }
        let failed =
            out.transmit.is_none() && (out.done.is_some() || self.macs[node.index()].phase() == Phase::Contend);
        if failed {
            if let Some(to) = self.recorder.ledger().and_then(|ledger| ledger.unanswered(node)) {
                self.find_silencer(node, to);
            }
        }
        if let Some(ledger) = self.recorder.ledger() {
            let data = out.transmit.as_ref().filter(|frame| frame.kind == FrameKind::Data);
            let sending = data.map(|frame| self.packets.get(frame.packet));
            ledger.on_mac(self.now, node, &self.macs[node.index()], out, sending);
        }
    }

    #[inline]
    pub(super) fn ledger_on_air(&mut self, frame: &Frame) {
        if !R::LEDGER {
            return;
        }
        let is_deaf = frame.dst != NodeId::BROADCAST && self.is_off(frame.dst);
        if let Some(ledger) = self.recorder.ledger() {
            let is_answer = matches!(frame.kind, FrameKind::Cts | FrameKind::Ack);
            let end = self.now + frame.airtime;
            ledger.on_air(frame.src, Sent { start: self.now, end, to: frame.dst, is_answer });
            if is_deaf {
                let verdict = Verdict { failure: Failure::NoAnswer, frame: frame.kind, by: None };
                ledger.judge(frame.src, frame.dst, verdict);
            }
        }
    }

    /// A frame for `node` has ended there.
    #[inline]
    pub(super) fn ledger_rx_end(&mut self, node: NodeId, slot: u32, received: bool) {
        let Frame { kind, src, dst, airtime, .. } = self.air[(slot / 2) as usize].frames[(slot % 2) as usize];
        if received {
            if let Some(ledger) = self.recorder.ledger() {
                ledger.received(self.now, node, airtime);
                if dst == node && matches!(kind, FrameKind::Rts | FrameKind::Data) {
                    ledger.judge(src, dst, Verdict { failure: Failure::NoAnswer, frame: kind, by: None });
                }
            }
        } else if dst == node {
            let (failure, by) = self.diagnose(node, slot, src, airtime);
            let (asked, other) = if matches!(kind, FrameKind::Rts | FrameKind::Data) { (src, dst) } else { (dst, src) };
            if let Some(ledger) = self.recorder.ledger() {
                ledger.judge(asked, other, Verdict { failure, frame: kind, by });
            }
        }
    }

    /// Why a frame of `src` that ends now at `node` was lost there, and whose fault it was.
    #[cold]
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
        let slot_time = self.rules.station.timing.slot;
        if let Some(own) = ledger.last_frames(node).iter().find(|own| own.start < now && own.end > begun) {
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
        let mut loudest: Option<(f32, (NodeId, Sent), Time)> = None;
        // Who is heard at `node` hears it: links have the same power both ways.
        for link in self.medium.hearers(node).iter().filter(|link| link.to != src) {
            let delay = Span(u64::from(link.delay));
            let mut sent = ledger.last_frames(link.to).iter();
            if let Some(frame) = sent.find(|frame| frame.start + delay < until && frame.end + delay > from) {
                if loudest.is_none_or(|(power, ..)| link.power > power) {
                    loudest = Some((link.power, (link.to, *frame), frame.start + delay));
                }
            }
        }
        loudest.map(|(_, frame, start)| (frame, start))
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
        let due = ledger.last_frames(src)[1].end + self.rules.station.timing.sifs;
        let is_exchanging = ledger.is_exchanging(to);
        let on_air = self.loudest(to, src, due, due + self.rules.station.timing.slot).map(|(frame, _)| frame);
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
        let frames = near.flat_map(|other| ledger.last_frames(other).iter().map(move |frame| (other, *frame)));
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
    pub(super) fn ledger_offer(&mut self, node: NodeId, id: PacketId, to: NodeId) {
        if let Some(ledger) = self.recorder.ledger() {
            ledger.offered(self.now, node, id, to);
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

    pub(super) fn ledger_segment(&mut self, flow: FlowId, segment: &TcpSegment) {
        let Endpoint::Tcp { sender, .. } = &self.flows[flow.index()].endpoint else { return };
        if let Some(ledger) = self.recorder.ledger() {
            ledger.segment_sent(self.now, flow, segment.seq, sender.una(), segment.retransmission);
        }
    }

    #[inline]
    pub(super) fn ledger_source(&mut self, flow: FlowId) -> SourceBefore {
        if !R::LEDGER {
            return SourceBefore::default();
        }
        match &self.flows[flow.index()].endpoint {
            Endpoint::Tcp { sender, .. } => {
                SourceBefore { has_data: sender.backlog() > 0, timeouts: timeouts(sender.stats()) }
            }
            Endpoint::Udp(_) => SourceBefore::default(),
        }
    }

    /// The source of a flow has handled an ACK, a call of its application, or a timer.
    #[inline]
    pub(super) fn ledger_source_event(&mut self, flow: FlowId, before: SourceBefore, timer: Option<TcpTimer>) {
        if !R::LEDGER {
            return;
        }
        let after = self.ledger_source(flow);
        let waiting = |has_data| if has_data { Cause::WindowClosed } else { Cause::SenderLimited };
        let why = match timer {
            _ if after.timeouts > before.timeouts => Cause::Timeout,
            Some(TcpTimer::Pacing) => Cause::Paced,
            Some(_) => return,
            None => waiting(before.has_data),
        };
        if let Some(ledger) = self.recorder.ledger() {
            ledger.source_event(self.now, flow, why, waiting(after.has_data));
        }
    }
}

/// Times that a timer made the sender send again, or probe.
fn timeouts(stats: &SenderStats) -> u64 {
    stats.timeouts + stats.syn_retransmissions + stats.probes
}
