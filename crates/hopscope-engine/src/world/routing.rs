//! The routing machines' inputs and effects: the part of the wiring between network layer, AODV and MAC.

use super::World;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::packet::aodv::AodvMessage;
use crate::packet::{Body, Packet};
use crate::record::{DropReason, Record, Recorder};
use crate::rng::Stream;
use crate::routing::aodv::{Aodv, AodvDrop, AodvEffect, AodvNote, AodvTimer, Lost, RouteAnswer};
use crate::units::{Span, Time};

impl<R: Recorder> World<R> {
    // ---- inputs ----------------------------------------------------------------------------------------------

    /// Starts the clocks of all machines.
    pub(super) fn start_routing(&mut self) {
        for node in 0..self.aodv.len() as u32 {
            self.routing_input(NodeId(node), |aodv, now, rng, out| aodv.start(now, rng, out));
        }
    }

    pub(super) fn on_routing_timer(&mut self, node: NodeId, timer: u8) {
        let timer = AodvTimer::ALL[usize::from(timer)];
        self.routing_input(node, |aodv, now, rng, out| aodv.on_timer(timer, now, rng, out));
    }

    pub(super) fn on_routing_message(&mut self, node: NodeId, from: NodeId, ttl: u8, message: &AodvMessage) {
        self.routing_input(node, |aodv, now, rng, out| aodv.on_message(from, ttl, message, now, rng, out));
    }

    /// Asks the node's machine where a data packet goes next.
    pub(super) fn ask_router(&mut self, node: NodeId, id: PacketId) {
        let Packet { src, dst, prev_hop, .. } = *self.packets.get(id);
        let prev = (prev_hop != node).then_some(prev_hop);
        let answer = self.routing_input(node, |aodv, now, rng, out| aodv.route(id, src, dst, prev, now, rng, out));
        match answer {
            RouteAnswer::Via(next_hop) => {
                self.packets.get_mut(id).next_hop = next_hop;
                self.resolve(node, id);
            }
            RouteAnswer::Held => {}
            RouteAnswer::Drop(reason) => self.drop_packet(node, id, drop_reason(reason)),
        }
    }

    /// The MAC gave a packet up: a sign for the routing protocol, and its packet if it carries data.
    pub(super) fn on_link_failure(&mut self, node: NodeId, id: PacketId) {
        let packet = *self.packets.get(id);
        let lost = match packet.body {
            Body::Tcp(_) | Body::Udp { .. } | Body::Opaque { .. } => {
                Some(Lost { packet: id, src: packet.src, dst: packet.dst, hops: packet.hops })
            }
            Body::Aodv(_) | Body::Arp { .. } => {
                self.drop_packet(node, id, DropReason::RetryLimit);
                None
            }
        };
        if matches!(packet.body, Body::Arp { .. }) {
            return;
        }
        self.routing_input(node, |aodv, now, rng, out| aodv.on_link_failure(packet.next_hop, lost, now, rng, out));
    }

    /// True for a packet that goes to the head of the interface queue.
    pub(super) fn is_routing(&self, id: PacketId) -> bool {
        matches!(self.packets.get(id).body, Body::Aodv(_))
    }

    /// One input to a node's machine, and its effects carried out.
    fn routing_input<T>(
        &mut self,
        node: NodeId,
        input: impl FnOnce(&mut Aodv, Time, &mut Stream, &mut Vec<AodvEffect>) -> T,
    ) -> T {
        let mut out = std::mem::take(&mut self.aodv_effects);
        let machine = &mut self.aodv[node.index()];
        let answer = input(machine, self.now, &mut self.routing_streams[node.index()], &mut out);
        for effect in out.drain(..) {
            self.routing_effect(node, effect);
        }
        self.aodv_effects = out;
        answer
    }

    // ---- effects ---------------------------------------------------------------------------------------------

    fn routing_effect(&mut self, node: NodeId, effect: AodvEffect) {
        match effect {
            AodvEffect::Broadcast { message, ttl, delay } => {
                self.send_routing(node, NodeId::BROADCAST, ttl, message, delay);
            }
            AodvEffect::Unicast { message, to, ttl } => self.send_routing(node, to, ttl, message, Span::ZERO),
            AodvEffect::Forward { packet, next_hop, delay } => {
                self.packets.get_mut(packet).next_hop = next_hop;
                self.send_later(node, packet, delay);
            }
            AodvEffect::Drop { packet, reason } => self.drop_packet(node, packet, drop_reason(reason)),
            AodvEffect::FlushNextHop { next_hop } => self.flush(node, next_hop),
            AodvEffect::Arm(timer, at) => {
                self.events.push(at, Event::Routing { node, timer: timer.index() as u8 });
            }
            AodvEffect::Note(note) => {
                let in_range = match note {
                    AodvNote::LinkLost { neighbour } => self.medium.neighbours(node).any(|n| n == neighbour),
                    _ => false,
                };
                self.note(Record::Routing { node, note, in_range });
            }
        }
    }

    fn send_routing(&mut self, node: NodeId, to: NodeId, ttl: u8, message: AodvMessage, delay: Span) {
        let bytes = self.wiring.ip_header + message.bytes(self.wiring.aodv_rules, self.wiring.udp_header);
        self.note(Record::RoutingSent { node, kind: message.kind(), bytes });
        let packet = Packet {
            flow: FlowId(u32::MAX),
            src: node,
            dst: to,
            next_hop: to,
            prev_hop: node,
            bytes,
            ttl,
            hops: 0,
            sent: self.now,
            body: Body::Aodv(message),
        };
        let id = self.packets.insert(packet);
        self.send_later(node, id, delay);
    }

    fn send_later(&mut self, node: NodeId, packet: PacketId, delay: Span) {
        if delay == Span::ZERO {
            self.resolve(node, packet);
        } else {
            self.events.push(self.now + delay, Event::RoutingSend { node, packet });
        }
    }

    /// Drops what waits in the interface queue for a neighbour.
    fn flush(&mut self, node: NodeId, next_hop: NodeId) {
        loop {
            let packets = &self.packets;
            let queue = &mut self.nets[node.index()].queue;
            let Some(id) = queue.take(self.now, |id| packets.get(id).next_hop == next_hop) else { return };
            self.drop_packet(node, id, DropReason::LinkFailed);
        }
    }
}

fn drop_reason(reason: AodvDrop) -> DropReason {
    match reason {
        AodvDrop::NoRoute => DropReason::NoRoute,
        AodvDrop::BufferFull => DropReason::RouteBufferFull,
        AodvDrop::BufferTimeout => DropReason::RouteBufferTimeout,
        AodvDrop::Loop => DropReason::Loop,
        AodvDrop::LinkFailed => DropReason::LinkFailed,
    }
}
