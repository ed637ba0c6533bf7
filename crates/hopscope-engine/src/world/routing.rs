//! The routing machines' inputs and effects: the part of the wiring between network layer, routing protocol and MAC.

use super::World;
use super::work::Work;
use crate::event::Event;
use crate::ids::{NodeId, PacketId};
use crate::iface::Interface;
use crate::packet::arena::Extra;
use crate::packet::routing::RoutingMessage;
use crate::packet::{Body, ExtraId, Packet};
use crate::record::{DropReason, Record, Recorder};
use crate::routing::{Cx, Forwarding, Lost, Machine, Query, RouteAnswer, Router, RoutingEffect, RoutingNote};
use crate::units::Span;

impl<R: Recorder> World<R> {
    // ---- inputs ----------------------------------------------------------------------------------------------

    /// Starts the clocks of all machines.
    pub(super) fn start_routing(&mut self) {
        for node in 0..self.nodes.len() as u32 {
            self.routing_input(NodeId(node), Router::start);
        }
        self.work_off();
    }

    pub(super) fn on_routing_timer(&mut self, node: NodeId, timer: u8) {
        self.routing_input(node, |router, cx| router.on_timer(timer, cx));
    }

    /// A routing message came up at `node`, where it ends.
    pub(super) fn take_routing_message(&mut self, node: NodeId, id: PacketId) {
        let packet = *self.packets.get(id);
        let message = match packet.body {
            Body::Aodv(message) => RoutingMessage::Aodv(message),
            Body::Routing => match self.packets.extra(packet.extra) {
                Some(Extra::Message(message)) => message.clone(),
                _ => unreachable!("a routing packet carries its message"),
            },
            _ => unreachable!("a routing message"),
        };
        self.packets.release(id);
        self.routing_input(node, |router, cx| router.on_message(packet.prev_hop, packet.ttl, &message, cx));
    }

    /// Asks the node's machine where a data packet goes next; false when it does not go on now.
    pub(super) fn ask_router(&mut self, node: NodeId, id: PacketId) -> bool {
        let Packet { src, dst, prev_hop, extra, .. } = *self.packets.get(id);
        let source_route = self.packets.source_route(extra).cloned();
        let prev = (prev_hop != node).then_some(prev_hop);
        let query = Query { packet: id, src, dst, prev, source_route: source_route.as_ref() };
        match self.routing_input(node, |router, cx| router.route(&query, cx)) {
            RouteAnswer::Via(next_hop) => {
                self.packets.get_mut(id).next_hop = next_hop;
                self.resolve(node, id);
                true
            }
            RouteAnswer::Held => {
                self.note(Record::PacketHeld { node, packet: id });
                false
            }
            RouteAnswer::Drop(reason) => {
                self.drop_packet(node, id, reason);
                false
            }
        }
    }

    /// The MAC gave a packet up, or ARP its next hop: a sign for the routing protocol, and its packet if it carries data.
    /// Other packets are dropped for `reason`, and all of them where no protocol asks.
    pub(super) fn on_link_failure(&mut self, node: NodeId, id: PacketId, reason: DropReason) {
        if self.nodes[node].router().is_none() {
            self.drop_packet(node, id, reason);
            return;
        }
        let packet = *self.packets.get(id);
        let source_route = self.packets.source_route(packet.extra).cloned();
        let lost = match packet.body {
            Body::Tcp(_) | Body::Udp { .. } | Body::Opaque { .. } => Some(Lost {
                packet: id,
                src: packet.src,
                dst: packet.dst,
                hops: packet.hops,
                source_route: source_route.as_ref(),
            }),
            Body::Aodv(_) | Body::Routing | Body::Arp { .. } | Body::Notice(_) => {
                self.drop_packet(node, id, reason);
                None
            }
        };
        if matches!(packet.body, Body::Arp { .. } | Body::Notice(_)) {
            return;
        }
        self.routing_input(node, |router, cx| router.on_link_failure(packet.next_hop, lost.as_ref(), cx));
    }

