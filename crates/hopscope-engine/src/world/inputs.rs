//! The first table of the world: every event and every item of work becomes the input of one machine.
//!
//! Below the two lists stand the inputs, from the antenna up: what a frame brings goes to the MAC, its packet to address resolution, link layer or IP, from there to routing or to the socket at its port. What a machine answers is
//! carried out by the second table, `effects.rs`.

use super::World;
use super::work::Work;
use crate::record::{Classes, DropReason, Header, Record, Recorder};
use hopscope_core::event::{Event, TransportGeneration};
use hopscope_core::ids::{FlowId, NodeId, PacketId, SocketId};
use hopscope_core::units::Span;
use hopscope_mac::contention::AccessAnswer;
use hopscope_mac::dcf::MacCx;
use hopscope_mac::{Dcf, MacEffects};
use hopscope_net::iface::Wifi;
use hopscope_net::iface::outside::ExternalArrival;
use hopscope_net::net::arp::ArpOutcome;
use hopscope_net::net::ip::{self, Step};
use hopscope_net::routing::{Cx as RoutingCx, Forwarding, LossOf, Lost, Machine, Query, RouteAnswer, Router};
use hopscope_packet::{Body, Notice, Packet};
use hopscope_phy::phy::RxOutcome;
use hopscope_tcp::endpoint::{Cx, PathEvent, Payload, Timer, TransportEffect};
use hopscope_transport::{Endpoint, Protocol, Socket};

impl<R: Recorder> World<R> {
    /// What happens by itself, in the order of the events of one instant.
    #[inline(always)]
    pub(super) fn dispatch(&mut self, event: Event) {
        match event {
            Event::RxEnd { node, slot } => self.on_rx_end(node, slot),
            Event::Overheard { node, slot, decodable } => self.on_overheard(node, slot, decodable),
            Event::Touch { node } => {
                let Wifi { station, rules, .. } = &mut self.wifi[node];
                station.catch_up(self.now, &rules.station);
            }
            Event::Sifs { node, generation } => self.mac_input(node, |mac, cx| mac.on_sifs(generation, cx)),
            Event::ResponseTimeout { node, generation } => {
                // Most answers come: do not walk the station's edges for nothing.
                let place = self.wifi.place(node);
                let Wifi { mac, station, rules, .. } = self.wifi.at(place);
                if !mac.response_is_stale(generation) && !mac.waits_for_end(self.now, station, rules) {
                    self.note(Record::ResponseTimeout { node });
                    self.mac_input(node, |mac, cx| mac.on_response_timeout(generation, cx));
                }
            }
            Event::Access { node } => self.on_access_event(node),
            Event::LinkUp { node, packet } => self.receive(node, packet),
            Event::LinkDown { node, packet } => {
                self.enqueue(node, packet);
            }
            Event::WireSent { end } => self.on_wire_sent(end),
            Event::WireArrived { end, packet } => {
                let wire = &mut self.wires[end];
                let (node, from) = (wire.peer, wire.node);
                if wire.loses_next() {
                    self.drop_packet(from, packet, DropReason::WireLoss);
                    return;
                }
                wire.hand_over(self.packets.get_mut(packet));
                self.note(Record::WireEnded { node, from, packet });
                self.receive(node, packet);
            }
            Event::Routing { node, timer } => {
                if let Some(timer) = self.routing_timer(node, timer) {
                    self.note(Record::RoutingTimerExpired { node, timer });
                }
                self.routing_input(node, |router, cx| router.on_timer(timer, cx));
            }
            Event::RoutingSend { node, packet } => {
                self.resolve(node, packet);
            }
            Event::Transport { socket, timer, generation } => self.on_transport_timer(socket, timer, generation),
            Event::App { flow } => self.on_app(flow),
            Event::Refill { node } => {
                self.nodes[node].sockets.wake();
                self.refill(node, true);
            }
            Event::Link { node } => self.on_link_event(node),
            Event::Power { node, on } => {
                self.outages.change(node, on);
                self.note(Record::Power { node, on: !self.is_off(node) });
            }
            Event::Motion { node } => self.on_motion(node),
            Event::Change { number } => self.on_change(number),
            Event::Replay => self.on_replay(),
            Event::Sample => self.on_sample(),
        }
    }

