//! The second table of the world: every effect of a machine becomes the input of the one below, an entry of the event queue,
//! or an item of work.
//!
//! From the top it is the way of a packet to the antenna: what an application wants done, then a transport, IP with its
//! routing, address resolution, the interface, and the MAC, whose frame goes on the air (`radio.rs`).

use super::World;
use super::work::Work;
use crate::app::AppEffect;
use crate::record::{Classes, DropReason, Header, Record, Recorder};
use hopscope_core::event::Event;
use hopscope_core::ids::{FlowId, NodeId, PacketId, SocketId};
use hopscope_core::units::{Span, Time};
use hopscope_mac::MacEffects;
use hopscope_mac::dcf::Outcome;
use hopscope_net::iface::port::{self, Entry, PortEffect};
use hopscope_net::iface::{Interface, Wifi, wire};
use hopscope_net::net::arp::{self, Resolution};
use hopscope_net::routing::{RouteAnswer, RouteLoss, RoutingEffect, RoutingNote};
use hopscope_packet::routing::RoutingMessage;
use hopscope_packet::{Body, Ecn, Notice, Packet};
use hopscope_tcp::endpoint::{Cx, Note, PathEvent, Timer, TransportEffect};

impl<R: Recorder> World<R> {
    // ---- application -----------------------------------------------------------------------------------------

    pub(super) fn app_effect(&mut self, flow: FlowId, effect: AppEffect) {
        match effect {
            AppEffect::Arm { at } => {
                self.flows[flow.index()].source.armed(at);
                if at < Time::NEVER {
                    self.events.push(at, Event::App { flow });
                }
            }
            AppEffect::Send { bytes } => self.send(flow, bytes),
            AppEffect::SendForever => self.send(flow, u64::MAX),
            AppEffect::Close => {
                self.note(Record::AppClosed { flow });
                self.transport_input(self.flows[flow.index()].socket, |endpoint, cx| endpoint.close(cx));
            }
        }
    }

    fn send(&mut self, flow: FlowId, bytes: u64) {
        self.note(Record::AppSent { flow, bytes });
        self.transport_input(self.flows[flow.index()].socket, |endpoint, cx| endpoint.on_send(bytes, cx));
    }

    // ---- transport -------------------------------------------------------------------------------------------

    /// Carries out what an endpoint asked for, in order, and keeps the emptied list for the next input.
    pub(super) fn transport_effects(&mut self, id: SocketId, mut effects: Vec<TransportEffect>) {
        let mut next = 0;
        while let Some(&effect) = effects.get(next) {
            next += 1;
            if let Some(event) = self.transport_effect(id, effect) {
                let World { sockets, nodes, wifi, wires, now, .. } = self;
                let socket = &mut sockets[id];
                let (node, peer) = (socket.node, socket.peer);
                let node = Some(nodes[node].view(peer, &wifi[node], wires));
                socket.endpoint.on_path_event(event, &mut Cx { now: *now, out: &mut effects, node, path_info: None });
            }
        }
        effects.clear();
        self.transport_effects = effects;
        if R::WANTS.has(Classes::WINDOWS) {
            self.note_window(id);
        }
    }

