//! Packets are typed data with declared sizes; octets exist only where a capture file is written (`hopscope-wire`).
//!
//! [`Packet`] is what a node forwards: its header and a [`Body`], which is a segment of a transport ([`tcp`], [`dccp`],
//! [`atp`], UDP) or a message of a routing protocol ([`routing`]). The [`arena`] keeps those of a run. What a packet learns
//! on its way is in [`path`], why one is dropped in [`DropReason`].
//!
//! Below stands `hopscope-core`; above stand the network layer and the transports. Begin with [`Packet`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod aodv;
pub mod arena;
pub mod atp;
pub mod babel;
pub mod batman;
pub mod dccp;
mod drop;
pub mod dsdv;
pub mod dsr;
pub mod hwmp;
mod notice;
pub mod olsr;
pub mod path;
mod path_notice;
pub mod routing;
pub mod tcp;

pub use arena::{ExtensionId, PacketArena};
pub use drop::DropReason;
pub use notice::Notice;
pub use path::{PathInfo, PathOption};
pub use path_notice::{PathNotice, PathNoticeKind};

use aodv::AodvMessage;
use atp::AtpPacket;
use dccp::DccpPacket;
use hopscope_core::ids::{FlowId, NodeId, SocketId};
use hopscope_core::units::Time;
use tcp::TcpSegment;

/// A network-layer packet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packet {
    /// Flow it belongs to; `FlowId::NONE` for what comes from outside or from below the transport.
    pub flow: FlowId,
    /// Ports of its transport; none of what comes from outside or from below the transport.
    pub ports: Ports,
    /// Originating node.
    pub src: NodeId,
    /// Destination node.
    pub dst: NodeId,
    /// Neighbour that takes it next, `NodeId::BROADCAST` for all.
    pub next_hop: NodeId,
    /// Neighbour it came from last; the node itself before the first hop.
    pub prev_hop: NodeId,
    /// Size with network header, in bytes.
    pub bytes: u32,
    /// Remaining time to live, in hops.
    pub ttl: u8,
    /// Hops travelled so far.
    pub hops: u8,
    /// Interface of the node at hand that it leaves by, or has come by, in the order of the node's interfaces; with
    /// [`Packet::CHOSEN`] where routing wants it to leave by this one.
    pub via: u8,
    /// The next hop has received it; the node keeps this copy only until the MAC ACK comes.
    pub received_next: bool,
    /// Explicit congestion notification.
    pub ecn: Ecn,
    /// Differentiated services code point, 0 to 63 (RFC 2474): a QoS station takes its user priority from that.
    pub dscp: u8,
    /// Routing message or source route it carries besides its body.
    pub extension: ExtensionId,
    /// What it learns on its way, where its transport asks for it.
    pub path: Option<PathOption>,
    /// When this copy left the sending transport.
    pub sent: Time,
    /// What it carries.
    pub body: Body,
}

impl Packet {
    /// Bit of `via`: routing has chosen the interface.
    pub const CHOSEN: u8 = 0x80;

    /// A packet that `src` makes now for `dst`, its next hop so far; of no flow, without ECN and extra part.
    #[inline]
    pub fn new(src: NodeId, dst: NodeId, bytes: u32, ttl: u8, body: Body, now: Time) -> Self {
        Packet {
            flow: FlowId::NONE,
            ports: Ports::NONE,
            src,
            dst,
            next_hop: dst,
            prev_hop: src,
            bytes,
            ttl,
            hops: 0,
            via: 0,
            received_next: false,
            ecn: Ecn::NotEct,
            dscp: 0,
            extension: ExtensionId::NONE,
            path: None,
            sent: now,
            body,
        }
    }

    /// What it has learnt of its path.
    #[inline]
    pub fn path_info(&self) -> PathInfo {
        PathInfo { hops: self.hops, learnt: self.path }
    }
}

/// Ports of a packet, and the socket that its sender has found behind the second one: a hint that spares a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    /// Source port.
    pub from: u16,
    /// Destination port.
    pub to: u16,
    /// The socket there, as far as the sender knows; the port decides.
    pub found: SocketId,
}

impl Ports {
    /// Of packets without a transport.
    pub const NONE: Ports = Ports { from: 0, to: 0, found: SocketId::NONE };
}

/// ECN field of the IP header (RFC 3168 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ecn {
    /// The transport does not know ECN.
    #[default]
    NotEct,
    /// It does.
    Ect,
    /// Congestion was met on the way.
    Ce,
}

/// What a packet carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Body {
    /// A TCP segment (either direction of the flow).
    Tcp(TcpSegment),
    /// A UDP datagram with its number in the flow, from 0.
    Udp {
        /// Number in the flow.
        seq: u64,
        /// Payload bytes.
        len: u32,
    },
    /// A DCCP packet (either direction of the flow).
    Dccp(DccpPacket),
    /// An ATP packet (either direction of the flow).
    Atp(AtpPacket),
    /// ARP request or reply (RFC 826).
    Arp {
        /// Node asked for (request) or answering (reply).
        target: NodeId,
        /// True for a reply.
        reply: bool,
    },
    /// An AODV message.
    Aodv(AodvMessage),
    /// A message of another routing protocol: the packet's extra part.
    Routing,
    /// A link layer notifies its neighbours of how much they are to drop.
    Notice(Notice),
    /// A node notifies a source that no route takes its packets, or that one does again.
    PathNotice(PathNotice),
    /// A packet from outside, whose octets the arena holds.
    Opaque {
        /// Its number.
        number: u64,
    },
    /// An Ethernet frame from outside, whose octets the arena holds too: it goes over one hop, past routing.
    Ethernet {
        /// Its number.
        number: u64,
    },
}

impl Body {
    /// True for data of a transport, and for the SYN of who opens a connection.
    #[inline(always)]
    pub fn carries_data(&self) -> bool {
        match self {
            Body::Tcp(segment) => segment.is_data(),
            Body::Udp { .. } => true,
            Body::Dccp(packet) => packet.is_data(),
            Body::Atp(packet) => packet.is_data(),
            Body::Arp { .. }
            | Body::Aodv(_)
            | Body::Routing
            | Body::Notice(_)
            | Body::PathNotice(_)
            | Body::Opaque { .. }
            | Body::Ethernet { .. } => false,
        }
    }

    /// The number of what comes from outside.
    #[inline(always)]
    pub fn outside(&self) -> Option<u64> {
        match *self {
            Body::Opaque { number } | Body::Ethernet { number } => Some(number),
            _ => None,
        }
    }

    /// True for what goes in front of all data: messages of routing protocols, and notices.
    #[inline]
    pub fn is_control(&self) -> bool {
        // A notice of NRED is worth nothing late; those to sources of packets wait like data, as ICMP does.
        matches!(self, Body::Aodv(_) | Body::Routing | Body::Notice(_))
    }

    /// True for a message of a routing protocol.
    #[inline]
    pub fn is_routing_message(&self) -> bool {
        matches!(self, Body::Aodv(_) | Body::Routing)
    }
}
