//! The network layer of a node: forwarding, address resolution, and the queue that the MAC pulls from.

use super::World;
use super::work::Work;
use crate::event::Event;
use crate::ids::{NodeId, PacketId};
use crate::iface::outside::Arrived;
use crate::iface::{Interface, Wifi};
use crate::net::arp::{ARP_BYTES, Resolution};
use crate::net::ip::{self, Step};
use crate::packet::{Body, Packet};
use crate::record::{DropReason, Record, Recorder};
use crate::routing::Forwarding;
use crate::units::Span;

impl<R: Recorder> World<R> {
    pub(super) fn link_up(&mut self, node: NodeId, packet: PacketId) {
        if self.wiring.link_delay == Span::ZERO {
            self.receive(node, packet);
        } else {
            self.events.push(self.now + self.wiring.link_delay, Event::LinkUp { node, packet });
        }
    }

    /// A packet comes up from the link layer.
    pub(super) fn receive(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets.get_mut(id);
        packet.hops += 1;
        if packet.path.is_some() {
            self.pass_hop(id);
        }
        let packet = self.packets.get(id);
        let (from, extra) = (packet.prev_hop, packet.extra);
        if let Forwarding::Protocol(machine) = &mut self.nodes[node].forwarding {
            if self.packets.get(id).body.is_routing_message() {
                self.take_routing_message(node, id);
                return;
            }
            machine.router.on_heard(from, self.packets.source_route(extra), self.now);
        }
        match ip::on_packet(self.packets.get_mut(id), node) {
            Step::Deliver => {
                let packet = *self.packets.get(id);
                self.note(Record::PacketArrived { node, packet: id });
                if let Body::Opaque { number } = packet.body {
                    self.leave(node, &packet, number);
                }
                self.packets.release(id);
                self.deliver(node, &packet);
            }
            Step::Forward => {
                self.forward(node, id);
            }
            Step::Expired => self.drop_packet(node, id, DropReason::TtlExpired),
        }
    }

    /// A packet from outside leaves the network.
    #[cold]
    fn leave(&mut self, node: NodeId, packet: &Packet, number: u64) {
        let octets = self.packets.octets(number).into();
        self.outside.leave(Arrived { at: self.now, node, from: packet.src, hops: packet.hops, number, octets });
    }

    /// A packet that learns of its way has taken a hop.
    #[cold]
    fn pass_hop(&mut self, id: PacketId) {
        let packet = self.packets.get_mut(id);
        let mac = self.wifi[packet.prev_hop].mac.attempts();
        if let Some(path) = &mut packet.path {
            path.pass(self.now, mac.packets, mac.retries);
        }
    }

    fn link_down(&mut self, node: NodeId, packet: PacketId) {
        self.note(Record::PacketRouted { node, packet });
        if self.wiring.link_delay == Span::ZERO {
            self.enqueue(node, packet);
        } else {
            self.events.push(self.now + self.wiring.link_delay, Event::LinkDown { node, packet });
        }
    }

    /// Routes a packet at `node` and hands it to the link layer; false when no route takes it now.
    pub(super) fn forward(&mut self, node: NodeId, id: PacketId) -> bool {
        let Forwarding::Static(table) = &self.nodes[node].forwarding else { return self.ask_router(node, id) };
        let Some(next_hop) = table.lookup(self.packets.get(id).dst) else {
            self.drop_packet(node, id, DropReason::NoRoute);
            return false;
        };
        self.packets.get_mut(id).next_hop = next_hop;
        self.resolve(node, id);
        true
    }

    /// Hands a packet with its next hop to the link layer, by way of ARP where that is on.
    pub(super) fn resolve(&mut self, node: NodeId, id: PacketId) {
        let Packet { next_hop, .. } = *self.packets.get(id);
        let via = self.nodes[node].interface_to(next_hop);
        if let Interface::Wire { end, .. } = self.nodes[node].interfaces[usize::from(via)] {
            self.packets.get_mut(id).via = via;
            self.enqueue_wire(end, id);
            return;
        }
        let arp = self.nodes[node].arp.as_mut().filter(|_| next_hop != NodeId::BROADCAST);
        if let Some(arp) = arp {
            match arp.resolve(next_hop, id) {
                Resolution::Known => {}
                Resolution::Ask { dropped } => {
                    self.note(Record::PacketHeld { node, packet: id });
                    if let Some(old) = dropped {
                        self.drop_packet(node, old, DropReason::ArpReplaced);
                    }
                    self.send_arp(node, NodeId::BROADCAST, next_hop, false);
                    return;
                }
                Resolution::GiveUp { dropped } => {
                    for lost in dropped.into_iter().chain([id]) {
                        let reason = DropReason::ArpUnresolved;
                        self.work.push(Work::LinkFailed { node, packet: lost, reason });
                    }
                    return;
                }
            }
        }
        self.link_down(node, id);
    }

    fn send_arp(&mut self, node: NodeId, next_hop: NodeId, target: NodeId, reply: bool) {
        let packet = Packet::new(node, next_hop, ARP_BYTES, 1, Body::Arp { target, reply }, self.now);
        let id = self.admit(packet);
        self.link_down(node, id);
    }

    pub(super) fn on_arp(&mut self, node: NodeId, from: NodeId, target: NodeId, reply: bool) {
        if let Some(held) = self.nodes[node].arp.as_mut().and_then(|arp| arp.learn(from)) {
            self.link_down(node, held);
            self.refill(node, false);
        }
        if !reply && target == node {
            self.send_arp(node, from, from, true);
        }
    }

    /// A packet reaches the interface queue.
    pub(super) fn enqueue(&mut self, node: NodeId, id: PacketId) {
        if self.nodes[node].gateway.is_some() {
            self.pass_gateway_down(node, id);
        }
        let Wifi { mac, port, .. } = &self.wifi[node];
        if port.layer.is_some() {
            self.enqueue_linked(node, id);
            return;
        }
        if mac.is_free() && port.queue.is_empty() {
            self.offer(node, id);
            return;
        }
        let priority = self.is_routing(id);
        let lost = self.wifi[node].port.queue.push(self.now, id, priority);
        if lost != Some(id) {
            self.note(Record::Queued { node, via: Interface::WIFI, packet: id });
        }
        if let Some(lost) = lost {
            self.drop_packet(node, lost, DropReason::QueueFull);
        }
    }

    /// The MAC pulls its next packet.
    pub(super) fn feed_mac(&mut self, node: NodeId) {
        if !self.wifi[node].mac.is_free() {
            return;
        }
        let port = &mut self.wifi[node].port;
        let next = match port.layer {
            None => port.queue.pop(self.now),
            Some(_) => self.next_linked(node),
        };
        if let Some(next) = next {
            self.note(Record::Dequeued { node, via: Interface::WIFI, packet: next });
            self.offer(node, next);
        }
    }

    fn offer(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets.get(id);
        let (to, bytes) = (packet.next_hop, packet.bytes);
        let pacing = self.wifi[node].port.pacing();
        self.note(Record::Offered { node, packet: id });
        self.mac_input(node, |mac, cx| mac.offer(id, to, bytes, pacing, cx));
    }
}