    /// Carries out one effect; returns what became of a packet, where the endpoint wants to know.
    fn transport_effect(&mut self, id: SocketId, effect: TransportEffect) -> Option<PathEvent> {
        let socket = &mut self.sockets[id];
        match effect {
            TransportEffect::Emit(body) => return self.emit(id, body),
            TransportEffect::Arm(timer @ Timer::Refill, at) => {
                let (node, flow) = (socket.node, socket.sends);
                if self.nodes[node].sockets.request_wakeup() {
                    self.note(Record::TimerArmed { node, flow, timer, until: at });
                    self.events.push(at, Event::Refill { node });
                }
            }
            TransportEffect::Arm(timer, at) => {
                let (node, flow, generation) = (socket.node, socket.sends, socket.renew(timer));
                self.note(Record::TimerArmed { node, flow, timer, until: at });
                self.events.push(at, Event::Transport { socket: id, timer: timer.index() as u8, generation });
            }
            TransportEffect::Disarm(timer) => {
                socket.renew(timer);
                let (node, flow) = (socket.node, socket.sends);
                self.note(Record::TimerStopped { node, flow, timer });
            }
            TransportEffect::Deliver { bytes } => {
                let flow = socket.receives;
                self.note(Record::Delivered { flow, bytes });
            }
            TransportEffect::Note(Note::Rtt(rtt)) => {
                let flow = socket.sends;
                self.note(Record::Rtt { flow, rtt });
            }
            TransportEffect::Note(Note::AckWindow(segments)) => {
                let flow = socket.receives;
                self.note(Record::AckWindow { flow, segments });
            }
            TransportEffect::Note(Note::Rate(rate)) => {
                let flow = socket.sends;
                self.note(Record::SendingRate { flow, rate });
            }
            TransportEffect::Note(Note::Completed) => {
                let flow = socket.sends;
                self.note(Record::Completed { flow });
            }
            TransportEffect::Note(Note::PeerClosed) => {}
            TransportEffect::Note(Note::Reset(code)) => {
                let flow = socket.sends;
                self.note(Record::Reset { flow, code });
            }
        }
        None
    }

    /// Sends what a socket has emitted.
    fn emit(&mut self, id: SocketId, body: Body) -> Option<PathEvent> {
        let socket = &self.sockets[id];
        let (node, wants_to_know) = (socket.node, socket.endpoint.wants_view());
        let packet = socket.packet(body, self.now);
        self.note(Record::SegmentSent { node, flow: packet.flow, header: Header::of(&body) });
        let event = self.originate(packet);
        wants_to_know.then_some(event)
    }

    fn note_window(&mut self, id: SocketId) {
        let socket = &self.sockets[id];
        let Some((cwnd, ssthresh, flight)) = socket.endpoint.window() else { return };
        let flow = socket.sends;
        let noted = &mut self.flows[flow.index()].window;
        if *noted != (cwnd, ssthresh) {
            *noted = (cwnd, ssthresh);
            self.note(Record::Window { flow, cwnd, ssthresh, flight });
        }
    }

    // ---- IP and routing --------------------------------------------------------------------------------------

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

    pub(super) fn routing_effect(&mut self, node: NodeId, effect: RoutingEffect) {
        match effect {
            RoutingEffect::Broadcast { message, ttl, delay } => {
                self.send_message(node, NodeId::BROADCAST, ttl, message, delay);
            }
            RoutingEffect::Unicast { message, to, ttl, delay } => self.send_message(node, to, ttl, message, delay),
            RoutingEffect::Forward { packet, next_hop, delay } => {
                self.packets.get_mut(packet).next_hop = next_hop;
                self.send_later(node, packet, delay);
            }
            RoutingEffect::SetSourceRoute { packet, route } => self.packets.set_source_route(packet, route),
            RoutingEffect::Drop { packet, reason } => self.drop_packet(node, packet, reason),
            RoutingEffect::FlushNextHop { next_hop } => {
                while let Some(packet) = self.take_waiting(node, next_hop) {
                    self.drop_packet(node, packet, DropReason::LinkFailed);
                }
            }
            RoutingEffect::RecallNextHop { next_hop } => {
                // All leave the queue first: the machine may send some of them to this neighbour again.
                while let Some(packet) = self.take_waiting(node, next_hop) {
                    let via = self.packets.get(packet).via;
                    self.note(Record::Dequeued { node, via, packet });
                    self.work.push(Work::LinkFailed { node, packet, reason: DropReason::RetryLimit });
                }
            }
            RoutingEffect::Arm(timer, at) => {
                if let Some(name) = self.routing_timer(node, timer) {
                    self.note(Record::RoutingTimerArmed { node, timer: name, until: at });
                }
                self.events.push(at, Event::Routing { node, timer });
            }
            RoutingEffect::Note(note) => {
                let in_range = self.is_false_alarm(node, note);
                self.note(Record::Routing { node, note, in_range });
                let (dst, event) = match note {
                    RoutingNote::RouteDown { dst, cause: RouteLoss::Expired } => (dst, PathEvent::RouteExpired),
                    RoutingNote::RouteDown { dst, .. } => (dst, PathEvent::RouteFailed),
                    RoutingNote::RouteUp { dst, .. } => (dst, PathEvent::RouteFound),
                    RoutingNote::HopsChanged { .. }
                    | RoutingNote::SearchStarted { .. }
                    | RoutingNote::SearchDone { .. }
                    | RoutingNote::SearchFailed { .. }
                    | RoutingNote::LinkLost { .. } => return,
                };
                self.work.push(Work::RouteChanged { node, dst, event });
            }
        }
    }

