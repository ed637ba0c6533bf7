//! Messages of batman-adv (`batadv_packet.h` of Linux, compatibility version 15), which lie straight in frames, below IP.
//!
//! The kernel hangs TVLVs on its OGMs (translation table, gateways, multicast). Each node here is its own and only client,
//! so that OGMs carry none and `tvlv_len` is 0.

use std::sync::Arc;

use hopscope_core::ids::NodeId;
use hopscope_core::units::Span;

/// What one frame carries.
#[derive(Debug, Clone, PartialEq)]
pub enum BatmanMessage {
    /// BATMAN_IV: originator messages, one or several behind each other.
    Ogm(Arc<[Ogm]>),
    /// BATMAN_V: Echo Location Protocol, by which neighbours find each other.
    Elp(Elp),
    /// BATMAN_V: originator messages of version 2.
    Ogm2(Arc<[Ogm2]>),
}

/// Originator message of BATMAN_IV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ogm {
    /// Node that it is about.
    pub origin: NodeId,
    /// Node that the sender has it from; the originator itself where that is the sender.
    pub prev_sender: NodeId,
    /// Number among those of the originator.
    pub seq: u32,
    /// Transmission quality of the path from the sender to the originator, 0 to 255.
    pub tq: u8,
    /// Hops it may still travel, the next one included.
    pub ttl: u8,
    /// Its flags.
    pub flags: OgmFlags,
}

/// Flags of an OGM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OgmFlags {
    /// NOT_BEST_NEXT_HOP: the sender has it not from the neighbour that it sends data for the originator to.
    pub not_best_next_hop: bool,
    /// PRIMARIES_FIRST_HOP: it comes straight from the first radio of its originator.
    pub primaries_first_hop: bool,
    /// DIRECTLINK: the sender has it from the originator itself.
    pub direct_link: bool,
}

/// Hello of BATMAN_V.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elp {
    /// Its sender.
    pub origin: NodeId,
    /// Number among those of the sender.
    pub seq: u32,
    /// Time to the next one.
    pub interval: Span,
    /// Zeros behind it: what a probe of a link is filled up with.
    pub padding: u16,
}

/// Originator message of BATMAN_V.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ogm2 {
    /// Node that it is about.
    pub origin: NodeId,
    /// Number among those of the originator.
    pub seq: u32,
    /// Throughput of the path from the sender to the originator, 100 kbit/s; the greatest number where that is the sender.
    pub throughput: u32,
    /// Hops it may still travel, the next one included.
    pub ttl: u8,
}

impl BatmanMessage {
    /// Bytes behind the header of LLC; there is no network header.
    pub fn bytes(&self) -> u32 {
        match self {
            BatmanMessage::Ogm(ogms) => OGM_BYTES * ogms.len() as u32,
            BatmanMessage::Elp(elp) => ELP_BYTES + u32::from(elp.padding),
            BatmanMessage::Ogm2(ogms) => OGM2_BYTES * ogms.len() as u32,
        }
    }

    /// Name of the kind in results.
    pub fn kind(&self) -> &'static str {
        match self {
            BatmanMessage::Ogm(_) => "ogm",
            BatmanMessage::Elp(elp) if elp.padding > 0 => "elp-probe",
            BatmanMessage::Elp(_) => "elp",
            BatmanMessage::Ogm2(_) => "ogm2",
        }
    }

    /// Messages of the kind that the frame carries.
    pub fn count(&self) -> usize {
        match self {
            BatmanMessage::Ogm(ogms) => ogms.len(),
            BatmanMessage::Elp(_) => 1,
            BatmanMessage::Ogm2(ogms) => ogms.len(),
        }
    }
}

/// Type, version, TTL, flags; sequence number 4, originator 6, previous sender 6, reserved, TQ, length of TVLVs 2.
pub const OGM_BYTES: u32 = 24;
/// Type, version, originator 6, sequence number 4, interval 4.
pub const ELP_BYTES: u32 = 16;
/// Type, version, TTL, flags; sequence number 4, originator 6, length of TVLVs 2, throughput 4.
pub const OGM2_BYTES: u32 = 20;
/// What a data packet carries: type, version, TTL, version of the translation table, destination 6, and the Ethernet header
/// of the frame inside, 14.
pub const UNICAST_BYTES: u32 = 10 + 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_structures_in_the_kernel() {
        let ogm =
            Ogm { origin: NodeId(1), prev_sender: NodeId(1), seq: 9, tq: 255, ttl: 50, flags: OgmFlags::default() };
        let ogm2 = Ogm2 { origin: NodeId(1), seq: 9, throughput: 10, ttl: 50 };
        let elp = Elp { origin: NodeId(1), seq: 9, interval: Span::from_millis(500), padding: 0 };
        let all = [
            (BatmanMessage::Ogm([ogm; 3].into()), 72, "ogm", 3),
            (BatmanMessage::Ogm2([ogm2; 2].into()), 40, "ogm2", 2),
            (BatmanMessage::Elp(elp), 16, "elp", 1),
            (BatmanMessage::Elp(Elp { padding: 184, ..elp }), 200, "elp-probe", 1),
        ];
        for (message, bytes, kind, count) in all {
            assert_eq!((message.bytes(), message.kind(), message.count()), (bytes, kind, count));
        }
    }
}
