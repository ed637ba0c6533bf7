//! AODV messages (RFC 3561 5). Hop counts are those travelled before the transmission: 0 when the originator sends.

use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};

/// Bytes that the messages of a network have beyond the fields of RFC 3561 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AodvEnvelope {
    /// Header of the transport below, bytes.
    pub header: u32,
    /// Time stamp in requests, replies and HELLOs, bytes.
    pub time_stamp: u32,
}

/// An AODV message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AodvMessage {
    /// Route request.
    Rreq(Rreq),
    /// Route reply.
    Rrep(Rrep),
    /// A reply that a node broadcasts about itself with time to live 1 (RFC 3561 6.9).
    Hello(Rrep),
    /// Route error.
    Rerr(Rerr),
}

/// Route request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rreq {
    /// Node that searches.
    pub origin: NodeId,
    /// Its sequence number.
    pub origin_seq: u32,
    /// Number of the request; (origin, id) names it.
    pub id: u32,
    /// Node searched.
    pub dst: NodeId,
    /// Last sequence number known of it; none: unknown (U flag).
    pub dst_seq: Option<u32>,
    /// Hops travelled.
    pub hops: u8,
    /// Only the destination may answer (D flag).
    pub destination_only: bool,
    /// An intermediate answer is reported to the destination too (G flag).
    pub gratuitous: bool,
    /// When the originator sent it; nodes know it where messages carry a time stamp.
    pub asked: Time,
}

/// Route reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rrep {
    /// Node the route leads to.
    pub dst: NodeId,
    /// Its sequence number.
    pub dst_seq: u32,
    /// Node that asked for it.
    pub origin: NodeId,
    /// Hops from the sender of this copy to `dst`.
    pub hops: u8,
    /// How long the route may be used.
    pub lifetime: Span,
    /// Copied from the request.
    pub asked: Time,
}

/// Route error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rerr {
    // In place, as a message is copied with its packet: the 255 that the RFC allows would make every packet larger.
    unreachable: [(NodeId, u32); Rerr::MAX],
    count: u8,
}

impl Rerr {
    /// Destinations one message holds; more go into further messages.
    pub const MAX: usize = 8;

    /// A message about up to [`Rerr::MAX`] destinations with their sequence numbers (0: unknown).
    pub fn new(unreachable: &[(NodeId, u32)]) -> Self {
        // Those behind `count` are never read; they have a value because the message is copied whole.
        let mut message = Rerr { unreachable: [(NodeId(0), 0); Rerr::MAX], count: unreachable.len() as u8 };
        message.unreachable[..unreachable.len()].copy_from_slice(unreachable);
        message
    }

    /// The destinations and their sequence numbers.
    pub fn unreachable(&self) -> &[(NodeId, u32)] {
        &self.unreachable[..usize::from(self.count)]
    }
}

impl AodvMessage {
    /// Bytes without network header.
    pub fn bytes(&self, envelope: AodvEnvelope) -> u32 {
        // In ns-2 requests and what answers them carry the time of the request; errors do not, nor does anything in
        // the RFC.
        let fields = match self {
            AodvMessage::Rreq(_) => 24 + envelope.time_stamp,
            AodvMessage::Rrep(_) | AodvMessage::Hello(_) => 20 + envelope.time_stamp,
            AodvMessage::Rerr(rerr) => 4 + 8 * u32::from(rerr.count),
        };
        fields + envelope.header
    }

    /// Name of the kind in results.
    pub const fn kind(&self) -> &'static str {
        match self {
            AodvMessage::Rreq(_) => "rreq",
            AodvMessage::Rrep(_) => "rrep",
            AodvMessage::Hello(_) => "hello",
            AodvMessage::Rerr(_) => "rerr",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_rfc_and_of_ns2() {
        let (node, asked) = (NodeId(1), Time::ZERO);
        let rreq = AodvMessage::Rreq(Rreq {
            origin: node,
            origin_seq: 1,
            id: 1,
            dst: NodeId(2),
            dst_seq: None,
            hops: 0,
            destination_only: false,
            gratuitous: false,
            asked,
        });
        let rrep =
            AodvMessage::Rrep(Rrep { dst: node, dst_seq: 1, origin: node, hops: 0, lifetime: Span::ZERO, asked });
        let rerr = AodvMessage::Rerr(Rerr::new(&[(node, 3), (NodeId(2), 0)]));
        let sizes = |header, time_stamp| [rreq, rrep, rerr].map(|m| 20 + m.bytes(AodvEnvelope { header, time_stamp }));
        // Over UDP, and as ns-2 sends them: over IP with a time stamp.
        assert_eq!(sizes(8, 0), [24 + 28, 20 + 28, 20 + 28]);
        assert_eq!(sizes(0, 4), [28 + 20, 24 + 20, 20 + 20]);
    }

    #[test]
    fn a_message_fits_into_the_room_of_a_tcp_segment() {
        assert!(size_of::<AodvMessage>() <= size_of::<crate::tcp::TcpSegment>());
    }
}
