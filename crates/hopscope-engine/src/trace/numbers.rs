//! Numbers of packets that are never used again, where the engine's own name places in memory.

use crate::record::Record;
use hopscope_core::ids::PacketId;

/// The number of every packet under way, from 0 in the order in which they come into being. Copies of a packet, one at
/// each receiver, have the number of the first one: the number follows a packet through the network.
#[derive(Debug, Default)]
pub struct Numbers {
    by_place: Vec<u64>,
    next: u64,
}

impl Numbers {
    /// Takes note of packets that begin; has to see every record of the class `PACKETS`.
    pub fn note(&mut self, record: &Record) {
        match *record {
            Record::PacketMade { packet } => {
                // Its place in memory may have been that of a packet that is gone.
                self.set(packet, self.next);
                self.next += 1;
            }
            Record::PacketCopied { packet, copy, .. } => self.set(copy, self.of(packet)),
            _ => {}
        }
    }

    /// The number of a packet.
    pub fn of(&self, packet: PacketId) -> u64 {
        self.by_place.get(packet.index()).copied().unwrap_or_default()
    }

    fn set(&mut self, packet: PacketId, number: u64) {
        if self.by_place.len() <= packet.index() {
            self.by_place.resize(packet.index() + 1, 0);
        }
        self.by_place[packet.index()] = number;
    }
}
