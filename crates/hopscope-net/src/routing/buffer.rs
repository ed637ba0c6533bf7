//! Packets held while a route is searched: first in, first out, the oldest gives way.

use std::collections::VecDeque;

use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::{Span, Time};

#[derive(Debug, Clone, Copy)]
struct Held {
    packet: PacketId,
    dst: NodeId,
    expires: Time,
}

/// The packets a node holds.
#[derive(Debug)]
pub(crate) struct SendBuffer {
    held: VecDeque<Held>,
    limit: usize,
    life: Span,
}

impl SendBuffer {
    pub(crate) fn new(limit: u32, life: Span) -> Self {
        SendBuffer { held: VecDeque::new(), limit: limit as usize, life }
    }

    /// Holds a packet; gives back the oldest one when there is no room.
    pub(crate) fn hold(&mut self, packet: PacketId, dst: NodeId, now: Time) -> Option<PacketId> {
        let pushed_out = if self.held.len() >= self.limit { self.held.pop_front() } else { None };
        self.held.push_back(Held { packet, dst, expires: now + self.life });
        pushed_out.map(|held| held.packet)
    }

    /// Takes the oldest packet for `dst`.
    pub(crate) fn take(&mut self, dst: NodeId) -> Option<PacketId> {
        let at = self.held.iter().position(|held| held.dst == dst)?;
        self.held.remove(at).map(|held| held.packet)
    }

    /// Takes the oldest packet whose time is over.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<PacketId> {
        // All packets live equally long, so the oldest goes first.
        if self.held.front()?.expires > now {
            return None;
        }
        self.held.pop_front().map(|held| held.packet)
    }

    /// Packets held for `dst`.
    pub(crate) fn count(&self, dst: NodeId) -> usize {
        self.held.iter().filter(|held| held.dst == dst).count()
    }

    pub(crate) fn holds(&self, dst: NodeId) -> bool {
        self.held.iter().any(|held| held.dst == dst)
    }

    /// When the oldest packet's time is over.
    pub(crate) fn next_expiry(&self) -> Option<Time> {
        self.held.front().map(|held| held.expires)
    }

    pub(crate) fn len(&self) -> usize {
        self.held.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_gives_way_and_expires_first() {
        let mut buffer = SendBuffer::new(2, Span(100));
        assert_eq!(buffer.hold(PacketId(1), NodeId(9), Time(0)), None);
        assert_eq!(buffer.hold(PacketId(2), NodeId(8), Time(10)), None);
        assert_eq!(buffer.hold(PacketId(3), NodeId(9), Time(20)), Some(PacketId(1)));
        assert_eq!(buffer.next_expiry(), Some(Time(110)));
        assert_eq!(buffer.take_expired(Time(109)), None);
        assert_eq!(buffer.take_expired(Time(110)), Some(PacketId(2)));
        assert_eq!(buffer.take_expired(Time(110)), None);
        assert_eq!(buffer.len(), 1);
    }

    #[test]
    fn packets_of_one_destination_leave_in_order() {
        let mut buffer = SendBuffer::new(8, Span(100));
        for (packet, dst) in [(1, 9), (2, 8), (3, 9)] {
            buffer.hold(PacketId(packet), NodeId(dst), Time(0));
        }
        assert!(buffer.holds(NodeId(9)));
        assert_eq!((buffer.count(NodeId(9)), buffer.count(NodeId(7))), (2, 0));
        assert_eq!(buffer.take(NodeId(9)), Some(PacketId(1)));
        assert_eq!(buffer.take(NodeId(9)), Some(PacketId(3)));
        assert_eq!(buffer.take(NodeId(9)), None);
        assert!(!buffer.holds(NodeId(9)) && buffer.holds(NodeId(8)));
    }
}
