//! One direction of a point-to-point link: a queue, a transmitter of fixed rate, a delay, random loss; and the table of all
//! ends of wires.

use std::ops::{Index, IndexMut};

use super::Port;
use super::delay::Variation;
use crate::config::{LinkConfig, WireConfig};
use crate::link::LinkLayer;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::rng::{Purpose, Stream};
use hopscope_core::units::{Span, Time};
use hopscope_packet::Packet;

/// The sending end of one direction.
#[derive(Debug)]
pub struct WireEnd {
    /// Node that it belongs to.
    pub node: NodeId,
    /// Node at the other end.
    pub peer: NodeId,
    /// Queue before the transmitter.
    pub port: Port,
    /// What has left since measuring began.
    pub sent: Sent,
    /// Hops that a packet counts for it.
    hops: u8,
    rate: u64,
    delay: Span,
    /// The packet that is being sent, and when its last bit leaves.
    sending: Option<(PacketId, Time)>,
    /// How the delay differs from packet to packet, where it does.
    variation: Option<Box<Variation>>,
    /// What it loses on the way, where it does.
    loss: Option<Box<Loss>>,
}

/// Time that so many bytes take to leave at a rate in bit/s.
pub fn service(bytes: u32, rate: u64) -> Span {
    // 64 bits would not hold the product for the longest packets. Parts of a nanosecond are cut off.
    Span((8 * u128::from(bytes) * 1_000_000_000 / u128::from(rate)) as u64)
}

/// What has left an end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// Packets.
    pub packets: u64,
    /// Their bytes, network headers included.
    pub bytes: u64,
    /// Those of them that the wire has lost.
    pub lost: u64,
    /// Packets that the port dropped: they have not left.
    pub dropped: u64,
}

/// Random and periodic loss.
#[derive(Debug)]
struct Loss {
    probability: f64,
    /// At the beginning.
    usual: f64,
    /// One packet in so many is lost; 0: none.
    period: u32,
    /// Packets up to the next one lost by the period, that one included.
    left: u32,
    rng: Stream,
}

impl Loss {
    fn takes_next(&mut self) -> bool {
        if self.period > 0 {
            self.left -= 1;
            if self.left == 0 {
                self.left = self.period;
                return true;
            }
        }
        self.probability > 0.0 && self.rng.uniform() < self.probability
    }
}

impl WireEnd {
    /// The end 0 or 1 of a wire; `number` names its random streams.
    pub fn new(wire: &WireConfig, end: usize, (seed, number): (u64, u64)) -> Self {
        let (probability, period) = (wire.loss_from(end), if end == 0 { wire.loss_period } else { 0 });
        let loss = (probability > 0.0 || period > 0).then(|| {
            Box::new(Loss {
                probability,
                usual: probability,
                period,
                // An offset may lie beyond the first period.
                left: if wire.loss_offset > 0 { wire.loss_offset } else { period },
                rng: Stream::derive(seed, 0, number, Purpose::WireLoss),
            })
        });
        WireEnd {
            node: NodeId(wire.ends[end]),
            peer: NodeId(wire.ends[1 - end]),
            port: Port::new(wire.queue),
            sent: Sent::default(),
            hops: wire.hops,
            rate: wire.rate_from(end),
            delay: wire.delay,
            sending: None,
            variation: Variation::new(wire, (seed, number)),
            loss,
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
        self.sent.packets += 1;
        self.sent.bytes += u64::from(bytes);
        until
    }

    /// The last bit of the packet has left: gives the packet and the instant at which it has arrived.
    pub fn on_sent(&mut self, now: Time) -> Option<(PacketId, Time)> {
        let (packet, _) = self.sending.take()?;
        let at = match &mut self.variation {
            None => now + self.delay,
            Some(variation) => variation.arrival(now, self.delay),
        };
        Some((packet, at))
    }

    /// Loses packets with this probability from now on, besides those of its period; none: as at the beginning.
    pub fn set_loss(&mut self, probability: Option<f64>, (seed, number): (u64, u64)) {
        let fresh = || Stream::derive(seed, 0, number, Purpose::WireLoss);
        let loss = self
            .loss
            .get_or_insert_with(|| Box::new(Loss { probability: 0.0, usual: 0.0, period: 0, left: 0, rng: fresh() }));
        loss.probability = probability.unwrap_or(loss.usual);
    }

    /// Whether the packet that comes to the other end next is lost.
    pub fn loses_next(&mut self) -> bool {
        let lost = self.loss.as_mut().is_some_and(|loss| loss.takes_next());
        self.sent.lost += u64::from(lost);
        lost
    }

    /// A packet has come to the other end.
    pub fn hand_over(&self, packet: &mut Packet) {
        packet.prev_hop = self.node;
        // IP counts the hop itself (`ip::on_hop`).
        packet.hops = packet.hops.saturating_add(self.hops - 1);
    }

    /// Time that the packet being sent will still take.
    pub fn remaining(&self, now: Time) -> Span {
        self.sending.map_or(Span::ZERO, |(_, until)| until.saturating_since(now))
    }

    /// Time that a packet of so many bytes takes to leave.
    pub fn service(&self, bytes: u32) -> Span {
        service(bytes, self.rate)
    }

    /// Bit rate, bit/s.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// Measuring begins.
    pub fn restart_measure(&mut self, now: Time) {
        self.sent = Sent::default();
        self.port.queue.restart_measure(now);
    }
}

/// The ends of all wires: twice the number of a wire, plus 0 or 1. Empty, it takes no memory for the nodes.
#[derive(Debug, Default)]
pub struct Wires {
    ends: Vec<WireEnd>,
    /// Numbers of the ends, node by node, those of one node in their order.
    by_node: Vec<u32>,
    /// Where those of a node begin in `by_node`; one place more than nodes, or none at all.
    starts: Vec<u32>,
}

impl Wires {
    /// Those of a run of so many nodes with this seed; `link` has the parameters of what stands before their transmitters.
    pub fn new(wires: &[WireConfig], link: &LinkConfig, nodes: usize, seed: u64) -> Self {
        if wires.is_empty() {
            return Wires::default();
        }
        let ends = wires.iter().flat_map(|wire| [(wire, 0), (wire, 1)]).zip(0..).map(|((wire, end), number)| {
            let mut made = WireEnd::new(wire, end, (seed, number));
            made.port.layer = wire.layer(link).map(|section| {
                let rng = Stream::derive(seed, 0, number, Purpose::WireLink);
                Box::new(LinkLayer::new(&section, rng))
            });
            made
        });
        let ends: Vec<WireEnd> = ends.collect();
        let mut by_node: Vec<u32> = (0..ends.len() as u32).collect();
        by_node.sort_by_key(|&end| ends[end as usize].node);
        let before = |node: usize| by_node.partition_point(|&end| ends[end as usize].node.index() < node) as u32;
        let starts = (0..=nodes).map(before).collect();
        Wires { ends, by_node, starts }
    }

