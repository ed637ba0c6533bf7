//! Why attempts fail: what the radio says of each frame that was lost, and who kept a station from answering.

use super::Ledger;
use super::cause::{Diagnosis, Failure};
use super::timeline::Attempt;
use crate::record::{NetworkView, flight, link_between};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_mac::dcf::{Frame, FrameKind};
use hopscope_phy::channel::Link;
use hopscope_phy::phy::{Arrival, RxOutcome};

/// A frame that a node has sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    by: NodeId,
    /// First instant on the air.
    start: Time,
    /// Last instant.
    end: Time,
    /// Receiver.
    to: NodeId,
    /// A CTS or an ACK, which leaves after SIFS without listening.
    is_answer: bool,
}

impl Sent {
    /// True when it is on the air between two instants where it comes a flight later.
    fn overlaps(&self, delay: Span, from: Time, until: Time) -> bool {
        self.end + delay > from && self.start + delay < until
    }
}

impl Ledger {
    /// What the attempt under way at `node` towards `to` will have failed of, if it fails.
    #[inline]
    pub(super) fn note_diagnosis(&mut self, node: NodeId, to: NodeId, diagnosis: Diagnosis) {
        let attempt = &mut self.nodes[node.index()].attempt;
        // The frame may belong to an attempt that is over: it says nothing of another one.
        if attempt.open && attempt.to == to {
            attempt.diagnosis = diagnosis;
        }
    }

    /// A frame for `node` has ended there, lost.
    #[inline(always)]
    pub(super) fn on_lost(
        &mut self,
        now: Time,
        node: NodeId,
        frame: &Frame,
        outcome: RxOutcome,
        view: &mut impl NetworkView,
    ) {
        let &Frame { kind, src, dst, .. } = frame;
        // A broadcast is part of no attempt.
        if dst == node {
            let (failure, by) = self.diagnose(now, node, frame, outcome, view);
            // A CTS or an ACK goes to the station whose attempt it would have brought on.
            let (asked, other) = if kind.asks() { (src, dst) } else { (dst, src) };
            self.note_diagnosis(asked, other, Diagnosis { failure, frame: kind, by });
        }
    }

    /// Why a frame that ends now at `node` was lost there, and whose fault it was.
    pub(super) fn diagnose(
        &self,
        now: Time,
        node: NodeId,
        frame: &Frame,
        outcome: RxOutcome,
        view: &impl NetworkView,
    ) -> (Failure, Option<NodeId>) {
        let begun = Time(now.0 - frame.airtime.0);
        let slot = match outcome {
            RxOutcome::Received | RxOutcome::Errored | RxOutcome::TooWeak { by: None } => {
                return (Failure::Channel, None);
            }
            RxOutcome::Deaf => return self.own_fault(node, begun, now, view),
            RxOutcome::OutOfReach if view.is_off(node) => return (Failure::NoAnswer, None),
            RxOutcome::OutOfReach => return (Failure::Channel, None),
            RxOutcome::Collided { by }
            | RxOutcome::Captured { by }
            | RxOutcome::Missed { by }
            | RxOutcome::TooWeak { by: Some(by) } => by,
        };
        let culprit = self.sent_in(slot, view);
        // Before the slots are compared: a station that cannot be sensed is hidden, however close to each other both
        // began.
        let (failure, by) = blame(frame.src, culprit, Failure::Overlap, view);
        let is_same_slot =
            failure == Failure::Overlap && self.is_same_slot(culprit.start + flight(view, culprit.by, node), begun);
        (if is_same_slot { Failure::Collision } else { failure }, Some(by))
    }

    /// The receiver was sending itself.
    fn own_fault(&self, node: NodeId, begun: Time, now: Time, view: &impl NetworkView) -> (Failure, Option<NodeId>) {
        let mut own = self.last_frames(node, view).into_iter();
        let own = own.find(|own| own.overlaps(Span::ZERO, begun, now));
        let is_same_slot = own.is_some_and(|own| self.is_same_slot(own.start, begun));
        (if is_same_slot { Failure::Collision } else { Failure::NoAnswer }, Some(node))
    }

    /// True for frames that began so close to each other that neither station could have heard the other one first.
    fn is_same_slot(&self, one: Time, other: Time) -> bool {
        // A slot is what carrier sense, turnaround and propagation take together (IEEE 802.11-2020 10.3.7).
        one.0.abs_diff(other.0) < self.slot.0
    }

    /// Completes what is known of the attempt under way at `node`, which has failed and is unexplained.
    #[inline(never)]
    pub(super) fn conclude(&mut self, node: NodeId, view: &impl NetworkView) {
        let Attempt { to, since, diagnosis, .. } = self.nodes[node.index()].attempt;
        let (asked_by, at) = self.nodes[to.index()].asked;
        // The RTS or data frame that it received last is another one: this frame never came through, and the channel
        // stays at fault.
        if asked_by != node || at <= since {
            return;
        }
        // The receiver has had it, and no answer was sent.
        let unanswered = Diagnosis { failure: Failure::NoAnswer, ..diagnosis };
        self.nodes[node.index()].attempt.diagnosis = match diagnosis.frame {
            FrameKind::Rts => self.find_silencer(node, to, view).unwrap_or(unanswered),
            FrameKind::Cts
            | FrameKind::Data
            | FrameKind::Ack
            | FrameKind::BlockAck
            | FrameKind::BlockAckReq
            | FrameKind::CfEnd
            | FrameKind::Action => unanswered,
        };
    }