    /// What effects have put on the list of work.
    #[inline(always)]
    pub(super) fn take(&mut self, work: Work) {
        match work {
            Work::ExternalArrival { node, packet, from } => self.on_data_frame(node, packet, from),
            Work::LinkFailed { node, packet, reason } => self.on_link_failure(node, packet, reason),
            Work::Next { node } => {
                self.feed_mac(node);
                self.refill(node, false);
            }
            Work::Unroutable { node, packet } => self.on_unroutable(node, packet),
            Work::RouteChanged { node, dst, event } => self.on_route_change(node, dst, event),
        }
    }

    // ---- radio and MAC ---------------------------------------------------------------------------------------

    fn on_rx_end(&mut self, node: NodeId, slot: u32) {
        if Self::OVERHEARS && !self.listeners.include(node) {
            // A broadcast at a node that can never act, which hears it only for the observer.
            self.on_overheard(node, slot, true);
            return;
        }
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        station.catch_up(self.now, &rules.station);
        let received = station.take_received(slot) && !self.is_off(node);
        if !received && R::WANTS.has(Classes::FRAME_ENDS) {
            self.note_lost(node, slot);
        }
        if received {
            let frame = self.sent_in(slot);
            self.note(Record::FrameEnded { node, frame, slot, outcome: RxOutcome::Received });
            self.mac_input_caught_up(node, place, |mac, cx| mac.on_rx_end(Some(frame), cx));
        } else if self.wifi.at(place).mac.is_decided_at(self.now) {
            self.mac_input_caught_up(node, place, |mac, cx| mac.on_rx_end(None, cx));
        }
    }

    /// A frame has ended at a node that it was addressed to, but was not received.
    #[cold]
    fn note_lost(&mut self, node: NodeId, slot: u32) {
        let frame = self.sent_in(slot);
        // Who asks why looks at the links of both.
        self.medium.refresh(node, self.now);
        self.medium.refresh(frame.src, self.now);
        let outcome =
            if self.is_off(node) { RxOutcome::OutOfReach } else { self.wifi[node].station.outcome(self.now, slot) };
        self.note(Record::FrameEnded { node, frame, slot, outcome });
    }

    /// A frame has ended at a node that senses it, where an observer or routing asks for that.
    #[cold]
    fn on_overheard(&mut self, node: NodeId, slot: u32, decodable: bool) {
        let Wifi { station, rules, .. } = &mut self.wifi[node];
        station.catch_up(self.now, &rules.station);
        let noted = station.radio.noted(slot, self.now);
        let is_read = decodable && !self.is_off(node);
        let outcome = if is_read { noted.unwrap_or(RxOutcome::Received) } else { RxOutcome::OutOfReach };
        let frame = self.sent_in(slot);
        self.note(Record::FrameOverheard { node, frame, slot, outcome });
        if outcome == RxOutcome::Received && frame.dst != node {
            self.overhear(node, &frame, slot);
        }
    }

