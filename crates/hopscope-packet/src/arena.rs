//! Storage of the packets under way. Slots are reused, so a run in steady state allocates nothing.

use std::collections::BTreeMap;

use crate::dsr::SourceRoute;
use crate::routing::RoutingMessage;
use crate::{Body, Packet};
use hopscope_core::ids::PacketId;

/// What few packets carry besides their body; copies of a packet share it.
#[derive(Debug, Clone, PartialEq)]
pub enum Extension {
    /// The routing message of [`crate::Body::Routing`].
    Message(RoutingMessage),
    /// The way the packet has to take.
    SourceRoute(SourceRoute),
    /// The packet that a notice of ICMP quotes.
    Failed(Box<Packet>),
}

/// Names the extra part of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionId(u32);

impl ExtensionId {
    /// The packet has no extra part.
    pub const NONE: ExtensionId = ExtensionId(u32::MAX);
}

/// An extra part and the number of packets that share it; none: the slot is free.
#[derive(Debug)]
struct Shared {
    extension: Option<Extension>,
    holders: u32,
}

/// All packets under way.
#[derive(Debug, Default)]
pub struct PacketArena {
    slots: Vec<Packet>,
    free: Vec<PacketId>,
    extras: Vec<Shared>,
    free_extras: Vec<ExtensionId>,
    /// Octets of packets from outside by number, and how many copies of the packet there are.
    octets: BTreeMap<u64, (Box<[u8]>, u32)>,
}