    /// Finds out who kept `to` from answering the RTS of `src`: who was on the air when the answer was due, or else who
    /// of those it can decode had sent last.
    fn find_silencer(&self, src: NodeId, to: NodeId, view: &impl NetworkView) -> Option<Diagnosis> {
        if view.is_off(to) {
            return None;
        }
        let diagnosis = |failure, by| Some(Diagnosis { failure, frame: FrameKind::Rts, by: Some(by) });
        // It was in an exchange of its own: no third station is at fault.
        if self.nodes[to.index()].attempt.open {
            return diagnosis(Failure::NoAnswer, to);
        }
        // The RTS is the later of the last two frames; its CTS was due a SIFS behind it (IEEE 802.11-2020 10.3.2.9).
        let [(_, one), (_, other)] = self.nodes[src.index()].sent;
        let due = one.max(other) + self.sifs;
        let on_air = self.loudest(to, src, due, due + self.slot, view);
        let frame = on_air.or_else(|| self.last_decodable(to, src, due, view))?;
        let (failure, by) = blame(src, frame, Failure::NoAnswer, view);
        diagnosis(failure, by)
    }

    /// The strongest frame on the air at `node` between two instants that is not from `src`.
    fn loudest(&self, node: NodeId, src: NodeId, from: Time, until: Time, view: &impl NetworkView) -> Option<Sent> {
        let mut loudest: Option<&Link> = None;
        for link in view.links(node) {
            let delay = link.delay();
            // Most have ended long before.
            let overlaps = |&(start, end): &(Time, Time)| end + delay > from && start + delay < until;
            if link.to != src
                && self.nodes[link.to.index()].sent.iter().any(overlaps)
                && loudest.is_none_or(|other| link.power > other.power)
            {
                loudest = Some(link);
            }
        }
        let link = loudest?;
        self.last_frames(link.to, view).into_iter().find(|frame| frame.overlaps(link.delay(), from, until))
    }

    /// The last frame before `before` of a station that `node` can decode and that is not `src`: it will have reserved
    /// the medium.
    fn last_decodable(&self, node: NodeId, src: NodeId, before: Time, view: &impl NetworkView) -> Option<Sent> {
        let mut last: Option<(Time, u32)> = None;
        // Only a frame that was decoded can have set the NAV (IEEE 802.11-2020 10.3.2.4).
        let near = view.links(node).iter().filter(|link| link.flags & Arrival::DECODABLE != 0 && link.to != src);
        for link in near {
            for (slot, &(_, end)) in (2 * link.to.0..).zip(&self.nodes[link.to.index()].sent) {
                // A station that has sent nothing so far has zeros here.
                if end > Time::ZERO && end <= before && last.is_none_or(|(other, _)| end >= other) {
                    last = Some((end, slot));
                }
            }
        }
        last.map(|(_, slot)| self.sent_in(slot, view))
    }

    /// The last two frames of a node, in order.
    fn last_frames(&self, node: NodeId, view: &impl NetworkView) -> [Sent; 2] {
        let [one, other] = [2 * node.0, 2 * node.0 + 1].map(|slot| self.sent_in(slot, view));
        if one.start < other.start { [one, other] } else { [other, one] }
    }

    /// The frame in an air slot.
    fn sent_in(&self, slot: u32, view: &impl NetworkView) -> Sent {
        let Frame { kind, src, dst, .. } = view.frame(slot);
        // The air slot holds the frame alone: its instants are those noted here.
        let (start, end) = self.nodes[src.index()].sent[(slot & 1) as usize];
        Sent {
            by: src,
            start,
            end,
            to: dst,
            is_answer: matches!(kind, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck),
        }
    }
}

/// Whom a frame of another station is to be blamed on that got in the way of `src`: its transmitter, or the station
/// that it answers, if `src` cannot sense that one. `otherwise` where both can be sensed.
fn blame(src: NodeId, frame: Sent, otherwise: Failure, view: &impl NetworkView) -> (Failure, NodeId) {
    let senses =
        |other| other == src || link_between(view, src, other).is_some_and(|link| link.flags & Arrival::SENSED != 0);
    // A CTS or an ACK leaves after SIFS without listening. Who sent the frame that it answers has caused it, and is the
    // station that carrier sense should have found.
    if !senses(frame.by) {
        (Failure::Hidden, frame.by)
    } else if frame.is_answer && !senses(frame.to) {
        (Failure::Hidden, frame.to)
    } else {
        (otherwise, frame.by)
    }
}
