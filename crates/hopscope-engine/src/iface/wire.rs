//! One direction of a point-to-point link: a queue, a transmitter of fixed rate, a delay.

use crate::config::WireConfig;
use crate::ids::{NodeId, PacketId};
use crate::packet::Packet;
use crate::units::{Span, Time};

use super::Port;

/// The sending end of one direction.
#[derive(Debug)]
pub struct WireEnd {
    /// Node that it belongs to.
    pub node: NodeId,
    /// Node at the other end.
    pub peer: NodeId,
    /// Queue before the transmitter.
    pub port: Port,
    /// Hops that a packet counts for it.
    hops: u8,
    rate: u64,
    delay: Span,
    /// The packet that is being sent, and when its last bit leaves.
    sending: Option<(PacketId, Time)>,
}

impl WireEnd {
    /// The end 0 or 1 of a wire.
    pub fn new(wire: &WireConfig, end: usize) -> Self {
        WireEnd {
            node: NodeId(wire.ends[end]),
            peer: NodeId(wire.ends[1 - end]),
            port: Port::new(wire.queue),
            hops: wire.hops,
            rate: wire.rate_from(end),
            delay: wire.delay,
            sending: None,
        }
    }

    /// True when the transmitter can take a packet.
    pub fn is_free(&self) -> bool {
        self.sending.is_none()
    }

    /// Begins to send a packet of so many bytes; gives the instant at which its last bit has left. The end must be free.
    pub fn send(&mut self, packet: PacketId, bytes: u32, now: Time) -> Time {
        debug_assert!(self.sending.is_none(), "a transmitter sends one packet at a time");
        let until = now + self.service(bytes);
        self.sending = Some((packet, until));
        until
    }

    /// The last bit of the packet has left: gives the packet and the instant at which it has arrived.
    pub fn on_sent(&mut self, now: Time) -> Option<(PacketId, Time)> {
        self.sending.take().map(|(packet, _)| (packet, now + self.delay))
    }

    /// A packet has come to the other end.
    pub fn hand_over(&self, packet: &mut Packet) {
        packet.prev_hop = self.node;
        packet.hops = packet.hops.saturating_add(self.hops - 1);
    }

    /// Time that the packet being sent will still take.
    pub fn remaining(&self, now: Time) -> Span {
        self.sending.map_or(Span::ZERO, |(_, until)| until.saturating_since(now))
    }

    /// Time that a packet of so many bytes takes to leave.
    pub fn service(&self, bytes: u32) -> Span {
        Span((8 * u128::from(bytes) * 1_000_000_000 / u128::from(self.rate)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_leaves_after_its_bits_and_arrives_after_the_delay() {
        let wire = WireConfig {
            ends: [4, 7],
            rate: 1_000_000,
            back_rate: Some(8_000),
            delay: Span::from_millis(5),
            queue: 1,
            hops: 1,
        };
        let [mut there, back] = [0, 1].map(|end| WireEnd::new(&wire, end));
        assert_eq!((there.node, there.peer, back.node, back.peer), (NodeId(4), NodeId(7), NodeId(7), NodeId(4)));
        let now = Time(100);
        assert_eq!(there.send(PacketId(3), 1_250, now), now + Span::from_millis(10));
        assert!(!there.is_free());
        assert_eq!(there.remaining(now + Span::from_millis(4)), Span::from_millis(6));
        let sent = now + Span::from_millis(10);
        assert_eq!(there.on_sent(sent), Some((PacketId(3), sent + Span::from_millis(5))));
        assert!(there.is_free());
        assert_eq!(back.service(1_000), Span::from_secs(1));
    }
}
