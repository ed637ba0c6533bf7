//! What nodes said, TLV by TLV, and packets that are delivered by hand.

use crate::routing::Router;
use crate::routing::babel::Babel;
use crate::routing::tests::net::{Line, Net};
use hopscope_core::ids::NodeId;
use hopscope_core::units::{Span, Time};
use hopscope_packet::babel::{BabelPacket, BabelTlv, BabelUpdate, Centiseconds};
use hopscope_packet::routing::RoutingMessage;

/// An update of a route with the intervals of RFC 8966 B.
pub(super) fn update(dst: u32, seqno: u16, metric: u16) -> BabelTlv {
    let interval = Centiseconds(1600);
    BabelTlv::Update(BabelUpdate { dst: NodeId(dst), seqno, metric, interval, router_id_flag: true, hops: 0 })
}

impl Net {
    /// Packets that a node sent: instant, receiver, TLVs.
    pub(super) fn babel_packets(&self, node: u32) -> Vec<(Time, Option<u32>, &[BabelTlv])> {
        let packets = self.log.iter().filter_map(|(at, by, line)| match line {
            Line::Sent { message: RoutingMessage::Babel(packet), to, .. } if *by == node => {
                Some((*at, *to, &*packet.tlvs))
            }
            _ => None,
        });
        packets.collect()
    }

    /// TLVs of one kind that a node sent since an instant.
    pub(super) fn babel_said(&self, node: u32, kind: &str, since: Time) -> Vec<(Time, Option<u32>, BabelTlv)> {
        let packets = self.babel_packets(node).into_iter().filter(|packet| packet.0 >= since);
        let tlvs = packets.flat_map(|(at, to, tlvs)| tlvs.iter().map(move |tlv| (at, to, *tlv)));
        tlvs.filter(|(_, _, tlv)| tlv.kind() == kind).collect()
    }

    /// Updates of a route that a node sent since an instant: instant, number, metric.
    pub(super) fn babel_updates(&self, node: u32, dst: u32, since: Time) -> Vec<(Time, u16, u16)> {
        let updates = self.babel_said(node, "update", since).into_iter();
        let of_dst = updates.filter_map(|(at, _, tlv)| match tlv {
            BabelTlv::Update(update) if update.dst.0 == dst => Some((at, update.seqno, update.metric)),
            _ => None,
        });
        of_dst.collect()
    }

    /// Delivers TLVs by hand.
    pub(super) fn hear(&mut self, at: usize, from: u32, tlvs: &[BabelTlv]) {
        let message = RoutingMessage::Babel(BabelPacket { tlvs: tlvs.into() });
        self.input(at, |babel, cx| babel.on_message(NodeId(from), 1, &message, cx));
    }

    /// Lets a node meet neighbours that are not there, over links of cost 256; they say Hello until then.
    pub(super) fn meet(&mut self, at: usize, neighbours: &[u32]) {
        for seqno in 0..20 {
            for &neighbour in neighbours {
                self.greet(at, neighbour, seqno);
            }
            self.run(self.now + Span::from_secs(4));
        }
    }

    /// A neighbour says Hello, and that it hears the node without a loss.
    pub(super) fn greet(&mut self, at: usize, neighbour: u32, seqno: u16) {
        let hello = BabelTlv::Hello { seqno, interval: Centiseconds(400) };
        let interval = Centiseconds(1200);
        let ihu = BabelTlv::Ihu { neighbour: NodeId(at as u32), rxcost: 256, interval };
        self.hear(at, neighbour, &[hello, ihu]);
    }

    pub(super) fn babel(&self, node: usize) -> &Babel {
        let Router::Babel(babel) = &self.nodes[node] else { panic!("node {node} runs another protocol") };
        babel
    }
}
