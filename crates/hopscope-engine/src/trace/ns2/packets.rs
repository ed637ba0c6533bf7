//! What a line says of a packet beyond its own headers: its number, and the last MAC header that it had.

use super::event::MacHeader;
use hopscope_core::ids::PacketId;

/// The packets under way, by their places in memory.
#[derive(Debug, Default)]
pub(super) struct Packets {
    by_place: Vec<Known>,
    next: u64,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    uid: u64,
    mac: MacHeader,
    /// It has been seen on its way out of the node at which it is.
    has_left: bool,
}

const UNKNOWN: Known = Known { uid: 0, mac: MacHeader::NONE, has_left: false };

impl Packets {
    /// A packet comes into being; ns-2 gives no number to messages of AODV and of ARP, whose lines have 0.
    pub(super) fn make(&mut self, id: PacketId, is_numbered: bool) {
        *self.at(id) = Known { uid: if is_numbered { self.next } else { 0 }, ..UNKNOWN };
        self.next += u64::from(is_numbered);
    }

    /// A receiver has a packet of its own, which came in a frame with this header, or by a wire.
    pub(super) fn copy(&mut self, id: PacketId, copy: PacketId, mac: Option<MacHeader>) {
        let uid = self.at(id).uid;
        *self.at(copy) = Known { uid, mac: mac.unwrap_or(MacHeader::NONE), has_left: false };
    }

    /// The packet has come up from an interface.
    pub(super) fn arrives(&mut self, id: PacketId) {
        self.at(id).has_left = false;
    }

    /// The packet has come over a wire.
    pub(super) fn comes_by_wire(&mut self, id: PacketId) {
        let known = self.at(id);
        (known.mac, known.has_left) = (MacHeader::NONE, false);
    }

    /// True the first time that the packet leaves the node at which it is.
    pub(super) fn passes(&mut self, id: PacketId) -> bool {
        !std::mem::replace(&mut self.at(id).has_left, true)
    }

    /// The packet has got this MAC header.
    pub(super) fn head_for(&mut self, id: PacketId, mac: MacHeader) {
        self.at(id).mac = mac;
    }

    /// Number and MAC header of a packet.
    pub(super) fn of(&self, id: PacketId) -> (u64, MacHeader) {
        let known = self.by_place.get(id.index()).unwrap_or(&UNKNOWN);
        (known.uid, known.mac)
    }

    fn at(&mut self, id: PacketId) -> &mut Known {
        if self.by_place.len() <= id.index() {
            self.by_place.resize(id.index() + 1, UNKNOWN);
        }
        &mut self.by_place[id.index()]
    }
}