impl PacketArena {
    /// Stores a packet. Its extra part, if any, has been made for it by [`PacketArena::keep_message`].
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        match self.free.pop() {
            Some(id) => {
                // Last in, first out: the slot that was freed last is still in the cache.
                self.slots[id.index()] = packet;
                id
            }
            None => {
                self.slots.push(packet);
                // All may be free one day: room for that is made now, not in the middle of the run.
                self.free.reserve(self.slots.capacity());
                PacketId((self.slots.len() - 1) as u32)
            }
        }
    }

    /// Stores a copy of a packet, as a receiver gets it while the sender still holds its own.
    #[inline]
    pub fn copy(&mut self, id: PacketId) -> PacketId {
        let packet = self.slots[id.index()];
        if packet.extension != ExtensionId::NONE {
            self.extras[packet.extension.0 as usize].holders += 1;
        }
        if let Some(number) = packet.body.outside() {
            self.share_octets(number);
        }
        // From here on the receiver's copy is the packet; the sender keeps its own for the ACK alone.
        self.slots[id.index()].received_next = true;
        self.insert(Packet { received_next: false, ..packet })
    }

    /// The packet is gone; its slot is free.
    #[inline]
    pub fn release(&mut self, id: PacketId) {
        debug_assert!(!self.free.contains(&id), "packet {id} is released twice");
        let extension = self.slots[id.index()].extension;
        if extension != ExtensionId::NONE {
            self.let_go(extension);
        }
        if let Some(number) = self.slots[id.index()].body.outside() {
            self.let_go_octets(number);
        }
        self.free.push(id);
    }

    /// Keeps the octets of one packet from outside until all its copies are gone.
    pub fn keep_octets(&mut self, number: u64, octets: Box<[u8]>) {
        self.octets.insert(number, (octets, 1));
    }

    /// The octets of a packet from outside.
    pub fn octets(&self, number: u64) -> &[u8] {
        self.octets.get(&number).map_or(&[], |(octets, _)| octets)
    }

    #[cold]
    fn share_octets(&mut self, number: u64) {
        if let Some((_, copies)) = self.octets.get_mut(&number) {
            *copies += 1;
        }
    }

    #[cold]
    fn let_go_octets(&mut self, number: u64) {
        if let Some((_, copies)) = self.octets.get_mut(&number) {
            *copies -= 1;
            if *copies == 0 {
                self.octets.remove(&number);
            }
        }
    }

    /// Reads a packet.
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        &self.slots[id.index()]
    }

    /// Changes a packet.
    #[inline]
    pub fn get_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.index()]
    }

    /// Packets stored that the next hop has not received, in no order that means anything.
    pub fn pending(&self) -> impl Iterator<Item = &Packet> {
        let mut stored = vec![true; self.slots.len()];
        // A free slot still holds the last packet that lay there.
        self.free.iter().for_each(|id| stored[id.index()] = false);
        self.slots
            .iter()
            .zip(stored)
            .filter(|(packet, stored)| *stored && !packet.received_next)
            .map(|(packet, _)| packet)
    }

    /// Number of packets stored.
    pub fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Stores an extra part for one packet.
    fn keep(&mut self, extension: Extension) -> ExtensionId {
        let shared = Shared { extension: Some(extension), holders: 1 };
        match self.free_extras.pop() {
            Some(id) => {
                self.extras[id.0 as usize] = shared;
                id
            }
            None => {
                self.extras.push(shared);
                ExtensionId((self.extras.len() - 1) as u32)
            }
        }
    }

    /// The extra part of a packet.
    pub fn extension(&self, id: ExtensionId) -> Option<&Extension> {
        self.extras.get(id.0 as usize)?.extension.as_ref()
    }

    /// The body of a packet with a routing message, and the extra part that is kept for it.
    pub fn keep_message(&mut self, message: RoutingMessage) -> (Body, ExtensionId) {
        match message {
            // Messages of AODV are small and many: they lie in the packet itself.
            RoutingMessage::Aodv(message) => (Body::Aodv(message), ExtensionId::NONE),
            message => (Body::Routing, self.keep(Extension::Message(message))),
        }
    }

    /// Keeps a packet, itself without an extra part, for the notice that quotes it.
    pub fn keep_failed(&mut self, packet: Packet) -> ExtensionId {
        self.keep(Extension::Failed(Box::new(Packet { extension: ExtensionId::NONE, ..packet })))
    }

    /// A packet with a routing message has come to its end: gives both.
    pub fn take_message(&mut self, id: PacketId) -> (Packet, RoutingMessage) {
        let packet = *self.get(id);
        let message = match packet.body {
            Body::Aodv(message) => RoutingMessage::Aodv(message),
            Body::Routing => match self.extension(packet.extension) {
                // Other receivers of a broadcast share it; its lists are counted references.
                Some(Extension::Message(message)) => message.clone(),
                _ => unreachable!("a routing packet carries its message"),
            },
            _ => unreachable!("a routing message"),
        };
        self.release(id);
        (packet, message)
    }

    /// The source route of a packet.
    pub fn source_route(&self, id: ExtensionId) -> Option<&SourceRoute> {
        match self.extension(id) {
            Some(Extension::SourceRoute(route)) => Some(route),
            _ => None,
        }
    }

    /// Gives a packet a source route in place of the one it has; its size changes with it.
    pub fn set_source_route(&mut self, id: PacketId, route: SourceRoute) {
        let old = self.slots[id.index()].extension;
        // Before the old one is let go, which may clear it.
        let saved = self.source_route(old).map_or(0, SourceRoute::bytes);
        if old != ExtensionId::NONE {
            self.let_go(old);
        }
        let added = route.bytes();
        let extension = self.keep(Extension::SourceRoute(route));
        let packet = &mut self.slots[id.index()];
        packet.extension = extension;
        packet.bytes = packet.bytes - saved + added;
    }

    fn let_go(&mut self, id: ExtensionId) {
        let shared = &mut self.extras[id.0 as usize];
        shared.holders -= 1;
        if shared.holders == 0 {
            shared.extension = None;
            self.free_extras.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use hopscope_core::ids::NodeId;
    use hopscope_core::units::Time;

    fn packet(bytes: u32) -> Packet {
        Packet::new(NodeId(0), NodeId(0), bytes, 1, Body::Opaque { number: 0 }, Time::ZERO)
    }

    #[test]
    fn octets_stay_until_the_last_copy_is_gone() {
        let mut arena = PacketArena::default();
        arena.keep_octets(0, Box::new([1, 2, 3]));
        let first = arena.insert(packet(3));
        let second = arena.copy(first);
        arena.release(first);
        assert_eq!(arena.octets(0), [1, 2, 3]);
        arena.release(second);
        assert!(arena.octets(0).is_empty() && arena.octets.is_empty());
    }

    #[test]
    fn copies_share_an_extra_part_until_the_last_is_gone() {
        let mut arena = PacketArena::default();
        let route = |nodes: &[u32]| SourceRoute { path: nodes.iter().map(|&n| NodeId(n)).collect(), salvage: 0 };
        let first = arena.insert(packet(100));
        arena.set_source_route(first, route(&[0, 1, 2]));
        let second = arena.copy(first);
        assert_eq!(arena.get(second).bytes, 100 + route(&[0, 1, 2]).bytes());
        arena.set_source_route(second, route(&[0, 3, 4, 2]));
        assert_eq!(arena.get(second).bytes, 100 + route(&[0, 3, 4, 2]).bytes());
        let of = |arena: &PacketArena, id| arena.source_route(arena.get(id).extension).cloned();
        assert_eq!(of(&arena, first), Some(route(&[0, 1, 2])));
        assert_eq!(of(&arena, second), Some(route(&[0, 3, 4, 2])));
        arena.release(first);
        arena.release(second);
        assert_eq!((arena.live(), arena.free_extras.len()), (0, arena.extras.len()));
    }
}