    fn on_access_event(&mut self, node: NodeId) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        if !station.access_event(self.now) {
            return;
        }
        let rules = &rules.station;
        station.catch_up(self.now, rules);
        match station.poll_access(self.now, rules) {
            AccessAnswer::Granted => {
                let wait = station.quiet_plan(rules);
                self.note(Record::AccessGranted { node, wait });
                self.mac_input_caught_up(node, place, |mac, cx| mac.on_access(cx));
            }
            AccessAnswer::Later(at) => self.events.push(at, Event::Access { node }),
            AccessAnswer::Nothing => {}
        }
    }

    /// One input to a node's MAC with the radio's edges applied, and its effects carried out.
    #[inline(always)]
    pub(super) fn mac_input(&mut self, node: NodeId, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let place = self.wifi.place(node);
        let Wifi { station, rules, .. } = self.wifi.at(place);
        station.catch_up(self.now, &rules.station);
        self.mac_input_caught_up(node, place, input);
    }

    /// The same for a station whose edges have been applied already.
    #[inline(always)]
    fn mac_input_caught_up(&mut self, node: NodeId, place: u32, input: impl FnOnce(&mut Dcf, &mut MacCx<'_>)) {
        let mut out = MacEffects::default();
        self.wifi.at(place).mac_input(self.now, &mut out, input);
        self.mac_effects(node, place, &out);
    }

    // ---- interface -------------------------------------------------------------------------------------------

    /// A data frame came in: the receiver gets its own copy of the packet.
    #[inline(always)]
    fn on_data_frame(&mut self, node: NodeId, packet: PacketId, from: NodeId) {
        match self.packets.get(packet).body {
            Body::Arp { target, reply } => self.on_arp(node, from, target, reply),
            Body::Notice(notice) => self.on_notice(node, notice),
            Body::Tcp(_)
            | Body::Udp { .. }
            | Body::Dccp(_)
            | Body::Atp(_)
            | Body::Aodv(_)
            | Body::Routing
            | Body::PathNotice(_)
            | Body::Opaque { .. } => {
                let copy = self.packets.copy(packet);
                self.packets.get_mut(copy).prev_hop = from;
                self.note(Record::PacketCopied { node, packet, copy });
                if self.wiring.link_delay == Span::ZERO {
                    self.receive(node, copy);
                } else {
                    self.events.push(self.now + self.wiring.link_delay, Event::LinkUp { node, packet: copy });
                }
            }
        }
    }

    fn on_arp(&mut self, node: NodeId, from: NodeId, target: NodeId, reply: bool) {
        let Some(arp) = &mut self.nodes[node].arp else { return };
        let ArpOutcome { released, answers } = arp.on_packet(node, from, target, reply);
        if let Some(held) = released {
            self.link_down(node, held);
            self.refill(node, false);
        }
        if answers {
            self.send_arp(node, from, from, true);
        }
    }

    /// A neighbour's link layer says how much is to be dropped.
    fn on_notice(&mut self, node: NodeId, notice: Notice) {
        if let Some(layer) = &mut self.wifi[node].port.layer {
            layer.on_notice(notice, self.now);
        }
    }

    /// The link layer of a node wanted to act now: its next packet may go, or an interval of its ends.
    fn on_link_event(&mut self, node: NodeId) {
        let layer = self.wifi[node].port.layer.as_mut();
        if let Some(tick) = layer.and_then(|layer| layer.on_tick(self.now)) {
            self.events.push(tick.next, Event::Link { node });
            if let Some(notice) = tick.notice {
                self.send_notice(node, notice);
            }
        }
        self.feed_mac(node);
    }

    /// The last bit of a packet has left the end of a wire: the next one follows at once.
    fn on_wire_sent(&mut self, end: u32) {
        let wire = &mut self.wires[end];
        let node = wire.node;
        if let Some((packet, at)) = wire.on_sent(self.now) {
            if let Some(layer) = &mut wire.port.layer {
                layer.on_left(self.now);
            }
            self.events.push(at, Event::WireArrived { end, packet });
            let via = self.packets.get(packet).via;
            self.feed_wire(end, via);
        }
        self.refill(node, false);
    }

    // ---- IP --------------------------------------------------------------------------------------------------

    /// A packet comes up from an interface.
    fn receive(&mut self, node: NodeId, id: PacketId) {
        if ip::on_hop(self.packets.get_mut(id)) {
            self.record_path(node, id);
        }
        self.note(Record::PacketReceived { node, packet: id });
        let World { packets, nodes, .. } = self;
        let packet = packets.get(id);
        let (from, extension) = (packet.prev_hop, packet.extension);
        if let Forwarding::Protocol(machine) = &mut nodes[node].forwarding {
            if packet.body.is_routing_message() {
                self.on_routing_message(node, id);
                return;
            }
            machine.router.on_reception(from, packets.source_route(extension), self.now);
        }
        match ip::on_packet(self.packets.get_mut(id), node) {
            Step::Deliver => {
                let mut packet = *self.packets.get(id);
                self.note(Record::PacketArrived { node, packet: id });
                if let Body::Opaque { number } = packet.body {
                    self.leave(node, &packet, number);
                }
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
            estimate.estimate(*now, &wifi[from].mac.view(), busy)
        });
        ip::learn(packet, *now, collision);
    }

    /// A packet from outside leaves the network.
    #[cold]
    fn leave(&mut self, node: NodeId, packet: &Packet, number: u64) {
        let octets = self.packets.octets(number).into();
        self.outside.leave(ExternalArrival { at: self.now, node, from: packet.src, hops: packet.hops, number, octets });
    }

    // ---- routing ---------------------------------------------------------------------------------------------

    /// Starts the clocks of all machines.
    pub(super) fn start_routing(&mut self) {
        for node in 0..self.nodes.len() as u32 {
            self.routing_input(NodeId(node), Router::start);
        }
        self.work_off();
    }

    /// A routing message came up at `node`, where it ends.
    fn on_routing_message(&mut self, node: NodeId, id: PacketId) {
        let (packet, message) = self.packets.take_message(id);
        self.routing_input(node, |router, cx| router.on_message(packet.prev_hop, packet.ttl, &message, cx));
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
        let source_route = self.packets.source_route(packet.extension).cloned();
        let query = Query::new(node, id, &packet, source_route.as_ref());
        self.routing_input(node, |router, cx| router.route(&query, cx))
    }

    /// The MAC gave a packet up, or ARP its next hop: a sign for the routing protocol, and its packet if it carries data.
    /// Other packets are dropped for `reason`, and all of them where no protocol asks.
    fn on_link_failure(&mut self, node: NodeId, id: PacketId, reason: DropReason) {
        if self.nodes[node].router().is_none() {
            self.drop_packet(node, id, reason);
            return;
        }
        let packet = *self.packets.get(id);
        match LossOf::body(&packet.body) {
            LossOf::Data => {
                let source_route = self.packets.source_route(packet.extension).cloned();
                let lost = Lost::new(id, &packet, source_route.as_ref());
                // The protocol may send it by another neighbour, which has not received it.
                self.packets.get_mut(id).received_next = false;
                self.routing_input(node, |router, cx| router.on_link_failure(packet.next_hop, Some(&lost), cx));
            }
            LossOf::Message => {
                self.drop_packet(node, id, reason);
                self.routing_input(node, |router, cx| router.on_link_failure(packet.next_hop, None, cx));
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
        let answer = input(router, &mut RoutingCx { now: self.now, rng, out: &mut out });
        for effect in out.drain(..) {
            self.routing_effect(node, effect);
        }
        self.routing_effects = out;
        answer
    }

    // ---- transport -------------------------------------------------------------------------------------------

    /// A packet has reached its destination: the socket at its port takes it.
    fn deliver(&mut self, node: NodeId, packet: &mut Packet) {
        let Some(protocol) = Protocol::of(&packet.body) else {
            debug_assert!(
                matches!(packet.body, Body::Opaque { .. } | Body::PathNotice(_)),
                "it ends below the transport"
            );
            if let Body::PathNotice(notice) = packet.body {
                self.on_path_notice(node, packet.prev_hop, notice);
            }
            return;
        };
        let Some(id) = self.nodes[node].sockets.find(node, protocol, packet.ports, &self.sockets) else { return };
        if let Some(gateway) = &mut self.nodes[node].gateway {
            gateway.pass(packet, self.now);
        }
        let socket = &self.sockets[id];
        let (flow, answers, delay) = (socket.receives, socket.sends, self.now - packet.sent);
        self.note(Record::SegmentReceived { node, flow, answers, header: Header::of(&packet.body), delay });
        let (payload, out) = self.ask(id, |endpoint, cx| {
            cx.path_info = Some(packet.path_info());
            endpoint.on_packet(packet, cx)
        });
        if let Some(Payload { bytes, duplicate, retransmission }) = payload {
            self.note(Record::DataReceived { flow, bytes, delay, duplicate, retransmission });
            if self.wiring.path_lengths {
                self.note_path(flow, packet);
            }
        }
        self.transport_effects(id, out);
    }

    fn on_transport_timer(&mut self, id: SocketId, code: u8, generation: TransportGeneration) {
        let timer = Timer::ALL[usize::from(code)];
        let socket = &self.sockets[id];
        if !socket.is_current(timer, generation) {
            return;
        }
        self.note(Record::TimerExpired { node: socket.node, flow: socket.sends, timer });
        self.transport_input(id, |endpoint, cx| endpoint.on_timer(timer, cx));
    }

    /// Sources that fill the interface queue of a node themselves: it has let a packet go, or (`again`) their wait is over.
    #[inline(always)]
    pub(super) fn refill(&mut self, node: NodeId, again: bool) {
        if self.wiring.saturating {
            self.refill_sources(node, again);
        }
    }

    fn refill_sources(&mut self, node: NodeId, again: bool) {
        let mut sent = None;
        for place in 0..self.nodes[node].sockets.refilling().len() {
            let socket = self.nodes[node].sockets.refilling()[place];
            if again {
                self.note(Record::TimerExpired { node, flow: self.sockets[socket].sends, timer: Timer::Refill });
            }
            let ((), out) = self.ask(socket, |endpoint, cx| match again {
                true => endpoint.on_timer(Timer::Refill, cx),
                false => endpoint.on_writable(cx),
            });
            if out.iter().any(|effect| matches!(effect, TransportEffect::Emit(_))) {
                sent = Some(place);
            }
            self.transport_effects(socket, out);
        }
        if let Some(place) = sent {
            self.nodes[node].sockets.next_after(place);
        }
    }

    /// The route from `node` to `dst` has ended or is there again: its sockets hear of it.
    #[cold]
    #[inline(never)]
    fn on_route_change(&mut self, node: NodeId, dst: NodeId, event: PathEvent) {
        let notice = if self.notices.is_some() { self.on_route_change_notice(node, dst, event) } else { Some(event) };
        let Some(event) = notice else { return };
        for place in 0..self.nodes[node].sockets.count() {
            let id = self.nodes[node].sockets.at(place);
            let Socket { peer, endpoint, .. } = &self.sockets[id];
            if *peer == dst && (event != PathEvent::RouteFound || endpoint.needs_route_events()) {
                self.notify_endpoint(id, event);
            }
        }
    }

    /// A socket hears of its path. One that does nothing about it shows no window: it may not have begun.
    pub(super) fn notify_endpoint(&mut self, id: SocketId, event: PathEvent) {
        let ((), out) = self.ask(id, |endpoint, cx| endpoint.on_path_event(event, cx));
        if out.is_empty() {
            self.transport_effects = out;
        } else {
            self.transport_effects(id, out);
        }
    }

    /// One input to an endpoint, and its effects carried out.
    pub(super) fn transport_input(&mut self, id: SocketId, input: impl FnOnce(&mut Endpoint, &mut Cx<'_>)) {
        let ((), out) = self.ask(id, input);
        self.transport_effects(id, out);
    }

    /// Gives an endpoint an input; what it wants done is left to [`World::transport_effects`].
    #[inline(always)]
    fn ask<T>(
        &mut self,
        id: SocketId,
        input: impl FnOnce(&mut Endpoint, &mut Cx<'_>) -> T,
    ) -> (T, Vec<TransportEffect>) {
        let mut out = std::mem::take(&mut self.transport_effects);
        let World { sockets, nodes, wifi, wires, now, .. } = self;
        let socket = &mut sockets[id];
        let (node, peer) = (socket.node, socket.peer);
        let asks = socket.endpoint.wants_view() || socket.endpoint.sees_node();
        let node = asks.then(|| nodes[node].view(peer, &wifi[node], wires));
        let given = input(&mut socket.endpoint, &mut Cx { now: *now, out: &mut out, node, path_info: None });
        (given, out)
    }

    // ---- application -----------------------------------------------------------------------------------------

    pub(super) fn on_app(&mut self, flow: FlowId) {
        let mut out = std::mem::take(&mut self.app_effects);
        let state = &mut self.flows[flow.index()];
        if !state.source.is_due(self.now) {
            self.app_effects = out;
            return;
        }
        state.source.on_tick(self.now, &mut state.rng, &mut out);
        for effect in out.drain(..) {
            self.app_effect(flow, effect);
        }
        self.app_effects = out;
    }

    // ---- the run ---------------------------------------------------------------------------------------------

    fn on_sample(&mut self) {
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            let packets = self.wifi[node].port.queue.len() as u32;
            self.note(Record::QueueLength { node, packets });
        }
        self.note(Record::SampleEnd);
        self.events.push(self.now + self.wiring.sample_interval, Event::Sample);
    }
}
