//! What waits for its turn: inputs that effects have made, taken one after the other, so that none is handled inside another.
//!
//! Downwards one layer calls the next, and the MAC at the end of the way only takes the packet. What goes upwards or
//! sideways is put on this list. The last one put there comes first, and those of one input in their order: the course is
//! that of calls inside calls, without their depth.

use super::World;
use crate::record::{DropReason, Recorder};
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_mac::edca::Delivered;
use hopscope_tcp::endpoint::PathEvent;

/// An input that waits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Work {
    /// A data frame with this packet, still in the hands of its transmitter `from`, came in at `node`.
    ExternalArrival { node: NodeId, packet: PacketId, from: NodeId },
    /// A QoS station's own copy of a packet has its turn.
    Arrived { node: NodeId, delivered: Delivered },
    /// A packet could not be brought to its next hop.
    LinkFailed { node: NodeId, packet: PacketId, reason: DropReason },
    /// The MAC is free: it pulls its next packet, and sources that fill the queue themselves may add one.
    Next { node: NodeId },
    /// A packet was dropped for want of a route, of which its source is to be notified.
    Unroutable { node: NodeId, packet: PacketId },
    /// The routing of a node has lost its way to `dst`, or has one again.
    RouteChanged { node: NodeId, dst: NodeId, event: PathEvent },
}

impl<R: Recorder> World<R> {
    /// Works until nothing waits.
    #[inline(always)]
    pub(super) fn work_off(&mut self) {
        if !self.work.is_empty() {
            self.work_off_all();
        }
    }

    #[inline(never)]
    fn work_off_all(&mut self) {
        let mut from = 0;
        loop {
            // What one input has made is taken in the order in which it was made.
            if self.work.len() > from + 1 {
                self.work[from..].reverse();
            }
            let Some(work) = self.work.pop() else { return };
            // What this input makes lies from here on.
            from = self.work.len();
            self.take(work);
        }
    }
}
