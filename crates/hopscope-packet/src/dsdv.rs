//! DSDV updates.

use std::sync::Arc;

use hopscope_core::ids::NodeId;

/// What a node says of one destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DsdvEntry {
    /// Destination.
    pub dst: NodeId,
    /// Hops from the sender to it; [`DsdvEntry::UNREACHABLE`] when there is no way.
    pub metric: u8,
    /// Even: given by the destination; odd: by the node that lost it.
    pub seq: u32,
}

impl DsdvEntry {
    /// Metric of a destination that cannot be reached.
    pub const UNREACHABLE: u8 = 250;
}

/// An update: a full dump or what has changed. One copy serves all receivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DsdvUpdate {
    /// The destinations it is about.
    pub entries: Arc<[DsdvEntry]>,
}

impl DsdvUpdate {
    /// Bytes without network header: as many for a destination as ns-2.35 counts, in a datagram of UDP.
    pub fn bytes(&self, udp_header: u32) -> u32 {
        // Address, metric and sequence number, four bytes each.
        udp_header + 12 * self.entries.len() as u32
    }
}
