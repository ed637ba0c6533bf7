//! What a record says of a segment or datagram.

use hopscope_packet::{Body, tcp::TcpFlags};

/// What the header of a segment or datagram says.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Header {
    /// Number of the first byte (TCP), of the packet (DCCP), or of the datagram in its flow from 0 (UDP).
    pub seq: u64,
    /// Next number expected from the other end, or over DCCP the greatest one received; valid when `flags.ack`.
    pub ack: u64,
    /// Payload bytes.
    pub len: u32,
    /// Advertised window, bytes.
    pub window: u32,
    /// Control bits.
    pub flags: TcpFlags,
    /// This copy repeats data sent before.
    pub retransmission: bool,
    /// It carries data, or is the SYN of who opens the connection.
    pub is_data: bool,
}

impl Header {
    /// The header in front of a body; an empty one for what has none.
    #[inline(always)]
    pub fn of(body: &Body) -> Self {
        match body {
            Body::Tcp(segment) => Header {
                seq: segment.seq,
                ack: segment.ack,
                len: segment.len,
                window: segment.window,
                flags: segment.flags,
                retransmission: segment.retransmission,
                is_data: segment.is_data(),
            },
            // A datagram is neither acknowledged nor repeated (RFC 768).
            Body::Udp { seq, len } => Header { seq: *seq, len: *len, is_data: true, ..Header::default() },
            // No window: the sequence window of DCCP bounds valid numbers, not what a receiver can hold
            // (RFC 4340 7.5.1).
            Body::Dccp(packet) => Header {
                seq: packet.seq.bits(),
                ack: packet.ack.bits(),
                len: packet.len,
                flags: TcpFlags { ack: packet.kind.acknowledges(), ..TcpFlags::default() },
                retransmission: packet.retransmission,
                is_data: packet.is_data(),
                ..Header::default()
            },
            // One field of ATP has both numbers: that of the data, or that of what is answered.
            Body::Atp(packet) => Header {
                seq: if packet.is_data() { packet.number.into() } else { 0 },
                ack: if packet.is_data() { 0 } else { packet.number.into() },
                len: packet.len,
                flags: TcpFlags { ack: !packet.is_data(), ..TcpFlags::default() },
                retransmission: packet.retransmission,
                is_data: packet.is_data(),
                ..Header::default()
            },
            Body::Arp { .. }
            | Body::Aodv(_)
            | Body::Routing
            | Body::Notice(_)
            | Body::PathNotice(_)
            | Body::Opaque { .. }
            | Body::Ethernet { .. } => Header::default(),
        }
    }
}