    /// Numbers of the ends at a node, in their order.
    #[inline]
    pub fn of(&self, node: NodeId) -> &[u32] {
        match self.starts.get(node.index()..node.index() + 2) {
            Some(&[from, to]) => &self.by_node[from as usize..to as usize],
            _ => &[],
        }
    }

    /// All ends in the order of their numbers.
    pub fn ends(&mut self) -> impl Iterator<Item = &mut WireEnd> {
        self.ends.iter_mut()
    }

    /// Measuring begins.
    pub fn restart_measure(&mut self, now: Time) {
        self.ends.iter_mut().for_each(|end| end.restart_measure(now));
    }
}

impl Index<u32> for Wires {
    type Output = WireEnd;

    fn index(&self, end: u32) -> &WireEnd {
        &self.ends[end as usize]
    }
}

impl IndexMut<u32> for Wires {
    fn index_mut(&mut self, end: u32) -> &mut WireEnd {
        &mut self.ends[end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_leaves_after_its_bits_and_arrives_after_the_delay() {
        let wire =
            WireConfig { back_rate: Some(8_000), ..WireConfig::between([4, 7], 1_000_000, Span::from_millis(5), 1) };
        let [mut there, back] = [0, 1].map(|end| WireEnd::new(&wire, end, (1, 0)));
        assert_eq!((there.node, there.peer, back.node, back.peer), (NodeId(4), NodeId(7), NodeId(7), NodeId(4)));
        let now = Time(100);
        assert_eq!(there.send(PacketId(3), 1_250, now), now + Span::from_millis(10));
        assert!(!there.is_free());
        assert_eq!(there.remaining(now + Span::from_millis(4)), Span::from_millis(6));
        let sent = now + Span::from_millis(10);
        assert_eq!(there.on_sent(sent), Some((PacketId(3), sent + Span::from_millis(5))));
        assert!(there.is_free());
        assert_eq!(back.service(1_000), Span::from_secs(1));
        assert_eq!(there.sent, Sent { packets: 1, bytes: 1_250, ..Sent::default() });
    }

    #[test]
    fn each_direction_loses_its_own_share() {
        let wire = WireConfig {
            loss: 0.02,
            back_loss: Some(0.0),
            loss_period: 100,
            ..WireConfig::between([0, 1], 1_000, Span::ZERO, 1)
        };
        let lost = |end, packets: u32| {
            let mut end = WireEnd::new(&wire, end, (7, 0));
            let lost: Vec<u32> = (1..=packets).filter(|_| end.loses_next()).collect();
            assert_eq!(end.sent.lost, lost.len() as u64);
            lost
        };
        let there = lost(0, 100_000);
        // 1000 by the period, and 2 % of the other 99,000: within four standard deviations, the seed is fixed.
        assert!((2_980 - 177..=2_980 + 177).contains(&there.len()), "{} lost", there.len());
        assert!((1..=1_000).all(|n| there.binary_search(&(100 * n)).is_ok()), "every hundredth");
        assert!(lost(1, 1_000).is_empty());
    }

    #[test]
    fn the_first_loss_of_a_period_can_be_moved() {
        let lost = |offset, packets: u32| {
            let wire = WireConfig {
                loss_period: 100,
                loss_offset: offset,
                ..WireConfig::between([0, 1], 1_000, Span::ZERO, 1)
            };
            let mut end = WireEnd::new(&wire, 0, (7, 0));
            (1..=packets).filter(|_| end.loses_next()).collect::<Vec<u32>>()
        };
        assert_eq!(lost(0, 300), [100, 200, 300]);
        assert_eq!(lost(1, 300), [1, 101, 201]);
        assert_eq!(lost(130, 400), [130, 230, 330], "beyond the first period");
    }

    #[test]
    fn a_node_finds_its_ends() {
        let made = |wires: &[WireConfig]| Wires::new(wires, &LinkConfig::default(), 4, 1);
        assert!(made(&[]).of(NodeId(2)).is_empty());
        let wire = |ends| WireConfig::between(ends, 1_000_000, Span::ZERO, 5);
        let wires = made(&[wire([3, 0]), wire([0, 1]), wire([1, 3])]);
        let of = |node| wires.of(NodeId(node)).to_vec();
        assert_eq!([of(0), of(1), of(2), of(3)], [vec![1, 2], vec![3, 4], vec![], vec![0, 5]]);
        assert_eq!((wires[5].node, wires[5].peer), (NodeId(3), NodeId(1)));
    }
}
