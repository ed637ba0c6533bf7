//! What the MAC does: frames, attempts and how the exchange of a packet ends.

use super::journey::Stage;
use super::timeline::{ATTEMPT_DATA, ATTEMPT_RTS};
use super::{Cause, Diagnosis, Failure, Ledger, flow};
use crate::record::NetworkView;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_mac::dcf::{Frame, FrameKind, Outcome};

impl Ledger {
    /// `node`, settled up to now, will send after SIFS, at `at`: an answer, or the data frame it was asked for.
    #[inline(always)]
    pub(super) fn on_sifs_begins(&mut self, now: Time, node: NodeId, at: Time, then: FrameKind) {
        let line = &mut self.nodes[node.index()];
        // It answers the frame that it has waited for.
        line.decide_wait(true);
        line.run_ahead(Cause::Sifs as usize, at);
        if line.attempt.open && then == FrameKind::Data {
            if matches!(line.attempt.diagnosis.frame, FrameKind::Data | FrameKind::Ack) {
                line.keep_fragment(now);
            }
            // Asked for, but the medium may be busy when it is due.
            line.attempt.diagnosis = Diagnosis { failure: Failure::NoAnswer, frame: FrameKind::Data, by: None };
        }
    }

    /// A frame begins in an air slot of its transmitter, which is settled up to now; in none if the radio is off.
    #[inline(always)]
    pub(super) fn on_frame(&mut self, now: Time, slot: Option<u32>, frame: &Frame, view: &mut impl NetworkView) {
        let line = &mut self.nodes[frame.src.index()];
        let end = now + frame.airtime;
        if let Some(slot) = slot {
            line.sent[(slot & 1) as usize] = (now, end);
        }
        if self.is_qos && !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck) {
            self.on_qos_frame(now, slot, frame, view);
            return;
        }
        let goes_to = |account| if slot.is_some() { account } else { Cause::Off as usize };
        match frame.kind {
            // A CTS that a station sends to itself opens its exchange, and asks nobody.
            FrameKind::Cts if frame.dst == frame.src => {
                line.run_ahead(goes_to(Cause::Cts as usize), end);
                return;
            }
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck => {
                self.on_answer(slot.is_some(), frame, end, view);
                return;
            }
            // The last three are sent by QoS stations alone.
            FrameKind::Rts | FrameKind::BlockAckReq | FrameKind::CfEnd | FrameKind::Action => {
                line.run_ahead(goes_to(ATTEMPT_RTS), end);
            }
            FrameKind::Data => {
                // Nobody answers a broadcast (IEEE 802.11-2020 10.3.6): nothing is undecided, and no link has an
                // attempt.
                if frame.dst == NodeId::BROADCAST {
                    line.run_ahead(goes_to(line.attempt.class as usize), end);
                    self.tracker.enter(now, frame.body, Stage::Attempt);
                    return;
                }
                line.run_ahead(goes_to(ATTEMPT_DATA), end);
            }
        }
        // The end of this wait is a record of the MAC, whose rule for the timeout is not repeated here.
        line.wait_until(Time::NEVER);
        let attempt = &mut line.attempt;
        (attempt.since, attempt.diagnosis) = (now, Diagnosis::unknown(frame.kind));
        // The data frame behind a CTS and later fragments go on with the attempt that the first frame has opened.
        if !attempt.open {
            (attempt.open, attempt.to, attempt.packet) = (true, frame.dst, frame.body);
            line.links.begin_attempt(now);
            self.tracker.enter(now, frame.body, Stage::Attempt);
        }
        self.note_if_off(slot, frame, view);
    }

    /// Nobody answers where the radio of the receiver is off.
    #[inline(always)]
    pub(super) fn note_if_off(&mut self, slot: Option<u32>, frame: &Frame, view: &impl NetworkView) {
        if slot.is_some() && view.is_off(frame.dst) {
            let diagnosis = Diagnosis { failure: Failure::NoAnswer, frame: frame.kind, by: None };
            self.note_diagnosis(frame.src, frame.dst, diagnosis);
        }
    }

    /// An answer begins, which ends at `end`; on the air unless the radio is off.
    #[inline(always)]
    fn on_answer(&mut self, is_on_air: bool, frame: &Frame, end: Time, view: &impl NetworkView) {
        let line = &mut self.nodes[frame.src.index()];
        let cause = match frame.kind {
            FrameKind::Cts => Cause::Cts,
            FrameKind::BlockAck => Cause::BlockAck,
            _ => Cause::MacAck,
        };
        line.run_ahead(if is_on_air { cause } else { Cause::Off } as usize, end);
        let is_cts = frame.kind == FrameKind::Cts;
        match is_cts.then(|| view.awaits_data(frame.src)).flatten() {
            Some(until) => line.wait_until(until),
            None => line.leave_wait(),
        }
        // The answer is on its way: unless it is heard, the channel has lost it.
        self.note_diagnosis(frame.dst, frame.src, Diagnosis::unknown(frame.kind));
    }

    /// The attempt under way at `node`, settled up to now, has failed: no answer came in time, or the medium was busy
    /// when the data frame was due.
    #[inline(always)]
    pub(super) fn on_failure(&mut self, now: Time, node: NodeId, dropped: bool, view: &mut impl NetworkView) {
        // Not earlier: most attempts succeed, and a frame that was lost at its receiver has explained most of the
        // others.
        if self.is_qos {
            self.on_exchange_failed(now, node, view);
            return;
        }
        if self.nodes[node.index()].attempt.is_unexplained() {
            self.conclude(node, &view.lend());
        }
        self.fail(now, node, dropped);
    }

    /// The attempt under way at `node`, of which all is known, has failed.
    #[inline(never)]
    fn fail(&mut self, now: Time, node: NodeId, dropped: bool) {
        let line = &mut self.nodes[node.index()];
        let (diagnosis, packet) = (line.attempt.diagnosis, line.attempt.packet);
        line.links.fail(now, diagnosis, dropped);
        // Before the wait is left: while an attempt is open, the node waits on.
        line.close_attempt(Some(diagnosis.failure));
        line.leave_wait();
        self.tracker.fail(now, packet, dropped);
    }

    /// The MAC of `node`, settled up to now, is done with its packet.
    #[inline]
    pub(super) fn on_exchange_ended(
        &mut self,
        now: Time,
        node: NodeId,
        packet: PacketId,
        outcome: Outcome,
        view: &mut impl NetworkView,
    ) {
        if self.is_qos {
            self.on_qos_ended(now, node, packet, outcome, view);
            return;
        }
        match outcome {
            Outcome::Sent => self.on_acknowledged(node, packet, view),
            Outcome::RetryLimit => self.on_failure(now, node, true, view),
            // This is the end of fragments that the node has received, not of a packet of its own.
            Outcome::Incomplete => return,
        }
        let line = &mut self.nodes[node.index()];
        // A retry limit has closed it already, and a broadcast has opened none.
        if line.attempt.open {
            line.links.succeed(now);
            line.close_attempt(None);
        }
        line.has_packet = false;
        line.leave_wait();
    }

    /// The next node has acknowledged a packet of `node`.
    #[inline]
    pub(super) fn on_acknowledged(&mut self, node: NodeId, id: PacketId, view: &impl NetworkView) {
        let unnoticed = || {
            let hop = u32::from(view.packet(id).hops) + 1;
            flow::Lost { hop, node, reason: None, diagnosis: None }
        };
        self.tracker.pass_on(id, unnoticed, &mut self.flows);
    }
}