    /// True for a packet that goes to the head of the interface queue.
    pub(super) fn is_routing(&self, id: PacketId) -> bool {
        matches!(self.packets.get(id).body, Body::Aodv(_) | Body::Routing | Body::Notice(_))
    }

    /// One input to a node's machine, and its effects carried out.
    fn routing_input<T>(&mut self, node: NodeId, input: impl FnOnce(&mut Router, &mut Cx) -> T) -> T {
        let Forwarding::Protocol(machine) = &mut self.nodes[node].forwarding else {
            unreachable!("node {node} has a routing protocol")
        };
        let mut out = std::mem::take(&mut self.routing_effects);
        let Machine { router, rng } = &mut **machine;
        let answer = input(router, &mut Cx { now: self.now, rng, out: &mut out });
        for effect in out.drain(..) {
            self.routing_effect(node, effect);
        }
        self.routing_effects = out;
        answer
    }

    // ---- effects ---------------------------------------------------------------------------------------------

    fn routing_effect(&mut self, node: NodeId, effect: RoutingEffect) {
        match effect {
            RoutingEffect::Broadcast { message, ttl, delay } => {
                self.send_routing(node, NodeId::BROADCAST, ttl, message, delay);
            }
            RoutingEffect::Unicast { message, to, ttl, delay } => self.send_routing(node, to, ttl, message, delay),
            RoutingEffect::Forward { packet, next_hop, delay } => {
                self.packets.get_mut(packet).next_hop = next_hop;
                self.send_later(node, packet, delay);
            }
            RoutingEffect::SetSourceRoute { packet, route } => self.packets.set_source_route(packet, route),
            RoutingEffect::Drop { packet, reason } => self.drop_packet(node, packet, reason),
            RoutingEffect::FlushNextHop { next_hop } => self.flush(node, next_hop),
            RoutingEffect::RecallNextHop { next_hop } => self.recall(node, next_hop),
            RoutingEffect::Arm(timer, at) => self.events.push(at, Event::Routing { node, timer }),
            RoutingEffect::Note(note) => {
                let in_range = match note {
                    RoutingNote::LinkLost { neighbour } => {
                        self.medium.refresh(node);
                        !self.is_off(node)
                            && !self.is_off(neighbour)
                            && self.medium.neighbours(node).any(|n| n == neighbour)
                    }
                    _ => false,
                };
                self.note(Record::Routing { node, note, in_range });
            }
        }
    }

    fn send_routing(&mut self, node: NodeId, to: NodeId, ttl: u8, message: RoutingMessage, delay: Span) {
        let bytes = self.nodes[node].ip.header + message.bytes(self.wiring.aodv, self.wiring.udp_header);
        self.note(Record::RoutingSent { node, kind: message.kind(), bytes });
        let (body, extra) = match message {
            RoutingMessage::Aodv(message) => (Body::Aodv(message), ExtraId::NONE),
            message => (Body::Routing, self.packets.keep(Extra::Message(message))),
        };
        let packet = Packet { extra, ..Packet::new(node, to, bytes, ttl, body, self.now) };
        let id = self.admit(packet);
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
        while let Some(id) = self.take_waiting(node, next_hop) {
            self.drop_packet(node, id, DropReason::LinkFailed);
        }
    }

    /// Hands what waits in the interface queue for a neighbour back to the machine.
    fn recall(&mut self, node: NodeId, next_hop: NodeId) {
        // All leave the queue first: the machine may send some of them to this neighbour again.
        while let Some(packet) = self.take_waiting(node, next_hop) {
            self.note(Record::Dequeued { node, via: Interface::WIFI, packet });
            self.work.push(Work::LinkFailed { node, packet, reason: DropReason::RetryLimit });
        }
    }

    fn take_waiting(&mut self, node: NodeId, next_hop: NodeId) -> Option<PacketId> {
        let packets = &self.packets;
        self.wifi[node].port.take(self.now, |id| packets.get(id).next_hop == next_hop)
    }
}