    /// The name of a timer of the machine of a node, where an observer asks for it.
    pub(super) fn routing_timer(&self, node: NodeId, timer: u8) -> Option<&'static str> {
        let wanted = R::WANTS.has(Classes::ROUTING_TIMERS);
        wanted.then(|| self.nodes[node].router().map(|router| router.timer_name(timer))).flatten()
    }

    fn send_message(&mut self, node: NodeId, to: NodeId, ttl: u8, message: RoutingMessage, delay: Span) {
        let bytes = self.nodes[node].ip.header + message.bytes(self.wiring.aodv, self.wiring.udp_header);
        self.note(Record::RoutingSent { node, kind: message.kind(), bytes });
        let (body, extension) = self.packets.keep_message(message);
        let id = self.admit(Packet { extension, ..Packet::new(node, to, bytes, ttl, body, self.now) });
        self.send_later(node, id, delay);
    }

    fn send_later(&mut self, node: NodeId, packet: PacketId, delay: Span) {
        if delay == Span::ZERO {
            self.resolve(node, packet);
        } else {
            self.events.push(self.now + delay, Event::RoutingSend { node, packet });
        }
    }

    /// Takes the first packet that waits for a neighbour out of the queue of the interface that leads there.
    fn take_waiting(&mut self, node: NodeId, next_hop: NodeId) -> Option<PacketId> {
        let packets = &self.packets;
        let port = match self.nodes[node].interface_for(next_hop) {
            Interface::Wire { end, .. } => &mut self.wires[end].port,
            Interface::Wifi | Interface::Outside => &mut self.wifi[node].port,
        };
        port.take(self.now, |id| packets.get(id).next_hop == next_hop)
    }

    /// A neighbour is taken for gone that is at the other end of a wire, or in range and on.
    fn is_false_alarm(&mut self, node: NodeId, note: RoutingNote) -> bool {
        let RoutingNote::LinkLost { neighbour } = note else { return false };
        self.medium.refresh(node, self.now);
        if self.wires.of(node).iter().any(|&end| self.wires[end].peer == neighbour) {
            return true;
        }
        !self.is_off(node) && !self.is_off(neighbour) && self.medium.neighbours(node).any(|n| n == neighbour)
    }

    // ---- interface -------------------------------------------------------------------------------------------

    /// A packet with its next hop goes to the interface: to the end of a wire, or to the radio by way of ARP where that is on.
    pub(super) fn resolve(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        if let Some(gateway) = &mut self.nodes[node].gateway {
            gateway.pass(self.packets.get_mut(id), self.now);
        }
        let Packet { next_hop, .. } = *self.packets.get(id);
        if next_hop == NodeId::BROADCAST && !self.wires.of(node).is_empty() && !self.broadcast_on_wires(node, id) {
            return PathEvent::Queued;
        }
        let via = self.nodes[node].interface_to(next_hop);
        if let Interface::Wire { end, .. } = self.nodes[node].interfaces[usize::from(via)] {
            self.packets.get_mut(id).via = via;
            return self.enqueue_wire(end, id);
        }
        let arp = self.nodes[node].arp.as_mut().filter(|_| next_hop != NodeId::BROADCAST);
        match arp.map_or(Resolution::Known, |arp| arp.resolve(next_hop, id)) {
            Resolution::Known => self.link_down(node, id),
            Resolution::Ask { dropped } => {
                self.note(Record::PacketHeld { node, packet: id, routed: true });
                if let Some(old) = dropped {
                    self.drop_packet(node, old, DropReason::ArpReplaced);
                }
                self.send_arp(node, NodeId::BROADCAST, next_hop, false);
                PathEvent::Held
            }
            Resolution::GiveUp { dropped } => {
                for packet in dropped.into_iter().chain([id]) {
                    self.work.push(Work::LinkFailed { node, packet, reason: DropReason::ArpUnresolved });
                }
                PathEvent::Held
            }
        }
    }

    /// A broadcast leaves by every wire of the node, a copy by each; false when the node has no radio, and the packet is
    /// gone.
    #[cold]
    fn broadcast_on_wires(&mut self, node: NodeId, id: PacketId) -> bool {
        for place in 0..self.nodes[node].interfaces.len() as u8 {
            if let Interface::Wire { end, .. } = self.nodes[node].interfaces[usize::from(place)] {
                let copy = self.packets.copy(id);
                self.note(Record::PacketCopied { node, packet: id, copy });
                self.packets.get_mut(copy).via = place;
                self.enqueue_wire(end, copy);
            }
        }
        let has_radio = self.radios.has(node);
        if !has_radio {
            self.packets.release(id);
        }
        has_radio
    }

    pub(super) fn send_arp(&mut self, node: NodeId, to: NodeId, target: NodeId, reply: bool) {
        let id = self.admit(arp::packet(node, to, target, reply, self.now));
        self.link_down(node, id);
    }

    pub(super) fn link_down(&mut self, node: NodeId, packet: PacketId) -> PathEvent {
        self.note(Record::PacketRouted { node, packet });
        if self.wiring.link_delay == Span::ZERO {
            return self.enqueue(node, packet);
        }
        self.events.push(self.now + self.wiring.link_delay, Event::LinkDown { node, packet });
        PathEvent::Passing
    }

    /// A packet reaches the interface queue of the radio.
    pub(super) fn enqueue(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let Wifi { mac, port, .. } = &self.wifi[node];
        if port.layer.is_some() {
            return self.enqueue_linked(node, id);
        }
        if mac.is_free() && port.queue.is_empty() {
            self.offer(node, id);
        } else {
            let priority = self.packets.get(id).body.is_control();
            let lost = self.wifi[node].port.queue.push(self.now, id, priority);
            if lost != Some(id) {
                self.note(Record::Queued { node, via: Interface::WIFI, packet: id });
            }
            if let Some(lost) = lost {
                self.drop_packet(node, lost, DropReason::QueueFull);
                if lost == id {
                    return PathEvent::Refused;
                }
            }
        }
        PathEvent::Queued
    }

    /// The same where a link layer looks at it first.
    fn enqueue_linked(&mut self, node: NodeId, id: PacketId) -> PathEvent {
        let Wifi { port, rules, .. } = &mut self.wifi[node];
        let packet = self.packets.get(id);
        let entry = Entry::of(packet, id, rules.exchange(packet.next_hop, packet.bytes));
        let mut out = std::mem::take(&mut self.port_effects);
        let joined = port.push(&entry, self.now, &mut out);
        let mut is_lost = self.port_effects(node, Interface::WIFI, out, id);
        if joined {
            is_lost |= self.feed_mac_with(node, id);
        }
        if is_lost { PathEvent::Refused } else { PathEvent::Queued }
    }

    /// The MAC pulls its next packet.
    pub(super) fn feed_mac(&mut self, node: NodeId) {
        if !self.wifi[node].mac.is_free() {
            return;
        }
        let port = &mut self.wifi[node].port;
        let next = match port.layer {
            None => port.queue.pop(self.now),
            Some(_) => self.next_linked(node, PacketId::NONE).0,
        };
        self.offer_queued(node, next);
    }

    /// The same right after `joined` has come into the queue below a link layer; true when that was dropped.
    fn feed_mac_with(&mut self, node: NodeId, joined: PacketId) -> bool {
        if !self.wifi[node].mac.is_free() {
            return false;
        }
        let (next, is_lost) = self.next_linked(node, joined);
        self.offer_queued(node, next);
        is_lost
    }

    fn offer_queued(&mut self, node: NodeId, next: Option<PacketId>) {
        if let Some(next) = next {
            self.note(Record::Dequeued { node, via: Interface::WIFI, packet: next });
            self.offer(node, next);
        }
    }

    /// What the link layer chooses, and whether it has dropped `watched`.
    fn next_linked(&mut self, node: NodeId, watched: PacketId) -> (Option<PacketId>, bool) {
        let mut out = std::mem::take(&mut self.port_effects);
        let (packets, now) = (&self.packets, self.now);
        let Wifi { port, rules, .. } = &mut self.wifi[node];
        let view = |id| {
            let packet = packets.get(id);
            Entry::of(packet, id, rules.exchange(packet.next_hop, packet.bytes))
        };
        let next = port.pull(now, view, &mut out);
        let is_lost = self.port_effects(node, Interface::WIFI, out, watched);
        (next, is_lost)
    }

    /// Carries out what the port of the interface `via` wants done and keeps the emptied list; true when it has dropped
    /// `watched`.
    fn port_effects(&mut self, node: NodeId, via: u8, mut effects: Vec<PortEffect>, watched: PacketId) -> bool {
        let mut is_lost = false;
        for effect in effects.drain(..) {
            match effect {
                PortEffect::Join(packet) => self.note(Record::Queued { node, via, packet }),
                PortEffect::Drop(packet, reason) => {
                    is_lost |= packet == watched;
                    self.drop_packet(node, packet, reason);
                }
                PortEffect::Mark(packet, by) => {
                    self.packets.get_mut(packet).ecn = Ecn::Ce;
                    self.note(Record::Marked { node, packet, by });
                }
                PortEffect::Wake(at) => {
                    self.note(Record::HeldBack { node });
                    self.events.push(at, Event::Link { node });
                }
                PortEffect::Hold => self.note(Record::HeldBack { node }),
            }
        }
        self.port_effects = effects;
        is_lost
    }

    /// Notifies the neighbours of what they are to drop; goes in front of all data.
    pub(super) fn send_notice(&mut self, node: NodeId, notice: Notice) {
        let Some(layer) = &self.wifi[node].port.layer else { return };
        let bytes = self.nodes[node].ip.header + layer.notice_bytes;
        let packet = Packet::new(node, NodeId::BROADCAST, bytes, 1, Body::Notice(notice), self.now);
        let id = self.admit(packet);
        self.enqueue(node, id);
    }

    /// The MAC is done with a packet.
    pub(super) fn notify_link_layer(&mut self, node: NodeId) {
        let Wifi { mac, port, .. } = &mut self.wifi[node];
        if let Some(layer) = &mut port.layer {
            layer.on_done(&mac.view(), self.now);
        }
    }

    #[inline(always)]
    fn offer(&mut self, node: NodeId, id: PacketId) {
        let packet = self.packets.get(id);
        let (to, bytes) = (packet.next_hop, packet.bytes);
        let pacing = self.wifi[node].port.pacing();
        self.note(Record::Offered { node, packet: id });
        self.mac_input(node, |mac, cx| mac.offer(id, to, bytes, pacing, cx));
    }

    /// A packet reaches the queue of the end of a wire.
    fn enqueue_wire(&mut self, end: u32, id: PacketId) -> PathEvent {
        let Packet { bytes, via, .. } = *self.packets.get(id);
        let wire = &mut self.wires[end];
        if wire.port.layer.is_none() && wire.is_free() {
            self.send_wire(end, id);
            return PathEvent::Queued;
        }
        let node = wire.node;
        let entry = Entry::of(self.packets.get(id), id, wire.service(bytes));
        let mut out = std::mem::take(&mut self.port_effects);
        wire.port.push(&entry, self.now, &mut out);
        wire.sent.dropped += port::drops(&out);
        let is_lost = self.port_effects(node, via, out, id);
        if self.feed_wire_with(end, via, id) || is_lost { PathEvent::Refused } else { PathEvent::Queued }
    }

    /// The transmitter of an end takes its next packet, if it is free.
    pub(super) fn feed_wire(&mut self, end: u32, via: u8) {
        self.feed_wire_with(end, via, PacketId::NONE);
    }

    /// The same; true when the link layer has dropped `watched`.
    fn feed_wire_with(&mut self, end: u32, via: u8, watched: PacketId) -> bool {
        let World { wires, packets, now, port_effects, .. } = self;
        let wire = &mut wires[end];
        if !wire.is_free() {
            return false;
        }
        let (node, rate) = (wire.node, wire.rate());
        let view = |id| {
            let packet = packets.get(id);
            Entry::of(packet, id, wire::service(packet.bytes, rate))
        };
        let mut out = std::mem::take(port_effects);
        let next = wire.port.pull(*now, view, &mut out);
        wire.sent.dropped += port::drops(&out);
        let is_lost = self.port_effects(node, via, out, watched);
        if let Some(next) = next {
            self.note(Record::Dequeued { node, via, packet: next });
            self.send_wire(end, next);
        }
        is_lost
    }

    fn send_wire(&mut self, end: u32, id: PacketId) {
        let Packet { bytes, via, .. } = *self.packets.get(id);
        let wire = &mut self.wires[end];
        let (node, sent) = (wire.node, wire.send(id, bytes, self.now));
        self.note(Record::WireBegan { node, via, packet: id, until: sent });
        self.events.push(sent, Event::WireSent { end });
    }

    // ---- MAC -------------------------------------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn mac_effects(&mut self, node: NodeId, place: u32, effects: &MacEffects) {
        if effects.failed {
            self.note(Record::AttemptFailed { node });
        }
        if R::WANTS.has(Classes::MAC) && (effects.failed || effects.done.is_some()) {
            self.note_rate(node);
        }
        if let Some(frame) = &effects.transmit {
            self.transmit(frame);
        }
        if let Some((at, generation)) = effects.arm_sifs {
            if R::WANTS.has(Classes::MAC) {
                let then = self.wifi.at(place).mac.after_sifs();
                self.note(Record::SifsBegan { node, until: at, then });
            }
            self.sifs.begin(node, at, generation);
        }
        if let Some((at, generation)) = effects.arm_response {
            self.events.push(at, Event::ResponseTimeout { node, generation });
        }
        if let Some(at) = effects.arm_access {
            self.events.push(at, Event::Access { node });
        }
        if let Some((packet, from)) = effects.deliver {
            self.work.push(Work::ExternalArrival { node, packet, from });
        }
        if let Some((packet, outcome)) = effects.done {
            self.mac_done(node, packet, outcome);
        }
    }

    /// The exchange of a packet is over.
    fn note_rate(&mut self, node: NodeId) {
        if let Some((to, mode)) = self.wifi[node].mac.rate_control().take_change() {
            self.note(Record::RateChanged { node, to, rate: mode.rate() });
        }
    }

    fn mac_done(&mut self, node: NodeId, packet: PacketId, outcome: Outcome) {
        if outcome != Outcome::Incomplete {
            self.note(Record::ExchangeEnded { node, packet, outcome });
            self.notify_link_layer(node);
        }
        match outcome {
            Outcome::Incomplete => {
                let copy = self.packets.copy(packet);
                self.note(Record::PacketCopied { node, packet, copy });
                self.drop_packet(node, copy, DropReason::Reassembly);
                return;
            }
            Outcome::Sent if self.packets.get(packet).next_hop == NodeId::BROADCAST => self.release_later(packet),
            Outcome::Sent => self.packets.release(packet),
            Outcome::RetryLimit => {
                self.work.push(Work::LinkFailed { node, packet, reason: DropReason::RetryLimit });
            }
        }
        self.work.push(Work::Next { node });
    }
}
