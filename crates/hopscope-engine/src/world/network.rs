//! IP and routing: a packet that came up goes to its socket or on to the next hop, routing protocols get their
//! messages, timers and failed links.

use super::World;
use super::places::PerNode;
use crate::config::Stations;
use crate::record::{Classes, DropReason, Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::{NodeId, PacketId};
use hopscope_core::units::Span;
use hopscope_net::iface::{Interface, Wifi};
use hopscope_net::net::ip;
use hopscope_net::net::ip::Step;
use hopscope_net::routing::{
    Cx as RoutingCx, Forwarding, LinkEstimate, LinkLayer, LossOf, Lost, Machine, Query, RouteAnswer, Router,
    RoutingNote,
};
use hopscope_packet::routing::RoutingMessage;
use hopscope_packet::{Body, Packet};
use hopscope_tcp::endpoint::PathEvent;
impl<R: Recorder> World<R> {
    /// A packet comes up from an interface.
    pub(super) fn receive(&mut self, node: NodeId, id: PacketId) {
        if ip::on_hop(self.packets.get_mut(id)) {
            self.record_path(node, id);
        }
        let node = if self.stations.are_nodes() { node } else { self.leave_station(node, id) };
        self.note(Record::PacketReceived { node, packet: id });
        let World { packets, nodes, .. } = self;
        let packet = packets.get(id);
        let (from, extension) = (packet.prev_hop, packet.extension);
        if let Forwarding::Protocol(machine) = &mut nodes[node].forwarding {
            if packet.body.is_routing_message() {
                self.on_routing_message(node, id);
                return;
            }
            // Data alone: of its own messages a protocol says itself what they prove.
            if !machine.router.on_reception(from, packets.source_route(extension), self.now) {
                self.drop_packet(node, id, DropReason::LinkFailed);
                return;
            }
        }
        match ip::on_packet(self.packets.get_mut(id), node) {
            Step::Deliver => {
                let mut packet = *self.packets.get(id);
                self.note(Record::PacketArrived { node, packet: id });
                // Before the socket acts: its answer finds the place in the arena free.
                self.packets.release(id);
                self.deliver(node, &mut packet);
            }
            Step::Forward => {
                self.forward(node, id);
            }
            Step::Expired => self.drop_packet(node, id, DropReason::TtlExpired),
        }
    }

    /// A packet that asks for it learns of the hop that it has taken, from the MAC of the node that it came from.
    #[cold]
    fn record_path(&mut self, node: NodeId, id: PacketId) {
        let World { packets, wifi, wires, medium, collisions, now, .. } = self;
        let packet = packets.get_mut(id);
        let (from, bytes) = (packet.prev_hop, packet.bytes);
        let wire = wires.of(from).iter().copied().find(|&end| wires[end].peer == node);
        if let Body::Atp(atp) = &mut packet.body {
            let (layer, exchange) = match wire {
                Some(end) => (&wires[end].port.layer, wires[end].service(bytes)),
                None => (&wifi[from].port.layer, wifi[from].rules.exchange(node, bytes)),
            };
            let delays = layer.as_ref().and_then(|layer| layer.delays());
            let sum = delays.map_or(exchange, |delays| delays.sum(exchange, *now));
            atp.pass((sum.0 / 1_000).clamp(1, u64::from(u32::MAX)) as u32);
            return;
        }
        // Nothing collides on a wire.
        let by_wire = wire.is_some();
        let collision = collisions.get_mut(from.index()).filter(|_| !by_wire).map_or(0.0, |estimate| {
            let around = || medium.neighbours(from).map(|node| wifi[node].air.airtime());
            let busy = || around().fold(Span::ZERO, |sum, airtime| sum + airtime);
            estimate.estimate(*now, &wifi[from].mac_view(), busy)
        });
        ip::learn(packet, *now, collision);
    }

    /// Sends a new packet of a transport towards its destination; returns what has become of it.
    #[inline]
    pub(super) fn originate(&mut self, packet: Packet) -> PathEvent {
        let src = packet.src;
        let id = self.admit(self.nodes[src].ip.originate(packet));
        self.forward(src, id)
    }

    /// Takes a new packet into the arena.
    #[inline]
    pub(super) fn admit(&mut self, packet: Packet) -> PacketId {
        let id = self.packets.insert(packet);
        self.note(Record::PacketMade { packet: id });
        id
    }

    /// A packet goes on from `node`.
    pub(super) fn forward(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        match self.route(node, id) {
            RouteAnswer::Via(next_hop) => {
                self.packets.get_mut(id).next_hop = next_hop;
                self.resolve(node, id)
            }
            RouteAnswer::ViaInterface(next_hop, radio) => {
                self.packets.get_mut(id).next_hop = next_hop;
                self.choose_radio(id, radio);
                self.resolve(node, id)
            }
            RouteAnswer::Held => {
                self.note(Record::PacketHeld { node, packet: id, routed: false });
                PathEvent::Held
            }
            RouteAnswer::Drop(reason) => {
                self.drop_packet(node, id, reason);
                PathEvent::NoRoute
            }
        }
    }

    /// Where a packet goes next from `node`.
    #[inline]
    pub(super) fn route(&mut self, node: NodeId, id: PacketId) -> RouteAnswer {
        match &self.nodes[node].forwarding {
            Forwarding::Static(table) => {
                let next_hop = table.lookup(self.packets.get(id).dst);
                next_hop.map_or(RouteAnswer::Drop(DropReason::NoRoute), RouteAnswer::Via)
            }
            Forwarding::Protocol(_) => self.query_router(node, id),
        }
    }

    fn query_router(&mut self, node: NodeId, id: PacketId) -> RouteAnswer {
        let packet = *self.packets.get(id);
        // Out of the arena, to which the machine's effects add.
        let source_route = self.packets.source_route(packet.extension).cloned();
        let query = Query::new(node, id, &packet, source_route.as_ref());
        self.routing_input(node, |router, cx| router.route(&query, cx))
    }

    /// Starts the clocks of all machines.
    pub(super) fn start_routing(&mut self) {
        for node in 0..self.stations.nodes() {
            self.routing_input(NodeId(node), Router::start);
        }
        self.work_off();
    }

    /// A routing message came up at `node`, where it ends.
    fn on_routing_message(&mut self, node: NodeId, id: PacketId) {
        let (packet, message) = self.packets.take_message(id);
        self.routing_input(node, |router, cx| {
            cx.interface = packet.via;
            router.on_message(packet.prev_hop, packet.ttl, &message, cx);
        });
    }

    /// A timer of a node's routing machine has run out.
    #[inline]
    pub(super) fn on_routing_timer(&mut self, node: NodeId, timer: u8) {
        if let Some(timer) = self.routing_timer(node, timer) {
            self.note(Record::RoutingTimerExpired { node, timer });
        }
        self.routing_input(node, |router, cx| router.on_timer(timer, cx));
    }

    /// The MAC gave a packet up, or ARP its next hop: a sign for the routing protocol, and its packet if it carries
    /// data. Other packets are dropped for `reason`, and all of them where no protocol asks.
    pub(super) fn on_link_failure(&mut self, node: NodeId, id: PacketId, reason: DropReason) {
        let node = if self.stations.are_nodes() { node } else { self.leave_station(node, id) };
        if self.nodes[node].router().is_none() {
            // No protocol would send it again.
            self.drop_packet(node, id, reason);
            return;
        }
        let packet = *self.packets.get(id);
        let radio = if self.stations.are_nodes() { 0 } else { packet.via };
        match LossOf::body(&packet.body) {
            LossOf::Data => {
                let source_route = self.packets.source_route(packet.extension).cloned();
                let lost = Lost::new(id, &packet, source_route.as_ref());
                // The protocol may send it by another neighbour, which has not received it.
                self.packets.get_mut(id).received_next = false;
                self.routing_input(node, |router, cx| {
                    cx.interface = radio;
                    router.on_link_failure(packet.next_hop, Some(&lost), cx);
                });
            }
            LossOf::Message => {
                self.drop_packet(node, id, reason);
                self.routing_input(node, |router, cx| {
                    cx.interface = radio;
                    router.on_link_failure(packet.next_hop, None, cx);
                });
            }
            LossOf::Other => self.drop_packet(node, id, reason),
        }
    }

    /// One input to a node's machine, and its effects carried out.
    pub(super) fn routing_input<T>(&mut self, node: NodeId, input: impl FnOnce(&mut Router, &mut RoutingCx) -> T) -> T {
        let Forwarding::Protocol(machine) = &mut self.nodes[node].forwarding else {
            unreachable!("node {node} has a routing protocol")
        };
        let mut out = std::mem::take(&mut self.routing_effects);
        let Machine { router, rng } = &mut **machine;
        let link = &MacOf { wifi: &self.wifi, stations: &self.stations, node };
        let answer = input(router, &mut RoutingCx { now: self.now, interface: 0, link, rng, out: &mut out });
        for effect in out.drain(..) {
            self.routing_effect(node, effect);
        }
        self.routing_effects = out;
        answer
    }

    /// The name of a timer of the machine of a node, where an observer asks for it.
    pub(super) fn routing_timer(&self, node: NodeId, timer: u8) -> Option<&'static str> {
        let wanted = R::WANTS.has(Classes::ROUTING_TIMERS);
        wanted.then(|| self.nodes[node].router().map(|router| router.timer_name(timer))).flatten()
    }

    /// Sends a message of a node's machine to a neighbour or to all of them, by the radio that is named.
    pub(super) fn send_message(
        &mut self,
        node: NodeId,
        (to, radio): (NodeId, Option<u8>),
        ttl: u8,
        message: RoutingMessage,
        delay: Span,
    ) {
        let own = message.bytes(self.wiring.aodv, self.wiring.udp_header);
        let header = if message.is_over_ip() { self.nodes[node].ip.header } else { 0 };
        self.note(Record::RoutingSent { node, kind: message.kind(), bytes: header + own });
        // The MAC adds the header of a data frame, which others have more of.
        let is_management = message.is_management();
        let bytes = if is_management { self.wifi[node].rules.management(to, own) } else { header + own };
        let (body, extension) = self.packets.keep_message(message);
        let id = self.admit(Packet { extension, ..Packet::new(node, to, bytes, ttl, body, self.now) });
        if let Some(radio) = radio {
            self.choose_radio(id, radio);
        }
        self.send_later(node, id, delay);
    }

    pub(super) fn send_later(&mut self, node: NodeId, packet: PacketId, delay: Span) {
        if delay == Span::ZERO {
            self.resolve(node, packet);
        } else {
            self.events.push(self.now + delay, Event::RoutingSend { node, packet });
        }
    }

    /// Takes the first packet that waits for a neighbour out of the queue of the interface that leads there.
    pub(super) fn take_waiting(&mut self, node: NodeId, next_hop: NodeId) -> Option<PacketId> {
        let packets = &self.packets;
        let wanted = |id| packets.get(id).next_hop == next_hop;
        match self.nodes[node].interface_for(next_hop) {
            Interface::Wire { end, .. } => self.wires[end].port.take(self.now, wanted),
            Interface::Wifi { .. } | Interface::Outside if self.stations.are_nodes() => {
                self.wifi[node].take_waiting(self.now, wanted)
            }
            Interface::Wifi { .. } | Interface::Outside => self.take_waiting_at_radios(node, next_hop),
        }
    }

    /// A neighbour is taken for gone that is at the other end of a wire, or in range and on.
    pub(super) fn is_false_alarm(&mut self, node: NodeId, note: RoutingNote) -> bool {
        let RoutingNote::LinkLost { neighbour } = note else { return false };
        // The node may have moved since its links were last looked at.
        self.stations.of(node).for_each(|station| self.medium.refresh(station, self.now));
        if self.wires.of(node).iter().any(|&end| self.wires[end].peer == neighbour) {
            return true;
        }
        !self.is_off(node)
            && !self.is_off(neighbour)
            && self
                .stations
                .of(node)
                .any(|station| self.medium.neighbours(station).any(|other| self.stations.node(other) == neighbour))
    }
}

/// The MAC of a node, which its routing protocol may ask.
#[derive(Debug)]
struct MacOf<'a> {
    wifi: &'a PerNode<Wifi>,
    stations: &'a Stations,
    node: NodeId,
}

impl LinkLayer for MacOf<'_> {
    fn radios(&self) -> u8 {
        self.stations.of(self.node).count() as u8
    }

    fn estimate(&self, interface: u8, neighbour: NodeId) -> LinkEstimate {
        let MacOf { wifi, stations, node } = *self;
        let station = stations.radio(node, interface).unwrap_or(node);
        let peer = stations.peer(station, neighbour).unwrap_or(neighbour);
        let wifi = &wifi[station];
        let failure = wifi.failure(peer);
        LinkEstimate {
            data_rate: wifi.data_rate(peer),
            expected_throughput: wifi.expected_throughput(peer),
            failed: failure.average,
            failed_in_row: failure.in_row,
        }
    }
}
