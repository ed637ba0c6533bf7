//! The Internet Protocol (RFC 791) of a node: packets begin, are forwarded and are delivered here. Nothing is fragmented.

use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::{Body, Ecn, Packet};

/// Parameters of the network layer of one node.
#[derive(Debug, Clone, Copy)]
pub struct Ip {
    /// Initial time to live, hops.
    pub ttl: u8,
    /// Header, bytes.
    pub header: u32,
    /// Bytes that data packets carry for the routing protocol.
    pub routing_header: u32,
}

/// What becomes of a packet that has come to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It has reached its destination.
    Deliver,
    /// It goes on.
    Forward,
    /// Its time to live is used up (RFC 791 3.2).
    Expired,
}

impl Ip {
    /// A new packet that the transport of this node has made.
    #[inline]
    pub fn originate(&self, packet: Packet) -> Packet {
        let ecn = match &packet.body {
            Body::Tcp(segment) => segment.ecn,
            Body::Dccp(packet) => packet.ecn,
            _ => Ecn::NotEct,
        };
        Packet { ecn, ttl: self.ttl, bytes: packet.bytes + self.routing_header, ..packet }
    }
}

/// A packet has come over one more hop; true when it asks what that was like.
#[inline]
pub fn on_hop(packet: &mut Packet) -> bool {
    packet.hops += 1;
    packet.path.is_some()
}

/// A packet learns that the node it came from expects collisions with this probability.
pub fn learn(packet: &mut Packet, now: Time, collision: f64) {
    if let Some(path) = &mut packet.path {
        path.pass(now, collision);
    }
}

/// A packet comes up at `node`.
#[inline]
pub fn on_packet(packet: &mut Packet, node: NodeId) -> Step {
    if packet.dst == node {
        return Step::Deliver;
    }
    if packet.ttl <= 1 {
        return Step::Expired;
    }
    packet.ttl -= 1;
    Step::Forward
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_lives_for_as_many_hops_as_its_time_to_live_says() {
        let ip = Ip { ttl: 3, header: 20, routing_header: 4 };
        let (from, to) = (NodeId(0), NodeId(9));
        let made = Packet::new(from, to, 100, 0, Body::Opaque { number: 0 }, Time::ZERO);
        let mut packet = ip.originate(made);
        assert_eq!((packet.ttl, packet.bytes, packet.src, packet.dst), (3, 104, from, to));
        assert_eq!(on_packet(&mut packet, NodeId(1)), Step::Forward);
        assert_eq!(on_packet(&mut packet, NodeId(2)), Step::Forward);
        assert_eq!(on_packet(&mut packet, NodeId(3)), Step::Expired);
        assert_eq!(on_packet(&mut packet, to), Step::Deliver, "the last hop needs no more");
    }
}
