//! Failing routes and packets that overtake each other: where the parts for them are asked.

use super::{Phase, TcpSender};
use crate::Cx;
use crate::route_failure::{Part, door};
use hopscope_core::units::Time;
use hopscope_packet::tcp::TcpSegment;

impl TcpSender {
    /// The route to the other end has ended.
    pub(crate) fn on_route_ended(&mut self) {
        self.core.stats.route_failures += 1;
    }

    /// It has failed: it did not end for want of use.
    pub(crate) fn on_route_failed(&mut self, cx: &mut Cx) {
        if let (Some(part), Phase::Open) = (&mut self.part, self.phase) {
            part.on_route_failed(&mut self.core, cx);
        }
    }

    /// There is a route again.
    pub(crate) fn on_route_found(&mut self, cx: &mut Cx) {
        if let (Some(part), Phase::Open) = (&mut self.part, self.phase) {
            part.on_route_found(&mut self.recovery, &mut self.core, cx);
            self.advance_phase(cx);
        }
    }

    /// It acts when the route fails.
    pub(crate) fn needs_route_events(&self) -> bool {
        self.part.is_some()
    }

    /// The connection is up and nothing keeps the sender still.
    pub(super) fn may_send(&self) -> bool {
        self.phase == Phase::Open && !self.part.as_ref().is_some_and(Part::is_still)
    }

    /// The part for failing routes keeps an ACK from the recovery.
    #[inline]
    pub(super) fn withholds(&mut self, seg: &TcpSegment, cx: &mut Cx) -> bool {
        let Some(part) = &mut self.part else { return false };
        part.takes_ack(&mut self.recovery, &mut self.core, seg, cx)
    }

    /// TCP-DOOR looks at an ACK, and at what the input at hand may change.
    #[inline]
    pub(super) fn watch(&mut self, seg: Option<&TcpSegment>, now: Time) -> Option<door::State> {
        let door = self.door.as_mut()?;
        Some(match seg.filter(|seg| seg.flags.ack) {
            Some(seg) => door.on_ack(&mut self.core, seg, now),
            None => door.before(&self.core, now),
        })
    }

    /// It looks at what the input has changed.
    #[inline]
    pub(super) fn settle(&mut self, before: Option<door::State>, cx: &mut Cx) {
        if let (Some(door), Some(before)) = (&mut self.door, before) {
            door.settle(&mut self.core, before, cx);
        }
    }
}
