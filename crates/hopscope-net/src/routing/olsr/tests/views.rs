//! What nodes said, message by message.

use std::sync::Arc;

use crate::routing::tests::net::{Line, Net};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::olsr::{Hello, OlsrBody, OlsrMessage, OlsrPacket, Tc};
use hopscope_packet::routing::RoutingMessage;

impl Net {
    /// HELLOs of a node with their instants.
    pub(super) fn hellos(&self, node: u32) -> Vec<(Time, Hello)> {
        self.bodies(node, |body| match body {
            OlsrBody::Hello(hello) => Some(hello.clone()),
            OlsrBody::Tc(_) => None,
        })
    }

    /// TC messages that a node generated, with their instants.
    pub(super) fn tcs(&self, node: u32) -> Vec<(Time, Arc<Tc>)> {
        self.bodies(node, |body| match body {
            OlsrBody::Tc(tc) => Some(tc.clone()),
            OlsrBody::Hello(_) => None,
        })
    }

    fn bodies<T>(&self, node: u32, wanted: impl Fn(&OlsrBody) -> Option<T>) -> Vec<(Time, T)> {
        let own = self.messages(node).into_iter().filter(|(_, message)| message.origin.0 == node);
        own.filter_map(|(at, message)| Some((at, wanted(&message.body)?))).collect()
    }

    /// Packets in which a node carries on messages of others: instant, time to live and hops of the message.
    pub(super) fn relayed(&self, node: u32) -> Vec<(Time, u8, u8)> {
        let others = self.messages(node).into_iter().filter(|(_, message)| message.origin.0 != node);
        others.map(|(at, message)| (at, message.ttl, message.hops)).collect()
    }

    /// Messages that a node sent, its own and those that it carried on, with their instants.
    pub(super) fn messages(&self, node: u32) -> Vec<(Time, &OlsrMessage)> {
        let packets = self.log.iter().filter_map(|(at, by, line)| match line {
            Line::Sent { message: RoutingMessage::Olsr(packet), .. } if *by == node => Some((*at, packet)),
            _ => None,
        });
        packets.flat_map(|(at, packet)| packet.messages.iter().map(move |message| (at, message))).collect()
    }

    /// Delivers a packet by hand.
    pub(super) fn deliver(&mut self, at: usize, from: u32, packet: &OlsrPacket) {
        let message = RoutingMessage::Olsr(packet.clone());
        self.input(at, |olsr, cx| olsr.on_message(NodeId(from), 1, &message, cx));
    }
}
