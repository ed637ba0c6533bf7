//! Address resolution (RFC 826) as ns-2.35 does it (ns2-facts item 29): one packet held per unresolved neighbour,
//! no timer, entries that never expire.

use smallvec::SmallVec;

use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Time;
use hopscope_packet::{Body, Packet};

/// Bytes of an ARP packet for IPv4 over 802.11.
const ARP_BYTES: u32 = 28;
/// Requests for one neighbour before its packets are given up and the count starts again.
const MAX_REQUESTS: u32 = 3;

/// Resolution of one neighbour.
#[derive(Debug, Clone, Copy)]
struct Entry {
    neighbour: NodeId,
    known: bool,
    requests: u32,
    held: Option<PacketId>,
}

/// ARP table of one node.
#[derive(Debug, Default)]
pub struct Arp {
    entries: SmallVec<[Entry; 4]>,
}

/// What an ARP packet that came in leads to, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArpOutcome {
    /// The packet that was held for its sender goes on.
    pub released: Option<PacketId>,
    /// It asked for this node: a reply goes back.
    pub answers: bool,
}

/// What to do with a packet for a neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The address is known: send it.
    Known,
    /// It is held; broadcast a request. A packet held before is dropped.
    Ask {
        /// Packet that lost its place.
        dropped: Option<PacketId>,
    },
    /// Too many requests went unanswered: this packet and the held one are dropped.
    GiveUp {
        /// Packet that was held.
        dropped: Option<PacketId>,
    },
}

/// A request for `target` to all neighbours, or a reply to one.
pub fn packet(node: NodeId, to: NodeId, target: NodeId, reply: bool, now: Time) -> Packet {
    Packet::new(node, to, ARP_BYTES, 1, Body::Arp { target, reply }, now)
}

impl Arp {
    /// Resolves `neighbour` for `packet`, which is held unless the address is known.
    pub fn resolve(&mut self, neighbour: NodeId, packet: PacketId) -> Resolution {
        let entry = self.entry(neighbour);
        if entry.known {
            return Resolution::Known;
        }
        let dropped = entry.held.take();
        if entry.requests >= MAX_REQUESTS {
            // The next packet begins to ask anew: nothing remembers that the neighbour did not answer.
            entry.requests = 0;
            return Resolution::GiveUp { dropped };
        }
        entry.requests += 1;
        entry.held = Some(packet);
        Resolution::Ask { dropped }
    }

    /// An ARP packet from `neighbour` came in at `node`.
    pub fn on_packet(&mut self, node: NodeId, neighbour: NodeId, target: NodeId, reply: bool) -> ArpOutcome {
        ArpOutcome { released: self.learn(neighbour), answers: !reply && target == node }
    }

    /// The address of `neighbour` is known now. Gives the packet held for it.
    fn learn(&mut self, neighbour: NodeId) -> Option<PacketId> {
        let entry = self.entry(neighbour);
        entry.known = true;
        entry.held.take()
    }

    /// True while a packet is held for an unresolved neighbour.
    pub fn is_asking(&self) -> bool {
        self.entries.iter().any(|e| e.held.is_some())
    }

    fn entry(&mut self, neighbour: NodeId) -> &mut Entry {
        let place = self.entries.iter().position(|e| e.neighbour == neighbour).unwrap_or_else(|| {
            self.entries.push(Entry { neighbour, known: false, requests: 0, held: None });
            self.entries.len() - 1
        });
        &mut self.entries[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_packet_is_held_and_the_fourth_gives_up() {
        let mut arp = Arp::default();
        let peer = NodeId(4);
        assert_eq!(arp.resolve(peer, PacketId(1)), Resolution::Ask { dropped: None });
        assert_eq!(arp.resolve(peer, PacketId(2)), Resolution::Ask { dropped: Some(PacketId(1)) });
        assert_eq!(arp.resolve(peer, PacketId(3)), Resolution::Ask { dropped: Some(PacketId(2)) });
        assert_eq!(arp.resolve(peer, PacketId(4)), Resolution::GiveUp { dropped: Some(PacketId(3)) });
        assert_eq!(arp.resolve(peer, PacketId(5)), Resolution::Ask { dropped: None });
        assert_eq!(arp.learn(peer), Some(PacketId(5)));
        assert_eq!(arp.resolve(peer, PacketId(6)), Resolution::Known);
    }

    #[test]
    fn who_is_asked_for_answers() {
        let mut arp = Arp::default();
        let received = [(3, false), (3, true), (5, false)]
            .map(|(target, reply)| arp.on_packet(NodeId(3), NodeId(1), NodeId(target), reply).answers);
        assert_eq!(received, [true, false, false]);
    }

    #[test]
    fn hearing_any_arp_packet_teaches_the_address() {
        let mut arp = Arp::default();
        assert_eq!(arp.learn(NodeId(2)), None);
        assert_eq!(arp.resolve(NodeId(2), PacketId(1)), Resolution::Known);
    }
}
