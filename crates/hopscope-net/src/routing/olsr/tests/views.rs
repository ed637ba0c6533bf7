//! What nodes said, message by message.

use crate::routing::tests::net::{Line, Net};
use hopscope_core::ids::NodeId;
use hopscope_core::units::Time;
use hopscope_packet::olsr::{Hello, OlsrBody, OlsrPacket, Tc};
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
    pub(super) fn tcs(&self, node: u32) -> Vec<(Time, Tc)> {
        self.bodies(node, |body| match body {
            OlsrBody::Tc(tc) => Some(tc.clone()),
            OlsrBody::Hello(_) => None,
        })
    }

    fn bodies<T>(&self, node: u32, wanted: impl Fn(&OlsrBody) -> Option<T>) -> Vec<(Time, T)> {
        let sent = self.log.iter().filter_map(|(at, by, line)| match line {
            Line::Sent { message: RoutingMessage::Olsr(packet), .. } if *by == node => Some((at, packet)),
            _ => None,
        });
        sent.flat_map(|(at, packet)| packet.messages.iter().map(move |m| (*at, m)))
            .filter(|(_, message)| message.origin.0 == node)
            .filter_map(|(at, message)| Some((at, wanted(&message.body)?)))
            .collect()
    }

    /// Packets in which a node carries on messages of others: instant, time to live and hops of the message.
    pub(super) fn relayed(&self, node: u32) -> Vec<(Time, u8, u8)> {
        let mut relayed = Vec::new();
        for (at, by, line) in &self.log {
            if let (true, Line::Sent { message: RoutingMessage::Olsr(packet), .. }) = (*by == node, line) {
                let others = packet.messages.iter().filter(|m| m.origin.0 != node);
                relayed.extend(others.map(|m| (*at, m.ttl, m.hops)));
            }
        }
        relayed
    }

    /// Delivers a packet by hand.
    pub(super) fn deliver(&mut self, at: usize, from: u32, packet: &OlsrPacket) {
        let message = RoutingMessage::Olsr(packet.clone());
        self.input(at, |olsr, cx| olsr.on_message(NodeId(from), 1, &message, cx));
    }
}
