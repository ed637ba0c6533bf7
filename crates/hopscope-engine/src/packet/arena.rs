//! Storage of the packets under way. Slots are reused, so a run in steady state allocates nothing.

use crate::ids::PacketId;
use crate::packet::Packet;

/// All packets under way.
#[derive(Debug, Default)]
pub struct PacketArena {
    slots: Vec<Packet>,
    free: Vec<PacketId>,
}

impl PacketArena {
    /// Stores a packet.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        match self.free.pop() {
            Some(id) => {
                self.slots[id.index()] = packet;
                id
            }
            None => {
                self.slots.push(packet);
                PacketId((self.slots.len() - 1) as u32)
            }
        }
    }

    /// Stores a copy of a packet, as a receiver gets it while the sender still holds its own.
    #[inline]
    pub fn copy(&mut self, id: PacketId) -> PacketId {
        self.insert(self.slots[id.index()])
    }

    /// The packet is gone; its slot is free.
    #[inline]
    pub fn release(&mut self, id: PacketId) {
        debug_assert!(!self.free.contains(&id), "packet {id} is released twice");
        self.free.push(id);
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

    /// Number of packets stored.
    pub fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
